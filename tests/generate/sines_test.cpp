// The sine and cosine that kernels carry with them, against math::sincos, and the instruction sets they are for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tactus/base/error.h>
#include <tactus/generate/machine_code.h>
#include <tactus/generate/program.h>
#include <tactus/generate/tape.h>
#include <tactus/math/sincos.h>

#include "same_bits.h"

namespace tactus::generate {
namespace {

/// Sines and cosines of so many inputs, which are one group.
algebra::Function sines(int count) {
  using namespace algebra;
  Function function;
  function.name = "sines";
  function.graph = std::make_shared<Graph>();
  Graph::Scope scope(*function.graph);
  Block x{"x", "angles", count, 1, {}}, s{"s", "sines", count, 1, {}}, c{"c", "cosines", count, 1, {}};
  for (int k = 0; k < count; ++k) {
    x.entries.push_back(symbol(std::string("x").append(std::to_string(k))));
    s.entries.push_back(sin(x.entries.back()));
    c.entries.push_back(cos(x.entries.back()));
  }
  function.inputs = {x};
  function.outputs = {s, c};
  return function;
}

TEST(Sines, OfAKernelAreThoseOfTheLibraryInEveryLane) {
  // All quarter turns, both ends of the range, and what lies outside.
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> angles{0.0, -0.0,   5e-324, 1e-9, math::kSinCosRange, -math::kSinCosRange,
                             1e9, -1e300, inf,    nan};
  for (int k = -30; k <= 30; ++k) {
    angles.push_back(0.37 * k);
    angles.push_back(k * (M_PI / 4));  // the doubles next to where quarters change, and where sines vanish
  }
  int compared = 0;
  for (const Level level : {Level::avx2, Level::avx512}) {
    if (level > machine_level()) continue;
    for (int count = 1; count <= 17; ++count) {
      const Tape tape = make_tape(sines(count));
      for (const int lanes : {1, 4, 8}) {
        const auto code = MachineCode::assemble(tape, lanes, level);
        if (code == nullptr) continue;  // eight lanes without AVX-512
        const auto n = static_cast<std::size_t>(count * lanes);
        std::vector<double> in(n), out(2 * n), work(code->work_size());
        for (std::size_t first = 0; first < angles.size(); ++first) {
          for (std::size_t k = 0; k < n; ++k) in[k] = angles[(first + 7 * k) % angles.size()];
          code->entry()(Program{}, in.data(), out.data(), work.data());
          for (std::size_t k = 0; k < n; ++k) {
            const math::SinCos want = math::sincos(in[k]);
            ASSERT_TRUE(same_bits(out[k], want.sin))
                << in[k] << ", " << count << " angles, " << lanes << " lanes";
            ASSERT_TRUE(same_bits(out[n + k], want.cos))
                << in[k] << ", " << count << " angles, " << lanes << " lanes";
            ++compared;
          }
        }
      }
    }
  }
  EXPECT_TRUE(machine_level() == Level::none || compared > 10000);
}

TEST(Instructions, CanBeLimitedAndAreNeverWidened) {
  for (const Level has : {Level::none, Level::avx2, Level::avx512}) {
    EXPECT_EQ(limited(has, nullptr), has);
    EXPECT_EQ(limited(has, ""), has);
    EXPECT_EQ(limited(has, "avx512"), has);
    EXPECT_EQ(limited(has, "avx2"), std::min(has, Level::avx2));
    EXPECT_EQ(limited(has, "none"), Level::none);
    EXPECT_THROW(limited(has, "sse"), InputError);
  }
}

}  // namespace
}  // namespace tactus::generate
