#include <tactus/generate/tape.h>

#include <gtest/gtest.h>

#include <tactus/base/error.h>
#include <tactus/generate/schedule.h>

#include "random_function.h"

namespace tactus::generate {
namespace {

using namespace algebra;

Function function_of(std::shared_ptr<Graph> graph, std::vector<Expr> in, std::vector<Expr> out) {
  const int rows = static_cast<int>(in.size()), count = static_cast<int>(out.size());
  return {
      "f", "", std::move(graph), {{"x", "", rows, 1, std::move(in)}}, {{"y", "", count, 1, std::move(out)}}};
}

TEST(Tape, CountsWhatTheGraphCounts) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Function function = random_function(seed);
    const std::vector<Expr> roots = function.roots();
    const OperationCount graph = algebra::count_operations(roots);
    const OperationCount tape = count_operations(make_tape(function));
    EXPECT_EQ(tape.mul, graph.mul) << seed;
    EXPECT_EQ(tape.add, graph.add) << seed;
    EXPECT_EQ(tape.div, graph.div) << seed;
    EXPECT_EQ(tape.trig, graph.trig) << seed;
    EXPECT_EQ(tape.other, graph.other) << seed;
  }
}

TEST(Tape, EveryValueIsMadeBeforeItIsUsed) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Tape tape = make_tape(random_function(seed));
    std::vector<bool> made(tape.value_count, false);
    for (std::uint32_t v = 0; v < tape.first_result(); ++v) made[v] = true;
    for (std::size_t k = 0; k < tape.code.size(); ++k) {
      const Instruction& i = tape.code[k];
      const std::uint32_t operands[] = {i.a, i.b, i.c};
      for (int n = 0; n < operand_count(i.code); ++n) ASSERT_TRUE(made[operands[n]]);
      ASSERT_FALSE(made[i.to]);
      made[i.to] = true;
      if (i.code == Code::sincos) {
        made[i.to + 1] = true;
        // The whole group's arguments are known where it begins.
        for (std::uint32_t n = 1; n < i.group; ++n) {
          ASSERT_EQ(tape.code[k + n].code, Code::sincos);
          ASSERT_LT(tape.code[k + n].a, i.to);
        }
      }
    }
    for (const std::uint32_t output : tape.outputs) EXPECT_TRUE(made[output]);
  }
}

TEST(Tape, FusesAProductThatOneSumUses) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr a = symbol("a"), b = symbol("b"), c = symbol("c"), d = symbol("d");
  const auto only_code = [&](Expr e) {
    const Tape tape = make_tape(function_of(graph, {a, b, c, d}, {e}));
    EXPECT_EQ(tape.code.size(), 1u);
    return tape.code.front().code;
  };
  EXPECT_EQ(only_code(a * b + c), Code::fma);
  EXPECT_EQ(only_code(a * b - c), Code::fms);
  EXPECT_EQ(only_code(c - a * b), Code::fnma);
  EXPECT_EQ(only_code(-(a * b) - c), Code::fnms);
  EXPECT_EQ(only_code(b - a), Code::sub);
  EXPECT_EQ(only_code(Expr(-2.0) * a), Code::mul);
  EXPECT_EQ(make_tape(function_of(graph, {a, b, c, d}, {a * b + c * d})).code.size(), 2u);
}

TEST(Tape, ASumGoesOnWithItsOwnSign) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const std::vector<Expr> x{symbol("a"), symbol("b"), symbol("c"), symbol("d"), symbol("e"), symbol("f")};
  const auto codes = [&](Expr e, std::vector<Expr> more = {}) {
    more.insert(more.begin(), e);
    std::vector<Code> result;
    for (const Instruction& i : make_tape(function_of(graph, x, more)).code) result.push_back(i.code);
    return result;
  };
  // Both forms of a dot have a product, a fused operation and a fused sum; signs are those of products.
  EXPECT_EQ(codes(x[4] * x[5] + (x[0] * x[1] + x[2] * x[3])),
            (std::vector<Code>{Code::mul, Code::fma, Code::fma}));
  EXPECT_EQ(codes(x[4] * x[5] - (x[0] * x[1] + x[2] * x[3])),
            (std::vector<Code>{Code::mul, Code::fnms, Code::fma}));
  // Where others see the sum, or where its other sign would be an instruction more, it stays.
  const Expr seen = x[0] * x[1] + x[2] * x[3];
  EXPECT_EQ(codes(x[4] * x[5] - seen, {seen}), (std::vector<Code>{Code::mul, Code::fma, Code::fms}));
  EXPECT_EQ(codes(x[4] * x[5] - (x[0] + x[1])), (std::vector<Code>{Code::add, Code::fms}));
}

TEST(Tape, KeepsASharedProductApart) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr a = symbol("a"), b = symbol("b"), c = symbol("c");
  const Tape tape = make_tape(function_of(graph, {a, b, c}, {a * b + c, a * b - c}));
  ASSERT_EQ(tape.code.size(), 3u);
  EXPECT_EQ(tape.code[0].code, Code::mul);
}

TEST(Tape, SineAndCosineOfOneAngleAreOneInstruction) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr a = symbol("a"), b = symbol("b");
  const Tape tape = make_tape(function_of(graph, {a, b}, {sin(a) * b, cos(a), sin(a + b), cos(b)}));
  ASSERT_EQ(tape.code.size(), 5u);
  EXPECT_EQ(tape.code[0].code, Code::add);
  EXPECT_EQ(tape.code[1].code, Code::sincos);
  EXPECT_EQ(tape.code[1].group, 3u);
  EXPECT_EQ(tape.code[3].group, 1u);
}

TEST(Tape, ThePathIsThatOfTheLongestChainWhateverTheOrder) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr x = symbol("x"), y = symbol("y");
  const Expr chain = sin(x * y) / y;  // beside it a sum that nothing waits for
  EXPECT_EQ(critical_path(make_tape(function_of(graph, {x, y}, {chain, x + y}))),
            latency(Code::mul) + latency(Code::sincos) + latency(Code::div));
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Function function = random_function(seed);
    EXPECT_EQ(critical_path(make_tape(function, 16)), critical_path(make_tape(function, 32))) << seed;
  }
}

TEST(Tape, NamesASymbolThatNoInputHolds) {
  auto graph = std::make_shared<Graph>();
  Graph::Scope scope(*graph);
  const Expr a = symbol("a"), b = symbol("stranger");
  try {
    make_tape(function_of(graph, {a}, {a + b}));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'stranger'"), std::string::npos);
  }
}

}  // namespace
}  // namespace tactus::generate
