// Runs a tape step by step: the portable back end, and the reference for the others.
//
// Its memory is one array: constants, inputs, then results, whose places are used again when a value is dead,
// so that even a long tape works in a few cache lines.
//
// Where the processor has a fused multiply-add, stretches of arithmetic run without a branch: every operation
// of a stretch is one (+-a) b (+-c), which rounds as the operation itself does:
//   a + b = a 1 + b,    a - b = b (-1) + a,    a b = a b + (-0),    -a = (-a) 1 + (-0)
// A long tape is too much for a branch predictor; so written it costs the same per step as a short one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tactus/generate/tape.h>

namespace tactus::generate {

class Interpreter {
 public:
  /// Without the processor's fused multiply-add the C library's is used: the same bits, more slowly.
  explicit Interpreter(const Tape& tape, bool with_fma = has_fma());

  /// Whether this processor has a fused multiply-add.
  static bool has_fma();

  void operator()(const double* in, double* out, double* work) const noexcept { run_(*this, in, out, work); }

  std::size_t work_size() const { return work_size_; }
  std::size_t code_size() const;

  // A sincos has the place of the cosine in b and the size of its group in c. A stretch (code kStretch) has
  // the number of its steps in c; they follow it, with which signs to change in place of the code: of a (1),
  // of c (2).
  struct Step {
    std::uint32_t code;
    std::uint32_t to, a, b, c;
  };
  static constexpr std::uint32_t kStretch = static_cast<std::uint32_t>(Code::pow) + 1;

  /// What the loop sees. Plain pointers, so that a loop compiled for a newer instruction set shares no inline
  /// functions with the rest of the program.
  struct View {
    const double* constants;
    const double* cells;
    const Step* steps;
    const std::uint32_t* outputs;
    std::size_t constant_count, argument_count, cell_count, step_count, output_count;
  };
  View view() const {
    return {constants_.data(),
            cells_ == nullptr ? nullptr : cells_->values(),
            steps_.data(),
            outputs_.data(),
            constants_.size(),
            argument_count_,
            cells_ == nullptr ? 0 : cells_->size(),
            steps_.size(),
            outputs_.size()};
  }

 private:
  using Run = void (*)(const Interpreter&, const double*, double*, double*) noexcept;

  static void run_portable(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  static void run_fma(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  void gather_stretches(std::uint32_t one, std::uint32_t minus_one, std::uint32_t minus_zero);

  Run run_;
  std::size_t argument_count_ = 0;
  std::shared_ptr<const algebra::Cells> cells_;
  std::size_t work_size_ = 0;
  std::vector<double> constants_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> outputs_;
};

}  // namespace tactus::generate
