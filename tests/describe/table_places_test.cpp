// Where a table's file is wrong: the line, and the column in which the value begins.
#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

namespace tactus::describe {
namespace {

/// line:column of the error that a table in a file of this text gives.
std::string place_of_error(const std::string& text, const std::string& columns = "[1, 2]") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("tactus-places-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "t.csv") << text;
  std::string place = "none";
  try {
    load_text(
        "name: x\nbodies: {b: {mass: 1}}\njoints: {q: {type: prismatic, parent: world, child: b}}\n"
        "tables: {f: {file: t.csv, columns: " +
            columns + "}}\ndefinitions: {d: f(0.5)}\n",
        (folder / "m.yaml").string());
  } catch (const InputError& error) {
    EXPECT_EQ(error.where().file, (folder / "t.csv").string());
    place = std::to_string(error.where().line) + ":" + std::to_string(error.where().column);
  }
  fs::remove_all(folder);
  return place;
}

TEST(TablePlaces, AreThoseOfTheValue) {
  EXPECT_EQ(place_of_error("0 1\n1 2\n"), "none");
  EXPECT_EQ(place_of_error("0 1\n1 x\n"), "2:3");
  EXPECT_EQ(place_of_error("0 1\nx 2\n"), "2:1");
  EXPECT_EQ(place_of_error("0,1\n1,nan\n"), "2:3");
  EXPECT_EQ(place_of_error("0,1\r\n  1 ,   x\r\n"), "2:9");
  EXPECT_EQ(place_of_error("t;u;f\n0;1;2\n1;2;x\n", "[t, f]"), "3:5");
  EXPECT_EQ(place_of_error("0,1\n1,\"x\"\n"), "2:4");
  EXPECT_EQ(place_of_error("0,1\n1,2,3\n"), "2:1");  // the row is wrong, and not a value
}

}  // namespace
}  // namespace tactus::describe
