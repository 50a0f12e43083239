// A kernel: a function of the graph made ready to run. Constant and shareable between threads; all scratch
// memory is the caller's, so that a call never allocates. Where the graph has cells (algebra/cells.h), the kernel
// reads their values of the moment.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/function.h>

namespace tactus::generate {

enum class Backend {
  automatic,  // machine code where the processor and the system allow it, otherwise the interpreter
  interpreter,
  machine_code,
};

/// How generated code rounds.
enum class Rounding {
  fused,     // a product and a sum may become one operation, rounded once: the fastest
  separate,  // each operation rounds on its own, as the same expression does on double
};

/// Where a named block stands in the flat input or output array.
struct Slot {
  std::string name;
  std::string meaning;
  int rows = 0;
  int cols = 1;
  std::size_t offset = 0;
  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

class Program;  // a tape bound to a back end

class Kernel {
 public:
  Kernel() = default;

  /// out = f(in). `work` must hold work_size() doubles; the three arrays may not overlap. Never allocates or
  /// throws.
  void operator()(const double* in, double* out, double* work) const noexcept {
    run_(*program_, in, out, work);
  }
  std::size_t input_size() const;
  std::size_t output_size() const;
  std::size_t work_size() const;
  const std::string& name() const;
  const std::vector<Slot>& inputs() const;
  const std::vector<Slot>& outputs() const;
  /// The slot of that name; nullptr where there is none.
  const Slot* input(std::string_view name) const;
  const Slot* output(std::string_view name) const;
  Backend backend() const;        // what `automatic` became
  std::size_t code_size() const;  // bytes of machine code, or of the tape

 private:
  friend Kernel compile(const algebra::Function&, Backend, Rounding);
  using Run = void (*)(const Program&, const double*, double*, double*) noexcept;
  std::shared_ptr<const Program> program_;
  Run run_ = nullptr;
};

/// Throws InputError where an output depends on a symbol that no input holds, or where machine code was asked
/// for by name and cannot be had.
Kernel compile(const algebra::Function& function, Backend backend = Backend::automatic,
               Rounding rounding = Rounding::fused);

/// A kernel with its own memory, for places where a few allocations at the start do not matter.
class Evaluator {
 public:
  explicit Evaluator(Kernel kernel);

  /// The input block of that name, to be written before run(). Unknown names give an empty span.
  std::span<double> input(std::string_view name);
  std::span<const double> output(std::string_view name) const;
  void run() noexcept { kernel_(in_.data(), out_.data(), work_.data()); }
  const Kernel& kernel() const { return kernel_; }

 private:
  Kernel kernel_;
  std::vector<double> in_, out_, work_;
};

}  // namespace tactus::generate
