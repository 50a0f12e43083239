// The versions of sincos that are compiled for particular instruction sets; sincos.cpp chooses among them.
#pragma once

#include <cstddef>

#include <tactus/math/sincos.h>

namespace tactus::math {

/// With the C library's fused multiply-add.
SinCos sincos_portable(double x) noexcept;

#if defined(__x86_64__)
SinCos sincos_fma(double x) noexcept;
void sincos_avx2(const double* x, double* sin, double* cos, std::size_t n) noexcept;
void sincos_avx512(const double* x, double* sin, double* cos, std::size_t n) noexcept;

const void* sincos_entry_avx2() noexcept;
const void* sincos_entry_avx2_pair() noexcept;
const void* sincos_entry_avx512() noexcept;
const void* sincos_entry_avx512_pair() noexcept;
#endif

}  // namespace tactus::math
