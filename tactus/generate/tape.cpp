#include <tactus/generate/tape.h>

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <utility>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/generate/schedule.h>

namespace tactus::generate {

using algebra::Expr;
using algebra::Node;
using algebra::Op;

std::string_view name_of(Code code) {
  constexpr std::string_view kNames[] = {"neg",   "add",    "sub",    "mul",  "div",  "fma",  "fms",
                                         "fnma",  "fnms",   "sqrt",   "abs",  "sign", "min",  "max",
                                         "floor", "select", "sincos", "tan",  "asin", "acos", "atan",
                                         "atan2", "sinh",   "cosh",   "tanh", "exp",  "log",  "pow"};
  return kNames[static_cast<std::size_t>(code)];
}

namespace {

Code code_of(Op op) {
  switch (op) {
    case Op::neg:
      return Code::neg;
    case Op::add:
      return Code::add;
    case Op::sub:
      return Code::sub;
    case Op::mul:
      return Code::mul;
    case Op::div:
      return Code::div;
    case Op::sqrt:
      return Code::sqrt;
    case Op::sin:
      return Code::sincos;
    case Op::cos:
      return Code::sincos;
    case Op::tan:
      return Code::tan;
    case Op::asin:
      return Code::asin;
    case Op::acos:
      return Code::acos;
    case Op::atan:
      return Code::atan;
    case Op::atan2:
      return Code::atan2;
    case Op::sinh:
      return Code::sinh;
    case Op::cosh:
      return Code::cosh;
    case Op::tanh:
      return Code::tanh;
    case Op::exp:
      return Code::exp;
    case Op::log:
      return Code::log;
    case Op::pow:
      return Code::pow;
    case Op::abs:
      return Code::abs;
    case Op::sign:
      return Code::sign;
    case Op::min:
      return Code::min;
    case Op::max:
      return Code::max;
    case Op::floor:
      return Code::floor;
    case Op::select:
      return Code::select;
    case Op::constant:
    case Op::symbol:
      break;
  }
  TACTUS_CHECK(!"the operation has an instruction");
  return Code::neg;
}

/// About how many cycles an operation's result takes on current processors.
std::uint32_t latency(Op op) {
  switch (op) {
    case Op::constant:
    case Op::symbol:
    case Op::neg:
      return 0;
    case Op::add:
    case Op::sub:
    case Op::mul:
      return 4;
    case Op::div:
      return 13;
    case Op::sqrt:
      return 20;
    default:
      return 50;
  }
}

/// Chooses instructions for the nodes of a graph.
///
/// A product that only one sum uses is fused into it; of two such products the one that is ready last, since
/// the fused operation needs the other before it can start. A sign is absorbed where that is free:
/// -(x - y) = y - x, -(k x) = (-k) x, -(x y + z) is one instruction. sin and cos of one argument are one
/// instruction.
class Selection {
 public:
  Selection(const algebra::Function& function, Rounding rounding)
      : function_(function), fuse_(rounding == Rounding::fused), roots_(function.roots()) {
    nodes_ = algebra::needed_nodes(roots_);
    const std::size_t ids = nodes_.empty() ? 1 : std::size_t{nodes_.back()->id} + 1;
    traits_.resize(ids);
    survey();
    choose_fusions();
    if (fuse_) turn_subtracted_sums();
    number_leaves();
    for (const Node* n : nodes_) {
      if (n->op != Op::constant && n->op != Op::symbol && !of(n).fused) select(n);
    }
    for (const Expr root : roots_) program_.outputs.push_back(of(root.node()).operand);
  }

  const Unordered& program() const { return program_; }
  std::vector<double> take_constants() { return std::move(constants_); }
  std::uint32_t input_count() const { return input_count_; }
  const std::shared_ptr<const algebra::Cells>& cells() const { return cells_; }

 private:
  struct Traits {
    std::uint32_t uses = 0;
    std::uint32_t ready = 0;    // latency of the longest path from the inputs
    std::uint32_t operand = 0;  // where the node's value is (Unordered's numbering)
    std::uint32_t partner = 0;  // a sine's or cosine's common operation + 1
    bool fused = false;         // a product that is part of its one user
    bool negated = false;       // the instruction yields -node: its one user is a sign
    bool turned = false;        // so, too, but its one user is a sum
  };

  Traits& of(const Node* n) { return traits_[n->id]; }

  void survey() {
    for (const Node* n : nodes_) {
      std::uint32_t ready = 0;
      for (const Node* x : {n->a, n->b, n->c}) {
        if (x == nullptr) continue;
        ++of(x).uses;
        ready = std::max(ready, of(x).ready);
      }
      of(n).ready = ready + latency(n->op);
    }
    for (const Expr root : roots_) ++of(root.node()).uses;
  }

  bool is_lone_product(const Node* n) { return n->op == Op::mul && of(n).uses == 1; }

  void choose_fusions() {
    for (const Node* n : nodes_) {
      if (n->op == Op::add || n->op == Op::sub) {
        const Node* product = nullptr;
        for (const Node* x : {n->a, n->b}) {
          if (is_lone_product(x) && (product == nullptr || of(x).ready > of(product).ready)) product = x;
        }
        if (product != nullptr && fuse_) of(product).fused = true;
      } else if (n->op == Op::neg && of(n->a).uses == 1) {
        const Node* x = n->a;
        const bool sum_with_product = x->op == Op::add && (of(x->a).fused || of(x->b).fused);
        const bool constant_factor = (x->op == Op::mul || x->op == Op::div) && x->a->op == Op::constant;
        if (x->op == Op::sub || sum_with_product || constant_factor) of(x).negated = true;
        if (constant_factor) --of(x->a).uses;
      }
    }
  }

  /// x - (y z + w) is as well x + (-y z - w). Sums then go on with the sign they have, whatever the signs of their first terms: elements
  /// of a matrix that differ in signs alone keep one form, and their signs stand at products (side_by_side.h).
  void turn_subtracted_sums() {
    for (auto it = nodes_.rbegin(); it != nodes_.rend(); ++it) {
      const Node* n = *it;
      if (n->op != Op::add && n->op != Op::sub) continue;
      const Sum s = signs_of(n);
      if (s.minus_a) turn(n->a);
      if (s.minus_b) turn(n->b);
    }
  }

  /// The sum's other sign, where that is one instruction and no one else sees it.
  void turn(const Node* n) {
    if (of(n).uses != 1 || of(n).negated || of(n).fused) return;
    const bool with_product = n->op == Op::add && (of(n->a).fused || of(n->b).fused);
    if (n->op == Op::sub || with_product) of(n).negated = of(n).turned = true;
  }

  /// The signs of a sum's two terms in what the instruction yields.
  struct Sum {
    bool minus_a = false, minus_b = false;
  };
  Sum signs_of(const Node* n) {
    Sum s{false, n->op == Op::sub};
    if (of(n).negated) s = {!s.minus_a, !s.minus_b};
    if (of(n->a).turned) s.minus_a = !s.minus_a;
    if (of(n->b).turned) s.minus_b = !s.minus_b;
    return s;
  }

  void number_leaves() {
    std::uint32_t next = 0;
    for (const algebra::Block& block : function_.inputs) {
      for (const Expr entry : block.entries) {
        if (entry.id() < traits_.size()) traits_[entry.id()].operand = next + 1;
        ++next;
      }
    }
    input_count_ = next + number_cells(next);
    for (const Node* n : nodes_) {
      if (n->op == Op::constant) {
        if (of(n).uses > 0) of(n).operand = constant(n->value);
      } else if (n->op == Op::symbol) {
        if (of(n).operand == 0) {
          throw InputError({},
                           "function '" + function_.name + "' depends on '" +
                               function_.graph->symbol_name(n->symbol) + "', which none of its inputs holds",
                           "add the symbol to an input block, or substitute a value for it");
        }
        --of(n).operand;
      } else if (of(n).negated && (n->op == Op::mul || n->op == Op::div)) {
        constant(-n->a->value);
      }
    }
    program_.leaf_count = input_count_ + static_cast<std::uint32_t>(constants_.size());
  }

  /// Symbols that no input holds stand in the graph's cells. How many values those are, where one is needed.
  std::uint32_t number_cells(std::uint32_t first) {
    const std::shared_ptr<const algebra::Cells>& cells = function_.graph->cells();
    if (cells == nullptr) return 0;
    for (const Node* n : nodes_) {
      if (n->op != Op::symbol || of(n).operand != 0) continue;
      const std::size_t cell = cells->find(function_.graph->symbol_name(n->symbol));
      if (cell == cells->size()) continue;
      of(n).operand = first + static_cast<std::uint32_t>(cell) + 1;
      cells_ = cells;
    }
    return cells_ == nullptr ? 0 : static_cast<std::uint32_t>(cells->size());
  }

  /// The operand that holds a constant; all of them are known before the first operation is numbered.
  std::uint32_t constant(double value) {
    const auto [place, is_new] = constant_index_.try_emplace(std::bit_cast<std::uint64_t>(value),
                                                             static_cast<std::uint32_t>(constants_.size()));
    if (is_new) constants_.push_back(value);
    return input_count_ + place->second;
  }

  std::uint32_t operand(const Node* n) { return of(n).operand; }

  std::uint32_t append(Code code, std::uint32_t a, std::uint32_t b = 0, std::uint32_t c = 0) {
    const auto index = static_cast<std::uint32_t>(program_.operations.size());
    program_.operations.push_back({code, {a, b, c}});
    return program_.leaf_count + 2 * index;
  }

  void select(const Node* n) {
    switch (n->op) {
      case Op::add:
      case Op::sub:
        of(n).operand = sum(n);
        break;
      case Op::mul:
      case Op::div: {
        const std::uint32_t a = of(n).negated ? constant(-n->a->value) : operand(n->a);
        of(n).operand = append(code_of(n->op), a, operand(n->b));
        break;
      }
      case Op::neg:
        of(n).operand = of(n->a).negated ? operand(n->a) : append(Code::neg, operand(n->a));
        break;
      case Op::sin:
      case Op::cos: {
        std::uint32_t& common = of(n->a).partner;
        if (common == 0) common = append(Code::sincos, operand(n->a)) + 1;
        of(n).operand = common - 1 + (n->op == Op::cos ? 1 : 0);
        break;
      }
      default:
        of(n).operand =
            append(code_of(n->op), operand(n->a), n->b ? operand(n->b) : 0, n->c ? operand(n->c) : 0);
    }
  }

  /// a + b or a - b, with the sign turned around where `negated`.
  std::uint32_t sum(const Node* n) {
    const Node* a = n->a;
    const Node* b = n->b;
    Sum s = signs_of(n);
    if (of(b).fused) {
      std::swap(a, b);
      std::swap(s.minus_a, s.minus_b);
    }
    if (of(a).fused) {
      const Code code =
          s.minus_a ? (s.minus_b ? Code::fnms : Code::fnma) : (s.minus_b ? Code::fms : Code::fma);
      return append(code, operand(a->a), operand(a->b), operand(b));
    }
    if (s.minus_a) return append(Code::sub, operand(b), operand(a));
    return append(s.minus_b ? Code::sub : Code::add, operand(a), operand(b));
  }

  const algebra::Function& function_;
  bool fuse_;
  std::vector<Expr> roots_;
  std::vector<const Node*> nodes_;
  std::vector<Traits> traits_;
  std::uint32_t input_count_ = 0;
  std::shared_ptr<const algebra::Cells> cells_;
  std::vector<double> constants_;
  std::unordered_map<std::uint64_t, std::uint32_t> constant_index_;
  Unordered program_;
};

}  // namespace

Tape make_tape(const algebra::Function& function, int registers, Rounding rounding) {
  Selection selection(function, rounding);
  const Unordered& program = selection.program();
  const Schedule plan = schedule(program, registers);

  Tape tape;
  tape.input_count = selection.input_count();
  tape.argument_count = static_cast<std::uint32_t>(function.input_size());
  tape.cells = selection.cells();
  tape.constants = selection.take_constants();

  std::vector<std::uint32_t> value_of(program.operations.size(), 0);
  const auto value = [&](std::uint32_t operand) {
    if (program.is_leaf(operand)) return operand;
    return value_of[program.operation_of(operand)] + (operand - program.leaf_count) % 2;
  };
  std::uint32_t next = program.leaf_count;
  tape.code.reserve(plan.order.size());
  for (std::size_t place = 0; place < plan.order.size(); ++place) {
    const Operation& op = program.operations[plan.order[place]];
    const int operands = operand_count(op.code);
    value_of[plan.order[place]] = next;
    tape.code.push_back({op.code, plan.group[place], next, value(op.operands[0]),
                         operands > 1 ? value(op.operands[1]) : 0, operands > 2 ? value(op.operands[2]) : 0});
    next += op.code == Code::sincos ? 2 : 1;
  }
  tape.value_count = next;
  tape.outputs.reserve(program.outputs.size());
  for (const std::uint32_t output : program.outputs) tape.outputs.push_back(value(output));
  return tape;
}

algebra::OperationCount count_operations(const Tape& tape) {
  // A sincos of which only one half is used counts once.
  std::vector<bool> used(tape.value_count, false);
  for (const Instruction& i : tape.code) {
    const std::uint32_t operands[] = {i.a, i.b, i.c};
    for (int k = 0; k < operand_count(i.code); ++k) used[operands[k]] = true;
  }
  for (const std::uint32_t output : tape.outputs) used[output] = true;

  algebra::OperationCount count;
  for (const Instruction& i : tape.code) {
    switch (i.code) {
      case Code::neg:
        break;
      case Code::add:
      case Code::sub:
        ++count.add;
        break;
      case Code::mul:
        ++count.mul;
        break;
      case Code::div:
        ++count.div;
        break;
      case Code::fma:
      case Code::fms:
      case Code::fnma:
      case Code::fnms:
        ++count.mul;
        ++count.add;
        break;
      case Code::sincos:
        count.trig += used[i.to] + used[i.to + 1];
        break;
      default:
        ++count.other;
    }
  }
  return count;
}

}  // namespace tactus::generate
