#include <tactus/describe/model/joint_traits.h>

namespace tactus::describe {

namespace {

// clang-format off
constexpr JointTraits kJoints[] = {
    {.type = JointType::revolute, .word = "revolute", .axes = AxesWritten::one,
     .nv = 1, .freedom = {{{"", true, 0}}},
     .closes = "{b} turns about the z of {a}"},
    {.type = JointType::prismatic, .word = "prismatic", .axes = AxesWritten::one,
     .nv = 1, .freedom = {{{"", false, 0}}},
     .closes = "{b} slides along the z of {a} without turning"},
    {.type = JointType::helical, .word = "helical", .axes = AxesWritten::one,
     .nv = 1, .freedom = {{{"", true, 0}}},
     .has_pitch = true},
    {.type = JointType::cylindrical, .word = "cylindrical", .axes = AxesWritten::one,
     .nv = 2, .freedom = {{{"angle", true, 0}, {"slide", false, 0}}},
     .closes = "{b} turns about and slides along the z of {a}"},
    {.type = JointType::universal, .word = "universal", .axes = AxesWritten::two,
     .nv = 2, .freedom = {{{"angle1", true, 0}, {"angle2", true, 1}}},
     .closes = "{b} meets {a} by a cross, the two z perpendicular"},
    {.type = JointType::planar, .word = "planar", .axes = AxesWritten::plane,
     .nv = 3, .freedom = {{{"x", false, 0}, {"y", false, 1}, {"angle", true, 2}}},
     .closes = "{b} slides and turns in the x-y plane of {a}"},
    {.type = JointType::spherical, .word = "spherical",
     .nv = 3, .freedom = {{{"wx", true, 0}, {"wy", true, 1}, {"wz", true, 2}}},
     .quaternion_at = 0,
     .closes = "the origins of {b} and {a} meet"},
    {.type = JointType::free, .word = "free",
     .nv = 6, .freedom = {{{"wx", true, 0}, {"wy", true, 1}, {"wz", true, 2},
                           {"vx", false, 0}, {"vy", false, 1}, {"vz", false, 2}}},
     .quaternion_at = 3},
    {.type = JointType::euler, .word = "euler", .axes = AxesWritten::order,
     .nv = 3, .freedom = {{{"angle1", true, 3}, {"angle2", true, 4}, {"angle3", true, 5}}}},
    {.type = JointType::free_euler, .word = "free_euler", .axes = AxesWritten::order,
     .nv = 6, .freedom = {{{"x", false, 0}, {"y", false, 1}, {"z", false, 2},
                           {"angle1", true, 3}, {"angle2", true, 4}, {"angle3", true, 5}}}},
    {.type = JointType::weld, .word = "weld",
     .closes = "{b} is fixed to {a}"},
};
// clang-format on

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kJoints); ++i)
    if (static_cast<std::size_t>(kJoints[i].type) != i) return false;
  return true;
}
static_assert(in_order(), "one row for each JointType, in the order of the enumeration");

}  // namespace

std::span<const JointTraits> all_joints() { return kJoints; }
const JointTraits& joint_traits(JointType type) { return kJoints[static_cast<std::size_t>(type)]; }

std::string_view name_of(JointType type) { return joint_traits(type).word; }
int coordinate_count(JointType type) { return static_cast<int>(joint_traits(type).nq()); }
int speed_count(JointType type) { return static_cast<int>(joint_traits(type).nv); }
bool has_quaternion(JointType type) { return joint_traits(type).has_quaternion(); }

}  // namespace tactus::describe
