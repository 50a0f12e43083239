// Named frames on bodies, and the springs that use them.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;

Expr optional_positive(const Reader& reader, const Fields& fields, std::string_view key,
                       algebra::Dimension dimension) {
  const Value* given = fields[key];
  return given != nullptr ? reader.positive_number(*given, dimension, fmt::format("`{}`", key)) : Expr(0.0);
}

void read_point_spring(Reader& reader, const Value::Entry& entry) {
  const Fields fields(reader, entry.value, "a spring between points", keys::kPointSpring);
  constexpr std::string_view kHelp = "write a frame's name, or {body: link_1, at: [0, 0, 0]}";
  PointSpring spring;
  spring.name = entry.key.text;
  const PointOnBody a = read_point(reader, fields.require("a", kHelp));
  const PointOnBody b = read_point(reader, fields.require("b", kHelp));
  if (a.body == b.body) {
    reader.fail(entry.value, "both ends of the spring are on the same body", "name points of two bodies");
  }
  spring.body_a = a.body;
  spring.body_b = b.body;
  spring.point_a = a.at;
  spring.point_b = b.at;
  spring.stiffness = optional_positive(reader, fields, "stiffness", kStiffness);
  spring.damping = optional_positive(reader, fields, "damping", kDamping);
  spring.rest_length = optional_positive(reader, fields, "rest_length", kLength);
  reader.model.point_springs.push_back(spring);
}

void read_joint_spring(Reader& reader, const Value::Entry& entry) {
  const Fields fields(reader, entry.value, "a spring at a joint", keys::kJointSpring);
  const Value& where =
      fields.require("joint", "write the name of a joint, or of one of its freedoms (ball.angle1)");
  const std::string& name = reader.word(where, "`joint`");
  JointAxis* axis = nullptr;
  std::vector<std::string> all;
  for (Joint& joint : reader.model.joints) {
    if (has_quaternion(joint.type)) continue;
    for (JointAxis& candidate : joint.axes) {
      all.push_back(candidate.name);
      if (candidate.name == name) axis = &candidate;
    }
  }
  if (axis == nullptr) {
    reader.fail(where, fmt::format("there is no joint coordinate named `{}`", name),
                suggestion(name, std::span<const std::string>(all)));
  }
  const bool r = axis->is_rotation;
  const Expr stiffness = optional_positive(reader, fields, "stiffness", r ? kAngularStiffness : kStiffness);
  if (!is_zero(stiffness) && !is_zero(axis->stiffness)) {
    reader.fail(where, fmt::format("the coordinate `{}` has a spring already", name), "keep one of them");
  }
  if (!is_zero(stiffness)) axis->stiffness = stiffness;
  axis->damping += optional_positive(reader, fields, "damping", r ? kAngularDamping : kDamping);
  if (const Value* rest = fields["rest"]) axis->rest = reader.number(*rest, r ? kNumber : kLength);
}

void read_frame_spring(Reader& reader, const Value::Entry& entry) {
  const Fields fields(reader, entry.value, "a spring between frames", keys::kFrameSpring);
  FrameSpring spring;
  spring.name = entry.key.text;
  spring.frame_a = find_frame(reader, fields.require("a", "write the name of a frame"));
  spring.frame_b = find_frame(reader, fields.require("b", "write the name of a frame"));
  const auto body_of = [&](int frame) { return reader.model.frames[static_cast<std::size_t>(frame)].body; };
  if (body_of(spring.frame_a) == body_of(spring.frame_b)) {
    reader.fail(entry.value, "both frames of the spring are on the same body", "name frames of two bodies");
  }
  spring.linear_stiffness = optional_positive(reader, fields, "linear_stiffness", kStiffness);
  spring.linear_damping = optional_positive(reader, fields, "linear_damping", kDamping);
  spring.angular_stiffness = optional_positive(reader, fields, "angular_stiffness", kAngularStiffness);
  spring.angular_damping = optional_positive(reader, fields, "angular_damping", kAngularDamping);
  reader.model.frame_springs.push_back(spring);
}

}  // namespace

int find_body(const Reader& reader, const Value& value) {
  const std::string& name = reader.word(value, "`body`");
  const int found = reader.model.body_index(name);
  if (found >= 0) return found;
  std::vector<std::string> all;
  for (const Body& body : reader.model.bodies) all.push_back(body.name);
  reader.fail(value, fmt::format("there is no body named `{}`", name),
              suggestion(name, std::span<const std::string>(all)));
}

int find_frame(const Reader& reader, const Value& value) {
  const std::string& name = reader.word(value, "the name of a frame");
  const int found = reader.model.frame_index(name);
  if (found >= 0) return found;
  std::vector<std::string> all;
  for (const Frame& frame : reader.model.frames) all.push_back(frame.name);
  reader.fail(value, fmt::format("there is no frame named `{}`", name),
              suggestion(name, std::span<const std::string>(all)));
}

PointOnBody read_point(const Reader& reader, const Value& value) {
  if (value.is_scalar()) {
    const Frame& frame = reader.model.frames[static_cast<std::size_t>(find_frame(reader, value))];
    return {frame.body, frame.X_BF.p};
  }
  const Fields fields(reader, value, "a point", keys::kPoint);
  PointOnBody point;
  point.body =
      find_body(reader, fields.require("body", "write {body: link_1, at: [0, 0, 0]}, or a frame's name"));
  if (const Value* at = fields["at"]) point.at = reader.vector(*at, kLength, "`at`");
  return point;
}

void read_frames(Reader& reader, const Value& section) {
  reader.require_map(section, "`frames`");
  for (const Value::Entry& entry : section.entries) {
    Frame frame;
    frame.name = reader.identifier(entry.key, "a frame");
    frame.where = reader.place(entry.key);
    if (reader.model.frame_index(frame.name) >= 0)
      reader.fail(entry.key,
                  fmt::format("the link `{}` of the robot is a frame of this name already", frame.name),
                  "choose another name");
    const Fields fields(reader, entry.value, fmt::format("the frame `{}`", frame.name), keys::kFrame);
    frame.body =
        find_body(reader, fields.require("body", "write the name of the body that carries the frame"));
    if (const Value* placement = fields["placement"]) frame.X_BF = reader.placement(*placement);
    if (const Value* grasp = fields["grasp"]) frame.grasp = reader.flag(*grasp, "`grasp`");
    if (const Value* text = fields["description"]) frame.description = reader.word(*text, "a description");
    reader.model.frames.push_back(std::move(frame));
  }
}

void read_springs(Reader& reader, const Value& section) {
  reader.require_map(section, "`springs`");
  static constexpr std::array<std::string_view, 3> kTypes = {"points", "joint", "frames"};
  for (const Value::Entry& entry : section.entries) {
    reader.identifier(entry.key, "a spring");
    reader.require_map(entry.value, fmt::format("the spring `{}`", entry.key.text));
    const Value* type = entry.value.find("type");
    if (type == nullptr) {
      reader.fail(entry.value, fmt::format("the spring `{}` has no `type`", entry.key.text),
                  "write type: points, joint or frames");
    }
    switch (reader.choice(*type, "a type of spring", kTypes)) {
      case 0:
        read_point_spring(reader, entry);
        break;
      case 1:
        read_joint_spring(reader, entry);
        break;
      default:
        read_frame_spring(reader, entry);
        break;
    }
  }
}

}  // namespace tactus::describe
