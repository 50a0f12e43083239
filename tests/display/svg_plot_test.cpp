#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/display/svg_plot.h>

namespace tactus::display {
namespace {

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgPlot, TicksAreRoundNumbersWithinTheRange) {
  EXPECT_EQ(nice_ticks(0.0, 1.0, 5), (std::vector<double>{0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0}));
  EXPECT_EQ(nice_ticks(-3.0, 12.0, 5).size(), 3u);  // 0, 5, 10
  for (const double tick : nice_ticks(0.123, 0.987, 8)) {
    EXPECT_GE(tick, 0.123 - 1e-12);
    EXPECT_LE(tick, 0.987 + 1e-12);
  }
  EXPECT_EQ(nice_ticks(2.0, 2.0, 5).size(), 1u);
}

TEST(SvgPlot, DrawsEveryPanelAndEverySeries) {
  const Figure figure{"arm & hand",
                      "t [s]",
                      {{"q [rad]", {{"a<b", {0, 1, 2}, {0, 1, 0}}, {"c", {0, 1}, {1, 1}}}},
                       {"u [rad/s]", {{"a", {0, 1}, {5, 6}}}}}};
  const std::string svg = to_svg(figure);
  EXPECT_EQ(count_of(svg, "<path"), 3);
  EXPECT_EQ(count_of(svg, "class=\"frame\""), 2);
  EXPECT_NE(svg.find("arm &amp; hand"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b"), std::string::npos);
  EXPECT_EQ(svg, to_svg(figure));
}

TEST(SvgPlot, LeavesGapsWhereValuesAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string svg = to_svg({"", "t", {{"q", {{"a", {0, 1, 2, 3, 4}, {0, 1, nan, 1, 0}}}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  const std::size_t path = svg.find(" d=\"");
  EXPECT_EQ(count_of(svg.substr(path, svg.find('"', path + 4) - path), "M"), 2);
}

TEST(SvgPlot, ThinsLongSeriesButKeepsTheirPeaks) {
  Series series{"long", {}, {}};
  for (int i = 0; i < 200'000; ++i) {
    series.x.push_back(i);
    series.y.push_back(i == 123'456 ? 7.0 : std::sin(0.001 * i));
  }
  const std::string with_peak = to_svg({"", "t", {{"q", {series}}}});
  EXPECT_LT(with_peak.size(), 100'000u);
  EXPECT_NE(with_peak.find(">6<"), std::string::npos);  // the axis reaches up to the peak
}

TEST(SvgPlot, DrawsMarksThroughAllPanelsOnePerPixelAndKind) {
  Figure figure{"", "t", {{"q", {{"a", {0, 1}, {0, 1}}}}, {"u", {{"b", {0, 1}, {0, 1}}}}}};
  figure.marks = {{0.25, "impact"}, {0.5, "rests"}, {0.75, "impact"}, {0.75, "impact"}, {2.0, "impact"}};
  const std::string svg = to_svg(figure);
  // Three places in two panels (what lies outside is left out), and a name for each of two kinds.
  EXPECT_EQ(count_of(svg, "class=\"mark\""), 3 * 2 + 2);
  EXPECT_EQ(count_of(svg, ">impact<"), 1);
  EXPECT_EQ(count_of(svg, ">rests<"), 1);
}

TEST(SvgPlot, SurvivesEmptyAndConstantData) {
  EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos);
  const std::string svg = to_svg({"", "t", {{"q", {{"none", {}, {}}, {"flat", {0, 1}, {3, 3}}}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace tactus::display
