// What the haptic loop is made of besides its interface, for the files that implement it: loop_setup.cpp has
// what is chosen before it runs, loop.cpp the tick, loop_displays.cpp the ways in which a tick shows the
// mechanism, loop_books.cpp the energies.
#pragma once

#include <array>
#include <vector>

#include <tactus/control/coupler_follow.h>
#include <tactus/control/passivity.h>
#include <tactus/control/prescribed_port.h>
#include <tactus/control/proxy.h>
#include <tactus/display/energy_books.h>
#include <tactus/display/kept_port.h>
#include <tactus/display/loop.h>
#include <tactus/display/port_view.h>
#include <tactus/display/teleoperation.h>

namespace tactus::display {

struct HapticLoop::Prescribed {
  control::PrescribedPort law;
  control::Matrix6 M_d;
  control::Coupler coupler;  // along what cannot be prescribed
  control::PrescribedMemory memory{};
  control::PortState port{};
  control::Resisted directions{};
  control::CouplerGains instead{};  // of the coupler that stands in for the weld
  bool given_up = false;            // it makes energy, or is too fast: the coupler holds all directions
};

/// Commands of the last ticks: what motors with a latency hold now is one of them.
struct HapticLoop::Sent {
  static constexpr std::size_t kMost = 64;
  std::array<Vector6, kMost> wrench{}, guard{},
      carried{};  // of `wrench`: for the device's own weight and friction
  std::size_t count = 0;
  double work_begun = 0.0;           // [J] into the port before the books
  double kinetic = 0.0;              // [J] of the handle, in the tick before
  control::PassivityMemory yield{};  // of an admittance device

  void push(const Vector6& all, const Vector6& own, const Vector6& for_device) noexcept {
    const std::size_t at = count++ % kMost;
    wrench[at] = all;
    carried[at] = for_device;
    for (std::size_t i = 0; i < 6; ++i) guard[at][i] = all[i] - own[i];
  }
  /// Of the newest, or so many ticks before.
  std::size_t index(std::size_t late) const noexcept { return (count - 1 - late) % kMost; }
};

struct HapticLoop::PointTool {
  std::vector<control::ProxyFace> faces;
  double stiffness = 0.0;  // [N/m]
  control::ProxyMemory memory{};
};

/// [J] of the mechanism as the hand feels it: scales of force and motion scale its power.
inline double felt_energy(PortView& port, const Teleoperation* four_channels) noexcept {
  return (four_channels != nullptr ? four_channels->power_scale() : 1.0) * port.energy();
}

}  // namespace tactus::display
