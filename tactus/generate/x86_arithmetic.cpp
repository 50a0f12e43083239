// Arithmetic of the tape as instructions. Operands may be in registers or, one of them, in memory.
#include <tactus/generate/x86_assembler.h>

namespace tactus::generate {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

namespace {

// Predicates of vcmp, ordered and quiet.
constexpr int kLess = 17, kGreaterOrEqual = 29, kUnordered = 3;
// Rounding of vround and vrndscale: down, without exceptions.
constexpr int kDown = 9;

}  // namespace

void X86Assembler::binary(const Instruction& i, std::uint32_t opcode, bool commutes) {
  std::uint32_t x = i.a, y = i.b;
  // The first operand must be in a register; where either may be first, not the one that is used latest
  // again.
  if (commutes && !registers_.has(x) &&
      (registers_.has(y) || registers_.next_use(y) < registers_.next_use(x))) {
    std::swap(x, y);
  }
  const int rx = in_register(x);
  if (!is_foldable(y)) in_register(y);
  const int to = result_register(i);
  emit(opcode, vec(to), vec(rx), operand(y));
  define(i.to, to);
}

void X86Assembler::fused(const Instruction& i) {
  const auto& forms = opcodes_.fused[static_cast<int>(i.code) - static_cast<int>(Code::fma)];
  const auto dying = [&](std::uint32_t v) { return registers_.has(v) && registers_.dies(v); };
  const auto in_memory = [&](std::uint32_t v) { return !registers_.has(v); };

  // The result replaces one of the operands: a dying one; else a fresh copy of one that stands in memory;
  // else of c.
  std::uint32_t replaced = i.c;
  int to;
  if (dying(i.c) || dying(i.a) || dying(i.b)) {
    replaced = dying(i.c) ? i.c : dying(i.a) ? i.a : i.b;
    to = registers_.of(replaced);
  } else {
    if (!in_memory(i.c) && in_memory(i.a)) replaced = i.a;
    if (!in_memory(i.c) && !in_memory(i.a) && in_memory(i.b)) replaced = i.b;
    to = take();
    if (in_memory(replaced)) {
      load(to, replaced);
    } else {
      emit(Inst::kIdVmovapd, vec(to), vec(registers_.of(replaced)));
    }
  }

  // Register of an operand other than the replaced one (or the same value once more).
  const auto reg = [&](std::uint32_t v) { return v == replaced ? to : in_register(v); };
  const auto last = [&](std::uint32_t v) -> asmjit::Operand {
    if (v == replaced) return vec(to);
    if (!is_foldable(v)) in_register(v);
    return operand(v);
  };
  const auto folds = [&](std::uint32_t v) { return v != replaced && in_memory(v) && is_foldable(v); };

  if (replaced == i.c) {
    std::uint32_t s = i.a, x = i.b;
    if (folds(s) && (!folds(x) || registers_.next_use(x) < registers_.next_use(s))) std::swap(s, x);
    const int rs = reg(s);
    emit(forms[k231], vec(to), vec(rs), last(x));
  } else {
    const std::uint32_t factor = replaced == i.a ? i.b : i.a;
    if (folds(factor) && (!folds(i.c) || registers_.next_use(i.c) < registers_.next_use(factor))) {
      const int rc = reg(i.c);
      emit(forms[k132], vec(to), vec(rc), last(factor));
    } else {
      const int rf = reg(factor);
      emit(forms[k213], vec(to), vec(rf), last(i.c));
    }
  }
  define(i.to, to);
}

void X86Assembler::unary_with_mask(const Instruction& i, std::uint32_t opcode, Mask which) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  emit(opcode, vec(to), vec(x), mask(which));
  define(i.to, to);
}

void X86Assembler::square_root(const Instruction& i) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  if (lanes_ == 1) {
    emit(opcodes_.sqrt, vec(to), vec(x), vec(x));
  } else {
    emit(opcodes_.sqrt, vec(to), vec(x));
  }
  define(i.to, to);
}

void X86Assembler::floor(const Instruction& i) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  const std::uint32_t opcode = level_ == Level::avx512 ? opcodes_.round_evex : opcodes_.round;
  if (lanes_ == 1) {
    emit(opcode, vec(to), vec(x), vec(x), asmjit::imm(kDown));
  } else {
    emit(opcode, vec(to), vec(x), asmjit::imm(kDown));
  }
  define(i.to, to);
}

void X86Assembler::blend(Vec to, Vec no, Vec yes, Vec x, Vec y, int predicate) {
  if (level_ == Level::avx512) {
    emit(opcodes_.compare, x86::k1, x, y, asmjit::imm(predicate));
    a_.k(x86::k1).emit(Inst::kIdVblendmpd, to, no, yes);
  } else {
    const Vec condition = vec(take());
    emit(opcodes_.compare, condition, x, y, asmjit::imm(predicate));
    emit(Inst::kIdVblendvpd, to, no, yes, condition);
  }
}

void X86Assembler::sign(const Instruction& i) {
  const Vec x = vec(in_register(i.a));
  const int to = take();
  const Vec zero = vec(take()), minus = vec(take());
  emit(Inst::kIdVxorpd, zero, zero, zero);
  emit(Inst::kIdVmovupd, vec(to), mask(kOnes));
  emit(Inst::kIdVmovupd, minus, mask(kMinusOnes));
  blend(vec(to), vec(to), minus, x, zero, kLess);
  blend(vec(to), vec(to), x, x, x, kUnordered);
  define(i.to, to);
}

void X86Assembler::select(const Instruction& i) {
  const Vec condition = vec(in_register(i.a)), yes = vec(in_register(i.b)), no = vec(in_register(i.c));
  const int to = take();
  const Vec zero = vec(take());
  emit(Inst::kIdVxorpd, zero, zero, zero);
  blend(vec(to), no, yes, condition, zero, kGreaterOrEqual);
  define(i.to, to);
}

}  // namespace tactus::generate
