// A kernel for several states at once, side by side in the lanes of vector registers: for parameter studies,
// rollouts and derivatives by differences. Each lane gets the bits that the scalar kernel would give it.
//
// Entry k of lane l stands at [k * lanes + l] in the input and output arrays.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <tactus/generate/kernel.h>

namespace tactus::generate {

class BatchKernel {
 public:
  BatchKernel() = default;

  /// out = f(in) in every lane. `work` must hold work_size() doubles. Never allocates or throws.
  void operator()(const double* in, double* out, double* work) const noexcept {
    run_(*program_, in, out, work);
  }

  int lanes() const;
  std::size_t input_size() const;  // doubles, all lanes together; so are the next two
  std::size_t output_size() const;
  std::size_t work_size() const;
  /// Offsets and sizes of the blocks for one state; multiply by lanes().
  const std::vector<Slot>& inputs() const;
  const std::vector<Slot>& outputs() const;
  const Slot* input(std::string_view name) const;
  const Slot* output(std::string_view name) const;
  Backend backend() const;
  std::size_t code_size() const;

 private:
  friend BatchKernel compile_batch(const algebra::Function&, int, Backend);
  using Run = void (*)(const Program&, const double*, double*, double*) noexcept;
  std::shared_ptr<const Program> program_;
  Run run_ = nullptr;
};

/// The number of lanes that this processor has: 8 with AVX-512, otherwise 4.
int widest_batch();

/// The number of lanes that suits the function here: widest_batch(), but 4 where the inputs and outputs of eight states are too many for
/// the first-level cache and those of four are not. Measured (docs/benchmarks.md).
int suitable_batch(const algebra::Function& function);

/// `lanes` is 4 or 8; 0 means suitable_batch(). Where the processor has no registers that wide, the interpreter
/// runs the lanes one after the other. Throws as compile() does.
BatchKernel compile_batch(const algebra::Function& function, int lanes = 0,
                          Backend backend = Backend::automatic);

}  // namespace tactus::generate
