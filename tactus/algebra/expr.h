// The expression graph: scalars that remember how they were made.
//
// An Expr is a handle to a node of a Graph. Nodes are interned (hash-consed): equal expressions are the same
// node, so common sub-expressions are found as they arise, and equality is a comparison of pointers.
// Arithmetic folds what is exact (x+0, x*1, x*0, constants, signs), so structural zeros of a mechanism cost
// nothing in the equations.
//
// The graph that receives new nodes is the calling thread's current one, set by a Graph::Scope:
//
//   Graph graph;
//   Graph::Scope scope(graph);
//   const Expr q = symbol("q"), s = sin(q);
//   const Expr e = s * s + cos(q) * cos(q);     // folds to 1
//
// A graph may also be told to fold exactly: what a template computes on Expr in it is then, operation by
// operation, what the same template computes on double, and generated code without fused operations gives the
// same bits.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tactus::algebra {

enum class Op : std::uint8_t {
  constant,
  symbol,
  add,  // a + b
  sub,  // a - b
  mul,  // a * b
  div,  // a / b
  neg,  // -a
  sqrt,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,  // atan2(a, b)
  sinh,
  cosh,
  tanh,
  exp,
  log,
  pow,  // a^b, a > 0 or b an integer
  abs,
  sign,  // +1 for a >= 0, -1 for a < 0 (zero belongs to the positive side [Clover1996])
  min,
  max,
  floor,
  select,  // a >= 0 ? b : c
};

/// How many operands an operation has (0 to 3).
int arity(Op op);
/// The operation's name as users write it: "sin", "atan2", ...; "+" and the like for arithmetic.
std::string_view name_of(Op op);

struct Node {
  Op op;
  std::uint32_t id;      // order of creation within the graph: operands come before their users
  std::uint32_t symbol;  // index into Graph::symbol_name(), for Op::symbol
  double value;          // for Op::constant
  const Node* a;
  const Node* b;
  const Node* c;
};

class Cells;  // cells.h
class Graph;

/// How far arithmetic rewrites an expression.
enum class Folding : std::uint8_t {
  algebraic,  // as real numbers allow: constants are gathered, sin^2 + cos^2 = 1, (a + b) - b = a
  exact,      // only what no rounding can tell: 0, 1 and signs, operations on constants, x - x, the order of
              // a sum or product of two. Results are the same but for the sign of zero.
};

/// The constant zero, node 0 of every graph.
extern const Node kZero;

class Expr {
 public:
  /// Zero: the one node that all graphs share.
  Expr() : node_(&kZero) {}
  Expr(double value);  // NOLINT: constants convert, as they do for double
  Expr(int value) : Expr(static_cast<double>(value)) {}
  explicit Expr(const Node* node) : node_(node) {}

  const Node* node() const { return node_; }
  Op op() const { return node_->op; }
  std::uint32_t id() const { return node_->id; }
  bool is_constant() const { return node_->op == Op::constant; }
  bool is_constant(double value) const { return is_constant() && node_->value == value; }
  bool is_symbol() const { return node_->op == Op::symbol; }
  /// The value of a constant.
  double value() const { return node_->value; }
  Expr a() const { return Expr(node_->a); }
  Expr b() const { return Expr(node_->b); }
  Expr c() const { return Expr(node_->c); }

  /// The same node (which, nodes being interned, means the same expression).
  friend bool operator==(Expr x, Expr y) { return x.node_ == y.node_; }

  Expr& operator+=(Expr y);
  Expr& operator-=(Expr y);
  Expr& operator*=(Expr y);
  Expr& operator/=(Expr y);

 private:
  const Node* node_;
};

Expr operator+(Expr x, Expr y);
Expr operator-(Expr x, Expr y);
Expr operator*(Expr x, Expr y);
Expr operator/(Expr x, Expr y);
Expr operator-(Expr x);
Expr sqrt(Expr x);
Expr sin(Expr x);
Expr cos(Expr x);
Expr tan(Expr x);
Expr asin(Expr x);
Expr acos(Expr x);
Expr atan(Expr x);
Expr atan2(Expr y, Expr x);
Expr sinh(Expr x);
Expr cosh(Expr x);
Expr tanh(Expr x);
Expr exp(Expr x);
Expr log(Expr x);
Expr pow(Expr x, Expr y);
Expr abs(Expr x);
Expr sign(Expr x);
Expr min(Expr x, Expr y);
Expr max(Expr x, Expr y);
Expr floor(Expr x);
/// condition >= 0 ? yes : no
Expr select(Expr condition, Expr yes, Expr no);
/// Builds the operation from its operands (unused ones are ignored), with all folding.
Expr make(Op op, Expr a, Expr b = 0.0, Expr c = 0.0);

/// The symbol of that name in the current graph.
Expr symbol(std::string_view name);

inline bool is_zero(Expr x) { return x.is_constant(0.0); }
inline bool is_zero(double x) { return x == 0.0; }

/// What the operation does to numbers; every interpreter and every fold uses this one definition.
double apply(Op op, double a, double b = 0.0, double c = 0.0);

/// sin and cos of an angle, exact at multiples of pi/2, pi/3, pi/4 and pi/6 as far as a double can say (so
/// that a twist of "90 deg" gives a true zero).
double exact_sin(double x);
double exact_cos(double x);

class Graph {
 public:
  explicit Graph(Folding folding = Folding::algebraic);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Makes a graph the current one of this thread, for the scope's lifetime.
  class Scope {
   public:
    explicit Scope(Graph& graph);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Graph* previous_;
  };

  static Graph& current();
  static bool has_current();

  Folding folding() const { return folding_; }

  Expr constant(double value);
  Expr symbol(std::string_view name);
  /// The symbol of that name where there is one already; changes nothing.
  std::optional<Expr> find_symbol(std::string_view name) const;
  const std::string& symbol_name(std::uint32_t index) const { return symbol_names_[index]; }
  const std::string& symbol_name(Expr symbol) const { return symbol_names_[symbol.node()->symbol]; }
  std::size_t symbol_count() const { return symbol_names_.size(); }
  /// Number of nodes made so far; ids are below it.
  std::size_t size() const { return nodes_.size(); }
  const Node& node(std::uint32_t id) const { return nodes_[id]; }
  /// Forgets all nodes from that number on, the newest first: what was made since size() was `size`.
  void rewind(std::size_t size);

  /// Values that code over this graph reads where it runs.
  void set_cells(std::shared_ptr<const Cells> cells) { cells_ = std::move(cells); }
  const std::shared_ptr<const Cells>& cells() const { return cells_; }

  /// The node (op, a, b, c), without any folding. Prefer the arithmetic above.
  const Node* intern(Op op, const Node* a, const Node* b, const Node* c, double value, std::uint32_t symbol);

 private:
  void grow();
  /// Where in the table the node stands, or the empty place where it would.
  std::size_t slot_of(Op op, const Node* a, const Node* b, const Node* c, double value,
                      std::uint32_t symbol) const;

  Folding folding_;
  std::deque<Node> nodes_;
  std::vector<std::uint32_t> table_;  // open addressing; 0 = empty, otherwise id + 1
  std::size_t mask_ = 0;
  std::vector<std::string> symbol_names_;
  std::unordered_map<std::string, std::uint32_t> symbol_index_;
  std::shared_ptr<const Cells> cells_;
};

}  // namespace tactus::algebra
