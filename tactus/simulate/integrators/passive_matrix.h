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
// found by differences, where there is a hand.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <tactus/math/elimination.h>
#include <tactus/math/square_factor.h>
#include <tactus/simulate/integrators/passive_terms.h>
#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

class PassiveMatrix {
 public:
  explicit PassiveMatrix(const Chart& chart);

  /// J at the chart's workspace (t q u tau wrench in the middle), for a step h with this change of the speeds; half [nv]: the chart's
  /// coordinates of the middle.
  void fill(Chart& chart, double h, const double* du, const double* half);
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
  void fill_turns(const double* half);
  void fill_by_speeds(double c);
  void turn_rows(double* K, const double* joint_rates, double c) const;
  void add_outside(Chart& chart, double c);
  void move_along(Chart& chart, int speed);
  void solve_blocks(double* x);

  const PassiveTerms& kernels_;
  std::size_t n_, inputs_;
  std::vector<Place> place_;        // [nv]
  std::vector<int> of_quaternion_;  // [nv] the joint with a quaternion whose first speed it is; -1: none
  std::vector<std::size_t> theta_;  // of each quaternion, where its entries of the chart are
  std::vector<double> in_, out_, work_;
  std::vector<math::SquareFactor> blocks_;
  std::vector<double> gathered_;  // of a block
  std::vector<double> middle_, unit_, outside_, nudged_,
      W_;  // of add_outside(): q, a speed of one, forces at the joints
  math::SquareFactor kinematics_;
  std::vector<double> column_;

  std::size_t m_ = 0;
  const double* end_rows_ = nullptr;
  std::vector<double> Z_;  // [m x nv] J^-1 A_m^T, by columns
  math::Elimination elimination_;
  std::vector<double> right_, change_;
};

}  // namespace tactus::simulate
