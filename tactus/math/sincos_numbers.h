// The numbers of our sine and cosine; sincos_kernel.h says where they come from.
#pragma once

namespace tactus::math {

inline constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
inline constexpr double kRounder =
    0x1.8p52;  // added, it rounds to an integer, which then stands in the lowest bits
// pi/2 in three parts.
inline constexpr double kP1 = 0x1.921fb54442d18p+0, kP2 = 0x1.1a62633000000p-54, kP3 = 0x1.45c06e0e68948p-86;
// S(z) and C(z), the lowest coefficient first.
inline constexpr double kSine[6] = {0x1.5555555555548p-3,   -0x1.111111110f730p-7, 0x1.a01a019be921cp-13,
                                    -0x1.71de35552bdd8p-19, 0x1.ae5e4b848091bp-26, -0x1.5d8b55ce0b7f6p-33};
inline constexpr double kCosine[6] = {0x1.555555555554bp-5,   -0x1.6c16c16c15015p-10, 0x1.a01a019c8f253p-16,
                                      -0x1.27e4f7f1912d3p-22, 0x1.1ee9dbcedd012p-29,  -0x1.8fa68470b872cp-37};

}  // namespace tactus::math
