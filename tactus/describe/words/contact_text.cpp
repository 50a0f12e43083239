#include <tactus/describe/words/contact_text.h>

#include <fmt/format.h>

namespace tactus::describe {

namespace {

std::string constraint_list(const Model& model, const std::vector<int>& constraints) {
  std::string text;
  for (const int c : constraints)
    text +=
        fmt::format("{}{}", text.empty() ? "" : ", ", model.constraints[static_cast<std::size_t>(c)].name);
  return text;
}

}  // namespace

std::string side_name(const Body& body, int geometry) {
  if (geometry < 0) return body.name;
  const std::string& name = body.geometry[static_cast<std::size_t>(geometry)].name;
  return fmt::format("{}.{}", body.name, name.empty() ? std::to_string(geometry + 1) : name);
}

std::string law_text(const ContactLaw& law) {
  std::string text(name_of(law.rendering));
  if (law.rendering == Rendering::compliant) {
    text += fmt::format(", {:.6g} N/m, {:.6g} N s/m", law.stiffness, law.damping);
  } else if (law.restitution > 0.0) {
    text += fmt::format(", restitution {:.6g} ({}) above {:.6g} m/s", law.restitution,
                        name_of(law.restitution_law), law.rest_speed);
  } else {
    text += ", plastic";
  }
  text += law.friction > 0.0          ? fmt::format(", friction {:.6g}", law.friction)
          : law.static_friction > 0.0 ? ", no friction of sliding"
                                      : ", no friction";
  if (law.rendering != Rendering::compliant && law.static_friction != law.friction)
    text += fmt::format(" (sticking {:.6g})", law.static_friction);
  return text;
}

std::string pair_meaning(const Model& model, const ContactPair& pair) {
  return fmt::format(
      "{} and {}: {}", side_name(model.bodies[static_cast<std::size_t>(pair.body_a)], pair.geometry_a),
      side_name(model.bodies[static_cast<std::size_t>(pair.body_b)], pair.geometry_b), law_text(pair.law));
}

std::string stop_meaning(const Model& model, const JointStop& stop) {
  return fmt::format("{} {} {:.6g}, {}", model.coordinate_names()[static_cast<std::size_t>(stop.coordinate)],
                     stop.upper ? "<=" : ">=", stop.limit,
                     stop.restitution > 0.0
                         ? fmt::format("restitution {:.6g} above {:.6g}", stop.restitution, stop.rest_speed)
                         : std::string("plastic"));
}

std::string transition_meaning(const Model& model, const Transition& transition) {
  std::string text = "when " + transition.guard_text;
  const auto condition = [&](const std::vector<int>& list, std::string_view state, std::string_view word) {
    if (!list.empty()) text += fmt::format(" {} {} {}", word, constraint_list(model, list), state);
  };
  condition(transition.if_active, "on", "while");
  condition(transition.if_inactive, "off", transition.if_active.empty() ? "while" : "and");
  text += ":";
  if (!transition.activate.empty()) text += " activates " + constraint_list(model, transition.activate);
  if (!transition.release.empty()) {
    text += transition.activate.empty() ? "" : ",";
    text += " releases " + constraint_list(model, transition.release);
  }
  if (transition.once) text += ", once";
  if (!transition.description.empty()) text += "; " + transition.description;
  return text;
}

int contact_shape_count(const Model& model) {
  int count = 0;
  for (const Body& body : model.bodies)
    for (const Geometry& geometry : body.geometry) count += geometry.contact;
  return count;
}

}  // namespace tactus::describe
