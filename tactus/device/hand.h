// Hands that hold a simulated device.
//
// A hand is a function of time and of the handle's motion, without memory:
//
//   F = wrench(t, X) - damping V
//
// Its damping is given apart, so that a simulated device can take it exactly. What is random in a hand is drawn once, from
// its seed, where the hand is made: the same seed gives the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

#include <tactus/device/device.h>

namespace tactus::device {

/// What a hand does to the handle: wrench - damping V.
struct Grip {
  Vector6 wrench{};                 // [N m; N] at the handle's origin, world axes
  std::array<double, 2> damping{};  // [N m s/rad], [N s/m]
};

class Hand {
 public:
  virtual ~Hand() = default;
  virtual Grip grip(double t, const math::Pose<double>& X_WH) const noexcept = 0;
};
using HandPointer = std::unique_ptr<const Hand>;

/// Nobody holds it.
HandPointer none();
HandPointer constant(const Vector6& wrench);
/// A wrench as a function of time, which must neither throw nor allocate.
HandPointer scripted(std::function<Vector6(double t)> wrench);

/// What an arm means to do: where the handle should be, from where it was at first: a way and a rotation vector.
struct Intention {
  math::Vec3<double> p{};      // [m]
  math::Vec3<double> theta{};  // [rad]
};
using Path = std::function<Intention(double t)>;

/// An arm as the handle feels it. Values of a relaxed to firm grasp; the arm's mass is left to the handle's.
struct Arm {
  std::array<double, 2> stiffness{2.0, 300.0};  // [N m/rad], [N/m]
  std::array<double, 2> damping{0.02, 5.0};     // [N m s/rad], [N s/m]
};
/// [N s/m], [N m s/rad] 0.7 of the critical: no overshoot to speak of.
double well_damped(double stiffness, double load);
/// An arm that suits what it moves, {kg m^2, kg}: as stiff as it needs to be and an arm can be, well damped. Against
/// a wall, with its intention `way` [m] behind it, it presses with no more than `strong` [N]; 0: any.
Arm arm_for(const std::array<double, 2>& load, double way = 0.0, double strong = 0.0);
/// The same arm, but no stiffer and no more damped than that.
Arm within(const HandLimits& most, Arm arm);
/// What an arm does at an instant: F = K (intention - handle) - B V.
Grip pull(const Intention& to, const math::Pose<double>& X_WH, const Arm& arm) noexcept;
/// Pulls the handle after the intention.
HandPointer following(Path intention, const Arm& arm = {});
HandPointer hold(const Arm& arm = {});

/// To and fro along a way, each by the smooth reach x(s) = 10 s^3 - 15 s^4 + 6 s^5 [FlashHogan1985].
Path strokes(const math::Vec3<double>& way, double period);
/// Round a circle through the start, whose centre lies at `radius`; `ahead` is where it sets out. Eased in over a period.
Path circles(const math::Vec3<double>& radius, const math::Vec3<double>& ahead, double period);
/// Rests at the start, strikes along the way and comes back, once a period: the strike takes `contact` of it.
Path taps(const math::Vec3<double>& way, double period, double contact = 0.3);
/// Wanders about where it began, at random: along `ahead` and `aside` each a sum of sines, of at most that way, with periods from `period` to three times as
/// long. Eased in over a period. The same seed, the same path.
Path wanders(const math::Vec3<double>& ahead, const math::Vec3<double>& aside, double period,
             std::uint64_t seed);

/// Another hand that lets go at a time.
HandPointer letting_go(HandPointer hand, double time);
/// [m] At which the tremor of a hand acts that only turns something: the rim of a steering wheel of 0.3 m.
constexpr double kTremorLever = 0.15;
/// Another hand that trembles besides: along each axis a sum of sines between 8 and 12 Hz, where
/// physiological tremor lies, of `force` [N] at most. With a lever [m] it is a torque about each axis
/// instead, force times lever: what only turns feels no force.
HandPointer trembling(HandPointer hand, double force, std::uint64_t seed, double lever = 0.0);

}  // namespace tactus::device
