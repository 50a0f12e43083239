// Bodies: mass, centre of mass, inertia, shapes.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/check/inertia.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;

/// [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three rows. Products of inertia are the matrix's
/// elements, Ixy = -integral of x y dm, as in URDF.
Mat3 read_inertia_matrix(const Reader& reader, const Value& value) {
  const auto refuse = [&] {
    reader.fail(value, "an inertia must be 3 numbers, 6 numbers or 3 rows of 3",
                "write [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or [[...], [...], [...]]");
  };
  if (!value.is_sequence()) refuse();
  const std::vector<Value>& items = value.items;
  const auto at = [&](std::size_t i) { return reader.number(items[i], kInertia); };
  Mat3 I = Mat3::zero();
  if (items.size() == 3 && items[0].is_sequence()) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 row = reader.vector(items[i], kInertia, "a row of the inertia matrix");
      for (std::size_t j = 0; j < 3; ++j) I(i, j) = row[j];
    }
    return I;
  }
  if (items.size() != 3 && items.size() != 6) refuse();
  for (std::size_t i = 0; i < 3; ++i) I(i, i) = at(i);
  if (items.size() == 6) {
    I(0, 1) = I(1, 0) = at(3);
    I(0, 2) = I(2, 0) = at(4);
    I(1, 2) = I(2, 1) = at(5);
  }
  return I;
}

void check_inertia(Reader& reader, const Value& where, const Body& body, bool effective) {
  math::Mat3<double> I;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) I(i, j) = reader.value_at_parameters(body.inertia(i, j));
  }
  const InertiaReport report = inspect_inertia(I);
  if (report.fault == InertiaFault::none) return;
  const std::string text =
      fmt::format("the inertia of `{}` is impossible: {}", body.name, describe_fault(report));
  if (report.fault == InertiaFault::triangle) {
    if (effective) {
      reader.warn(where, text + " (effective_inertia: true)");
      return;
    }
    reader.fail(
        where, text,
        "mend the numbers; if only the moments that matter were identified, say effective_inertia: true");
  }
  reader.fail(where, text,
              "check signs, units and the point it is taken about (inertia_about: com or origin)");
}

/// I_com = I_o - m (c.c 1 - c c^T)
void move_to_com(Body& body) {
  const Vec3& c = body.com;
  const Expr cc = dot(c, c);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      body.inertia(i, j) -= body.mass * ((i == j ? cc : Expr(0.0)) - c[i] * c[j]);
    }
  }
}

void read_inertia(Reader& reader, const Fields& fields, Body& body) {
  const Value* inertia = fields["inertia"];
  const Value* about = fields["inertia_about"];
  const Value* effective = fields["effective_inertia"];
  if (inertia == nullptr) {
    fields.refuse({"inertia_about", "effective_inertia"}, "it belongs to an `inertia`, which is not given");
    return;
  }
  body.inertia = read_inertia_matrix(reader, *inertia);
  static constexpr std::array<std::string_view, 2> kPoints = {"com", "origin"};
  if (about != nullptr && reader.choice(*about, "a point (com or origin)", kPoints) == 1) move_to_com(body);
  const bool is_effective = effective != nullptr && reader.flag(*effective, "`effective_inertia`");
  check_inertia(reader, *inertia, body, is_effective);
}

void add_geometries(const Reader& reader, const Value& list, Body& body) {
  for (Geometry& shape : read_geometries(reader, list)) body.geometry.push_back(std::move(shape));
}

/// What a model says of a body that it includes takes the place of what the robot's file says; shapes are added.
void add_to_body(Reader& reader, const Value::Entry& entry, Body& body) {
  const Fields fields(reader, entry.value, fmt::format("the body `{}`", body.name), keys::kBody);
  if (const Value* mass = fields["mass"])
    body.mass = reader.positive_number(*mass, kMass, fmt::format("the mass of `{}`", body.name));
  if (const Value* com = fields["com"]) body.com = reader.vector(*com, kLength, "`com`");
  read_inertia(reader, fields, body);
  if (const Value* geometry = fields["geometry"]) add_geometries(reader, *geometry, body);
  if (const Value* text = fields["description"]) reader.word(*text, "a description");
}

}  // namespace

void read_mass_properties(Reader& reader, const Fields& fields, Body& body) {
  const Value& mass = fields.require("mass", "write mass: 2.5; a body without mass says mass: 0");
  body.mass = reader.positive_number(mass, kMass, fmt::format("the mass of `{}`", body.name));
  body.com = Vec3::zero();
  if (const Value* com = fields["com"]) body.com = reader.vector(*com, kLength, "`com`");
  body.inertia = Mat3::zero();
  read_inertia(reader, fields, body);
  if (const Value* geometry = fields["geometry"]) body.geometry = read_geometries(reader, *geometry);
  if (const Value* text = fields["description"]) reader.word(*text, "a description");
}

void read_bodies(Reader& reader, const Value& section, Draft& draft) {
  reader.require_map(section, "`bodies`");
  for (const Value::Entry& entry : section.entries) {
    if (const auto included = draft.included_bodies.find(entry.key.text);
        included != draft.included_bodies.end()) {
      add_to_body(reader, entry, draft.bodies[included->second]);
      continue;
    }
    Body body;
    body.name = reader.identifier(entry.key, "a body");
    body.where = reader.place(entry.key);
    if (body.name == "world") {
      const Fields fields(reader, entry.value, "the world", keys::kWorld);
      if (const Value* geometry = fields["geometry"]) add_geometries(reader, *geometry, draft.ground);
      continue;
    }
    read_mass_properties(
        reader, Fields(reader, entry.value, fmt::format("the body `{}`", body.name), keys::kBody), body);
    draft.bodies.push_back(std::move(body));
  }
}

}  // namespace tactus::describe
