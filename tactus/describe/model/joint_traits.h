// The types of joints in one table: whoever has to know what a joint is asks for its traits, and no other place
// lists the types. (What a joint takes away as the closure of a loop is in derive/constraints/constraints.cpp.)
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace tactus::describe {

enum class JointType {
  revolute,
  prismatic,
  helical,
  cylindrical,
  universal,
  planar,
  spherical,
  free,
  euler,       // orientation by three angles about body-fixed axes
  free_euler,  // position, then such an orientation
  weld
};

/// Which axes a file may give, and how they are numbered.
enum class AxesWritten {
  none,   // none: number k is the coordinate axis k (mod 3)
  one,    // axis: z
  two,    // axes: [x, y], perpendicular
  plane,  // axis: z, the normal, or axes: [x, y] in the plane. Numbered: the two in the plane, the normal
  order,  // order: zyx, three coordinate axes of which neighbours differ
};

/// One degree of freedom: a turn about or a slide along one of the axes.
struct JointFreedom {
  std::string_view name = {};  // last part of the coordinate's or speed's name; empty: the joint's name alone
  bool is_rotation = true;
  int axis = 0;  // which one of the axes written; of those of `order`: 3, 4, 5
};

struct JointTraits {
  JointType type = JointType::weld;
  std::string_view word = {};  // in files and reports
  AxesWritten axes = AxesWritten::none;
  std::size_t nv = 0;                     // degrees of freedom
  std::array<JointFreedom, 6> freedom{};  // the first nv count, in the order of the speeds
  int quaternion_at = -1;        // among its coordinates, where a unit quaternion begins; -1: it has none
  bool has_pitch = false;        // the turn comes with an advance along the axis
  std::string_view closes = {};  // what it says of two frames that it joins, a and b; empty: no closure

  constexpr bool has_quaternion() const { return quaternion_at >= 0; }
  constexpr std::size_t nq() const { return nv + (has_quaternion() ? 1 : 0); }
  constexpr std::span<const JointFreedom> freedoms() const { return {freedom.data(), nv}; }
};

/// All of them, in the order of the enumeration.
std::span<const JointTraits> all_joints();
const JointTraits& joint_traits(JointType type);

std::string_view name_of(JointType type);
/// Numbers of coordinates and of speeds: they differ where a unit quaternion describes the orientation.
int coordinate_count(JointType type);
int speed_count(JointType type);
/// Whether a unit quaternion describes the orientation: spherical and free joints. Its four numbers are the
/// last of the joint's coordinates; positions along the joint's x, y, z stand before them. The speeds are then
/// quasi-velocities, the angular velocity first.
bool has_quaternion(JointType type);

}  // namespace tactus::describe
