#include <tactus/algebra/latex_lines.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace tactus::algebra {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// All lines, one after the other, without what breaking adds.
std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : " ") + line;
  return text;
}

std::string sum_of(int terms) {
  std::string text = "x_{1}";
  for (int k = 2; k <= terms; ++k) text += " + x_{" + std::to_string(k) + "}";
  return text;
}

TEST(LatexLines, ShortFormulasStayWhole) {
  EXPECT_EQ(latex_lines("a + b", 400, 400), std::vector<std::string>{"a + b"});
}

TEST(LatexLines, LongSumsAreBrokenBeforeSignsAndLoseNothing) {
  const std::string sum = sum_of(60);
  const std::vector<std::string> lines = latex_lines(sum, 200, 180);
  EXPECT_GT(lines.size(), 3u);
  EXPECT_EQ(joined(lines), sum);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    EXPECT_LE(latex_width(lines[n]), 200.0) << lines[n];
    if (n > 0) {
      EXPECT_EQ(lines[n].substr(0, 2), "+ ");
    }
  }
}

TEST(LatexLines, ParenthesesAreBrokenOnlyWhereNothingElseIsLeftAndGetAFixedSize) {
  const std::string outside = "a\\,\\left(b + c\\right) + d\\,\\left(e + f\\right)";
  const std::vector<std::string> two = latex_lines(outside, 0.7 * latex_width(outside), 300);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(joined(two), outside);  // between the products
  const std::string inside = "a\\,\\left(" + sum_of(40) + "\\right)";
  const std::vector<std::string> lines = latex_lines(inside, 200, 200);
  ASSERT_GT(lines.size(), 2u);
  EXPECT_EQ(count_of(joined(lines), "\\left"), 0u);
  EXPECT_EQ(count_of(joined(lines), "\\bigl("), 1u);
  EXPECT_EQ(count_of(joined(lines), "\\bigr)"), 1u);
  for (const std::string& line : lines) EXPECT_LE(latex_width(line), 200.0) << line;
}

TEST(LatexLines, LongProductsAreBrokenBetweenFactors) {
  std::string product = "x_{1}";
  for (int k = 2; k <= 40; ++k) product += "\\,x_{" + std::to_string(k) + "}";
  const std::vector<std::string> lines = latex_lines(product, 150, 150);
  ASSERT_GT(lines.size(), 2u);
  EXPECT_EQ(lines[1].substr(0, 7), "\\times ");
}

TEST(LatexLines, FractionsRootsAndCasesThatFitStayWhole) {
  for (const std::string& group :
       {"\\frac{" + sum_of(8) + "}{y}", "\\sqrt{" + sum_of(8) + "}",
        "\\begin{cases}" + sum_of(6) + " & x \\ge 0 \\\\ 0 & \\text{otherwise}\\end{cases}"}) {
    const double room = latex_width(group) + 15.0;
    const std::vector<std::string> lines = latex_lines("a + " + group + " + b + c", room, room);
    EXPECT_GT(lines.size(), 1u);
    EXPECT_EQ(joined(lines), "a + " + group + " + b + c");
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [&](const std::string& line) { return line.find(group) != std::string::npos; }),
              1);
  }
}

/// Braces, environments and parentheses of flexible size that are opened are closed in the same line.
void expect_whole(const std::string& line) {
  EXPECT_EQ(std::count(line.begin(), line.end(), '{'), std::count(line.begin(), line.end(), '}')) << line;
  EXPECT_EQ(count_of(line, "\\begin{"), count_of(line, "\\end{")) << line;
  EXPECT_EQ(count_of(line, "\\left("), count_of(line, "\\right)")) << line;
}

TEST(LatexLines, FractionsAndRootsThatDoNotFitBecomeProductsAndPowers) {
  const std::string sum = sum_of(20);
  const std::pair<std::string, std::string> all[] = {
      {"\\frac{" + sum + "}{y}", "\\frac{1}{y}\\,\\bigl("},
      {"\\frac{y}{" + sum + "}", "y\\,\\bigl("},
      {"-\\frac{v\\,\\left(" + sum + "\\right)}{y}", "-\\frac{1}{y}\\,v\\,\\bigl("},
      {"\\sqrt{" + sum + "}", "\\bigl("},
      {"a\\,\\left(b + \\frac{" + sum + "}{y}\\right)", "a\\,\\bigl(b"}};
  for (const auto& [formula, begins] : all) {
    const std::vector<std::string> lines = latex_lines(formula, 120, 120);
    ASSERT_GT(lines.size(), 2u) << formula;
    EXPECT_EQ(lines[0].substr(0, begins.size()), begins) << formula;
    for (const std::string& line : lines) {
      expect_whole(line);
      EXPECT_LE(latex_width(line), 120.0) << line;
    }
    EXPECT_EQ(count_of(joined(lines), "x_{20}"), 1u);
  }
  EXPECT_NE(joined(latex_lines("\\frac{y}{" + sum + "}", 120, 120)).find("\\bigr)^{-1}"), std::string::npos);
  EXPECT_NE(joined(latex_lines("\\sqrt{" + sum + "}", 120, 120)).find("\\bigr)^{1/2}"), std::string::npos);
}

TEST(LatexLines, NoLineEndsInsideOfCasesWithinCases) {
  const std::string inner =
      "\\begin{cases}" + sum_of(9) + " & x \\ge 0 \\\\ y & \\text{otherwise}\\end{cases}";
  const std::string formula = "a + \\begin{cases}" + inner + " & y \\ge 0 \\\\ " + inner + " - z - " +
                              sum_of(5) + " & \\text{otherwise}\\end{cases} + b - " + sum_of(3);
  for (const double room : {500.0, 330.0, 250.0, 230.0}) {
    const std::vector<std::string> lines = latex_lines(formula, room, room);
    for (const std::string& line : lines) {
      expect_whole(line);
      EXPECT_LE(latex_width(line), room) << line;
    }
    EXPECT_EQ(count_of(joined(lines), "x_{9}"), 2u) << room;
  }
}

TEST(LatexLines, ColumnsOfAnEnvironmentStandBesideEachOther) {
  const std::string wide = sum_of(6),
                    cases = "\\begin{cases}" + wide + " & x \\\\ 0 & " + wide + "\\end{cases}";
  EXPECT_GT(latex_width(cases), 2.0 * latex_width(wide));
  EXPECT_LT(latex_width(cases), 2.0 * latex_width(wide) + 40.0);
}

// Indices of indices of indices are set in the smallest letters, which are not smaller than those of indices of indices.
TEST(LatexLines, DeepIndicesDoNotShrinkForEver) {
  std::string deep = "a";
  for (int k = 0; k < 30; ++k) deep = "a_{" + deep + "}";
  EXPECT_GT(latex_width(deep), 30 * 0.5 * latex_width("a"));
}

TEST(LatexLines, BrokenTextIsNoReasonToFail) {
  for (const char* odd : {"", "{", "}", "\\", "\\left", "\\left(", "a\\right)", "\\frac", "\\frac{",
                          "\\begin{cases}", "_", "^", "x_{", "\\begin{", "\\end{cases}", "\\left\\"}) {
    latex_width(odd);
    latex_lines(odd, 1.0, 1.0);
  }
  EXPECT_EQ(latex_text("50% a_b^c \\x ~ #"),
            "50\\% a\\_b\\textasciicircum{}c \\textbackslash{}x \\textasciitilde{} \\#");
}

// pdflatex stops at characters that its fonts do not have.
TEST(LatexLines, TextOfOtherScriptsIsNoReasonForPdflatexToStop) {
  EXPECT_EQ(latex_text("Gr\xc3\xb6\xc3\x9f"
                       "e 90\xc2\xb0 \xe2\x80\x93 \xc5\x81\xc3\xb3"
                       "d\xc5\xba"),
            "Gr\xc3\xb6\xc3\x9f"
            "e 90\xc2\xb0 \xe2\x80\x93 \xc5\x81\xc3\xb3"
            "d\xc5\xba");
  EXPECT_EQ(latex_text("\xce\xb1\xe2\x86\x92\xce\xb2, \xe2\x88\x92"
                       "1"),
            "$\\alpha$$\\to$$\\beta$, $-$1");
  EXPECT_EQ(latex_text("\xe5\x85\xb3 \xf0\x9f\x98\x80"), "[U+5173] [U+1F600]");
  // Bytes that are no UTF-8, also at the end.
  for (const char* odd : {"\xff", "a\xc3", "\xe5\x85", "\xf0\x9f", "\x80"})
    for (const char c : latex_text(odd)) EXPECT_LT(static_cast<unsigned char>(c), 128) << odd;
}

}  // namespace
}  // namespace tactus::algebra
