#include <tactus/display/svg_plot.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <string_view>

#include <fmt/format.h>

namespace tactus::display {

namespace {

// The layout, in pixels.
constexpr double kWidth = 920, kLeft = 84, kRight = 190, kTop = 48, kPanelHeight = 190, kGap = 26,
                 kBottom = 56;
constexpr double kPlotWidth = kWidth - kLeft - kRight;
constexpr double kLegendLine = 17;
// Colours that stay apart for colour-blind readers too (after Okabe and Ito), then dashed in the second
// round.
constexpr std::array<std::string_view, 8> kColors{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#7a5195", "#444444"};
// Kinds of marks, in the order in which they first appear.
constexpr std::array<std::string_view, 6> kMarkColors{"#d55e00", "#009e73", "#0072b2",
                                                      "#cc79a7", "#e69f00", "#444444"};
// Names beyond this many are counted instead of listed.
constexpr std::size_t kMostLegendLines = 10;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Never empty, never a single point.
  Range widened(double part) const {
    if (!(low <= high)) return {-1.0, 1.0};
    const double span = high - low;
    // A series that is constant to rounding is drawn as a line, not as magnified noise.
    const double floor = 1e-9 * std::max(std::abs(low), std::abs(high));
    if (span <= floor) {
      const double half = std::max(0.5 * std::abs(high), high == 0.0 ? 1.0 : 1e-12);
      return {low - half, high + half};
    }
    return {low - part * span, high + part * span};
  }
};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// A tick's number, with the digits that its distance to the next one needs.
std::string tick_text(double value, double spacing) {
  if (std::abs(value) < 1e-9 * spacing) value = 0.0;
  const double largest = std::max(std::abs(value), spacing);
  if (largest >= 1e6 || spacing < 1e-5) return fmt::format("{:.4g}", value);
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(spacing) + 1e-9)));
  return fmt::format("{:.{}f}", value, digits);
}

/// Points of a path: where several fall into one pixel column only the first, lowest, highest and last are
/// kept.
std::string path_of(const Series& series, const Range& xs, const Range& ys, double top) {
  const auto px = [&](double x) { return kLeft + kPlotWidth * (x - xs.low) / (xs.high - xs.low); };
  const auto py = [&](double y) { return top + kPanelHeight * (ys.high - y) / (ys.high - ys.low); };
  std::string path;
  bool pen_down = false;
  const auto draw = [&](std::size_t i) {
    fmt::format_to(std::back_inserter(path), "{}{:.2f} {:.2f}", pen_down ? "L" : "M", px(series.x[i]),
                   py(series.y[i]));
    pen_down = true;
  };
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count;) {
    if (!std::isfinite(series.x[i]) || !std::isfinite(series.y[i])) {
      pen_down = false;
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
      if (k == 0 || kept[k] != kept[k - 1]) draw(kept[k]);
    i = last + 1;
  }
  return path;
}

void add_line(std::string& svg, std::string_view attributes, double x1, double y1, double x2, double y2) {
  fmt::format_to(std::back_inserter(svg),
                 "<line {} x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>\n", attributes, x1, y1,
                 x2, y2);
}

void add_text(std::string& svg, std::string_view anchor, double x, double y, std::string_view text) {
  fmt::format_to(std::back_inserter(svg), "<text x=\"{:.2f}\" y=\"{:.2f}\" text-anchor=\"{}\">{}</text>\n", x,
                 y, anchor, escaped(text));
}

void draw_axes(std::string& svg, const Panel& panel, const Range& xs, const Range& ys, double top,
               bool is_last, const std::string& x_label) {
  const double right = kLeft + kPlotWidth, bottom = top + kPanelHeight;
  const std::vector<double> y_ticks = nice_ticks(ys.low, ys.high, 5),
                            x_ticks = nice_ticks(xs.low, xs.high, 8);
  const auto spacing_of = [](const std::vector<double>& ticks) {
    return ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
  };
  for (const double tick : y_ticks) {
    const double y = top + kPanelHeight * (ys.high - tick) / (ys.high - ys.low);
    add_line(svg, "class=\"grid\"", kLeft, y, right, y);
    add_text(svg, "end", kLeft - 8, y + 4, tick_text(tick, spacing_of(y_ticks)));
  }
  for (const double tick : x_ticks) {
    const double x = kLeft + kPlotWidth * (tick - xs.low) / (xs.high - xs.low);
    add_line(svg, "class=\"grid\"", x, top, x, bottom);
    if (is_last) add_text(svg, "middle", x, bottom + 18, tick_text(tick, spacing_of(x_ticks)));
  }
  if (is_last) add_text(svg, "middle", kLeft + 0.5 * kPlotWidth, bottom + 40, x_label);
  fmt::format_to(std::back_inserter(svg),
                 "<text transform=\"translate(22 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                 0.5 * (top + bottom), escaped(panel.label));
  fmt::format_to(std::back_inserter(svg),
                 "<rect class=\"frame\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", kLeft, top,
                 kPlotWidth, kPanelHeight);
}

void draw_panel(std::string& svg, const Panel& panel, const Range& xs, double top, bool is_last,
                const std::string& x_label) {
  Range ys;
  for (const Series& series : panel.series)
    for (const double y : series.y) ys.include(y);
  ys = ys.widened(0.06);
  draw_axes(svg, panel, xs, ys, top, is_last, x_label);

  const double legend_x = kLeft + kPlotWidth + 14;
  double legend_y = top + 12;
  for (std::size_t i = 0; i < panel.series.size(); ++i, legend_y += kLegendLine) {
    const std::string style = fmt::format("class=\"curve\" stroke=\"{}\"{}", kColors[i % kColors.size()],
                                          i < kColors.size() ? "" : " stroke-dasharray=\"6 3\"");
    fmt::format_to(std::back_inserter(svg), "<path {} d=\"{}\"/>\n", style,
                   path_of(panel.series[i], xs, ys, top));
    if (i >= kMostLegendLines) continue;
    if (i + 1 == kMostLegendLines && panel.series.size() > kMostLegendLines) {
      add_text(svg, "start", legend_x + 28, legend_y + 4,
               fmt::format("and {} more", panel.series.size() - i));
      continue;
    }
    add_line(svg, style, legend_x, legend_y, legend_x + 22, legend_y);
    add_text(svg, "start", legend_x + 28, legend_y + 4, panel.series[i].name);
  }
}

/// The marks of a figure by kinds: where each has its lines, in pixels.
struct MarkedKind {
  std::string name;
  std::vector<double> columns;
};

std::vector<MarkedKind> marks_by_kind(const Figure& figure, const Range& xs) {
  std::vector<MarkedKind> kinds;
  for (const Mark& mark : figure.marks) {
    if (!(mark.x >= xs.low && mark.x <= xs.high)) continue;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == mark.kind; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {mark.kind, {}});
    const double column = kLeft + std::round(kPlotWidth * (mark.x - xs.low) / (xs.high - xs.low));
    if (std::find(kind->columns.begin(), kind->columns.end(), column) == kind->columns.end())
      kind->columns.push_back(column);
  }
  return kinds;
}

/// The lines through all panels, and their names in the upper right corner.
void draw_marks(std::string& svg, const std::vector<MarkedKind>& kinds, std::size_t panels) {
  double legend_x = kWidth - kRight;
  for (std::size_t k = kinds.size(); k-- > 0;) {
    const std::string style =
        fmt::format("class=\"mark\" stroke=\"{}\"", kMarkColors[k % kMarkColors.size()]);
    for (const double x : kinds[k].columns)
      for (std::size_t panel = 0; panel < panels; ++panel) {
        const double top = kTop + static_cast<double>(panel) * (kPanelHeight + kGap);
        add_line(svg, style, x, top, x, top + kPanelHeight);
      }
    constexpr double kLetter = 7.0;
    legend_x -= kLetter * static_cast<double>(kinds[k].name.size()) + 26.0;
    add_line(svg, style, legend_x, 38, legend_x + 14, 38);
    add_text(svg, "start", legend_x + 18, 42, kinds[k].name);
  }
}

}  // namespace

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

std::string to_svg(const Figure& figure) {
  const auto panels = static_cast<double>(figure.panels.size());
  const double height = kTop + panels * kPanelHeight + std::max(0.0, panels - 1.0) * kGap + kBottom;
  Range xs;
  for (const Panel& panel : figure.panels)
    for (const Series& series : panel.series)
      for (const double x : series.x) xs.include(x);
  xs = xs.widened(0.0);

  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<style>text{{font:12px sans-serif;fill:#333}}.title{{font-size:16px;font-weight:bold}}"
      ".grid{{stroke:#e4e4e4;stroke-width:1}}.frame{{fill:none;stroke:#888;stroke-width:1}}"
      ".curve{{fill:none;stroke-width:1.6;stroke-linejoin:round}}"
      ".mark{{stroke-width:1;stroke-dasharray:3 3;opacity:0.6}}</style>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n"
      "<text class=\"title\" x=\"{2}\" y=\"28\">{3}</text>\n",
      kWidth, height, kLeft, escaped(figure.title));
  draw_marks(svg, marks_by_kind(figure, xs), figure.panels.size());
  double top = kTop;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    draw_panel(svg, figure.panels[i], xs, top, i + 1 == figure.panels.size(), figure.x_label);
    top += kPanelHeight + kGap;
  }
  return svg + "</svg>\n";
}

}  // namespace tactus::display
