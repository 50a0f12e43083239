// What can be done to whole expressions: differentiate, substitute, move to another graph, evaluate, count.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// d roots / d symbol, sharing all work between the roots.
std::vector<Expr> derivative(std::span<const Expr> roots, Expr symbol);
Expr derivative(Expr root, Expr symbol);

/// Rows: roots; columns: symbols (row-major).
std::vector<Expr> jacobian(std::span<const Expr> roots, std::span<const Expr> symbols);

/// d roots / d t along a motion: sum over the symbols of (d root / d symbol) * rate.
std::vector<Expr> directional_derivative(std::span<const Expr> roots, std::span<const Expr> symbols,
                                         std::span<const Expr> rates);

/// Roots with `from[k]` replaced by `to[k]`, all at once, refolded in the current graph. The roots may live
/// in another graph; their symbols are then looked up by name, unless replaced.
std::vector<Expr> substitute(std::span<const Expr> roots, const Graph& graph_of_roots,
                             std::span<const Expr> from, std::span<const Expr> to);
Expr substitute(Expr root, const Graph& graph_of_root, std::span<const Expr> from, std::span<const Expr> to);

/// The roots, node by node and without any folding, in the current graph; symbols by name. What they compute
/// is the same to the last bit.
std::vector<Expr> transplant(std::span<const Expr> roots, const Graph& graph_of_roots);

/// Values of the roots; `value_of` gives each symbol's.
std::vector<double> evaluate(std::span<const Expr> roots, const std::function<double(Expr)>& value_of);
double evaluate(Expr root, const std::function<double(Expr)>& value_of);

/// The symbols that the roots depend on, by id.
std::vector<Expr> symbols_in(std::span<const Expr> roots);

/// All nodes that the roots need, operands first.
std::vector<const Node*> needed_nodes(std::span<const Expr> roots);

/// Operations, each shared node counted once. Signs are free (they are absorbed into additions and products).
struct OperationCount {
  int mul = 0;
  int add = 0;   // additions and subtractions
  int div = 0;   // divisions
  int trig = 0;  // sines and cosines, each counted
  int other = 0;
  int total() const { return mul + add + div + trig + other; }
};
OperationCount count_operations(std::span<const Expr> roots);

}  // namespace tactus::algebra
