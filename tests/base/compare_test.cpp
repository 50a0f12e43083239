#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Compare, ANumberThatIsNoneIsTheLargestWhereverItStands) {
  EXPECT_TRUE(std::isnan(support::larger(1.0, kNaN)));
  EXPECT_TRUE(std::isnan(support::larger(kNaN, 1.0)));
  EXPECT_TRUE(std::isnan(support::larger(1.0, kNaN, 2.0)));
  EXPECT_TRUE(std::isnan(support::larger(kNaN, 1.0, 2.0)));
  EXPECT_EQ(support::larger(1.0, 2.0), 2.0);
  EXPECT_EQ(support::larger(3, 2, 1), 3);
  for (const std::vector<double>& b : std::vector<std::vector<double>>{
           {kNaN, 1.0, 1.0}, {1.0, kNaN, 1.0}, {1.0, 1.0, kNaN}, {1.0, 1.0}, {1.0, 1.0, INFINITY}}) {
    const std::vector<double> a{1.0, 1.0, 1.0};
    EXPECT_FALSE(support::difference(a, b) <= 1e300);
    EXPECT_FALSE(support::relative_difference(a, b) <= 1e300);
    EXPECT_FALSE(support::relative_difference(b, a) <= 1e300);
  }
  EXPECT_EQ(support::difference(std::vector{1.0, 5.0}, std::vector{2.0, 3.0}), 2.0);
  EXPECT_EQ(support::relative_difference(std::vector{1.0, 4.0}, std::vector{2.0, 4.0}), 0.25);
}

// std::max forgets a NaN: the largest of errors is kept with support::larger.
TEST(Compare, NoTestKeepsTheLargestOfItsErrorsWithStdMax) {
  const std::regex forgetful(R"((\w[\w.\[\]()?: ]*) =\s+std::max\(\{?\1,)");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(support::source_dir() + "/tests")) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    ++files;
    std::smatch found;
    EXPECT_FALSE(std::regex_search(source, found, forgetful)) << entry.path() << ": " << found.str();
  }
  EXPECT_GT(files, 100u);
}

}  // namespace
}  // namespace tactus
