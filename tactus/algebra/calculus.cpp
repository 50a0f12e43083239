#include <tactus/algebra/calculus.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include <tactus/algebra/sparse_rows.h>
#include <tactus/base/check.h>

namespace tactus::algebra {

namespace {

constexpr std::uint32_t kNowhere = UINT32_MAX;

/// Numbers by nodes' ids, for the length of a call. The tables are the thread's own and are given back as they were taken, empty: a call costs what
/// the nodes that it looks at cost, however large the graph is that they stand in.
class Places {
 public:
  Places() {
    if (pool().empty()) pool().push_back(std::make_unique<std::vector<std::uint32_t>>());
    table_ = std::move(pool().back());
    pool().pop_back();
  }
  ~Places() {
    for (const std::uint32_t id : set_) (*table_)[id] = kNowhere;
    pool().push_back(std::move(table_));
  }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  std::uint32_t of(const Node* n) const { return n->id < table_->size() ? (*table_)[n->id] : kNowhere; }
  /// For each node once.
  void set(const Node* n, std::uint32_t place) {
    if (n->id >= table_->size())
      table_->resize(std::max<std::size_t>(n->id + 1, 2 * table_->size()), kNowhere);
    (*table_)[n->id] = place;
    set_.push_back(n->id);
  }
  /// Where each node stands among these.
  void number(const std::vector<const Node*>& nodes) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) set(nodes[i], i);
  }

 private:
  static std::vector<std::unique_ptr<std::vector<std::uint32_t>>>& pool() {
    thread_local std::vector<std::unique_ptr<std::vector<std::uint32_t>>> tables;
    return tables;
  }

  std::unique_ptr<std::vector<std::uint32_t>> table_;
  std::vector<std::uint32_t> set_;
};

}  // namespace

std::vector<const Node*> needed_nodes(std::span<const Expr> roots) {
  std::vector<const Node*> found;
  std::uint32_t top = 0;
  {
    // Root by root, each to its depth: nodes that stand near each other in memory come one after the other.
    Places seen;
    std::vector<const Node*> open;
    const auto visit = [&](const Node* n) {
      if (n == nullptr || seen.of(n) != kNowhere) return;
      seen.set(n, 0);
      open.push_back(n);
      top = std::max(top, n->id);
    };
    for (const Expr root : roots) {
      visit(root.node());
      while (!open.empty()) {
        const Node* n = open.back();
        open.pop_back();
        found.push_back(n);
        visit(n->a);
        visit(n->b);
        visit(n->c);
      }
    }
  }
  // Ids grow from operands to users, so the order of ids is a topological order. Most of a graph is sorted by putting each node at its place.
  constexpr std::size_t kMost = 8;
  if (found.size() * kMost < top) {
    std::sort(found.begin(), found.end(), [](const Node* x, const Node* y) { return x->id < y->id; });
    return found;
  }
  std::vector<const Node*> by_id(top + 1, nullptr);
  for (const Node* n : found) by_id[n->id] = n;
  std::erase(by_id, nullptr);
  return by_id;
}

namespace {

/// The derivative of one node, given those of its operands.
Expr chain_rule(const Node* n, Expr da, Expr db, Expr dc) {
  const Expr x(n);
  const Expr a(n->a ? n->a : n), b(n->b ? n->b : n);
  switch (n->op) {
    case Op::constant:
    case Op::symbol:
      return 0.0;
    case Op::add:
      return da + db;
    case Op::sub:
      return da - db;
    case Op::mul:
      return da * b + a * db;
    case Op::div:
      return (da - x * db) / b;
    case Op::neg:
      return -da;
    case Op::sqrt:
      return da / (Expr(2.0) * x);
    case Op::sin:
      return cos(a) * da;
    case Op::cos:
      return -(sin(a) * da);
    case Op::tan:
      return (Expr(1.0) + x * x) * da;
    case Op::asin:
      return da / sqrt(Expr(1.0) - a * a);
    case Op::acos:
      return -(da / sqrt(Expr(1.0) - a * a));
    case Op::atan:
      return da / (Expr(1.0) + a * a);
    case Op::atan2:
      return (b * da - a * db) / (a * a + b * b);
    case Op::sinh:
      return cosh(a) * da;
    case Op::cosh:
      return sinh(a) * da;
    case Op::tanh:
      return (Expr(1.0) - x * x) * da;
    case Op::exp:
      return x * da;
    case Op::log:
      return da / a;
    case Op::pow:
      // d(a^b) = b a^(b-1) da + a^b log(a) db
      return b * pow(a, b - Expr(1.0)) * da + (is_zero(db) ? Expr(0.0) : x * log(a) * db);
    case Op::abs:
      return sign(a) * da;
    case Op::sign:
      return 0.0;
    case Op::min:
      return select(b - a, da, db);
    case Op::max:
      return select(a - b, da, db);
    case Op::floor:
      return 0.0;
    case Op::select:
      return select(a, db, dc);
  }
  return 0.0;
}

}  // namespace

std::vector<Expr> directional_derivative(std::span<const Expr> roots, std::span<const Expr> symbols,
                                         std::span<const Expr> rates) {
  TACTUS_CHECK(symbols.size() == rates.size());
  const std::vector<const Node*> nodes = needed_nodes(roots);
  Places places;
  places.number(nodes);
  std::vector<Expr> rate(nodes.size());
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (const std::uint32_t i = places.of(symbols[k].node()); i != kNowhere) rate[i] = rates[k];
  }
  const auto rate_of = [&](const Node* operand) { return operand ? rate[places.of(operand)] : Expr(); };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node* n = nodes[i];
    if (n->op == Op::symbol || n->op == Op::constant) continue;
    const Expr da = rate_of(n->a), db = rate_of(n->b), dc = rate_of(n->c);
    if (is_zero(da) && is_zero(db) && is_zero(dc)) continue;
    rate[i] = chain_rule(n, da, db, dc);
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(rate_of(root.node()));
  return result;
}

std::vector<Expr> derivative(std::span<const Expr> roots, Expr symbol) {
  const Expr one(1.0);
  return directional_derivative(roots, std::span(&symbol, 1), std::span(&one, 1));
}

Expr derivative(Expr root, Expr symbol) { return derivative(std::span(&root, 1), symbol).front(); }

namespace {

// Forward, column by column, through the nodes that depend on the column's symbol and no others: a sparse
// matrix costs what its entries cost. Those that may not be zero go to set(row, column, entry).
template <class Set>
void derive_columns(std::span<const Expr> roots, std::span<const Expr> symbols, const Set& set) {
  const std::vector<const Node*> nodes = needed_nodes(roots);
  if (nodes.empty()) return;
  Places places;
  places.number(nodes);

  // The users of node i: users[first[i]] ... users[first[i + 1] - 1].
  std::vector<std::uint32_t> first(nodes.size() + 2, 0), users;
  const auto for_operands = [&](const Node* n, const auto& action) {
    for (const Node* operand : {n->a, n->b, n->c})
      if (operand != nullptr) action(places.of(operand));
  };
  for (const Node* n : nodes) for_operands(n, [&](std::uint32_t i) { ++first[i + 2]; });
  for (std::size_t i = 2; i < first.size(); ++i) first[i] += first[i - 1];
  users.resize(first.back());
  for (std::uint32_t u = 0; u < nodes.size(); ++u)
    for_operands(nodes[u], [&](std::uint32_t i) { users[first[i + 1]++] = u; });

  std::vector<Expr> rate(nodes.size());
  std::vector<char> reached(nodes.size(), 0);
  std::vector<std::vector<std::size_t>> rows_at(nodes.size());
  for (std::size_t row = 0; row < roots.size(); ++row) rows_at[places.of(roots[row].node())].push_back(row);
  for (std::size_t col = 0; col < symbols.size(); ++col) {
    const std::uint32_t start = places.of(symbols[col].node());
    if (start == kNowhere) continue;
    std::vector<std::uint32_t> dependent{start};
    reached[start] = 1;
    for (std::size_t k = 0; k < dependent.size(); ++k) {
      const std::uint32_t i = dependent[k];
      for (std::uint32_t u = first[i]; u < first[i + 1]; ++u) {
        if (reached[users[u]]) continue;
        reached[users[u]] = 1;
        dependent.push_back(users[u]);
      }
    }
    std::sort(dependent.begin(), dependent.end());
    for (const std::uint32_t i : dependent) {
      const Node* n = nodes[i];
      if (i == start) {
        rate[i] = Expr(1.0);
      } else {
        const auto rate_of = [&](const Node* operand) { return operand ? rate[places.of(operand)] : Expr(); };
        const Expr da = rate_of(n->a), db = rate_of(n->b), dc = rate_of(n->c);
        if (!is_zero(da) || !is_zero(db) || !is_zero(dc)) rate[i] = chain_rule(n, da, db, dc);
      }
      for (const std::size_t row : rows_at[i]) set(row, col, rate[i]);
    }
    for (const std::uint32_t i : dependent) {
      rate[i] = Expr();
      reached[i] = 0;
    }
  }
}

}  // namespace

std::vector<Expr> jacobian(std::span<const Expr> roots, std::span<const Expr> symbols) {
  std::vector<Expr> matrix(roots.size() * symbols.size());
  derive_columns(roots, symbols, [&](std::size_t row, std::size_t column, Expr entry) {
    matrix[row * symbols.size() + column] = entry;
  });
  return matrix;
}

SparseRows sparse_jacobian(std::span<const Expr> roots, std::span<const Expr> symbols) {
  std::vector<std::vector<SparseRows::Entry>> entries(roots.size());
  derive_columns(roots, symbols, [&](std::size_t row, std::size_t column, Expr entry) {
    entries[row].push_back({column, entry});
  });
  SparseRows matrix(symbols.size());
  for (const std::vector<SparseRows::Entry>& row : entries) {
    for (const SparseRows::Entry& entry : row) matrix.append(entry.column, entry.value);
    matrix.end_row();
  }
  return matrix;
}

std::vector<Expr> substitute(std::span<const Expr> roots, const Graph& graph_of_roots,
                             std::span<const Expr> from, std::span<const Expr> to) {
  TACTUS_CHECK(from.size() == to.size());
  const bool same_graph = &graph_of_roots == &Graph::current();
  const std::vector<const Node*> nodes = needed_nodes(roots);
  Places places;
  places.number(nodes);
  std::vector<Expr> image(nodes.size());
  std::vector<char> replaced(nodes.size(), 0);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const std::uint32_t i = places.of(from[k].node());
    if (i == kNowhere || nodes[i] != from[k].node() || replaced[i]) continue;
    image[i] = to[k];
    replaced[i] = 1;
  }
  const auto image_of = [&](const Node* operand) { return operand ? image[places.of(operand)] : Expr(); };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node* n = nodes[i];
    if (replaced[i]) continue;
    if (n->op == Op::constant)
      image[i] = Expr(n->value);
    else if (n->op == Op::symbol)
      image[i] = same_graph ? Expr(n) : symbol(graph_of_roots.symbol_name(n->symbol));
    else
      image[i] = make(n->op, image_of(n->a), image_of(n->b), image_of(n->c));
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(image_of(root.node()));
  return result;
}

Expr substitute(Expr root, const Graph& graph_of_root, std::span<const Expr> from, std::span<const Expr> to) {
  return substitute(std::span(&root, 1), graph_of_root, from, to).front();
}

std::vector<Expr> transplant(std::span<const Expr> roots, const Graph& graph_of_roots) {
  Graph& graph = Graph::current();
  const std::vector<const Node*> nodes = needed_nodes(roots);
  Places places;
  places.number(nodes);
  std::vector<const Node*> image(nodes.size());
  const auto image_of = [&](const Node* n) { return n == nullptr ? nullptr : image[places.of(n)]; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node* n = nodes[i];
    image[i] = n->op == Op::symbol
                   ? graph.symbol(graph_of_roots.symbol_name(n->symbol)).node()
                   : graph.intern(n->op, image_of(n->a), image_of(n->b), image_of(n->c), n->value, 0);
  }
  std::vector<Expr> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.emplace_back(image_of(root.node()));
  return result;
}

std::vector<double> evaluate(std::span<const Expr> roots, const std::function<double(Expr)>& value_of) {
  const std::vector<const Node*> nodes = needed_nodes(roots);
  Places places;
  places.number(nodes);
  std::vector<double> value(nodes.size(), 0.0);
  const auto value_at = [&](const Node* operand) { return operand ? value[places.of(operand)] : 0.0; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node* n = nodes[i];
    if (n->op == Op::constant)
      value[i] = n->value;
    else if (n->op == Op::symbol)
      value[i] = value_of(Expr(n));
    else
      value[i] = apply(n->op, value_at(n->a), value_at(n->b), value_at(n->c));
  }
  std::vector<double> result;
  result.reserve(roots.size());
  for (const Expr root : roots) result.push_back(value_at(root.node()));
  return result;
}

double evaluate(Expr root, const std::function<double(Expr)>& value_of) {
  return evaluate(std::span(&root, 1), value_of).front();
}

std::vector<Expr> symbols_in(std::span<const Expr> roots) {
  std::vector<Expr> found;
  for (const Node* n : needed_nodes(roots)) {
    if (n->op == Op::symbol) found.emplace_back(n);
  }
  return found;
}

OperationCount count_operations(std::span<const Expr> roots) {
  OperationCount count;
  for (const Node* n : needed_nodes(roots)) {
    switch (n->op) {
      case Op::constant:
      case Op::symbol:
      case Op::neg:
        break;
      case Op::add:
      case Op::sub:
        ++count.add;
        break;
      case Op::mul:
        ++count.mul;
        break;
      case Op::div:
        ++count.div;
        break;
      case Op::sin:
      case Op::cos:
        ++count.trig;
        break;
      default:
        ++count.other;
    }
  }
  return count;
}

}  // namespace tactus::algebra
