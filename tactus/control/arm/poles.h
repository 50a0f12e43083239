// Gains by pole placement along a motion, and what errors of the model do to them [Clover1996, III].
//
// About a point of the motion, with x = q - q* (the thesis has the sign both ways):
//
//   M xdd + C xd + K x = dtau,    dtau = -G_1 x - G_2 xd                                  (5)-(9)
//
// For desired poles a_i, b_i of joint i, in pairs with real sum and product, S = diag(a_i + b_i), P = diag(a_i b_i):
//
//   G_1 = -K + M P,     G_2 = -C - M S                                                    (16)
//   G_1 = -K + M (P - S + I)/h^2,  G_2 = -C + M (2 I - S)/h    with poles z = e^(s h)     (23)
//
// the second for a loop sampled every h, by Euler's rule (18). What they do where the model is wrong, M' = gamma M, C' = beta C,
// K' = alpha K (29), the eigenvalues of
//
//   [0, I; -M^-1 (K + G_1), -M^-1 (C + G_2)]                  continuous                  (13)
//   F - E [G_1 G_2],   F = e^(A h),  E = int_0^h e^(A s) ds B   sampled, exactly           (33)
//
// say: stable to the left of the axis, or within the unit circle. Computed torque (26) is alpha = beta = 0.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

namespace tactus::control {

using Matrix = Eigen::MatrixXd;
using Complex = std::complex<double>;

/// M, C, K at a point of a motion.
struct LinearPoint {
  Matrix M, C, K;
};

/// Two poles of one joint: a pair re +- j im, or two real ones.
struct PolePair {
  double sum = 0.0, product = 0.0;

  static PolePair complex(double re, double im) { return {2.0 * re, re * re + im * im}; }
  static PolePair real(double a, double b) { return {a + b, a * b}; }
  /// Of a loop sampled every h: e^(s h).
  PolePair sampled(double h) const;
  /// S and P of the law: of (16), or of (23) where h is above zero.
  PolePair of_law(double h) const;
  bool stable() const { return sum < 0.0 && product > 0.0; }
};

struct PoleGains {
  Matrix position, velocity;  // G_1, G_2
};

struct ModelErrors {
  double alpha = 1.0, beta = 1.0, gamma = 1.0;  // K' = alpha K, C' = beta C, M' = gamma M
};

/// (16), or (23) where h is above zero. Throws InputError where a pole is not stable, or there are not as many as joints.
PoleGains pole_gains(const LinearPoint& point, const std::vector<PolePair>& poles, double h = 0.0);
/// The same by a model with errors: (27), (28).
PoleGains pole_gains(const LinearPoint& point, const ModelErrors& errors, const std::vector<PolePair>& poles,
                     double h = 0.0);

/// Eigenvalues of the loop, by real part. Where h is above zero those of the sampled loop, as s = ln(z)/h (32).
std::vector<Complex> closed_loop_poles(const LinearPoint& point, const PoleGains& gains, double h = 0.0);
std::vector<Complex> open_loop_poles(const LinearPoint& point);

/// The arm over a period with forces that are held (33): [x; v] becomes F [x; v] + E dtau.
struct SampledArm {
  Matrix F, E;
  double h = 0.0;
};
SampledArm sampled_arm(const LinearPoint& point, double h);
std::vector<Complex> closed_loop_poles(const SampledArm& arm, const PoleGains& gains);

/// The largest real part: stable below zero.
double stability(const std::vector<Complex>& poles);

/// From one that is stable, where the loop ceases to be: towards `far`, to the last digits of `error`. None where it never does.
/// `loop(x)` gives the poles for the error x.
std::optional<double> stability_limit(const std::function<std::vector<Complex>(double)>& loop, double stable,
                                      double far, int looks = 400);

/// A root locus: for each error the poles, each followed from the one before.
struct RootLocus {
  std::vector<double> error;
  std::vector<std::vector<Complex>> poles;  // [error][pole]
};
RootLocus root_locus(const std::function<std::vector<Complex>(double)>& loop, double from, double to,
                     int looks);

}  // namespace tactus::control
