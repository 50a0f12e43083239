// Counts the allocations of this test program, so that a test can forbid them.
#pragma once

#include <cstddef>

namespace tactus::generate {

/// Calls of operator new in this thread so far.
std::size_t allocation_count();

}  // namespace tactus::generate
