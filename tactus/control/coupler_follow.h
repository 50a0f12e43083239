// A coupler that follows its port: softer where the port has become lighter than it was designed for.
//
// coupler_at_port.h designs for the mobility L at the start, with a port four times as easy to move. A linkage on its way to a toggle, or a box that leaves the ground, goes beyond
// that by orders. With the given gains K and B, and L as it is now, the port on the springs has
//
//   w^2 = largest eigenvalue of A = K^1/2 L K^1/2,       beta = largest eigenvalue of B^1/2 L B^1/2
//
// Gains K s^2 and B s make (s^2 w^2, s beta) of it. The borders w_i^2 up to which s_i is stable, from 1 down to a thousandth, half as much again of the gains included, are found before the loop. For all couplers with
// tau_0 K <= B <= tau_1 K, which is what both axes' quotients say, tau_0 w^2 <= beta <= tau_1 w^2: a border holds for some tau of between, both ends among them; that of s = 1 for the start's.
//
// In a tick w^2 is bounded from above, without eigenvalues, by squares of A, which has none below 0:
//
//   w^2 <= |A^4|_F^(1/4) <= 6^(1/8) w^2 = 1.25 w^2
//
// The port is looked at in every tick where w^2 is above half the border of s = 1, or grew by a tenth since the last look, after every event, and in every eighth elsewhere: a look costs as much as a step of the mechanism.
//
// Passive (coupler.h): what a softer spring does not hold any more is burnt, at once. It stiffens again, by 2 % in a tick at most, as far as what the springs then hold is paid for.
#pragma once

#include <array>

#include <tactus/control/coupler_design.h>

namespace tactus::control {

class CouplerFollower {
 public:
  /// `mobility` as at the start.
  CouplerFollower(const device::Specification& specification, const CouplerGains& gains,
                  const std::array<double, 36>& mobility);

  /// False where the given gains are not stable with the port as it is at the start, or there are none: nothing is followed then.
  bool possible() const noexcept { return count_ > 0; }
  /// The largest w^2 [1/s^2] of the given gains that is stable as they are.
  double border() const noexcept { return border_[0]; }
  /// The softness that is stable with this w^2.
  double softness(double w2) const noexcept;
  /// An upper bound of w^2, with the given gains.
  double bound(const std::array<double, 36>& mobility) const noexcept;

  // In a tick.
  /// Whether the mobility is wanted.
  bool due() noexcept;
  void look(const std::array<double, 36>& mobility) noexcept;
  /// Something happened to the mechanism: the next tick looks.
  void hurry() noexcept { wait_ = 0; }
  /// The softness of this tick, after that of the one before; `unit` [J] is what the springs would hold with the given gains, and `paid` [J] what they may hold.
  double next(double softness, double unit, double paid) const noexcept;
  /// Whether next() would change this softness.
  bool wants(double softness) const noexcept { return target_ != softness; }

  static constexpr std::size_t kMost = 40;

 private:
  device::Specification specification_;
  CouplerGains gains_;
  std::array<double, 6> root_{};  // of K, of each axis that is actuated
  std::array<double, kMost> soft_{}, border_{};
  std::size_t count_ = 0;
  double target_ = 1.0, last_ = 0.0;  // last w^2
  int wait_ = 0;                      // [ticks] until the next look
};

}  // namespace tactus::control
