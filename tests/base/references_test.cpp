// Citations lead somewhere: every key that is cited, [Key2001] or [Key2001, ch. 3; Other1999], stands in
// docs/references.md, and every work that is listed there is cited.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>
#include "support/paths.h"

namespace {

namespace fs = std::filesystem;

const std::regex kKey(R"(\b[A-Z][A-Za-z]+(19|20)[0-9][0-9][a-z]?\b)");

// "[Author 2001]" and "[Author & Other 2001, ch. 3]": a citation without a key.
const std::regex kLoose(R"(^\[[A-Z][A-Za-z&,. ]* (19|20)[0-9][0-9]\b)");

fs::path root() { return tactus::support::source_dir(); }

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The text with the marks of comments left out, so that a citation may go on in the next line.
std::string without_comment_marks(const std::string& text) {
  static const std::regex kMark(R"(\n[ \t]*(///?|#)[ \t]*)");
  return std::regex_replace(text, kMark, " ");
}

std::vector<fs::path> citing_files() {
  static const std::set<std::string> kEndings{".h", ".cpp", ".md", ".yaml", ".urdf", ".sh"};
  std::vector<fs::path> found{root() / "README.md"};
  for (const char* folder :
       {"apps", "benchmarks", "docs", "examples", "models", "studies", "tactus", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(root() / folder))
      if (kEndings.contains(entry.path().extension().string()) &&
          entry.path().filename() != "references.md" && entry.path().filename() != "references_test.cpp")
        found.push_back(entry.path());
  return found;
}

/// What stands in brackets (the innermost ones), file by file.
template <class F>
void for_each_bracket(const F& take) {
  for (const fs::path& file : citing_files()) {
    const std::string text = without_comment_marks(content_of(file));
    for (std::size_t open = text.find('['); open != std::string::npos;) {
      const std::size_t next = text.find_first_of("[]", open + 1);
      if (next == std::string::npos) break;
      if (text[next] == ']') take(file, text.substr(open, next - open + 1));
      open = text.find('[', next);
    }
  }
}

std::set<std::string> listed_keys() {
  static const std::regex kLine(R"(\n\| ([A-Za-z]+[0-9]{4}[a-z]?) \| )");
  std::set<std::string> keys;
  const std::string text = content_of(root() / "docs/references.md");
  for (std::sregex_iterator at(text.begin(), text.end(), kLine), end; at != end; ++at)
    EXPECT_TRUE(keys.insert((*at)[1]).second) << (*at)[1] << " is listed twice";
  return keys;
}

TEST(References, EveryCitedWorkIsListedAndEveryListedOneIsCited) {
  const std::set<std::string> listed = listed_keys();
  ASSERT_GT(listed.size(), 20u);
  std::map<std::string, fs::path> cited;
  for_each_bracket([&](const fs::path& file, const std::string& bracket) {
    for (std::sregex_iterator key(bracket.begin(), bracket.end(), kKey), end; key != end; ++key)
      cited.emplace(key->str(), file);
  });
  for (const auto& [key, file] : cited)
    EXPECT_TRUE(listed.contains(key)) << file << " cites [" << key << "]: add it to docs/references.md";
  for (const std::string& key : listed)
    EXPECT_TRUE(cited.contains(key)) << key << " is cited nowhere: take it out of docs/references.md";
}

TEST(References, CitationsAreKeys) {
  int brackets = 0;
  for_each_bracket([&](const fs::path& file, const std::string& bracket) {
    ++brackets;
    EXPECT_FALSE(std::regex_search(bracket, kLoose))
        << file << ": " << bracket << " has no key of docs/references.md";
  });
  EXPECT_GT(brackets, 1000);
}

}  // namespace
