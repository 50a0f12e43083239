#include <tactus/display/plot/still.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include <tactus/display/plot/axis.h>
#include <tactus/display/plot/canvas.h>

namespace tactus::display::plot {

namespace {

/// What a series has in place of numbers, in words; "" where it has none such.
std::string without_number(const std::vector<double>& values) {
  const bool nan = std::any_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
  const bool infinite = std::any_of(values.begin(), values.end(), [](double x) { return std::isinf(x); });
  if (nan && infinite) return "infinite or not a number";
  return nan ? "not a number" : infinite ? "infinite" : "";
}

std::string value_of(const Panel& panel, const std::vector<double>& values, double scale) {
  const Range range = range_of(values);
  const std::string other = without_number(values);
  if (range.empty()) return other.empty() ? "no value" : other;
  if (!other.empty()) {
    std::vector<double> numbers = values;
    std::erase_if(numbers, [](double x) { return !std::isfinite(x); });
    return value_of(panel, numbers, scale) + ", at times " + other;
  }
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
  double scale = panel.noise / kConstant;
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
  return value_of(panel, series.y, scale_of(panel));
}

std::string in_words(const Panel& still, double width) {
  const double scale = scale_of(still);
  double largest = 0.0;
  std::vector<std::string> names, values, others;  // of series that are numbers; all; those that are not
  for (const Series& series : still.series) {
    largest = std::max(largest, range_of(series.y).largest());
    const std::string y = value_of(still, series.y, scale);
    const std::string other = without_number(series.y);
    if (still.is_path()) {
      values.push_back(fmt::format("{} at ({}, {})", series.name, value_of(still, series.x, scale), y));
    } else if (other.empty() && !series.y.empty()) {
      names.push_back(series.name);
      values.push_back(fmt::format("{} = {}", series.name, y));
    } else {
      values.push_back(fmt::format("{} = {}", series.name, y));
      others.push_back(values.back());
    }
  }
  if (values.empty()) return "nothing";
  if (still.is_path() || largest > std::max(kRounding, still.noise))
    return listed("constant:", values, width);
  if (names.empty()) return listed("no numbers:", others, width);
  std::string text = still.levels.empty() ? "zero all the time" : still.levels[0] + " all the time";
  if (still.levels.empty() && largest > 0.0) text += fmt::format(" (largest {:.1e})", largest);
  text = listed(text + ":", names, others.empty() ? width : 0.5 * width);
  return others.empty() ? text : text + listed(";", others, width - width_of(text));
}

}  // namespace tactus::display::plot
