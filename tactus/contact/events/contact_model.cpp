#include <tactus/contact/events/contact_model.h>

#include <algorithm>

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

/// What the integrators need; accelerations come from the engine.
simulate::Dynamics compile_free(const derive::Equations& equations) {
  simulate::Dynamics dynamics;
  const describe::Model& model = equations.model();
  dynamics.coordinates = simulate::Coordinates(model);
  dynamics.coordinate_names = model.coordinate_names();
  dynamics.speed_names = model.speed_names();
  dynamics.effort_names = simulate::effort_names(model);
  dynamics.wrench_count = static_cast<int>(equations.options().wrenches.size());
  algebra::Function coordinate_rates = equations.coordinate_rates();
  coordinate_rates.outputs.resize(1);  // qdot alone
  dynamics.coordinate_rates = generate::compile(coordinate_rates);
  dynamics.forward_dynamics = generate::compile(equations.forward_dynamics());
  return dynamics;
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

ContactModel::ContactModel(const describe::Model& given, std::vector<derive::WrenchInput> wrenches)
    : model(with_stops(given)),
      equations(model, {.wrenches = std::move(wrenches)}),
      dynamics(compile_free(equations)),
      terms(equations, touching_bodies(model)),
      guards(model, terms),
      own_constraints(given.constraints.size()),
      stop_of_row(terms.rows.size(), -1),
      row_of_stop(model.contact.stops.size(), -1) {
  for (std::size_t row = 0; row < terms.rows.size(); ++row) {
    const int stop = terms.rows[row].constraint - static_cast<int>(own_constraints);
    if (stop < 0) continue;
    stop_of_row[row] = stop;
    row_of_stop[static_cast<std::size_t>(stop)] = static_cast<int>(row);
  }
}

void ContactModel::set_loads(const algebra::Function& loads) { dynamics.loads = generate::compile(loads); }

}  // namespace tactus::contact
