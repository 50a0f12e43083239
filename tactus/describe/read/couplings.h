// Constraints that are formulas in the coordinates, their rates and the time. Each reader fills in the
// constraint's equations from its fields in the file.
#pragma once

#include <tactus/describe/model/constraint.h>
#include <tactus/describe/read/reader.h>
#include <tactus/describe/read/yaml_tree.h>

namespace tactus::describe {

// q1 = ratio q2 + offset between two coordinates of the same kind.
void read_gear(Reader& reader, const Fields& fields, Constraint& constraint);
void read_belt(Reader& reader, const Fields& fields, Constraint& constraint);
// slide = radius turn + offset; slide = pitch turn + offset.
void read_rack(Reader& reader, const Fields& fields, Constraint& constraint);
void read_screw(Reader& reader, const Fields& fields, Constraint& constraint);
// q = value; q or an expression in the coordinates = f(t).
void read_lock(Reader& reader, const Fields& fields, Constraint& constraint);
void read_motion(Reader& reader, const Fields& fields, Constraint& constraint);
// phi(q, t) = 0; sum a_i(q, t) qd_i + b(q, t) = 0.
void read_equation(Reader& reader, const Fields& fields, Constraint& constraint);
void read_rates(Reader& reader, const Fields& fields, Constraint& constraint);

/// The formulas under a key: one text, or a list of texts. Fails where there is none.
std::vector<const Value*> read_formulas(const Reader& reader, const Value& given);

}  // namespace tactus::describe
