// The picture of a motion: the columns of its record by kinds, one panel each, marks at events, and the paths of frames.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <tactus/display/svg_plot.h>
#include <tactus/math/vec3.h>
#include <tactus/simulate/files/recording.h>

namespace tactus::apps {

class MotionPlot {
 public:
  /// The columns must outlive the plot. Thinned where there are more `rows` than a picture can show.
  MotionPlot(const std::vector<simulate::Column>& columns, long rows);

  /// A frame whose path is drawn; its positions come with each row, in this order.
  void add_path(const std::string& frame) { paths_.push_back({frame, {}}); }
  void add(const std::vector<double>& row, const std::vector<math::Vec3<double>>& places, bool is_last);
  /// By how much a mechanism of this size, of this time of its own (of falling, of its height), moves: what is far below is noise.
  void set_scale(double length, double time) {
    length_ = length;
    time_ = time;
  }
  void mark(double t, std::string_view kind) { marks_.push_back({t, std::string(kind)}); }
  display::Figure figure(const std::string& title) const;

 private:
  bool is_flat_zero(std::size_t column) const;
  display::Panel path_panel() const;

  const std::vector<simulate::Column>& columns_;
  long stride_, count_ = 0;
  std::vector<std::vector<double>> values_;
  std::vector<display::Mark> marks_;
  struct Path {
    std::string frame;
    std::array<std::vector<double>, 3> p;  // x, y, z in the world
  };
  std::vector<Path> paths_;
  double length_ = 0.0, time_ = 1.0;  // [m, s]; length 0: nothing is known
};

}  // namespace tactus::apps
