// Chains by Denavit-Hartenberg tables.
//
//   standard  T_i = RotZ(theta_i) TransZ(d_i) TransX(a_i) RotX(alpha_i)           joint i turns about z_{i-1}
//   modified  T_i = RotX(alpha_{i-1}) TransX(a_{i-1}) RotZ(theta_i) TransZ(d_i)   joint i turns about z_i
//
// The joint's coordinate adds to theta (revolute) or to d (prismatic); the table's entry is its value at
// q = 0. Turn and slide along one z commute, so the constant parts of both go into the placement X_PJ.
#include <array>

#include <fmt/format.h>

#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>
#include <tactus/math/rotation.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;

Pose along_x(Expr a, Expr alpha) { return {math::rotation_x(cos(alpha), sin(alpha)), {a, 0.0, 0.0}}; }
Pose along_z(Expr d, Expr theta) { return {math::rotation_z(cos(theta), sin(theta)), {0.0, 0.0, d}}; }

}  // namespace

void read_dh(Reader& reader, const Value& section, Draft& draft) {
  const Fields table(reader, section, "`dh`", keys::kDh);
  static constexpr std::array<std::string_view, 2> kConventions = {"standard", "modified"};
  const bool modified =
      reader.choice(
          table.require("convention", "write convention: standard (Denavit, Paul) or modified (Craig)"),
          "a DH convention", kConventions) == 1;
  Value previous_at = section;
  std::string previous = "world";
  if (const Value* base = table["base"]) {
    previous = reader.word(*base, "`base`");
    previous_at = *base;
  }
  const Value& links = table.require("links", "write a list of {alpha, a, d, theta, mass, ...}");
  if (!links.is_sequence() || links.items.empty()) {
    reader.fail(links, "`links` must be a list of links",
                "write one `- {alpha: ..., a: ..., d: ..., ...}` each");
  }
  int number = 0;
  for (const Value& item : links.items) {
    ++number;
    const Fields fields(reader, item, "a DH link", keys::kDhLink);
    const Value* name = fields["name"];
    const Value* joint_name = fields["joint"];
    static constexpr std::array<std::string_view, 2> kTypes = {"revolute", "prismatic"};
    const Value* type = fields["type"];
    const bool slides = type != nullptr && reader.choice(*type, "a type of DH joint", kTypes) == 1;
    const auto entry = [&](std::string_view key, algebra::Dimension dimension) {
      const Value* given = fields[key];
      return given != nullptr ? reader.number(*given, dimension) : Expr(0.0);
    };
    const Expr alpha = entry("alpha", kNumber), theta = entry("theta", kNumber);
    const Expr a = entry("a", kLength), d = entry("d", kLength);

    Body body;
    body.name = name != nullptr ? reader.identifier(*name, "a body") : fmt::format("link_{}", number);
    body.where = reader.place(item);
    DraftJoint next;
    Joint& joint = next.joint;
    joint.name =
        joint_name != nullptr ? reader.identifier(*joint_name, "a joint") : fmt::format("joint_{}", number);
    joint.where = reader.place(item);
    joint.type = slides ? JointType::prismatic : JointType::revolute;
    joint.X_PJ = modified ? along_x(a, alpha) * along_z(d, theta) : along_z(d, theta);
    if (!modified) joint.X_FB = along_x(a, alpha);
    JointAxis axis;
    axis.name = joint.name;
    axis.direction = Vec3::unit(2);
    axis.is_rotation = !slides;
    read_freedom(reader, fields, axis);
    joint.axes.push_back(axis);
    next.parent = previous;
    next.parent_at = previous_at;
    next.child = body.name;
    next.child_at = item;
    previous = body.name;
    previous_at = item;
    read_mass_properties(reader, fields, body);
    draft.bodies.push_back(std::move(body));
    draft.joints.push_back(std::move(next));
  }
}

}  // namespace tactus::describe
