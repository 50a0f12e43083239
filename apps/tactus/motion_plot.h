// The picture of a motion: the columns of its record by kinds, one panel each, and marks at events.
#pragma once

#include <string>
#include <vector>

#include <tactus/display/svg_plot.h>
#include <tactus/simulate/files/recording.h>

namespace tactus::apps {

class MotionPlot {
 public:
  /// The columns must outlive the plot. Thinned where there are more `rows` than a picture can show.
  MotionPlot(const std::vector<simulate::Column>& columns, long rows);

  void add(const std::vector<double>& row, bool is_last);
  void mark(double t, std::string_view kind) { marks_.push_back({t, std::string(kind)}); }
  display::Figure figure(const std::string& title) const;

 private:
  bool is_flat_zero(std::size_t column) const;

  const std::vector<simulate::Column>& columns_;
  long stride_, count_ = 0;
  std::vector<std::vector<double>> values_;
  std::vector<display::Mark> marks_;
};

}  // namespace tactus::apps
