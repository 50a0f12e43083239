// Real mechanisms through every back end.
#include <gtest/gtest.h>

#include <random>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/batch.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/tape.h>

#include "same_bits.h"
#include "support/paths.h"

namespace tactus::generate {
namespace {

std::vector<algebra::Function> functions_of(const std::string& name) {
  const derive::Equations equations(
      describe::load(tactus::support::source_dir() + "/models/" + name + ".yaml"));
  return {equations.inverse_dynamics(), equations.mass_matrix(), equations.forward_dynamics(),
          equations.energy()};
}

class Models : public testing::TestWithParam<const char*> {};

TEST_P(Models, GiveTheSameBitsInEveryBackEnd) {
  for (const algebra::Function& function : functions_of(GetParam())) {
    const Kernel reference = compile(function, Backend::interpreter), machine = compile(function);
    const BatchKernel batch = compile_batch(function);
    const auto n = static_cast<std::size_t>(batch.lanes());
    std::mt19937 rng(2);
    std::normal_distribution<double> normal;
    std::vector<double> in(batch.input_size()), out(batch.output_size()), work(batch.work_size());
    for (double& x : in) x = normal(rng);
    batch(in.data(), out.data(), work.data());

    std::vector<double> x(reference.input_size()), want(reference.output_size()),
        got(reference.output_size());
    std::vector<double> work_1(reference.work_size()), work_2(machine.work_size());
    for (std::size_t lane = 0; lane < n; ++lane) {
      for (std::size_t k = 0; k < x.size(); ++k) x[k] = in[k * n + lane];
      reference(x.data(), want.data(), work_1.data());
      machine(x.data(), got.data(), work_2.data());
      for (std::size_t k = 0; k < want.size(); ++k) {
        EXPECT_TRUE(std::isfinite(want[k]));
        EXPECT_TRUE(same_bits(got[k], want[k])) << function.name << " " << k;
        EXPECT_TRUE(same_bits(out[k * n + lane], want[k])) << function.name << " " << k;
      }
    }
  }
}

TEST_P(Models, HaveTapesWithTheGraphsOperationCounts) {
  for (const algebra::Function& function : functions_of(GetParam())) {
    const std::vector<algebra::Expr> roots = function.roots();
    const algebra::OperationCount graph = algebra::count_operations(roots),
                                  tape = count_operations(make_tape(function));
    EXPECT_EQ(tape.mul, graph.mul);
    EXPECT_EQ(tape.add, graph.add);
    EXPECT_EQ(tape.div, graph.div);
    EXPECT_EQ(tape.trig, graph.trig);
    EXPECT_EQ(tape.other, graph.other);
  }
}

INSTANTIATE_TEST_SUITE_P(OfTheHouse, Models,
                         testing::Values("puma560", "planar_3r", "rigid_body", "chain_30"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tactus::generate
