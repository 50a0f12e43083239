#include <tactus/describe/check/mass_bound.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/evaluator.h>

namespace tactus::describe {

namespace {

double length(Evaluator& value, const Vec3& v) { return std::hypot(value(v.x), value(v.y), value(v.z)); }

/// No point of the mechanism is farther from a joint that carries it, with all slides at zero, than all placements together.
double reach(Evaluator& value, const Model& model) {
  double sum = 0.0, farthest = 0.0;
  for (const Joint& joint : model.joints) sum += length(value, joint.X_PJ.p) + length(value, joint.X_FB.p);
  for (std::size_t b = 1; b < model.bodies.size(); ++b)
    farthest = std::fmax(farthest, length(value, model.bodies[b].com));
  return sum + farthest;
}

}  // namespace

/// With the total mass m, a reach r of all centres of mass and possible central inertias I_b, the moment of inertia about a line through any joint is
/// at most  sum tr|I_b| + m r^2.
void require_finite_masses(const Model& model) {
  Evaluator value(model);
  const double r = reach(value, model);
  double mass = 0.0, inertia = 0.0;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const double own = value(body.mass);
    mass += own;
    if (!std::isfinite(mass))
      throw InputError(
          body.where,
          fmt::format("with the mass of `{}`, {:g} kg, the masses add up to more than a double holds",
                      body.name, own),
          "write masses that a mechanism can have, in kg");
    for (std::size_t i = 0; i < 3; ++i) inertia += std::fabs(value(body.inertia(i, i)));
    if (!std::isfinite(inertia + mass * r * r))
      throw InputError(
          body.where,
          fmt::format("with the body `{}`, moments of inertia may exceed what a double holds: {:g} kg "
                      "in all, up to {:g} m away",
                      body.name, mass, r),
          "write masses in kg, lengths in m and inertias in kg m^2 that a mechanism can have");
  }
}

}  // namespace tactus::describe
