// [Faulring2006, Algorithm 1]: the motion in the parametric coordinates z that the model gives.
//
//   qdd = M^-1 (tau + A^T lambda ...)          (11)-(13): our constrained forward dynamics
//   zdd = T^+ (udot - b)                       (14)-(16), with u = T zd, T = J_phi^-1 J_psi
//   z += zd h + zdd h^2/2,  zd += zdd h;       q = psi(z),  u = T zd
//
// Redundant virtual mechanisms (more q than x), which the paper leaves out: a model that gives no z is integrated in q itself, z = q, and
// the display is told x_r = phi(q); no phi^-1 is asked for, which would not exist.
//
// The hand's wrench F acts at a port, tau = J_phi^T F (line 3 of it). Printed, J_phi is that of the beginning of the step; mended, by Runge-Kutta, F is held in the world's axes, as a sampled sensor has it,
// and J_phi goes on with q from stage to stage.
//
// Holonomic constraints are kept, because q = psi(z). Rows that exist at velocity level only (rolling) drift:
// zd is integrated without them. The remedy is a projection of the velocity after the step.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::control {

enum class Scheme {
  printed,      // Algorithm 1
  projected,    // and zd projected onto A u = 0 after the step, in the metric of M
  runge_kutta,  // of order 4 in z
  direct,       // q and qd themselves by the printed rule, without psi: nothing holds the constraints
};

/// Largest errors of the constraints; NaN once one of them is.
struct Drift {
  double position = 0.0, velocity = 0.0;
  void add(const Drift& other);
};

class Algorithm1 {
 public:
  /// Begins where the model does, unless z and zd are given; z is q where the model gives no other. The model's speeds are the rates of q.
  Algorithm1(const describe::Model& model, Scheme scheme, std::vector<double> z = {},
             std::vector<double> zd = {});

  ~Algorithm1();
  Algorithm1(const Algorithm1&) = delete;
  Algorithm1& operator=(const Algorithm1&) = delete;

  /// Advances by h with the forces held, as a sampled hand's force is.
  void step(double h, const std::vector<double>& tau);
  /// The port of that name, a frame's that is marked `grasp` or a body's; -1 where there is none. Its kernels are made when the first is asked for.
  int port(std::string_view name);
  /// With a wrench [N m; N] at the port's origin instead, world axes: J^T F in each place where accelerations are asked for, at the step's beginning or at every stage.
  void step(double h, const std::array<double, 6>& wrench, int port);

  double t() const { return t_; }
  const std::vector<double>& q() const { return q_; }
  const std::vector<double>& u() const { return u_; }
  const std::vector<double>& z() const { return z_; }
  const std::vector<double>& zd() const { return zd_; }
  Drift drift();
  double kinetic();

 private:
  const std::vector<double>& accelerations(double t, const std::vector<double>& tau);
  std::vector<double> parameter_accelerations(double t, const std::vector<double>& z,
                                              const std::vector<double>& zd, const std::vector<double>& tau);
  void runge_kutta(double h, const std::vector<double>& tau);
  void place();
  void place(double t, const std::vector<double>& z, const std::vector<double>& zd);

  struct Equations;  // and what solves them
  std::unique_ptr<Equations> own_;
  Scheme scheme_;
  std::size_t nv_, nz_;  // z is q where the model gives no other
  double t_ = 0.0;
  std::vector<double> z_, zd_, q_, u_, udot_, qdot_, arguments_;
};

}  // namespace tactus::control
