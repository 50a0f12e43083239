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

TEST(LatexLines, FractionsRootsAndCasesStayWhole) {
  for (const std::string& group :
       {"\\frac{" + sum_of(20) + "}{y}", "\\sqrt{" + sum_of(20) + "}",
        "\\begin{cases}" + sum_of(20) + " & x \\ge 0 \\\\ 0 & \\text{otherwise}\\end{cases}"}) {
    const std::vector<std::string> lines = latex_lines("a + " + group + " + b", 60, 60);
    EXPECT_EQ(joined(lines), "a + " + group + " + b");
    EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                            [](const std::string& line) { return line.find("x_{20}") != std::string::npos; }),
              1);
    for (const std::string& line : lines)
      EXPECT_EQ(std::count(line.begin(), line.end(), '{'), std::count(line.begin(), line.end(), '}')) << line;
  }
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

}  // namespace
}  // namespace tactus::algebra
