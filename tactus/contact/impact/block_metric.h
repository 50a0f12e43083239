// The mass matrix of one block of speeds (derive::SpeedBlock) as a metric, with the bilateral constraints
// that act in the block taken out.
//
// With M = L L^T and x = L^T u, a row r becomes z = L^-1 r. The bilateral rows are made orthonormal,
// e_0, e_1, ... (redundant ones drop out). What is left of a contact's row without them, and by how much an
// impulse p along it changes the speeds:
//
//   z_c = z - sum_k e_k (e_k.z),    du = Y p,   Y = L^-T z_c
#pragma once

#include <cstddef>
#include <vector>

namespace tactus::contact {

class BlockMetric {
 public:
  /// Memory for n speeds and that many bilateral rows; nothing is allocated afterwards.
  BlockMetric(std::size_t n, std::size_t most_bilateral);

  std::size_t size() const { return n_; }
  /// At a mass matrix [n x n], without rows. False where it is not positive definite.
  bool factor(const double* M);
  /// M^-1 x, in place; the bilateral rows have no part in it.
  void solve(double* x) const;
  /// A bilateral row [n]. The speeds shall change along it by `velocity`, the positions by `position`.
  void add_bilateral(const double* row, double velocity, double position);
  std::size_t bilateral() const { return rank_; }
  /// Adds the smallest changes that give the bilateral rows what they ask for.
  void add_velocity_change(double* du) const { add_change(velocity_.data(), du); }
  void add_position_change(double* dq) const { add_change(position_.data(), dq); }
  /// After all bilateral rows, before responses.
  void finish();
  /// Y = M_c^-1 row^T [n].
  void response(const double* row, double* Y) const;

 private:
  void solve_response(const double* row, double* Y) const;
  void add_change(const double* along, double* change) const;

  std::size_t n_, rank_ = 0;
  std::vector<double> L_, inverse_, basis_, velocity_, position_;
  mutable std::vector<double> z_;
  std::vector<double> parts_;
};

}  // namespace tactus::contact
