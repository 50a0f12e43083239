#include <tactus/simulate/files/instant.h>

#include <algorithm>

#include <tactus/base/check.h>
#include <tactus/describe/check/placed.h>
#include <tactus/simulate/constraints/assembler.h>
#include <tactus/simulate/constraints/constrained_inverse.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/constraints/parametric.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

/// Interpreted: one evaluation is not worth machine code, and the bits are the same.
Dynamics dynamics_of(const derive::Equations& equations) {
  return compile(equations, std::nullopt, generate::Backend::interpreter);
}

/// Whether the rows are more independent in configurations nearby. Rows that depend on others there, too, are redundant: the motion is as well
/// determined as without them, and no branches meet.
bool is_singular(const Dynamics& dynamics, const Instant& at) {
  Assembler assembler(dynamics, *dynamics.constraints);
  return assembler.inspect({at.t, at.q, at.u, {}}, true).singular;
}

}  // namespace

ConstrainedInstant constrained_instant(const derive::Equations& equations, const Instant& at,
                                       const std::vector<double>& tau, Formulation formulation) {
  if (formulation == Formulation::parametric && !equations.has_parametric()) require_parametric({});
  const Dynamics dynamics = dynamics_of(equations);
  TACTUS_CHECK(dynamics.constraints != nullptr);
  const Constraints& constraints = *dynamics.constraints;
  const auto nv = static_cast<std::size_t>(dynamics.nv());
  ConstrainedInstant result;
  result.names = constraints.names;
  std::vector<double> arguments{at.t};
  for (const std::vector<double>* part : {&at.q, &at.u, &tau, &at.wrench})
    arguments.insert(arguments.end(), part->begin(), part->end());
  ConstraintOptions options;
  options.formulation = formulation;
  ConstraintSolver solver(dynamics, options);
  if (Parametrization* places = solver.parametrization()) {
    places->require_motion(at.t, at.q.data(), at.u.data());
    const std::size_t nz = places->parametric().size();
    result.parametric_names = dynamics.parametric->names;
    result.z.assign(places->z(), places->z() + nz);
    result.zd.assign(places->zd(), places->zd() + nz);
  }
  solver.reset(at.t, at.q.data(), at.u.data());  // redundant rows go aside: a crossing is seen by the others
  ConstrainedMotion motion(nv, constraints.size());
  if (!solver.solve(arguments.data(), motion)) return result;
  result.solved = true;
  result.rank = motion.rank;
  result.singular = formulation != Formulation::parametric && motion.rank < solver.active_rows().size() &&
                    is_singular(dynamics, at);
  result.on_branch = !result.singular || motion.across;
  result.used = motion.used;
  result.udot = motion.udot;
  result.force = motion.force;
  const double *position = nullptr, *velocity = nullptr;
  solver.errors(at.t, at.q.data(), at.u.data(), position, velocity);
  std::vector<double> position_error(position, position + constraints.size());
  std::vector<double> velocity_error(velocity, velocity + constraints.size());
  ConstraintTerms terms(dynamics, constraints);
  terms.evaluate(at.t, at.q.data(), at.u.data());
  for (std::size_t k = 0; k < solver.active_rows().size(); ++k) {
    const std::size_t row = solver.active_rows()[k];
    result.rows.push_back({constraints.rows[row].label,
                           constraints.rows[row].constraint,
                           position_error[row],
                           velocity_error[row],
                           terms.gamma()[row],
                           motion.lambda[k],
                           motion.redundant[k] != 0,
                           {terms.A(row), terms.A(row) + nv}});
  }
  return result;
}

std::vector<InitialChange> assemble_instant(const derive::Equations& equations, Instant& at) {
  const State given{at.t, at.q, at.u, {}};
  State state;
  try {
    state = assemble_keeping(dynamics_of(equations), given, kept_speeds(equations.model(), at.marks));
  } catch (const InputError& error) {
    throw describe::placed(error, equations.model());
  }
  at.q = state.q;
  at.u = state.u;
  return changes_between(equations.model(), at.marks, given, state);
}

LeastForces least_forces(const derive::Equations& equations, const Instant& at) {
  TACTUS_CHECK(at.udot.has_value());
  const ConstrainedInverse inverse =
      constrained_inverse(dynamics_of(equations), at.t, at.q, at.u, *at.udot, at.wrench);
  return {inverse.tau, inverse.residual};
}

}  // namespace tactus::simulate
