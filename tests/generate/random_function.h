// Random functions of the graph, with every operation in them, for laws that all back ends must obey.
#pragma once

#include <memory>
#include <random>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/function.h>

namespace tactus::generate {

struct RandomOptions {
  int inputs = 12;
  int operations = 200;
  int outputs = 10;
  bool arithmetic_only = false;  // no functions but sin and cos
};

inline algebra::Function random_function(unsigned seed, RandomOptions options = {}) {
  using namespace algebra;
  std::mt19937 rng(seed);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(rng); };

  Function function;
  function.name = std::string("random_").append(std::to_string(seed));
  function.meaning = "A random function.";
  function.graph = std::make_shared<Graph>();
  Graph::Scope scope(*function.graph);

  Block x{"x", "first half of the inputs", options.inputs / 2, 1, {}};
  Block y{"y", "the other half", options.inputs - options.inputs / 2, 1, {}};
  std::vector<Expr> pool;
  for (int i = 0; i < options.inputs; ++i) {
    pool.push_back(symbol(std::string("x").append(std::to_string(i))));
    (i < options.inputs / 2 ? x : y).entries.push_back(pool.back());
  }
  for (const double value : {0.5, -1.75, 3.0, 0.1}) pool.emplace_back(value);

  // Recent nodes are preferred, so that the graph is deep.
  const auto pick = [&] {
    const std::size_t window = std::min<std::size_t>(pool.size(), 40);
    return below(4) == 0 ? pool[below(pool.size())] : pool[pool.size() - 1 - below(window)];
  };
  constexpr Op kRare[] = {Op::sqrt, Op::tan,  Op::asin,  Op::acos,   Op::atan, Op::atan2, Op::sinh,
                          Op::cosh, Op::tanh, Op::exp,   Op::log,    Op::pow,  Op::abs,   Op::sign,
                          Op::min,  Op::max,  Op::floor, Op::select, Op::neg};
  for (int k = 0; k < options.operations; ++k) {
    const Expr a = pick(), b = pick(), c = pick();
    Expr made;
    switch (below(options.arithmetic_only ? 10 : 13)) {
      case 0:
      case 1:
        made = a + b;
        break;
      case 2:
      case 3:
        made = a - b;
        break;
      case 4:
      case 5:
      case 6:
        made = a * b;
        break;
      case 7:
        made = a * b + c;
        break;
      case 8:
        made = below(2) == 0 ? sin(a) : cos(a);
        break;
      case 9:
        made = below(3) == 0 ? a / b : -(a * b - c);
        break;
      default:
        made = make(kRare[below(std::size(kRare))], a, b, c);
    }
    pool.push_back(made);
  }

  Block f{"f", "some of what was made", options.outputs, 1, {}};
  for (int k = 0; k < options.outputs; ++k) f.entries.push_back(pool[pool.size() - 1 - below(60)]);
  Block g{"g", "an input, a constant, zero, a sign", 4, 1, {pool[0], Expr(2.5), Expr(0.0), -pool.back()}};
  function.inputs = {x, y};
  function.outputs = {f, g};
  return function;
}

}  // namespace tactus::generate
