// What machine code leaves behind in the processor.
#if defined(__x86_64__)

#include <cpuid.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>
#include <tactus/generate/tape.h>

namespace tactus::generate {
namespace {

/// Bit 2 of XINUSE: some upper half of a vector register is not in its initial state.
bool upper_halves_in_use() {
  std::uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return (low & 4u) != 0;
}

bool can_tell() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(0xD, 1, &eax, &ebx, &ecx, &edx) == 0 || (eax & 4u) == 0) return false;
  asm volatile("vzeroupper");
  if (upper_halves_in_use()) return false;
  asm volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0" ::: "xmm0");
  const bool noticed = upper_halves_in_use();
  asm volatile("vzeroupper");
  return noticed;
}

algebra::Function sines(int count) {
  auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  algebra::Block x{"x", "angles", count, 1, {}}, y{"y", "sines", count, 1, {}};
  for (int k = 0; k < count; ++k) {
    x.entries.push_back(algebra::symbol("x" + std::to_string(k)));
    y.entries.push_back(algebra::sin(x.entries.back()) * algebra::cos(x.entries.back()));
  }
  return {"sines", "", graph, {x}, {y}};
}

TEST(VectorState, UpperHalvesAreCleanAfterMachineCode) {
  if (machine_level() == Level::none || !can_tell()) GTEST_SKIP() << "this processor does not tell";
  for (const int count : {1, 3, 4, 7, 20}) {
    const Tape tape = make_tape(sines(count));
    for (const int lanes : {1, 4, 8}) {
      const std::unique_ptr<MachineCode> code = MachineCode::assemble(tape, lanes);
      if (code == nullptr) continue;
      const auto size = static_cast<std::size_t>(count * lanes);
      const std::vector<double> in(size, 0.3);
      std::vector<double> out(size), work(code->work_size());
      const Program program;
      code->entry()(program, in.data(), out.data(), work.data());
      EXPECT_FALSE(upper_halves_in_use()) << count << " angles, " << lanes << " lanes";
    }
  }
}

}  // namespace
}  // namespace tactus::generate

#endif
