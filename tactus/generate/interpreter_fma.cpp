// The interpreter with the processor's fused multiply-add instead of the C library's, which, being rounded
// correctly as well, gives the same bits more slowly. Compiled with FMA3 enabled; chosen at run time.
#include <tactus/generate/interpreter_loop.h>

namespace tactus::generate {

void Interpreter::run_fma(const Interpreter& self, const double* in, double* out, double* work) noexcept {
  run_steps(self.view(), in, out, work);
}

}  // namespace tactus::generate
