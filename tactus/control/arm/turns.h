// Equations in one angle, of which closed inverse kinematics is made. With R the turn by q about the unit axis k,
//
//   R p = k (k.p) + cos q (p - k (k.p)) + sin q (k x p)
//
//   turn_to(p, r, k)        q for which R p comes nearest to r
//   turns_between(h, p, k, d)   the q with h.(R p) = d, two or none: A cos q + B sin q = C
//   turns_of_two(...)       q and s with two such equations in both, four or fewer
//
// No arc cosine: near a border, where two solutions become one, the sines and cosines are as exact as they can be.
#pragma once

#include <array>
#include <cmath>

#include <tactus/math/rotation.h>
#include <tactus/math/vec3.h>

namespace tactus::control {

using Vec = math::Vec3<double>;

/// R(k, q) p, with the cosine and the sine of q.
inline Vec turned(const Vec& k, double c, double s, const Vec& p) noexcept {
  const Vec along = dot(k, p) * k;
  return along + c * (p - along) + s * cross(k, p);
}
inline Vec turned(const Vec& k, double q, const Vec& p) noexcept {
  return turned(k, std::cos(q), std::sin(q), p);
}

inline math::Mat3<double> turn(const Vec& k, double q) noexcept {
  const double c = std::cos(q), s = std::sin(q);
  return math::Mat3<double>::from_columns(turned(k, c, s, Vec::unit(0)), turned(k, c, s, Vec::unit(1)),
                                          turned(k, c, s, Vec::unit(2)));
}

/// Zero where p or r lies on the axis: any angle does.
inline double turn_to(const Vec& p, const Vec& r, const Vec& k) noexcept {
  const Vec a = p - dot(k, p) * k;
  return std::atan2(dot(k, cross(a, r)), dot(a, r));
}

/// A cos q + B sin q = C.
struct TwoTurns {
  std::array<double, 2> q{};
  double missed = 0.0;  // |C| - hypot(A, B) where that is positive: both are the q that comes nearest
  bool any = false;     // A and B vanish: every q does, or none
};
TwoTurns turns_of(double A, double B, double C) noexcept;

inline TwoTurns turns_between(const Vec& h, const Vec& p, const Vec& k, double d) noexcept {
  return turns_of(dot(h, p - dot(k, p) * k), dot(h, cross(k, p)), d - dot(h, k) * dot(k, p));
}

/// Two equations a_i cos q + b_i sin q + c_i cos s + d_i sin s = e_i.
struct CoupledTurns {
  std::array<std::array<double, 2>, 2> of_q{}, of_s{};  // [equation][cosine, sine]
  std::array<double, 2> right{};
};
struct FourTurns {
  int count = 0;
  std::array<double, 4> q{}, s{};
};
FourTurns turns_of_two(const CoupledTurns& equations) noexcept;

}  // namespace tactus::control
