// Tables: samples as functions of time, in scripts and in the model.
#include <gtest/gtest.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/motion/break_times.h>
#include "hand_made.h"

namespace tactus::simulate {
namespace {

using namespace test;

constexpr const char* kMass =
    "{name: m, gravity: [0, 0, 0], bodies: {b: {mass: 1}}, joints: {x: {type: prismatic, parent: world, "
    "child: b, axis: x}}}";

/// The force that the script's table f gives at some times.
std::vector<double> forces(const std::string& table, const std::vector<double>& times) {
  const derive::Equations equations(describe::load_text(kMass, "m.yaml"));
  const Script script = read_script(equations, "tables: {f: " + table + "}\ntau: {x: f(t)}\n", "script.yaml");
  const generate::Kernel kernel = generate::compile(*script.loads);
  std::vector<double> in(3), out(1), work(kernel.work_size()), result;
  for (const double t : times) {
    in[0] = t;
    kernel(in.data(), out.data(), work.data());
    result.push_back(out[0]);
  }
  return result;
}

TEST(Tables, InterpolateAndHoldExtrapolateOrEndBeyondTheirEnds) {
  const std::string points = "points: [[0, 1], [0.5, 3], [1, 2], [3, 2]]";
  const std::vector<double> times{-1, 0, 0.25, 0.5, 0.75, 1, 2, 3, 4};
  EXPECT_EQ(forces("{" + points + "}", times), (std::vector<double>{1, 1, 2, 3, 2.5, 2, 2, 2, 2}));
  EXPECT_EQ(forces("{" + points + ", beyond: extrapolate}", times),
            (std::vector<double>{-3, 1, 2, 3, 2.5, 2, 2, 2, 2}));
  const std::vector<double> ends = forces("{" + points + ", beyond: error}", times);
  EXPECT_TRUE(std::isnan(ends.front()));
  EXPECT_TRUE(std::isnan(ends.back()));
  EXPECT_EQ(ends[1], 1.0);
  EXPECT_EQ(ends[7], 2.0);
  EXPECT_EQ(forces("{" + points + ", unit: mN}", {0.5})[0], 3e-3);
}

// Second differences of a cubic spline: at the samples it has their values, its slope and curvature go on, its ends have none.
TEST(Tables, ACubicOneIsANaturalSpline) {
  const std::string table = "{points: [[0, 1], [0.5, 3], [1, 2], [3, 2]], interpolation: cubic}";
  const std::vector<double> x{0.0, 0.5, 1.0, 3.0}, y{1.0, 3.0, 2.0, 2.0};
  EXPECT_LT(support::difference(forces(table, x), y), 1e-14);
  constexpr double h = 1e-4;
  // Truncation h times a third derivative of some 100; rounding 1e-16/h^2.
  constexpr double kCurvature = 0.05, kSlope = 1e-3;
  for (const double at : {0.5, 1.0}) {
    const std::vector<double> f = forces(table, {at - 2 * h, at - h, at, at + h, at + 2 * h});
    EXPECT_NEAR((f[2] - f[1]) / h, (f[3] - f[2]) / h, kSlope * 10);
    EXPECT_NEAR((f[2] - 2 * f[1] + f[0]) / (h * h), (f[4] - 2 * f[3] + f[2]) / (h * h), kCurvature);
  }
  const std::vector<double> end = forces(table, {0.0, h, 2 * h, 3.0 - 2 * h, 3.0 - h, 3.0});
  EXPECT_NEAR((end[2] - 2 * end[1] + end[0]) / (h * h), 0.0, kCurvature);
  EXPECT_NEAR((end[5] - 2 * end[4] + end[3]) / (h * h), 0.0, kCurvature);
  // Of samples on a line it is the line.
  EXPECT_LT(support::difference(
                forces("{points: [[0, 1], [1, 2], [4, 5]], interpolation: cubic, beyond: extrapolate}",
                       {-1.0, 0.3, 2.2, 6.0}),
                std::vector<double>{0.0, 1.3, 3.2, 7.0}),
            1e-14);
}

// A ramp to 0.3337 s, down to 0.7 s, then zero: v is the area, exact for methods of order two and more whose steps end at the
// kinks. From a script, and from a law of the model.
TEST(Tables, EndTheStepsOfEveryIntegratorAtTheirSamples) {
  const std::string table = "{points: [[0, 0], [0.3337, 2], [0.7, 0]]}";
  const describe::Model plain = describe::load_text(kMass, "m.yaml");
  const derive::Equations equations(plain);
  const Script script = read_script(equations, "tables: {f: " + table + "}\ntau: {x: f(t)}\n", "s.yaml");
  const describe::Model lawful = describe::load_text(
      "{name: m, gravity: [0, 0, 0], bodies: {b: {mass: 1}}, joints: {x: {type: prismatic, parent: world, "
      "child: b, axis: x}}, "
      "tables: {f: " +
          table + "}, definitions: {push: f(t)}, forces: {p: {type: joint, joint: x, force: push}}}",
      "m.yaml");
  const derive::Equations law_equations(lawful);
  for (const Dynamics& dynamics : {compile(equations, script.loads), compile(law_equations)}) {
    ASSERT_NE(dynamics.breaks, nullptr);
    EXPECT_DOUBLE_EQ(dynamics.breaks->next(0.1), 0.3337);
    EXPECT_DOUBLE_EQ(dynamics.breaks->next(0.4), 0.7);
    for (const Integrator integrator : {Integrator::rk4, Integrator::adaptive, Integrator::stiff})
      for (const double step : {1.0, 0.1}) {
        const State end =
            simulate_for(dynamics, {0.0, {0.0}, {0.0}, {}}, 1.0, {.step = step, .integrator = integrator});
        // The stiff one takes slopes in time by differences.
        EXPECT_NEAR(end.u[0], 0.7, integrator == Integrator::stiff ? 1e-10 : 1e-12)
            << name_of(integrator) << ' ' << step;
      }
  }
}

TEST(Tables, AreReadFromFiles) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tactus_tables_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "a.csv") << "t,u,force\r\n0,9,1\r\n\r\n0.5,9,3\r\n1e0,9,-2\r\n";
  std::ofstream(folder / "b.txt") << "# time and force\n0 1\n 0.5\t3\n1 -2\n";
  std::ofstream(folder / "c.csv") << "0;1\n0.5;x\n";
  const derive::Equations equations(describe::load_text(kMass, "m.yaml"));
  const auto read = [&](const std::string& table) {
    return read_script(equations, "tables: {f: " + table + "}\ntau: {x: f(t)}\n",
                       (folder / "script.yaml").string());
  };
  for (const char* table :
       {"{file: a.csv, columns: [t, force]}", "{file: a.csv, columns: [1, 3]}", "{file: b.txt}"}) {
    const Script script = read(table);
    const generate::Kernel kernel = generate::compile(*script.loads);
    std::vector<double> in{0.75, 0.0, 0.0}, out(1), work(kernel.work_size());
    kernel(in.data(), out.data(), work.data());
    EXPECT_EQ(out[0], 0.5) << table;
  }
  const auto says = [&](const std::string& table, const std::string& words) {
    try {
      read(table);
      ADD_FAILURE() << table << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
      EXPECT_GT(error.where().line, 0);
    }
  };
  says("{file: a.csv, columns: [t, froce]}", "no column named `froce`");
  says("{file: b.txt, columns: [t, force]}", "no column named `t`");
  says("{file: b.txt, columns: [1, 7]}", "there is no column 7");
  says("{file: b.txt, columns: [1, 1.5]}", "`1.5` is no column's number");
  says("{file: b.txt, columns: [1, 1e30]}", "`1e30` is no column's number");
  says("{file: c.csv}", "`x` is not a finite number");
  says("{file: none.csv}", "no such file");
  says("{points: [[0, 1]]}", "has 1 rows");
  says("{points: [[0, 1], [0, 2]]}", "do not rise");
  says("{points: [[0, 1], [1, 1/0]]}", "finite");
  says("{points: [[0, 1], [1, 2]], file: a.csv}", "exactly one of");
  says("{points: [[0, 1], [1, 2]], beyond: loop}", "is not what is beyond");
  says("{points: [[0, 1], [1, 2]], unit: furlong}", "unknown unit");
  std::filesystem::remove_all(folder);
}

// What a table's file of this text gives at 0.5, or the message.
std::pair<double, std::string> half_way(const std::string& text) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("tactus-separators-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.csv") << text;
  std::pair<double, std::string> result{std::nan(""), ""};
  try {
    const describe::Model model = describe::load_text(
        "name: x\nbodies: {b: {mass: 1}}\njoints: {q: {type: prismatic, parent: world, child: b}}\n"
        "tables: {f: {file: t.csv}}\ndefinitions: {d: f(0.5)}\n",
        (folder / "m.yaml").string());
    result.first = describe::value_of(model, model.definitions.at(0).formula);
  } catch (const InputError& error) {
    result.second = error.what();
  }
  std::filesystem::remove_all(folder);
  return result;
}

TEST(Tables, OfOneFileHaveOneSeparatorAndDecimalCommasOnlyBesideAnother) {
  for (const char* text : {"0,1.5\n1,2.5\n", "0;1.5\n1;2.5\n", "0 1.5\n1\t 2.5\n", "t;force\n0;1,5\n1;2,5\n",
                           "0;1,5\n1;2,5\n", "0\t1,5\n1\t2,5\n", "0,0\t1,5\n1,0\t2,5\n", "0,\t1.5\n1,\t2.5\n",
                           "\"t\",\"x\"\n\"0\",\"1.5\"\n\"1\",\"2.5\"\n", "\xef\xbb\xbft,x\n0,1.5\n1,2.5\n",
                           "t;x\n0;1,5;\n1;2,5;\n"}) {
    const auto [value, said] = half_way(text);
    EXPECT_EQ(said, "") << text;
    EXPECT_DOUBLE_EQ(value, 2.0) << text;
  }
  const auto says = [](const char* text, const char* place, const char* words) {
    const auto [value, said] = half_way(text);
    EXPECT_NE(said.find(place), std::string::npos) << text << said;
    EXPECT_NE(said.find(words), std::string::npos) << text << said;
  };
  says("t,force\n0,1,5\n1,2,5\n", "t.csv:2:1", "this row has 3 columns, and those before it have 2");
  says("# c\n0 1\n1 2 3 4\n\n2 5\n", "t.csv:3:1", "this row has 4 columns");
  says("0 1,5\n1 2,5\n", "t.csv:1:1", "`0 1` is not a finite number");
  says("0;1,5\n1;2.5\n", "t.csv:2:3", "`2.5` is not a finite number");
  says("0;1,234.5\n1;2\n", "t.csv:1:3", "is not a finite number");
  says("0;1\n1\n", "t.csv:2:1", "this row has 1 columns");
}

// A first row with a slip of the pen is no line of names: a sample would be lost without a word.
TEST(Tables, ALineOfNamesHasNoNumbers) {
  for (const char* text :
       {"x0,1\n0.5,2\n1,3\n", "0.0.1;1\n0.5;2\n1;3\n", "0,1O\n0.5,2\n1,3\n", ",0\n0.5,2\n1,3\n"}) {
    const auto [value, said] = half_way(text);
    EXPECT_TRUE(std::isnan(value)) << text;
    EXPECT_NE(said.find("t.csv:1:"), std::string::npos) << text << said;
    EXPECT_NE(said.find("is not a finite number"), std::string::npos) << text << said;
  }
  for (const char* text : {"t,x\n0.5,2\n1,3\n", "0.5,2,good\n1,3,bad\n", "t,x,note\n0.5,2,good\n1,3,bad\n"}) {
    const auto [value, said] = half_way(text);
    EXPECT_EQ(said, "") << text;
    EXPECT_EQ(value, 2.0) << text;
  }
}

TEST(Tables, OfManySamplesCostTimeButNoDepth) {
  std::string points;
  constexpr int kSamples = 5000;
  for (int i = 0; i <= kSamples; ++i)
    points += (i == 0 ? "[" : ", [") + std::to_string(i * 1e-3) + ", " + std::to_string(i % 7) + "]";
  const std::vector<double> f = forces("{points: [" + points + "]}", {0.0, 0.0035, 2.5, 4.9995, 5.0});
  EXPECT_LT(
      support::difference(f, std::vector<double>{0.0, 3.5, 2500 % 7, 0.5 * (4999 % 7 + 5000 % 7), 5000 % 7}),
      1e-9);
}

}  // namespace
}  // namespace tactus::simulate
