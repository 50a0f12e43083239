// Parametric coordinates [Faulring2006, (14)-(16), Algorithm 1]: the mechanism's place is given by
// coordinates z that satisfy the holonomic constraints by themselves,
//
//   phi(q) = x = psi(z),    J_phi u = J_psi zd,    J_phi udot + Jd_phi u = J_psi zdd + Jd_psi zd
//
// x: coordinates of the task; phi is the mechanism's kinematics (the identity where psi gives q itself). With
// T = J_phi^+ J_psi and b = J_phi^+ (Jd_psi zd - Jd_phi u):
//
//   u = T zd,    udot = T zdd + b,    (T^T M T) zdd = T^T (Q - M b) + (A T)^T lambda',    A T zdd = gamma - A
//   b
//
// where the last terms are left only for rows that psi does not satisfy, those of rolling. The paper finds
// udot by multipliers first, then xdd (14) and zdd (16); the result is the same. What z cannot leave needs no
// projection, at any step length.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tactus/algebra/function.h>
#include <tactus/math/row_factor.h>
#include <tactus/simulate/constraints.h>
#include <tactus/simulate/dynamics.h>
#include <tactus/simulate/formulation.h>

namespace tactus::simulate {

/// The fourth formulation: like the others, once the tangent is given.
class ParametricSolver : public FormulationSolver {
 public:
  ParametricSolver(std::size_t n, std::size_t most_rows, std::size_t nz);

  /// T [n x nz] and b [n] at the place of the next problem.
  void set_tangent(const double* T, const double* b);
  bool solve(const ConstrainedProblem& problem, ConstrainedMotion& motion) override;
  const std::vector<double>& zdd() const { return reduced_motion_.udot; }

 private:
  std::size_t n_, nz_;
  std::vector<double> T_, b_, M_, Q_, A_, gamma_, MT_, f_, size_;
  std::unique_ptr<FormulationSolver> reduced_;
  ConstrainedMotion reduced_motion_;
  math::RowFactor rows_;
};

/// A motion in z. Its mechanism has plain coordinates with u = qd, and at least one constraint.
class ParametricMotion {
 public:
  /// psi: input z [nz], output x. phi: input q [nq], output x; none where x is q. Throws InputError where
  /// they do not fit the mechanism or each other.
  ParametricMotion(const Dynamics& dynamics, const algebra::Function& psi,
                   const std::optional<algebra::Function>& phi = std::nullopt);

  /// Starts at z; q_near chooses the branch of phi's inverse. Throws InputError where phi(q) = psi(z) has no
  /// solution.
  void set_state(double t, const std::vector<double>& z, const std::vector<double>& zd,
                 const std::vector<double>& q_near);

  double t() const { return t_; }
  const std::vector<double>& z() const { return z_; }
  const std::vector<double>& zd() const { return zd_; }
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& u() const { return u_; }

  /// zdd under tau; udot, the constraint force and multipliers are in motion().
  bool accelerate(const std::vector<double>& tau);
  const std::vector<double>& zdd() const { return solver_.zdd(); }
  const ConstrainedMotion& motion() const { return motion_; }

  /// One step of the classical Runge-Kutta method in z, tau held. False where there is no solution.
  bool step(double h, const std::vector<double>& tau);
  /// One step of Algorithm 1: z += h zd + h^2/2 zdd, zd += h zdd. Of first order. With `project`, zd is then
  /// made to agree with the rolling constraints at the new place, in the metric of M, which the printed
  /// algorithm leaves out.
  bool step_as_printed(double h, const std::vector<double>& tau, bool project);

 private:
  /// q, u, T and b of z and zd; Newton's method from the present q.
  bool place();
  bool agree();

  const Dynamics& dynamics_;
  const Constraints& constraints_;
  std::size_t nq_, nv_, nz_, nx_;
  generate::Evaluator psi_;                 // z zd -> x J J_rate
  std::optional<generate::Evaluator> phi_;  // q u -> x J J_rate
  ConstraintTerms terms_;
  ParametricSolver solver_;
  ConstrainedMotion motion_;
  math::RowFactor inverse_;  // of J_phi
  double t_ = 0.0;
  std::vector<double> z_, zd_, q_, u_, T_, b_, arguments_;
  std::vector<std::size_t> rows_;  // active
  std::vector<double> A_, gamma_, scale_;
};

}  // namespace tactus::simulate
