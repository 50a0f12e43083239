// The order of a tape's instructions.
//
// All sines and cosines whose arguments do not depend on other sines are evaluated first, side by side; then
// those that depend on them, and so on. The rest follows depth first from the outputs, the operand that needs
// more registers first [Sethi & Ullman 1970], so that values die soon after they are born.
#pragma once

#include <cstdint>
#include <vector>

#include <tactus/generate/tape.h>

namespace tactus::generate {

/// An instruction before it has a place. Operands below `leaf_count` are inputs and constants; operand
/// leaf_count + 2 i + k is result k (0, or 1 for a cosine) of operation i. Operands come before their users.
struct Operation {
  Code code;
  std::uint32_t operands[3] = {0, 0, 0};
};

struct Unordered {
  std::uint32_t leaf_count = 0;
  std::vector<Operation> operations;
  std::vector<std::uint32_t> outputs;

  bool is_leaf(std::uint32_t operand) const { return operand < leaf_count; }
  std::uint32_t operation_of(std::uint32_t operand) const { return (operand - leaf_count) / 2; }
};

struct Schedule {
  std::vector<std::uint32_t> order;  // indices of operations
  std::vector<std::uint32_t> group;  // for each place: Instruction::group
};

Schedule schedule(const Unordered& program);

}  // namespace tactus::generate
