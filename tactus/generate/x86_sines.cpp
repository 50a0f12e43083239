// The sine and cosine of math/sincos_kernel.h as a routine behind the kernel's own code, with the constants in front of it. Called in the
// library, they stand in two other pages of memory, code and constants, and a call from cold caches waits for both: half of such a call.
//
// One or two vectors of four angles, in ymm0 and ymm1; rdi: where the results go, all sines, then all cosines. Two go through the same
// operations in turn. AVX2's encodings, which processors with AVX-512 have, too. Register k of a group of two is vector k's.
#include <tactus/generate/x86_assembler.h>
#include <tactus/math/sincos_numbers.h>

namespace tactus::generate {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

namespace {

/// The routine's constants, in their order in memory.
enum Number : std::int32_t {
  kRange,
  kAbs,
  kSign,
  kTwoOverPi,
  kRounder,
  kP1,
  kP2,
  kP3,
  kHalf,
  kOne,
  kSine,                // six coefficients
  kCosine = kSine + 6,  // likewise
};

/// Lanes outside the range are the C library's (math/sincos.h), and all of the call's are done again.
void far_sines(const double* x, double* out, std::size_t count) noexcept {
  math::sincos(x, out, out + count, count);
}

}  // namespace

bool X86Assembler::has_own_sines() const { return lanes_ <= 4 && has_sines_; }

void X86Assembler::embed_sine_constants() {
  sines_at_ = static_cast<std::int32_t>(a_.offset());
  a_.embedDouble(math::kSinCosRange);
  a_.embedUInt64(0x7fffffffffffffffu);
  a_.embedUInt64(0x8000000000000000u);
  for (const double number : {math::kTwoOverPi, math::kRounder, math::kP1, math::kP2, math::kP3, 0.5, 1.0})
    a_.embedDouble(number);
  for (const double number : math::kSine) a_.embedDouble(number);
  for (const double number : math::kCosine) a_.embedDouble(number);
}

/// Writes the routine for so many vectors.
void X86Assembler::sine_routine(std::uint32_t vectors) {
  using Group = std::array<x86::Ymm, 2>;
  const auto group = [](std::uint32_t first) { return Group{x86::ymm(first), x86::ymm(first + 1)}; };
  const Group x = group(0), t = group(2), n = group(4), r = group(6), z2 = group(8), s = group(10),
              c = group(12);
  const x86::Ymm one = x86::ymm(14), two = x86::ymm(15);
  const auto each = [&](auto write) {
    for (std::uint32_t k = 0; k < vectors; ++k) write(k);
  };
  const auto number = [&](const x86::Ymm& to, std::int32_t which) {
    a_.vbroadcastsd(to, x86::qword_ptr(pool_, sines_at_ + 8 * which));
  };

  // Lanes outside the range, or no numbers.
  constexpr int kNotLessOrEqual = 22;
  const asmjit::Label far = a_.newLabel();
  number(one, kAbs);
  number(two, kRange);
  each([&](auto k) { a_.vandpd(t[k], x[k], one); });
  each([&](auto k) { a_.vcmppd(t[k], t[k], two, kNotLessOrEqual); });
  if (vectors == 2) a_.vorpd(t[0], t[0], t[1]);
  a_.vmovmskpd(x86::eax, t[0]);
  a_.test(x86::eax, x86::eax);
  a_.jnz(far);

  // Reduction. x becomes r1 and then e.
  number(two, kTwoOverPi);
  number(one, kRounder);
  each([&](auto k) { a_.vmovapd(t[k], one); });
  each([&](auto k) { a_.vfmadd231pd(t[k], x[k], two); });
  each([&](auto k) { a_.vsubpd(n[k], t[k], one); });
  number(two, kP1);
  number(one, kP2);
  each([&](auto k) { a_.vfnmadd231pd(x[k], n[k], two); });
  each([&](auto k) { a_.vmovapd(r[k], x[k]); });
  each([&](auto k) { a_.vfnmadd231pd(r[k], n[k], one); });
  number(two, kP3);
  each([&](auto k) { a_.vsubpd(x[k], r[k], x[k]); });
  each([&](auto k) { a_.vfmadd231pd(x[k], n[k], one); });
  each([&](auto k) { a_.vfmadd231pd(x[k], n[k], two); });
  const Group& e = x;

  // The two polynomials, in pairs of terms.
  const Group& z = n;
  each([&](auto k) { a_.vmulpd(z[k], r[k], r[k]); });
  each([&](auto k) { a_.vmulpd(z2[k], z[k], z[k]); });
  for (const auto& [sum, first] : {std::pair(&s, kSine), std::pair(&c, kCosine)}) {
    number(one, first + 4);
    each([&](auto k) { number((*sum)[k], first + 5); });
    each([&](auto k) { a_.vfmadd213pd((*sum)[k], z[k], one); });
  }
  for (const int term : {2, 0}) {
    for (const auto& [sum, first] : {std::pair(&s, kSine), std::pair(&c, kCosine)}) {
      each([&](auto k) {
        number(one, first + term);
        number(two, first + term + 1);
        a_.vfmadd231pd(one, z[k], two);
        a_.vfmadd213pd((*sum)[k], z2[k], one);
      });
    }
  }

  // sin = r - (r z S + e), cos = 1 + r (r z C + (e - r/2)).
  number(one, kHalf);
  number(two, kOne);
  const Group& rz = z;
  each([&](auto k) { a_.vmulpd(rz[k], r[k], z[k]); });
  each([&](auto k) { a_.vfmadd213pd(s[k], rz[k], e[k]); });
  each([&](auto k) { a_.vfnmadd231pd(e[k], r[k], one); });
  each([&](auto k) { a_.vfmadd213pd(c[k], rz[k], e[k]); });
  each([&](auto k) { a_.vsubpd(s[k], r[k], s[k]); });
  each([&](auto k) { a_.vfmadd213pd(c[k], r[k], two); });

  // Quarter turns, as in math/sincos_avx2.cpp: bit 0 of t exchanges the two, bits 0 and 1 are signs.
  number(one, kSign);
  const Group &bit0 = z2, &minus = t, &sin = r, &cos = e;
  each([&](auto k) { a_.vpsllq(bit0[k], t[k], 63); });
  each([&](auto k) { a_.vpsllq(minus[k], t[k], 62); });
  each([&](auto k) { a_.vandpd(minus[k], minus[k], one); });
  each([&](auto k) { a_.vblendvpd(sin[k], s[k], c[k], bit0[k]); });
  each([&](auto k) { a_.vblendvpd(cos[k], c[k], s[k], bit0[k]); });
  each([&](auto k) { a_.vxorpd(bit0[k], bit0[k], minus[k]); });
  each([&](auto k) { a_.vxorpd(sin[k], sin[k], minus[k]); });
  each([&](auto k) { a_.vxorpd(cos[k], cos[k], bit0[k]); });
  constexpr std::int32_t kBytes = 32;
  const auto at = [&](std::uint32_t k) { return x86::ptr(x86::rdi, kBytes * static_cast<std::int32_t>(k)); };
  each([&](auto k) { a_.vmovupd(at(k), sin[k]); });
  each([&](auto k) { a_.vmovupd(at(vectors + k), cos[k]); });
  a_.ret();

  // The angles go to the stack. The call that led here took 8 bytes of it.
  constexpr std::int32_t kStack = 2 * kBytes + 8;
  a_.bind(far);
  a_.sub(x86::rsp, kStack);
  each([&](auto k) { a_.vmovupd(x86::ptr(x86::rsp, kBytes * static_cast<std::int32_t>(k)), x[k]); });
  a_.vzeroupper();
  a_.mov(x86::rsi, x86::rdi);
  a_.mov(x86::rdi, x86::rsp);
  a_.mov(x86::edx, 4 * vectors);
  a_.mov(x86::rax, asmjit::imm(reinterpret_cast<std::uint64_t>(&far_sines)));
  a_.call(x86::rax);
  a_.add(x86::rsp, kStack);
  a_.ret();
}

}  // namespace tactus::generate
