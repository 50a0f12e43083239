// A call of a kernel allocates nothing.
#include <gtest/gtest.h>

#include <vector>

#include <tactus/generate/batch.h>
#include <tactus/generate/kernel.h>

#include "random_function.h"
#include "support/allocations.h"

namespace tactus::generate {
namespace {

using test::allocation_count;

template <class AnyKernel>
long allocations_of_calls(const AnyKernel& kernel) {
  std::vector<double> in(kernel.input_size(), 0.4), out(kernel.output_size()), work(kernel.work_size());
  const long before = allocation_count();
  for (int k = 0; k < 10; ++k) {
    in[0] = k == 5 ? 1e9 : 0.1 * k;  // also an angle out of range
    kernel(in.data(), out.data(), work.data());
  }
  return allocation_count() - before;
}

TEST(Allocation, NoCallAllocates) {
  const long before = allocation_count();
  const algebra::Function function = random_function(9);
  ASSERT_GT(allocation_count(), before) << "allocations are not being counted";
  for (const Backend backend : {Backend::interpreter, Backend::automatic}) {
    EXPECT_EQ(allocations_of_calls(compile(function, backend)), 0);
    EXPECT_EQ(allocations_of_calls(compile_batch(function, 0, backend)), 0);
  }
}

TEST(Allocation, AnEvaluatorRunsWithoutAllocating) {
  Evaluator f(compile(random_function(9)));
  const long before = allocation_count();
  f.run();
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace tactus::generate
