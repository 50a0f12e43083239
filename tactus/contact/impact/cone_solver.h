// Small contact problems (cone complementarity problems), to rounding where that can be had: sweeps that
// solve each contact exactly with the others held (block Gauss-Seidel), which find who sticks, slides and
// leaves, and Newton's method on the natural map (semismooth), which then ends in a few steps; where it does
// not, small planar problems are solved by pivoting. Where a
// contact problem is redundant (a box on four corners) the impulses are one of many; the velocities are what
// the law determines.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include <tactus/contact/impact/cone_problem.h>
#include <tactus/contact/impact/planar_solver.h>
#include <tactus/math/elimination.h>

namespace tactus::contact {

struct ConeOptions {
  // Of the natural map, by the size of the terms in w = W p + b: some hundred roundings.
  double tolerance = 1e-13;
  int most_sweeps = 1000;      // 8 are enough for most
  int most_newton_steps = 12;  // in a row, between sweeps
  bool fall_back = true;       // to other laws, where Coulomb's is not reached
};

struct ConeResult {
  bool converged = false;  // to Coulomb's law
  // The law that p and w fulfil. Where Coulomb's is not reached (about one in a thousand of random problems
  // that are redundant and have friction up to 2) the associated law, then no friction, stand in: they add no
  // energy and leave nothing closing either.
  ConeLaw law = ConeLaw::coulomb;
  double residual = 0.0;  // largest natural map of a contact, in the unit of w
  double scale = 0.0;     // of the terms in w
  int sweeps = 0;
  int newton_steps = 0;
  long work = 0;  // in multiplications, about
};

class ConeSolver {
 public:
  /// Memory for that many contacts of up to three rows; nothing is allocated afterwards.
  explicit ConeSolver(std::size_t most_contacts, ConeOptions options = {});

  std::size_t most_contacts() const { return most_contacts_; }
  const ConeOptions& options() const { return options_; }
  /// From the next problem on.
  void set_most_sweeps(int most) { options_.most_sweeps = most; }
  void set_fall_back(bool yes) { options_.fall_back = yes; }
  /// ConeResult::work that a problem may take; what is not solved by then is as where sweeps run in a circle. The laws
  /// that stand in add no energy also where they are not solved to the end: their sweeps descend.
  void set_most_work(long most) { most_work_ = most; }

  /// p [rows] holds a guess and becomes the solution, or the best found; w [rows] = W p + b.
  ConeResult solve(const ConeProblem& problem, std::span<double> p, std::span<double> w);

  /// How the contacts of the last problem are.
  std::span<const ConeMode> modes() const { return {modes_.data(), contacts_.size()}; }

 private:
  struct Contact {
    LocalCone local;
    double rho = 0.0;
    std::size_t row = 0;
    double slope[9] = {};  // of the projection, for Newton's method
  };

  void begin(const ConeProblem& problem);
  void velocities(const ConeProblem& problem, const double* p, double* w);
  double residual(ConeLaw law, const double* p, const double* w);
  bool measure(const ConeProblem& problem, ConeLaw law, ConeResult& result, double* p, double* w);
  void sweep(const ConeProblem& problem, ConeLaw law, bool forward, double* p, double* w);
  bool newton_step(const ConeProblem& problem, ConeLaw law, double* p, const double* w);
  bool newton(const ConeProblem& problem, ConeLaw law, ConeResult& result, double* p, double* w);
  /// With the most_work / share of it.
  bool solve_by(ConeLaw law, long share, const ConeProblem& problem, ConeResult& result, double* p,
                double* w);
  bool solve_planar(const ConeProblem& problem, ConeResult& result, double* p, double* w);
  void fall_back(const ConeProblem& problem, ConeResult& result, double* p, double* w);
  void find_modes(const double* p, const double* w);

  std::size_t most_contacts_;
  ConeOptions options_;
  long most_work_ = std::numeric_limits<long>::max(),
       work_limit_ = 0;  // of a problem; of the law that is tried
  std::vector<Contact> contacts_;
  std::vector<ConeMode> modes_;
  std::size_t rows_ = 0;
  double scale_ = 0.0;
  std::vector<double> f_, p_try_, w_try_, p_best_, p_from_, p_swept_, step_;
  math::Elimination elimination_;
  PlanarSolver planar_;
  std::vector<std::size_t> places_, owners_;  // of the rows that Newton's step moves; contact of a row
};

}  // namespace tactus::contact
