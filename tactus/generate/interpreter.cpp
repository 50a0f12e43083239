#include <tactus/generate/interpreter.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/generate/liveness.h>
#include <tactus/math/sincos.h>

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
    Step step{i.code, i.group, 0, 0, place[i.a], place[b], place[c]};
    // A group of sincos reads all its arguments before it writes: results may not take the places of
    // arguments.
    if (i.code != Code::sincos) {
      release_if_dead(i.a, now);
      if (operands > 1 && i.b != i.a) release_if_dead(i.b, now);
      if (operands > 2 && i.c != i.a && i.c != i.b) release_if_dead(i.c, now);
    }
    place[i.to] = step.to = take();
    if (i.code == Code::sincos) place[i.to + 1] = step.to_cos = take();
    steps_.push_back(step);
  }
  for (std::uint32_t& output : outputs_) output = place[output];
  work_size_ = top;
}

std::size_t Interpreter::code_size() const {
  return steps_.size() * sizeof(Step) + constants_.size() * sizeof(double) +
         outputs_.size() * sizeof(std::uint32_t);
}

[[gnu::always_inline]] inline void Interpreter::steps(const double* in, double* out,
                                                      double* w) const noexcept {
  std::copy(constants_.begin(), constants_.end(), w);
  std::copy(in, in + input_count_, w + constants_.size());
  const Step* const end = steps_.data() + steps_.size();
  for (const Step* s = steps_.data(); s != end; ++s) {
    const double a = w[s->a];
    switch (s->code) {
      case Code::neg:
        w[s->to] = -a;
        break;
      case Code::add:
        w[s->to] = a + w[s->b];
        break;
      case Code::sub:
        w[s->to] = a - w[s->b];
        break;
      case Code::mul:
        w[s->to] = a * w[s->b];
        break;
      case Code::div:
        w[s->to] = a / w[s->b];
        break;
      case Code::fma:
        w[s->to] = __builtin_fma(a, w[s->b], w[s->c]);
        break;
      case Code::fms:
        w[s->to] = __builtin_fma(a, w[s->b], -w[s->c]);
        break;
      case Code::fnma:
        w[s->to] = __builtin_fma(-a, w[s->b], w[s->c]);
        break;
      case Code::fnms:
        w[s->to] = __builtin_fma(-a, w[s->b], -w[s->c]);
        break;
      case Code::sincos: {
        constexpr std::uint32_t kAtOnce = 8;
        double angle[kAtOnce], sine[kAtOnce], cosine[kAtOnce];
        const std::uint32_t count = std::min(s->group, kAtOnce);
        for (std::uint32_t k = 0; k < count; ++k) angle[k] = w[s[k].a];
        math::sincos(angle, sine, cosine, count);
        for (std::uint32_t k = 0; k < count; ++k) {
          w[s[k].to] = sine[k];
          w[s[k].to_cos] = cosine[k];
        }
        s += count - 1;
        break;
      }
      case Code::sqrt:
        w[s->to] = algebra::apply(algebra::Op::sqrt, a);
        break;
      case Code::abs:
        w[s->to] = algebra::apply(algebra::Op::abs, a);
        break;
      case Code::sign:
        w[s->to] = algebra::apply(algebra::Op::sign, a);
        break;
      case Code::min:
        w[s->to] = algebra::apply(algebra::Op::min, a, w[s->b]);
        break;
      case Code::max:
        w[s->to] = algebra::apply(algebra::Op::max, a, w[s->b]);
        break;
      case Code::floor:
        w[s->to] = algebra::apply(algebra::Op::floor, a);
        break;
      case Code::select:
        w[s->to] = algebra::apply(algebra::Op::select, a, w[s->b], w[s->c]);
        break;
      case Code::tan:
        w[s->to] = algebra::apply(algebra::Op::tan, a);
        break;
      case Code::asin:
        w[s->to] = algebra::apply(algebra::Op::asin, a);
        break;
      case Code::acos:
        w[s->to] = algebra::apply(algebra::Op::acos, a);
        break;
      case Code::atan:
        w[s->to] = algebra::apply(algebra::Op::atan, a);
        break;
      case Code::atan2:
        w[s->to] = algebra::apply(algebra::Op::atan2, a, w[s->b]);
        break;
      case Code::sinh:
        w[s->to] = algebra::apply(algebra::Op::sinh, a);
        break;
      case Code::cosh:
        w[s->to] = algebra::apply(algebra::Op::cosh, a);
        break;
      case Code::tanh:
        w[s->to] = algebra::apply(algebra::Op::tanh, a);
        break;
      case Code::exp:
        w[s->to] = algebra::apply(algebra::Op::exp, a);
        break;
      case Code::log:
        w[s->to] = algebra::apply(algebra::Op::log, a);
        break;
      case Code::pow:
        w[s->to] = algebra::apply(algebra::Op::pow, a, w[s->b]);
        break;
    }
  }
  for (std::size_t k = 0; k < outputs_.size(); ++k) out[k] = w[outputs_[k]];
}

void Interpreter::run_portable(const Interpreter& self, const double* in, double* out,
                               double* work) noexcept {
  self.steps(in, out, work);
}

#if defined(__x86_64__)
// The same steps with the processor's fused multiply-add instead of the C library's (which, being correctly
// rounded as well, gives the same bits more slowly).
__attribute__((target("fma"))) void Interpreter::run_fma(const Interpreter& self, const double* in,
                                                         double* out, double* work) noexcept {
  self.steps(in, out, work);
}

Interpreter::Run Interpreter::choose() { return __builtin_cpu_supports("fma") ? run_fma : run_portable; }
#else
void Interpreter::run_fma(const Interpreter& self, const double* in, double* out, double* work) noexcept {
  self.steps(in, out, work);
}

Interpreter::Run Interpreter::choose() { return run_portable; }
#endif

}  // namespace tactus::generate
