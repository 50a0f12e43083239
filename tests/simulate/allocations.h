// Counts allocations of this test program, so that a test can forbid them.
#pragma once

namespace tactus::simulate::test {

long allocation_count();

}  // namespace tactus::simulate::test
