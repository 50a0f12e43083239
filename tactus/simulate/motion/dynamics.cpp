#include <tactus/simulate/motion/dynamics.h>

#include <tactus/base/check.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/integrators/passive_terms.h>
#include <tactus/simulate/motion/break_times.h>
#include <tactus/simulate/motion/chart_kernels.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::simulate {

namespace {

/// Kernels of other modules must have the shape that the array of arguments counts on.
void check_shape(const generate::Kernel& kernel, int inputs, int outputs) {
  TACTUS_CHECK(kernel.input_size() == static_cast<std::size_t>(inputs));
  TACTUS_CHECK(kernel.output_size() == static_cast<std::size_t>(outputs));
}

}  // namespace

Dynamics compile(const derive::Equations& equations, const std::optional<algebra::Function>& loads,
                 generate::Backend backend, CompileOptions options) {
  if (auto dry = equations.options().friction && !describe::missing_inertia(equations.model())
                     ? dry_friction_of(equations.model(), equations, backend)
                     : nullptr) {
    // The law adds to tau, at joints without an actuator too.
    const describe::Model smooth = without_dry_friction(equations.model());
    derive::Options pushed = equations.options();
    pushed.push_passive = true;
    Dynamics dynamics = compile(derive::Equations(smooth, std::move(pushed)), loads, backend, options);
    dynamics.dry_friction = std::move(dry);
    return dynamics;
  }
  Dynamics dynamics;
  const describe::Model& model = equations.model();
  dynamics.coordinates = Coordinates(model);
  dynamics.coordinate_names = model.coordinate_names();
  dynamics.speed_names = model.speed_names();
  dynamics.effort_names = describe::effort_names(model);
  if (equations.options().push_passive) {
    int k = 0;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        if (axis.passive) dynamics.unactuated.push_back(k);
        ++k;
      }
  }
  dynamics.wrench_count = static_cast<int>(equations.options().wrenches.size());
  TACTUS_CHECK(dynamics.nq() == equations.nq() && dynamics.nv() == equations.nv());

  const int nq = dynamics.nq(), nv = dynamics.nv(), wrench = 6 * dynamics.wrench_count;
  algebra::Function coordinate_rates = equations.coordinate_rates();
  coordinate_rates.outputs.resize(1);  // qdot alone
  dynamics.coordinate_rates = generate::compile(coordinate_rates, backend);
  check_shape(dynamics.coordinate_rates, 1 + nq + nv, nq);
  if (!describe::missing_inertia(model)) {
    dynamics.forward_dynamics = generate::compile(equations.forward_dynamics(), backend);
    check_shape(dynamics.forward_dynamics, 1 + nq + nv + nv + wrench, nv + nq);
  }
  dynamics.breaks = break_times_of(model, loads);
  const auto functions = options.momentum ? momentum_functions(equations) : std::nullopt;
  if (functions) {
    dynamics.momentum_roots = functions->roots;
    dynamics.momentum = generate::compile(functions->momentum, backend);
    dynamics.momentum_rate = generate::compile(functions->rate, backend);
    check_shape(*dynamics.momentum_rate, 1 + nq + nv + nv + wrench + nv, dynamics.np());
  }
  if (!describe::missing_inertia(model)) dynamics.in_chart = chart_kernels(equations, dynamics, backend);
  if (loads) {
    dynamics.loads = generate::compile(*loads, backend);
    check_shape(*dynamics.loads, 1 + nq + nv, nv + wrench);
  }
  dynamics.constraints = compile_constraints(equations, dynamics, backend);
  dynamics.parametric = compile_parametric(equations, dynamics, backend);
  if (options.passive) dynamics.passive = std::make_shared<PassiveTerms>(equations, loads, backend);
  return dynamics;
}

}  // namespace tactus::simulate
