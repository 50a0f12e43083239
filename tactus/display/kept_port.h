// A port with inertia bolted to it: what a display by motion needs where the port is lighter than its loop bears (control/admittance_design.h).
//
// The wrench F that is given to the port moves both, the mechanism and what is bolted on, M: of it F_p = F - M A goes on to the mechanism, with the port's acceleration A = a_0 + L F_p
// (control/kept_inertia.h), solved in the tick itself. What the step then did otherwise, by its curvature or an impact, is momentum that M has and nobody gave,
//
//   r = sum of  M (V_{k+1} - V_k) - T (F - F_p),        and is taken from the mechanism in the next tick:      (1 + M L) F_p = F - M a_0 - r/T
//
// so that M never gains momentum from nowhere. Where an impact makes the port slower, M strikes with it: nothing is taken then. M is a multiple of the unit matrix for rotation and for translation: a ball about the port's origin, without weight and gyroscopic moments.
// For the books both are the mechanism: its energy has M's kinetic energy in it.
//
// As much is bolted on as brings the lightest direction, of rotations and of translations, to the least inertia; where the port grows lighter, more. What is added then was at rest, and
// the port carries it along: momentum stays and kinetic energy is lost, which is passive. It is never taken off.
#pragma once

#include <array>
#include <memory>

#include <tactus/control/admittance_design.h>
#include <tactus/display/port_view.h>

namespace tactus::display {

/// Pairs are {rotation, translation}: [kg m^2], [kg].
struct KeptInertia {
  std::array<double, 2> least{};   // that port and bolted part have together; nothing is added beyond it
  std::array<double, 2> begins{};  // bolted on from the start
  bool grows = true;               // with what the port asks for
  std::uint8_t axes = device::kAllAxes;
};

class KeptPort final : public PortView {
 public:
  KeptPort(std::unique_ptr<PortView> port, const KeptInertia& options, double period);

  const simulate::PortMotion& begin() noexcept override { return port_->begin(); }
  void look(const Vector6& on_port, control::PortState& state, control::Resisted& resisted) noexcept override;
  void mobility(control::Matrix6& L) noexcept override;
  simulate::Tick step(const Vector6& on_port) noexcept override;
  void beside(std::span<const simulate::PortWrench> wrenches) noexcept override { port_->beside(wrenches); }
  const simulate::PortMotion& motion() noexcept override { return port_->motion(); }
  Vector6 jump(Vector6& acceleration) noexcept override { return port_->jump(acceleration); }
  double energy() noexcept override;
  /// What was to be paid back to the bolted part is not: it begins with the port's speed.
  bool recover() noexcept override {
    unpaid_ = {};
    return port_->recover();
  }
  void rehearse(const Vector6&) noexcept override { port_->rehearse(passed_on_); }

  /// [kg m^2], [kg] that are bolted on now.
  const std::array<double, 2>& bolted() const noexcept { return bolted_; }

 private:
  control::Matrix6 inertia() const noexcept;
  double along(std::size_t i) const noexcept {
    return device::has_axis(options_.axes, i) ? bolted_[i / 3] : 0.0;
  }
  void grow(const control::Matrix6& L, const Vector6& V) noexcept;

  std::unique_ptr<PortView> port_;
  KeptInertia options_;
  double period_;
  std::array<double, 2> bolted_;
  Vector6 unpaid_{};     // [N m s; N s] r
  Vector6 passed_on_{};  // F_p of the last step
  control::PortState state_{};
  control::Resisted resisted_{};
};

}  // namespace tactus::display
