// Parametric coordinates [Faulring2006, (14)-(16), Algorithm 1]: the mechanism's place is given by parameters
// z that satisfy the holonomic constraints by themselves,
//
//   q = psi(z, t),    u = T zd + s,    udot = T zdd + b
//   (T^T M T) zdd = T^T (Q - M b) + (A T)^T lambda,    (A T) zdd = gamma - A b
//
// where the last terms are left only for rows that psi does not satisfy, those of rolling
// (derive/constraints/parametric.h). The paper goes by the task's coordinates x = psi(z) = phi(q) and finds udot by
// multipliers first, then xdd (14) and zdd (16); the result is the same. What z cannot leave needs no
// projection, at any step length.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/formulation.h>
#include <tactus/simulate/constraints/mass_metric.h>

namespace tactus::simulate {

/// A parameter whose inertia is below this part of its natural one moves nothing: T has lost its rank.
/// Rounding divided by it is the error of zdd. The reciprocal, upwards, is where T has become infinite.
inline constexpr double kSingularParameter = 1e-10;

/// The constant part: kernels and sizes.
struct Parametric {
  std::vector<std::string> names;  // [nz]
  std::vector<double> start;       // [nz] where the model begins
  std::vector<double> inertia;     // [nz] natural size: the mean diagonal of T^T M T
  std::vector<char> left;          // [m] rows that psi does not satisfy
  std::vector<char> rows;  // [m] rows that `dynamics` holds: left, active at the start and independent

  generate::Kernel place;     // t z -> q J: J = dq/dz
  generate::Kernel motion;    // t z zd -> q u T b
  generate::Kernel dynamics;  // t z zd tau wrench -> zdd udot qdot compliances distances pivots

  std::size_t size() const { return names.size(); }
};

/// Null where the model gives no psi. The dynamics must be complete otherwise, with their constraints.
std::shared_ptr<const Parametric> compile_parametric(const derive::Equations& equations,
                                                     const Dynamics& dynamics, generate::Backend backend);

/// Throws InputError where the model gives no psi.
void require_parametric(const Dynamics& dynamics);

/// The fourth formulation: like the others, once the tangent is given.
class ParametricSolver : public FormulationSolver {
 public:
  ParametricSolver(std::size_t n, std::size_t most_rows, std::size_t nz);

  /// T [n x nz], b [n] and the rows left [m] at the place of the next problem.
  void set_tangent(const double* T, const double* b, const std::vector<char>& left);
  bool solve(const ConstrainedProblem& problem, ConstrainedMotion& motion) override;
  const std::vector<double>& zdd() const { return reduced_motion_.udot; }
  /// Of the rows left, in order: whether the row depends on others of them.
  const std::vector<char>& redundant_among_left() const { return reduced_motion_.redundant; }

 private:
  std::size_t n_, nz_;
  std::vector<double> T_, b_, M_, Q_, A_, gamma_, scale_, MT_, f_, size_;
  std::vector<char> left_;
  std::unique_ptr<FormulationSolver> reduced_;
  ConstrainedMotion reduced_motion_;
  math::RowFactor rows_;
};

/// z and zd of one motion, and what follows from them. No allocation after the constructor.
class Parametrization {
 public:
  /// The dynamics, which have constraints and psi, must outlive it.
  explicit Parametrization(const Dynamics& dynamics);

  const Parametric& parametric() const { return parametric_; }
  const double* z() const { return z_.data(); }
  const double* zd() const { return zd_.data(); }

  void place(double t, const double* z, const double* zd);
  /// Of the last place().
  const double* q() const { return out_.data(); }
  const double* u() const { return out_.data() + nq_; }
  const double* T() const { return out_.data() + nq_ + nv_; }
  const double* b() const { return out_.data() + nq_ + nv_ + nv_ * nz_; }

  /// Finds and places the z and zd that give q and u. The velocity is the nearest one, in the metric of M.
  /// False where no place of psi is as near to q as kLocated.
  bool locate(double t, const double* q, const double* u);
  /// The same; throws InputError that names the coordinate where there is none.
  void require(double t, const double* q, const double* u);
  /// Like require(), and the speeds must be of a motion that psi allows.
  void require_motion(double t, const double* q, const double* u);

  /// zd <- zd + (the smallest change, in the metric of T^T M T, that meets these rows, which psi leaves), at
  /// the present place. False where there is no solution.
  bool agree(const std::vector<std::size_t>& rows);

  /// q within this of psi(z) [rad, m] is taken for it.
  static constexpr double kLocated = 1e-6;

 private:
  bool search(double t, const double* q, const double* from);
  double misfit(double t, const double* q, const double* z);
  bool velocity(const double* u);
  void inertia_at_place();

  const Dynamics& dynamics_;
  const Parametric& parametric_;
  std::size_t nq_, nv_, nz_;
  double t_ = 0.0;
  bool placed_ = false;
  std::vector<double> z_, zd_, in_, out_, work_;
  std::vector<double> place_in_, place_out_, trial_, best_, rhs_, normal_, residual_;  // of locate()
  double best_misfit_ = 0.0;
  std::vector<double> best_residual_;
  ConstraintTerms terms_;
  std::vector<double> M_, MT_, A_, scale_, error_;  // of agree()
  MassMetric metric_;
};

}  // namespace tactus::simulate
