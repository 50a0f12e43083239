// The modules form one line in which data flows; a module may include only itself and those before it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#include "support/paths.h"

namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kModules{"base",     "math",    "algebra",  "describe", "derive",
                                        "generate", "collide", "simulate", "contact",  "device",
                                        "control",  "display", "serve",    "study"};

int rank_of(const std::string& module) {
  const auto found = std::find(kModules.begin(), kModules.end(), module);
  return found == kModules.end() ? -1 : static_cast<int>(found - kModules.begin());
}

/// What a line includes, with its marks: "<tactus/derive/readable/kane.h>"; "" where it includes nothing.
std::string included_in(std::string line) {
  std::erase_if(line, [](char c) { return c == ' ' || c == '\t'; });
  return line.starts_with("#include") ? line.substr(8) : "";
}

/// The lines of `text`, standing in `module`, that include a module after it, or something that is no module.
std::vector<std::string> wrong_includes(const std::string& module, const std::string& text) {
  std::vector<std::string> wrong;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::string header = included_in(line);
    if (header.starts_with("<tactus/") || header.starts_with("\"tactus/")) {
      const int rank = rank_of(header.substr(8, header.find('/', 8) - 8));
      if (rank < 0 || rank > rank_of(module)) wrong.push_back(line);
    } else if (header.starts_with('"')) {
      wrong.push_back(line);  // quoted includes would hide where a header comes from
    }
  }
  return wrong;
}

std::string content_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Layering, NoModuleIncludesOneThatStandsAfterIt) {
  const fs::path root = fs::path(tactus::support::source_dir()) / "tactus";
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    ++seen;
    const std::string module = fs::relative(path, root).begin()->string();
    if (module == "tactus.h") continue;  // all of the public headers, for those who want them at once
    EXPECT_GE(rank_of(module), 0) << path << ": no module of that name";
    for (const std::string& line : wrong_includes(module, content_of(path)))
      ADD_FAILURE() << path << ": " << line;
  }
  EXPECT_GT(seen, 10);
}

TEST(Layering, FindsTheWrongIncludes) {
  EXPECT_EQ(wrong_includes("derive", "#include <tactus/generate/kernel.h>\n").size(), 1u);
  EXPECT_EQ(wrong_includes("derive", "  #  include \"tactus/simulate/motion/state.h\"\n").size(), 1u);
  EXPECT_EQ(wrong_includes("derive", "#include <tactus/utils/all.h>\n").size(), 1u);
  EXPECT_EQ(wrong_includes("derive", "#include \"kane.h\"\n").size(), 1u);
  EXPECT_TRUE(
      wrong_includes("derive", "#include <tactus/derive/readable/kane.h>\n#include <vector>\n").empty());
  EXPECT_TRUE(wrong_includes("generate", "#include <tactus/algebra/function.h>\n").empty());
}

}  // namespace
