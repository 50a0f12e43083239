// Coordinates that live on manifolds: numbers on a line, and unit quaternions.
//
// Near a configuration q0 every configuration is q0 (+) theta, with theta in R^nv: plain coordinates add; a
// unit quaternion is multiplied from the right by exp(theta/2), theta being a rotation vector in the child's
// frame. In this chart a motion is an ordinary differential equation (the method of Munthe-Kaas): with omega
// the angular velocity in the child's frame,
//
//   theta' = dexp^-1(theta) omega = omega + 1/2 theta x omega + c(|theta|) theta x (theta x omega)
//   c(a) = (1 - (a/2) cot(a/2)) / a^2 = 1/12 + a^2/720 + a^4/30240 + ...
//
// so that any integrator for R^n becomes one that never leaves the manifold, of the same order.
#pragma once

#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::simulate {

/// A run of coordinates of one kind.
struct Segment {
  enum class Kind { plain, quaternion };
  Kind kind = Kind::plain;
  int q = 0;      // first coordinate
  int theta = 0;  // first entry of the chart
  int size = 0;   // entries of the chart: any number for plain, 3 for a quaternion
};

class Coordinates {
 public:
  Coordinates() = default;
  explicit Coordinates(std::vector<Segment> segments);
  /// Those of a model: joint by joint, in the order of Model::coordinate_names().
  explicit Coordinates(const describe::Model& model);

  int nq() const { return nq_; }
  int nv() const { return nv_; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// The coordinates at which nothing is displaced: zeros, and quaternions (1, 0, 0, 0).
  std::vector<double> rest() const;

  /// q = q0 (+) theta. Quaternions come out with unit length to rounding. q may be q0 itself.
  void displace(const double* q0, const double* theta, double* q) const;
  /// theta' at the place q = q0 (+) theta, from the rates of the coordinates there.
  void chart_rate(const double* q, const double* theta, const double* qdot, double* theta_rate) const;
  /// Makes every quaternion a unit one; false where one is zero or not finite.
  bool normalize(double* q) const;

 private:
  std::vector<Segment> segments_;
  int nq_ = 0;
  int nv_ = 0;
};

}  // namespace tactus::simulate
