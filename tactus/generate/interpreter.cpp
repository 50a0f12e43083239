#include <tactus/generate/interpreter.h>

#include <algorithm>

#include <tactus/generate/interpreter_loop.h>
#include <tactus/generate/liveness.h>

namespace tactus::generate {

Interpreter::Interpreter(const Tape& tape)
    : input_count_(tape.input_count), constants_(tape.constants), outputs_(tape.outputs) {
  // Constants stand before inputs, so that the places of both are known without looking at the call.
  const auto constant_count = static_cast<std::uint32_t>(constants_.size());
  std::vector<std::uint32_t> place(tape.value_count, 0);
  for (std::uint32_t v = 0; v < tape.input_count; ++v) place[v] = constant_count + v;
  for (std::uint32_t k = 0; k < constant_count; ++k) place[tape.first_constant() + k] = k;

  const std::vector<std::uint32_t> last_use = last_uses(tape);
  std::vector<std::uint32_t> free_places;
  std::uint32_t top = tape.first_result();
  const auto take = [&] {
    if (free_places.empty()) return top++;
    const std::uint32_t reused = free_places.back();
    free_places.pop_back();
    return reused;
  };
  const auto release_if_dead = [&](std::uint32_t value, std::uint32_t now) {
    if (value >= tape.first_result() && last_use[value] == now) free_places.push_back(place[value]);
  };

  steps_.reserve(tape.code.size());
  for (std::uint32_t now = 0; now < tape.code.size(); ++now) {
    const Instruction& i = tape.code[now];
    const int operands = operand_count(i.code);
    const std::uint32_t b = operands > 1 ? i.b : i.a, c = operands > 2 ? i.c : i.a;
    Step step{i.code, 0, place[i.a], place[b], place[c]};
    // A group of sincos reads all its arguments before it writes: results may not take the places of
    // arguments.
    if (i.code != Code::sincos) {
      release_if_dead(i.a, now);
      if (operands > 1 && i.b != i.a) release_if_dead(i.b, now);
      if (operands > 2 && i.c != i.a && i.c != i.b) release_if_dead(i.c, now);
    }
    place[i.to] = step.to = take();
    if (i.code == Code::sincos) {
      place[i.to + 1] = step.b = take();
      step.c = i.group;
    }
    steps_.push_back(step);
  }
  for (std::uint32_t& output : outputs_) output = place[output];
  work_size_ = top;
}

std::size_t Interpreter::code_size() const {
  return steps_.size() * sizeof(Step) + constants_.size() * sizeof(double) +
         outputs_.size() * sizeof(std::uint32_t);
}

void Interpreter::run_portable(const Interpreter& self, const double* in, double* out,
                               double* work) noexcept {
  run_steps(self.view(), in, out, work);
}

#if defined(__x86_64__)
Interpreter::Run Interpreter::choose() { return __builtin_cpu_supports("fma") ? run_fma : run_portable; }
#else
Interpreter::Run Interpreter::choose() { return run_portable; }
#endif

}  // namespace tactus::generate
