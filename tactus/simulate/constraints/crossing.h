// A motion through a singular configuration, seen from places before and after it.
//
// Where rows become dependent, n^T A = 0, two branches of the manifold cross. Next to it, at a distance d from
// the singular configuration, the rows say where the branch is only to (rounding)/d, what its tangent is to
// (rounding)/d^2, how it bends to (rounding)/d^3; off the manifold by e they are wrong by e/d. But the branch
// itself is smooth, and so is everything on it: the nearest place to a given one, the projection onto its
// tangent, the acceleration, the force of the constraints. What is wanted at a place q with velocity u, less
// than some d away, is therefore interpolated from places along the motion, on both sides of the singular
// configuration and at least that far from it,
//
//   q_j = nearest allowed place to q (+) s_j u,    u_j = projection of u at q_j,    j = 1 ... 6
//   s_j = s* + (1 -1 2 -2 3 -3) width              s*: where the rows are dependent, width: that far away
//
// by the polynomial in s of degree 5, taken at s = 0. At the edges of that interval, s* = +-width, the place is
// one of the q_j: interpolated and direct values go over into each other. Where the motion bends too much for the
// polynomial, the width is halved; the same part of it serves for the rest of the crossing.
//
// Whether there is such a crossing is looked at, not assumed. The distance d(s) along the motion must be
// proportional to |s - s*|; the interpolated place must satisfy the constraints, which a motion that turns
// around next to a singular configuration does not; and the velocity must be nearly tangent on both sides,
// which one that belongs to no branch is not.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tactus::simulate {

class Crossing {
 public:
  static constexpr std::size_t kPlaces = 6;

  Crossing(std::size_t arguments, std::size_t nv)
      : arguments_(arguments), nv_(nv), stages_(kPlaces * arguments), moved_(kPlaces * nv) {}

  /// From the time t a singular configuration is reached after `until` (negative: has been passed); the distance from it
  /// changes at this rate.
  void find(double t, double until, double rate, double width) {
    until_ = until;
    full_width_ = width;
    when_ = t + until;
    rate_ = rate;
    known_ = true;
  }
  /// The same one, seen from another place of the same step that is `here` away from it; false where it does not fit.
  bool find_again(double t, double here, double tolerance) {
    if (!known_ || !(std::abs(here - rate_ * std::abs(when_ - t)) <= tolerance)) return false;
    until_ = when_ - t;
    return true;
  }
  /// Another step begins.
  void forget() { known_ = false; }
  /// The places for this part of the width; false where it is over before.
  bool place(double part);

  double width() const { return width_; }
  double shift(std::size_t j) const { return shift_[j]; }
  double weight(std::size_t j) const { return weight_[j]; }
  /// By the four inner places alone: 0 for the others. The difference says how smooth a thing is.
  double inner_weight(std::size_t j) const { return inner_weight_[j]; }

  /// t q u tau wrench at the j-th place, and how far it was moved to the manifold [nv].
  double* stage(std::size_t j) { return stages_.data() + j * arguments_; }
  double* moved(std::size_t j) { return moved_.data() + j * nv_; }

 private:
  std::size_t arguments_, nv_;
  bool known_ = false;
  double until_ = 0.0, full_width_ = 0.0, width_ = 0.0;
  double when_ = 0.0, rate_ = 0.0;
  std::array<double, kPlaces> shift_{}, weight_{}, inner_weight_{};
  std::vector<double> stages_, moved_;
};

}  // namespace tactus::simulate
