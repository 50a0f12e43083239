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
  for (std::size_t k = 0; k < 2; ++k) require_borne(hand, device, k);
}

void require_borne(const Hand& hand, const Device& device, std::size_t k) {
  constexpr std::array<const char*, 2> kStiffness{"N m/rad", "N/m"}, kDamping{"N m s/rad", "N s/m"},
      kOption{"--hand-rotational", "--hand"};
  constexpr double kRounding = 1.0 + 1e-6;  // a hand that has just what is borne
  const Specification& s = device.specification();
  if ((s.sensed >> (3 * k) & 0b111) == 0) return;
  const auto require = [&](const char* what, double is, double limit, const char* unit) {
    if (!(is > kRounding * limit)) return;
    throw InputError(
        {},
        fmt::format("the hand's {} of {:.4g} {} is more than device {} bears at {:g} Hz: {:.4g} {}", what, is,
                    unit, s.name, s.rate, limit, unit),
        fmt::format("give the hand less ({}-{}, or `arm` in its file), or the device a higher rate",
                    kOption[k], what));
  };
  const HandLimits most = device.hand_limits();
  require("stiffness", stiffness_of(hand, s.sensed)[k], most.stiffness[k], kStiffness[k]);
  require("damping", hand.grip(0.0, Handle{}.pose()).damping[k], most.damping[k], kDamping[k]);
}

}  // namespace tactus::device
