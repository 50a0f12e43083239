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

 private:
  struct Step {
    Code code;
    std::uint32_t group;
    std::uint32_t to, to_cos;
    std::uint32_t a, b, c;
  };
  using Run = void (*)(const Interpreter&, const double*, double*, double*) noexcept;

  static void run_portable(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  static void run_fma(const Interpreter& self, const double* in, double* out, double* work) noexcept;
  static Run choose();
  void steps(const double* in, double* out, double* work) const noexcept;

  Run run_ = choose();
  std::size_t input_count_ = 0;
  std::size_t work_size_ = 0;
  std::vector<double> constants_;
  std::vector<Step> steps_;
  std::vector<std::uint32_t> outputs_;
};

}  // namespace tactus::generate
