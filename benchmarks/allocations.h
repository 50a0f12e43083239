// Counts what the whole process allocates, so that the table can say what a call costs in memory traffic.
#pragma once

namespace tactus::bench {

/// Calls of malloc, calloc, realloc and aligned allocation so far, from any library in the process.
long allocation_count();

}  // namespace tactus::bench
