#include <tactus/derive/linear/partition.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/decompositions.h>

namespace tactus::derive {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Of rows of size one: what is left of a row that follows from the others.
constexpr double kFollows = 1e-9;

}  // namespace

Partition partition(const MatrixXd& X, const std::vector<double>& weight) {
  Partition result;
  MatrixXd work = X;
  for (Index i = 0; i < work.rows(); ++i) {
    const double size = work.row(i).cwiseAbs().maxCoeff();
    if (size > 0.0) work.row(i) /= size;
  }
  std::vector<char> row_used(static_cast<std::size_t>(X.rows()), 0);
  std::vector<char> column_used(static_cast<std::size_t>(X.cols()), 0);
  for (;;) {
    Index row = -1, column = -1;
    double best = 0.0;
    for (Index i = 0; i < X.rows(); ++i) {
      if (row_used[static_cast<std::size_t>(i)]) continue;
      for (Index j = 0; j < X.cols(); ++j) {
        const double w = weight[static_cast<std::size_t>(j)];
        if (w == 0.0 || column_used[static_cast<std::size_t>(j)] || std::abs(work(i, j)) <= kFollows)
          continue;
        // Later columns win where elements differ by rounding only.
        if (std::abs(work(i, j)) * w < best * (1.0 - 1e-9)) continue;
        best = std::max(best, std::abs(work(i, j)) * w);
        row = i;
        column = j;
      }
    }
    if (row < 0) break;
    row_used[static_cast<std::size_t>(row)] = 1;
    column_used[static_cast<std::size_t>(column)] = 1;
    result.rows.push_back(static_cast<int>(row));
    result.dependent.push_back(static_cast<int>(column));
    for (Index i = 0; i < X.rows(); ++i) {
      if (row_used[static_cast<std::size_t>(i)]) continue;
      work.row(i) -= work(i, column) / work(row, column) * work.row(row);
      work(i, column) = 0.0;
    }
  }
  for (Index i = 0; i < X.rows(); ++i)
    if (!row_used[static_cast<std::size_t>(i)] && work.cols() > 0 &&
        work.row(i).cwiseAbs().maxCoeff() > kFollows)
      result.stuck = static_cast<int>(i);
  std::sort(result.rows.begin(), result.rows.end());
  std::sort(result.dependent.begin(), result.dependent.end());
  for (Index j = 0; j < X.cols(); ++j)
    if (!column_used[static_cast<std::size_t>(j)]) result.independent.push_back(static_cast<int>(j));
  return result;
}

MatrixXd part_of(const MatrixXd& X, const std::vector<int>& rows, const std::vector<int>& columns) {
  return X(rows, columns);
}

MatrixXd solved_for_dependent(const MatrixXd& X, const Partition& parts) {
  if (parts.dependent.empty()) return MatrixXd::Zero(0, static_cast<Index>(parts.independent.size()));
  return -part_of(X, parts.rows, parts.dependent)
              .partialPivLu()
              .solve(part_of(X, parts.rows, parts.independent));
}

}  // namespace tactus::derive
