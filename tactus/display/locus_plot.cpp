#include <tactus/display/locus_plot.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/display/plot/axis.h>
#include <tactus/display/plot/canvas.h>

namespace tactus::display {

namespace {

using namespace plot;
using Complex = std::complex<double>;

// The layout, in pixels.
constexpr double kMargin = 18, kLeft = 56, kWidth = 400, kHeight = 300, kTitle = 44, kLabel = 24, kAxis = 46,
                 kBetween = 26, kLegend = 30;

bool finite(const Complex& z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

struct Window {
  Range xs, ys;
};

/// To one scale, symmetric about the real axis.
Window window_of(const LocusPanel& panel) {
  double low = 0.0, high = 0.0, tall = 0.0;
  const auto include = [&](const Complex& z, double room) {
    if (!finite(z)) return;
    low = std::min(low, room * z.real());
    high = std::max(high, room * z.real());
    tall = std::max(tall, room * std::abs(z.imag()));
  };
  if (panel.unit_circle) {
    include({-1.0, 1.0}, 1.15);
    include({1.0, -1.0}, 1.15);
  } else {
    constexpr double kAround = 2.0;  // of what is marked
    for (const Complex& z : panel.marked) include(z, kAround);
    for (const LocusPanel::Crossing& crossing : panel.crossings) include(crossing.at, 1.25);
    const double size = std::max({-low, high, tall, 1e-9});
    high = std::max(high, 0.35 * size);
    low = std::min(low, -0.35 * size);
  }
  const double scale = std::max((high - low) / kWidth, 2.0 * tall / kHeight);
  const double middle = 0.5 * (low + high);
  return {{middle - 0.5 * kWidth * scale, middle + 0.5 * kWidth * scale},
          {-0.5 * kHeight * scale, 0.5 * kHeight * scale}};
}

void draw(Canvas& canvas, const LocusPanel& panel, double left, double top) {
  canvas.text("start", left, top + kLabel - 8, panel.label, "label");
  const double y0 = top + kLabel;
  if (!panel.words.empty()) {
    canvas.frame(left, y0, kWidth, kHeight);
    canvas.text("middle", left + 0.5 * kWidth, y0 + 0.5 * kHeight, fitted(panel.words, kWidth - 20), "quiet");
    return;
  }
  const Window window = window_of(panel);
  const auto px = [&](double x) { return left + kWidth * window.xs.share(x); };
  const auto py = [&](double y) { return y0 + kHeight * (1.0 - window.ys.share(y)); };
  const auto inside = [&](const Complex& z) {
    return finite(z) && z.real() >= window.xs.low && z.real() <= window.xs.high &&
           z.imag() >= window.ys.low && z.imag() <= window.ys.high;
  };
  for (const Tick& tick : ticks_of(window.ys, 5)) {
    canvas.line("grid", left, py(tick.value), left + kWidth, py(tick.value));
    canvas.text("end", left - 8, py(tick.value) + 4, tick.text);
  }
  for (const Tick& tick : ticks_of(window.xs, 6)) {
    canvas.line("grid", px(tick.value), y0, px(tick.value), y0 + kHeight);
    canvas.text("middle", px(tick.value), y0 + kHeight + 17, tick.text);
  }
  canvas.text("middle", left + 0.5 * kWidth, y0 + kHeight + 35,
              panel.unit_circle ? "real part of z" : "real part of s [1/s]");
  // The border.
  if (panel.unit_circle) {
    std::string circle;
    constexpr int kParts = 180;
    for (int k = 0; k <= kParts; ++k) {
      const double angle = 2.0 * M_PI * k / kParts;
      circle += fmt::format("{}{:.2f} {:.2f}", k == 0 ? "M" : "L", px(std::cos(angle)), py(std::sin(angle)));
    }
    canvas.path("curve c7 d1", circle);
  } else {
    canvas.line("curve c7 d1", px(0.0), y0, px(0.0), y0 + kHeight);
  }
  // A root that jumps was taken for another: no line is drawn there.
  const double jump = 0.06 * window.xs.span();
  const std::size_t count = panel.roots.empty() ? 0 : panel.roots.front().size();
  std::string branches;
  for (std::size_t root = 0; root < count; ++root) {
    bool down = false;
    double x = 0.0, y = 0.0;
    for (std::size_t k = 0; k < panel.roots.size(); ++k) {
      const Complex z = panel.roots[k][root];
      if (!inside(z)) {
        down = false;
        continue;
      }
      const bool follows = down && std::abs(z - panel.roots[k - 1][root]) < jump;
      const double x1 = px(z.real()), y1 = py(z.imag());
      if (follows && std::hypot(x1 - x, y1 - y) < 0.3 && k + 1 < panel.roots.size()) continue;
      fmt::format_to(std::back_inserter(branches), "{}{:.1f} {:.1f}", follows ? "L" : "M", x1, y1);
      if (!follows) fmt::format_to(std::back_inserter(branches), "h0.1");  // a point, where nothing follows
      x = x1;
      y = y1;
      down = true;
    }
  }
  canvas.path("curve c0", branches);
  for (const Complex& z : panel.marked)
    if (inside(z)) canvas.sign(3, px(z.real()), py(z.imag()));
  // Of a pair the upper one is named; two that are at the same place, above and below it.
  std::vector<std::pair<double, double>> named;
  for (const LocusPanel::Crossing& crossing : panel.crossings) {
    if (!inside(crossing.at)) continue;
    const double x = px(crossing.at.real()), y = py(crossing.at.imag());
    canvas.circle("f1", x, y, 4.0);
    if (y > py(0.0) + 1.0) continue;
    const bool below = std::any_of(named.begin(), named.end(), [&](const auto& other) {
      return std::hypot(other.first - x, other.second - y) < 14.0;
    });
    named.emplace_back(x, y);
    const bool to_the_left = x + 10 + width_of(crossing.text) > left + kWidth - 4;
    canvas.text(to_the_left ? "end" : "start", to_the_left ? x - 9 : x + 9, below ? y + 17 : y - 7,
                crossing.text);
  }
  canvas.frame(left, y0, kWidth, kHeight);
}

}  // namespace

std::string locus_svg(const std::string& title, const std::vector<LocusPanel>& panels) {
  Canvas canvas;
  const double column = kLeft + kWidth + kBetween, row = kLabel + kHeight + kAxis + 8;
  const double width = kMargin + 2.0 * column - kBetween + kMargin;
  canvas.text("start", kMargin + kLeft, 28, fitted(title, (width - kLeft - 2 * kMargin) * kLetters / 18.0),
              "title");
  for (std::size_t i = 0; i < panels.size(); ++i)
    draw(canvas, panels[i], kMargin + kLeft + column * static_cast<double>(i % 2),
         kTitle + row * static_cast<double>(i / 2));
  const double y = kTitle + row * static_cast<double>((panels.size() + 1) / 2) + 0.5 * kLegend;
  double x = kMargin + kLeft;
  const auto entry = [&](auto&& sign, const char* words) {
    sign(x + 11, y);
    canvas.text("start", x + 28, y + 4, words);
    x += 28 + width_of(words) + 16;
  };
  entry([&](double cx, double cy) { canvas.line("curve c0", cx - 11, cy, cx + 11, cy); },
        "roots as the error varies");
  entry([&](double cx, double cy) { canvas.sign(3, cx, cy); }, "the model is right");
  entry([&](double cx, double cy) { canvas.line("curve c7 d1", cx - 11, cy, cx + 11, cy); },
        "border of stability");
  entry([&](double cx, double cy) { canvas.circle("f1", cx, cy, 4.0); }, "crossed at");
  return canvas.document(width, y + kLegend);
}

}  // namespace tactus::display
