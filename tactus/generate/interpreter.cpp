#include <tactus/generate/interpreter.h>

#include <optional>
#include <utility>

#include <tactus/generate/interpreter_loop.h>
#include <tactus/generate/liveness.h>

namespace tactus::generate {

Interpreter::Interpreter(const Tape& tape, bool with_fma)
    : run_(with_fma ? run_fma : run_portable),
      argument_count_(tape.argument_count),
      cells_(tape.cells),
      constants_(tape.constants),
      outputs_(tape.outputs) {
  const auto tape_constants = static_cast<std::uint32_t>(constants_.size());
  if (with_fma) constants_.insert(constants_.end(), {1.0, -1.0, -0.0});
  // Constants stand before inputs, so that the places of both are known without looking at the call.
  const auto constant_count = static_cast<std::uint32_t>(constants_.size());
  std::vector<std::uint32_t> place(tape.value_count, 0);
  for (std::uint32_t v = 0; v < tape.input_count; ++v) place[v] = constant_count + v;
  for (std::uint32_t k = 0; k < tape_constants; ++k) place[tape.first_constant() + k] = k;

  const std::vector<std::uint32_t> last_use = last_uses(tape);
  std::vector<std::uint32_t> free_places;
  std::uint32_t top = constant_count + tape.input_count;
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
    Step step{static_cast<std::uint32_t>(i.code), 0, place[i.a], place[b], place[c]};
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
  if (with_fma) gather_stretches(tape_constants, tape_constants + 1, tape_constants + 2);
}

void Interpreter::gather_stretches(std::uint32_t one, std::uint32_t minus_one, std::uint32_t minus_zero) {
  constexpr std::uint32_t kNegateA = 1, kNegateC = 2;
  const auto fused = [&](const Step& s) -> std::optional<Step> {
    switch (static_cast<Code>(s.code)) {
      case Code::neg:
        return Step{kNegateA, s.to, s.a, one, minus_zero};
      case Code::add:
        return Step{0, s.to, s.a, one, s.b};
      case Code::sub:
        return Step{0, s.to, s.b, minus_one, s.a};
      case Code::mul:
        return Step{0, s.to, s.a, s.b, minus_zero};
      case Code::fma:
        return Step{0, s.to, s.a, s.b, s.c};
      case Code::fms:
        return Step{kNegateC, s.to, s.a, s.b, s.c};
      case Code::fnma:
        return Step{kNegateA, s.to, s.a, s.b, s.c};
      case Code::fnms:
        return Step{kNegateA | kNegateC, s.to, s.a, s.b, s.c};
      default:
        return std::nullopt;
    }
  };
  std::vector<Step> gathered;
  gathered.reserve(steps_.size() + steps_.size() / 8);
  std::size_t stretch = 0;  // where the open one stands
  bool open = false;
  for (const Step& step : steps_) {
    const std::optional<Step> arithmetic = fused(step);
    if (arithmetic && !open) {
      stretch = gathered.size();
      gathered.push_back({kStretch, 0, 0, 0, 0});
    }
    open = arithmetic.has_value();
    if (open) ++gathered[stretch].c;
    gathered.push_back(arithmetic.value_or(step));
  }
  steps_ = std::move(gathered);
}

std::size_t Interpreter::code_size() const {
  return steps_.size() * sizeof(Step) + constants_.size() * sizeof(double) +
         outputs_.size() * sizeof(std::uint32_t);
}

void Interpreter::run_portable(const Interpreter& self, const double* in, double* out,
                               double* work) noexcept {
  run_steps(self.view(), in, out, work);
}

bool Interpreter::has_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#elif defined(__FP_FAST_FMA)
  return true;
#else
  return false;
#endif
}

}  // namespace tactus::generate
