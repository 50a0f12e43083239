// A map as an SVG picture: panels below each other, cells of three kinds, and lines over them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/display/svg_plot.h>

namespace tactus::studies {

struct MapPanel {
  std::string label, x_label, y_label;
  bool log_x = false, log_y = false;  // the numbers below are decimal logarithms
  double x_low = 0.0, x_high = 1.0, y_low = 0.0, y_high = 1.0;
  double width = 0.1, height = 0.1;  // of a cell
  struct Cell {
    double x = 0.0, y = 0.0;  // of its middle
    int kind = 0;             // 0, 1, 2
  };
  std::vector<Cell> cells;
  struct Line {
    std::string name;
    std::vector<std::array<double, 2>> at;
  };
  std::vector<Line> lines;
};

/// Round numbers; 1, 2 and 5 times powers of ten where logarithms are drawn.
inline std::vector<double> map_ticks(double low, double high, bool logarithms) {
  constexpr int kAbout = 6;
  std::vector<double> at;
  if (!logarithms) {
    for (const double v : display::nice_ticks(low, high, kAbout))
      if (v >= low && v <= high) at.push_back(std::fabs(v) < 1e-12 * (high - low) ? 0.0 : v);
    return at;
  }
  for (int decade = static_cast<int>(std::floor(low)); decade <= high; ++decade)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double v = decade + std::log10(digit); v >= low - 1e-9 && v <= high + 1e-9) at.push_back(v);
  return at;
}

inline std::string map_svg(const std::string& title, const std::array<std::string, 3>& kinds,
                           const std::vector<MapPanel>& panels) {
  constexpr double kWide = 560.0, kTall = 240.0, kLeft = 76.0, kTop = 60.0, kGap = 70.0, kLegend = 250.0;
  constexpr std::array<const char*, 3> kFill{"#d9ead3", "#fce0a6", "#e6a3a0"},
      kStroke{"#1f4e9e", "#7a1f7a", "#0b6b53"};
  const double height = kTop + static_cast<double>(panels.size()) * (kTall + kGap);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n<text x=\"{2:g}\" y=\"24\" "
      "font-size=\"15\">{3}</text>\n",
      kLeft + kWide + kLegend, height, kLeft, title);
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const MapPanel& panel = panels[p];
    const double top = kTop + static_cast<double>(p) * (kTall + kGap);
    const auto x = [&](double v) { return kLeft + kWide * (v - panel.x_low) / (panel.x_high - panel.x_low); };
    const auto y = [&](double v) { return top + kTall * (panel.y_high - v) / (panel.y_high - panel.y_low); };
    svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\">{}</text>\n", kLeft, top - 6.0, panel.label);
    for (const MapPanel::Cell& cell : panel.cells)
      svg += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\" "
          "stroke=\"white\"/>\n",
          x(cell.x - 0.5 * panel.width), y(cell.y + 0.5 * panel.height),
          kWide * panel.width / (panel.x_high - panel.x_low),
          kTall * panel.height / (panel.y_high - panel.y_low),
          kFill[static_cast<std::size_t>(std::clamp(cell.kind, 0, 2))]);
    for (std::size_t l = 0; l < panel.lines.size(); ++l) {
      std::string points;
      for (const auto& [u, v] : panel.lines[l].at)
        if (u >= panel.x_low && u <= panel.x_high && v >= panel.y_low && v <= panel.y_high)
          points += fmt::format("{:.1f},{:.1f} ", x(u), y(v));
      svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", points,
                         kStroke[l % kStroke.size()]);
    }
    svg += fmt::format(
        "<rect x=\"{:g}\" y=\"{:g}\" width=\"{:g}\" height=\"{:g}\" fill=\"none\" stroke=\"black\"/>\n",
        kLeft, top, kWide, kTall);
    for (const double u : map_ticks(panel.x_low, panel.x_high, panel.log_x))
      svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{:.6g}</text>\n", x(u),
                         top + kTall + 15.0, panel.log_x ? std::pow(10.0, u) : u);
    for (const double v : map_ticks(std::max(0.0, panel.y_low), panel.y_high, panel.log_y))
      svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"end\">{:.6g}</text>\n", kLeft - 5.0,
                         y(v) + 4.0, panel.log_y ? std::pow(10.0, v) : v);
    svg += fmt::format("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"middle\">{}</text>\n", kLeft + 0.5 * kWide,
                       top + kTall + 31.0, panel.x_label);
    svg += fmt::format(
        "<text x=\"{0:g}\" y=\"{1:g}\" text-anchor=\"middle\" transform=\"rotate(-90 {0:g} "
        "{1:g})\">{2}</text>\n",
        16.0, top + 0.5 * kTall, panel.y_label);
    double line = top + 14.0;
    const double right = kLeft + kWide + 14.0;
    for (std::size_t k = 0; k < kinds.size(); ++k, line += 18.0)
      svg += fmt::format(
          "<rect x=\"{:g}\" y=\"{:g}\" width=\"12\" height=\"12\" fill=\"{}\"/><text x=\"{:g}\" "
          "y=\"{:g}\">{}</text>\n",
          right, line - 10.0, kFill[k], right + 18.0, line, kinds[k]);
    for (std::size_t l = 0; l < panel.lines.size(); ++l, line += 18.0)
      svg += fmt::format(
          "<path d=\"M{:g} {:g}h12\" stroke=\"{}\" stroke-width=\"2\"/><text x=\"{:g}\" "
          "y=\"{:g}\">{}</text>\n",
          right, line - 4.0, kStroke[l % kStroke.size()], right + 18.0, line, panel.lines[l].name);
  }
  return svg + "</svg>\n";
}

}  // namespace tactus::studies
