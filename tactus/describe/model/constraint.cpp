#include <tactus/describe/model/constraint.h>

namespace tactus::describe {

namespace {

struct ConstraintTraits {
  ConstraintType type;
  std::string_view word;
  std::string_view meaning;
};

constexpr ConstraintTraits kConstraints[] = {
    {ConstraintType::closure, "closure", ""},
    {ConstraintType::on_line, "on_line", "the origin of {b} is on the z axis of {a}"},
    {ConstraintType::on_plane, "on_plane", "the origin of {b} is in the x-y plane of {a}"},
    {ConstraintType::on_circle, "on_circle",
     "the origin of {b} is on the circle of radius {radius} m in the x-y plane of {a}"},
    {ConstraintType::on_sphere, "on_sphere",
     "the origin of {b} is on the sphere of radius {radius} m about {a}"},
    {ConstraintType::on_surface, "on_surface", "the origin (x, y, z) of {b} in {a} satisfies {equations}"},
    {ConstraintType::distance, "distance", "{b} keeps the distance {length} m from {a}"},
    {ConstraintType::parallel, "parallel", "the z axes of {b} and {a} are parallel"},
    {ConstraintType::equation, "equation", "{equations}"},
    {ConstraintType::rolling, "rolling", ""},
    {ConstraintType::rates, "rates", "{equations}"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kConstraints); ++i)
    if (static_cast<std::size_t>(kConstraints[i].type) != i) return false;
  return true;
}
static_assert(in_order(), "one row for each ConstraintType, in the order of the enumeration");

}  // namespace

std::string_view name_of(ConstraintType type) { return kConstraints[static_cast<std::size_t>(type)].word; }
std::string_view meaning_of(ConstraintType type) {
  return kConstraints[static_cast<std::size_t>(type)].meaning;
}

}  // namespace tactus::describe
