// Columns of numbers, written as CSV and drawn as a figure.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/output_file.h>
#include <tactus/display/svg_plot.h>
#include <tactus/study/study.h>

namespace tactus::studies {

class Record {
 public:
  explicit Record(std::vector<std::string> names) : names_(std::move(names)), columns_(names_.size()) {}

  void add(const std::vector<double>& row) {
    for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k].push_back(row[k]);
  }

  const std::vector<double>& column(const std::string& name) const {
    for (std::size_t k = 0; k < names_.size(); ++k)
      if (names_[k] == name) return columns_[k];
    throw std::out_of_range("no column " + name);
  }

  void write_csv(const study::Context& context, const std::string& file) const {
    std::string text = fmt::format("{}\n", fmt::join(names_, ","));
    for (std::size_t row = 0; row < columns_.front().size(); ++row) {
      for (std::size_t k = 0; k < columns_.size(); ++k)
        text += (k == 0 ? "" : ",") + fmt::format("{:.17g}", columns_[k][row]);
      text += "\n";
    }
    write_file((context.out / file).string(), text);
  }

  /// One panel per entry: its label, and the columns in it, over the first column. In legends names have spaces
  /// for underscores.
  struct Panel {
    std::string label;
    std::vector<std::string> columns;
    std::vector<std::string> levels{};  // names of 0, 1, ...
    /// A path in a plane, both axes to the same scale: over this column, with this label.
    std::string over{}, over_label{};
  };
  void write_svg(const study::Context& context, const std::string& file, const std::string& title,
                 const std::vector<Panel>& panels, std::vector<display::Mark> marks = {},
                 const std::string& x_label = "t [s]") const {
    display::Figure figure{title, x_label, {}, std::move(marks)};
    for (const Panel& panel : panels) {
      display::Panel drawn{panel.label, {}};
      drawn.levels = panel.levels;
      drawn.x_label = panel.over_label;
      for (const std::string& name : panel.columns) {
        std::string shown = name;
        std::replace(shown.begin(), shown.end(), '_', ' ');
        drawn.series.push_back(
            {shown, panel.over.empty() ? columns_.front() : column(panel.over), column(name)});
      }
      figure.panels.push_back(std::move(drawn));
    }
    write_file((context.out / file).string(), display::to_svg(figure));
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::vector<double>> columns_;
};

}  // namespace tactus::studies
