#include <tactus/algebra/expr.h>

#include <gtest/gtest.h>

#include <numbers>

#include <tactus/algebra/calculus.h>

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
