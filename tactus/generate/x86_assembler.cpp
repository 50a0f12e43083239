#include <tactus/generate/x86_assembler.h>

#include <algorithm>

#include <tactus/generate/library_calls.h>

namespace tactus::generate {

namespace x86 = asmjit::x86;

namespace {

// A value in memory that is used again within so many instructions moves to a register, if one is free.
constexpr std::uint32_t kSoon = 24;

constexpr std::uint32_t kMaskBytes = 64;

// Programs of so many instructions have use for two more registers that point into memory.
constexpr std::size_t kLong = 1000;

bool needs_masks(const Tape& tape, const SideBySide& side) {
  return !side.empty() || std::any_of(tape.code.begin(), tape.code.end(), [](const Instruction& i) {
    return i.code == Code::neg || i.code == Code::abs || i.code == Code::sign;
  });
}

/// Whether a register is worth keeping for the sign's bit.
bool turns_signs(const SideBySide& side, Level level) {
  constexpr std::ptrdiff_t kMany = 16;
  return level == Level::avx512 && std::count_if(side.placed.begin(), side.placed.end(),
                                                 [](const auto& p) { return p.negated; }) > kMany;
}

bool needs_sines(const Tape& tape) {
  return std::any_of(tape.code.begin(), tape.code.end(),
                     [](const Instruction& i) { return i.code == Code::sincos; });
}

bool needs_library(const Tape& tape) {
  return std::any_of(tape.code.begin(), tape.code.end(),
                     [](const Instruction& i) { return is_library_call(i.code); });
}

}  // namespace

X86Assembler::X86Assembler(const Tape& tape, const SideBySide& side, int lanes, Level level,
                           asmjit::CodeHolder& code)
    : tape_(tape),
      side_(side),
      lanes_(lanes),
      level_(level),
      opcodes_(x86_opcodes(lanes == 1)),
      a_(&code),
      registers_(tape, register_count(level) - (turns_signs(side, level) ? 1 : 0)),
      first_output_(tape.value_count, kNever),
      next_output_(tape.outputs.size(), kNever),
      first_placed_(tape.value_count, kNever),
      next_placed_(side.placed.size(), kNever),
      has_sines_(needs_sines(tape)),
      has_calls_(has_sines_ || needs_library(tape)),
      saves_more_(has_calls_ && (tape.cells != nullptr || tape.code.size() > kLong)) {
  a_.setErrorHandler(this);
  operand_bytes_ = 8 * lanes;
  if (turns_signs(side, level)) sign_register_ = register_count(level) - 1;
  for (auto k = static_cast<std::uint32_t>(tape.outputs.size()); k-- > 0;) {
    if (side.stored[k]) continue;
    next_output_[k] = first_output_[tape.outputs[k]];
    first_output_[tape.outputs[k]] = k;
  }
  for (auto k = static_cast<std::uint32_t>(side.placed.size()); k-- > 0;) {
    next_placed_[k] = first_placed_[side.placed[k].value];
    first_placed_[side.placed[k].value] = k;
  }
  arrays_ = registers_.take_block(side.places);
}

bool X86Assembler::write() {
  embed_constants();
  prologue();
  copy_outputs_without_instruction();
  for (std::uint32_t now = 0; now < tape_.code.size();) {
    if (tape_.code[now].code == Code::sincos) {
      const std::uint32_t count = sines_at_once(tape_.code[now].group);
      sine_group(now, count);
      now += count;
    } else {
      instruction(now++);
    }
  }
  side_by_side();
  epilogue();
  for (std::uint32_t k = 0; k < sine_routines_.size(); ++k) {
    if (!sine_routines_[k].isValid()) continue;
    a_.align(asmjit::AlignMode::kCode, 16);
    a_.bind(sine_routines_[k]);
    sine_routine(k + 1);
  }
  warm();
  return !failed_;
}

void X86Assembler::embed_constants() {
  // AVX2 cannot spread a scalar in memory over all lanes of an operand: there, constants are stored once per
  // lane.
  const std::uint32_t copies = lanes_ > 1 && level_ == Level::avx2 ? static_cast<std::uint32_t>(lanes_) : 1;
  constant_stride_ = 8 * copies;
  pool_ = a_.newLabel();
  a_.bind(pool_);
  for (const double constant : tape_.constants) a_.embedDouble(constant, copies);
  if (needs_masks(tape_, side_)) {
    a_.align(asmjit::AlignMode::kData, kMaskBytes);
    masks_at_ = static_cast<std::uint32_t>(a_.offset());
    a_.embedUInt64(0x8000000000000000u, kMaskBytes / 8);
    a_.embedUInt64(0x7fffffffffffffffu, kMaskBytes / 8);
    a_.embedDouble(1.0, kMaskBytes / 8);
    a_.embedDouble(-1.0, kMaskBytes / 8);
  }
  wide_constants_at_ = static_cast<std::uint32_t>(a_.offset());
  for (const double constant : side_.wide_constants) a_.embedDouble(constant);
  if (has_own_sines()) embed_sine_constants();
  a_.align(asmjit::AlignMode::kData, 64);
  entry_offset_ = a_.offset();
}

void X86Assembler::prologue() {
  warm_ = a_.newLabel();
  a_.test(x86::rdx, x86::rdx);
  a_.jz(warm_);
  // Called as (program, in, out, work): rdi, rsi, rdx, rcx. Calls preserve rbx, rbp and r12 to r15; three pushes or five
  // also align the stack. Addresses from rbx and rbp take a byte less than those from r13, these one less than from r12.
  if (has_calls_) {
    in_ = x86::rbp;
    out_ = x86::r13;
    work_ = x86::rbx;
    a_.push(x86::rbx);
    a_.push(x86::rbp);
    a_.push(x86::r13);
  } else {
    in_ = x86::rsi;
    out_ = x86::rdx;
    work_ = x86::rcx;
  }
  a_.lea(in_, x86::ptr(x86::rsi, kBias));
  a_.lea(out_, x86::ptr(x86::rdx, kBias));
  a_.lea(work_, x86::ptr(x86::rcx, kBias));
  if (saves_more_) {
    a_.push(x86::r14);
    a_.push(x86::r15);
  }
  choose_pointers();
  if (tape_.cells == nullptr) return;
  cells_ = has_calls_ ? x86::r14 : x86::r8;
  a_.mov(cells_, asmjit::imm(reinterpret_cast<std::uint64_t>(tape_.cells->values()) + kBias));
}

void X86Assembler::epilogue() {
  if (lanes_ > 1 || !side_.empty()) a_.vzeroupper();
  if (saves_more_) {
    a_.pop(x86::r15);
    a_.pop(x86::r14);
  }
  if (has_calls_) {
    a_.pop(x86::r13);
    a_.pop(x86::rbp);
    a_.pop(x86::rbx);
  }
  a_.ret();
}

/// Without outputs: asks for the lines of constants, code and the library's sine, all at once, and returns.
void X86Assembler::warm() {
  constexpr int kLine = 64, kCalledLines = 16;
  const asmjit::Label end = a_.newLabel(), next = a_.newLabel();
  a_.bind(warm_);
  a_.lea(x86::rax, x86::ptr(pool_));
  a_.lea(x86::rcx, x86::ptr(end));
  a_.bind(next);
  a_.prefetcht1(x86::ptr(x86::rax));
  a_.add(x86::rax, kLine);
  a_.cmp(x86::rax, x86::rcx);
  a_.jb(next);
  for (const void* target : sine_targets_) {
    a_.mov(x86::rax, asmjit::imm(reinterpret_cast<std::uint64_t>(target)));
    for (int k = 0; k < kCalledLines; ++k) a_.prefetcht1(x86::ptr(x86::rax, k * kLine));
  }
  a_.ret();
  a_.bind(end);
}

void X86Assembler::copy_outputs_without_instruction() {
  for (std::uint32_t k = 0; k < tape_.outputs.size(); ++k) {
    const std::uint32_t value = tape_.outputs[k];
    if (value >= tape_.first_result()) continue;
    load(0, value);
    emit(opcodes_.store, memory({Home::output, k}), vec(0));
  }
  for (std::uint32_t value = 0; value < tape_.first_result(); ++value) {
    if (first_placed_[value] == kNever) continue;
    load(0, value);
    place(value, 0, 1);
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
      unary_with_mask(i, x86::Inst::kIdVxorpd, kSignMask);
      break;
    case Code::abs:
      unary_with_mask(i, x86::Inst::kIdVandpd, kAbsMask);
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
  if (home.where == Home::input && home.index >= tape_.argument_count)
    return x86::ptr(cells_, static_cast<std::int32_t>((home.index - tape_.argument_count) * 8) - kBias);
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

X86Assembler::Mem X86Assembler::mask(Mask which) const {
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
    emit(opcodes_.broadcast, vec(reg), memory(home, false));
  } else {
    emit(opcodes_.load, vec(reg), memory(home));
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
    emit(opcodes_.store, memory(home), vec(reg));
    registers_.set_home(value, home);
  }
  place(value, reg);
  if (registers_.dies(value)) registers_.release(reg);
}

}  // namespace tactus::generate
