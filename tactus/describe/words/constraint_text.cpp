#include <tactus/describe/words/constraint_text.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/print.h>

namespace tactus::describe {

namespace {

std::string frame_text(const Model& model, int index) {
  const Frame& frame = model.frames[static_cast<std::size_t>(index)];
  return fmt::format("{} on {}", frame.name, model.bodies[static_cast<std::size_t>(frame.body)].name);
}

std::string closure_text(JointType joint) {
  switch (joint) {
    case JointType::weld:
      return "{b} is fixed to {a}";
    case JointType::revolute:
      return "{b} turns about the z of {a}";
    case JointType::prismatic:
      return "{b} slides along the z of {a} without turning";
    case JointType::cylindrical:
      return "{b} turns about and slides along the z of {a}";
    case JointType::universal:
      return "{b} meets {a} by a cross, the two z perpendicular";
    case JointType::spherical:
      return "the origins of {b} and {a} meet";
    case JointType::planar:
      return "{b} slides and turns in the x-y plane of {a}";
    default:
      return "{b} on {a}";
  }
}

std::string equations_text(const Model& model, const Constraint& constraint) {
  std::string text;
  for (const Expr equation : constraint.equations)
    text += fmt::format("{}0 = {}", text.empty() ? "" : ", ", algebra::to_text(equation, *model.graph));
  return text;
}

std::string rolling_text(const Model& model, const Constraint& constraint) {
  const double radius = value_of(model, constraint.radius);
  const std::string contact = constraint.keep_contact ? "" : ", the contact kept by others";
  switch (constraint.rolling) {
    case Rolling::disk_on_plane:
      return fmt::format("the disk {{b}} (radius {:.6g} m) rolls on the x-y plane of {{a}}{}", radius,
                         contact);
    case Rolling::sphere_on_plane:
      return fmt::format("the sphere {{b}} (radius {:.6g} m) rolls on the x-y plane of {{a}}{}", radius,
                         contact);
    case Rolling::disk_on_disk: {
      const double other = value_of(model, constraint.radius_a);
      return fmt::format("the disk {{b}} (radius {:.6g} m) rolls {} {{a}} (radius {:.6g} m){}", radius,
                         other < 0.0 ? "inside the ring" : "on the disk", std::fabs(other), contact);
    }
    case Rolling::knife_edge:
      return "{b} does not move along its own y over {a}";
  }
  return "";
}

std::string pattern(const Model& model, const Constraint& constraint) {
  switch (constraint.type) {
    case ConstraintType::closure:
      return closure_text(static_cast<JointType>(constraint.closure));
    case ConstraintType::on_line:
      return "the origin of {b} is on the z axis of {a}";
    case ConstraintType::on_plane:
      return "the origin of {b} is in the x-y plane of {a}";
    case ConstraintType::on_circle:
      return fmt::format("the origin of {{b}} is on the circle of radius {:.6g} m in the x-y plane of {{a}}",
                         value_of(model, constraint.radius));
    case ConstraintType::on_sphere:
      return fmt::format("the origin of {{b}} is on the sphere of radius {:.6g} m about {{a}}",
                         value_of(model, constraint.radius));
    case ConstraintType::on_surface:
      return fmt::format("the origin (x, y, z) of {{b}} in {{a}} satisfies {}",
                         equations_text(model, constraint));
    case ConstraintType::distance:
      return fmt::format("{{b}} keeps the distance {:.6g} m from {{a}}", value_of(model, constraint.length));
    case ConstraintType::parallel:
      return "the z axes of {b} and {a} are parallel";
    case ConstraintType::rolling:
      return rolling_text(model, constraint);
    case ConstraintType::equation:
    case ConstraintType::rates:
      return equations_text(model, constraint);
  }
  return "";
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
}

}  // namespace

std::string constraint_meaning(const Model& model, const Constraint& constraint) {
  std::string text = pattern(model, constraint);
  if (constraint.frame_a >= 0) {
    replace(text, "{a}", frame_text(model, constraint.frame_a));
    replace(text, "{b}", frame_text(model, constraint.frame_b));
  }
  return fmt::format("{}: {}{}{}{}", constraint.kind, text,
                     constraint.active ? "" : " (inactive at the start)",
                     constraint.description.empty() ? "" : "; ", constraint.description);
}

}  // namespace tactus::describe
