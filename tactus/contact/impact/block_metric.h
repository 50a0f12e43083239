// The mass matrix of one block of speeds (derive::SpeedBlock) as a metric, with the bilateral constraints
// that act in the block taken out.
//
// With M = L L^T the speeds u become x = L^T u, in which kinetic energy is |x|^2 / 2 and a row r of
// velocities, r u, becomes z = L^-1 r^T: r u = z.x, and an impulse p along the row changes x by z p. The
// bilateral rows are made orthonormal, e_0, e_1, ... (those that depend on others drop out); what is left of
// a contact's row without them is z - sum e (e.z), along which impulses leave the bilateral rows alone.
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
  /// M^-1 y, in place; the bilateral rows have no part in it.
  void solve(double* y) const;
  /// A bilateral row [n] of the model, by its number there. The speeds shall change along it by `velocity`, the
  /// positions by `position`.
  void add_bilateral(int number, const double* row, double velocity, double position);
  std::size_t bilateral() const { return rank_; }
  /// The smallest changes x that give the bilateral rows what they ask for, added.
  void add_velocity_change(double* x) const { add_change(velocity_.data(), x); }
  void add_position_change(double* x) const { add_change(position_.data(), x); }
  /// z = L^-1 row^T [n], without the bilateral rows' part; in place.
  void whiten(double* row) const;
  /// u += L^-T x.
  void add_speeds(const double* x, double* u) const;
  /// The impulses of the bilateral rows that took part, lambda[number] (those of rows that depend on others
  /// are zero), where `others` [n] = sum J^T p are those of the contacts.
  void bilateral_impulses(const double* others, double* lambda) const;

 private:
  void add_change(const double* along, double* x) const;
  void lower_solve(double* x) const;

  std::size_t n_, rank_ = 0;
  std::vector<double> L_, inverse_, basis_, velocity_, position_;
  std::vector<double> triangle_;  // [rank x rank] row i of the basis' rows in terms of e_0 ... e_i
  std::vector<int> number_;
  mutable std::vector<double> z_;
  mutable std::vector<double> parts_;
};

}  // namespace tactus::contact
