// Writes the machine code of a tape (x86-64, System V calling convention).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <asmjit/x86.h>

#include <tactus/generate/machine_code.h>
#include <tactus/generate/registers.h>
#include <tactus/generate/side_by_side.h>
#include <tactus/generate/tape.h>
#include <tactus/generate/x86_opcodes.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {

class X86Assembler : private asmjit::ErrorHandler {
 public:
  /// `side`: what was taken out of the tape, to be done side by side (one lane only).
  X86Assembler(const Tape& tape, const SideBySide& side, int lanes, Level level, asmjit::CodeHolder& code);

  /// Writes constants and code. False where asmjit reports a fault.
  bool write();

  std::size_t entry_offset() const { return entry_offset_; }
  std::size_t work_size() const {
    return std::size_t{registers_.places()} * static_cast<std::size_t>(lanes_);
  }

 private:
  /// Pointers to inputs, outputs and work point this far into them, so that twice as many values are reached by a one-byte
  /// displacement.
  static constexpr std::int32_t kBias = 128;

  // Wide masks and constants, for the operations on signs.
  enum Mask { kSignMask, kAbsMask, kOnes, kMinusOnes };

  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;

  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { failed_ = true; }

  /// One instruction, with the shortest address (x86_addresses.cpp).
  template <class... Operands>
  void emit(std::uint32_t opcode, const Operands&... operands) {
    if ((operands.isMem() || ...))
      emit_as(opcode, addressed(operands)...);
    else
      a_.emit(opcode, operands...);
  }
  template <class... Operands>
  void emit_as(std::uint32_t opcode, const Operands&... operands) {
    if (level_ == Level::avx512 && (is_shorter(operands) || ...)) a_.evex();
    a_.emit(opcode, operands...);
  }

  // Addresses (x86_addresses.cpp).
  /// A register that points into the work array or the outputs.
  struct Pointer {
    Gp reg;
    std::uint32_t origin = 0;  // id of the register that it was made from
    std::int32_t at = 0;       // bytes behind that one's
    bool set = false;
  };
  void choose_pointers();
  void forget_pointers();
  bool is_worth_a_pointer(std::uint32_t origin) const;
  asmjit::Operand addressed(const asmjit::Operand_& operand);
  /// Whether the encoding with scaled displacements is the shorter one.
  bool is_shorter(const asmjit::Operand_& operand) const;
  /// Displacements of one byte: those that are, and those that can be scaled.
  bool is_near(std::int32_t offset) const { return offset >= -128 && offset <= 127; }
  bool is_near_when_scaled(std::int32_t offset) const {
    return level_ == Level::avx512 && offset % operand_bytes_ == 0 && is_near(offset / operand_bytes_);
  }

  // Frame.
  void embed_constants();
  void prologue();
  void epilogue();
  void warm();
  void copy_outputs_without_instruction();
  void instruction(std::uint32_t now);

  // Arithmetic (x86_arithmetic.cpp).
  void binary(const Instruction& i, std::uint32_t opcode, bool commutes);
  void fused(const Instruction& i);
  void unary_with_mask(const Instruction& i, std::uint32_t opcode, Mask mask);
  void square_root(const Instruction& i);
  void floor(const Instruction& i);
  void sign(const Instruction& i);
  void select(const Instruction& i);
  /// to = compare(x, y) ? yes : no
  void blend(Vec to, Vec no, Vec yes, Vec x, Vec y, int predicate);

  // Calls (x86_calls.cpp).
  /// How many sines of a group one call evaluates.
  std::uint32_t sines_at_once(std::uint32_t group) const;
  void sine_group(std::uint32_t first, std::uint32_t count);
  void gather_angles(const std::vector<std::uint32_t>& angles, math::SinCosEntry entry);
  void library_function(const Instruction& i);
  void call(const void* target);
  void call_sines(math::SinCosEntry entry);
  /// After a call.
  void forget_registers();
  /// Every value that is needed later gets a home; afterwards the registers are free.
  void save_all();
  void ensure_home(std::uint32_t value);

  // The sine's own code (x86_sines.cpp).
  bool has_own_sines() const;
  void embed_sine_constants();
  void sine_routine(std::uint32_t vectors);

  // Side by side (x86_side_by_side.cpp).
  void side_by_side();
  void wide_operation(std::uint32_t index, std::uint32_t lanes);
  /// The operand in a register.
  int wide_operand(const SideBySide::Source& source, std::uint32_t lanes);
  int wide_register();
  void wide_broadcast(int reg, std::uint32_t value, std::uint32_t lanes);
  Mem wide_memory(const SideBySide::Source& source) const;
  /// Stores the value, which `reg` holds, where arrays have it; for signs a register that is free.
  void place(std::uint32_t value, int reg, int scratch = Registers::kNone);
  void turn_sign(int to, int reg);

  // Operands.
  Vec vec(int reg) const;
  Mem memory(const Home& home, bool as_operand = true) const;
  Mem mask(Mask which) const;
  /// The value in a register, loaded where need be; locked.
  int in_register(std::uint32_t value);
  /// A register to write to, emptied where need be; locked.
  int take();
  void load(int reg, std::uint32_t value);
  /// The value as last operand: a register, or memory where instructions can read it.
  asmjit::Operand operand(std::uint32_t value) const;
  bool is_foldable(std::uint32_t value) const;
  /// Of operands in memory, those that are used again soon move to a register while there is a free one.
  void fetch_early(const Instruction& i, std::uint32_t now);
  /// Register for a result: that of a dying operand, or another.
  int result_register(const Instruction& i);
  /// `reg` now holds the instruction's result, which is stored where outputs want it.
  void define(std::uint32_t value, int reg);

  const Tape& tape_;
  const SideBySide& side_;
  const int lanes_;
  const Level level_;
  const X86Opcodes& opcodes_;
  asmjit::x86::Assembler a_;
  Registers registers_;
  std::vector<std::uint32_t> first_output_, next_output_;  // outputs of each value, as linked lists
  std::vector<std::uint32_t> first_placed_, next_placed_;  // places in the arrays of each value, likewise
  std::uint32_t arrays_ = 0;                               // where the arrays begin in the work array
  std::uint32_t wide_constants_at_ = 0;
  struct WideRegister {
    bool holds_result = false, locked = false;
    std::uint32_t shared = kNever;  // the value that all its lanes hold
    std::uint32_t lanes = 0;
    std::uint32_t used = 0;
  };
  std::array<WideRegister, 32> wide_;
  std::vector<int> wide_results_;
  std::uint32_t wide_clock_ = 0;
  bool has_sines_ = false;
  bool has_calls_ = false;
  bool saves_more_ = false;  // r14 and r15, too
  bool failed_ = false;
  std::uint32_t constant_stride_ = 8;  // bytes from one constant to the next
  std::uint32_t masks_at_ = 0;         // offset of the wide masks
  asmjit::Label pool_, warm_;
  std::vector<const void*> sine_targets_;         // in the library
  std::array<asmjit::Label, 2> sine_routines_{};  // for one vector and for two, where they are called
  std::int32_t sines_at_ = 0;                     // offset of their constants
  Gp in_, out_, work_, cells_;
  std::vector<Pointer> pointers_;
  std::int32_t operand_bytes_ = 8;  // of what instructions read and write in memory now
  bool among_windows_ = false;
  int sign_register_ =
      Registers::kNone;  // holds the sign's bit, where many values are stored with the opposite sign
  bool sign_register_set_ = false;
  std::size_t entry_offset_ = 0;
};

}  // namespace tactus::generate
