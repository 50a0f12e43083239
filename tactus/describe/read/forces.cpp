// The `forces` section: laws of forces, by formulas of the motion.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/motion_names.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;
using algebra::Quantity;

/// A formula of a known kind, with a finite value in the initial state.
Expr read_formula(const Reader& reader, const MotionNames& names, const Value& value, Dimension dimension,
                  std::span<const Expr> own = {}, std::span<const Expr> own_start = {}) {
  const Quantity quantity = reader.quantity(value);
  // A function's value is a pure number: 3*sin(t) may well be a force.
  const bool pure = quantity.dimension == kNumber && !quantity.value.is_constant();
  if (quantity.known == Quantity::Known::yes && !pure && !(quantity.dimension == dimension)) {
    reader.fail(value,
                fmt::format("wrong unit: this is {}, not {}", algebra::describe_dimension(quantity.dimension),
                            algebra::describe_dimension(dimension)),
                "mend the formula, or its units");
  }
  const Expr at_start = own.empty()
                            ? quantity.value
                            : algebra::substitute(quantity.value, algebra::Graph::current(), own, own_start);
  if (!std::isfinite(names.at_start(at_start))) {
    reader.fail(
        value, "this has no finite value at the initial state",
        "a division by zero, or a root of a negative number? Give an `initial` state where it is defined");
  }
  return quantity.value;
}

void read_joint_law(Reader& reader, const Value::Entry& entry, ForceLaw& law) {
  const Fields fields(reader, entry.value, "a force at a joint", keys::kJointForce);
  const Value& where =
      fields.require("joint", "write the name of a joint, or of one of its freedoms (cross.angle1)");
  const std::string& name = reader.word(where, "`joint`");
  bool is_rotation = true;
  std::vector<std::string> all;
  for (const Joint& joint : reader.model.joints)
    for (const JointAxis& axis : joint.axes) {
      if (axis.name == name) {
        law.rate = static_cast<int>(all.size());
        is_rotation = axis.is_rotation;
      }
      all.push_back(axis.name);
    }
  if (law.rate < 0) {
    reader.fail(where, fmt::format("there is no degree of freedom named `{}`", name),
                suggestion(name, std::span<const std::string>(all)));
  }
  const MotionNames names(reader);
  law.component = {read_formula(reader, names, fields.require("force", "write force: -k*q1^3, a formula"),
                                is_rotation ? kTorque : kForce)};
}

void read_frame_law(Reader& reader, const Value::Entry& entry, ForceLaw& law) {
  static constexpr std::array<std::string_view, 2> kAxes = {"world", "frame"};
  const Fields fields(reader, entry.value, "a force at a frame", keys::kFrameForce);
  law.frame = find_frame(reader, fields.require("frame", "write the name of a frame"));
  if (reader.model.frames[static_cast<std::size_t>(law.frame)].body == 0) {
    reader.fail(*fields["frame"], fmt::format("the frame `{}` is fixed in the world", fields["frame"]->text),
                "a force there moves nothing: name a frame of a body");
  }
  if (const Value* axes = fields["axes"])
    law.world_axes = reader.choice(*axes, "a choice of axes", kAxes) == 0;
  if (fields["force"] == nullptr && fields["torque"] == nullptr) {
    reader.fail(entry.value, "neither `force` nor `torque` is given", "write force: [0, 0, -10*tip.vz]");
  }
  const MotionNames names(reader);
  for (const auto& [key, dimension] : {std::pair{"torque", kTorque}, {"force", kForce}}) {
    const Value* given = fields[key];
    if (given != nullptr) reader.require_list(*given, fmt::format("`{}`", key), 3);
    for (std::size_t k = 0; k < 3; ++k)
      law.component.push_back(given == nullptr ? Expr(0.0)
                                               : read_formula(reader, names, given->items[k], dimension));
  }
}

void read_line_law(Reader& reader, const Value::Entry& entry, ForceLaw& law) {
  const Fields fields(reader, entry.value, "a force along a line", keys::kLineForce);
  constexpr std::string_view kHelp = "write a frame's name, or {body: link_1, at: [0, 0, 0]}";
  const PointOnBody a = read_point(reader, fields.require("a", kHelp)),
                    b = read_point(reader, fields.require("b", kHelp));
  if (a.body == b.body) {
    reader.fail(entry.value, "both ends of the line are on the same body", "name points of two bodies");
  }
  law.body_a = a.body;
  law.point_a = a.at;
  law.body_b = b.body;
  law.point_b = b.at;
  const Value& force = fields.require(
      "force", "write force: 200*(distance - 0.3) + 2*distance_rate, above zero where it pulls");
  const MotionNames names(reader);
  std::vector<Expr> own;
  for (const std::string name : {"distance", "distance_rate"}) {
    if (reader.local_names.contains(name) || reader.parameter_quantities.contains(name)) {
      reader.fail(force, fmt::format("`{}` is here how far apart the points are, or its rate", name),
                  "rename what else is called so");
    }
    own.push_back(algebra::symbol(name));
    reader.local_names[name] = {own.back(), Quantity::Known::no, {}};
  }
  law.component = {read_formula(reader, names, force, kForce, own, std::array{Expr(1.0), Expr(0.0)})};
}

}  // namespace

void read_forces(Reader& reader, const Value& section) {
  reader.require_map(section, "`forces`");
  static constexpr std::array<std::string_view, 3> kTypes = {"joint", "frame", "line"};
  for (const Value::Entry& entry : section.entries) {
    ForceLaw law;
    law.name = reader.identifier(entry.key, "a force");
    law.where = reader.place(entry.key);
    reader.require_map(entry.value, fmt::format("the force `{}`", law.name));
    const Value* type = entry.value.find("type");
    if (type == nullptr) {
      reader.fail(entry.value, fmt::format("the force `{}` has no `type`", law.name),
                  "write type: joint, frame or line");
    }
    law.kind = static_cast<ForceLaw::Kind>(reader.choice(*type, "a type of force", kTypes));
    switch (law.kind) {
      case ForceLaw::Kind::joint:
        read_joint_law(reader, entry, law);
        break;
      case ForceLaw::Kind::frame:
        read_frame_law(reader, entry, law);
        break;
      case ForceLaw::Kind::line:
        read_line_law(reader, entry, law);
        break;
    }
    if (const Value* text = entry.value.find("description"))
      law.description = reader.word(*text, "a description");
    reader.model.force_laws.push_back(std::move(law));
  }
}

}  // namespace tactus::describe
