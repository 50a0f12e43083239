// Programs whose inputs, constants, outputs and spilled values lie further apart than one register reaches with short displacements.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/generate/interpreter.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>

#include "same_bits.h"

namespace tactus::generate {
namespace {

using algebra::Expr;
using algebra::Function;

/// Sums of products of what was made long before and just now, with hundreds of constants, so that many values wait in memory; calls in
/// between, or none.
Function far_apart(unsigned seed, bool calls) {
  constexpr int kInputs = 300, kMade = 1500;
  std::mt19937 rng(seed);
  auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  Function function{"far_apart", "", graph, {{"in", "", kInputs, 1, {}}}, {{"out", "", kMade / 3, 1, {}}}};
  std::vector<Expr> made;
  for (int k = 0; k < kInputs; ++k) made.push_back(algebra::symbol("x" + std::to_string(k)));
  function.inputs[0].entries = made;
  for (int k = 0; k < kMade; ++k) {
    const Expr a = made[rng() % made.size()], b = made[made.size() - 1 - rng() % 40];
    Expr x = Expr(1.0 / (k + 2)) * a - (b * made[rng() % made.size()] + a);
    if (rng() % 4 == 0) x = -x;
    if (calls && k % 300 == 150) x = algebra::tanh(x);
    if (calls && k % 400 == 10) x = algebra::sin(x);
    // Kept near one.
    made.push_back(k % 8 == 0 ? algebra::make(algebra::Op::min, x, Expr(2.0), Expr()) : Expr(0.25) * x);
    if (k % 3 == 0) function.outputs[0].entries.push_back(made.back());
  }
  return function;
}

TEST(Addresses, FarApartHaveTheBitsOfTheTape) {
  for (const bool calls : {false, true}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      const Function function = far_apart(seed, calls);
      for (const Level level : {Level::avx2, Level::avx512}) {
        if (level > machine_level()) continue;
        const Tape tape = make_tape(function, register_count(level));
        const Interpreter interpreter(tape);
        for (const int lanes : {1, 4, 8}) {
          if (lanes == 8 && level == Level::avx2) continue;
          const auto n = static_cast<std::size_t>(lanes);
          const auto code = MachineCode::assemble(tape, lanes, level);
          ASSERT_NE(code, nullptr);
          ASSERT_GT(code->work_size(), 500 * n) << "all of it within reach: this tests nothing";
          std::mt19937 rng(seed);
          std::normal_distribution<double> normal(0.0, 1.0);
          std::vector<double> in(function.input_size() * n), got(function.output_size() * n);
          for (double& x : in) x = normal(rng);
          std::vector<double> work(code->work_size());
          code->entry()(Program{}, in.data(), got.data(), work.data());
          std::vector<double> one(function.input_size()), want(function.output_size()),
              scratch(interpreter.work_size());
          for (std::size_t lane = 0; lane < n; ++lane) {
            for (std::size_t k = 0; k < one.size(); ++k) one[k] = in[k * n + lane];
            interpreter(one.data(), want.data(), scratch.data());
            for (std::size_t k = 0; k < want.size(); ++k)
              ASSERT_TRUE(same_bits(got[k * n + lane], want[k]))
                  << "output " << k << ", lane " << lane << " of " << lanes << ", calls " << calls;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tactus::generate
