#include <tactus/simulate/motion/kernel_print.h>

#include <cstdint>
#include <vector>

namespace tactus::simulate {

void add_kernel(Fingerprint& print, const generate::Kernel& kernel) {
  // Between 0.3 and 0.9, spread by the golden ratio: no zero, no two alike, no formula's favourite.
  constexpr double kLeast = 0.3, kSpread = 0.6, kGolden = 0.6180339887498949;
  std::vector<double> in(kernel.input_size()), out(kernel.output_size()), work(kernel.work_size());
  double place = 0.0;
  for (double& x : in) {
    place += kGolden;
    if (place >= 1.0) place -= 1.0;
    x = kLeast + kSpread * place;
  }
  kernel(in.data(), out.data(), work.data());
  print.add(static_cast<std::uint64_t>(in.size())).add(static_cast<std::uint64_t>(out.size()));
  for (const double x : out) print.add(x);
}

}  // namespace tactus::simulate
