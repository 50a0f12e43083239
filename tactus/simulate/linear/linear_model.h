// Linear models of mechanisms, with or without constraints, about an equilibrium or a steady motion:
//
//   M d(udot_i) + C du_i + K dq_i = F d(input)        xdot = A x + B d(input),    x = (dq_i, du_i)
//
// q_i are independent coordinates, u_i independent speeds. Rolling takes away speeds and no coordinates, so that there may be
// more of the one than of the other. Coordinates are displacements from the place: of plain joints those of the coordinate itself,
// of spherical and free joints small turns `joint.rx, ry, rz` and shifts `joint.dx, dy, dz` in the child's own axes, so that
// nothing depends on where and which way a vehicle happens to stand.
//
// Derivation (docs/linear.md): with F, G, V, Phi of derive/linear/linear_terms.h and indices i, d for independent and dependent,
//
//   dq = T_q dq_i            T_q = [1; -Phi_d^-1 Phi_i]
//   du = T_u du_i + R dq_i   T_u = [1; -A_d^-1 A_i],   R = [0; -A_d^-1 V_q T_q]
//   d(udot) = T_u d(udot_i) + [0; -A_d^-1 (G_q dq + G_u du)]
//   T_u^T (M d(udot) + F_q dq + F_u du + F_tau d(tau)) = 0           T_u^T A^T = 0: the multipliers' changes are gone
//   dq' = qd_q dq + qd_u du - ad(qd) dq                              ad: of spherical and free joints, whose axes turn along
//
// All derivatives are symbolic and exact. Where the children's own axes turn along with a body that rolls, others are taken (axes.h).
//
// Coordinates on which no acceleration depends (the place and the heading of a vehicle, the turn of its wheels) are ignorable: the
// largest subspace S of dq_i that A maps into itself and away from the accelerations. The system without them is the one whose
// eigenvalues matter; those that S adds are given apart.
#pragma once

#include <array>
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <tactus/derive/equations.h>
#include <tactus/derive/readable/state_space.h>
#include <tactus/simulate/files/instant.h>

namespace tactus::simulate {

/// A spherical or free joint whose turns, shifts and speeds are counted in axes that are the child's at the point and turn back against it
/// at a constant rate, so that the linear model stays the same along the motion: those of a ball that rolls straight keep their direction.
struct TurnedAxes {
  std::string joint;
  std::array<double, 3> back{};  // [rad/s] in the child's axes
  bool keep_direction = false;   // they do not turn: back is all of the child's turning
  bool apart = false;            // speeds are components in axes that take no part in small turns either
};

struct LinearModel {
  Instant at;  // the point: dependent values as they follow from the independent ones
  std::vector<std::string> coordinates, speeds;                      // independent
  std::vector<std::string> dependent_coordinates, dependent_speeds;  // the others
  std::vector<TurnedAxes> axes;     // of joints whose children's own axes would not do
  std::vector<std::string> inputs;  // forces at actuators, components of wrenches
  Eigen::MatrixXd M, C, K, F;
  derive::StateSpace full;  // of x = (coordinates, speeds)

  std::vector<std::string> ignorable, kept;  // coordinates: eliminated, and left
  Eigen::MatrixXd
      along;  // [kept x ignorable] a kept one counts less this times the ignorable ones; zero as a rule
  derive::StateSpace reduced;  // of (kept, speeds)
  std::vector<std::complex<double>> eigenvalues, ignorable_eigenvalues;

  /// Of independent speeds: what is left of their accelerations, and of the rates of those.
  std::vector<double> acceleration, jerk;
  double largest_acceleration = 0.0, largest_jerk = 0.0;
  /// Further along the motion: the largest acceleration there and the change of M, C, K, by their size. 0 at rest.
  double later_acceleration = 0.0, later_change = 0.0;
  /// Nothing accelerates, here and later, and the linear model stays the same.
  bool is_equilibrium = false, is_steady = false;
  /// Nothing accelerates, here and later, whether or not the linear model stays the same.
  bool is_uniform = false;
};

/// A mode: an eigenvalue with its shape over (kept, speeds), the largest of the coordinates (or, where none moves, of the speeds) 1.
struct Mode {
  std::complex<double> eigenvalue;
  std::vector<std::complex<double>> shape;
  double frequency() const { return std::abs(eigenvalue); }                     // [rad/s] undamped
  double damping() const { return -eigenvalue.real() / std::abs(eigenvalue); }  // ratio; NaN for zero
};
/// In the order of the eigenvalues; of a pair the one with positive imaginary part.
std::vector<Mode> modes(const LinearModel& model);

/// What a search for a steady motion may change.
struct SteadySearch {
  std::vector<std::string> held;     // names of coordinates and speeds that stay as they are
  std::vector<std::string> efforts;  // names of actuator forces that may change
  bool at_rest =
      false;  // an equilibrium: all speeds are zero, and weight and springs may lead there from afar
};

class Linearization {
 public:
  /// `independent`: names of coordinates and speeds that must be among the independent ones; the rest is chosen. Dry friction at
  /// joints is left out (notes() says so): at rest it holds and has no slope, in motion it is a constant force.
  Linearization(const describe::Model& model, const derive::Options& options,
                std::vector<std::string> independent = {});
  ~Linearization();
  Linearization(Linearization&&) noexcept;
  Linearization& operator=(Linearization&&) noexcept;

  const derive::Equations& equations() const;
  /// Values of the parameters that the options keep, in their order.
  void set_parameters(const std::vector<double>& values);

  /// Dependent values are made to follow from the independent ones first. Throws InputError where that cannot be, where the position
  /// is singular, and where the named coordinates or speeds cannot be independent.
  LinearModel at(const Instant& point);

  /// The steady motion next to the point, by the independent coordinates and speeds [rad, m, s] that are not held: accelerations
  /// and their rates vanish. Throws InputError where none is found.
  Instant steady(const Instant& point, const SteadySearch& asked);
  /// Of a steady motion: coordinates, speeds (NAME_dot) and forces (tau_NAME) by which its family can be told. Whatever values near those
  /// it has they are given, there is one steady motion to it. Ignorable coordinates are left out; none where the motion stands alone.
  std::vector<std::string> family(const Instant& found, const SteadySearch& asked);

  /// Something in the equations is a function of t.
  bool depends_on_time() const;

  /// What a reader should know: dry friction, contact, time.
  std::vector<std::string> notes() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tactus::simulate
