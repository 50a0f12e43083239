// Forces of few contacts with Coulomb's friction, from a matrix R that tells how the ways of all answer (pressed_contacts.h):
//
//   e_n + sum R df >= 0   perpendicular to   f_n >= 0,        e_t + sum R df = 0 where |f_t| < mu f_n, else along -f_t
//
// First by sets: contacts are open, stick or slide as they did; the forces of all that are closed follow from one system of equations; one that does not fit its
// set changes it, the worst first, until all fit. R need not be positive: a column that is pressed from both ends gives way to each force alone, and stands only under all of them.
//
// Where the sets go round in circles, as those of a box on four corners may, whose rows depend on each other: contact by contact, in sweeps (projected Gauss-Seidel).
#pragma once

#include <cstddef>
#include <vector>

#include <tactus/math/elimination.h>

namespace tactus::contact {

class PressSolver {
 public:
  explicit PressSolver(std::size_t most);

  struct Contact {
    std::size_t rows = 1;                                // the normal, then two tangents
    double mu = 0.0;                                     // of friction
    double force[3] = {};                                // [N]
    double excess[3] = {};                               // [m] e, with these forces
    double force_before[3] = {}, excess_before[3] = {};  // before the last solve()
  };
  void begin(std::size_t count) { count_ = count; }
  Contact& operator[](std::size_t i) { return contacts_[i]; }
  const Contact& operator[](std::size_t i) const { return contacts_[i]; }
  /// [m/N] How the way of row (i, r) answers the force of row (k, s).
  double& answer(std::size_t i, std::size_t r, std::size_t k, std::size_t s) {
    return R_[(3 * k + s) * width_ + 3 * i + r];
  }
  /// The answers fit what came of the last change of forces: their own, and along it what the excess says (Broyden's method). Of a step that is not quite linear.
  void learn();
  /// New forces, to an excess of this size [m]; false where none were found, and the old ones stay.
  bool solve(double enough);

 private:
  enum class Set : char { open, sticks, slides };
  struct Working {
    Set set = Set::open;
    double slide[3] = {};  // direction of friction, where it slides
    double force[3] = {};
  };
  bool solve_by_sets(double enough);
  bool solve_by_sweeps(double enough);
  void choose_sets(double enough);
  void start_from_sets();
  void close();
  bool change_a_set(double enough);
  void push(std::size_t i, std::size_t r, double df);
  double column(std::size_t row, std::size_t i, std::size_t r) const;

  std::size_t width_, count_ = 0;
  std::vector<Contact> contacts_;
  std::vector<Working> working_;
  std::vector<double> R_, e_;
  std::vector<std::size_t> equations_;  // rows 3 i + r of contacts that are closed
  math::Elimination elimination_;
  std::vector<double> right_, change_;
};

}  // namespace tactus::contact
