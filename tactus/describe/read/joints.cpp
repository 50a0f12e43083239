// Joints: how a body moves on its parent, and what acts at its degrees of freedom.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;

/// Two axes that should be perpendicular may miss it by this much (they are written with six digits or more).
constexpr double kPerpendicular = 1e-6;

JointType read_type(const Reader& reader, const Value& value) {
  struct Foreign {
    std::string_view word, remedy;
  };
  constexpr std::array kForeign = {Foreign{"fixed", "this format says `weld`"},
                                   Foreign{"continuous", "write `revolute` without `limits`"},
                                   Foreign{"hinge", "this format says `revolute`"},
                                   Foreign{"slider", "this format says `prismatic`"},
                                   Foreign{"slide", "this format says `prismatic`"},
                                   Foreign{"ball", "this format says `spherical`"},
                                   Foreign{"floating", "this format says `free`"},
                                   Foreign{"screw", "this format says `helical`"}};
  const std::string& word = reader.word(value, "a joint type");
  for (const Foreign& foreign : kForeign) {
    if (word == foreign.word) {
      reader.fail(value, fmt::format("`{}` is not a joint type", word), std::string(foreign.remedy));
    }
  }
  std::vector<std::string_view> words;
  for (const JointTraits& joint : all_joints()) words.push_back(joint.word);
  return static_cast<JointType>(reader.choice(value, "a joint type", words));
}

double dot_value(const Vec3& a, const Vec3& b) { return dot(a, b).value(); }

/// `axes: [x, y]`, perpendicular.
std::array<Vec3, 2> read_axes(const Reader& reader, const Value& value) {
  reader.require_list(value, "`axes`", 2);
  const std::array<Vec3, 2> axes = {reader.axis(value.items[0]), reader.axis(value.items[1])};
  if (std::fabs(dot_value(axes[0], axes[1])) > kPerpendicular) {
    reader.fail(value, "the two axes are not perpendicular",
                "write two unit vectors at a right angle, such as [x, y]");
  }
  return axes;
}

/// The two directions in the plane and its normal. A coordinate axis as normal has the next two as
/// directions.
std::array<Vec3, 3> planar_axes(const Reader& reader, const Fields& fields) {
  if (const Value* given = fields["axes"]) {
    fields.refuse({"axis"}, "`axes` already says which plane");
    const std::array<Vec3, 2> axes = read_axes(reader, *given);
    return {axes[0], axes[1], cross(axes[0], axes[1])};
  }
  Vec3 normal = Vec3::unit(2);
  if (const Value* axis = fields["axis"]) normal = reader.axis(*axis);
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 e1 = Vec3::unit((i + 1) % 3), e2 = Vec3::unit((i + 2) % 3);
    if (!is_zero(normal[(i + 1) % 3]) || !is_zero(normal[(i + 2) % 3])) continue;
    if (normal[i].is_constant(1.0)) return {e1, e2, normal};
    if (normal[i].is_constant(-1.0)) return {e2, e1, normal};
  }
  reader.fail(*fields["axis"], "a slanted plane needs its two directions",
              "write axes: [e1, e2] with two perpendicular unit vectors in the plane");
}

/// `order: zyx`, or `order: [z, x, -y]`: three coordinate axes, neighbours different.
std::array<Vec3, 3> read_order(const Reader& reader, const Value& value) {
  constexpr std::string_view kRemedy =
      "write three axes of which neighbours differ: zyx (yaw, pitch, roll), zxz, or with signs [z, x, -y]";
  std::array<Vec3, 3> axes;
  std::array<std::size_t, 3> number{};
  const auto is_axis = [](char letter) { return letter >= 'x' && letter <= 'z'; };
  if (value.is_scalar()) {
    const std::string& text = value.text;
    if (text.size() != 3 || !std::all_of(text.begin(), text.end(), is_axis))
      reader.fail(value, fmt::format("`{}` is not an order of axes", text), std::string(kRemedy));
    for (std::size_t k = 0; k < 3; ++k) {
      number[k] = static_cast<std::size_t>(text[k] - 'x');
      axes[k] = Vec3::unit(number[k]);
    }
  } else {
    reader.require_list(value, "`order`", 3);
    for (std::size_t k = 0; k < 3; ++k) {
      const Value& item = value.items[k];
      const std::string_view letter = std::string_view(item.text).substr(item.text.starts_with('-') ? 1 : 0);
      if (!item.is_scalar() || letter.size() != 1 || !is_axis(letter[0]))
        reader.fail(item, "an order of axes is made of x, y, z, -x, -y and -z", std::string(kRemedy));
      number[k] = static_cast<std::size_t>(letter[0] - 'x');
      axes[k] = reader.axis(item);
    }
  }
  if (number[0] == number[1] || number[1] == number[2]) {
    reader.fail(value, "two turns that follow each other have the same axis: they are one",
                std::string(kRemedy));
  }
  return axes;
}

/// The axes that the file gives, or those that it leaves out, numbered as JointFreedom::axis counts.
std::array<Vec3, 6> written_axes(const Reader& reader, const Fields& fields, const JointTraits& traits) {
  const std::array<Vec3, 6> coordinate_axes = {Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)};
  if (traits.axes != AxesWritten::order)
    fields.refuse({"order"}, "only euler and free_euler joints have one");
  switch (traits.axes) {
    case AxesWritten::none:
      fields.refuse({"axis", "axes"}, "this type of joint has no axis");
      return coordinate_axes;
    case AxesWritten::one: {
      fields.refuse({"axes"}, "this joint has one `axis`");
      const Value* axis = fields["axis"];
      return {axis != nullptr ? reader.axis(*axis) : Vec3::unit(2)};
    }
    case AxesWritten::two: {
      fields.refuse({"axis"}, fmt::format("a {} joint has two: axes: [x, y]", traits.word));
      const Value* given = fields["axes"];
      if (given == nullptr) return coordinate_axes;
      const std::array<Vec3, 2> axes = read_axes(reader, *given);
      return {axes[0], axes[1]};
    }
    case AxesWritten::plane: {
      const std::array<Vec3, 3> axes = planar_axes(reader, fields);
      return {axes[0], axes[1], axes[2]};
    }
    case AxesWritten::order: {
      fields.refuse({"axis", "axes"}, "write order: zyx");
      const std::array<Vec3, 3> turns = read_order(
          reader, fields.require("order", "write order: zyx for yaw, pitch, roll, or another order of axes"));
      return {Vec3::unit(0), Vec3::unit(1), Vec3::unit(2), turns[0], turns[1], turns[2]};
    }
  }
  return coordinate_axes;
}

void set_axes(const Reader& reader, const Fields& fields, Joint& joint) {
  const JointTraits& traits = joint_traits(joint.type);
  const std::array<Vec3, 6> directions = written_axes(reader, fields, traits);
  const Value* names = fields["names"];
  if (names != nullptr) {
    if (traits.nv < 2 || traits.has_quaternion())
      reader.fail(*names, "only joints with several plain coordinates name them",
                  "leave it out; the coordinate is called after the joint");
    reader.require_list(*names, "`names`", traits.nv);
  }
  for (const JointFreedom& freedom : traits.freedoms()) {
    JointAxis axis;
    axis.name = names != nullptr       ? reader.identifier(names->items[joint.axes.size()], "a coordinate")
                : freedom.name.empty() ? joint.name
                                       : joint.name + "." + std::string(freedom.name);
    axis.direction = directions[static_cast<std::size_t>(freedom.axis)];
    axis.is_rotation = freedom.is_rotation;
    joint.axes.push_back(axis);
  }
}

/// A number for both directions, or {positive: ..., negative: ...}.
std::array<Expr, 2> read_directions(const Reader& reader, const Value& value, Dimension dimension,
                                    std::string_view what) {
  if (!value.is_map()) {
    const Expr both = reader.positive_number(value, dimension, what);
    return {both, both};
  }
  const Fields fields(reader, value, what, keys::kDirections);
  constexpr std::string_view kHelp =
      "give both directions: {positive: ..., negative: ...}, neither below zero";
  return {reader.positive_number(fields.require("positive", kHelp), dimension, what),
          reader.positive_number(fields.require("negative", kHelp), dimension, what)};
}

/// What acts at the degrees of freedom of a joint, whose axes are known.
void read_freedoms(const Reader& reader, const Fields& fields, Joint& joint) {
  const JointTraits& traits = joint_traits(joint.type);
  if (joint.axes.size() == 1) {
    fields.refuse({"freedoms"}, "write limits, damping and the like directly in a joint with one freedom");
    read_freedom(reader, fields, joint.axes[0]);
    return;
  }
  const bool is_weld = joint.axes.empty();
  fields.refuse({"limits", "velocity_limit", "effort_limit", "armature", "damping", "friction", "stiffness",
                 "rest", "passive"},
                is_weld
                    ? "a weld does not move"
                    : fmt::format("this joint has {} freedoms: write them under freedoms: {{{}: {{...}}}}",
                                  joint.axes.size(),
                                  joint.axes.front().name.substr(joint.axes.front().name.rfind('.') + 1)));
  if (is_weld) fields.refuse({"freedoms"}, "a weld does not move");
  if (const Value* freedoms = fields["freedoms"]) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < joint.axes.size(); ++i) {
      const std::string_view name = joint.axes[i].name;
      const bool own_name = !name.starts_with(joint.name + ".");
      names.push_back(own_name ? name : traits.freedoms()[i].name);
    }
    const Fields each(reader, *freedoms, "`freedoms`", names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Value* given = each[names[i]];
      if (given == nullptr) continue;
      const Fields freedom(reader, *given, fmt::format("the freedom `{}`", joint.axes[i].name),
                           keys::kFreedom);
      if (traits.has_quaternion()) {
        freedom.refuse({"limits", "stiffness", "rest"},
                       "its coordinates are a quaternion; use a spring of type `frames` to hold it");
      }
      read_freedom(reader, freedom, joint.axes[i]);
    }
  }
}

Joint read_joint(const Reader& reader, const Value::Entry& entry, DraftJoint& draft) {
  Joint joint;
  joint.name = reader.identifier(entry.key, "a joint");
  joint.where = reader.place(entry.key);
  const Fields fields(reader, entry.value, fmt::format("the joint `{}`", joint.name), keys::kJoint);
  joint.type = read_type(reader, fields.require("type", "write type: revolute, or another type of joint"));
  draft.parent_at = fields.require("parent", "write parent: world, or the name of a body");
  draft.child_at = fields.require("child", "write the name of the body that this joint carries");
  draft.parent = reader.word(draft.parent_at, "`parent`");
  draft.child = reader.word(draft.child_at, "`child`");
  if (const Value* placement = fields["placement"]) joint.X_PJ = reader.placement(*placement);
  if (const Value* placement = fields["child_placement"]) joint.X_FB = reader.placement(*placement);
  set_axes(reader, fields, joint);
  const JointTraits& traits = joint_traits(joint.type);
  if (traits.has_pitch) {
    joint.pitch =
        reader.number(fields.require("pitch", "write pitch: 5 mm/rev, the advance per turn"), kLength);
  } else {
    fields.refuse({"pitch"}, "only a helical joint has a pitch");
  }
  if (const Value* text = fields["description"]) reader.word(*text, "a description");
  read_freedoms(reader, fields, joint);
  return joint;
}

}  // namespace

void read_freedom(const Reader& reader, const Fields& fields, JointAxis& axis) {
  const bool r = axis.is_rotation;
  const Dimension coordinate = r ? kNumber : kLength;
  const Dimension effort = r ? kTorque : kForce;
  const Dimension damping = r ? kAngularDamping : kDamping;
  if (const Value* limits = fields["limits"]) {
    reader.require_list(*limits, "`limits`", 2);
    const auto side = [&](std::size_t i) -> std::optional<Expr> {
      if (limits->items[i].is_null()) return std::nullopt;
      return reader.number(limits->items[i], coordinate);
    };
    axis.lower = side(0);
    axis.upper = side(1);
    if (axis.lower && axis.upper) {
      const double lower = reader.value_at_parameters(*axis.lower),
                   upper = reader.value_at_parameters(*axis.upper);
      if (lower > upper) {
        reader.fail(*limits,
                    fmt::format("the lower limit {:.6g} lies above the upper limit {:.6g}", lower, upper),
                    "write limits: [lower, upper]; ~ stands for no limit");
      }
    }
  }
  if (const Value* limit = fields["velocity_limit"]) {
    axis.velocity_limit = reader.positive_number(*limit, r ? kAngularSpeed : kSpeed, "the velocity limit");
  }
  if (const Value* limit = fields["effort_limit"]) {
    axis.effort_limit = reader.positive_number(*limit, effort, "the effort limit");
  }
  if (const Value* armature = fields["armature"]) {
    axis.armature = reader.positive_number(*armature, r ? kInertia : kMass, "the armature");
  }
  if (const Value* given = fields["damping"]) {
    axis.damping = reader.positive_number(*given, damping, "the damping");
  }
  if (const Value* friction = fields["friction"]) {
    const Fields parts(reader, *friction, "`friction`", keys::kFriction);
    if (const Value* viscous = parts["viscous"]) {
      const auto [positive, negative] = read_directions(reader, *viscous, damping, "viscous friction");
      axis.friction.viscous_positive = positive;
      axis.friction.viscous_negative = negative;
    }
    if (const Value* coulomb = parts["coulomb"]) {
      const auto [positive, negative] = read_directions(reader, *coulomb, effort, "Coulomb friction");
      axis.friction.coulomb_positive = positive;
      axis.friction.coulomb_negative = negative;
    }
    if (const Value* breakaway = parts["breakaway"]) {
      const auto [positive, negative] = read_directions(reader, *breakaway, effort, "breakaway friction");
      axis.friction.breakaway_positive = positive;
      axis.friction.breakaway_negative = negative;
      const auto check = [&](const Expr& rest, const Expr& sliding) {
        const double least = reader.value_at_parameters(sliding), given = reader.value_at_parameters(rest);
        if (given < least)
          reader.fail(
              *breakaway,
              fmt::format("a joint breaks away at {:.6g}, below the {:.6g} of its sliding", given, least),
              "`breakaway` is at least `coulomb`; leave it out where they are the same");
      };
      check(positive, axis.friction.coulomb_positive);
      check(negative, axis.friction.coulomb_negative);
    }
  }
  if (const Value* stiffness = fields["stiffness"]) {
    axis.stiffness = reader.positive_number(*stiffness, r ? kAngularStiffness : kStiffness, "the stiffness");
  } else {
    fields.refuse({"rest"}, "a rest position belongs to a `stiffness`, which is not given");
  }
  if (const Value* rest = fields["rest"]) axis.rest = reader.number(*rest, coordinate);
  if (const Value* passive = fields["passive"]) axis.passive = reader.flag(*passive, "`passive`");
}

namespace {

/// What gives only properties of freedoms was meant to add to a joint of the robot's file.
void require_new_joint(const Reader& reader, const Value::Entry& entry, const Draft& draft) {
  if (draft.included_joints.empty() || !entry.value.is_map() || entry.value.entries.empty()) return;
  for (const Value::Entry& given : entry.value.entries)
    if (std::find(keys::kIncludedJoint.begin(), keys::kIncludedJoint.end(), given.key.text) ==
        keys::kIncludedJoint.end())
      return;
  std::vector<std::string> all;
  for (const auto& [name, at] : draft.included_joints) all.push_back(name);
  std::sort(all.begin(), all.end());
  const std::string& file = draft.joints[draft.included_joints.begin()->second].joint.where.file;
  const std::string guess = suggestion(entry.key.text, std::span<const std::string>(all));
  reader.fail(entry.key, fmt::format("there is no joint `{}` in {}", entry.key.text, file),
              fmt::format("{}{} a joint of this model's own needs `type`, `parent` and `child`", guess,
                          guess.ends_with('?') ? "" : ";"));
}

}  // namespace

void read_joints(Reader& reader, const Value& section, Draft& draft) {
  reader.require_map(section, "`joints`");
  for (const Value::Entry& entry : section.entries) {
    if (const auto included = draft.included_joints.find(entry.key.text);
        included != draft.included_joints.end()) {
      Joint& known = draft.joints[included->second].joint;
      reader.require_map(entry.value, fmt::format("the joint `{}`", known.name));
      for (const std::string_view key : {"type", "parent", "child", "placement", "child_placement", "axis",
                                         "axes", "order", "names", "pitch"})
        if (const Value* given = entry.value.find(key))
          reader.fail(
              *given,
              fmt::format("the joint `{}` has its `{}` from the file that is included", known.name, key),
              "leave it out; limits, armature, damping, friction and springs can be given here");
      read_freedoms(
          reader,
          Fields(reader, entry.value, fmt::format("the joint `{}`", known.name), keys::kIncludedJoint),
          known);
      continue;
    }
    require_new_joint(reader, entry, draft);
    DraftJoint joint;
    joint.joint = read_joint(reader, entry, joint);
    draft.joints.push_back(std::move(joint));
  }
}

}  // namespace tactus::describe
