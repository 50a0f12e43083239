#include <tactus/generate/schedule.h>

#include <algorithm>
#include <array>

namespace tactus::generate {

namespace {

/// Registers that each operation's expression needs, as if it were a tree. Inputs, constants, sines and
/// cosines stand in memory, where most instructions can read one operand.
std::vector<std::uint16_t> register_needs(const Unordered& program) {
  std::vector<std::uint16_t> need(program.operations.size(), 1);
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& op = program.operations[i];
    if (op.code == Code::sincos) {
      need[i] = 0;
      continue;
    }
    std::array<std::uint16_t, 3> of_operand{};
    for (int k = 0; k < operand_count(op.code); ++k) {
      const std::uint32_t operand = op.operands[k];
      of_operand[k] = program.is_leaf(operand) ? 0 : need[program.operation_of(operand)];
    }
    std::sort(of_operand.rbegin(), of_operand.rend());
    for (std::uint16_t k = 0; k < 3; ++k) {
      if (of_operand[k] > 0) need[i] = std::max<std::uint16_t>(need[i], of_operand[k] + k);
    }
  }
  return need;
}

/// How many sines stand one behind the other below each operation, itself included.
std::vector<std::uint32_t> sine_levels(const Unordered& program, std::uint32_t& deepest) {
  std::vector<std::uint32_t> level(program.operations.size(), 0);
  deepest = 0;
  for (std::size_t i = 0; i < program.operations.size(); ++i) {
    const Operation& op = program.operations[i];
    for (int k = 0; k < operand_count(op.code); ++k) {
      if (!program.is_leaf(op.operands[k])) {
        level[i] = std::max(level[i], level[program.operation_of(op.operands[k])]);
      }
    }
    if (op.code == Code::sincos) deepest = std::max(deepest, ++level[i]);
  }
  return level;
}

class DepthFirst {
 public:
  DepthFirst(const Unordered& program, std::vector<std::uint32_t>& order)
      : program_(program),
        order_(order),
        need_(register_needs(program)),
        placed_(program.operations.size(), false) {}

  void place(std::uint32_t operation) {
    placed_[operation] = true;
    order_.push_back(operation);
  }

  /// Places all that `operand` needs and that has no place yet.
  void reach(std::uint32_t operand) {
    if (program_.is_leaf(operand)) return;
    open(program_.operation_of(operand));
    while (!stack_.empty()) {
      Visit& top = stack_.back();
      if (top.next < top.count) {
        open(top.children[top.next++]);
      } else {
        const std::uint32_t operation = top.operation;
        stack_.pop_back();
        if (!placed_[operation]) place(operation);
      }
    }
  }

 private:
  struct Visit {
    std::uint32_t operation;
    std::uint8_t count = 0, next = 0;
    std::array<std::uint32_t, 3> children{};
  };

  void open(std::uint32_t operation) {
    if (placed_[operation]) return;
    Visit visit{operation};
    const Operation& op = program_.operations[operation];
    for (int k = 0; k < operand_count(op.code); ++k) {
      if (program_.is_leaf(op.operands[k])) continue;
      const std::uint32_t child = program_.operation_of(op.operands[k]);
      if (!placed_[child]) visit.children[visit.count++] = child;
    }
    std::stable_sort(visit.children.begin(), visit.children.begin() + visit.count,
                     [&](std::uint32_t x, std::uint32_t y) { return need_[x] > need_[y]; });
    stack_.push_back(visit);
  }

  const Unordered& program_;
  std::vector<std::uint32_t>& order_;
  std::vector<std::uint16_t> need_;
  std::vector<bool> placed_;
  std::vector<Visit> stack_;
};

}  // namespace

Schedule schedule(const Unordered& program) {
  Schedule result;
  result.order.reserve(program.operations.size());
  result.group.assign(program.operations.size(), 1);

  std::uint32_t deepest = 0;
  const std::vector<std::uint32_t> level = sine_levels(program, deepest);
  std::vector<std::vector<std::uint32_t>> sines(deepest + 1);
  for (std::uint32_t i = 0; i < program.operations.size(); ++i) {
    if (program.operations[i].code == Code::sincos) sines[level[i]].push_back(i);
  }

  DepthFirst walk(program, result.order);
  for (const std::vector<std::uint32_t>& group : sines) {
    for (const std::uint32_t i : group) walk.reach(program.operations[i].operands[0]);
    for (std::size_t k = 0; k < group.size(); ++k) {
      result.group[result.order.size()] = static_cast<std::uint32_t>(group.size() - k);
      walk.place(group[k]);
    }
  }
  for (const std::uint32_t output : program.outputs) walk.reach(output);
  return result;
}

}  // namespace tactus::generate
