#include <tactus/device/hand_limits.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/registry.h>
#include <tactus/device/sensing.h>

namespace tactus::device {

std::array<double, 2> stiffness_of(const Hand& hand, std::uint8_t axes) {
  constexpr double kAway = 1e-4;  // [m], [rad]: arms are springs, and as stiff far away
  const Vector6 before = hand.grip(0.0, Handle{}.pose()).wrench;
  std::array<double, 2> stiffness{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!has_axis(axes, i)) continue;
    Vector6 away{};
    away[i] = kAway;
    Handle moved;
    moved.move(away);
    const Vector6 after = hand.grip(0.0, moved.pose()).wrench;
    double square = 0.0;
    for (std::size_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j)
      square += (after[j] - before[j]) * (after[j] - before[j]);
    stiffness[i / 3] = std::max(stiffness[i / 3], std::sqrt(square) / kAway);
  }
  return stiffness;
}

void require_borne(const Hand& hand, const Device& device) {
  constexpr std::array<const char*, 2> kStiffness{"N m/rad", "N/m"}, kDamping{"N m s/rad", "N s/m"};
  constexpr double kRounding = 1.0 + 1e-6;  // a hand that has just what is borne
  const Specification& s = device.specification();
  const HandLimits most = device.hand_limits();
  const std::array<double, 2> stiffness = stiffness_of(hand, s.sensed),
                              damping = hand.grip(0.0, Handle{}.pose()).damping;
  const auto refuse = [&](const char* what, double is, double limit, const char* unit, const char* option) {
    throw InputError(
        {},
        fmt::format("the hand's {} of {:.4g} {} is more than device `{}` bears at {:g} Hz: {:.4g} {}", what,
                    is, unit, s.name, s.rate, limit, unit),
        fmt::format("give the hand less ({}, or `arm` in its file), or the device a higher rate", option));
  };
  for (std::size_t k = 0; k < 2; ++k) {
    if ((s.sensed >> (3 * k) & 0b111) == 0) continue;
    if (stiffness[k] > kRounding * most.stiffness[k])
      refuse("stiffness", stiffness[k], most.stiffness[k], kStiffness[k], "--hand-stiffness");
    if (damping[k] > kRounding * most.damping[k])
      refuse("damping", damping[k], most.damping[k], kDamping[k], "--hand-damping");
  }
}

}  // namespace tactus::device
