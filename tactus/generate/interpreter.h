// Runs a tape step by step: the portable back end, and the reference for the others.
//
// Its memory is one array: constants, inputs, then results, whose places are used again when a value is dead,
// so that even a long tape works in a few cache lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <tactus/generate/tape.h>

namespace tactus::generate {

class Interpreter {
 public:
  explicit Interpreter(const Tape& tape);

  void operator()(const double* in, double* out, double* work) const noexcept { run_(*this, in, out, work); }

  std::size_t work_size() const { return work_size_; }
  std::size_t code_size() const;

  // A sincos has the place of the cosine in b and the size of its group in c.
  struct Step {
    Code code;
    std::uint32_t to, a, b, c;
  };

  /// What the loop sees. Plain pointers, so that a loop compiled for a newer instruction set shares no inline
  /// functions with the rest of the program.
  struct View {
    const double* constants;
    const Step* steps;
    const std::uint32_t* outputs;
    std::size_t constant_count, input_count, step_count, output_count;
  };
  View view() const {
    return {constants_.data(), steps_.data(), outputs_.data(), constants_.size(),
            input_count_,      steps_.size(), outputs_.size()};
  }

 private:
  using Run = void (*)(const Interpreter&, const double*, double*, double*) noexcept;

  static void run_portable(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  static void run_fma(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  static Run choose();

  Run run_ = choose();
  std::size_t input_count_ = 0;
  std::size_t work_size_ = 0;
  std::vector<double> constants_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> outputs_;
};

}  // namespace tactus::generate
