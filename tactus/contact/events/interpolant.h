// A guard between the two ends of a step, from what is known there: event localisation without integrating.
//
// Known at both ends: the value; often its rate; of gaps the acceleration too. The polynomial of least degree
// through all of it (Hermite), in s = (t - t0)/(t1 - t0):
//
//   values                        p = c0 + c1 s                              error  h^2 f''/8
//   values, rates                 p = c0 + c1 s + c2 s^2 + c3 s^3            error  h^4 f''''/384
//   values, rates, accelerations  p = c0 + ... + c5 s^5                      error  h^6 f^(6)/46080
//
// The first coefficients are f(t0), h f'(t0), h^2 f''(t0)/2; the others follow from the other end.
#pragma once

#include <array>
#include <limits>

namespace tactus::contact {

/// A function of time at one instant; NaN: not known.
struct Jet {
  double value = 0.0;
  double rate = std::numeric_limits<double>::quiet_NaN();
  double acceleration = std::numeric_limits<double>::quiet_NaN();
};

class Interpolant {
 public:
  Interpolant() = default;
  Interpolant(double t0, const Jet& at_t0, double t1, const Jet& at_t1);

  double value(double t) const;
  double rate(double t) const;
  /// How far the interpolant may be off, by the difference to the one of the next lower degree: more than its
  /// error where steps are short enough for either to be of use. Straight lines do not know: all they have.
  double doubt() const { return doubt_; }
  /// Where it falls through zero between `from`, where it is positive, and `to`, where it is negative; the
  /// nearer end where it is not so.
  double falls(double from, double to) const { return root(from, to, 0, 1.0); }
  /// Where its rate goes from below zero at `from` to above it at `to`: the lowest place.
  double lowest(double from, double to) const { return root(from, to, 1, -1.0); }
  /// Where its rate goes from above zero to below it: the highest place.
  double highest(double from, double to) const { return root(from, to, 1, 1.0); }

 private:
  double polynomial(double s, int derivative) const;
  double root(double from, double to, int derivative, double sign) const;

  double t0_ = 0.0, h_ = 1.0, doubt_ = 0.0;
  std::array<double, 6> c_{};
};

}  // namespace tactus::contact
