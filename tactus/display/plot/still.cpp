#include <tactus/display/plot/still.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <tactus/display/plot/axis.h>
#include <tactus/display/plot/canvas.h>

namespace tactus::display::plot {

namespace {

std::string value_of(const Panel& panel, const Range& range, double scale) {
  if (range.empty()) return "no value";
  const double value = 0.5 * (range.low + range.high);
  const auto level = static_cast<std::size_t>(std::max(0.0, value));
  if (!panel.levels.empty() && value == std::round(value) && level < panel.levels.size())
    return panel.levels[level];
  return range.is_zero(scale) ? "0" : fmt::format("{:.6g}", value);
}

/// As many of the words as there is room for, the others counted.
std::string listed(std::string text, const std::vector<std::string>& words, double width) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string next = (i == 0 ? " " : ", ") + words[i];
    const std::string rest = fmt::format(" and {} more", words.size() - i);
    const bool last = i + 1 == words.size();
    if (i > 0 && width_of(text + next) + (last ? 0.0 : width_of(rest)) > width) return text + rest;
    text += next;
  }
  return text;
}

}  // namespace

double scale_of(const Panel& panel) {
  double scale = 0.0;
  for (const Series& series : panel.series) {
    scale = std::max(scale, range_of(series.y).largest());
    if (panel.is_path()) scale = std::max(scale, range_of(series.x).largest());
  }
  return scale;
}

bool is_still(const Panel& panel) {
  const double scale = scale_of(panel);
  return std::all_of(panel.series.begin(), panel.series.end(), [&](const Series& series) {
    return range_of(series.y).is_constant(scale) &&
           (!panel.is_path() || range_of(series.x).is_constant(scale));
  });
}

std::string value_text(const Panel& panel, const Series& series) {
  return value_of(panel, range_of(series.y), scale_of(panel));
}

std::string in_words(const Panel& still, double width) {
  const double scale = scale_of(still);
  std::vector<std::string> names, values;
  for (const Series& series : still.series) {
    names.push_back(series.name);
    const std::string y = value_of(still, range_of(series.y), scale);
    if (still.is_path())
      values.push_back(
          fmt::format("{} at ({}, {})", series.name, value_of(still, range_of(series.x), scale), y));
    else
      values.push_back(fmt::format("{} = {}", series.name, y));
  }
  if (names.empty()) return "nothing";
  if (still.is_path() || scale > kRounding) return listed("constant:", values, width);
  if (!still.levels.empty()) return listed(still.levels[0] + " all the time:", names, width);
  const std::string zero =
      scale > 0.0 ? fmt::format("zero all the time (largest {:.1e}):", scale) : "zero all the time:";
  return listed(zero, names, width);
}

}  // namespace tactus::display::plot
