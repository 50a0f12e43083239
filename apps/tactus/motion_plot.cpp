#include "motion_plot.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace tactus::apps {

using simulate::Column;

namespace {

/// Speeds below this part of what falling through its own size gives a mechanism are what solvers leave of rest.
constexpr double kStill = 1e-7;
/// Errors of constraints below this, by the mechanism's size: they are held to 1e-10 and better.
constexpr double kMet = 1e-9;

}  // namespace

MotionPlot::MotionPlot(const std::vector<Column>& columns, long rows)
    : columns_(columns), stride_(std::max(1L, rows / 20'000)), values_(columns.size()) {}

void MotionPlot::add(const std::vector<double>& row, const std::vector<math::Vec3<double>>& places,
                     bool is_last) {
  if (count_++ % stride_ != 0 && !is_last) return;
  for (std::size_t i = 0; i < row.size(); ++i) values_[i].push_back(row[i]);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) paths_[i].p[k].push_back(places[i][k]);
}

// In the plane of the two world axes along which the paths are longest.
display::Panel MotionPlot::path_panel() const {
  std::array<double, 3> extent{};
  for (const Path& path : paths_)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax_element(path.p[k].begin(), path.p[k].end());
      if (low != path.p[k].end() && *high - *low > extent[k]) extent[k] = *high - *low;
    }
  const auto narrowest =
      static_cast<std::size_t>(std::min_element(extent.rbegin(), extent.rend()).base() - extent.begin() - 1);
  const std::size_t across = narrowest == 0 ? 1 : 0, up = narrowest == 2 ? 1 : 2;
  constexpr std::array<const char*, 3> kAxes{"x", "y", "z"};
  display::Panel panel{.label = fmt::format("paths: {} [m] over {} [m]", kAxes[up], kAxes[across]),
                       .series = {},
                       .x_label = fmt::format("{} [m]", kAxes[across])};
  for (const Path& path : paths_) panel.series.push_back({path.frame, path.p[across], path.p[up]});
  return panel;
}

bool MotionPlot::is_flat_zero(std::size_t column) const {
  return std::all_of(values_[column].begin(), values_[column].end(), [](double x) { return x == 0.0; });
}

display::Figure MotionPlot::figure(const std::string& title) const {
  display::Figure figure{title, "t [s]", {}, marks_};
  using Kind = Column::Kind;
  enum class Where { always, nonzero };  // nonzero: only series that are not zero all the time
  const auto add = [&](Column::Kind kind, const std::string& unit, const std::string& label,
                       Where where = Where::always) {
    display::Panel panel{label, {}};
    if (kind == Kind::mode) panel.levels = {"apart", "sliding", "sticking"};
    if (kind == Kind::switched) panel.levels = {"off", "on"};
    panel.whole = kind == Kind::count;
    if (length_ > 0.0 && kind == Kind::speed) panel.noise = kStill / time_ * (unit == "m/s" ? length_ : 1.0);
    if (length_ > 0.0 && kind == Kind::error) panel.noise = kMet * std::max(length_, 1.0);
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
  std::set<std::string> units;
  for (const Column& column : columns_)
    if (column.kind == Kind::definition && units.insert(column.unit).second)
      add(Kind::definition, column.unit,
          column.unit.empty() ? "definitions" : "definitions [" + column.unit + "]");
  add(Kind::frame, "m", "frames [m]");
  add(Kind::gap, "m", "gaps [m]");
  if (!any(Kind::mode)) add(Kind::count, "", "contacts", Where::nonzero);
  add(Kind::mode, "", "contact", Where::nonzero);
  add(Kind::contact_force, "N", "contact [N]", Where::nonzero);
  add(Kind::stop_force, "", "stops [N, N m]", Where::nonzero);
  add(Kind::energy, "J", "energy [J]");
  add(Kind::loss, "J", "losses [J]", Where::nonzero);
  add(Kind::switched, "", "constraints");
  add(Kind::error, "", "constraint errors [m, rad; m/s, rad/s]");
  add(Kind::reaction, "", "multipliers [N, N m]");
  if (!paths_.empty()) figure.panels.push_back(path_panel());
  return figure;
}

}  // namespace tactus::apps
