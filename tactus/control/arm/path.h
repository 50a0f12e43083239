// Paths in time: what a controller is asked to follow.
//
// Of least jerk from rest to rest [Clover1996, II (17)-(20)]: with x = t/T
//
//   s = 10 x^3 - 15 x^4 + 6 x^5,    largest rate 15/8 1/T,  largest acceleration 10/sqrt(3) 1/T^2
//
// Through several points: a polynomial of fifth degree between each two, which meet with the same rates and accelerations, those of
// the cubic spline through the points that is at rest at its ends. Where the times are not given they are as short as the limits of
// rates and accelerations allow.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <tactus/math/vec3.h>

namespace tactus::control {

/// A number and its first two rates.
struct Course {
  double x = 0.0, rate = 0.0, acceleration = 0.0;
};

/// From 0 to 1 in T seconds, at rest before and after.
Course least_jerk(double t, double T) noexcept;

/// Joints through points. Nothing is allocated after it was made.
class JointPath {
 public:
  struct Limits {
    std::vector<double> rate, acceleration;  // [joints] all above zero
  };
  /// points: [n] of as many joints each, at these times, the first at zero, in order. Throws InputError.
  JointPath(std::vector<std::vector<double>> points, std::vector<double> times);
  /// As fast as the limits allow: in each stretch, or at a point between two, some joint meets one of them.
  JointPath(std::vector<std::vector<double>> points, const Limits& limits);

  std::size_t joints() const noexcept { return joints_; }
  double duration() const noexcept { return times_.back(); }
  std::span<const double> times() const noexcept { return times_; }
  /// At rest before and after.
  void at(double t, double* q, double* qd, double* qdd) const noexcept;
  /// The largest rate and acceleration of a joint on the whole path.
  Course largest(std::size_t joint) const;

 private:
  void make();
  Course one(std::size_t stretch, std::size_t joint, double t) const noexcept;

  std::size_t joints_ = 0;
  std::vector<std::vector<double>> points_;
  std::vector<double> times_;
  std::vector<std::array<double, 6>> coefficients_;  // [stretch x joint] of x = (t - begin)/length
};

/// A frame's path: it turns about a line and slides along it, as least_jerk() says.
struct ScrewPath {
  math::Pose<double> start;
  math::Vec3<double> point{}, axis{};  // a point of the line, and its unit direction
  double angle = 0.0, way = 0.0;       // [rad], [m] in all
  double duration = 0.0;               // [s]
  bool turns = true;  // otherwise it keeps its orientation, and its origin alone goes on the path

  // These throw InputError.
  static ScrewPath line(const math::Pose<double>& from, const math::Vec3<double>& to, double duration);
  static ScrewPath circle(const math::Pose<double>& from, const math::Vec3<double>& centre,
                          const math::Vec3<double>& axis, double angle, double duration);

  /// Turns by an angle about the line while it slides along it.
  static ScrewPath screw(const math::Pose<double>& from, const math::Vec3<double>& point,
                         const math::Vec3<double>& axis, double angle, double way, double duration);

  struct Place {
    math::Pose<double> X;
    std::array<double, 6> V{}, A{};  // [angular; linear] velocity and acceleration of its origin, world axes
  };
  Place at(double t) const noexcept;
};

}  // namespace tactus::control
