// Documentation that points at files points at files that exist.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <vector>
#include "support/paths.h"

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  const fs::path root(tactus::support::source_dir());
  std::vector<fs::path> found{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What stands between each `open` and the `close` after it.
std::vector<std::string> between(const std::string& text, std::string_view open, std::string_view close) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    const std::size_t end = text.find(close, at);
    if (end == std::string::npos) break;
    found.push_back(text.substr(at, end - at));
    at = end + close.size();
  }
  return found;
}

TEST(Docs, LinksLeadSomewhere) {
  int links = 0;
  for (const fs::path& page : pages()) {
    for (const std::string& target : between(content_of(page), "](", ")")) {
      if (target.find("://") != std::string::npos || target.starts_with('#')) continue;
      ++links;
      EXPECT_TRUE(fs::exists(page.parent_path() / target.substr(0, target.find('#'))))
          << page << ": " << target;
    }
  }
  EXPECT_GT(links, 5);
}

// `tests/derive/counts_test.cpp`, `tactus/simulate/motion/chart.h`, `models/puma560.yaml`: paths in code marks, from
// the root.
TEST(Docs, NamedFilesExist) {
  static const std::vector<std::string> folders{"tactus/",   "tests/", "models/",
                                                "examples/", "docs/",  "apps/"};
  static const std::string_view kPathLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  int names = 0;
  for (const fs::path& page : pages()) {
    // Files that a reader is told to make are not there: New file `tactus/...`.
    static const std::regex kNewFile("New file\\s+`[^`]*`");
    const std::string text = std::regex_replace(content_of(page), kNewFile, "");
    for (const std::string& name : between(text, "`", "`")) {
      const bool is_path = name.find_first_not_of(kPathLetters) == std::string::npos &&
                           std::any_of(folders.begin(), folders.end(),
                                       [&](const std::string& folder) { return name.starts_with(folder); });
      if (!is_path) continue;
      ++names;
      EXPECT_TRUE(fs::exists(fs::path(tactus::support::source_dir()) / name)) << page << ": " << name;
    }
  }
  EXPECT_GT(names, 10);
}

}  // namespace
