#include <tactus/simulate/linear/ignorable.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/decompositions.h>

namespace tactus::simulate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// By the largest element: of an exact zero rounding leaves some 1e-16. Small, because a stiffness that passes through zero (where a vehicle
/// begins to capsize) is no symmetry: it shall look like one only where it is zero to rounding.
constexpr double kZero = 1e-13;
/// The basis has lost some digits to the rest of the matrix.
constexpr double kAlong = 1e-10;

/// Elements below this part of the largest are zeros with rounding in them.
constexpr double kDust = 1e-14;

MatrixXd without_dust(const MatrixXd& X) {
  if (X.size() == 0) return X;
  const double least = kDust * X.cwiseAbs().maxCoeff();
  return X.unaryExpr([least](double x) { return std::abs(x) <= least ? 0.0 : x; });
}

/// An orthonormal basis of the kernel.
MatrixXd kernel_of(const MatrixXd& X, double size) {
  const Index n = X.cols();
  if (n == 0 || X.rows() == 0) return MatrixXd::Identity(n, n);
  const Eigen::JacobiSVD<MatrixXd> svd(X, Eigen::ComputeFullV);
  Index rank = 0;
  while (rank < svd.singularValues().size() && svd.singularValues()[rank] > kZero * size) ++rank;
  return svd.matrixV().rightCols(n - rank);
}

/// By the size of E on S: the real part of an eigenvalue is zero. Of a threefold zero rounding leaves 1e-5.
constexpr double kNeutral = 1e-4;

/// The part of an invariant subspace on which nothing grows or fades. A displacement that is one of a symmetry stays as large as it
/// is; one that grows or fades by itself (the angle of a caster, that of a trailer) is none, though nothing accelerates by it.
///   With p(x) the product of (x - lambda) over the eigenvalues of E_S that are not neutral, it is the range of p(E_S).
MatrixXd neutral_part(const MatrixXd& S, const MatrixXd& E) {
  const MatrixXd E_s = S.transpose() * E * S;
  const double size = E_s.size() > 0 ? E_s.cwiseAbs().maxCoeff() : 0.0;
  if (size == 0.0) return S;
  const Eigen::VectorXcd values = Eigen::EigenSolver<MatrixXd>(E_s, false).eigenvalues();
  const Index d = S.cols();
  Eigen::MatrixXcd p = Eigen::MatrixXcd::Identity(d, d);
  Index others = 0;
  for (Index k = 0; k < d; ++k) {
    if (std::abs(values[k].real()) <= kNeutral * size) continue;
    p = (E_s / size - values[k] / size * Eigen::MatrixXcd::Identity(d, d)) * p;
    ++others;
  }
  if (others == 0) return S;
  const Eigen::JacobiSVD<MatrixXd> svd(p.real(), Eigen::ComputeFullU);
  return S * svd.matrixU().leftCols(d - others);
}

}  // namespace

Ignorable find_ignorable(const MatrixXd& given_E, const MatrixXd& given_P) {
  // Zeros first: else rounding in a column of zeros tilts the kernel where another direction has nearly no stiffness.
  const MatrixXd E = without_dust(given_E), P = without_dust(given_P);
  const Index p = E.cols();
  const double size_P = P.size() > 0 ? P.cwiseAbs().maxCoeff() : 0.0;
  const double size_E = E.size() > 0 ? E.cwiseAbs().maxCoeff() : 0.0;
  MatrixXd S = size_P > 0.0 ? kernel_of(P, size_P) : MatrixXd::Identity(p, p);
  while (S.cols() > 0 && size_E > 0.0) {
    const MatrixXd moved_out = E * S - S * (S.transpose() * E * S);
    const MatrixXd stay = kernel_of(moved_out, size_E);
    if (stay.cols() == S.cols()) break;
    S = S * stay;
  }
  S = neutral_part(S, E);
  // [1; along]: eliminated coordinates by pivoting over the rows of S.
  Ignorable result;
  MatrixXd work = S;
  std::vector<char> taken(static_cast<std::size_t>(p), 0);
  for (Index column = 0; column < S.cols(); ++column) {
    Index row = 0, at = 0;
    double best = 0.0;
    for (Index i = 0; i < p; ++i)
      for (Index j = column; j < S.cols(); ++j)
        if (!taken[static_cast<std::size_t>(i)] && std::abs(work(i, j)) > best * (1.0 + 1e-6)) {
          best = std::abs(work(i, j));
          row = i;
          at = j;
        }
    work.col(at).swap(work.col(column));
    work.col(column) /= work(row, column);
    for (Index j = 0; j < S.cols(); ++j)
      if (j != column) work.col(j) -= work(row, j) * work.col(column);
    taken[static_cast<std::size_t>(row)] = 1;
    result.eliminated.push_back(static_cast<int>(row));
  }
  for (Index i = 0; i < p; ++i)
    if (!taken[static_cast<std::size_t>(i)]) result.kept.push_back(static_cast<int>(i));
  // In the order of the coordinates.
  std::vector<Index> order(result.eliminated.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<Index>(k);
  std::sort(order.begin(), order.end(), [&](Index x, Index y) {
    return result.eliminated[static_cast<std::size_t>(x)] < result.eliminated[static_cast<std::size_t>(y)];
  });
  std::sort(result.eliminated.begin(), result.eliminated.end());
  result.along.resize(static_cast<Index>(result.kept.size()), S.cols());
  for (Index i = 0; i < result.along.rows(); ++i)
    for (Index j = 0; j < result.along.cols(); ++j) {
      const double x = work(result.kept[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(j)]);
      result.along(i, j) = std::abs(x) < kAlong ? 0.0 : x;
    }
  return result;
}

}  // namespace tactus::simulate
