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
    case Rolling::ellipsoid_on_plane:
      return fmt::format(
          "the ellipsoid {{b}} (semi-axes {:.6g}, {:.6g}, {:.6g} m) rolls on the x-y plane of {{a}}{}",
          value_of(model, constraint.semi_axes[0]), value_of(model, constraint.semi_axes[1]),
          value_of(model, constraint.semi_axes[2]), contact);
    case Rolling::surface_on_plane:
      return fmt::format("{{b}} with its surface {{equations}} rolls on the x-y plane of {{a}}{}", contact);
    case Rolling::sphere_on_surface:
      return fmt::format("the sphere {{b}} (radius {:.6g} m) rolls on the surface {{equations}} of {{a}}{}",
                         radius, contact);
    case Rolling::knife_edge:
      return "{b} does not move along its own y over {a}";
  }
  return "";
}

std::string pattern(const Model& model, const Constraint& constraint) {
  switch (constraint.type) {
    case ConstraintType::closure:
      return std::string(joint_traits(constraint.closure).closes);
    case ConstraintType::rolling:
      return rolling_text(model, constraint);
    default:
      return std::string(meaning_of(constraint.type));
  }
}

template <class Text>
void replace(std::string& text, std::string_view what, const Text& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by());
}

}  // namespace

std::string constraint_meaning(const Model& model, const Constraint& constraint) {
  const auto metres = [&](Expr number) { return fmt::format("{:.6g}", value_of(model, number)); };
  std::string text = pattern(model, constraint);
  replace(text, "{radius}", [&] { return metres(constraint.radius); });
  replace(text, "{length}", [&] { return metres(constraint.length); });
  replace(text, "{equations}", [&] { return equations_text(model, constraint); });
  if (constraint.frame_a >= 0) {
    replace(text, "{a}", [&] { return frame_text(model, constraint.frame_a); });
    replace(text, "{b}", [&] { return frame_text(model, constraint.frame_b); });
  }
  return fmt::format("{}: {}{}{}{}", constraint.kind, text,
                     constraint.active ? "" : " (inactive at the start)",
                     constraint.description.empty() ? "" : "; ", constraint.description);
}

}  // namespace tactus::describe
