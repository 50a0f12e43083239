// The order of a tape's instructions. It changes no result, only the time the tape takes.
//
// All sines and cosines whose arguments do not depend on other sines are evaluated first, side by side; then
// those that depend on them, and so on. The rest follows the order in which the graph was made, the order of
// the recursions, which keeps values short-lived; within a window that moves along it, instructions are
// listed by the longest path to an output, as if a processor issued a few in each cycle
// [GibbonsMuchnick1986]. A processor looks ahead a few hundred instructions and retires them in order: without the listing it
// stalls behind long chains, with too wide a window too many values live at once. Measured: windows as below
// take 10 to 40 % off the time of the PUMA's and the chains' dynamics.
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

/// The order for a processor with that many registers.
Schedule schedule(const Unordered& program, int registers);

/// Cycles that an operation's result takes, about; sines with the call around them.
std::uint32_t latency(Code code);

/// Cycles from the inputs to the last output where nothing waits but for its operands: no order does better.
std::uint32_t critical_path(const Tape& tape);

}  // namespace tactus::generate
