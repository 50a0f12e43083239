#include <tactus/display/plot/curve.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace tactus::display::plot {

namespace {

class Pen {
 public:
  void go(double x, double y) {
    fmt::format_to(std::back_inserter(path_), "{}{:.1f} {:.1f}", down_ ? "L" : "M", x, y);
    down_ = true;
  }
  void lift() { down_ = false; }
  bool is_down() const { return down_; }
  std::string take() { return std::move(path_); }

 private:
  std::string path_;
  bool down_ = false;
};

}  // namespace

std::string curve_over_x(const Series& series, const Scale& px, const Scale& py) {
  Pen pen;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count;) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
      pen.lift();
      ++i;
      continue;
    }
    const double column = std::floor(px(series.x[i]));
    std::size_t last = i, lowest = i, highest = i;
    while (last + 1 < count && std::isfinite(series.y[last + 1]) &&
           std::floor(px(series.x[last + 1])) == column) {
      ++last;
      if (series.y[last] < series.y[lowest]) lowest = last;
      if (series.y[last] > series.y[highest]) highest = last;
    }
    std::array<std::size_t, 4> kept{i, lowest, highest, last};
    std::sort(kept.begin(), kept.end());
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (k == 0 || kept[k] != kept[k - 1]) pen.go(px(series.x[kept[k]]), py(series.y[kept[k]]));
    i = last + 1;
  }
  return pen.take();
}

std::string path_in_plane(const Series& series, const Scale& px, const Scale& py) {
  constexpr double kNear = 0.1;  // [px]
  Pen pen;
  double x = 0.0, y = 0.0;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
      pen.lift();
      continue;
    }
    const double next_x = px(series.x[i]), next_y = py(series.y[i]);
    if (pen.is_down() && std::hypot(next_x - x, next_y - y) < kNear) continue;
    pen.go(x = next_x, y = next_y);
  }
  return pen.take();
}

}  // namespace tactus::display::plot
