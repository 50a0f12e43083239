#include <tactus/generate/batch.h>

#include <gtest/gtest.h>

#include <random>

#include "random_function.h"
#include "same_bits.h"

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

TEST(Batch, KnowsItsBlocks) {
  const BatchKernel batch = compile_batch(random_function(5), 4);
  ASSERT_NE(batch.input("y"), nullptr);
  EXPECT_EQ(batch.input("y")->offset, 6u);
  EXPECT_EQ(batch.output("nothing"), nullptr);
  EXPECT_EQ(batch.lanes(), 4);
}

}  // namespace
}  // namespace tactus::generate
