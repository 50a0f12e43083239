#include <tactus/algebra/expr.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/algebra/sparse_rows.h>

namespace tactus::algebra {
namespace {

TEST(Expr, EqualExpressionsAreOneNode) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x"), y = symbol("y");
  EXPECT_EQ(x * y + 2.0, 2.0 + y * x);
  EXPECT_EQ(x - y, -(y - x));
  EXPECT_EQ((-x) * y, -(x * y));
  EXPECT_EQ((-x) * (-y), x * y);
  EXPECT_EQ(Expr(3.0) * (Expr(2.0) * x), Expr(6.0) * x);
}

// More nodes by one operand than have room beside it, whole tables of constants, and chains: all are found again, and a graph that forgot some of
// them finds those that stayed.
TEST(Expr, EqualExpressionsAreOneNodeInLargeGraphs) {
  constexpr int kMany = 3000;
  Graph graph;
  Graph::Scope scope(graph);
  std::vector<Expr> x;
  for (int i = 0; i < kMany; ++i) x.push_back(symbol("x" + std::to_string(i)));
  const Expr newest = x[0] / x[1];
  const auto make_all = [&] {
    std::vector<std::uint32_t> ids;
    Expr chain = newest;
    for (int i = 0; i < kMany; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ids.push_back((x[at] * newest).id());
      ids.push_back((Expr(0.5 + i) * x[at]).id());
      chain = chain * x[at] + newest;
      ids.push_back(chain.id());
      ids.push_back(atan2(chain, newest).id());
    }
    return ids;
  };
  const std::size_t before = graph.size();
  const std::vector<std::uint32_t> first = make_all();
  const std::size_t size = graph.size();
  EXPECT_GT(size, before + 4 * (kMany - 1));
  EXPECT_EQ(make_all(), first);
  EXPECT_EQ(graph.size(), size);
  for (const std::size_t left : {before + (size - before) / 2, before}) {
    graph.rewind(left);
    EXPECT_EQ(graph.size(), left);
    EXPECT_EQ(x[0] / x[1], newest);
    EXPECT_EQ(graph.size(), left);
    EXPECT_EQ(make_all(), first);
    EXPECT_EQ(graph.size(), size);
  }
}

TEST(Expr, FoldsWhatIsExact) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x");
  EXPECT_EQ(x + 0.0, x);
  EXPECT_EQ(x * 1.0, x);
  EXPECT_TRUE(is_zero(x * 0.0));
  EXPECT_TRUE(is_zero(x - x));
  EXPECT_TRUE((sin(x) * sin(x) + cos(x) * cos(x)).is_constant(1.0));
  EXPECT_TRUE(cos(Expr(std::numbers::pi / 2)).is_constant(0.0));
  EXPECT_TRUE(sin(Expr(-std::numbers::pi)).is_constant(0.0));
  EXPECT_TRUE(cos(Expr(std::numbers::pi / 3)).is_constant(0.5));
}

TEST(Expr, CountsSharedNodesOnce) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x"), y = symbol("y");
  const Expr p = x * y;
  const Expr roots[] = {p + x, p - y, -p};
  const OperationCount count = count_operations(roots);
  EXPECT_EQ(count.mul, 1);
  EXPECT_EQ(count.add, 2);
}

TEST(Calculus, DifferentiatesAProduct) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x");
  EXPECT_EQ(derivative(x * sin(x), x), sin(x) + x * cos(x));
}

// Of every function of one argument and of two, each argument a function of both symbols.
TEST(Calculus, DerivativesAreTheSlopesOfTheirFunctions) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x"), y = symbol("y"), a = 0.3 * x * y + 0.2, b = 1.3 * y - 0.4 * x * x;
  const std::vector<Expr> functions{a + b,       a * b,
                                    a / b,       -a,
                                    sin(a),      cos(a),
                                    tan(a),      asin(a),
                                    acos(a),     atan(a),
                                    sinh(a),     cosh(a),
                                    tanh(a),     exp(a),
                                    log(a),      sqrt(a),
                                    abs(b),      pow(a, Expr(3.0)),
                                    pow(a, b),   pow(Expr(2.0), b),
                                    atan2(a, b), max(a, b),
                                    min(a, b),   select(a, b, a)};
  constexpr double kX = 0.7, kY = 0.9, kStep = 1e-6,
                   kDifferences = 1e-9;  // step^2 and rounding over the step
  for (const Expr function : functions) {
    const auto at = [&](Expr e, double dx, double dy) {
      return evaluate(e, [&](Expr s) { return s == x ? kX + dx : kY + dy; });
    };
    EXPECT_NEAR(at(derivative(function, x), 0.0, 0.0),
                (at(function, kStep, 0.0) - at(function, -kStep, 0.0)) / (2.0 * kStep), kDifferences)
        << to_text(function, graph);
    EXPECT_NEAR(at(derivative(function, y), 0.0, 0.0),
                (at(function, 0.0, kStep) - at(function, 0.0, -kStep)) / (2.0 * kStep), kDifferences)
        << to_text(function, graph);
  }
}

TEST(Calculus, JacobianHasTheDerivativesOfEachColumn) {
  Graph graph;
  Graph::Scope scope(graph);
  const Expr x = symbol("x"), y = symbol("y"), z = symbol("z"), shared = sin(x * y);
  // A symbol itself, a constant, a root that comes twice, and a symbol (made last) that no root has.
  const std::vector<Expr> roots{shared * z, x, Expr(2.0), shared * z, x / (y + shared), Expr()};
  const std::vector<Expr> symbols{z, x, symbol("absent"), y};
  const std::vector<Expr> matrix = jacobian(roots, symbols);
  ASSERT_EQ(matrix.size(), roots.size() * symbols.size());
  for (std::size_t row = 0; row < roots.size(); ++row)
    for (std::size_t col = 0; col < symbols.size(); ++col)
      EXPECT_EQ(matrix[row * symbols.size() + col], derivative(roots[row], symbols[col]))
          << row << ", " << col;
  const SparseRows sparse = sparse_jacobian(roots, symbols);
  EXPECT_EQ(sparse.rows(), roots.size());
  EXPECT_EQ(sparse.full(), matrix);
  EXPECT_EQ(sparse.entry_count(), static_cast<std::size_t>(std::count_if(
                                      matrix.begin(), matrix.end(), [](Expr e) { return !is_zero(e); })));
  EXPECT_EQ(SparseRows(matrix, symbols.size()).full(), matrix);
}

TEST(Calculus, SubstitutesAcrossGraphsByName) {
  Graph one, two;
  Expr e;
  {
    Graph::Scope scope(one);
    e = symbol("a") * symbol("b") + 1.0;
  }
  Graph::Scope scope(two);
  const Expr moved = substitute(e, one, {}, {});
  EXPECT_EQ(moved, symbol("a") * symbol("b") + 1.0);
}

}  // namespace
}  // namespace tactus::algebra
