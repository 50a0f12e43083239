#include <tactus/display/locus_plot.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tactus::display {
namespace {

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// s^2 + 2 s + k = 0.
LocusPanel parabola(bool unit_circle) {
  LocusPanel panel;
  panel.label = "k < 9";
  panel.unit_circle = unit_circle;
  for (double k = -1.0; k < 9.0; k += 0.1) {
    const std::complex<double> root = std::sqrt(std::complex<double>(1.0 - k));
    panel.roots.push_back({-1.0 - root, -1.0 + root});
    if (unit_circle)
      for (std::complex<double>& s : panel.roots.back()) s = std::exp(0.1 * s);
  }
  panel.marked = {panel.roots[30][0], panel.roots[30][1]};
  panel.crossings = {{unit_circle ? 1.0 : 0.0, "k = 0"}};
  return panel;
}

TEST(LocusPlot, DrawsTheBorderTheRootsAndTheCrossings) {
  const std::string svg = locus_svg("arm & hand", {parabola(false), parabola(true)});
  EXPECT_EQ(svg, locus_svg("arm & hand", {parabola(false), parabola(true)}));
  EXPECT_NE(svg.find("arm &amp; hand"), std::string::npos);
  EXPECT_NE(svg.find("k &lt; 9"), std::string::npos);
  EXPECT_EQ(count_of(svg, ">k = 0<"), 2);
  EXPECT_NE(svg.find("real part of s [1/s]"), std::string::npos);
  EXPECT_NE(svg.find("real part of z"), std::string::npos);
  // Axis, circle, two panels of roots; two marked roots in each panel and one in the legend.
  EXPECT_EQ(count_of(svg, "curve c0\" d="), 2);
  EXPECT_EQ(count_of(svg, "curve c7 d1"), 3);
  EXPECT_EQ(count_of(svg, "class=\"sign"), 5);
}

TEST(LocusPlot, LeavesOutWhatIsNoNumberAndSaysWhatIsNotThere) {
  LocusPanel panel = parabola(false);
  panel.roots[5][0] = {std::nan(""), 0.0};
  panel.roots[6][1] = {-std::numeric_limits<double>::infinity(), 1.0};
  panel.crossings.push_back({{0.0, 0.0}, "k = 0 again"});
  LocusPanel words;
  words.label = "alpha";
  words.words = "the law does not use K";
  const std::string svg = locus_svg("", {panel, words});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_NE(svg.find("the law does not use K"), std::string::npos);
  // Two names at one place are above and below it.
  const auto y_of = [&](const char* text) {
    const std::size_t at = svg.find(text), begin = svg.rfind(" y=\"", at) + 4;
    return std::stod(svg.substr(begin));
  };
  EXPECT_GT(std::abs(y_of(">k = 0<") - y_of(">k = 0 again<")), 14.0);
}

}  // namespace
}  // namespace tactus::display
