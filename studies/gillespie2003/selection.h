// Which speeds are independent: by singular values and a look at the rows of V [Gillespie2003, (43);
// Reckdahl1997]. A choice is kept until another is much better. The choice that the formulation `embedding`
// makes is its own: contact::SpeedChoice.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Dense>

namespace tactus::studies::gillespie {

using Dependent = std::vector<Eigen::Index>;  // speeds, sorted

/// A choice is kept while the condition of its columns is at most this many times that of the best.
inline constexpr double kMuchBetter = 10.0;

inline Eigen::MatrixXd columns(const Eigen::MatrixXd& A, const Dependent& set) {
  Eigen::MatrixXd some(A.rows(), static_cast<Eigen::Index>(set.size()));
  for (std::size_t k = 0; k < set.size(); ++k) some.col(static_cast<Eigen::Index>(k)) = A.col(set[k]);
  return some;
}

inline double condition(const Eigen::MatrixXd& A) {
  const Eigen::VectorXd s = A.jacobiSvd().singularValues();
  return s[0] / s[s.size() - 1];
}

/// The rows of the null space's basis that are furthest from each other are the independent speeds.
inline Dependent by_singular_values(const Eigen::MatrixXd& A) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A, Eigen::ComputeFullV);
  Eigen::MatrixXd rows = svd.matrixV().rightCols(A.cols() - A.rows());
  std::vector<char> free(static_cast<std::size_t>(A.cols()), 0);
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    Eigen::Index largest = 0;
    rows.rowwise().squaredNorm().maxCoeff(&largest);
    free[static_cast<std::size_t>(largest)] = 1;
    const Eigen::VectorXd direction = rows.row(largest).transpose().normalized();
    rows -= rows * direction * direction.transpose();
  }
  Dependent set;
  for (Eigen::Index i = 0; i < A.cols(); ++i)
    if (free[static_cast<std::size_t>(i)] == 0) set.push_back(i);
  return set;
}

/// udot of M udot = Q + A^T lambda, A udot = gamma, by the equations in the independent speeds.
inline Eigen::VectorXd embedded(const Eigen::MatrixXd& A, const Eigen::MatrixXd& M, const Eigen::VectorXd& Q,
                                const Eigen::VectorXd& gamma, const Dependent& dependent) {
  const Eigen::Index n = A.cols(), m = A.rows();
  Dependent free;
  for (Eigen::Index i = 0; i < n; ++i)
    if (!std::binary_search(dependent.begin(), dependent.end(), i)) free.push_back(i);
  const Eigen::PartialPivLU<Eigen::MatrixXd> solver(columns(A, dependent));
  const Eigen::MatrixXd part = solver.solve(columns(A, free));
  const Eigen::VectorXd rest = solver.solve(gamma);
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(n, n - m);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(n);
  for (std::size_t k = 0; k < free.size(); ++k) T(free[k], static_cast<Eigen::Index>(k)) = 1.0;
  for (std::size_t k = 0; k < dependent.size(); ++k) {
    T.row(dependent[k]) = -part.row(static_cast<Eigen::Index>(k));
    g[dependent[k]] = rest[static_cast<Eigen::Index>(k)];
  }
  return T * (T.transpose() * M * T).ldlt().solve(T.transpose() * (Q - M * g)) + g;
}

struct Tally {
  Dependent now;
  int chosen = 0;  // how often
  double worst = 0.0;

  /// Keeps what it has until the best is much better.
  void follow(const Eigen::MatrixXd& A, const Dependent& best) {
    const bool keeps =
        now.size() == best.size() && condition(columns(A, now)) <= kMuchBetter * condition(columns(A, best));
    take(A, keeps ? now : best);
  }
  /// What another has chosen.
  template <class Set>
  void take(const Eigen::MatrixXd& A, const Set& set) {
    const Dependent taken(set.begin(), set.end());
    chosen += taken != now ? 1 : 0;
    now = taken;
    const double here = condition(columns(A, now));
    worst = std::isfinite(here) ? std::max(worst, here) : std::numeric_limits<double>::infinity();
  }
};

}  // namespace tactus::studies::gillespie
