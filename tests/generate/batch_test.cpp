#include <tactus/generate/batch.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include <tactus/derive/equations.h>
#include <tactus/derive/recursion/batch_forms.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/tape.h>

#include "random_function.h"
#include "same_bits.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::generate {
namespace {

TEST(Batch, EveryLaneGetsTheScalarKernelsBits) {
  const algebra::Function function = random_function(5);
  const Kernel scalar = compile(function);
  for (const int lanes : {0, 4, 8}) {
    for (const Backend backend : {Backend::automatic, Backend::interpreter}) {
      const BatchKernel batch = compile_batch(function, lanes, backend);
      const auto n = static_cast<std::size_t>(batch.lanes());
      std::mt19937 rng(1);
      std::normal_distribution<double> normal;
      std::vector<double> in(batch.input_size()), out(batch.output_size()), work(batch.work_size());
      for (double& x : in) x = normal(rng);
      batch(in.data(), out.data(), work.data());

      std::vector<double> x(scalar.input_size()), y(scalar.output_size()), scratch(scalar.work_size());
      ASSERT_EQ(in.size(), x.size() * n);
      ASSERT_EQ(out.size(), y.size() * n);
      for (std::size_t lane = 0; lane < n; ++lane) {
        for (std::size_t k = 0; k < x.size(); ++k) x[k] = in[k * n + lane];
        scalar(x.data(), y.data(), scratch.data());
        for (std::size_t k = 0; k < y.size(); ++k)
          ASSERT_TRUE(same_bits(out[k * n + lane], y[k])) << lane << " " << k;
      }
    }
  }
}

TEST(Batch, IsNarrowerWhereTheArraysOfEightStatesDoNotFitTheCache) {
  RandomOptions options;
  const int widest = widest_batch();
  options.outputs = 100;
  EXPECT_EQ(suitable_batch(random_function(1, options)), widest);
  options.outputs = 900;  // 57,600 bytes for eight states, 28,800 for four
  EXPECT_EQ(suitable_batch(random_function(1, options)), 4);
  EXPECT_EQ(compile_batch(random_function(1, options)).lanes(), 4);
  options.outputs = 2000;  // too many for either
  EXPECT_EQ(suitable_batch(random_function(1, options)), widest);
}

TEST(Batch, MassMatricesCarriedDownAreThoseOfDots) {
  for (const char* name : {"chain_30", "puma560", "joint_gallery"}) {
    const derive::Equations equations(describe::load(support::source_dir() + "/models/" + name + ".yaml"));
    const algebra::Function dots = equations.mass_matrix(),
                            carried = derive::mass_matrix_for_batches(equations);
    EXPECT_EQ(carried.name, dots.name);
    ASSERT_EQ(carried.input_size(), dots.input_size());
    ASSERT_EQ(carried.output_size(), dots.output_size());
    if (std::string(name) == "chain_30") {
      EXPECT_NE(make_tape(carried).code.size(), make_tape(dots).code.size())
          << "one form compared with itself";
    }
    Evaluator one(compile(dots)), other(compile(carried));
    std::mt19937 rng(7);
    std::uniform_real_distribution<double> angle(-3.0, 3.0);
    for (int state = 0; state < 3; ++state) {
      for (std::size_t k = 0; k < one.input("q").size(); ++k)
        one.input("q")[k] = other.input("q")[k] = angle(rng);
      one.run();
      other.run();
      double largest = 0.0;
      for (const double x : one.output("M")) largest = support::larger(largest, std::abs(x));
      ASSERT_GT(largest, 0.0);
      for (std::size_t k = 0; k < one.output("M").size(); ++k)
        EXPECT_NEAR(other.output("M")[k], one.output("M")[k], 1e-12 * largest) << name << " " << k;
    }
  }
}

TEST(Batch, KnowsItsBlocks) {
  const BatchKernel batch = compile_batch(random_function(5), 4);
  ASSERT_NE(batch.input("y"), nullptr);
  EXPECT_EQ(batch.input("y")->offset, 6u);
  EXPECT_EQ(batch.output("nothing"), nullptr);
  EXPECT_EQ(batch.lanes(), 4);
}

}  // namespace
}  // namespace tactus::generate
