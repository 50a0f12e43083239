// Counts the allocations of a program, so that a test can forbid them and a benchmark can report them.
#pragma once

namespace tactus::test {

/// Calls of malloc, calloc, realloc and aligned allocation so far, from any library in the process. operator
/// new and Eigen end there. Under the sanitizers, which own malloc, only calls of operator new.
long allocation_count();
/// Those of the calling thread alone.
long allocation_count_of_this_thread();

}  // namespace tactus::test
