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

}  // namespace tactus::generate
