// Documentation that points at files points at files that exist.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> pages() {
  const fs::path root(TACTUS_SOURCE_DIR);
  std::vector<fs::path> found{root / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Docs, LinksLeadSomewhere) {
  static const std::regex link{R"re(\]\(([^)#:\s]+)(#[^)]*)?\))re"};
  int links = 0;
  for (const fs::path& page : pages()) {
    const std::string text = content_of(page);
    for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match, ++links)
      EXPECT_TRUE(fs::exists(page.parent_path() / (*match)[1].str())) << page << ": " << (*match)[1];
  }
  EXPECT_GT(links, 5);
}

// `tests/derive/counts_test.cpp`, `tactus/simulate/chart.h`, `models/puma560.yaml`: paths in code marks, from
// the root.
TEST(Docs, NamedFilesExist) {
  static const std::regex name{
      R"re(`((?:tactus|tests|models|examples|docs|apps|benchmarks)/[A-Za-z0-9_./-]+)`)re"};
  int names = 0;
  for (const fs::path& page : pages()) {
    const std::string text = content_of(page);
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match, ++names)
      EXPECT_TRUE(fs::exists(fs::path(TACTUS_SOURCE_DIR) / (*match)[1].str())) << page << ": " << (*match)[1];
  }
  EXPECT_GT(names, 10);
}

}  // namespace
