// Newton's matrix of a passive step, and its equations solved:
//
//   [ J   -A_m^T ] [ du1     ]   [ -r ]        J = d/du1 of M (u1 - u0) - h Q, by generated code (derive/linear/midpoint_terms.h)
//   [ A_1    0   ] [ dlambda ] = [ -g ]        A_m, A_1: rows of the constraints in the middle and at the end
//
// J falls into blocks of speeds that nothing but constraints couples: ten boxes are ten matrices of six. Each is factored by itself, and
// the rows by what is left for them,
//
//   S dlambda = -g + A_1 J^-1 r,      S = A_1 J^-1 A_m^T,      du1 = J^-1 (A_m^T dlambda - r)
//
// with complete pivoting, because rows may depend on others.
//
// What a hand does at ports is no part of the generated code. Its forces at the joints change with the place: that part, and no other, is
// found by differences, where there is a hand whose force is felt in J.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/math/elimination.h>
#include <tactus/math/square_factor.h>
#include <tactus/simulate/integrators/passive_step.h>
#include <tactus/simulate/integrators/passive_terms.h>
#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

class PassiveMatrix {
 public:
  explicit PassiveMatrix(const Chart& chart);

  /// A step begins at the chart's centre.
  void begin(const Chart& chart, double t);
  /// J of that step where its iteration stands; the chart's workspace is in its middle (t q u tau wrench). `whole`: with a gentle hand in it, too.
  void fill(Chart& chart, const PassiveStep& step, bool whole = false);
  /// An element of J, until factor().
  double at(std::size_t row, std::size_t column);
  /// False where J is singular.
  bool factor();
  /// With rows [m x nv] of the middle and of the end.
  void set_rows(std::size_t m, const double* middle, const double* end);
  /// du [nv] = J^-1 (..) and dlambda [m] for r [nv] and g [m].
  void solve(const double* r, const double* g, double* du, double* dlambda);

 private:
  struct Place {
    std::size_t block = 0, index = 0;
  };
  void fill_changes(const PassiveStep& step, const double* joint_rates, double* E, double* E_1) const;
  void fill_by_speeds(double c);
  void turn(const double* E, double* x) const;
  void add_outside(Chart& chart, double c, bool whole);
  void move_along(Chart& chart, int speed);
  void solve_blocks(double* x);

  const PassiveTerms& kernels_;
  std::size_t n_, nq_, inputs_, changes_;
  std::vector<Place> place_;        // [nv]
  std::vector<std::size_t> theta_;  // of each quaternion, where its entries of the chart are
  std::vector<double> in_, out_, mass_in_, mass_0_, mass_1_, work_;
  std::vector<math::SquareFactor> blocks_;
  std::vector<double> gathered_;  // of a block
  std::vector<double> middle_, unit_, outside_, nudged_,
      W_;  // of add_outside(): q, a speed of one, forces at the joints
  math::SquareFactor kinematics_;
  std::vector<double> column_, along_;  // of B, and of W + c D B

  std::size_t m_ = 0;
  const double* end_rows_ = nullptr;
  std::vector<double> Z_;  // [m x nv] J^-1 A_m^T, by columns
  math::Elimination elimination_;
  std::vector<double> right_, change_;
};

}  // namespace tactus::simulate
