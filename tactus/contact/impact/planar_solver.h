// Small planar contact problems by pivoting. With one tangent per contact Coulomb's law is a linear
// complementarity problem: with p_t = f - g, and s the size of the slip,
//
//   0 <= p_n - o        perpendicular to   w_n        >= 0
//   0 <= f              perpendicular to   s + w_t    >= 0
//   0 <= g              perpendicular to   s - w_t    >= 0
//   0 <= s              perpendicular to   mu p_n - f - g >= 0
//
// Lemke's method walks from basis to basis and ends at a solution wherever the matrix is copositive and b
// comes from a motion before the impact [StewartTrinkle1996], also where sweeps run in a circle and Newton's
// method meets the edge between two modes. Redundant contacts have ties between rows by nature, and rounding
// would break them this way and that: the right sides are moved up, each by another small amount. That keeps
// the walk from going in a circle and from ending on a ray (there z.q = 0, and above it once q is moved up).
// The basis found is then solved with the right sides as they were.
#pragma once

#include <cstddef>
#include <vector>

#include <tactus/contact/impact/cone_problem.h>

namespace tactus::contact {

class PlanarSolver {
 public:
  /// A tableau of so many contacts still fits the fast memory; larger problems are left to the sweeps.
  static constexpr std::size_t kMostContacts = 12;

  explicit PlanarSolver(std::size_t most_contacts);

  /// Whether the problem is of its kind: no contact of three rows, and not too many.
  bool takes(const ConeProblem& problem) const;

  /// p [rows]: the solution to some roundings of its pivots. False where the walk ends on a ray or takes too
  /// long; p is then as it was.
  bool solve(const ConeProblem& problem, double* p);

 private:
  void fill(const ConeProblem& problem);
  std::size_t leaving(std::size_t column) const;
  void pivot(std::size_t row, std::size_t column);
  double* line(std::size_t row) { return tableau_.data() + row * columns_; }
  const double* line(std::size_t row) const { return tableau_.data() + row * columns_; }

  std::size_t most_contacts_;
  std::size_t n_ = 0, columns_ = 0;  // unknowns; columns: n slacks, n unknowns, the artificial one, the right
  std::vector<double> tableau_;      // [n x columns]
  std::vector<double> given_;        // [n] right sides as they were
  std::vector<std::size_t> basis_;   // column of each row
  std::vector<std::size_t> first_;   // row of each contact in W
  std::vector<std::size_t> unknown_;  // first unknown of each contact
  std::vector<double> mass_;          // rho of each contact: impulses are counted in it
};

}  // namespace tactus::contact
