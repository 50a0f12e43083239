// Contact with Coulomb's friction, as a problem in impulses (or forces) p and relative velocities (or
// accelerations) w at the contacts:
//
//   w = W p + b                                  W = G M^-1 G^T, symmetric, positive semidefinite
//   0 <= p_n - o  perpendicular to  w_n >= 0     o: the least impulse, zero but for Poisson's restitution
//   |p_t| <= mu p_n,   w_t /= 0:  p_t = -mu p_n w_t / |w_t|
//
// A contact has 1 row (n), 2 rows (n, t: planar friction) or 3 rows (n, t1, t2). With de Saxce's change of
// variables, w' = w + mu |w_t| e_n, the law of a contact (o = 0) is one complementarity between dual cones,
// K_mu = {|p_t| <= mu p_n} containing p and its dual containing w' [AcaryCadoux2013]. How far a pair (p, w)
// is from the law is measured by the natural map of the same law [AlartCurnier1991], in the unit of w:
//
//   f = (p - P(p - rho w)) / rho,    P_n(y) = max(o, y_n)
//                                    P_t(y) = the closest to y_t in the disk of radius mu P_n
//
// with rho = size / trace(W_ii), the mass that the contact feels.
#pragma once

#include <cstddef>
#include <span>

namespace tactus::contact {

/// How a contact is at a solution of the law.
enum class ConeMode : unsigned char { open, sticking, sliding };

/// All contacts of a small problem with its matrix.
struct ConeProblem {
  std::span<const int> size;      // [contacts] rows: 1, 2 or 3
  std::span<const double> mu;     // [contacts] unused for contacts of one row
  std::span<const double> least;  // [contacts] o, or empty: zero
  std::span<const double> W;      // [rows x rows]
  std::span<const double> b;      // [rows]
  // Size of the numbers whose difference b is: what is below the tolerance times it is rounding. 0: b's own.
  double scale = 0.0;
};

/// One contact by itself: w = W p + q; its matrix by rows of three.
struct LocalCone {
  int size = 3;
  double mu = 0.0;
  double least = 0.0;
  double W[9] = {};

  /// rho; zero where nothing that the contact does can move it.
  double mass() const {
    const double trace = W[0] + (size > 1 ? W[4] : 0.0) + (size > 2 ? W[8] : 0.0);
    return trace > 0.0 ? size / trace : 0.0;
  }
};

/// The law that contacts follow. Associated: p in K_mu and w, not w', in its dual, perpendicular. Slip then
/// lifts, w_n = mu |w_t|; but the problem of many contacts is convex (the least of p.Wp/2 + b.p over the
/// cones), has a solution wherever some motion meets the contacts, and never adds energy. The least impulse
/// has no part in it.
enum class ConeLaw : unsigned char { coulomb, associated, frictionless };

/// The impulse p [size] of one contact by itself, w = W p + q, that fulfils the law: in closed form, with one
/// scalar equation where it slides.
ConeMode solve_contact(const LocalCone& contact, const double* q, double* p);
void solve_associated_contact(const LocalCone& contact, const double* q, double* p);

/// One contact by itself, made ready for many solutions with other q: sweeps over many contacts spend most of
/// their time here.
class PreparedCone {
 public:
  PreparedCone() = default;
  explicit PreparedCone(const LocalCone& contact);

  /// As solve_contact(). `alpha`, zero at first, is the root of the scalar equation: the next solution, with a
  /// q that differs little, starts from it. The equation is solved to `accuracy`, by its terms.
  ConeMode solve(const double* q, double* p, double& alpha, double accuracy) const;

 private:
  friend ConeMode solve_contact(const LocalCone& contact, const double* q, double* p);
  ConeMode solve_spatial(const double* q, double* p, double& alpha, double accuracy) const;

  LocalCone contact_;
  bool rubs_ = false;
  // Of three rows: 1 / W_nn and W_nt / W_nn; the axes in which A is diagonal, its values, 1 / those, and
  // mu W_nt along them.
  double inverse_nn_ = 0.0, part_[2] = {};
  double cosine_ = 1.0, sine_ = 0.0, value_[2] = {}, inverse_[2] = {}, coupling_[2] = {};
};

/// The law as a projection of y = p - rho w: the impulse P [size] that it is mapped to, and where `slope` is
/// not null its derivative dP/dy [by rows of three]. The law holds where P(p - rho w) = p.
void project(const LocalCone& contact, ConeLaw law, const double* y, double* P, double* slope);

/// The natural map f [size] at (p, w) and its length; rho as above.
double natural_map(const LocalCone& contact, ConeLaw law, double rho, const double* p, const double* w,
                   double* f);

/// The nearest impulse that friction allows: p_n >= o, then |p_t| <= mu p_n.
void clip_impulse(const LocalCone& contact, double* p);

}  // namespace tactus::contact
