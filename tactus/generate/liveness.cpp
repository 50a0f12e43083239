#include <tactus/generate/liveness.h>

namespace tactus::generate {

std::vector<std::uint32_t> last_uses(const Tape& tape) {
  std::vector<std::uint32_t> last(tape.value_count, kNever);
  for (std::uint32_t now = 0; now < tape.code.size(); ++now) {
    const Instruction& i = tape.code[now];
    const int operands = operand_count(i.code);
    last[i.a] = now;
    if (operands > 1) last[i.b] = now;
    if (operands > 2) last[i.c] = now;
  }
  for (const std::uint32_t output : tape.outputs) last[output] = kNever;
  return last;
}

NextUses next_uses(const Tape& tape) {
  NextUses uses;
  uses.first.assign(tape.value_count, kNever);
  uses.after.resize(tape.code.size());
  // Backwards, `first` holds the first use among the instructions seen so far.
  for (auto now = static_cast<std::uint32_t>(tape.code.size()); now-- > 0;) {
    const Instruction& i = tape.code[now];
    const int operands = operand_count(i.code);
    const std::uint32_t values[] = {i.a, i.b, i.c};
    for (int k = 0; k < operands; ++k) uses.after[now][k] = uses.first[values[k]];
    for (int k = 0; k < operands; ++k) uses.first[values[k]] = now;
  }
  return uses;
}

}  // namespace tactus::generate
