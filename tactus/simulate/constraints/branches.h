// Velocities in singular configurations.
//
// Where rows depend on each other, n^T A = 0, a velocity that they allow, A u + c = 0, need not belong to any
// motion: the accelerations need
//
//   n^T gamma(t, q, u) = 0
//
// as well, a quadratic equation of u. Its solutions are the branches that meet there (two lines for a
// four-bar that lies flat), or nothing but rest (a row that vanishes and cannot change its sign). The
// solution nearest to a given velocity, in the metric of the mass matrix, is found by Newton's method: as in
// an impact, the rest of the velocity is lost. Rows that are redundant everywhere say nothing new: their part
// of n^T gamma is always zero.
#pragma once

#include <vector>

#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/mass_metric.h>

namespace tactus::simulate {

class Branches {
 public:
  /// Memory for all rows; nothing is allocated afterwards. The dynamics must outlive it.
  Branches(const Dynamics& dynamics, const Constraints& constraints);

  struct Outcome {
    bool found = true;  // whether u now belongs to a branch; else it stays what it was
    double lost = 0.0;  // part of the kinetic energy that the change of u has
  };
  /// Moves u, which agrees with these rows, to the nearest branch. Speeds that are kept[i] stay (may be
  /// null).
  Outcome settle(double t, const double* q, double* u, const std::vector<std::size_t>& rows,
                 const char* kept = nullptr);

 private:
  bool place(double t, const double* q, const double* u, const std::vector<std::size_t>& rows,
             const char* kept);
  /// n^T gamma of each dependent row, by the rows' sizes; the largest.
  double contradiction(double t, const double* q, const double* u, const std::vector<std::size_t>& rows,
                       double* g);

  std::size_t nv_;
  const Constraints& constraints_;
  ConstraintTerms terms_;
  MassMetric first_, both_;  // rows of the first level, of both levels
  ConstrainedProblem problem_;
  math::LazyZeros<double> M_, A_, both_A_;
  std::vector<std::size_t> placed_;  // rows that A_ has entries of
  std::vector<double> scale_, gamma_, y_, both_scale_, error_;
  std::vector<double> g_, above_, below_, near_, best_, before_, du_;
};

}  // namespace tactus::simulate
