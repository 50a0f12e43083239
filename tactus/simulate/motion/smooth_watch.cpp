#include <tactus/simulate/motion/smooth_watch.h>

#include <tactus/derive/constraints/mobility.h>

namespace tactus::simulate {

bool has_other_forces(const describe::Model& model, const derive::Equations& equations,
                      const Dynamics& dynamics) {
  const auto acts = [](const algebra::Expr& e) { return !algebra::is_zero(e); };
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      if (acts(axis.damping) || acts(axis.friction.viscous_positive) || acts(axis.friction.viscous_negative))
        return true;
  for (const describe::PointSpring& spring : model.point_springs)
    if (acts(spring.damping)) return true;
  return dynamics.dry_friction != nullptr || has_sources(model, equations, dynamics);
}

bool has_sources(const describe::Model& model, const derive::Equations& equations, const Dynamics& dynamics) {
  // Torques of springs between frames are those of a potential to first order alone.
  return !model.force_laws.empty() || !model.frame_springs.empty() || dynamics.loads.has_value() ||
         derive::is_driven(equations);
}

}  // namespace tactus::simulate
