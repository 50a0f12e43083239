#include <tactus/generate/kernel.h>

#include <gtest/gtest.h>

#include <cmath>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>
#include <tactus/generate/batch.h>
#include <tactus/generate/warm.h>

#include "random_function.h"
#include "same_bits.h"

namespace tactus::generate {
namespace {

using namespace algebra;

TEST(Kernel, EvaluatesASmallFunction) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr x = symbol("x"), y = symbol("y");
  const Function function{"f",
                          "",
                          graph,
                          {{"x", "", 1, 1, {x}}, {"y", "", 1, 1, {y}}},
                          {{"sum", "", 1, 1, {x + y}}, {"more", "", 1, 2, {x * y - 1.0, sin(x) / y}}}};
  for (const Backend backend : {Backend::interpreter, Backend::automatic}) {
    Evaluator f(compile(function, backend));
    f.input("x")[0] = 0.5;
    f.input("y")[0] = 4.0;
    f.run();
    EXPECT_EQ(f.output("sum")[0], 4.5);
    EXPECT_EQ(f.output("more")[0], 1.0);
    EXPECT_NEAR(f.output("more")[1], std::sin(0.5) / 4.0, 1e-16);
    EXPECT_TRUE(f.output("none").empty());
    EXPECT_EQ(f.kernel().output("more")->offset, 1u);
    EXPECT_EQ(f.kernel().output_size(), 3u);
  }
}

TEST(Kernel, ReadsTheCellsOfItsGraphWhereItRuns) {
  const auto cells = std::make_shared<algebra::Cells>(std::vector<std::string>{"unused", "m", "g"},
                                                      std::vector<double>{0.0, 2.0, 5.0});
  auto graph = std::make_shared<Graph>();
  graph->set_cells(cells);
  Graph::Scope scope(*graph);
  const Expr m = symbol("m"), g = symbol("g"), x = symbol("x");
  // With and without calls, which take other registers; and a value that goes straight to the outputs.
  const Function plain{"f", "", graph, {{"x", "", 1, 1, {x}}}, {{"y", "", 2, 1, {m * g - x, g}}}};
  const Function calls{
      "f", "", graph, {{"x", "", 1, 1, {x}}}, {{"y", "", 2, 1, {m * g - sin(x * g) * exp(m), g}}}};
  for (const Backend backend : {Backend::interpreter, Backend::automatic}) {
    Evaluator f(compile(plain, backend)), h(compile(calls, backend));
    EXPECT_EQ(f.kernel().input_size(), 1u);
    for (const double mass : {2.0, 7.0}) {
      cells->set(1, mass);
      f.input("x")[0] = h.input("x")[0] = 3.0;
      f.run();
      h.run();
      EXPECT_EQ(f.output("y")[0], mass * 5.0 - 3.0);
      EXPECT_EQ(f.output("y")[1], 5.0);
      EXPECT_NEAR(h.output("y")[0], mass * 5.0 - std::sin(15.0) * std::exp(mass), 1e-12 * std::exp(mass));
    }
    cells->set(1, 2.0);
  }
  EXPECT_THROW(compile_batch(plain, 4), InputError);
  const Function lost{"f", "", graph, {}, {{"y", "", 1, 1, {symbol("nowhere")}}}};
  EXPECT_THROW(compile(lost), InputError);
}

TEST(Kernel, MayHaveNothingToDo) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr x = symbol("x");
  for (const Backend backend : {Backend::interpreter, Backend::automatic}) {
    const Function nothing{"nothing", "", graph, {}, {}};
    Evaluator f(compile(nothing, backend));
    f.run();
    const Function copies{
        "copies", "", graph, {{"x", "", 1, 1, {x}}}, {{"y", "", 4, 1, {x, x, Expr(7.0), Expr(0.0)}}}};
    Evaluator g(compile(copies, backend));
    g.input("x")[0] = 3.0;
    g.run();
    EXPECT_EQ(g.output("y")[0], 3.0);
    EXPECT_EQ(g.output("y")[1], 3.0);
    EXPECT_EQ(g.output("y")[2], 7.0);
    EXPECT_EQ(g.output("y")[3], 0.0);
  }
}

TEST(Kernel, AgreesWithTheGraphsOwnEvaluation) {
  // Fusing changes the last bit of a result; cancellation in a random graph can raise that.
  constexpr double kRelative = 1e-9;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Function function = random_function(seed, {.operations = 60, .arithmetic_only = true});
    Evaluator f(compile(function, Backend::interpreter));
    const std::vector<Expr> roots = function.roots();
    std::mt19937 rng(seed);
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    std::vector<double> value(function.graph->size(), 0.0);
    for (const Block& block : function.inputs) {
      const std::span<double> in = f.input(block.name);
      for (std::size_t k = 0; k < in.size(); ++k) value[block.entries[k].id()] = in[k] = uniform(rng);
    }
    f.run();
    const std::vector<double> expected = evaluate(roots, [&](Expr s) { return value[s.id()]; });
    std::size_t k = 0;
    for (const Block& block : function.outputs) {
      for (const double got : f.output(block.name)) {
        const double want = expected[k++];
        if (!std::isfinite(want) || std::fabs(want) > 1e6) continue;
        EXPECT_NEAR(got, want, kRelative * std::max(1.0, std::fabs(want))) << function.name << " " << k;
      }
    }
  }
}

TEST(Kernel, WarmedComputesNothingAndChangesNothing) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    const algebra::Function function = random_function(seed);
    for (const Backend backend : {Backend::automatic, Backend::interpreter}) {
      const Kernel kernel = compile(function, backend);
      std::vector<double> in(kernel.input_size(), 0.7), work(kernel.work_size(), -3.0);
      std::vector<double> out(kernel.output_size(), -7.0);
      warm(kernel, in.data(), out.data(), work.data());
      for (const double x : out) EXPECT_EQ(x, -7.0);
      for (const double x : work) EXPECT_EQ(x, -3.0);
      std::vector<double> expected(kernel.output_size()), again(kernel.work_size());
      kernel(in.data(), expected.data(), again.data());
      kernel(in.data(), out.data(), work.data());
      for (std::size_t k = 0; k < out.size(); ++k) EXPECT_TRUE(same_bits(out[k], expected[k])) << k;
    }
  }
}

}  // namespace
}  // namespace tactus::generate
