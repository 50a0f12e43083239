// Errors of the second tier: one of our own assumptions is broken. Always checked, loudly.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tactus {

[[noreturn]] inline void broken_assumption(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tactus: internal error: assumption `%s` broken at %s:%d. Please report this.\n",
               condition, file, line);
  std::abort();
}

}  // namespace tactus

#define TACTUS_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::tactus::broken_assumption(#condition, __FILE__, __LINE__))
