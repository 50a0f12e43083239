// The law of all back ends: same tape, same bits. NaN equals NaN, whatever its sign and payload.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <tactus/generate/interpreter.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>
#include <tactus/generate/tape.h>

#include "random_function.h"
#include "same_bits.h"

namespace tactus::generate {
namespace {

/// Ordinary values, with the odd extreme one in between.
std::vector<double> random_inputs(std::size_t count, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> normal(0.0, 1.5);
  const double extreme[] = {0.0,
                            -0.0,
                            1e300,
                            -1e7,
                            5e-324,
                            std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN()};
  std::vector<double> in(count);
  for (double& x : in) x = rng() % 40 == 0 ? extreme[rng() % std::size(extreme)] : normal(rng);
  return in;
}

struct Case {
  Level level;
  int lanes;
};

class SameBits : public testing::TestWithParam<Case> {};

TEST_P(SameBits, AsTheInterpreter) {
  const auto [level, lanes] = GetParam();
  if (level > machine_level()) GTEST_SKIP() << "not on this processor";
  const auto n = static_cast<std::size_t>(lanes);
  std::size_t numbers = 0, all = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    RandomOptions options;
    options.arithmetic_only = seed % 3 == 0;
    options.operations = seed % 5 == 0 ? 900 : 150;
    options.outputs = 40;
    const algebra::Function function = random_function(seed, options);
    const Tape tape = make_tape(function);
    const Interpreter interpreter(tape);
    const auto code = MachineCode::assemble(tape, lanes, level);
    ASSERT_NE(code, nullptr);

    const std::size_t inputs = function.input_size(), outputs = function.output_size();
    std::vector<double> in(inputs * n), got(outputs * n, -7.0), work(code->work_size() + 1, 99.0);
    std::vector<std::vector<double>> want;
    std::vector<double> scratch(interpreter.work_size());
    for (std::size_t lane = 0; lane < n; ++lane) {
      const std::vector<double> x = random_inputs(inputs, seed * 100 + static_cast<unsigned>(lane));
      for (std::size_t k = 0; k < inputs; ++k) in[k * n + lane] = x[k];
      want.emplace_back(outputs);
      interpreter(x.data(), want.back().data(), scratch.data());
    }
    code->entry()(Program{}, in.data(), got.data(), work.data());
    for (std::size_t lane = 0; lane < n; ++lane) {
      for (std::size_t k = 0; k < outputs; ++k) {
        numbers += std::isfinite(want[lane][k]);
        ++all;
        ASSERT_TRUE(same_bits(got[k * n + lane], want[lane][k]))
            << "function " << seed << ", output " << k << ", lane " << lane << ": " << got[k * n + lane]
            << " instead of " << want[lane][k];
      }
    }
    EXPECT_EQ(work.back(), 99.0) << "wrote beyond its work array";
  }
  EXPECT_GT(numbers, all / 3) << "too few numbers among the NaNs to say much";
}

INSTANTIATE_TEST_SUITE_P(MachineCode, SameBits,
                         testing::Values(Case{Level::avx2, 1}, Case{Level::avx512, 1}, Case{Level::avx2, 4},
                                         Case{Level::avx512, 4}, Case{Level::avx512, 8}),
                         [](const auto& info) {
                           return std::string(info.param.level == Level::avx2 ? "Avx2" : "Avx512") + "With" +
                                  std::to_string(info.param.lanes) + "Lanes";
                         });

TEST(Interpreter, GivesTheSameBitsWithoutTheProcessorsFusedMultiplyAdd) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const algebra::Function function = random_function(seed, {.outputs = 40});
    const Tape tape = make_tape(function);
    const Interpreter native(tape), portable(tape, false);
    const std::vector<double> in = random_inputs(function.input_size(), seed);
    std::vector<double> want(function.output_size()), got(function.output_size());
    std::vector<double> work(std::max(native.work_size(), portable.work_size()));
    native(in.data(), want.data(), work.data());
    portable(in.data(), got.data(), work.data());
    for (std::size_t k = 0; k < got.size(); ++k) ASSERT_TRUE(same_bits(got[k], want[k])) << seed << " " << k;
  }
}

TEST(MachineCode, IsRefusedWhereTheProcessorLacksIt) {
  const Tape tape = make_tape(random_function(1));
  EXPECT_EQ(MachineCode::assemble(tape, 1, Level::none), nullptr);
  EXPECT_EQ(MachineCode::assemble(tape, 8, Level::avx2), nullptr);
}

TEST(MachineCode, OfAChildProcessLeavesTheParentsAlone) {
  if (machine_level() == Level::none) GTEST_SKIP() << "no machine code on this processor";
  const algebra::Function function = random_function(3);
  const Tape tape = make_tape(function);
  const auto run = [&](const MachineCode& code) {
    std::vector<double> in(function.input_size(), 0.3), out(function.output_size()), work(code.work_size());
    code.entry()(Program{}, in.data(), out.data(), work.data());
    return out;
  };
  const auto before = MachineCode::assemble(tape);
  const std::vector<double> want = run(*before);
  const pid_t child = ::fork();
  if (child == 0) {
    // Another program, compiled while the parent waits, in what would be the next free memory of both.
    const auto other = MachineCode::assemble(make_tape(random_function(4)));
    ::_exit(other != nullptr && same_bits(run(*before)[0], want[0]) ? 0 : 1);
  }
  const auto after = MachineCode::assemble(tape);
  int status = 1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const std::vector<double> got = run(*after);
  for (std::size_t k = 0; k < got.size(); ++k) EXPECT_TRUE(same_bits(got[k], want[k]));
}

}  // namespace
}  // namespace tactus::generate
