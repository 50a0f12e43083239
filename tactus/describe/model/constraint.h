// Constraints as a model describes them. Everything that is a formula in the coordinates (gears, racks,
// screws, belts, locks, prescribed motions) is one here too; what remains are geometric relations between
// frames.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/base/error.h>
#include <tactus/describe/model/joint_traits.h>

namespace tactus::describe {

enum class ConstraintType {
  closure,     // frame b moves relative to frame a as by a joint
  on_line,     // b's origin on the line through a's origin along a's z
  on_plane,    // b's origin in the x-y plane of a
  on_circle,   // b's origin on the circle about a's origin in a's x-y plane
  on_sphere,   // b's origin on the sphere about a's origin
  on_surface,  // b's origin, in a's coordinates x, y, z, satisfies the equations (one: a surface, two: a
               // curve)
  distance,    // the origins keep their distance
  parallel,    // the z axes stay parallel
  equation,    // phi(q, t) = 0
  rolling,     // b rolls on a without slip, see Rolling
  rates,       // a linear equation in the joint rates: sum a_i(q,t) qd_i + b(q,t) = 0
};
std::string_view name_of(ConstraintType type);
/// What a constraint of the type says, in which {a} and {b} stand for the two frames, {radius}, {length} and
/// {equations} for its numbers and formulas. Empty for those that have more to say: closures, rolling.
std::string_view meaning_of(ConstraintType type);

enum class Rolling {
  disk_on_plane,    // b: disk about its z, radius; a: plane with normal z. The disk may lean.
  sphere_on_plane,  // b: sphere about its origin
  disk_on_disk,     // both disks about parallel z axes; radius_a < 0: b rolls inside the ring a
  knife_edge,       // b's origin does not move along b's y: a blade, or a wheel that may not slide sideways
  ellipsoid_on_plane,  // b: ellipsoid about its origin, semi-axes along b's x, y, z
  surface_on_plane,    // b: closed surface f(x, y, z) = 0 in b's axes, its origin inside
  sphere_on_surface,   // b: sphere about its origin, on the surface f(x, y, z) = 0 in a's axes, where f > 0
};

struct Constraint {
  std::string name;
  ConstraintType type = ConstraintType::equation;
  std::string kind;                     // as the file says it: "gear", "lock", "revolute", ...
  bool active = true;                   // at the start
  int frame_a = -1, frame_b = -1;       // indices into Model::frames
  JointType closure = JointType::weld;  // closure: the joint that joins the two frames
  Rolling rolling = Rolling::disk_on_plane;
  bool keep_contact = true;                  // rolling: the contact itself is a constraint too
  algebra::Expr radius, radius_a;            // circle, sphere, rolling; the other disk's
  std::array<algebra::Expr, 3> semi_axes{};  // of an ellipsoid; surface_on_plane: of one like it
  algebra::Expr length;                      // distance
  std::vector<algebra::Expr> equations;  // on_surface, rolling: in x, y, z; equation: phi; rates: linear in
                                         // the rates
  std::string description;
  Place where;
};

}  // namespace tactus::describe
