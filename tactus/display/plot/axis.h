// Axes: what range is shown, where the ticks are, what they say.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include <tactus/display/svg_plot.h>

namespace tactus::display::plot {

/// A relative change that is rounding: sums of thousands of terms keep twelve digits, and an eye sees three.
inline constexpr double kConstant = 1e-9;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  /// Values that are not finite count for nothing.
  void include(double value);
  bool empty() const { return !(low <= high); }
  double span() const { return high - low; }
  /// Nothing changes but by rounding, or by less than can be seen where the largest value drawn is `scale`.
  bool is_constant(double scale = 0.0) const;
  /// The size of the largest value; 0 where there is none.
  double largest() const;
  /// All values are zero, in the same sense.
  bool is_zero(double scale = 0.0) const;
  /// With room at both ends; never empty, never a single point.
  Range widened(double part) const;
  /// Where a value lies: 0 at the low end, 1 at the high one.
  double share(double value) const { return (value - low) / (high - low); }
};

Range range_of(const std::vector<double>& values);

/// A number at its place on an axis.
struct Tick {
  double value = 0.0;
  std::string text;
};

/// About `count` of them. `whole`: at whole numbers alone.
std::vector<Tick> ticks_of(const Range& range, int count, bool whole = false);
/// One for each name, at 0, 1, ...
std::vector<Tick> named_ticks(const std::vector<std::string>& names);

}  // namespace tactus::display::plot
