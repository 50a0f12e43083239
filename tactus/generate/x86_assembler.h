// Writes the machine code of a tape (x86-64, System V calling convention).
#pragma once

#include <cstdint>
#include <vector>

#include <asmjit/x86.h>

#include <tactus/generate/machine_code.h>
#include <tactus/generate/registers.h>
#include <tactus/generate/tape.h>
#include <tactus/generate/x86_opcodes.h>
#include <tactus/math/sincos.h>

namespace tactus::generate {

class X86Assembler : private asmjit::ErrorHandler {
 public:
  X86Assembler(const Tape& tape, int lanes, Level level, asmjit::CodeHolder& code);

  /// Writes constants and code. False where asmjit reports a fault.
  bool write();

  std::size_t entry_offset() const { return entry_offset_; }
  std::size_t work_size() const {
    return std::size_t{registers_.places()} * static_cast<std::size_t>(lanes_);
  }

 private:
  // Wide masks and constants, for the operations on signs.
  enum Mask { kSignMask, kAbsMask, kOnes, kMinusOnes };

  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  using Gp = asmjit::x86::Gp;

  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override { failed_ = true; }

  // Frame.
  void embed_constants();
  void prologue();
  void epilogue();
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
  /// Every value that is needed later gets a home; afterwards the registers are free.
  void save_all();
  void ensure_home(std::uint32_t value);

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
  const int lanes_;
  const Level level_;
  const X86Opcodes& opcodes_;
  asmjit::x86::Assembler a_;
  Registers registers_;
  std::vector<std::uint32_t> first_output_, next_output_;  // outputs of each value, as linked lists
  bool has_calls_ = false;
  bool failed_ = false;
  std::uint32_t constant_stride_ = 8;  // bytes from one constant to the next
  std::uint32_t masks_at_ = 0;         // offset of the wide masks
  asmjit::Label pool_;
  Gp in_, out_, work_, cells_;
  std::size_t entry_offset_ = 0;
};

}  // namespace tactus::generate
