// The fixed parts of generated source.
#pragma once

#include <string_view>

namespace tactus::generate {

/// From here on operations are rounded one by one, as written.
inline constexpr std::string_view kStrictBegin =
    R"(#if defined(__clang__)
#pragma float_control(precise, on, push)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "fp-contract=off")
#endif
)";

inline constexpr std::string_view kStrictEnd =
    R"(#if defined(__clang__)
#pragma float_control(pop)
#elif defined(__GNUC__)
#pragma GCC pop_options
#endif
)";

/// The sine and cosine of math/sincos.h. The empty instruction keeps GCC from taking far angles two or four at a
/// time: the C library's functions for vectors, which -ffast-math declares, round otherwise. {std} is "std::" or nothing, {begin} how a function begins.
inline constexpr std::string_view kSinCosText =
    R"({begin}sincos_of(const double* x, double* s, double* c, int n) {{
  for (int k = 0; k < n; ++k) {{
    const double t = {std}fma(x[k], 0x1.45f306dc9c883p-1, 0x1.8p52);
    const double turns = t - 0x1.8p52;
    const double r1 = {std}fma(-turns, 0x1.921fb54442d18p+0, x[k]);
    const double r = {std}fma(-turns, 0x1.1a62633000000p-54, r1);
    const double e = {std}fma(turns, 0x1.45c06e0e68948p-86, {std}fma(turns, 0x1.1a62633000000p-54, r - r1));
    const double z = r * r, z2 = z * z, rz = r * z;
    const double s01 = {std}fma(z, -0x1.111111110f730p-7, 0x1.5555555555548p-3);
    const double s23 = {std}fma(z, -0x1.71de35552bdd8p-19, 0x1.a01a019be921cp-13);
    const double s45 = {std}fma(z, -0x1.5d8b55ce0b7f6p-33, 0x1.ae5e4b848091bp-26);
    const double sine = r - {std}fma(rz, {std}fma(z2, {std}fma(z2, s45, s23), s01), e);
    const double c01 = {std}fma(z, -0x1.6c16c16c15015p-10, 0x1.555555555554bp-5);
    const double c23 = {std}fma(z, -0x1.27e4f7f1912d3p-22, 0x1.a01a019c8f253p-16);
    const double c45 = {std}fma(z, -0x1.8fa68470b872cp-37, 0x1.1ee9dbcedd012p-29);
    const double u = {std}fma(rz, {std}fma(z2, {std}fma(z2, c45, c23), c01), {std}fma(-0.5, r, e));
    const double cosine = {std}fma(r, u, 1.0);
    {std}uint64_t q, a, b;
    {std}memcpy(&q, &t, sizeof q);
    {std}memcpy(&a, &sine, sizeof a);
    {std}memcpy(&b, &cosine, sizeof b);
    const {std}uint64_t exchange = 0u - (q & 1u);
    const {std}uint64_t sine_bits = ((a & ~exchange) | (b & exchange)) ^ ((q & 2u) << 62);
    const {std}uint64_t cosine_bits = ((b & ~exchange) | (a & exchange)) ^ (((q + 1u) & 2u) << 62);
    {std}memcpy(&s[k], &sine_bits, sizeof s[k]);
    {std}memcpy(&c[k], &cosine_bits, sizeof c[k]);
  }}
  for (int k = 0; k < n; ++k) {{
    if (!({std}fabs(x[k]) <= 1048576.0)) {{
#if defined(__GNUC__)
      __asm__ volatile("");
#endif
      s[k] = {std}sin(x[k]);
      c[k] = {std}cos(x[k]);
    }}
  }}
}}
)";

}  // namespace tactus::generate
