#include <tactus/display/plot/axis.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace tactus::display {

std::vector<double> nice_ticks(double low, double high, int count) {
  const double raw = (high - low) / std::max(1, count);
  if (!(raw > 0.0) || !std::isfinite(raw)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double mantissa = raw / power;
  const double spacing = power * (mantissa < 1.5 ? 1.0 : mantissa < 3.0 ? 2.0 : mantissa < 7.0 ? 5.0 : 10.0);
  std::vector<double> ticks;
  const double first = std::ceil(low / spacing - 1e-9), last = std::floor(high / spacing + 1e-9);
  for (double k = first; k <= last; k += 1.0) ticks.push_back(k * spacing);
  return ticks;
}

namespace plot {

namespace {

/// A tick's number, with the digits that its distance to the next one needs.
std::string tick_text(double value, double spacing, double largest) {
  if (std::abs(value) < 1e-9 * spacing) value = 0.0;
  if (largest >= 1e6 || spacing < 1e-5) {
    const int digits = static_cast<int>(std::ceil(std::log10(largest / spacing) - 1e-9)) + 1;
    return fmt::format("{:.{}g}", value, std::clamp(digits, 1, 15));
  }
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(spacing) + 1e-9)));
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

void Range::include(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

double Range::largest() const { return empty() ? 0.0 : std::max(std::abs(low), std::abs(high)); }

bool Range::is_zero(double scale) const { return largest() <= std::max(kRounding, kConstant * scale); }

bool Range::is_constant(double scale) const {
  return empty() || is_zero(scale) || span() <= kConstant * std::max(largest(), scale);
}

Range Range::widened(double part) const {
  if (empty()) return {-1.0, 1.0};
  if (span() <= kConstant * largest()) {
    const double half = high == 0.0 ? 1.0 : 0.5 * largest();
    return {low - half, high + half};
  }
  return {low - part * span(), high + part * span()};
}

Range range_of(const std::vector<double>& values) {
  Range range;
  for (const double value : values) range.include(value);
  return range;
}

std::vector<Tick> ticks_of(const Range& range, int count, bool whole) {
  std::vector<double> values = nice_ticks(range.low, range.high, count);
  if (whole && values.size() > 1 && values[1] - values[0] < 1.0) {
    values.clear();
    for (double k = std::ceil(range.low); k <= range.high; k += 1.0) values.push_back(k);
  }
  const double spacing = values.size() > 1 ? values[1] - values[0] : std::max(range.span(), 1e-300);
  double largest = spacing;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  std::vector<Tick> ticks;
  for (const double value : values) ticks.push_back({value, tick_text(value, spacing, largest)});
  return ticks;
}

std::vector<Tick> named_ticks(const std::vector<std::string>& names) {
  std::vector<Tick> ticks;
  for (std::size_t k = 0; k < names.size(); ++k) ticks.push_back({static_cast<double>(k), names[k]});
  return ticks;
}

}  // namespace plot

}  // namespace tactus::display
