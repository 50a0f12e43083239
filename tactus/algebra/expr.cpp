#include <tactus/algebra/expr.h>

#include <tactus/algebra/sign.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <tactus/base/check.h>

namespace tactus::algebra {

const Node kZero{Op::constant, 0, 0, 0.0, nullptr, nullptr, nullptr};

namespace {

thread_local Graph* current_graph = nullptr;

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}

std::uint32_t hash_of(Op op, const Node* a, const Node* b, const Node* c, double value,
                      std::uint32_t symbol) {
  std::uint64_t h = static_cast<std::uint64_t>(op);
  h = mix(h, a ? a->id + 1 : 0);
  if (b) h = mix(h, b->id + 1);
  if (c) h = mix(h, c->id + 1);
  if (op == Op::constant) {
    // Whole numbers differ in their first bits alone, and a product carries bits upwards only: these are mixed twice.
    const auto bits = std::bit_cast<std::uint64_t>(value);
    h = mix(mix(h, bits), bits >> 32);
  }
  if (op == Op::symbol) h = mix(h, symbol);
  return static_cast<std::uint32_t>(h);
}

Expr node(Op op, Expr a) { return Expr(Graph::current().intern(op, a.node(), nullptr, nullptr, 0.0, 0)); }
Expr node(Op op, Expr a, Expr b) {
  return Expr(Graph::current().intern(op, a.node(), b.node(), nullptr, 0.0, 0));
}

bool is_neg(Expr x) { return x.op() == Op::neg; }

bool exactly() { return Graph::current().folding() == Folding::exact; }

/// Whether 1/k is as exact as k: powers of two.
bool has_exact_reciprocal(double k) {
  int exponent = 0;
  return std::fabs(std::frexp(k, &exponent)) == 0.5 && std::abs(exponent) < 1000;
}

/// x = k * y with a constant k (stored first); k = 1 where there is none.
std::pair<double, Expr> split_factor(Expr x) {
  if (x.op() == Op::mul && x.a().is_constant()) return {x.a().value(), x.b()};
  return {1.0, x};
}

/// x + y where one undoes a part of the other: (a - x) + x = a. Empty where nothing cancels.
std::optional<Expr> cancelled_sum(Expr x, Expr y) {
  if (x.op() == Op::sub && x.b() == y) return x.a();
  if (y.op() == Op::sub && y.b() == x) return y.a();
  return std::nullopt;
}

/// x - y where one undoes a part of the other: (a + y) - y = a, x - (x + b) = -b, and so on.
std::optional<Expr> cancelled_difference(Expr x, Expr y) {
  if (x.op() == Op::add) {
    if (x.a() == y) return x.b();
    if (x.b() == y) return x.a();
  }
  if (x.op() == Op::sub && x.a() == y) return -x.b();
  if (y.op() == Op::add) {
    if (y.a() == x) return -y.b();
    if (y.b() == x) return -y.a();
  }
  if (y.op() == Op::sub && y.a() == x) return y.b();
  return std::nullopt;
}

/// Whether {x, y} = {sin(z)^2, cos(z)^2} for one z.
bool is_sin_cos_squares(Expr x, Expr y) {
  if (x.op() != Op::mul || y.op() != Op::mul || x.a() != x.b() || y.a() != y.b()) return false;
  const Expr u = x.a(), v = y.a();
  return ((u.op() == Op::sin && v.op() == Op::cos) || (u.op() == Op::cos && v.op() == Op::sin)) &&
         u.a() == v.a();
}

}  // namespace

int arity(Op op) {
  switch (op) {
    case Op::constant:
    case Op::symbol:
      return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::atan2:
    case Op::pow:
    case Op::min:
    case Op::max:
      return 2;
    case Op::select:
      return 3;
    default:
      return 1;
  }
}

std::string_view name_of(Op op) {
  switch (op) {
    case Op::constant:
      return "constant";
    case Op::symbol:
      return "symbol";
    case Op::add:
      return "+";
    case Op::sub:
      return "-";
    case Op::mul:
      return "*";
    case Op::div:
      return "/";
    case Op::neg:
      return "-";
    case Op::sqrt:
      return "sqrt";
    case Op::sin:
      return "sin";
    case Op::cos:
      return "cos";
    case Op::tan:
      return "tan";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::atan:
      return "atan";
    case Op::atan2:
      return "atan2";
    case Op::sinh:
      return "sinh";
    case Op::cosh:
      return "cosh";
    case Op::tanh:
      return "tanh";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::pow:
      return "pow";
    case Op::abs:
      return "abs";
    case Op::sign:
      return "sign";
    case Op::min:
      return "min";
    case Op::max:
      return "max";
    case Op::floor:
      return "floor";
    case Op::select:
      return "select";
  }
  return "?";
}

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::constant:
    case Op::symbol:
      break;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::neg:
      return -a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::pow:
      return std::pow(a, b);
    case Op::abs:
      return std::fabs(a);
    case Op::sign:
      return a >= 0.0 ? 1.0 : (a < 0.0 ? -1.0 : a);
    case Op::min:
      return a < b ? a : b;
    case Op::max:
      return a > b ? a : b;
    case Op::floor:
      return std::floor(a);
    case Op::select:
      return a >= 0.0 ? b : c;
  }
  TACTUS_CHECK(!"apply() needs an operation");
  return 0.0;
}

double exact_sin(double x) {
  // x = k pi/12 within rounding, for those k whose sine is exact or a known root.
  constexpr double kStep = std::numbers::pi / 12.0;
  const double k = std::round(x / kStep);
  if (std::fabs(k) < 1e6 && std::fabs(x - k * kStep) <= 4e-16 * std::max(1.0, std::fabs(x))) {
    const int n = static_cast<int>(std::fmod(std::fmod(k, 24.0) + 24.0, 24.0));
    const double half = 0.5, root2 = std::numbers::sqrt2 / 2.0, root3 = std::numbers::sqrt3 / 2.0;
    switch (n) {
      case 0:
      case 12:
        return 0.0;
      case 2:
      case 10:
        return half;
      case 3:
      case 9:
        return root2;
      case 4:
      case 8:
        return root3;
      case 6:
        return 1.0;
      case 14:
      case 22:
        return -half;
      case 15:
      case 21:
        return -root2;
      case 16:
      case 20:
        return -root3;
      case 18:
        return -1.0;
      default:
        break;
    }
  }
  return std::sin(x);
}

double exact_cos(double x) {
  constexpr double kStep = std::numbers::pi / 12.0;
  const double k = std::round(x / kStep);
  if (std::fabs(k) < 1e6 && std::fabs(x - k * kStep) <= 4e-16 * std::max(1.0, std::fabs(x))) {
    const double value = exact_sin((k + 6.0) * kStep);
    const int n = static_cast<int>(std::fmod(std::fmod(k, 12.0) + 12.0, 12.0));
    if (n != 1 && n != 5 && n != 7 && n != 11) return value;
  }
  return std::cos(x);
}

// --- the graph
// ------------------------------------------------------------------------------------------------

// The table has two parts. A place is two numbers: a node's id + 1 (0: empty), and its hash, which tells nodes apart without a look at them and says
// where they go in a larger table.
//
// - From place mask_ + 1 on: kPlaces places for every kIds nodes, for what has one of these as its newest operand. Equations are made of what was
//   made a moment before: so a search, too, looks at what was looked at a moment before, where a place by hash alone would be one anywhere in a table
//   that is larger than the caches. No node ever moves there.
// - Before it, places by hash, for constants, symbols and what finds no room in the other part; it grows when a search is long.
namespace {

constexpr std::size_t kIds = 32, kPlaces = 64;  // on the average half of the places are taken, or less
constexpr std::size_t kFirstByHash = 512, kLongSearch = 32;

/// Where in the table the node stands that `is` says to be the one, or the empty place where it would. `newest`: the operand; none of leaves.
template <class Is>
std::size_t find_place(const std::vector<std::uint32_t>& table, std::size_t mask, std::uint32_t hash,
                       std::optional<std::uint32_t> newest, const Is& is) {
  const auto ends_at = [&](std::size_t place) {
    return table[2 * place] == 0 || (table[2 * place + 1] == hash && is(table[2 * place] - 1));
  };
  if (newest) {
    const std::size_t first = mask + 1 + *newest / kIds * kPlaces;
    for (std::size_t k = 0; k < kPlaces; ++k)
      if (const std::size_t place = first + (hash + k) % kPlaces; ends_at(place)) return place;
  }
  std::size_t place = hash & mask;
  while (!ends_at(place)) place = (place + 1) & mask;
  return place;
}

std::optional<std::uint32_t> newest_of(const Node* a, const Node* b, const Node* c) {
  if (a == nullptr) return std::nullopt;
  return std::max({a->id, b != nullptr ? b->id : 0, c != nullptr ? c->id : 0});
}

bool is_node(const Node& n, Op op, const Node* a, const Node* b, const Node* c, double value,
             std::uint32_t symbol) {
  return n.op == op && n.a == a && n.b == b && n.c == c && n.symbol == symbol &&
         std::bit_cast<std::uint64_t>(n.value) == std::bit_cast<std::uint64_t>(value);
}

}  // namespace

Graph::Graph(Folding folding) : folding_(folding) {
  nodes_.push_back(kZero);
  mask_ = kFirstByHash - 1;
  table_.assign(2 * (kFirstByHash + 16 * kPlaces), 0);
}

Graph::~Graph() = default;

Graph::Scope::Scope(Graph& graph) : previous_(current_graph) { current_graph = &graph; }
Graph::Scope::~Scope() { current_graph = previous_; }

Graph& Graph::current() {
  TACTUS_CHECK(current_graph != nullptr);
  return *current_graph;
}

bool Graph::has_current() { return current_graph != nullptr; }

/// Twice as many places by hash.
void Graph::grow() {
  const std::size_t old = mask_ + 1;
  std::vector<std::uint32_t> table(table_.size() + 2 * old, 0);
  mask_ = 2 * old - 1;
  for (std::size_t k = 0; k < old; ++k) {
    if (table_[2 * k] == 0) continue;
    std::size_t place = table_[2 * k + 1] & mask_;
    while (table[2 * place] != 0) place = (place + 1) & mask_;
    std::copy_n(&table_[2 * k], 2, &table[2 * place]);
  }
  std::copy(table_.begin() + static_cast<std::ptrdiff_t>(2 * old), table_.end(),
            table.begin() + static_cast<std::ptrdiff_t>(4 * old));
  table_ = std::move(table);
}

std::size_t Graph::slot_of(Op op, const Node* a, const Node* b, const Node* c, double value,
                           std::uint32_t symbol) const {
  return find_place(table_, mask_, hash_of(op, a, b, c, value, symbol), newest_of(a, b, c),
                    [&](std::uint32_t id) { return is_node(nodes_[id], op, a, b, c, value, symbol); });
}

const Node* Graph::intern(Op op, const Node* a, const Node* b, const Node* c, double value,
                          std::uint32_t symbol) {
  if (op == Op::constant && value == 0.0) return &kZero;
  const std::uint32_t hash = hash_of(op, a, b, c, value, symbol);
  const std::size_t place = find_place(table_, mask_, hash, newest_of(a, b, c), [&](std::uint32_t id) {
    return is_node(nodes_[id], op, a, b, c, value, symbol);
  });
  if (table_[2 * place] != 0) return &nodes_[table_[2 * place] - 1];
  const auto id = static_cast<std::uint32_t>(nodes_.size());
  nodes_.push_back(Node{op, id, symbol, value, a, b, c});
  table_[2 * place] = id + 1;
  table_[2 * place + 1] = hash;
  if (place <= mask_ && ((place - hash) & mask_) > kLongSearch && mask_ < 4 * nodes_.size()) grow();
  // Places for what will be made of this node.
  if (const std::size_t needed = 2 * (mask_ + 1 + (id / kIds + 1) * kPlaces); table_.size() < needed)
    table_.resize(std::max(needed, 2 * (mask_ + 1) + 2 * (table_.size() - 2 * (mask_ + 1))), 0);
  return &nodes_.back();
}

// Nodes are taken out in the opposite order: of places beside a newest operand none was taken since by what has to stay. Of places by hash, which may
// have been ordered anew, what stands behind one that becomes empty, and was looked for from there or before, moves up.
void Graph::rewind(std::size_t size) {
  TACTUS_CHECK(size > 0);
  while (nodes_.size() > size) {
    const Node& n = nodes_.back();
    std::size_t hole = find_place(table_, mask_, hash_of(n.op, n.a, n.b, n.c, n.value, n.symbol),
                                  newest_of(n.a, n.b, n.c), [&](std::uint32_t id) { return id == n.id; });
    TACTUS_CHECK(table_[2 * hole] == n.id + 1);
    if (hole <= mask_) {
      for (std::size_t next = (hole + 1) & mask_; table_[2 * next] != 0; next = (next + 1) & mask_) {
        const std::size_t home = table_[2 * next + 1] & mask_;
        if (((next - home) & mask_) < ((next - hole) & mask_)) continue;  // found without the hole
        std::copy_n(&table_[2 * next], 2, &table_[2 * hole]);
        hole = next;
      }
    }
    table_[2 * hole] = 0;
    nodes_.pop_back();
  }
}

Expr Graph::constant(double value) { return Expr(intern(Op::constant, nullptr, nullptr, nullptr, value, 0)); }

Expr Graph::symbol(std::string_view name) {
  const auto [it, is_new] =
      symbol_index_.try_emplace(std::string(name), static_cast<std::uint32_t>(symbol_names_.size()));
  if (is_new) symbol_names_.emplace_back(name);
  return Expr(intern(Op::symbol, nullptr, nullptr, nullptr, 0.0, it->second));
}

std::optional<Expr> Graph::find_symbol(std::string_view name) const {
  const auto found = symbol_index_.find(std::string(name));
  if (found == symbol_index_.end()) return std::nullopt;
  const std::size_t slot = slot_of(Op::symbol, nullptr, nullptr, nullptr, 0.0, found->second);
  if (table_[2 * slot] == 0) return std::nullopt;
  return Expr(&nodes_[table_[2 * slot] - 1]);
}

Expr symbol(std::string_view name) { return Graph::current().symbol(name); }

// --- arithmetic with folding
// ------------------------------------------------------------------------------------
//
// Normal form: constants stand first in sums and products; other operands by id; a sign is carried outwards
// (neg at the root of products, never inside), so that x - y and y - x, k x and -k x share one node. All of
// that is exact: rounding is symmetric.

Expr::Expr(double value) : node_(value == 0.0 ? &kZero : Graph::current().constant(value).node()) {}

Expr operator-(Expr x) {
  if (x.is_constant()) return Expr(-x.value());
  if (is_neg(x)) return x.a();
  return node(Op::neg, x);
}

Expr operator+(Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(x.value() + y.value());
  if (is_zero(x)) return y;
  if (is_zero(y)) return x;
  if (is_neg(x) && is_neg(y)) return -(x.a() + y.a());
  if (is_neg(y)) return x - y.a();
  if (is_neg(x)) return y - x.a();
  if (x == y) return Expr(2.0) * x;
  if (!exactly()) {
    if (is_sin_cos_squares(x, y)) return Expr(1.0);
    if (const auto rest = cancelled_sum(x, y)) return *rest;
    const auto [kx, ux] = split_factor(x);
    const auto [ky, uy] = split_factor(y);
    if (ux == uy) return Expr(kx + ky) * ux;
    if (kx == ky && kx != 1.0) {
      if (is_sin_cos_squares(ux, uy)) return Expr(kx);
      return Expr(kx) * (ux + uy);
    }
  }
  if (y.is_constant() || (!x.is_constant() && y.id() < x.id())) std::swap(x, y);
  return node(Op::add, x, y);
}

Expr operator-(Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(x.value() - y.value());
  if (is_zero(x)) return -y;
  if (is_zero(y)) return x;
  if (x == y) return Expr(0.0);
  if (is_neg(x) && is_neg(y)) return y.a() - x.a();
  if (is_neg(y)) return x + y.a();
  if (is_neg(x)) return -(x.a() + y);
  if (y.is_constant()) return Expr(-y.value()) + x;
  if (!exactly()) {
    if (const auto rest = cancelled_difference(x, y)) return *rest;
    const auto [kx, ux] = split_factor(x);
    const auto [ky, uy] = split_factor(y);
    if (ux == uy) return Expr(kx - ky) * ux;
    if (kx == ky && kx != 1.0) return Expr(kx) * (ux - uy);
  }
  if (!x.is_constant() && y.id() < x.id()) return -node(Op::sub, y, x);
  return node(Op::sub, x, y);
}

Expr without_sign(Expr x) { return is_neg(x) ? node(Op::sub, Expr(0.0), x.a()) : x; }

Expr operator*(Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(x.value() * y.value());
  if (is_zero(x) || is_zero(y)) return Expr(0.0);
  if (is_neg(x) && is_neg(y)) return x.a() * y.a();
  if (is_neg(x)) return -(x.a() * y);
  if (is_neg(y)) return -(x * y.a());
  if (y.is_constant()) std::swap(x, y);
  if (x.is_constant()) {
    if (x.value() == 1.0) return y;
    if (x.value() < 0.0) return -(Expr(-x.value()) * y);
    if (y.op() == Op::mul && y.a().is_constant() && !exactly())
      return Expr(x.value() * y.a().value()) * y.b();
    return node(Op::mul, x, y);
  }
  if (!exactly()) {
    // Constants move outwards: (k a) b = k (a b).
    const auto [kx, ux] = split_factor(x);
    const auto [ky, uy] = split_factor(y);
    if (kx != 1.0 && ky != 1.0) return Expr(kx * ky) * (ux * uy);
  }
  if (y.id() < x.id()) std::swap(x, y);
  return node(Op::mul, x, y);
}

Expr operator/(Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(x.value() / y.value());
  if (is_zero(x)) return x;
  if (x == y) return Expr(1.0);
  if (y.is_constant() && y.value() != 0.0 && (!exactly() || has_exact_reciprocal(y.value())))
    return Expr(1.0 / y.value()) * x;
  if (is_neg(x) && is_neg(y)) return x.a() / y.a();
  if (is_neg(x)) return -(x.a() / y);
  if (is_neg(y)) return -(x / y.a());
  return node(Op::div, x, y);
}

Expr& Expr::operator+=(Expr y) { return *this = *this + y; }
Expr& Expr::operator-=(Expr y) { return *this = *this - y; }
Expr& Expr::operator*=(Expr y) { return *this = *this * y; }
Expr& Expr::operator/=(Expr y) { return *this = *this / y; }

Expr sin(Expr x) {
  if (!exactly()) {
    if (x.is_constant()) return Expr(exact_sin(x.value()));
    if (is_neg(x)) return -sin(x.a());
  }
  return node(Op::sin, x);
}

Expr cos(Expr x) {
  if (!exactly()) {
    if (x.is_constant()) return Expr(exact_cos(x.value()));
    if (is_neg(x)) return cos(x.a());
  }
  return node(Op::cos, x);
}

Expr pow(Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(std::pow(x.value(), y.value()));
  if (y.is_constant() && !exactly()) {
    const double n = y.value();
    if (n == 0.0) return Expr(1.0);
    if (n == 0.5) return sqrt(x);
    if (n == std::floor(n) && std::fabs(n) <= 64.0) {
      Expr power = x, result = 1.0;
      for (int k = static_cast<int>(std::fabs(n)); k > 0; k >>= 1) {
        if (k & 1) result = result * power;
        if (k > 1) power = power * power;
      }
      return n > 0.0 ? result : Expr(1.0) / result;
    }
  }
  return node(Op::pow, x, y);
}

namespace {

/// Operations that only fold constants.
Expr plain(Op op, Expr x) {
  if (x.is_constant()) return Expr(apply(op, x.value()));
  return node(op, x);
}

Expr plain(Op op, Expr x, Expr y) {
  if (x.is_constant() && y.is_constant()) return Expr(apply(op, x.value(), y.value()));
  return node(op, x, y);
}

}  // namespace

Expr sqrt(Expr x) { return plain(Op::sqrt, x); }
Expr tan(Expr x) { return exactly() ? plain(Op::tan, x) : sin(x) / cos(x); }
Expr asin(Expr x) { return plain(Op::asin, x); }
Expr acos(Expr x) { return plain(Op::acos, x); }
Expr atan(Expr x) { return plain(Op::atan, x); }
Expr atan2(Expr y, Expr x) { return plain(Op::atan2, y, x); }
Expr sinh(Expr x) { return plain(Op::sinh, x); }
Expr cosh(Expr x) { return plain(Op::cosh, x); }
Expr tanh(Expr x) { return plain(Op::tanh, x); }
Expr exp(Expr x) { return plain(Op::exp, x); }
Expr log(Expr x) { return plain(Op::log, x); }
Expr abs(Expr x) { return plain(Op::abs, x); }
Expr sign(Expr x) { return plain(Op::sign, x); }
Expr min(Expr x, Expr y) { return x == y ? x : plain(Op::min, x, y); }
Expr max(Expr x, Expr y) { return x == y ? x : plain(Op::max, x, y); }
Expr floor(Expr x) { return plain(Op::floor, x); }

Expr select(Expr condition, Expr yes, Expr no) {
  if (condition.is_constant()) return condition.value() >= 0.0 ? yes : no;
  if (yes == no) return yes;
  return Expr(Graph::current().intern(Op::select, condition.node(), yes.node(), no.node(), 0.0, 0));
}

Expr make(Op op, Expr a, Expr b, Expr c) {
  switch (op) {
    case Op::constant:
    case Op::symbol:
      return a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::neg:
      return -a;
    case Op::sqrt:
      return sqrt(a);
    case Op::sin:
      return sin(a);
    case Op::cos:
      return cos(a);
    case Op::tan:
      return tan(a);
    case Op::asin:
      return asin(a);
    case Op::acos:
      return acos(a);
    case Op::atan:
      return atan(a);
    case Op::atan2:
      return atan2(a, b);
    case Op::sinh:
      return sinh(a);
    case Op::cosh:
      return cosh(a);
    case Op::tanh:
      return tanh(a);
    case Op::exp:
      return exp(a);
    case Op::log:
      return log(a);
    case Op::pow:
      return pow(a, b);
    case Op::abs:
      return abs(a);
    case Op::sign:
      return sign(a);
    case Op::min:
      return min(a, b);
    case Op::max:
      return max(a, b);
    case Op::floor:
      return floor(a);
    case Op::select:
      return select(a, b, c);
  }
  TACTUS_CHECK(!"make() needs an operation");
  return a;
}

}  // namespace tactus::algebra
