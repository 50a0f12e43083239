// Poses of a planar chain as an SVG picture: the first in black, later ones in grey, and the hand where it is
// at first. Panels stand beside each other, all axes to one scale.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/display/svg_plot.h>

namespace tactus::studies::constantinescu {

using PlanarPoint = std::array<double, 2>;     // [m]
using ChainPose = std::array<PlanarPoint, 4>;  // base, the two joints between links, tip

struct ChainPanel {
  std::string label;
  std::vector<ChainPose> poses;  // the first one is drawn last, in black
  PlanarPoint held{}, hand{};    // at first
};

inline std::string chain_svg(const std::string& title, const std::string& later,
                             const std::vector<ChainPanel>& panels) {
  constexpr double kWide = 380.0, kLeft = 62.0, kTop = 76.0, kGap = 70.0, kBottom = 52.0, kLegend = 190.0,
                   kRoom = 0.08, kTick = 0.02;  // [px]; of the range; [m]
  PlanarPoint low = panels.front().hand, high = low;
  for (const ChainPanel& panel : panels) {
    const auto include = [&](const PlanarPoint& at) {
      for (std::size_t i = 0; i < 2; ++i) {
        low[i] = std::min(low[i], at[i]);
        high[i] = std::max(high[i], at[i]);
      }
    };
    include(panel.hand);
    for (const ChainPose& pose : panel.poses) std::for_each(pose.begin(), pose.end(), include);
  }
  for (std::size_t i = 0; i < 2; ++i) {
    const double room = kRoom * (high[i] - low[i]);
    low[i] -= room;
    high[i] += room;
  }
  const double scale = kWide / (high[0] - low[0]), tall = scale * (high[1] - low[1]);  // [px/m], [px]
  const double count = static_cast<double>(panels.size());
  const double right = kLeft + count * (kWide + kGap), bottom = kTop + tall;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2:g}\" y=\"26\" font-size=\"15\">{3}</text>\n",
      right + kLegend, bottom + kBottom, kLeft, title);
  const auto ticks = [&](std::size_t axis) {
    std::vector<double> at;
    for (const double v :
         display::nice_ticks(low[axis], high[axis], static_cast<int>((high[axis] - low[axis]) / kTick)))
      if (v >= low[axis] && v <= high[axis]) at.push_back(std::fabs(v) < 1e-9 ? 0.0 : v);
    return at;
  };
  const auto line = [&](double x1, double y1, double x2, double y2, const char* color, double width) {
    svg += fmt::format("<path d=\"M{:.2f} {:.2f}L{:.2f} {:.2f}\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n", x1,
                       y1, x2, y2, color, width);
  };
  const auto text = [&](double x, double y, const char* anchor, const std::string& words) {
    svg += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  };
  constexpr const char *kFirst = "black", *kLater = "#a8a8a8", *kGrid = "#e4e4e4", *kHand = "#d55e00";
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const ChainPanel& panel = panels[p];
    const double left = kLeft + static_cast<double>(p) * (kWide + kGap);
    const auto px = [&](double x) { return left + scale * (x - low[0]); };
    const auto py = [&](double y) { return bottom - scale * (y - low[1]); };
    text(left, kTop - 12, "start", panel.label);
    for (const double v : ticks(0)) {
      line(px(v), kTop, px(v), bottom, kGrid, 1.0);
      text(px(v), bottom + 17, "middle", fmt::format("{:g}", v));
    }
    for (const double v : ticks(1)) {
      line(left, py(v), left + kWide, py(v), kGrid, 1.0);
      text(left - 6, py(v) + 4, "end", fmt::format("{:g}", v));
    }
    text(left + 0.5 * kWide, bottom + 38, "middle", "x [m]");
    text(left - 6, kTop - 12, "end", "y [m]");
    for (std::size_t k = panel.poses.size(); k-- > 0;) {
      const ChainPose& pose = panel.poses[k];
      const char* const color = k == 0 ? kFirst : kLater;
      for (std::size_t i = 0; i < pose.size(); ++i) {
        if (i > 0)
          line(px(pose[i - 1][0]), py(pose[i - 1][1]), px(pose[i][0]), py(pose[i][1]), color,
               k == 0 ? 3.0 : 1.6);
        svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"{}\"/>\n", px(pose[i][0]),
                           py(pose[i][1]), k == 0 ? 4.0 : 2.5, color);
      }
    }
    svg += fmt::format(
        "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"5\" fill=\"white\" stroke=\"black\" "
        "stroke-width=\"1.5\"/>\n",
        px(panel.held[0]), py(panel.held[1]));
    svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"{}\"/>\n", px(panel.hand[0]),
                       py(panel.hand[1]), kHand);
  }
  const double key = right - kGap + 18, words = key + 30;
  line(key, kTop + 10, key + 22, kTop + 10, kFirst, 3.0);
  text(words, kTop + 14, "start", "at first");
  line(key, kTop + 30, key + 22, kTop + 30, kLater, 1.6);
  text(words, kTop + 34, "start", later);
  svg += fmt::format(
      "<circle cx=\"{:g}\" cy=\"{:g}\" r=\"5\" fill=\"white\" stroke=\"black\" stroke-width=\"1.5\"/>\n",
      key + 11, kTop + 50);
  text(words, kTop + 54, "start", "held point (VM), at first");
  svg += fmt::format("<circle cx=\"{:g}\" cy=\"{:g}\" r=\"4\" fill=\"{}\"/>\n", key + 11, kTop + 70, kHand);
  text(words, kTop + 74, "start", "hand (HD), at first");
  return svg + "</svg>\n";
}

}  // namespace tactus::studies::constantinescu
