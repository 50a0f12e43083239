// Windows of neighbouring elements as vector instructions, after all scalars. Registers hold results until their one use, and values
// that all lanes share as long as there is room.
#include <tactus/generate/x86_assembler.h>

#include <algorithm>
#include <utility>

namespace tactus::generate {

namespace x86 = asmjit::x86;
namespace Inst = x86::Inst;

using Source = SideBySide::Source;

namespace {

x86::Vec wide(std::uint32_t lanes, int reg) {
  const auto id = static_cast<std::uint32_t>(reg);
  if (lanes <= 2) return x86::xmm(id);
  if (lanes == 4) return x86::ymm(id);
  return x86::zmm(id);
}

bool in_memory(const Source& source) {
  return source.kind == Source::array || source.kind == Source::input || source.kind == Source::constants ||
         source.kind == Source::output;
}

/// Loads and stores of so many lanes.
std::uint32_t move_of(std::uint32_t lanes) {
  return lanes == 1 ? static_cast<std::uint32_t>(Inst::kIdVmovsd)
                    : static_cast<std::uint32_t>(Inst::kIdVmovupd);
}

}  // namespace

void X86Assembler::place(std::uint32_t value, int reg, int scratch) {
  for (std::uint32_t k = first_placed_[value]; k != kNever; k = next_placed_[k]) {
    const SideBySide::Placed& placed = side_.placed[k];
    const Mem to = memory({Home::work, arrays_ + placed.place});
    if (placed.negated) {
      if (scratch == Registers::kNone) scratch = take();
      turn_sign(scratch, reg);
      emit(opcodes_.store, to, vec(scratch));
    } else {
      emit(opcodes_.store, to, vec(reg));
      if (registers_.home(value).where == Home::none)
        registers_.set_home(value, {Home::work, arrays_ + placed.place});
    }
  }
}

void X86Assembler::turn_sign(int to, int reg) {
  if (sign_register_ == Registers::kNone) {
    emit(Inst::kIdVxorpd, vec(to), vec(reg), mask(kSignMask));
    return;
  }
  if (!sign_register_set_) emit(Inst::kIdVmovupd, vec(sign_register_), mask(kSignMask));
  sign_register_set_ = true;
  emit(Inst::kIdVxorpd, vec(to), vec(reg), vec(sign_register_));
}

X86Assembler::Mem X86Assembler::wide_memory(const Source& source) const {
  if (source.kind == Source::constants)
    return x86::ptr(pool_, static_cast<std::int32_t>(wide_constants_at_ + 8 * source.index));
  if (source.kind == Source::input) return memory({Home::input, source.index});
  if (source.kind == Source::output) return memory({Home::output, source.index});
  return memory({Home::work, arrays_ + source.index});
}

/// A register that holds nothing but what can be loaded again.
int X86Assembler::wide_register() {
  int oldest = Registers::kNone;
  for (int reg = 0; reg < register_count(level_); ++reg) {
    const WideRegister& state = wide_[static_cast<std::size_t>(reg)];
    if (state.holds_result || state.locked) continue;
    if (state.shared == kNever) return reg;
    if (oldest == Registers::kNone || state.used < wide_[static_cast<std::size_t>(oldest)].used) oldest = reg;
  }
  if (oldest == Registers::kNone) {
    failed_ = true;
    return 0;
  }
  wide_[static_cast<std::size_t>(oldest)].shared = kNever;
  return oldest;
}

int X86Assembler::wide_operand(const Source& source, std::uint32_t lanes) {
  ++wide_clock_;
  if (source.kind == Source::result) return wide_results_[source.index];
  if (source.kind == Source::broadcast) {
    for (int reg = 0; reg < register_count(level_); ++reg) {
      WideRegister& state = wide_[static_cast<std::size_t>(reg)];
      if (state.shared != source.index || state.lanes < lanes) continue;
      state.used = wide_clock_;
      state.locked = true;
      return reg;
    }
  }
  const int reg = wide_register();
  WideRegister& state = wide_[static_cast<std::size_t>(reg)];
  state.locked = true;
  if (source.kind == Source::broadcast) {
    state.shared = source.index;
    state.lanes = lanes;
    state.used = wide_clock_;
    wide_broadcast(reg, source.index, lanes);
  } else {
    emit(move_of(lanes), wide(lanes, reg), wide_memory(source));
  }
  return reg;
}

void X86Assembler::wide_broadcast(int reg, std::uint32_t value, std::uint32_t lanes) {
  Home home = registers_.home(value);
  if (side_.place_of[value] != SideBySide::kNowhere) home = {Home::work, arrays_ + side_.place_of[value]};
  const std::int32_t bytes = std::exchange(operand_bytes_, 8);
  emit(lanes == 2 ? Inst::kIdVmovddup : Inst::kIdVbroadcastsd, wide(lanes, reg), memory(home));
  operand_bytes_ = bytes;
}

void X86Assembler::wide_operation(std::uint32_t index, std::uint32_t lanes) {
  const SideBySide::Operation& op = side_.operations[index];
  const X86Opcodes& codes = x86_opcodes(lanes == 1);
  const auto operand = [&](const Source& source) -> asmjit::Operand {
    if (in_memory(source)) return wide_memory(source);
    return wide(lanes, wide_operand(source, lanes));
  };
  const auto is_result = [](const Source& source) { return source.kind == Source::result; };
  int to = Registers::kNone;
  const bool fused = op.code >= Code::fma && op.code <= Code::fnms;
  if (fused) {
    const auto& forms = codes.fused[static_cast<int>(op.code) - static_cast<int>(Code::fma)];
    Source a = op.a, b = op.b;
    if (is_result(op.c)) {
      to = wide_operand(op.c, lanes);
      if (in_memory(a) && !in_memory(b)) std::swap(a, b);
      const int first = wide_operand(a, lanes);
      emit(forms[k231], wide(lanes, to), wide(lanes, first), operand(b));
    } else if (is_result(a) || is_result(b)) {
      if (!is_result(a)) std::swap(a, b);
      to = wide_operand(a, lanes);
      if (in_memory(b) && !in_memory(op.c)) {
        const int third = wide_operand(op.c, lanes);
        emit(forms[k132], wide(lanes, to), wide(lanes, third), operand(b));
      } else {
        const int factor = wide_operand(b, lanes);
        emit(forms[k213], wide(lanes, to), wide(lanes, factor), operand(op.c));
      }
    } else {
      if (in_memory(a) && !in_memory(b)) std::swap(a, b);
      const int first = wide_operand(a, lanes);
      to = wide_register();
      wide_[static_cast<std::size_t>(to)].locked = true;
      if (op.c.kind == Source::broadcast) {
        wide_broadcast(to, op.c.index, lanes);
      } else {
        emit(move_of(lanes), wide(lanes, to), wide_memory(op.c));
      }
      emit(forms[k231], wide(lanes, to), wide(lanes, first), operand(b));
    }
  } else {
    Source a = op.a, b = op.b;
    const bool commutes = op.code != Code::sub;
    if (commutes && !is_result(a) && (is_result(b) || (in_memory(a) && !in_memory(b)))) std::swap(a, b);
    const int first = wide_operand(a, lanes);
    const asmjit::Operand second = operand(b);
    if (is_result(a)) {
      to = first;
    } else if (is_result(b)) {
      to = wide_results_[b.index];
    } else if (in_memory(a)) {
      to = first;  // a copy of its own
    } else {
      to = wide_register();
    }
    std::uint32_t opcode = Inst::kIdVxorpd;
    if (op.code != Code::neg)
      opcode = op.code == Code::mul ? codes.mul : op.code == Code::add ? codes.add : codes.sub;
    emit(opcode, wide(lanes, to), wide(lanes, first), second);
  }
  for (const Source* source : {&op.a, &op.b, &op.c})
    if (is_result(*source))
      wide_[static_cast<std::size_t>(wide_results_[source->index])].holds_result = false;
  for (WideRegister& state : wide_) state.locked = false;
  WideRegister& state = wide_[static_cast<std::size_t>(to)];
  state.holds_result = true;
  state.shared = kNever;
  wide_results_[index] = to;
}

void X86Assembler::side_by_side() {
  if (side_.empty()) return;
  wide_results_.assign(side_.operations.size(), Registers::kNone);
  forget_pointers();
  among_windows_ = true;
  for (const SideBySide::Window& window : side_.windows) {
    operand_bytes_ = 8 * static_cast<std::int32_t>(window.lanes);
    for (std::uint32_t k = 0; k < window.count; ++k) wide_operation(window.first + k, window.lanes);
    const int last = wide_results_[window.first + window.count - 1];
    const Home to = window.to_arrays ? Home{Home::work, arrays_ + window.to} : Home{Home::output, window.to};
    emit(move_of(window.lanes), memory(to), wide(window.lanes, last));
    wide_[static_cast<std::size_t>(last)].holds_result = false;
  }
  operand_bytes_ = 8;
  among_windows_ = false;
  forget_pointers();
  for (const SideBySide::Copy& copy : side_.copies) {
    emit(Inst::kIdVmovsd, x86::xmm0, memory({Home::output, copy.from}));
    emit(Inst::kIdVmovsd, memory({Home::output, copy.to}), x86::xmm0);
  }
}

}  // namespace tactus::generate
