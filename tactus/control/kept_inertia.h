// Four channels that leave a share of the device's own inertia to the hand.
//
// Where the hand's wrench is sensed, motors can lend a device of inertia M_d the inertia of whatever is shown (control/four_channel.h), also of what is much lighter. Where it is observed it is
// late, and the motors give it back M_d L times as strong: a port that is ten times as light as the handle makes a loop with a gain of ten and a lag, and that feeds itself. With
// a part M_k = kept M_d of the handle's inertia bolted to the port the hand feels both, and the gain is M_d (M_k + L^-1)^-1: with kept = 1 - m/M_d for the lightest direction m,
// of rotations and of translations, it is about 1 at most. What is bolted on takes its part of the hand's wrench F before that reaches the port, which is left with
//
//   F_p = F - M_k a,   a = a_0 + L F_p      so that      (1 + M_k L) F_p = F - M_k a_0
//
// with the port's acceleration a_0 under all but F_p. Nothing of M_k hangs: it has no weight.
#pragma once

#include <array>
#include <cstdint>

#include <tactus/control/four_channel.h>

namespace tactus::control {

/// Whether anything is kept.
inline bool keeps(const FourChannelGains& gains) noexcept {
  return gains.kept[0] > 0.0 || gains.kept[1] > 0.0;
}

/// M_k as the port sees it through the scales, along the axes that the device has; 0 elsewhere.
Matrix6 kept_inertia(const FourChannelGains& gains, const Matrix6& M_d, std::uint8_t axes) noexcept;

/// F_p for F; a_0 = `acceleration` - L `under`, by what the port did under the wrench before. F where that has no answer.
Vector6 through_kept_inertia(const Matrix6& M_k, const Matrix6& L, const Vector6& acceleration,
                             const Vector6& under, const Vector6& F) noexcept;

/// L (1 + M_k L)^-1 = (M_k + L^-1)^-1, of port and M_k together.
Matrix6 mobility_with(const Matrix6& M_k, const Matrix6& L) noexcept;

}  // namespace tactus::control
