// Neighbouring elements as lanes of one state: the same bits as the tape, element by element.
#include <tactus/generate/side_by_side.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/derive/linear/motion_derivatives.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/interpreter.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>

#include "same_bits.h"
#include "support/paths.h"

namespace tactus::generate {
namespace {

using algebra::Expr;
using algebra::Function;

std::size_t taken_of(const Tape& tape) {
  const SideBySide side = find_side_by_side(tape, 8);
  return static_cast<std::size_t>(std::count(side.taken.begin(), side.taken.end(), true));
}

/// Machine code of every level, with lanes and without, against the interpreter at a few states.
void expect_same_bits(const Function& function, unsigned seed, bool extremes, const std::string& what) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal(0.0, 1.5);
  const double extreme[] = {0.0,
                            -0.0,
                            1e300,
                            -1e-300,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  for (const Level level : {Level::avx2, Level::avx512}) {
    if (level > machine_level()) continue;
    const Tape tape = make_tape(function, register_count(level));
    const Interpreter interpreter(tape);
    std::vector<double> scratch(interpreter.work_size()), want(function.output_size());
    for (const bool side_by_side : {true, false}) {
      const auto code = MachineCode::assemble(tape, 1, level, side_by_side);
      ASSERT_NE(code, nullptr);
      std::vector<double> work(code->work_size(), 1e99), got(function.output_size() + 8);
      for (int state = 0; state < 6; ++state) {
        std::vector<double> in(function.input_size());
        for (double& x : in)
          x = extremes && rng() % 20 == 0 ? extreme[rng() % std::size(extreme)] : normal(rng);
        interpreter(in.data(), want.data(), scratch.data());
        std::fill(got.begin(), got.end(), -7.0);
        code->entry()(Program{}, in.data(), got.data(), work.data());
        for (std::size_t k = 0; k < want.size(); ++k)
          ASSERT_TRUE(same_bits(got[k], want[k]))
              << what << ", output " << k << ": " << got[k] << " instead of " << want[k]
              << (side_by_side ? ", side by side" : "");
        for (std::size_t k = want.size(); k < got.size(); ++k)
          EXPECT_EQ(got[k], -7.0) << "written behind the end";
      }
    }
  }
}

/// A matrix of dots x_i . y_j with signs here and there, vectors that share entries, and elements of other forms in between.
Function random_dots(unsigned seed) {
  std::mt19937 rng(seed);
  auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  const std::size_t n = 5 + rng() % 20, length = 2 + rng() % 6;
  Function function{"dots",
                    "",
                    graph,
                    {{"in", "", 40, 1, {}}},
                    {{"out", "", static_cast<int>(n), static_cast<int>(n), {}}}};
  for (int k = 0; k < 40; ++k) function.inputs[0].entries.push_back(algebra::symbol("a" + std::to_string(k)));
  const std::vector<Expr>& in = function.inputs[0].entries;
  // Entries at the same place have the same form, now and then another one, and any sign.
  const auto entry = [&](unsigned form) -> Expr {
    const Expr a = in[rng() % 40], b = in[rng() % 40], c = in[rng() % 40];
    if (rng() % 50 == 0) form = static_cast<unsigned>(rng() % 6);
    const Expr x = form == 0   ? a
                   : form == 1 ? b - a * c
                   : form == 2 ? algebra::sin(a)
                   : form == 3 ? Expr(0.25 + static_cast<double>(rng() % 3))
                               : a * b + c * a;
    return rng() % 3 == 0 ? -x : x;
  };
  std::vector<unsigned> form_x(length), form_y(length);
  for (std::size_t k = 0; k < length; ++k) {
    form_x[k] = static_cast<unsigned>(rng() % 7);
    form_y[k] = static_cast<unsigned>(rng() % 7);
  }
  std::vector<std::vector<Expr>> x(n), y(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < length; ++k) {
      x[i].push_back(entry(form_x[k]));
      y[i].push_back(rng() % 30 == 0 && i > 0 ? y[i - 1][k] : entry(form_y[k]));
    }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      Expr sum = x[i][0] * y[j][0];
      for (std::size_t k = 1; k < length; ++k) {
        const Expr product = x[i][k] * y[j][k];
        sum = (seed % 2 == 0 && (i + k) % 3 == 0) ? product - sum : sum + product;
      }
      if (rng() % 40 == 0) sum = -sum;
      if (rng() % 60 == 0) sum = in[0];
      function.outputs[0].entries.push_back(i > j && seed % 3 == 0 ? function.outputs[0].entries[j * n + i]
                                                                   : sum);
    }
  return function;
}

TEST(SideBySideTest, DotsOfAnySignsHaveTheBitsOfTheTape) {
  std::size_t taken = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    const Function function = random_dots(seed);
    taken += taken_of(make_tape(function));
    expect_same_bits(function, seed, seed % 2 == 1, "dots " + std::to_string(seed));
  }
  EXPECT_GT(taken, 10000u);  // enough rows of one form among them for the test to be of something
}

TEST(SideBySideTest, MatricesOfChainsRunSideBySideWithTheBitsOfTheTape) {
  for (const char* name : {"chain_30", "general_6r", "puma560", "joint_gallery"}) {
    const derive::Equations equations(describe::load(support::source_dir() + "/models/" + name + ".yaml"));
    const Function mass = equations.mass_matrix(), derivatives = derive::inverse_derivatives(equations);
    expect_same_bits(mass, 1, false, std::string(name) + " M");
    expect_same_bits(derivatives, 2, false, std::string(name) + " derivatives");
    if (std::string(name) != "chain_30") continue;
    for (const Function* function : {&mass, &derivatives}) {
      const Tape tape = make_tape(*function, 32);
      EXPECT_GT(2 * taken_of(tape), tape.code.size()) << function->name;
    }
  }
}

/// Columns that go on from row to row, each from all that came before it in the column: x_i = a_i x_(i-1) + b_i (x_(i-2) + ...), among the outputs and
/// in between. Now and then an entry of another form, or a sign.
Function random_recursion(unsigned seed) {
  std::mt19937 rng(seed);
  auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  const std::size_t n = 6 + rng() % 15, rows = 4 + rng() % 8;
  Function function{"recursion",
                    "",
                    graph,
                    {{"in", "", 40, 1, {}}},
                    {{"out", "", static_cast<int>(rows), static_cast<int>(n), {}}}};
  for (int k = 0; k < 40; ++k) function.inputs[0].entries.push_back(algebra::symbol("a" + std::to_string(k)));
  const std::vector<Expr>& in = function.inputs[0].entries;
  std::vector<Expr> x(n), sum(n);
  for (std::size_t k = 0; k < n; ++k) {
    x[k] = rng() % 9 == 0 ? -in[rng() % 40] : in[rng() % 40] * in[rng() % 40];
    sum[k] = rng() % 9 == 0 ? Expr(0.0) : in[rng() % 40];
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const Expr a = in[rng() % 40] * in[rng() % 40], b = in[rng() % 40];
    for (std::size_t k = 0; k < n; ++k) {
      const Expr before = x[k];
      x[k] = a * before + b * sum[k];
      if (rng() % 25 == 0) x[k] = -x[k];
      sum[k] = sum[k] + b * before;
      if (rng() % 40 == 0) sum[k] = algebra::sin(sum[k]);
      // Some rows are for the next alone.
      function.outputs[0].entries.push_back(i % 3 == 1 && i + 1 < rows ? Expr(1.0) : x[k]);
    }
  }
  return function;
}

TEST(SideBySideTest, RowsThatFollowFromRowsHaveTheBitsOfTheTape) {
  std::size_t between = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Function function = random_recursion(seed);
    const SideBySide side = find_side_by_side(make_tape(function), 8);
    between += static_cast<std::size_t>(std::count_if(side.windows.begin(), side.windows.end(),
                                                      [](const auto& window) { return window.to_arrays; }));
    expect_same_bits(function, seed, seed % 2 == 1, "recursion " + std::to_string(seed));
  }
  EXPECT_GT(between, 200u);  // enough of them for the test to be of something
}

TEST(SideBySideTest, DerivativesOfForwardDynamicsRunSideBySideWithTheBitsOfTheTape) {
  const derive::Equations equations(describe::load(support::source_dir() + "/models/chain_30.yaml"));
  const Function derivatives = derive::forward_derivatives(equations);
  expect_same_bits(derivatives, 3, false, "chain_30");
  const Tape tape = make_tape(derivatives, 32);
  EXPECT_GT(3 * taken_of(tape), 2 * tape.code.size());
}

TEST(SideBySideTest, ShortProgramsAreLeftAlone) {
  const derive::Equations equations(describe::load(support::source_dir() + "/models/planar_3r.yaml"));
  EXPECT_EQ(taken_of(make_tape(equations.mass_matrix())), 0u);
}

}  // namespace
}  // namespace tactus::generate
