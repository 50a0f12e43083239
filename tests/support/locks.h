// Counts the locks that a thread takes, so that a test can forbid them and a benchmark can report them.
#pragma once

namespace tactus::test {

/// Locks that the calling thread has asked for so far: mutexes (tried ones, too), reader-writer locks and semaphores, from
/// any library in the process. std::mutex and its relatives end there, and nobody waits for a condition without a mutex.
/// Not counted under the thread sanitizer, which has these calls for itself (kCountsLocks).
long lock_count_of_this_thread();

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kCountsLocks = false;
#else
inline constexpr bool kCountsLocks = true;
#endif

}  // namespace tactus::test
