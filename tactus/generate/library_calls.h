// The functions that machine code calls in the C library.
#pragma once

#include <tactus/generate/tape.h>

namespace tactus::generate {

constexpr bool is_library_call(Code code) { return code >= Code::tan; }

/// double f(double) or double f(double, double).
const void* library_call(Code code);

/// void f(double* x, int lanes): x[2 lanes + i] = f(x[i]) or f(x[i], x[lanes + i]).
const void* library_call_lanes(Code code);

}  // namespace tactus::generate
