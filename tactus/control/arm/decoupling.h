// Whether the forces that move a mechanism also bend the forces of its constraints [Aghili2005, V-C]. With P onto the motions that the rows A
// leave, Mc = M + P M - M P (23), alpha = M Mc^-1 and mu = (I - P) alpha,
//
//   F = f_n - h_n - mu (f_t - h_t) - mu Cc qd                                        (32)
//
// and the coupling mu P is nothing exactly where the motions stay within themselves under M:
//
//   mu P = 0   <=>   (I - P) M P = 0                                                 (80), Proposition 3
//
// The paper proves that the right gives the left. The other way holds, too: (I - P) alpha^-1 P = -(I - P) M P (P M^-1 P), and
// P M^-1 P has an inverse among the motions. Where it holds, the constraints' forces are controlled without the feed-forward of (49).
//
// Coordinates of different units: the projection, and with it both numbers, is meant after weights (weights.h).
#pragma once

#include <Eigen/Core>

namespace tactus::control {

struct Decoupling {
  double inertia = 0.0;  // |(I - P) M P|/|M| by Frobenius' norm
  double mu = 0.0;       // |mu P|, the same way
  /// To rounding of M.
  bool decoupled() const noexcept { return inertia < 1e-13; }
};

/// Rows A [m x n], of which `rank` are independent (no rows: nothing couples); M [n x n] positive definite.
Decoupling decoupling(const Eigen::MatrixXd& A, Eigen::Index rank, const Eigen::MatrixXd& M);

}  // namespace tactus::control
