// Abbreviation of the canonical form by a threshold on its coefficients [Clover1996, II 3.2].
//
// The rule that reproduces the thesis' Appendix A exactly: each element of M (links alone), B, D and G is a
// sum of c cos(k.q) and s sin(k.q); drop every coefficient of magnitude below the threshold; round the rest
// to four significant digits; add the motors' inertia afterwards. The thesis used 0.01.
//
// What is dropped is known, so what it can do is bounded: with |u_j| <= U_j and |udot_j| <= W_j, the error of
// tau_i is at most the sum over the dropped coefficients of |c| times the product of the bounds of the term's
// u and udot.
#pragma once

#include <vector>

#include <tactus/derive/readable/canonical.h>

namespace tactus::derive {

struct Abbreviation {
  double threshold = 0.01;
  int digits = 0;  // significant digits kept; 0: all
  bool motors_apart =
      false;  // judge a constant of M before the motor's inertia joins it, rather than their sum

  /// The rule of the thesis. It drops 0.0017 kg m^2 of link inertia next to a motor of 0.2 kg m^2, which
  /// costs accuracy and saves nothing, and rounding breaks the ratios between M, B and D that make the
  /// torques cheap: so neither is the default.
  static Abbreviation thesis(double threshold = 0.01) { return {threshold, 4, true}; }
};

/// The number with so many significant digits.
double rounded(double x, int digits);

/// Threshold and digits, on one polynomial.
TrigPolynomial abbreviated(const TrigPolynomial& p, const Abbreviation& rule);
CanonicalModel abbreviated(const CanonicalModel& model, const Abbreviation& rule);

/// Bounds on a motion: on |u|, |udot|, and on the magnitude of coordinates that are lengths.
struct MotionBounds {
  std::vector<double> q, u, udot;
};

/// sum over the coefficients of |c| times the term's bounds: no motion within the bounds makes |p| larger.
/// Infinite where a term depends on something unbounded.
double bound(const CanonicalModel& model, const TrigPolynomial& p, const MotionBounds& bounds);
/// The same for the difference of two models, torque by torque.
std::vector<double> torque_error_bounds(const CanonicalModel& full, const CanonicalModel& abbreviated,
                                        const MotionBounds& bounds);
/// The largest |difference of the torques| found at random angles, with speeds and accelerations at random
/// corners of their bounds.
std::vector<double> sampled_torque_errors(const CanonicalModel& full, const CanonicalModel& abbreviated,
                                          const MotionBounds& bounds, int samples = 5000);

}  // namespace tactus::derive
