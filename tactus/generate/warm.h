// A kernel made ready for a call that comes a moment later.
//
// In a loop that sleeps between its ticks others empty the caches, and the first call waits for its code line by line, some 100 ns each. Asked
// for all at once, a microsecond before, the lines are there: a loop calls this when it wakes, before it reads its device.
#pragma once

#include <tactus/generate/kernel.h>

namespace tactus::generate {

/// Brings code, constants and the three arrays of the next call to the caches. Computes and writes nothing; never allocates or throws.
inline void warm(const Kernel& kernel, const double* in, const double* out, double* work) noexcept {
  constexpr std::size_t kLine = 8;  // doubles
  if (kernel.backend() == Backend::machine_code) kernel(in, nullptr, work);
  for (std::size_t k = 0; k < kernel.input_size(); k += kLine) __builtin_prefetch(in + k);
  for (std::size_t k = 0; k < kernel.work_size(); k += kLine) __builtin_prefetch(work + k);
  for (std::size_t k = 0; k < kernel.output_size(); k += kLine) __builtin_prefetch(out + k, 1);
}

}  // namespace tactus::generate
