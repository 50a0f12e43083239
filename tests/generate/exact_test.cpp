// The law of exact graphs: a template run on Expr and compiled with separate rounding gives bit for bit what
// it gives on double. Only the sign of a zero may differ.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/tape.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {
namespace {

using algebra::Expr;
using algebra::Folding;
using algebra::Function;
using algebra::Graph;

double sin(double x) {
  double s = 0.0, c = 0.0;
  math::sincos(&x, &s, &c, 1);
  return s;
}
double cos(double x) {
  double s = 0.0, c = 0.0;
  math::sincos(&x, &s, &c, 1);
  return c;
}
double sqrt(double x) { return std::sqrt(x); }
double abs(double x) { return std::fabs(x); }
double tan(double x) { return std::tan(x); }
double atan2(double y, double x) { return std::atan2(y, x); }
double pow(double x, double y) { return std::pow(x, y); }
double min(double x, double y) { return algebra::apply(algebra::Op::min, x, y); }
double select(double condition, double yes, double no) { return condition >= 0.0 ? yes : no; }

bool same(double x, double y) {
  return std::bit_cast<std::uint64_t>(x + 0.0) == std::bit_cast<std::uint64_t>(y + 0.0);
}

/// A straight line of operations on a pool of values, the same for every scalar.
template <class S>
std::vector<S> straight_line(unsigned seed, const std::vector<S>& inputs, int operations) {
  std::mt19937 rng(seed);
  const auto below = [&](std::size_t n) { return rng() % n; };
  std::vector<S> pool = inputs;
  for (const double value : {0.0, 1.0, -1.0, 0.5, -1.75, 3.0, 0.1}) pool.push_back(S(value));
  const auto pick = [&] {
    const std::size_t window = std::min<std::size_t>(pool.size(), 30);
    return below(3) == 0 ? pool[below(pool.size())] : pool[pool.size() - 1 - below(window)];
  };
  for (int k = 0; k < operations; ++k) {
    const S a = pick(), b = pick(), c = pick();
    switch (below(18)) {
      case 0:
      case 1:
        pool.push_back(a + b);
        break;
      case 2:
      case 3:
        pool.push_back(a - b);
        break;
      case 4:
      case 5:
      case 6:
        pool.push_back(a * b);
        break;
      case 7:
        pool.push_back(a * b + c);
        break;
      case 8:
        pool.push_back(-(a * b - c));
        break;
      case 9:
        pool.push_back(a / (S(1.5) + b * b));
        break;
      case 10:
        pool.push_back(a / S(below(2) == 0 ? 3.0 : -0.25));
        break;
      case 11:
        pool.push_back(sin(a) * sin(a) + cos(a) * cos(a));
        break;
      case 12:
        pool.push_back((a + b) - b);
        break;
      case 13:
        pool.push_back(S(0.3) * a + S(0.3) * b);
        break;
      case 14:
        pool.push_back(sqrt(abs(a)) + pow(abs(b), S(3.0)));
        break;
      case 15:
        pool.push_back(select(a - b, tan(sin(c)), -c));
        break;
      case 16:
        pool.push_back(min(a, b) + atan2(a, S(2.0) + abs(b)));
        break;
      default:
        pool.push_back(-a);
    }
  }
  return pool;
}

/// udot and lambda of M udot = Q + A^T lambda, A udot = gamma, without pivots: one fixed order of operations.
template <class S>
std::vector<S> eliminate(std::size_t n, std::size_t m, const std::vector<S>& terms) {
  const S* M = terms.data();
  const S* A = M + n * n;
  const S* Q = A + m * n;
  const S* gamma = Q + n;
  const std::size_t size = n + m;
  std::vector<S> K(size * size), x(size);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) K[i * size + j] = M[i * n + j];
    for (std::size_t k = 0; k < m; ++k) {
      K[i * size + n + k] = -A[k * n + i];
      K[(n + k) * size + i] = A[k * n + i];
    }
    x[i] = Q[i];
  }
  for (std::size_t k = 0; k < m; ++k) x[n + k] = gamma[k];
  for (std::size_t p = 0; p < size; ++p) {
    const S inverse = S(1.0) / K[p * size + p];
    for (std::size_t i = p + 1; i < size; ++i) {
      const S factor = K[i * size + p] * inverse;
      for (std::size_t j = p + 1; j < size; ++j) K[i * size + j] -= factor * K[p * size + j];
      x[i] -= factor * x[p];
    }
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t j = i + 1; j < size; ++j) x[i] -= K[i * size + j] * x[j];
    x[i] = x[i] / K[i * size + i];
  }
  return x;
}

std::vector<Expr> symbols(std::size_t count) {
  std::vector<Expr> x;
  for (std::size_t k = 0; k < count; ++k) x.push_back(algebra::symbol("x" + std::to_string(k)));
  return x;
}

Function function_of(std::shared_ptr<Graph> graph, const std::vector<Expr>& in,
                     const std::vector<Expr>& out) {
  return {"f",
          "",
          std::move(graph),
          {{"x", "", static_cast<int>(in.size()), 1, in}},
          {{"y", "", static_cast<int>(out.size()), 1, out}}};
}

std::vector<double> run(const Function& function, const std::vector<double>& in, Backend backend) {
  Evaluator evaluator(compile(function, backend, Rounding::separate));
  std::copy(in.begin(), in.end(), evaluator.input("x").begin());
  evaluator.run();
  const std::span<const double> out = evaluator.output("y");
  return {out.begin(), out.end()};
}

class Exact : public testing::TestWithParam<Backend> {};

TEST_P(Exact, StraightLinesGiveTheBitsOfTheirTemplate) {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed + 1000);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<double> in(10);
    for (double& x : in) x = normal(rng);
    const std::vector<double> expected = straight_line<double>(seed, in, 150);
    const auto graph = std::make_shared<Graph>(Folding::exact);
    const Graph::Scope scope(*graph);
    const std::vector<Expr> x = symbols(in.size());
    const std::vector<double> got =
        run(function_of(graph, x, straight_line<Expr>(seed, x, 150)), in, GetParam());
    for (std::size_t k = 0; k < got.size(); ++k) {
      // Zeros that fold take no part in the overflow that numbers beyond them may have.
      if (!std::isfinite(expected[k])) break;
      ASSERT_TRUE(same(got[k], expected[k]))
          << "seed " << seed << ", value " << k << ": " << got[k] << " instead of " << expected[k];
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000U);
}

TEST_P(Exact, AConstrainedEliminationGivesTheBitsOfItsTemplate) {
  constexpr std::size_t n = 5, m = 2;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<double> terms(n * n + m * n + n + m);
    for (double& x : terms) x = normal(rng);
    for (std::size_t i = 0; i < n; ++i) {
      terms[i * n + i] = 6.0 + std::fabs(normal(rng));
      for (std::size_t j = 0; j < i; ++j) terms[i * n + j] = terms[j * n + i];
    }
    // Structure: zeros and ones that the symbolic run knows and the numeric one does not.
    const auto graph = std::make_shared<Graph>(Folding::exact);
    const Graph::Scope scope(*graph);
    const std::vector<Expr> x = symbols(terms.size());
    std::vector<Expr> symbolic = x;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (k / n < n && k / n == k % n) continue;
      if (rng() % 3 == 0) symbolic[k] = Expr(terms[k] = 0.0);
      if (rng() % 7 == 0) symbolic[k] = Expr(terms[k] = 1.0);
    }
    const std::vector<double> expected = eliminate<double>(n, m, terms);
    const std::vector<double> got =
        run(function_of(graph, x, eliminate<Expr>(n, m, symbolic)), terms, GetParam());
    for (std::size_t k = 0; k < got.size(); ++k) {
      if (!std::isfinite(expected[k])) continue;
      EXPECT_TRUE(same(got[k], expected[k])) << "seed " << seed << ", unknown " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Exact, testing::Values(Backend::interpreter, Backend::automatic),
                         [](const auto& info) {
                           return info.param == Backend::interpreter ? "interpreter" : "automatic";
                         });

TEST(Exact, SeparateRoundingHasNoFusedOperations) {
  const auto graph = std::make_shared<Graph>();
  const Graph::Scope scope(*graph);
  const std::vector<Expr> x = symbols(3);
  const Function f = function_of(graph, x, {x[0] * x[1] + x[2], x[2] - x[0] * x[2], -(x[1] * x[1] + x[0])});
  int fused = 0, separate = 0;
  const auto count = [](const Tape& tape) {
    int found = 0;
    for (const Instruction& i : tape.code) found += i.code >= Code::fma && i.code <= Code::fnms;
    return found;
  };
  fused = count(make_tape(f));
  separate = count(make_tape(f, 16, Rounding::separate));
  EXPECT_EQ(fused, 3);
  EXPECT_EQ(separate, 0);
}

TEST(Exact, TransplantedNodesStayAsTheyAre) {
  const auto algebraic = std::make_shared<Graph>();
  std::vector<Expr> roots, x;
  {
    const Graph::Scope scope(*algebraic);
    x = symbols(6);
    roots = straight_line<Expr>(7, x, 100);
  }
  const auto exact = std::make_shared<Graph>(Folding::exact);
  const Graph::Scope scope(*exact);
  const std::vector<Expr> copies = algebra::transplant(roots, *algebraic);
  const std::vector<double> in{0.3, -1.2, 0.7, 2.1, -0.4, 0.9};
  const std::vector<double> original = run(function_of(algebraic, x, roots), in, Backend::interpreter);
  const std::vector<double> copied = run(function_of(exact, symbols(6), copies), in, Backend::interpreter);
  for (std::size_t k = 0; k < original.size(); ++k) {
    if (std::isfinite(original[k])) {
      EXPECT_TRUE(same(original[k], copied[k])) << k;
    }
  }
}

TEST(Exact, ARewoundGraphIsAsItWas) {
  Graph graph(Folding::exact);
  const Graph::Scope scope(graph);
  const std::vector<Expr> x = symbols(5);
  straight_line<Expr>(1, x, 50);
  const std::size_t size = graph.size();
  const std::vector<Expr> first = straight_line<Expr>(2, x, 3000);
  std::vector<std::uint32_t> ids;
  for (const Expr e : first) ids.push_back(e.id());
  graph.rewind(size);
  EXPECT_EQ(graph.size(), size);
  const std::vector<Expr> again = straight_line<Expr>(2, x, 3000);
  for (std::size_t k = 0; k < ids.size(); ++k) ASSERT_EQ(again[k].id(), ids[k]);
  graph.rewind(size);
  straight_line<Expr>(1, x, 50);
  EXPECT_EQ(graph.size(), size) << "what was there before is found again";
}

}  // namespace
}  // namespace tactus::generate
