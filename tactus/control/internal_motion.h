// Freedoms of a mechanism that its port does not show: an arm of seven joints whose hand stands still while the elbow swings.
//
// Joint forces tau change the port's acceleration by J M^-1 P tau. Together with the wrench
//
//   F = -Lambda J M^-1 P tau,    Lambda = (S^T L S)^-1 on the axes S of the port,
//
// they do not: (1 - J^T Jbar^T) tau, Jbar = M^-1 P J^T Lambda, of which J Jbar = 1 [Constantinescu2005, (16), of which the printed
// 1_6 - Jbar J has d rows and columns, not six; Khatib1987]. So a force on the joints, -b u, damps what is inside and nothing is felt of
// it at the hand.
//
// Damped while it moves (InternalDamper): the part of the speeds that the port does not show is
//
//   u_i = u - Jbar V,       tau = -s b u_i,       F as above
//
// V the port's velocity. Both together do the work  tau^T (1 - Jbar J) u = tau^T u_i = -s b |u_i|^2:  never more than nothing, and nothing
// where only the port moves. A damper that is held for a period T overshoots where b T is large beside what swings: the kinetic
// energy changes by  -s T b |u_i|^2 + s^2 T^2/2 tau^T ud,  ud what both together do to the accelerations, which is least by
// s = b |u_i|^2/(T tau^T ud). s is that where it is below 1.
//
// That is so as long as u_i is what moves inside. Where nothing does, it is the rounding of u - Jbar V, which the
// port shows, and b of it is a force that b alone bounds. But beyond some size no b is of use. With K what joint
// forces do to accelerations when they are hidden in this way, K M u_i = u_i for all that is hidden, and by Cauchy
// and Schwarz in the metric of K, |u_i| over the joints with a motor,
//
//   |u_i|^4 = (u_i^T K M u_i)^2 <= (u_i^T K u_i) (u_i^T M u_i),   so that where s is below 1
//   s b = |u_i|^2/(T u_i^T K u_i) <= u_i^T M u_i/(T |u_i|^2)
//
// b is never larger than the right side (strongest()), an inertia by the period: what moves inside is damped as
// it would be without, and forces made of rounding stop a speed of rounding within a tick, and no more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tactus/control/four_channel.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::control {

/// The wrench that keeps `tau` [nv] from moving the port, with `others` acting there besides. False where the port has not so many freedoms. Leaves the mechanism holding both;
/// nothing is allocated.
inline bool hide_at_port(simulate::Mechanism& mechanism, int port, std::uint8_t axes,
                         std::span<const double> tau, const Vector6& others, Vector6& wrench) noexcept {
  const simulate::PortWrench besides{port, others};
  if (!mechanism.hold({.tau = {}, .ports = {&besides, 1}, .wrench = {}})) return false;
  const Vector6 without = mechanism.acceleration(port);
  Matrix6 L;
  mechanism.mobility(port, L);
  if (!mechanism.hold({.tau = tau, .ports = {&besides, 1}, .wrench = {}})) return false;
  const Vector6 with = mechanism.acceleration(port);
  for (std::size_t i = 0; i < 6; ++i) wrench[i] = without[i] - with[i];
  if (!solve_at_port(L, axes, wrench)) return false;
  // Once more with what is left: the mobility's own rounding is out of it.
  simulate::PortWrench both{port, others};
  for (std::size_t i = 0; i < 6; ++i) both.wrench[i] += wrench[i];
  if (!mechanism.hold({.tau = tau, .ports = {&both, 1}, .wrench = {}})) return false;
  const Vector6 now = mechanism.acceleration(port);
  Vector6 more{};
  for (std::size_t i = 0; i < 6; ++i) more[i] = without[i] - now[i];
  if (!solve_at_port(L, axes, more)) return false;
  for (std::size_t i = 0; i < 6; ++i) wrench[i] += more[i];
  return true;
}

class InternalDamper {
 public:
  /// The mechanism must outlive it. `damping` [N m s/rad], [N s/m] at every joint that has a motor. Throws InputError where it is negative, where the
  /// model's speeds are not the rates of its joints, and where joints have dry friction or something may touch: u_i is asked for by forces that those
  /// would take.
  InternalDamper(simulate::Mechanism& mechanism, int port, std::uint8_t axes, double damping);

  /// With `acting` on the mechanism, the first of them at the port: F is added to it, and tau() are the forces at the joints. Where
  /// nothing moves inside they are 0. False where what the mechanism answers is no number: nothing is damped.
  /// Allocates nothing.
  bool damp(std::span<simulate::PortWrench> acting) noexcept;
  std::span<const double> tau() const noexcept { return tau_; }

 private:
  enum class Found : std::uint8_t { something, nothing, no_number };
  Found find(std::span<simulate::PortWrench> acting) noexcept;
  /// The largest damping of inside_ that is of use within a tick; 0 where no motor moves.
  double strongest() noexcept;

  simulate::Mechanism& mechanism_;
  int port_;
  std::uint8_t axes_;
  double damping_;
  std::vector<bool> driven_;                 // [nv] by a motor
  std::vector<double> tau_, udot_, inside_;  // [nv]; udot without, u_i
  generate::Kernel inertia_;                 // t q -> M, with the parameters that the model began with
  std::vector<double> inertia_in_, inertia_out_, inertia_work_;
};

}  // namespace tactus::control
