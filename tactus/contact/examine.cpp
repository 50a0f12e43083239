#include <tactus/contact/examine.h>

#include <string>
#include <utility>
#include <vector>

#include <tactus/collide/scene.h>
#include <tactus/describe/check/guard.h>
#include <tactus/describe/check/placed.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::contact {

namespace {

/// Where a few of Newton's steps do not meet the constraints, assembly tries harder: the mobility becomes
/// that of the configuration it finds, or it says what cannot be met. So it does where values are fixed.
std::optional<InputError> assemble_better(const derive::Equations& equations, derive::Mobility& mobility) {
  const describe::Model& model = equations.model();
  const simulate::KeptSpeeds kept = simulate::kept_speeds(model, model.initial_marks);
  const bool keeps = !kept.positions.empty() || !kept.velocities.empty();
  if (mobility.assembled && mobility.impossible.empty() && !keeps) return std::nullopt;
  const simulate::Dynamics dynamics =
      simulate::compile(equations, std::nullopt, generate::Backend::interpreter);
  try {
    const simulate::State state =
        simulate::assemble_keeping(dynamics, {0.0, model.initial_q, model.initial_u, {}}, kept);
    std::vector<derive::Mobility::Error> errors = std::move(mobility.errors);
    mobility = derive::mobility(equations, 0.0, state.q, state.u);
    mobility.errors = std::move(errors);
  } catch (const InputError& error) {
    return describe::placed(error, model);
  }
  return std::nullopt;
}

}  // namespace

Examination examine(const describe::Model& model) {
  if (!model.contact.pairs.empty()) collide::Scene{model};
  if (model.constraints.empty()) return {};
  const derive::Equations equations(model);
  std::vector<std::string> rows;
  for (const derive::ConstraintRow& row : equations.constraint_rows()) rows.push_back(row.label);
  describe::require_force_rows(model, rows);
  derive::Mobility mobility = derive::mobility(equations);
  std::optional<InputError> refused = assemble_better(equations, mobility);
  return {std::move(mobility), std::move(refused)};
}

}  // namespace tactus::contact
