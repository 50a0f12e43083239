// Hand-made bad model files: each must give one clear message with its place and a remedy (bad_models.txt).
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

struct BadModel {
  std::string name, place, says, text;
};

/// @{80:x} stands for eighty x.
std::string unfold(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t colon = text.find(':', i);
    if (text.compare(i, 2, "@{") != 0) {
      result += text[i++];
      continue;
    }
    const std::size_t close = text.find('}', colon);
    const int count = std::stoi(text.substr(i + 2, colon - i - 2));
    for (int k = 0; k < count; ++k) result += text.substr(colon + 1, close - colon - 1);
    i = close + 1;
  }
  return result;
}

std::vector<BadModel> read_cases() {
  std::ifstream stream(tactus::support::source_dir() + "/tests/describe/bad_models.txt");
  std::vector<BadModel> cases;
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with("#### ")) {
      cases.push_back({line.substr(5), "", "", ""});
    } else if (cases.empty()) {
      continue;  // the introduction
    } else if (BadModel& last = cases.back(); last.place.empty()) {
      last.place = line.substr(4);
    } else if (last.says.empty()) {
      last.says = line.substr(6);
    } else {
      last.text += unfold(line) + "\n";
    }
  }
  return cases;
}

/// The error that the text gives; fails the test where it gives none, or another kind.
InputError error_of(const std::string& text, const std::string& file) {
  try {
    load_text(text, file);
  } catch (const InputError& error) {
    return error;
  } catch (const std::exception& error) {
    ADD_FAILURE() << file << " throws something else: " << error.what();
    return InputError({}, "");
  }
  ADD_FAILURE() << file << " is accepted";
  return InputError({}, "");
}

TEST(BadModels, EachGivesOneClearMessageWithPlaceAndRemedy) {
  const std::vector<BadModel> cases = read_cases();
  std::set<std::string> names;
  int number = 0;
  for (const BadModel& bad : cases) {
    EXPECT_TRUE(names.insert(bad.name).second) << bad.name << " is listed twice";
    const InputError error = error_of(bad.text, bad.name);
    std::string place = std::to_string(error.where().line);
    if (error.where().column > 0) place += ":" + std::to_string(error.where().column);
    EXPECT_EQ(place, bad.place) << error.what();
    EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos)
        << bad.name << " should say `" << bad.says << "`:\n"
        << error.what();
    EXPECT_FALSE(error.remedy().empty()) << bad.name << " says no remedy";
    EXPECT_EQ(error.where().file, bad.name);
    std::printf("%3d  %s:%s: %.120s\n", ++number, bad.name.c_str(), place.c_str(), error.wrong().c_str());
  }
  EXPECT_GE(cases.size(), 200u);
}

struct BadBytes {
  const char* name;
  std::string text;
  int line, column;
  const char* says;
};

TEST(BadModels, FilesThatAreNotTextAreRefused) {
  const std::string good =
      "name: x\nbodies: {b: {mass: 1, com: [1, 0, 0]}}\njoints: {j: {type: revolute, parent: world, child: "
      "b}}\n";
  ASSERT_NO_THROW(load_text(good, "good"));
  const BadBytes cases[] = {
      {"empty", "", 1, 1, "the file is empty"},
      {"blank", " \n\t\n\r\n", 1, 1, "the file is empty"},
      {"byte order mark only", "\xef\xbb\xbf", 1, 1, "the file is empty"},
      {"nul byte", good.substr(0, 12) + std::string(1, '\0') + good.substr(12), 2, 5, "byte 0x00"},
      {"bell", "name: \a\n", 1, 7, "byte 0x07"},
      {"delete", "name: x\x7f\n", 1, 8, "byte 0x7f"},
      {"latin-1",
       "name: k\xe4"
       "fer\n",
       1, 8, "not a text file"},
      {"utf-8 cut short", "name: \xe2\x82", 1, 7, "not a text file"},
      {"utf-8 overlong", "name: \xc0\xaf\n", 1, 7, "not a text file"},
      {"utf-16",
       std::string("\xff\xfe"
                   "n\0a\0",
                   6),
       1, 1, "not a text file"},
      {"executable",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0",
                   8),
       1, 1, "byte 0x7f"},
      {"gzip", "\x1f\x8b\x08", 1, 1, "byte 0x1f"},
  };
  for (const BadBytes& bad : cases) {
    const InputError error = error_of(bad.text, bad.name);
    EXPECT_EQ(error.where().line, bad.line) << error.what();
    EXPECT_EQ(error.where().column, bad.column) << error.what();
    EXPECT_NE(std::string(error.what()).find(bad.says), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
  }
}

TEST(BadModels, HugeFilesAreRefusedAtOnce) {
  const InputError error = error_of(std::string(kLargestFile + 1, 'a'), "huge");
  EXPECT_NE(std::string(error.what()).find("too large"), std::string::npos) << error.what();
}

TEST(BadModels, LargeHostileFilesEndQuickly) {
  constexpr std::size_t kSize = 1 << 20;
  const auto many = [](const std::string& piece) {
    std::string text = "name: x\n";
    while (text.size() < kSize) text += piece;
    return text;
  };
  for (const char* piece :
       {"[",   "{",    "- ",       "? ",  "a: ", "&a ",  "*a ",   "!a ",          "\"",    "'",
        "|\n", "[[],", "{a: {}, ", "-\n", ": ",  "%a\n", "---\n", "a: &a [*a]\n", "# x\n", "{? "}) {
    error_of(many(piece), piece);
  }
}

TEST(BadModels, PathsThatLeadNowhereAreNamed) {
  const auto says = [](const std::string& path, const std::string& fragment) {
    try {
      load(path);
      ADD_FAILURE() << path << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << error.what();
      EXPECT_EQ(error.where().file, path);
    }
  };
  says("no/such/file.yaml", "no such file");
  says("", "no such file");
  says(tactus::support::source_dir() + "/models", "a directory");
  says("/dev/null", "not a regular file");
}

}  // namespace
}  // namespace tactus::describe
