// The interpreter's loop. Included by one source per instruction set (portable, and with the processor's
// fused multiply-add); everything here is therefore local to the including file.
#pragma once

#include <cstddef>
#include <cstdint>

#include <tactus/algebra/expr.h>
#include <tactus/generate/interpreter.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {
namespace {

/// x, or -x where `signs` has the bit.
inline double with_sign(double x, std::uint32_t signs, std::uint32_t bit) {
  std::uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  bits ^= static_cast<std::uint64_t>((signs & bit) / bit) << 63;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

inline void run_steps(const Interpreter::View& program, const double* in, double* out, double* w) noexcept {
  using Step = Interpreter::Step;
  using algebra::apply;
  using algebra::Op;
  for (std::size_t k = 0; k < program.constant_count; ++k) w[k] = program.constants[k];
  double* const inputs = w + program.constant_count;
  for (std::size_t k = 0; k < program.argument_count; ++k) inputs[k] = in[k];
  for (std::size_t k = 0; k < program.cell_count; ++k) inputs[program.argument_count + k] = program.cells[k];

  // Every operation ends with a jump of its own to the next one, which processors predict better than one
  // common jump.
  static const void* const targets[] = {
      &&neg,  &&add,   &&sub,  &&mul,  &&div,   &&fma,    &&fms,    &&fnma, &&fnms,   &&sqrt,
      &&abs,  &&sign,  &&min,  &&max,  &&floor, &&select, &&sincos, &&tan,  &&asin,   &&acos,
      &&atan, &&atan2, &&sinh, &&cosh, &&tanh,  &&exp,    &&log,    &&pow,  &&stretch};
  static_assert(sizeof(targets) / sizeof(targets[0]) == Interpreter::kStretch + 1);
  const Step* s = program.steps;
  const Step* const end = s + program.step_count;
  if (s == end) goto done;
  goto* targets[s->code];

#define TACTUS_STEP(value)   \
  w[s->to] = (value);        \
  if (++s == end) goto done; \
  goto* targets[s->code]

neg:
  TACTUS_STEP(-w[s->a]);
add:
  TACTUS_STEP(w[s->a] + w[s->b]);
sub:
  TACTUS_STEP(w[s->a] - w[s->b]);
mul:
  TACTUS_STEP(w[s->a] * w[s->b]);
div:
  TACTUS_STEP(w[s->a] / w[s->b]);
fma:
  TACTUS_STEP(__builtin_fma(w[s->a], w[s->b], w[s->c]));
fms:
  TACTUS_STEP(__builtin_fma(w[s->a], w[s->b], -w[s->c]));
fnma:
  TACTUS_STEP(__builtin_fma(-w[s->a], w[s->b], w[s->c]));
fnms:
  TACTUS_STEP(__builtin_fma(-w[s->a], w[s->b], -w[s->c]));
sqrt:
  TACTUS_STEP(apply(Op::sqrt, w[s->a]));
abs:
  TACTUS_STEP(apply(Op::abs, w[s->a]));
sign:
  TACTUS_STEP(apply(Op::sign, w[s->a]));
min:
  TACTUS_STEP(apply(Op::min, w[s->a], w[s->b]));
max:
  TACTUS_STEP(apply(Op::max, w[s->a], w[s->b]));
floor:
  TACTUS_STEP(apply(Op::floor, w[s->a]));
select:
  TACTUS_STEP(apply(Op::select, w[s->a], w[s->b], w[s->c]));
sincos : {
  constexpr std::uint32_t kAtOnce = 8;
  double angle[kAtOnce], sine[kAtOnce], cosine[kAtOnce];
  const std::uint32_t count = s->c < kAtOnce ? s->c : kAtOnce;
  for (std::uint32_t k = 0; k < count; ++k) angle[k] = w[s[k].a];
  math::sincos(angle, sine, cosine, count);
  for (std::uint32_t k = 0; k < count; ++k) {
    w[s[k].to] = sine[k];
    w[s[k].b] = cosine[k];
  }
  s += count;
  if (s == end) goto done;
  goto* targets[s->code];
}
tan:
  TACTUS_STEP(apply(Op::tan, w[s->a]));
asin:
  TACTUS_STEP(apply(Op::asin, w[s->a]));
acos:
  TACTUS_STEP(apply(Op::acos, w[s->a]));
atan:
  TACTUS_STEP(apply(Op::atan, w[s->a]));
atan2:
  TACTUS_STEP(apply(Op::atan2, w[s->a], w[s->b]));
sinh:
  TACTUS_STEP(apply(Op::sinh, w[s->a]));
cosh:
  TACTUS_STEP(apply(Op::cosh, w[s->a]));
tanh:
  TACTUS_STEP(apply(Op::tanh, w[s->a]));
exp:
  TACTUS_STEP(apply(Op::exp, w[s->a]));
log:
  TACTUS_STEP(apply(Op::log, w[s->a]));
pow:
  TACTUS_STEP(apply(Op::pow, w[s->a], w[s->b]));
#undef TACTUS_STEP
stretch:
  for (const Step* const last = s + s->c; s != last;) {
    ++s;
    const double a = with_sign(w[s->a], s->code, 1), c = with_sign(w[s->c], s->code, 2);
    w[s->to] = __builtin_fma(a, w[s->b], c);
  }
  if (++s == end) goto done;
  goto* targets[s->code];

done:
  for (std::size_t k = 0; k < program.output_count; ++k) out[k] = w[program.outputs[k]];
}

}  // namespace
}  // namespace tactus::generate
