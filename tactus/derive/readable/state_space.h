// The linear model as a first-order system in x = (delta q, delta u):
//
//   xdot = A x + B delta tau,    A = [0 1; -M^-1 K  -M^-1 C],    B = [0; M^-1]          [Clover1996, II (40)]
#pragma once

#include <complex>
#include <vector>

#include <Eigen/Core>

namespace tactus::derive {

struct LinearMatrices {
  Eigen::MatrixXd M, C, K;
};

struct StateSpace {
  Eigen::MatrixXd A, B;
};

StateSpace state_space(const LinearMatrices& linear);

/// The eigenvalues of A, the largest real part first; of a pair the one with positive imaginary part first.
std::vector<std::complex<double>> eigenvalues(const StateSpace& system);

}  // namespace tactus::derive
