// The hand of the page: a spring and a damper from a point of a body to where the cursor is.
//
// The cursor has no dynamics of its own, so the point alone decides how stiff the spring may be. Along one direction, with the
// apparent mass m of the point, the stiffness K and the damping B held for a period T,
//
//   v' = v - T/m (K x + B v),    x' = x + T v - T^2/(2 m) (K x + B v)
//
// is stable where B T/m < 2 and K T/2 < B: det = 1 - B T/m + K T^2/(2 m) < 1, and 1 + trace + det > 0. The second is Colgate's
// condition for a wall of a sampled spring and damper in front of an undamped handle. With B = 2 z sqrt(K m) both hold for
// sqrt(K T^2/m) < min(4 z, 1/z); kShare of 1 is taken as the passive limit: K <= (kShare/T)^2 m.
//
// The mobility of the point, X^T L X with X = [r x; 1] and L that of the body's origin, has three directions; each gets the
// stiffness asked for, or its own limit where that is less, and the damping that its own mass wants. Directions in which the
// point cannot move have no limit, and count as heavy as the whole mechanism.
#pragma once

#include <array>

#include <tactus/math/vec3.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::serve {

using Vec3 = math::Vec3<double>;
using Mat3 = math::Mat3<double>;

/// sqrt(K T^2/m) at the passive limit: below 4 z and 1/z for all damping ratios z from 0.1 to 2.
inline constexpr double kShare = 0.35;

/// What is wanted of the spring.
struct Coupling {
  double stiffness = 0.0;  // [N/m]
  double ratio = 1.0;      // of damping; 1 is critical
  double force = 0.0;      // [N] the largest
};

/// What a point weighs: a symmetric 3 x 3 mobility by its directions.
struct ApparentMass {
  std::array<Vec3, 3> direction{};
  std::array<double, 3> mass{};  // [kg] or [kg m^2], ascending; `heavy` where it cannot move
  /// From a mobility; what is heavier than `heavy` counts as that.
  static ApparentMass of(const std::array<double, 9>& mobility, double heavy) noexcept;
  /// The mean of the directions that move.
  double mean(double heavy) const noexcept;
};

/// Mobility of a point at r from a body's origin, of its translation: [3 x 3]; of the body's rotation: the upper left of L.
std::array<double, 9> mobility_of_point(const std::array<double, 36>& L, const Vec3& r) noexcept;
std::array<double, 9> mobility_of_turning(const std::array<double, 36>& L) noexcept;
/// Of a body by itself, at a point r from its mass centre (world axes): never less than where it is part of a mechanism.
std::array<double, 9> mobility_of_free_body(double mass, const Mat3& inertia_W, const Vec3& r) noexcept;

/// The largest passive stiffness along the easiest direction.
double passive_limit(const ApparentMass& at, double period) noexcept;

/// Force of the spring, limited; `clamped` says whether the limit counted.
Vec3 spring_force(const Coupling& coupling, const ApparentMass& at, const Vec3& stretch, const Vec3& velocity,
                  double period, bool* clamped) noexcept;

/// A coupling that suits a mechanism of the size `radius` [m] under gravity g: it hangs on the spring by a small part of its size.
Coupling design_coupling(const ApparentMass& at, double heavy, double radius, double gravity,
                         double period) noexcept;

}  // namespace tactus::serve
