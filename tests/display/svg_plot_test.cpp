#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <string>

#include <tactus/display/svg_plot.h>

#include "support/compare.h"

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
  // Three places in two panels (what lies outside is left out).
  EXPECT_EQ(count_of(svg, "class=\"mark "), 3 * 2);
  // A sign for each in the strip of events, and one beside the name of each of two kinds.
  EXPECT_EQ(count_of(svg, "class=\"sign "), 3 + 2);
  EXPECT_EQ(count_of(svg, ">impact (3)<"), 1);
  EXPECT_EQ(count_of(svg, ">rests (1)<"), 1);
}

/// Attributes of all elements of a class whose text has `part`, without the place.
std::set<std::string> looks_of(const std::string& svg, const std::string& element) {
  std::set<std::string> looks;
  for (std::size_t at = svg.find(element); at != std::string::npos; at = svg.find(element, at + 1)) {
    std::string line = svg.substr(at, svg.find('\n', at) - at);
    if (const std::size_t place = line.find(" transform="); place != std::string::npos)
      line.erase(place, line.find("\" ", place) + 1 - place);
    looks.insert(line);
  }
  return looks;
}

TEST(SvgPlot, KindsOfMarksDifferInColourAndInShape) {
  Figure figure{"", "t", {{"q", {{"a", {0, 7}, {0, 1}}}}}};
  const std::vector<std::string> kinds{"impact", "rests", "slides", "sticks", "leaves", "transition"};
  for (std::size_t k = 0; k < kinds.size(); ++k)
    figure.marks.push_back({static_cast<double>(k + 1), kinds[k]});
  const std::string svg = to_svg(figure);
  std::set<std::string> colours, shapes, lines;
  for (const std::string& sign : looks_of(svg, "<path class=\"sign ")) {
    colours.insert(sign.substr(0, sign.find("\" d=")));
    shapes.insert(sign.substr(sign.find(" d=")));
  }
  EXPECT_EQ(colours.size(), kinds.size());
  EXPECT_EQ(shapes.size(), kinds.size());
  for (const std::string& line : looks_of(svg, "<line class=\"mark "))
    lines.insert(line.substr(0, line.find(" x1")));
  EXPECT_EQ(lines.size(), kinds.size());
}

/// [px] As DejaVu Sans has it, the widest of the usual fonts: advances of the letters by their size.
double set_width(const std::string& text, double size) {
  constexpr double kSmall[] = {0.613, 0.635, 0.550, 0.635, 0.615, 0.352, 0.635, 0.634, 0.278,
                               0.278, 0.579, 0.278, 0.974, 0.634, 0.612, 0.635, 0.635, 0.411,
                               0.521, 0.392, 0.634, 0.592, 0.818, 0.592, 0.592, 0.525};
  double width = 0.0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;  // within a letter
    width += c >= 'a' && c <= 'z'   ? kSmall[c - 'a']
             : c == '_'             ? 0.5
             : c == '.' || c == ' ' ? 0.318
             : c == 'M'             ? 0.863
                                    : 1.0;
  }
  return size * width;
}

/// Where the texts of a picture end at most.
double right_end(const std::string& svg) {
  double end = 0.0;
  for (std::size_t at = svg.find("<text "); at != std::string::npos; at = svg.find("<text ", at + 1)) {
    const std::size_t from = svg.find('>', at) + 1;
    const std::string head = svg.substr(at, from - at), text = svg.substr(from, svg.find('<', from) - from);
    if (head.find("start") == std::string::npos) continue;
    const bool title = head.find("\"title\"") != std::string::npos;
    const double bold = title || head.find("\"label\"") != std::string::npos ? 1.1 : 1.0;
    end = support::larger(
        end, std::stod(head.substr(head.find("x=\"") + 3)) + bold * set_width(text, title ? 16.0 : 12.0));
  }
  return end;
}

TEST(SvgPlot, LongNamesFitTheLegendOrAreShortenedInTheMiddle) {
  const std::string name = "left_front_wheel_of_the_second_carriage.velocity_error", longest(400, 'w');
  const Figure figure{
      std::string(300, 'M'), "t", {{"q", {{name, {0, 1}, {0, 1}}, {longest, {0, 1}, {1, 0}}}}}};
  const std::string svg = to_svg(figure);
  const double width = std::stod(svg.substr(svg.find("width=\"") + 7));
  EXPECT_LE(right_end(svg), width);
  EXPECT_LT(width, 1300.0);
  EXPECT_NE(svg.find("<title>" + longest + "</title>"),
            std::string::npos);  // the whole of it, when pointed at
  EXPECT_NE(svg.find("left_front"), std::string::npos);
  EXPECT_NE(svg.find("velocity_error<"), std::string::npos);
  EXPECT_EQ(svg.find(longest + "<"), svg.find(longest + "</title>"));
}

TEST(SvgPlot, NoLabelIsTurnedSoThatNoneIsTallerThanItsPanel) {
  const std::string label = "constraint errors of a rather long kind [m, rad; m/s, rad/s]";
  const std::string svg = to_svg({"", "t", {{label, {{"a", {0, 1}, {0, 1}}}}}});
  EXPECT_EQ(svg.find("rotate("), std::string::npos);
  EXPECT_NE(svg.find(">" + label + "<"), std::string::npos);
}

TEST(SvgPlot, NoiseIsZeroAndWhatIsConstantIsALineOfText) {
  const Figure figure{
      "",
      "t",
      {{"moves", {{"a", {0, 1, 2}, {0, 1, 0}}, {"rests", {0, 1, 2}, {3, 3, 3}}}},
       {"noise", {{"b", {0, 1, 2}, {1e-18, -2e-18, 1e-18}}, {"c", {0, 1, 2}, {0, 0, 0}}}},
       {"drift", {{"d", {0, 1, 2}, {5, 5 + 1e-12, 5}}, {"e", {0, 1, 2}, {0, 1e-11, 2e-11}}}}}};
  const std::string svg = to_svg(figure);
  EXPECT_EQ(count_of(svg, "class=\"frame\""), 1);  // of what moves alone
  EXPECT_EQ(count_of(svg, "<path"), 2);
  EXPECT_NE(svg.find(">zero all the time (largest 2.0e-18): b, c<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">constant: d = 5, e = 0<"), std::string::npos) << svg;
  EXPECT_NE(svg.find(">rests = 3<"), std::string::npos);
  // Small motions are motions.
  EXPECT_EQ(count_of(to_svg({"", "t", {{"q", {{"a", {0, 1}, {0, 1e-9}}}}}}), "class=\"frame\""), 1);
}

TEST(SvgPlot, WhatIsNoNumberIsNeverCalledZero) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::string none =
      to_svg({"", "t", {{"gaps", {{"a", {0, 1}, {nan, nan}}, {"b", {0, 1}, {inf, inf}}}}}});
  EXPECT_EQ(none.find("zero"), std::string::npos) << none;
  EXPECT_NE(none.find(">no numbers: a = not a number, b = infinite<"), std::string::npos) << none;
  const std::string some = to_svg(
      {"", "t", {{"gaps", {{"a", {0, 1}, {nan, 0}}, {"b", {0, 1}, {-inf, nan}}, {"c", {0, 1}, {0, 0}}}}}});
  EXPECT_NE(some.find(">zero all the time: c; a = 0, at times not a number, b = infinite or not a number<"),
            std::string::npos)
      << some;
  const std::string constant =
      to_svg({"", "t", {{"gaps", {{"a", {0, 1}, {nan, 2}}, {"c", {0, 1}, {3, 3}}}}}});
  EXPECT_NE(constant.find(">constant: a = 2, at times not a number, c = 3<"), std::string::npos) << constant;
}

TEST(SvgPlot, NoiseIsJudgedByTheScaleThatTheQuantityHas) {
  const Series noise{"w", {0, 1, 2}, {1e-8, -2e-8, 1e-8}};
  const std::string drawn = to_svg({"", "t", {{.label = "speeds", .series = {noise}}}});
  EXPECT_EQ(count_of(drawn, "class=\"frame\""), 1);
  const std::string said = to_svg({"", "t", {{.label = "speeds", .series = {noise}, .noise = 1e-7}}});
  EXPECT_EQ(count_of(said, "class=\"frame\""), 0);
  EXPECT_NE(said.find(">zero all the time (largest 2.0e-08): w<"), std::string::npos) << said;
  // Beside what moves it is zero as well.
  const std::string beside =
      to_svg({"", "t", {{.label = "speeds", .series = {noise, {"v", {0, 1, 2}, {0, 1, 0}}}, .noise = 1e-7}}});
  EXPECT_NE(beside.find(">w = 0<"), std::string::npos) << beside;
}

TEST(SvgPlot, ModesHaveNamesAtWholeNumbersAndCountsNoHalves) {
  const Series mode{"pair", {0, 1, 2}, {0, 1, 2}};
  const std::string modes =
      to_svg({"", "t", {{.label = "contact", .series = {mode}, .levels = {"apart", "sliding", "sticking"}}}});
  for (const char* name : {">apart<", ">sliding<", ">sticking<"}) EXPECT_EQ(count_of(modes, name), 1) << name;
  EXPECT_EQ(modes.find(">0.5<"), std::string::npos);
  EXPECT_EQ(modes.find(">1.5<"), modes.rfind(">1.5<"));  // of the time at most
  const std::string counts =
      to_svg({"", "t", {{.label = "contacts", .series = {{"n", {0, 9}, {0, 1}}}, .whole = true}}});
  EXPECT_EQ(counts.find(">0.5<"), std::string::npos);
  EXPECT_EQ(counts.find(">0.2<"), std::string::npos);
  EXPECT_NE(counts.find(">1<"), std::string::npos);
}

TEST(SvgPlot, ModesThatAreEqualLieBesideEachOther) {
  Panel panel{.label = "contact", .series = {}, .levels = {"apart", "sliding", "sticking"}};
  for (const char* name : {"a", "b", "c"}) panel.series.push_back({name, {0, 1, 2}, {0, 2, 2}});
  EXPECT_EQ(looks_of(to_svg({"", "t", {panel}}), "<path class=\"curve ").size(), 3u);
  std::set<std::string> paths;
  for (const std::string& path : looks_of(to_svg({"", "t", {panel}}), "<path class=\"curve "))
    paths.insert(path.substr(path.find(" d=")));
  EXPECT_EQ(paths.size(), 3u);
}

TEST(SvgPlot, OfSixHundredSeriesNineAreNamedAndTheOthersCounted) {
  Panel panel{"q", {}};
  for (int i = 0; i < 600; ++i) panel.series.push_back({"q" + std::to_string(i), {0, 1}, {0.0, 1.0 + i}});
  const std::string svg = to_svg({"", "t", {panel}});
  EXPECT_NE(svg.find(">and 591 more<"), std::string::npos);
  EXPECT_NE(svg.find(">q8<"), std::string::npos);
  EXPECT_EQ(svg.find(">q9<"), std::string::npos);
  EXPECT_EQ(count_of(svg, "<path class=\"curve "), 600);
}

TEST(SvgPlot, APathHasOneScaleForBothAxes) {
  Series circle{"tip", {}, {}};
  for (int i = 0; i <= 100; ++i) {
    circle.x.push_back(5.0 + std::cos(0.0628 * i));
    circle.y.push_back(std::sin(0.0628 * i));
  }
  const std::string svg = to_svg({"", "t", {{.label = "path", .series = {circle}, .x_label = "x [m]"}}});
  const std::size_t from = svg.find(" d=\"M", svg.find("class=\"curve ")) + 5;
  std::string numbers = svg.substr(from, svg.find('"', from) - from);
  for (char& c : numbers)
    if (c == 'L') c = ' ';
  std::istringstream in(numbers);
  double x = 0.0, y = 0.0, low_x = 1e9, high_x = -1e9, low_y = 1e9, high_y = -1e9;
  while (in >> x >> y) {
    low_x = std::min(low_x, x);
    high_x = support::larger(high_x, x);
    low_y = std::min(low_y, y);
    high_y = support::larger(high_y, y);
  }
  constexpr double kPixel =
      1.0;  // points are given to a tenth of one, and the polygon misses the circle by less
  EXPECT_NEAR(high_x - low_x, high_y - low_y, kPixel);
  EXPECT_GT(high_x - low_x, 100.0);
  EXPECT_NE(svg.find(">start<"), std::string::npos);
  EXPECT_NE(svg.find(">end<"), std::string::npos);
  // A frame that stays is a line of text.
  const std::string stays =
      to_svg({"", "t", {{.label = "path", .series = {{"base", {1, 1}, {2, 2}}}, .x_label = "x [m]"}}});
  EXPECT_NE(stays.find("base at (1, 2)"), std::string::npos);
}

/// Relative luminance of "#rrggbb" (WCAG 2).
double luminance(const std::string& colour) {
  double sum = 0.0;
  const double weights[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t k = 0; k < 3; ++k) {
    const double c = std::stoi(colour.substr(1 + 2 * k, 2), nullptr, 16) / 255.0;
    sum += weights[k] * (c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

TEST(SvgPlot, CurvesStandOutFromLightAndFromDarkPages) {
  constexpr double kLeast = 3.0;  // contrast of graphics that must be seen (WCAG 2, 1.4.11)
  const std::string svg = to_svg({"", "t", {{"q", {{"a", {0, 1}, {0, 1}}}}}});
  const std::size_t query = svg.find("@media (prefers-color-scheme:dark)");
  ASSERT_NE(query, std::string::npos);
  const std::string light = svg.substr(0, query), dark = svg.substr(query, svg.find("</style>") - query);
  const auto rule = [](const std::string& sheet, const std::string& name, const std::string& property) {
    const std::size_t at = sheet.find(property + ":#", sheet.find("." + name + "{"));
    return sheet.substr(at + property.size() + 1, 7);
  };
  for (const auto& [sheet, page] : {std::pair{light, 1.0}, {dark, luminance(rule(dark, "page", "fill"))}})
    for (int k = 0; k < 8; ++k) {
      const double curve = luminance(rule(sheet, "c" + std::to_string(k), "stroke"));
      const double contrast = (std::max(page, curve) + 0.05) / (std::min(page, curve) + 0.05);
      EXPECT_GE(contrast, kLeast) << k << (page == 1.0 ? " on light" : " on dark");
    }
}

TEST(SvgPlot, SurvivesEmptyAndConstantData) {
  EXPECT_NE(to_svg({}).find("</svg>"), std::string::npos);
  const std::string svg = to_svg({"", "t", {{"q", {{"none", {}, {}}, {"flat", {0, 1}, {3, 3}}}}}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
}

}  // namespace
}  // namespace tactus::display
