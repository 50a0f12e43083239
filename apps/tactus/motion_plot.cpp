#include "motion_plot.h"

#include <algorithm>

namespace tactus::apps {

using simulate::Column;

MotionPlot::MotionPlot(const std::vector<Column>& columns, long rows)
    : columns_(columns), stride_(std::max(1L, rows / 20'000)), values_(columns.size()) {}

void MotionPlot::add(const std::vector<double>& row, bool is_last) {
  if (count_++ % stride_ != 0 && !is_last) return;
  for (std::size_t i = 0; i < row.size(); ++i) values_[i].push_back(row[i]);
}

bool MotionPlot::is_flat_zero(std::size_t column) const {
  return std::all_of(values_[column].begin(), values_[column].end(), [](double x) { return x == 0.0; });
}

display::Figure MotionPlot::figure(const std::string& title) const {
  display::Figure figure{title, "t [s]", {}, marks_};
  enum class Where { always, nonzero };  // nonzero: only series that are not zero all the time
  const auto add = [&](Column::Kind kind, const std::string& unit, const std::string& label,
                       Where where = Where::always) {
    display::Panel panel{label, {}};
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == kind && columns_[i].unit == unit &&
          (where == Where::always || !is_flat_zero(i)))
        panel.series.push_back({columns_[i].name, values_[0], values_[i]});
    if (!panel.series.empty()) figure.panels.push_back(std::move(panel));
  };
  const auto any = [&](Column::Kind kind) {
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == kind && !is_flat_zero(i)) return true;
    return false;
  };
  using Kind = Column::Kind;
  add(Kind::coordinate, "rad", "angles [rad]");
  add(Kind::coordinate, "m", "positions [m]");
  add(Kind::coordinate, "", "quaternions");
  add(Kind::speed, "rad/s", "speeds [rad/s]");
  add(Kind::speed, "m/s", "speeds [m/s]");
  add(Kind::speed, "", "speeds");
  if (any(Kind::effort)) {
    add(Kind::effort, "N m", "torques [N m]");
    add(Kind::effort, "N", "forces [N]");
  }
  add(Kind::frame, "m", "frames [m]");
  add(Kind::gap, "m", "gaps [m]");
  if (!any(Kind::mode)) add(Kind::count, "", "contacts", Where::nonzero);
  add(Kind::mode, "", "0 apart, 1 sliding, 2 sticking", Where::nonzero);
  add(Kind::contact_force, "N", "contact [N]", Where::nonzero);
  add(Kind::stop_force, "", "stops [N, N m]", Where::nonzero);
  add(Kind::energy, "J", "energy [J]");
  add(Kind::loss, "J", "losses [J]", Where::nonzero);
  add(Kind::switched, "", "1 on, 0 off");
  add(Kind::error, "", "constraint errors [m, rad; m/s, rad/s]");
  add(Kind::reaction, "", "multipliers [N, N m]");
  return figure;
}

}  // namespace tactus::apps
