#include <tactus/simulate/constraints/emitted_step.h>

#include <algorithm>

#include <tactus/base/error.h>
#include <tactus/describe/model/joint_traits.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/constraints/newton_hold.h>
#include <tactus/simulate/motion/dry_friction.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::simulate {

namespace {

/// Rows and natural sizes of the model as its file gives it, whatever parameters the equations keep.
std::shared_ptr<const Constraints> constraints_of(const describe::Model& model) {
  const derive::Equations equations(model);
  if (equations.constraint_rows().empty()) return nullptr;
  return compile(equations, std::nullopt, generate::Backend::interpreter).constraints;
}

void require_plain(const describe::Model& model) {
  for (const describe::Joint& joint : model.joints)
    if (describe::has_quaternion(joint.type))
      throw InputError(joint.where,
                       "`step` is emitted for coordinates without quaternions; `" + joint.name + "` has one",
                       "ask for constrained-dynamics or forward-dynamics, or write the joint as prismatic "
                       "and revolute ones");
  const describe::ContactSection& contact = model.contact;
  if (!contact.pairs.empty() || !contact.stops.empty() || !contact.transitions.empty())
    throw InputError({model.file},
                     "`step` is emitted for smooth motions; this model has contact, stops or transitions",
                     "ask for constrained-dynamics or forward-dynamics");
  if (has_dry_friction(model))
    throw InputError({model.file},
                     "`step` is emitted for smooth motions; this model has dry friction at joints, which "
                     "stick and break away",
                     "ask for constrained-dynamics or forward-dynamics, which say what acts while joints "
                     "slide, or set `coulomb` to zero");
}

}  // namespace

std::vector<bool> independent_rows(const describe::Model& model) {
  const std::shared_ptr<const Constraints> constraints = constraints_of(model);
  std::vector<bool> rows;
  if (constraints == nullptr) return rows;
  for (std::size_t k = 0; k < constraints->size(); ++k)
    rows.push_back(constraints->active[k] != 0 && constraints->redundant[k] == 0);
  return rows;
}

generate::StepProgram step_program(const derive::Equations& equations) {
  const describe::Model& model = equations.model();
  require_plain(model);
  generate::StepProgram program;
  program.limits.healthy_pivot = kHealthyPivot;
  program.limits.held = kHeld;
  program.limits.follows = kFollows;
  program.limits.amplified = kAmplified;
  program.limits.constraint_limit = Options{}.constraint_limit;
  program.limits.speed_limit = Options{}.speed_limit;
  program.limits.newton_steps = kMostNewtonSteps;
  program.limits.halvings = kMostHalvings;
  program.limits.velocity_steps = kMostVelocitySteps;
  program.rates = equations.coordinate_rates();
  program.rates.outputs.resize(1);  // qdot alone
  const std::shared_ptr<const Constraints> constraints = constraints_of(model);
  std::vector<bool> rows, position_rows;
  for (std::size_t k = 0; constraints != nullptr && k < constraints->size(); ++k) {
    const bool active = constraints->active[k] != 0, held = active && constraints->redundant[k] == 0;
    rows.push_back(held);
    position_rows.push_back(held && constraints->rows[k].holonomic);
    if (active) program.active.push_back(k);
    if (held) program.held.push_back(k);
    if (position_rows.back()) program.held_positions.push_back(k);
    if (active && !held) program.aside.push_back(k);
  }
  if (program.held.empty()) {
    program.dynamics = equations.forward_dynamics();
    return program;
  }
  program.rows = constraints->size();
  program.sizes = constraints->scale;
  program.dynamics = equations.constrained_dynamics(rows);
  program.errors = equations.constraint_terms();
  std::erase_if(program.errors->outputs,
                [](const algebra::Block& block) { return block.name != "Phi" && block.name != "velocity"; });
  program.velocity_step = equations.constraint_step(rows);
  if (!program.held_positions.empty()) program.position_step = equations.constraint_step(position_rows);
  return program;
}

}  // namespace tactus::simulate
