#include <tactus/describe/physics.h>

#include <fmt/format.h>

namespace tactus::describe {

void check_mobility(Model& model) {
  // What each body carries, itself included: children stand after their parents.
  std::vector<double> mass(model.bodies.size(), 0.0), inertia(model.bodies.size(), 0.0);
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const Body& body = model.bodies[b];
    const double own_mass = value_of(model, body.mass);
    double own_inertia = 0.0;
    for (std::size_t i = 0; i < 3; ++i) own_inertia += value_of(model, body.inertia(i, i));
    mass[b] += own_mass;
    inertia[b] += own_inertia;
    const Joint& joint = model.joints[b - 1];
    if (own_mass == 0.0 && own_inertia == 0.0 && (mass[b] > 0.0 || inertia[b] > 0.0) &&
        joint.type != JointType::weld) {
      model.warnings.push_back(fmt::format("{}: the body `{}` has no mass; those it carries have",
                                           body.where.to_string(), body.name));
    }
    for (const JointAxis& axis : joint.axes) {
      const bool moves = mass[b] > 0.0 || (axis.is_rotation && inertia[b] > 0.0);
      if (moves || value_of(model, axis.armature) > 0.0) continue;
      throw InputError(
          joint.where, fmt::format("the joint `{}` moves nothing that has inertia", axis.name),
          "give its body, or one that it carries, a mass or an inertia; or the joint an armature");
    }
    mass[static_cast<std::size_t>(joint.parent)] += mass[b];
    inertia[static_cast<std::size_t>(joint.parent)] += inertia[b];
  }
}

}  // namespace tactus::describe
