#include <tactus/display/svg_plot.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <tactus/display/plot/axis.h>
#include <tactus/display/plot/canvas.h>
#include <tactus/display/plot/curve.h>
#include <tactus/display/plot/still.h>

namespace tactus::display {

namespace {

using namespace plot;

// The layout, in pixels.
constexpr double kMargin = 18, kPlotWidth = 640, kTitle = 44, kPanelHeight = 180, kPathHeight = 320,
                 kLevelHeight = 34;
constexpr double kLabel = 22;  // above a panel: its label
constexpr double kGap = 16;    // below a panel
constexpr double kAxis = 44;   // below the last panel: numbers and label of the horizontal axis
constexpr double kLegendLine = 17, kKeyWidth = 22;  // of a legend: a line of it, a piece of curve
constexpr double kLegendLeast = 90, kLegendMost = 300;
constexpr double kEventRow = 16, kStillRow = 20;
// Names beyond this many are counted instead of listed.
constexpr std::size_t kMostLegendLines = 10;

/// Where a panel's frame is.
struct Box {
  double left = 0.0, top = 0.0, width = 0.0, height = 0.0;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// "q1", or "q1 = 0" where it does not change.
std::string legend_of(const Panel& panel, const Series& series) {
  const bool still = !panel.is_path() && range_of(series.y).is_constant(scale_of(panel));
  return still ? fmt::format("{} = {}", series.name, value_text(panel, series)) : series.name;
}

std::size_t legend_lines(const Panel& panel) { return std::min(panel.series.size(), kMostLegendLines); }

/// The figure in parts: panels over the common axis, paths, and what is written as words.
struct Parts {
  std::vector<const Panel*> over_x, paths, still;
};

Parts parts_of(const Figure& figure) {
  Parts parts;
  for (const Panel& panel : figure.panels) {
    if (is_still(panel))
      parts.still.push_back(&panel);
    else
      (panel.is_path() ? parts.paths : parts.over_x).push_back(&panel);
  }
  return parts;
}

/// The marks by kinds, in the order in which these first appear.
struct MarkedKind {
  std::string name;
  std::vector<double> places;
};

std::vector<MarkedKind> marks_by_kind(const Figure& figure, const Range& xs) {
  std::vector<MarkedKind> kinds;
  for (const Mark& mark : figure.marks) {
    if (!(mark.x >= xs.low && mark.x <= xs.high)) continue;
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == mark.kind; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {mark.kind, {}});
    kind->places.push_back(mark.x);
  }
  return kinds;
}

/// A panel's vertical axis.
struct VerticalAxis {
  Range range;
  std::vector<Tick> ticks;
};

VerticalAxis vertical_axis(const Panel& panel) {
  VerticalAxis axis;
  if (!panel.levels.empty()) {
    axis.range = {-0.5, static_cast<double>(panel.levels.size()) - 0.5};
    axis.ticks = named_ticks(panel.levels);
    return axis;
  }
  for (const Series& series : panel.series)
    for (const double y : series.y) axis.range.include(y);
  axis.range = axis.range.widened(0.06);
  axis.ticks = ticks_of(axis.range, 5, panel.whole);
  return axis;
}

double height_of(const Panel& panel) {
  if (panel.levels.empty()) return kPanelHeight;
  return std::max(kLevelHeight * static_cast<double>(panel.levels.size()),
                  kLegendLine * static_cast<double>(legend_lines(panel)) + 8);
}

/// The axes of a path, to one scale: [m] per pixel.
struct Plane {
  Range xs, ys;
  double height = 0.0;
};

Plane plane_of(const Panel& panel) {
  Range xs, ys;
  for (const Series& series : panel.series) {
    for (const double x : series.x) xs.include(x);
    for (const double y : series.y) ys.include(y);
  }
  constexpr double kRoom = 1.12, kLeastHeight = 0.4;  // around the path; of the largest height
  const double width = std::max(kRoom * xs.span(), 1e-12), height = std::max(kRoom * ys.span(), 1e-12);
  const double scale = std::max(width / kPlotWidth, height / kPathHeight);
  Plane plane;
  plane.height = std::max({height / scale, kLeastHeight * kPathHeight,
                           kLegendLine * static_cast<double>(legend_lines(panel) + 2)});
  const double x = 0.5 * (xs.low + xs.high), y = 0.5 * (ys.low + ys.high);
  plane.xs = {x - 0.5 * kPlotWidth * scale, x + 0.5 * kPlotWidth * scale};
  plane.ys = {y - 0.5 * plane.height * scale, y + 0.5 * plane.height * scale};
  return plane;
}

class Drawing {
 public:
  explicit Drawing(const Figure& figure) : figure_(figure), parts_(parts_of(figure)) {
    for (const Panel& panel : figure.panels)
      if (!panel.is_path())
        for (const Series& series : panel.series)
          for (const double x : series.x) xs_.include(x);
    xs_ = xs_.widened(0.0);
    kinds_ = marks_by_kind(figure, xs_);
    double ticks = 0.0, legend = kLegendLeast;
    for (const Panel* panel : parts_.over_x) {
      axes_.push_back(vertical_axis(*panel));
      for (const Tick& tick : axes_.back().ticks) ticks = std::max(ticks, width_of(tick.text));
    }
    for (const Panel* panel : parts_.paths)
      for (const Tick& tick : ticks_of(plane_of(*panel).ys, 5)) ticks = std::max(ticks, width_of(tick.text));
    for (const auto* panels : {&parts_.over_x, &parts_.paths})
      for (const Panel* panel : *panels)
        for (std::size_t i = 0; i < legend_lines(*panel); ++i)
          legend = std::max(legend, width_of(legend_of(*panel, panel->series[i])));
    for (const MarkedKind& kind : kinds_) legend = std::max(legend, width_of(name_of(kind)));
    left_ = kMargin + ticks + 8;
    legend_ = std::min(legend, kLegendMost);
  }

  std::string svg() {
    const double width = left_ + kPlotWidth + 14 + kKeyWidth + 6 + legend_ + kMargin;
    canvas_.text("start", left_, 28, fitted(figure_.title, (width - left_ - kMargin) * kLetters / 18.0),
                 "title");
    top_ = kTitle - 6;
    draw_events();
    for (std::size_t i = 0; i < parts_.over_x.size(); ++i) draw_over_x(*parts_.over_x[i], axes_[i]);
    if (!boxes_.empty()) draw_common_axis();
    for (const Panel* panel : parts_.paths) draw_path(*panel);
    for (const Panel* panel : parts_.still) {
      top_ += kStillRow;
      canvas_.text("start", left_, top_ - 6, panel->label, "label");
      const double from = left_ + 1.1 * width_of(panel->label) + 12;
      canvas_.text("start", from, top_ - 6, in_words(*panel, width - from - kMargin));
    }
    return canvas_.document(width, top_ + kMargin);
  }

 private:
  static std::string name_of(const MarkedKind& kind) {
    return fmt::format("{} ({})", kind.name, kind.places.size());
  }

  double x_of(double value) const { return left_ + kPlotWidth * xs_.share(value); }

  /// [px] Where a kind of marks is, each pixel once.
  std::vector<double> columns_of(const MarkedKind& kind) const {
    std::vector<double> columns;
    for (const double place : kind.places) columns.push_back(std::round(x_of(place)));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    return columns;
  }

  /// The next panel: its label is written, its box and grid are drawn.
  Box begin(const Panel& panel, double height, const Range& ys, const std::vector<Tick>& y_ticks,
            const Range& xs, const std::vector<Tick>& x_ticks) {
    canvas_.text("start", left_, top_ + kLabel - 7, panel.label, "label");
    const Box box{left_, top_ + kLabel, kPlotWidth, height};
    for (const Tick& tick : y_ticks) {
      const double y = box.bottom() - box.height * ys.share(tick.value);
      canvas_.line("grid", box.left, y, box.right(), y);
      canvas_.text("end", box.left - 8, y + 4, tick.text);
    }
    for (const Tick& tick : x_ticks) {
      const double x = box.left + box.width * xs.share(tick.value);
      canvas_.line("grid", x, box.top, x, box.bottom());
    }
    canvas_.frame(box.left, box.top, box.width, box.height);
    top_ = box.bottom() + kGap;
    return box;
  }

  void draw_events() {
    if (kinds_.empty()) return;
    canvas_.text("start", left_, top_ + kLabel - 7, "events", "label");
    const Box box{left_, top_ + kLabel, kPlotWidth, kEventRow * static_cast<double>(kinds_.size()) + 4};
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const double y = box.top + 2 + kEventRow * (static_cast<double>(k) + 0.5);
      for (const double x : columns_of(kinds_[k])) canvas_.sign(k, x, y);
      canvas_.sign(k, box.right() + 14 + 0.5 * kKeyWidth, y);
      canvas_.fitted_text(box.right() + 14 + kKeyWidth + 6, y + 4, legend_, name_of(kinds_[k]));
    }
    canvas_.frame(box.left, box.top, box.width, box.height);
    boxes_.push_back(box);
    top_ = box.bottom() + 0.5 * kGap;
  }

  void draw_marks(const Box& box) {
    for (std::size_t k = 0; k < kinds_.size(); ++k)
      for (const double x : columns_of(kinds_[k])) canvas_.line(mark_class(k), x, box.top, x, box.bottom());
  }

  void draw_over_x(const Panel& panel, const VerticalAxis& axis) {
    const Box box = begin(panel, height_of(panel), axis.range, axis.ticks, xs_, ticks_of(xs_, 8));
    boxes_.push_back(box);
    draw_marks(box);
    const double count = static_cast<double>(panel.series.size());
    const double apart =
        panel.levels.empty()
            ? 0.0
            : std::min(3.0, 0.6 * box.height / static_cast<double>(panel.levels.size()) / count);
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const double aside = apart * (static_cast<double>(i) - 0.5 * (count - 1.0));
      canvas_.path(curve_class(i),
                   curve_over_x(
                       panel.series[i], [&](double x) { return x_of(x); },
                       [&](double y) { return box.bottom() - box.height * axis.range.share(y) + aside; }));
    }
    draw_legend(panel, box);
  }

  void draw_legend(const Panel& panel, const Box& box) {
    const double x = box.right() + 14, text = x + kKeyWidth + 6;
    double y = box.top + 10;
    for (std::size_t i = 0; i < legend_lines(panel); ++i, y += kLegendLine) {
      if (i + 1 == kMostLegendLines && panel.series.size() > kMostLegendLines) {
        canvas_.text("start", text, y + 4, fmt::format("and {} more", panel.series.size() - i));
        continue;
      }
      canvas_.line(curve_class(i), x, y, x + kKeyWidth, y);
      canvas_.fitted_text(text, y + 4, legend_, legend_of(panel, panel.series[i]));
    }
  }

  void draw_horizontal_axis(const Box& box, const Range& xs, const std::string& label) {
    for (const Tick& tick : ticks_of(xs, 8))
      canvas_.text("middle", box.left + box.width * xs.share(tick.value), box.bottom() + 17, tick.text);
    canvas_.text("middle", box.left + 0.5 * box.width, box.bottom() + 36, label);
    top_ = box.bottom() + kAxis;
  }

  void draw_common_axis() { draw_horizontal_axis(boxes_.back(), xs_, figure_.x_label); }

  void draw_path(const Panel& panel) {
    const Plane plane = plane_of(panel);
    const Box box =
        begin(panel, plane.height, plane.ys, ticks_of(plane.ys, 5), plane.xs, ticks_of(plane.xs, 8));
    const Scale px = [&](double x) { return box.left + box.width * plane.xs.share(x); };
    const Scale py = [&](double y) { return box.bottom() - box.height * plane.ys.share(y); };
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const Series& series = panel.series[i];
      canvas_.path(curve_class(i), path_in_plane(series, px, py));
      const auto end = [&](std::string_view style, std::size_t k) {
        if (std::isfinite(series.x[k]) && std::isfinite(series.y[k]))
          canvas_.circle(style, px(series.x[k]), py(series.y[k]), 4.0);
      };
      if (series.x.empty() || series.x.size() != series.y.size()) continue;
      end(curve_class(i), 0);
      end(fmt::format("f{}", i % 8), series.x.size() - 1);
    }
    draw_legend(panel, box);
    const double x = box.right() + 14 + 0.5 * kKeyWidth, y = box.bottom() - kLegendLine - 4;
    canvas_.circle("frame", x, y, 4.0);
    canvas_.text("start", x + 0.5 * kKeyWidth + 6, y + 4, "start", "quiet");
    canvas_.circle("end", x, y + kLegendLine, 4.0);
    canvas_.text("start", x + 0.5 * kKeyWidth + 6, y + kLegendLine + 4, "end", "quiet");
    draw_horizontal_axis(box, plane.xs, panel.x_label);
  }

  const Figure& figure_;
  const Parts parts_;
  Range xs_;
  std::vector<MarkedKind> kinds_;
  std::vector<VerticalAxis> axes_;  // of parts_.over_x
  double left_ = 0.0, legend_ = 0.0, top_ = 0.0;
  std::vector<Box> boxes_;  // over the common axis
  Canvas canvas_;
};

}  // namespace

std::string to_svg(const Figure& figure) { return Drawing(figure).svg(); }

}  // namespace tactus::display
