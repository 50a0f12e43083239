#include <tactus/math/sincos.h>

#include <tactus/math/sincos_kernel.h>
#include <tactus/math/sincos_versions.h>

namespace tactus::math {

SinCos sincos_portable(double x) noexcept { return sincos_one(x); }

namespace {

void sincos_portable_array(const double* x, double* sin, double* cos, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const SinCos value = sincos_one(x[i]);
    sin[i] = value.sin;
    cos[i] = value.cos;
  }
}

struct Versions {
  SinCos (*one)(double) noexcept = sincos_portable;
  void (*array)(const double*, double*, double*, std::size_t) noexcept = sincos_portable_array;
  const void* entry_4 = nullptr;
  const void* entry_4_and_4 = nullptr;
  const void* entry_8 = nullptr;
  const void* entry_8_and_8 = nullptr;
};

Versions choose() noexcept {
  Versions versions;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    versions.one = sincos_fma;
    versions.array = sincos_avx2;
    versions.entry_4 = sincos_entry_avx2();
    versions.entry_4_and_4 = sincos_entry_avx2_pair();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      versions.array = sincos_avx512;
      versions.entry_8 = sincos_entry_avx512();
      versions.entry_8_and_8 = sincos_entry_avx512_pair();
    }
  }
#endif
  return versions;
}

const Versions& versions() noexcept {
  static const Versions chosen = choose();
  return chosen;
}

}  // namespace

SinCos sincos(double x) noexcept { return versions().one(x); }

void sincos(const double* x, double* sin, double* cos, std::size_t n) noexcept {
  versions().array(x, sin, cos, n);
}

const void* sincos_entry(SinCosEntry entry) noexcept {
  switch (entry) {
    case SinCosEntry::four:
      return versions().entry_4;
    case SinCosEntry::four_and_four:
      return versions().entry_4_and_4;
    case SinCosEntry::eight:
      return versions().entry_8;
    case SinCosEntry::eight_and_eight:
      return versions().entry_8_and_8;
  }
  return nullptr;
}

}  // namespace tactus::math
