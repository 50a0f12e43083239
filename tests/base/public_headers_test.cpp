// The public surface (cmake/public_headers.cmake): what programs may include, and what is installed.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>
#include "support/paths.h"

namespace {

namespace fs = std::filesystem;

/// From the model to its motion, what the hand adds, and what leads arms. A new one has to be worth it.
constexpr std::size_t kMostOfTheEngine = 43, kMostOfTheHand = 19, kMostOfArms = 12;

fs::path root() { return tactus::support::source_dir(); }

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::set<std::string> public_headers() {
  static const std::regex kHeader(R"(\n\s+(tactus/[a-z0-9_./]+\.h))");
  const std::string text = content_of(root() / "cmake/public_headers.cmake");
  std::set<std::string> headers;
  for (std::sregex_iterator at(text.begin(), text.end(), kHeader), end; at != end; ++at)
    EXPECT_TRUE(headers.insert((*at)[1]).second) << (*at)[1] << " is listed twice";
  return headers;
}

/// What a file includes in angle brackets.
std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex kInclude(R"((?:^|\n)[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>)");
  const std::string text = content_of(path);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), kInclude), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

TEST(PublicHeaders, ExistAndAreFew) {
  const std::set<std::string> headers = public_headers();
  EXPECT_GT(headers.size(), 10u);
  const auto within = [&](const char* folder) {
    return static_cast<std::size_t>(
        std::count_if(headers.begin(), headers.end(),
                      [&](const std::string& header) { return header.starts_with(folder); }));
  };
  const std::size_t of_arms = within("tactus/control/arm/");
  const std::size_t of_the_hand =
      within("tactus/device/") + within("tactus/control/") + within("tactus/display/") - of_arms;
  EXPECT_LE(of_arms, kMostOfArms);
  EXPECT_LE(of_the_hand, kMostOfTheHand);
  EXPECT_LE(headers.size() - of_the_hand - of_arms, kMostOfTheEngine);
  for (const std::string& header : headers) EXPECT_TRUE(fs::exists(root() / header)) << header;
}

TEST(PublicHeaders, AreAllThatProgramsStudiesAndExamplesInclude) {
  const std::set<std::string> headers = public_headers();
  int seen = 0;
  for (const char* folder : {"apps", "studies", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder)) {
      const fs::path& path = entry.path();
      if (path.extension() != ".h" && path.extension() != ".cpp") continue;
      for (const std::string& header : includes_of(path)) {
        if (!header.starts_with("tactus/")) continue;
        ++seen;
        EXPECT_TRUE(headers.contains(header)) << path << " includes <" << header << ">, which is not public";
      }
    }
  }
  EXPECT_GT(seen, 50);
}

// Whoever has the installed headers has all that they need: each other, the standard library, and what the
// package asks for (Eigen, fmt). What the library is made with inside (asmjit, yaml-cpp, FCL, Boost) is not
// there.
TEST(PublicHeaders, IncludeEachOtherAndWhatThePackageAsksFor) {
  const std::set<std::string> headers = public_headers();
  for (const std::string& header : headers) {
    for (const std::string& included : includes_of(root() / header)) {
      const bool of_standard = included.find_first_of("/.") == std::string::npos;
      const bool of_package = included.starts_with("Eigen/") || included.starts_with("fmt/");
      EXPECT_TRUE(headers.contains(included) || of_standard || of_package)
          << header << " includes <" << included << '>';
    }
    EXPECT_EQ(content_of(root() / header).find("#include \""), std::string::npos) << header;
  }
}

}  // namespace
