// One instant of a motion, as `tactus eval` takes it. In YAML:
//
//   t: 0
//   q: [0.3, 0.8, -0.4]        # or by name: {q1: 17 deg, ...}
//   qd: [0.7, -0.3, 0.5]       # rates of the joints; or u: the generalised speeds
//   qdd: [0, 0, 0]             # accelerations of the joints, or udot, where inverse dynamics is asked for
//   tau: [0, 0, 0]             # forces at the joints, where forward dynamics is asked for
//   fixed: given               # or {q: [q1], u: [q1]}: values that assembly must keep
//   wrenches: [{frame: tool, force: [0, 0, -10]}]
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/simulate/choices.h>
#include <tactus/simulate/constraints/assembly.h>

namespace tactus::simulate {

struct Instant {
  double t = 0.0;
  std::vector<double> q, u;
  describe::InitialMarks marks;  // which of these are given, which are to be kept where it is assembled
  std::optional<std::vector<double>> udot;  // where the file gives udot or qdd
  std::optional<std::vector<double>> tau;
  std::vector<derive::WrenchInput> wrenches;
  std::vector<double> wrench;  // [6 per wrench] torque, force
};

/// Throws InputError with file, line and column.
Instant read_instant(const derive::Equations& equations, const std::string& text, const std::string& file);
Instant load_instant(const derive::Equations& equations, const std::string& path);

/// u from rates of the joints, and udot from their accelerations, for whatever speeds the model defines.
std::vector<double> speeds_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                              const std::vector<double>& qd);
std::vector<double> speed_rates_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                                   const std::vector<double>& qd, const std::vector<double>& qdd);
/// The accelerations of the joints that belong to udot.
std::vector<double> joint_accelerations_of(const derive::Equations& equations, double t,
                                           const std::vector<double>& q, const std::vector<double>& u,
                                           const std::vector<double>& udot);
/// The rates of the coordinates, and those of the joints, that belong to u.
std::vector<double> coordinate_rates_of(const derive::Equations& equations, double t,
                                        const std::vector<double>& q, const std::vector<double>& u);
std::vector<double> joint_rates_of(const derive::Equations& equations, double t, const std::vector<double>& q,
                                   const std::vector<double>& u);

/// The joints with dry friction that stand still at the instant, by the names of their axes: forces alone do not say what their friction does.
std::vector<std::string> joints_at_rest_with_friction(const derive::Equations& equations, const Instant& at);

/// What the constraints do at an instant, in plain numbers.
struct ConstrainedInstant {
  bool solved =
      false;  // else the mass matrix is singular, or a row is not finite; what follows is then worthless
  struct Row {
    std::string label;
    int constraint = 0;  // index into `names`
    double position_error = 0.0, velocity_error = 0.0;
    double gamma = 0.0, lambda = 0.0;  // A udot = gamma
    bool redundant = false;            // it depends on others
    std::vector<double> A;             // [nv]
  };
  std::vector<std::string> names;  // of all constraints
  std::vector<Row> rows;           // of the active ones
  std::size_t rank = 0;
  Formulation used = Formulation::automatic;
  /// Rows depend on others only here: branches meet. Whether the velocity is on one of them: accelerations, forces and
  /// multipliers are then that branch's, else they belong to none.
  bool singular = false, on_branch = true;
  std::vector<double> udot, force;            // [nv] accelerations, A^T lambda
  std::vector<std::string> parametric_names;  // of the parametric formulation, and their
  std::vector<double> z, zd;                  // values and rates
};

/// The constrained motion under the forces tau, by that formulation. The model has constraints. Throws InputError where
/// the parametric formulation is asked for and cannot be had.
ConstrainedInstant constrained_instant(const derive::Equations& equations, const Instant& at,
                                       const std::vector<double>& tau, Formulation formulation);

/// Moves the instant onto the constraints and says what was changed.
std::vector<InitialChange> assemble_instant(const derive::Equations& equations, Instant& at);

/// The least forces that give the instant's accelerations, and the part of the motion that the actuators cannot give
/// (constraints/constrained_inverse.h). The instant has accelerations.
struct LeastForces {
  std::vector<double> tau;
  double residual = 0.0;
};
LeastForces least_forces(const derive::Equations& equations, const Instant& at);

}  // namespace tactus::simulate
