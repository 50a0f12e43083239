#include <tactus/describe/read/couplings.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/check/level_set.h>
#include <tactus/describe/read/motion_names.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;
using algebra::Quantity;

struct Coordinate {
  std::string name;
  bool is_rotation = true;
  std::size_t index = 0;  // into q

  Expr symbol() const { return algebra::symbol(name); }
  Dimension dimension() const { return is_rotation ? kNumber : kLength; }
  std::string_view kind() const { return is_rotation ? "an angle" : "a length"; }
};

/// The coordinate that the file names: a joint with one freedom, or `joint.angle1`.
Coordinate find_coordinate(const Reader& reader, const Value& value) {
  const std::string& name = reader.word(value, "the name of a joint");
  std::vector<std::string> all;
  std::size_t index = 0;
  for (const Joint& joint : reader.model.joints) {
    if (has_quaternion(joint.type)) {
      if (name == joint.name || name.starts_with(joint.name + ".")) {
        reader.fail(value,
                    fmt::format("the orientation of `{}` is a quaternion, not a coordinate", joint.name),
                    "hold it by a constraint between frames: weld, revolute, parallel ...");
      }
      index += static_cast<std::size_t>(coordinate_count(joint.type));
      continue;
    }
    if (name == joint.name && joint.axes.size() > 1) {
      reader.fail(value, fmt::format("the joint `{}` has {} freedoms", name, joint.axes.size()),
                  fmt::format("name one of them, such as {}", joint.axes[0].name));
    }
    for (const JointAxis& axis : joint.axes) {
      if (axis.name == name) return {name, axis.is_rotation, index};
      all.push_back(axis.name);
      ++index;
    }
  }
  reader.fail(value, fmt::format("there is no joint coordinate named `{}`", name),
              suggestion(name, std::span<const std::string>(all)));
}

/// `joints: [first, second]`, two different ones.
std::array<Coordinate, 2> read_pair(const Reader& reader, const Fields& fields, std::string_view remedy) {
  const Value& given = fields.require("joints", remedy);
  reader.require_list(given, "`joints`", 2);
  const std::array<Coordinate, 2> pair = {find_coordinate(reader, given.items[0]),
                                          find_coordinate(reader, given.items[1])};
  if (pair[0].name == pair[1].name) {
    reader.fail(given.items[1], fmt::format("`{}` is coupled to itself", pair[1].name), std::string(remedy));
  }
  return pair;
}

void require_kind(const Reader& reader, const Value& where, const Coordinate& coordinate, bool is_rotation,
                  std::string_view remedy) {
  if (coordinate.is_rotation == is_rotation) return;
  reader.fail(where,
              fmt::format("`{}` is {}, not {}", coordinate.name, coordinate.kind(),
                          is_rotation ? "an angle" : "a length"),
              std::string(remedy));
}

Expr number_not_zero(const Reader& reader, const Value& value, Dimension dimension, std::string_view what) {
  const Expr number = reader.number(value, dimension);
  if (reader.value_at_parameters(number) == 0.0) {
    reader.fail(value, fmt::format("{} is zero", what), "then the joint would be locked: use type: lock");
  }
  return number;
}

Expr number_above_zero(const Reader& reader, const Value& value, Dimension dimension, std::string_view what) {
  const Expr number = reader.number(value, dimension);
  if (!(reader.value_at_parameters(number) > 0.0)) {
    reader.fail(value, fmt::format("{} is {:.6g}", what, reader.value_at_parameters(number)),
                "it must be above zero");
  }
  return number;
}

Expr read_offset(const Reader& reader, const Fields& fields, const Coordinate& of) {
  const Value* offset = fields["offset"];
  return offset != nullptr ? reader.number(*offset, of.dimension()) : Expr(0.0);
}

bool read_flag(const Reader& reader, const Fields& fields, std::string_view key) {
  const Value* given = fields[key];
  return given != nullptr && reader.flag(*given, fmt::format("`{}`", key));
}

/// Two coordinates of the same kind, coupled by a `ratio`, or by two sizes (teeth, radii) that say it.
void read_ratio(Reader& reader, const Fields& fields, Constraint& constraint, std::string_view sizes_key,
                Dimension size, std::string_view turned_key, bool sizes_reverse) {
  const std::string remedy = fmt::format("write joints: [q1, q2] and ratio: 2, or {}: [20, 40]", sizes_key);
  const auto [first, second] = read_pair(reader, fields, remedy);
  require_kind(reader, *fields["joints"], second, first.is_rotation,
               "couple two angles or two lengths; `rack` and `screw` couple an angle with a length");
  const Value* ratio_given = fields["ratio"];
  const Value* sizes = fields[sizes_key];
  if ((ratio_given != nullptr) == (sizes != nullptr)) {
    reader.fail(fields.map(), fmt::format("exactly one of `ratio` and `{}` is needed", sizes_key), remedy);
  }
  Expr ratio;
  if (ratio_given != nullptr) {
    fields.refuse({turned_key}, "the sign of `ratio` says it already");
    ratio = number_not_zero(reader, *ratio_given, kNumber, "the ratio");
  } else {
    reader.require_list(*sizes, fmt::format("`{}`", sizes_key), 2);
    const Expr a = number_above_zero(reader, sizes->items[0], size, fmt::format("`{}`", sizes_key));
    const Expr b = number_above_zero(reader, sizes->items[1], size, fmt::format("`{}`", sizes_key));
    const bool reversed = read_flag(reader, fields, turned_key) != sizes_reverse;
    ratio = reversed ? -(b / a) : b / a;
  }
  constraint.equations = {first.symbol() - ratio * second.symbol() - read_offset(reader, fields, first)};
}

/// An angle and the length it drives: slide = advance turn + offset.
void read_advance(Reader& reader, const Fields& fields, Constraint& constraint, std::string_view remedy,
                  Expr advance) {
  const auto [turn, slide] = read_pair(reader, fields, remedy);
  const Value& joints = *fields["joints"];
  require_kind(reader, joints.items[0], turn, true, remedy);
  require_kind(reader, joints.items[1], slide, false, remedy);
  constraint.equations = {slide.symbol() - advance * turn.symbol() - read_offset(reader, fields, slide)};
}

void require_position_formula(const Reader& reader, const MotionNames& names, const Value& where, Expr phi) {
  if (names.holds_rate(std::span(&phi, 1))) {
    reader.fail(where, "a rate stands in an equation between positions", "write it with type: rates");
  }
  if (!names.holds_coordinate(std::span(&phi, 1))) {
    reader.fail(where, "there is no coordinate in this equation",
                "an equation constrains the coordinates: phi(q, t) = 0");
  }
}

void require_slope(const Reader& reader, const MotionNames& names, const Value& where, Expr phi) {
  const Expr written_out = names.expanded(phi);
  if (!is_degenerate(reader.model, std::span(&written_out, 1), names.coordinates(), reader.model.initial_q))
    return;
  reader.fail(where, "wherever this is zero, its slopes are zero, too: it holds nothing",
              "write q1 - q2 instead of (q1 - q2)^2, and two equations for two things");
}

void require_finite(const Reader& reader, const MotionNames& names, const Value& where,
                    std::span<const Expr> formulas) {
  for (const Expr formula : formulas) {
    if (std::isfinite(names.at_start(formula))) continue;
    reader.fail(
        where, "this has no finite value at the initial state",
        "a division by zero, or a root of a negative number? Give an `initial` state where it is defined");
  }
}

}  // namespace

std::vector<const Value*> read_formulas(const Reader& reader, const Value& given) {
  if (given.is_scalar()) return {&given};
  if (!given.is_sequence() || given.items.empty()) {
    reader.fail(given,
                fmt::format("an equation or a list of equations is expected, not {}",
                            given.is_sequence() ? "an empty list" : name_of(given.kind)),
                "write equations: [\"q1 + 2*q2 - 1\"]");
  }
  std::vector<const Value*> formulas;
  for (const Value& item : given.items) formulas.push_back(&item);
  return formulas;
}

void read_gear(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_ratio(reader, fields, constraint, "teeth", kNumber, "internal", true);
}

void read_belt(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_ratio(reader, fields, constraint, "radii", kLength, "crossed", false);
}

void read_rack(Reader& reader, const Fields& fields, Constraint& constraint) {
  constexpr std::string_view kRemedy =
      "write joints: [pinion, rack]: an angle, then a length; and radius: 20 mm";
  const Expr radius = number_above_zero(reader, fields.require("radius", kRemedy), kLength, "the radius");
  read_advance(reader, fields, constraint, kRemedy, read_flag(reader, fields, "reversed") ? -radius : radius);
}

void read_screw(Reader& reader, const Fields& fields, Constraint& constraint) {
  constexpr std::string_view kRemedy =
      "write joints: [turn, slide]: an angle, then a length; and pitch: 5 mm/rev";
  const Expr pitch = number_not_zero(reader, fields.require("pitch", kRemedy), kLength, "the pitch");
  read_advance(reader, fields, constraint, kRemedy, pitch);
}

void read_lock(Reader& reader, const Fields& fields, Constraint& constraint) {
  const Coordinate held =
      find_coordinate(reader, fields.require("joint", "write the name of the joint to hold"));
  const Value* at = fields["at"];
  const Expr value =
      at != nullptr ? reader.number(*at, held.dimension()) : Expr(reader.model.initial_q[held.index]);
  constraint.equations = {held.symbol() - value};
}

void read_motion(Reader& reader, const Fields& fields, Constraint& constraint) {
  const Value* joint = fields["joint"];
  const Value* of = fields["of"];
  if ((joint != nullptr) == (of != nullptr)) {
    reader.fail(fields.map(), "exactly one of `joint` and `of` is needed",
                "write joint: q1, or of: an expression in the coordinates");
  }
  const Value& equals = fields.require("equals", "write equals: a formula in the time t");
  MotionNames names(reader);
  const Quantity target = reader.quantity(equals);
  if (names.holds_coordinate(std::span(&target.value, 1)) || names.holds_rate(std::span(&target.value, 1))) {
    reader.fail(equals, "a prescribed motion is a formula in the time alone",
                "for a relation between coordinates use type: equation");
  }
  Expr moved;
  if (joint != nullptr) {
    const Coordinate coordinate = find_coordinate(reader, *joint);
    // A function's value is a pure number: 0.2*sin(t) may well be a length.
    if (target.known == Quantity::Known::yes &&
        (target.value.is_constant() || !(target.dimension == kNumber))) {
      reader.number(equals, coordinate.dimension());
    }
    moved = coordinate.symbol();
  } else {
    moved = reader.quantity(*of).value;
    require_position_formula(reader, names, *of, moved);
  }
  constraint.equations = {moved - target.value};
  require_finite(reader, names, of != nullptr ? *of : equals, constraint.equations);
  require_slope(reader, names, of != nullptr ? *of : equals, constraint.equations[0]);
}

void read_equation(Reader& reader, const Fields& fields, Constraint& constraint) {
  const Value& given = fields.require("equations", "write equations: [\"q1 + 2*q2 - 1\"], each of them zero");
  const MotionNames names(reader);
  for (const Value* formula : read_formulas(reader, given)) {
    const Expr phi = reader.quantity(*formula).value;
    require_position_formula(reader, names, *formula, phi);
    require_finite(reader, names, *formula, std::span(&phi, 1));
    require_slope(reader, names, *formula, phi);
    constraint.equations.push_back(phi);
  }
}

void read_rates(Reader& reader, const Fields& fields, Constraint& constraint) {
  const Value& given = fields.require("equations", "write equations: [\"q1_dot*cos(q3) + q2_dot*sin(q3)\"]");
  const MotionNames names(reader);
  for (const Value* formula : read_formulas(reader, given)) {
    const Expr row = reader.quantity(*formula).value;
    if (!names.holds_rate(std::span(&row, 1))) {
      reader.fail(*formula, "there is no rate in this equation",
                  "rates are written q1_dot, velocities of frames tip.vx; an equation between positions has "
                  "type: equation");
    }
    const Expr written_out = names.expanded(row);
    const std::vector<Expr> slopes = algebra::jacobian(std::span(&written_out, 1), names.rates());
    if (names.holds_rate(slopes)) {
      reader.fail(*formula, "this is not linear in the rates",
                  "a constraint on velocities is sum a_i(q, t) qd_i + b(q, t) = 0");
    }
    require_finite(reader, names, *formula, std::span(&row, 1));
    require_finite(reader, names, *formula, slopes);
    constraint.equations.push_back(row);
  }
}

}  // namespace tactus::describe
