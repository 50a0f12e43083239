#include <tactus/generate/x86_assembler.h>

#include <algorithm>
#include <bit>

#include <tactus/base/check.h>
#include <tactus/generate/library_calls.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

namespace {

// Pointers to inputs, outputs and work point this far into them, so that twice as many values are reached by
// a one-byte displacement.
constexpr std::int32_t kBias = 128;

// A value in memory that is used again within so many instructions moves to a register, if one is free.
constexpr std::uint32_t kSoon = 24;

// Wide masks and constants, for the operations on signs.
enum Mask { kSignMask, kAbsMask, kOnes, kMinusOnes, kMaskCount };
constexpr std::uint32_t kMaskBytes = 64;

// Predicates of vcmp, ordered and quiet.
constexpr int kLess = 17, kGreaterOrEqual = 29, kUnordered = 3;
// Rounding of vround and vrndscale: down, without exceptions.
constexpr int kDown = 9;

bool is_library_call(Code code) { return code >= Code::tan; }

bool needs_masks(const Tape& tape) {
  return std::any_of(tape.code.begin(), tape.code.end(), [](const Instruction& i) {
    return i.code == Code::neg || i.code == Code::abs || i.code == Code::sign;
  });
}

bool needs_calls(const Tape& tape) {
  return std::any_of(tape.code.begin(), tape.code.end(),
                     [](const Instruction& i) { return i.code == Code::sincos || is_library_call(i.code); });
}

}  // namespace

X86Assembler::X86Assembler(const Tape& tape, int lanes, Level level, asmjit::CodeHolder& code)
    : tape_(tape),
      lanes_(lanes),
      level_(level),
      opcodes_(x86_opcodes(lanes == 1)),
      a_(&code),
      registers_(tape, register_count(level)),
      first_output_(tape.value_count, kNever),
      next_output_(tape.outputs.size(), kNever),
      has_calls_(needs_calls(tape)) {
  a_.setErrorHandler(this);
  for (auto k = static_cast<std::uint32_t>(tape.outputs.size()); k-- > 0;) {
    next_output_[k] = first_output_[tape.outputs[k]];
    first_output_[tape.outputs[k]] = k;
  }
}

bool X86Assembler::write() {
  embed_constants();
  prologue();
  copy_outputs_without_instruction();
  for (std::uint32_t now = 0; now < tape_.code.size();) {
    if (tape_.code[now].code == Code::sincos) {
      // One lane: the angles of a group side by side. Several lanes: one angle of every state at a time. Up
      // to eight angles are sooner done in two fours than in one eight.
      const std::uint32_t group = tape_.code[now].group;
      const std::uint32_t width = level_ == Level::avx512 && group > 8 ? 8 : 4;
      const std::uint32_t count = lanes_ == 1 ? std::min(group, width) : 1;
      sine_group(now, count);
      now += count;
    } else {
      instruction(now++);
    }
  }
  epilogue();
  return !failed_;
}

// --- frame
// -----------------------------------------------------------------------------------------------------------

void X86Assembler::embed_constants() {
  // AVX2 cannot spread a scalar in memory over all lanes of an operand: there, constants are stored once per
  // lane.
  const std::uint32_t copies = lanes_ > 1 && level_ == Level::avx2 ? static_cast<std::uint32_t>(lanes_) : 1;
  constant_stride_ = 8 * copies;
  pool_ = a_.newLabel();
  a_.bind(pool_);
  for (const double constant : tape_.constants) a_.embedDouble(constant, copies);
  if (needs_masks(tape_)) {
    a_.align(asmjit::AlignMode::kData, kMaskBytes);
    masks_at_ = static_cast<std::uint32_t>(a_.offset());
    a_.embedUInt64(0x8000000000000000u, kMaskBytes / 8);
    a_.embedUInt64(0x7fffffffffffffffu, kMaskBytes / 8);
    a_.embedDouble(1.0, kMaskBytes / 8);
    a_.embedDouble(-1.0, kMaskBytes / 8);
  }
  a_.align(asmjit::AlignMode::kData, 64);
  entry_offset_ = a_.offset();
}

void X86Assembler::prologue() {
  // Called as (program, in, out, work): rdi, rsi, rdx, rcx. Calls preserve rbx, r12 and r13; the three pushes
  // also align the stack.
  if (has_calls_) {
    in_ = x86::rbx;
    out_ = x86::r12;
    work_ = x86::r13;
    a_.push(x86::rbx);
    a_.push(x86::r12);
    a_.push(x86::r13);
  } else {
    in_ = x86::rsi;
    out_ = x86::rdx;
    work_ = x86::rcx;
  }
  a_.lea(in_, x86::ptr(x86::rsi, kBias));
  a_.lea(out_, x86::ptr(x86::rdx, kBias));
  a_.lea(work_, x86::ptr(x86::rcx, kBias));
}

void X86Assembler::epilogue() {
  if (lanes_ > 1) a_.vzeroupper();
  if (has_calls_) {
    a_.pop(x86::r13);
    a_.pop(x86::r12);
    a_.pop(x86::rbx);
  }
  a_.ret();
}

void X86Assembler::copy_outputs_without_instruction() {
  for (std::uint32_t k = 0; k < tape_.outputs.size(); ++k) {
    const std::uint32_t value = tape_.outputs[k];
    if (value >= tape_.first_result()) continue;
    load(0, value);
    a_.emit(opcodes_.store, memory({Home::output, k}), vec(0));
  }
}

void X86Assembler::instruction(std::uint32_t now) {
  const Instruction& i = tape_.code[now];
  const int operands = operand_count(i.code);
  registers_.begin(tape_, now);
  registers_.lock_value(i.a);
  if (operands > 1) registers_.lock_value(i.b);
  if (operands > 2) registers_.lock_value(i.c);
  if (!is_library_call(i.code)) fetch_early(i, now);
  switch (i.code) {
    case Code::add:
      binary(i, opcodes_.add, true);
      break;
    case Code::sub:
      binary(i, opcodes_.sub, false);
      break;
    case Code::mul:
      binary(i, opcodes_.mul, true);
      break;
    case Code::div:
      binary(i, opcodes_.div, false);
      break;
    case Code::min:
      binary(i, opcodes_.min, false);
      break;
    case Code::max:
      binary(i, opcodes_.max, false);
      break;
    case Code::fma:
    case Code::fms:
    case Code::fnma:
    case Code::fnms:
      fused(i);
      break;
    case Code::neg:
      unary_with_mask(i, Inst::kIdVxorpd, kSignMask);
      break;
    case Code::abs:
      unary_with_mask(i, Inst::kIdVandpd, kAbsMask);
      break;
    case Code::sqrt:
      square_root(i);
      break;
    case Code::floor:
      floor(i);
      break;
    case Code::sign:
      sign(i);
      break;
    case Code::select:
      select(i);
      break;
    default:
      library_function(i);
  }
  registers_.end(tape_, now);
}

// --- arithmetic
// ------------------------------------------------------------------------------------------------------

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
  a_.emit(opcode, vec(to), vec(rx), operand(y));
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
      a_.emit(Inst::kIdVmovapd, vec(to), vec(registers_.of(replaced)));
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
    a_.emit(forms[k231], vec(to), vec(rs), last(x));
  } else {
    const std::uint32_t factor = replaced == i.a ? i.b : i.a;
    if (folds(factor) && (!folds(i.c) || registers_.next_use(i.c) < registers_.next_use(factor))) {
      const int rc = reg(i.c);
      a_.emit(forms[k132], vec(to), vec(rc), last(factor));
    } else {
      const int rf = reg(factor);
      a_.emit(forms[k213], vec(to), vec(rf), last(i.c));
    }
  }
  define(i.to, to);
}

void X86Assembler::unary_with_mask(const Instruction& i, std::uint32_t opcode, int which) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  a_.emit(opcode, vec(to), vec(x), mask(which));
  define(i.to, to);
}

void X86Assembler::square_root(const Instruction& i) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  if (lanes_ == 1) {
    a_.emit(opcodes_.sqrt, vec(to), vec(x), vec(x));
  } else {
    a_.emit(opcodes_.sqrt, vec(to), vec(x));
  }
  define(i.to, to);
}

void X86Assembler::floor(const Instruction& i) {
  const int x = in_register(i.a);
  const int to = result_register(i);
  const std::uint32_t opcode = level_ == Level::avx512 ? opcodes_.round_evex : opcodes_.round;
  if (lanes_ == 1) {
    a_.emit(opcode, vec(to), vec(x), vec(x), asmjit::imm(kDown));
  } else {
    a_.emit(opcode, vec(to), vec(x), asmjit::imm(kDown));
  }
  define(i.to, to);
}

void X86Assembler::blend(Vec to, Vec no, Vec yes, Vec x, Vec y, int predicate) {
  if (level_ == Level::avx512) {
    a_.emit(opcodes_.compare, x86::k1, x, y, asmjit::imm(predicate));
    a_.k(x86::k1).emit(Inst::kIdVblendmpd, to, no, yes);
  } else {
    const Vec condition = vec(take());
    a_.emit(opcodes_.compare, condition, x, y, asmjit::imm(predicate));
    a_.emit(Inst::kIdVblendvpd, to, no, yes, condition);
  }
}

void X86Assembler::sign(const Instruction& i) {
  const Vec x = vec(in_register(i.a));
  const int to = take();
  const Vec zero = vec(take()), minus = vec(take());
  a_.emit(Inst::kIdVxorpd, zero, zero, zero);
  a_.emit(Inst::kIdVmovupd, vec(to), mask(kOnes));
  a_.emit(Inst::kIdVmovupd, minus, mask(kMinusOnes));
  blend(vec(to), vec(to), minus, x, zero, kLess);
  blend(vec(to), vec(to), x, x, x, kUnordered);
  define(i.to, to);
}

void X86Assembler::select(const Instruction& i) {
  const Vec condition = vec(in_register(i.a)), yes = vec(in_register(i.b)), no = vec(in_register(i.c));
  const int to = take();
  const Vec zero = vec(take());
  a_.emit(Inst::kIdVxorpd, zero, zero, zero);
  blend(vec(to), no, yes, condition, zero, kGreaterOrEqual);
  define(i.to, to);
}

// --- calls
// -----------------------------------------------------------------------------------------------------------

void X86Assembler::ensure_home(std::uint32_t value) {
  if (registers_.home(value).where != Home::none) return;
  const Home home = registers_.spill(value);
  a_.emit(opcodes_.store, memory(home), vec(registers_.of(value)));
}

void X86Assembler::save_all() {
  for (int reg = 0; reg < register_count(level_); ++reg) {
    const std::uint32_t value = registers_.value_in(reg);
    if (registers_.of(value) != reg) continue;
    if (!registers_.dies(value)) ensure_home(value);
    registers_.release(reg);
  }
}

void X86Assembler::call(const void* target) {
  a_.mov(x86::rax, asmjit::imm(reinterpret_cast<std::uint64_t>(target)));
  a_.call(x86::rax);
}

void X86Assembler::sine_group(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> angles;
  for (std::uint32_t k = 0; k < count; ++k) {
    registers_.begin(tape_, first + k);
    angles.push_back(tape_.code[first + k].a);
    ensure_home(angles.back());
  }
  save_all();

  const auto width = static_cast<std::uint32_t>(lanes_ > 1 ? lanes_ : count > 4 ? 8 : 4);
  // One lane: `width` sines, then as many cosines, each a value of its own. Several lanes: one value of each.
  const std::uint32_t results = registers_.take_block(lanes_ > 1 ? 2 : 2 * width);
  if (lanes_ > 1) {
    load(0, angles.front());
  } else {
    gather_angles(angles);
  }
  a_.lea(x86::rdi, memory({Home::work, results}));
  call(math::sincos_entry(static_cast<int>(width)));
  if (lanes_ == 1) a_.vzeroupper();
  // Upper halves left in use would slow down every SSE instruction of the caller, long after we have
  // returned.
  if (lanes_ == 1) a_.vzeroupper();

  for (std::uint32_t k = 0; k < count; ++k) {
    const std::uint32_t value[] = {tape_.code[first + k].to, tape_.code[first + k].to + 1};
    registers_.set_home(value[0], {Home::work, results + k});
    registers_.set_home(value[1], {Home::work, results + (lanes_ > 1 ? 1 : width) + k});
    for (const std::uint32_t v : value) {
      if (first_output_[v] == kNever) continue;
      load(0, v);
      for (std::uint32_t o = first_output_[v]; o != kNever; o = next_output_[o]) {
        a_.emit(opcodes_.store, memory({Home::output, o}), vec(0));
      }
    }
    registers_.end(tape_, first + k);
  }
}

/// Up to eight angles from memory into zmm0 (ymm0 for up to four); lanes without an angle are zero.
void X86Assembler::gather_angles(const std::vector<std::uint32_t>& angles) {
  const auto half = [&](std::size_t k, const x86::Xmm& to) {
    a_.vmovsd(to, memory(registers_.home(angles[k])));
    if (k + 1 < angles.size()) a_.vmovhpd(to, to, memory(registers_.home(angles[k + 1])));
  };
  const auto quarter = [&](std::size_t k, int to) {
    half(k, x86::xmm(to));
    if (k + 2 < angles.size()) {
      half(k + 2, x86::xmm(to + 1));
      a_.vinsertf128(x86::ymm(to), x86::ymm(to), x86::xmm(to + 1), 1);
    }
  };
  quarter(0, 0);
  if (angles.size() > 4) {
    quarter(4, 2);
    a_.vinsertf64x4(x86::zmm0, x86::zmm0, x86::ymm2, 1);
  }
}

void X86Assembler::library_function(const Instruction& i) {
  const int operands = operand_count(i.code);
  if (lanes_ == 1) {
    ensure_home(i.a);
    if (operands > 1) ensure_home(i.b);
    save_all();
    a_.vmovsd(x86::xmm0, memory(registers_.home(i.a)));
    if (operands > 1) a_.vmovsd(x86::xmm1, memory(registers_.home(i.b)));
    call(library_call(i.code));
    define(i.to, 0);
    return;
  }
  // Lane by lane, in memory: arguments and result side by side in the work array.
  const std::uint32_t block = registers_.take_block(3);
  const std::uint32_t arguments[] = {i.a, i.b};
  for (int k = 0; k < operands; ++k) {
    const int reg = in_register(arguments[k]);
    a_.emit(opcodes_.store, memory({Home::work, block + static_cast<std::uint32_t>(k)}), vec(reg));
  }
  save_all();
  a_.vzeroupper();
  a_.lea(x86::rdi, memory({Home::work, block}));
  a_.mov(x86::esi, lanes_);
  call(library_call_lanes(i.code));
  a_.emit(opcodes_.load, vec(0), memory({Home::work, block + 2}));
  define(i.to, 0);
}

// --- operands
// --------------------------------------------------------------------------------------------------------

X86Assembler::Vec X86Assembler::vec(int reg) const {
  const auto id = static_cast<std::uint32_t>(reg);
  if (lanes_ == 1) return x86::xmm(id);
  if (lanes_ == 4) return x86::ymm(id);
  return x86::zmm(id);
}

X86Assembler::Mem X86Assembler::memory(const Home& home, bool as_operand) const {
  if (home.where == Home::constant) {
    const auto offset = static_cast<std::int32_t>(home.index * constant_stride_);
    Mem mem = x86::ptr(pool_, offset);
    if (as_operand && lanes_ > 1 && constant_stride_ == 8) {
      mem.setBroadcast(lanes_ == 8 ? Mem::Broadcast::k1To8 : Mem::Broadcast::k1To4);
    }
    return mem;
  }
  const auto offset = static_cast<std::int32_t>(home.index * 8 * static_cast<std::uint32_t>(lanes_)) - kBias;
  switch (home.where) {
    case Home::input:
      return x86::ptr(in_, offset);
    case Home::output:
      return x86::ptr(out_, offset);
    default:
      return x86::ptr(work_, offset);
  }
}

X86Assembler::Mem X86Assembler::mask(int which) const {
  return x86::ptr(pool_,
                  static_cast<std::int32_t>(masks_at_ + kMaskBytes * static_cast<std::uint32_t>(which)));
}

int X86Assembler::take() {
  int reg = registers_.free();
  if (reg == Registers::kNone) {
    reg = registers_.furthest();
    const std::uint32_t value = registers_.value_in(reg);
    if (!registers_.dies(value)) ensure_home(value);
    registers_.release(reg);
  }
  registers_.lock(reg);
  return reg;
}

void X86Assembler::load(int reg, std::uint32_t value) {
  const Home& home = registers_.home(value);
  if (home.where == Home::constant && constant_stride_ == 8) {
    a_.emit(opcodes_.broadcast, vec(reg), memory(home, false));
  } else {
    a_.emit(opcodes_.load, vec(reg), memory(home));
  }
}

int X86Assembler::in_register(std::uint32_t value) {
  if (registers_.has(value)) {
    registers_.lock(registers_.of(value));
    return registers_.of(value);
  }
  const int reg = take();
  load(reg, value);
  registers_.assign(reg, value);
  return reg;
}

bool X86Assembler::is_foldable(std::uint32_t value) const {
  return registers_.has(value) || registers_.home(value).where != Home::none;
}

asmjit::Operand X86Assembler::operand(std::uint32_t value) const {
  if (registers_.has(value)) return vec(registers_.of(value));
  return memory(registers_.home(value));
}

void X86Assembler::fetch_early(const Instruction& i, std::uint32_t now) {
  const std::uint32_t values[] = {i.a, i.b, i.c};
  for (int k = 0; k < operand_count(i.code); ++k) {
    const std::uint32_t value = values[k];
    if (registers_.has(value) || registers_.dies(value) || registers_.next_use(value) - now > kSoon) continue;
    if (registers_.any_free()) in_register(value);
  }
}

int X86Assembler::result_register(const Instruction& i) {
  const std::uint32_t values[] = {i.a, i.b, i.c};
  for (int k = 0; k < operand_count(i.code); ++k) {
    if (registers_.has(values[k]) && registers_.dies(values[k])) return registers_.of(values[k]);
  }
  return take();
}

void X86Assembler::define(std::uint32_t value, int reg) {
  registers_.release(reg);
  registers_.assign(reg, value);
  for (std::uint32_t o = first_output_[value]; o != kNever; o = next_output_[o]) {
    const Home home{Home::output, o};
    a_.emit(opcodes_.store, memory(home), vec(reg));
    registers_.set_home(value, home);
  }
  if (registers_.dies(value)) registers_.release(reg);
}

}  // namespace tactus::generate
