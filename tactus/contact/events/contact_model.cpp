#include <tactus/contact/events/contact_model.h>

#include <algorithm>

#include <tactus/simulate/motion/break_times.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::contact {

namespace {

std::vector<int> touching_bodies(const describe::Model& model) {
  std::vector<int> bodies;
  for (const describe::ContactPair& pair : model.contact.pairs)
    for (const int body : {pair.body_a, pair.body_b})
      if (body != 0 && std::find(bodies.begin(), bodies.end(), body) == bodies.end()) bodies.push_back(body);
  std::sort(bodies.begin(), bodies.end());
  return bodies;
}

/// Time-stepping carries no momentum of its own, and for hundreds of bodies its equations take a while.
simulate::CompileOptions compile_options(const describe::Model& model) {
  const std::vector<describe::ContactPair>& pairs = model.contact.pairs;
  const bool by_steps = !pairs.empty() && std::all_of(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.law.rendering == describe::Rendering::stepping;
  });
  return {.momentum = !by_steps};
}

}  // namespace

describe::Model with_stops(const describe::Model& model) {
  describe::Model result = model;
  for (const describe::JointStop& stop : model.contact.stops) {
    describe::Constraint constraint;
    constraint.name = stop.name;
    constraint.type = describe::ConstraintType::equation;
    constraint.kind = "stop";
    constraint.active = false;
    constraint.equations = {stop.gap};
    constraint.where = stop.where;
    result.constraints.push_back(std::move(constraint));
  }
  return result;
}

ContactModel::ContactModel(const describe::Model& given, std::vector<derive::WrenchInput> wrenches,
                           bool push_passive, std::shared_ptr<const algebra::Cells> cells)
    : model(simulate::without_dry_friction(with_stops(given))),  // which is a law (dynamics.dry_friction)
      equations(model, {.cells = std::move(cells),
                        .push_passive = push_passive || simulate::has_dry_friction(given),
                        .wrenches = std::move(wrenches)}),
      dynamics(
          simulate::compile(equations, std::nullopt, generate::Backend::automatic, compile_options(model))),
      terms(equations, touching_bodies(model)),
      guards(model, terms, equations.options().cells),
      energy(generate::compile(equations.energy())),
      own_constraints(given.constraints.size()),
      stop_of_row(terms.rows.size(), -1),
      row_of_stop(model.contact.stops.size(), -1) {
  dynamics.dry_friction = simulate::dry_friction_of(given, equations);
  for (std::size_t row = 0; row < terms.rows.size(); ++row) {
    const int stop = terms.rows[row].constraint - static_cast<int>(own_constraints);
    if (stop < 0) {
      terms.rows[row].size = dynamics.constraints->scale[row];
      continue;
    }
    stop_of_row[row] = stop;
    row_of_stop[static_cast<std::size_t>(stop)] = static_cast<int>(row);
  }
}

void ContactModel::set_loads(const algebra::Function& loads) {
  dynamics.loads = generate::compile(loads);
  dynamics.breaks = simulate::break_times_of(model, loads);
}

}  // namespace tactus::contact
