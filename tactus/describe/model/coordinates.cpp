#include <tactus/describe/model/model.h>

#include <fmt/format.h>

#include <tactus/algebra/print.h>

namespace tactus::describe {

namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

std::string direction_text(const Model& model, const JointAxis& axis) {
  const double x = value_of(model, axis.direction.x), y = value_of(model, axis.direction.y),
               z = value_of(model, axis.direction.z);
  const auto is = [&](double a, double b, double c) { return x == a && y == b && z == c; };
  if (is(1, 0, 0)) return "x";
  if (is(0, 1, 0)) return "y";
  if (is(0, 0, 1)) return "z";
  if (is(-1, 0, 0)) return "-x";
  if (is(0, -1, 0)) return "-y";
  if (is(0, 0, -1)) return "-z";
  return fmt::format("({:.4g}, {:.4g}, {:.4g})", x, y, z);
}

std::string between(const Model& model, const Joint& joint) {
  return fmt::format("{} on {}", model.bodies[static_cast<std::size_t>(joint.child)].name,
                     model.bodies[static_cast<std::size_t>(joint.parent)].name);
}

std::string axis_meaning(const Model& model, const Joint& joint, const JointAxis& axis) {
  const std::string direction = direction_text(model, axis);
  if (joint_traits(joint.type).has_pitch) {
    return fmt::format("angle of {} about {}, advancing {:.6g} m/rad", between(model, joint), direction,
                       value_of(model, joint.pitch));
  }
  return fmt::format("{} of {} {} {}", axis.is_rotation ? "angle" : "shift", between(model, joint),
                     axis.is_rotation ? "about" : "along", direction);
}

}  // namespace

std::vector<Meaning> coordinate_meanings(const Model& model) {
  std::vector<Meaning> result;
  const std::vector<std::string> names = model.coordinate_names();
  std::size_t at = 0;
  for (const Joint& joint : model.joints) {
    const JointTraits& traits = joint_traits(joint.type);
    if (!traits.has_quaternion()) {
      for (const JointAxis& axis : joint.axes) {
        result.push_back({names[at++], axis_meaning(model, joint, axis), axis.is_rotation ? "rad" : "m"});
      }
      continue;
    }
    for (int k = 0; k < traits.quaternion_at; ++k) {
      result.push_back({names[at++],
                        fmt::format("position of {} along the joint's {}", between(model, joint), kAxes[k]),
                        "m"});
    }
    for (const char* part : {"scalar", "x", "y", "z"}) {
      result.push_back(
          {names[at++],
           fmt::format("orientation of {}: {} part of the unit quaternion", between(model, joint), part),
           "1"});
    }
  }
  return result;
}

std::vector<Meaning> speed_meanings(const Model& model) {
  std::vector<Meaning> result;
  const Speeds& speeds = model.speeds;
  if (speeds.definition == Speeds::Definition::from_rates) {
    for (std::size_t r = 0; r < speeds.names.size(); ++r) {
      result.push_back({speeds.names[r], "= " + algebra::to_text(speeds.equations[r], *model.graph), ""});
    }
    return result;
  }
  if (speeds.definition == Speeds::Definition::to_rates) {
    std::string text;
    const std::vector<std::string> coordinates = model.coordinate_names();
    for (std::size_t r = 0; r < speeds.names.size(); ++r) {
      result.push_back({speeds.names[r],
                        fmt::format("defined by {} = {}", rate_name(coordinates[r]),
                                    algebra::to_text(speeds.equations[r], *model.graph)),
                        ""});
    }
    return result;
  }
  for (const Joint& joint : model.joints) {
    for (std::size_t k = 0; k < joint.axes.size(); ++k) {
      const JointAxis& axis = joint.axes[k];
      if (has_quaternion(joint.type)) {
        const std::string& child = model.bodies[static_cast<std::size_t>(joint.child)].name;
        result.push_back({axis.name,
                          k < 3 ? fmt::format("angular velocity of {} along its own {}",
                                              between(model, joint), kAxes[k % 3])
                                : fmt::format("velocity of the origin of {} along the {} of {}",
                                              between(model, joint), kAxes[k % 3], child),
                          k < 3 ? "rad/s" : "m/s"});
      } else {
        result.push_back({axis.name, fmt::format("rate of the {}", axis.is_rotation ? "angle" : "shift"),
                          axis.is_rotation ? "rad/s" : "m/s"});
      }
    }
  }
  return result;
}

std::vector<std::string> effort_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints)
    for (const JointAxis& axis : joint.axes) names.push_back(axis.name);
  return names;
}

}  // namespace tactus::describe
