// One search for a steady motion: what may change, what must vanish, and the ways to get there.
//
// Unknowns y: displacements of independent coordinates, independent speeds, forces at actuators. In a steady motion the independent
// accelerations udot vanish, and the motion qd leads along symmetries: to where everything accelerates as it does here, at these speeds
// and at any others. With P(q, u) = d(udot)/dq at constant independent speeds, and Pi the projection onto the rows of
// P(q, v_1), ..., P(q, v_K), at speeds v_k chosen once,
//
//   r(y) = (udot, Pi qd) = 0
//
// The rate of the own accelerations, P(q, u) qd, is not enough. A cart that goes straight does not accelerate by a small angle of its
// caster: udot is of second order in it, its rate too, and Newton's method finds an angle of nothing only in the limit. At speeds v
// at which the cart turns that angle does matter, and Pi qd says that it must not change.
//
// Where no weight acts, udot is homogeneous in the speeds, of degree two: r(c u) = c^2 r(u). Then J u = 2 r, and Newton's step is -u/2,
// whatever the mechanism: it always ends at rest. The steady motions of such a mechanism are families, c u with u, and J is singular on them:
// what leads there are regularised steps,
//
//   (J^T J + mu) y = -J^T r,     mu = |J| |r| / (size of the speeds)
//
// which converge to a point of a family as fast as Newton's to a point that stands alone, as long as |r| grows with the distance
// from the family [YamashitaFukushima2001]. Along the family the point is then moved to where it is nearest to the start.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <tactus/simulate/linear/linearization.h>

namespace tactus::simulate {

struct Linearization::Implementation::Search {
  enum class Rows {
    at_rest,  // udot, all speeds zero
    own,      // udot, P(q, u) qd
    shape,    // udot, Pi qd
  };
  /// A point on the way: y is counted from the start, the sum of all steps.
  struct Place {
    Instant at;
    VectorXd y, r;
    bool found = false;
  };

  // steady_rows.cpp
  Search(Implementation& of, const Instant& start, const SteadySearch& asked, Rows rows);
  Place at_start();
  Instant moved(const Instant& from, const VectorXd& y) const;
  VectorXd residual(const Instant& from);
  /// Pi qd: what of the motion leads along no symmetry.
  VectorXd rates_of_shape(const Instant& from);
  MatrixXd slopes(const Instant& from);
  /// What is left of accelerations, and of their rates, is rounding.
  bool vanishes(const VectorXd& r, const Instant& at) const;
  bool accelerations_vanish(const VectorXd& r, const Instant& at) const;
  /// Names of the unknowns: coordinates, speeds (as rates), forces.
  std::vector<std::string> names() const;

  /// Of accelerations or, where these vanish, of their rates, in words.
  std::string what_is_left(const Place& place);

  // steady_ways.cpp
  /// At rest: downhill, then by Newton's method.
  void go_to_rest(Place& place);
  void go_by_newton(Place& place);
  /// Marks the unknown that the next way keeps: none for 0, then the fastest speed that may change, the next one ... False where
  /// there are no so many.
  bool keep_moving(std::size_t k);
  /// Regularised steps, then nearer; Newton's method, then nearer.
  void go_to_family(Place& place);
  void go_alone(Place& place);
  /// Along the accelerations to where weight and springs lead.
  void go_downhill(Place& place);
  /// Regularised steps; marked unknowns stay.
  void go_regularised(Place& place, const std::vector<char>& staying = {});
  /// Along the family of the place to where it is nearest to the start.
  void go_nearer(Place& place);
  /// By which unknowns the family of the place can be told, those of `ignorable` coordinates left out.
  /// `is_steady` looks further along.
  std::vector<std::string> family(const Place& place, const std::vector<std::string>& ignorable,
                                  const std::function<bool(const Instant&)>& is_steady);

  Implementation& self;
  Rows rows;
  Instant start;
  std::vector<int> free_q, free_u, free_tau;
  Index size = 0, p_u = 0;
  double fastest = 1.0;          // at the start
  std::vector<VectorXd> others;  // v_k, of the independent speeds
  std::vector<char> kept;        // by go_to_family, until it has found one
};

}  // namespace tactus::simulate
