// A tape as machine code in this process (x86-64): the just-in-time compiler.
//
// The code is one straight line without branches. Scalars live in the vector registers; which value gives way
// when they are full is decided by furthest next use. Constants stand right before the code and are addressed
// relative to it; inputs, outputs and values that had to give way are read where they stand, as operands of
// the arithmetic.
#pragma once

#include <cstddef>
#include <memory>

#include <tactus/generate/tape.h>

namespace tactus::generate {

class Program;

/// The instruction set that machine code is made for.
enum class Level {
  none,    // no machine code: another processor, or one without AVX2 and FMA3
  avx2,    // AVX2 and FMA3: 16 registers, 4 lanes
  avx512,  // AVX-512 F, DQ and VL: 32 registers, 8 lanes
};

/// What this processor and the operating system support, or what the environment variable TACTUS_INSTRUCTIONS allows of it (avx512, avx2 or
/// none), read once: so that a wide machine can be measured and tested as a narrow one. Throws InputError where that is another word.
Level machine_level();

/// `has`, or less where `allowed` says so (nullptr or empty: all).
Level limited(Level has, const char* allowed);

inline int register_count(Level level) { return level == Level::avx512 ? 32 : 16; }

class MachineCode {
 public:
  /// Same signature as Kernel's: the first argument is not looked at. Without outputs (nullptr) nothing is computed: the code only asks for
  /// its own lines of memory (warm.h).
  using Entry = void (*)(const Program&, const double* in, double* out, double* work) noexcept;

  /// Machine code that evaluates `lanes` (1, 4 or 8) states at once: value k of lane i stands at [k * lanes +
  /// i]. nullptr where the level does not allow it or the system refuses executable memory.
  /// `side_by_side`: neighbouring elements of one state become lanes (side_by_side.h), where that pays.
  static std::unique_ptr<MachineCode> assemble(const Tape& tape, int lanes = 1, Level level = machine_level(),
                                               bool side_by_side = true);

  Entry entry() const { return entry_; }
  std::size_t work_size() const { return work_size_; }  // doubles
  std::size_t code_size() const { return code_size_; }  // bytes, constants included

 private:
  MachineCode() = default;

  std::shared_ptr<void> memory_;
  Entry entry_ = nullptr;
  std::size_t work_size_ = 0;
  std::size_t code_size_ = 0;
};

}  // namespace tactus::generate
