// The sections of a YAML model, each read by its own file. The order of the declarations is the order of
// reading.
#pragma once

#include <string>
#include <vector>

#include <tactus/describe/read/reader.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

/// The names that the formulas for its counts use: they decide which bodies there are.
std::vector<std::string> names_in_counts(const Value& document);

/// `fixed`: parameters that become plain numbers, with those that they are defined by.
void read_parameters(Reader& reader, const Value& section, const std::vector<std::string>& fixed);

/// Writes out the `repeat` section, with the parameters as read: its bodies, joints, frames, springs,
/// constraints, transitions, pairs of contact, initial values and parametric coordinates join those of the
/// document.
void expand_repeats(const Reader& reader, Value& document);

/// A joint before the bodies have numbers: parent and child by name, with their places.
struct DraftJoint {
  Joint joint;
  std::string parent, child;
  Value parent_at, child_at;
};
/// Bodies and joints as the file lists them, in any order.
struct Draft {
  std::vector<Body> bodies;  // without the ground
  Body ground;
  std::vector<DraftJoint> joints;
  /// Those of an included robot, by the names that they have in its file and in the model: `bodies` and `joints` of the model
  /// add to them.
  std::unordered_map<std::string, std::size_t> included_bodies, included_joints;
};

Geometry read_geometry(const Reader& reader, const Value& value);
std::vector<Geometry> read_geometries(const Reader& reader, const Value& list);

/// The mass properties and geometry of a body, from the keys that a body and a DH link have in common.
void read_mass_properties(Reader& reader, const Fields& fields, Body& body);
void read_bodies(Reader& reader, const Value& section, Draft& draft);

/// What belongs to one degree of freedom, from the keys that joints, freedoms and DH links have in common.
void read_freedom(const Reader& reader, const Fields& fields, JointAxis& axis);
void read_joints(Reader& reader, const Value& section, Draft& draft);
void read_dh(Reader& reader, const Value& section, Draft& draft);

/// Makes the one joint that welds the mechanism to the ground a free one: --floating. Throws where there is none.
void float_root(const Reader& reader, const Value& document, Draft& draft);

/// Puts bodies and joints into the model, parents first; throws where they do not form a tree on the ground.
void assemble_tree(Reader& reader, const Value& document, Draft draft);

/// The body or frame of that name.
int find_body(const Reader& reader, const Value& value);
int find_frame(const Reader& reader, const Value& value);

/// The name of a frame (its origin), or {body: ..., at: [x, y, z]}.
struct PointOnBody {
  int body = 0;
  Vec3 at = Vec3::zero();
};
PointOnBody read_point(const Reader& reader, const Value& value);

void read_frames(Reader& reader, const Value& section);
void read_springs(Reader& reader, const Value& section);
void read_speeds(Reader& reader, const Value& section);
void read_definitions(Reader& reader, const Value& section);
/// After `initial`: laws must have values where a motion begins.
void read_forces(Reader& reader, const Value& section);
/// Lengths, and pure numbers for angles and quaternions: one per coordinate.
std::vector<algebra::Dimension> coordinate_dimensions(const Model& model);
void read_initial(Reader& reader, const Value& section);
/// The generalised speeds of joint rates at these coordinates, t = 0, parameters as they are. For models without quaternions, or whose
/// speeds are the rates.
std::vector<double> speeds_of_rates(const Model& model, const std::vector<double>& q,
                                    const std::vector<double>& rates);
/// Which values are given by `q` and `u` (null where there is none), and which of them `fixed` keeps: all of them
/// (`fixed: given`), or those named under its own `q` and `u`. `before`: what was said of values that are not given.
InitialMarks read_marks(const Reader& reader, const Model& model, const Value* q, const Value* u,
                        const Value* fixed, InitialMarks before = {});
/// After `initial` (null where the file has none), whose q and u go before those that psi gives.
void read_parametric(Reader& reader, const Value& section, const Value* initial);
void read_constraints(Reader& reader, const Value& section);

/// A coefficient of restitution, from 0 to 1; a speed, above zero, below which impacts are plastic.
double read_restitution(const Reader& reader, const Value& value);
double read_rest_speed(const Reader& reader, const Value& value, algebra::Dimension dimension);
/// The law of contact that the keys say, starting from the one that holds where they say nothing.
ContactLaw read_contact_law(const Reader& reader, const Fields& fields, ContactLaw law);
void read_contact(Reader& reader, const Value& section);
void read_stops(Reader& reader, const Value& section);
void read_transitions(Reader& reader, const Value& section);

}  // namespace tactus::describe
