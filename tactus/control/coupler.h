// The virtual coupler: a spring and a damper between the handle of a device and a port of a mechanism [Colgate1995].
//
// It keeps the port where it was on the handle when it was engaged. With the port's place at that moment, p_H + d and R_H R_HP,
//
//   e = p_H + d - p_P,      R(theta) = R_H R_HP R_P^T
//   force  = K e     + B (v_H - v_P)          on the mechanism, at the port; the handle gets its opposite
//   torque = K_r theta + B_r (w_H - w_P)
//
// The springs store E = (K e.e + K_r theta.theta)/2, and Ed = K e.(v_H - v_P) + K_r theta.(w_H - w_P) exactly: theta is the
// rotation's own axis, so no rotation changes theta.w. In continuous time the coupler is passive for any gains; what
// sampling leaves of that is the subject of coupler_design.h. Axes that the device does not actuate are not coupled.
//
// A device that turns about one or two axes alone pushes along these alone. Components of theta would then be no gradient: where the port tilts, theta_z goes round a closed way of orientations with
// work left over, and jumps at half a turn. What belongs to a torque along fixed axes is the sum of the turns about them,
//
//   psi_i = integral of (w_H - w_P)_i dt      torque_i = K_r psi_i + B_r (w_H - w_P)_i      E = K_r psi.psi/2,  Ed = K_r psi.(w_H - w_P)
//
// whose rate is the springs' power exactly, however the port tilts, over any number of turns. No function of the orientation has that rate: psi is counted from tick to tick, by the rotation vectors of both
// steps, along which the work of a held torque is counted, too. Where nothing tilts it is the angle between handle and port; where the port goes round a cone and comes back, its axis has
// turned against the handle's by the cone's solid angle, and the springs hold that: it is what it did about the device's axis.
//
// What changes while it is pressed. Gains and the place d, R_HP may change from tick to tick, handle and port standing still meanwhile, and the coupler stays passive as long as E does not grow
// by that: what E loses is burnt. What makes E grow has to be paid for: by what went in at the handle and came out neither at the port nor at the handle again, W_h - W_p (display/energy_books.h), which E must not exceed.
//
//   slip       after enabling, forces come on. A spring whose stiffness came on would give more than it got; this one slips instead, as on a brake that is drawn tighter: where K |e| is above what may
//              be given by now, the place comes after the handle until it is not. A hand that pulls less than that finds the whole stiffness from the first tick on.
//   yield      a clamp on how fast forces grow keeps them below K e: the place comes after the handle by what it cut. A spring that lagged behind its clamp would be loaded by less than it gives back
//   creep      afterwards the place goes back to where it was engaged, no faster than is paid for
//   softness   K s^2 and B s stand for K and B where the port is lighter than they were designed for (coupler_follow.h)
#pragma once

#include <array>
#include <cstdint>

#include <tactus/device/device.h>
#include <tactus/simulate/motion/ports.h>

namespace tactus::control {

using device::Vector6;

/// {rotation, translation}
struct CouplerGains {
  std::array<double, 2> stiffness{};  // [N m/rad], [N/m]
  std::array<double, 2> damping{};    // [N m s/rad], [N s/m]
};

/// Of a port that the handle's motion prescribes (prescribed_port.h), instead of a spring and damper.
struct PrescribedGains {
  std::uint8_t axes = device::kNoAxes;  // that are prescribed, of the world
  double drift_rate = 100.0;            // [rad/s] with which an error is taken out
  double bandwidth = 200.0;  // [rad/s] of the pole of the handle's acceleration; 0: the plain difference
  double heaviest =
      0.0;  // [1] port's mass by the handle's: directions beyond are the coupler's; 0: as the loop bears
  bool every_axis =
      true;  // refused where the port cannot move along each; false: along what constraints allow
};

/// Of a virtual proxy (proxy.h) instead of the port.
struct ProxyGains {
  double stiffness = 0.0;  // [N/m]
};

/// All that a coupler remembers.
struct CouplerMemory {
  bool engaged = false;
  math::Vec3<double> d{};  // [m] from the handle to the port, in the world's axes
  math::Mat3<double> R_HP = math::Mat3<double>::identity();
  double stored = 0.0;    // [J] in the springs, at the last call
  double softness = 1.0;  // s
  bool slipped = false;   // d and R_HP are not those with which it was engaged:
  math::Vec3<double> d_engaged{};
  math::Mat3<double> R_engaged = math::Mat3<double>::identity();
  // Of a device that turns about some axes alone:
  math::Vec3<double> psi{};  // [rad] turns of the handle less the port's, and what slipped
  math::Vec3<double> psi_slipped{};
  math::Mat3<double> R_H = math::Mat3<double>::identity(), R_P = R_H;  // up to which they are counted
};

struct Coupler {
  static constexpr std::array<double, 2> kUnlimited{10.0,
                                                    100.0};  // [N m], [N] where nothing limits the device

  CouplerGains gains;
  std::uint8_t axes = device::kAllAxes;

  /// Begins without force: the port stays where it is on the handle.
  void engage(CouplerMemory& memory, const device::Sample& sample,
              const simulate::PortMotion& port) const noexcept;
  /// On the mechanism, at the port; zero while it is not engaged. The damper gives `share` of itself.
  Vector6 wrench(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                 double share = 1.0) const noexcept;
  /// [J] that the springs hold, with softness 1.
  double energy(const CouplerMemory& memory, const device::Sample& sample,
                const simulate::PortMotion& port) const noexcept;
  /// The place comes after the handle until the springs give no more than this {N m, N}.
  void slip(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
            const std::array<double, 2>& most) const noexcept;
  /// The place comes after the handle by what a clamp took from the springs' wrench (on the port), as far as that leaves them with less.
  void yield(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
             const Vector6& taken) const noexcept;
  /// The place goes back by this part of the way, or by as much of that as `paid` [J] allows the springs to hold.
  void creep(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
             double part, double paid) const noexcept;
  /// After enabling: it slips where it would give more than `share` of `most` {N m, N; 0: nothing limits the device}; with all of it, what slipped creeps back in each `period` [s] as far as that is `paid` [J] for.
  void come_on(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
               double share, const std::array<double, 2>& most, double period, double paid) const noexcept;

 private:
  /// Some of the three turns, and not all.
  bool turns_about_some() const noexcept;
  Vector6 away(const CouplerMemory& memory, const device::Sample& sample,
               const simulate::PortMotion& port) const noexcept;
  void place(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
             const Vector6& away) const noexcept;
};

}  // namespace tactus::control
