// The `constraints` section: what each type asks for, and the frames on either side.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/describe/check/level_set.h>
#include <tactus/describe/read/couplings.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Quantity;

/// A rotation whose z is the axis. Coordinate axes give true zeros and ones, so that they cost nothing later.
Mat3 turned_z(const Vec3& axis) {
  const Vec3 x = Vec3::unit(0), y = Vec3::unit(1), z = Vec3::unit(2);
  const auto columns = [](const Vec3& a, const Vec3& b, const Vec3& c) {
    Mat3 R;
    for (std::size_t i = 0; i < 3; ++i) {
      R(i, 0) = a[i];
      R(i, 1) = b[i];
      R(i, 2) = c[i];
    }
    return R;
  };
  const std::array<Mat3, 6> exact = {columns(y, z, x),  columns(z, x, y),  columns(x, y, z),
                                     columns(z, y, -x), columns(x, z, -y), columns(x, -y, -z)};
  for (const Mat3& R : exact) {
    const Vec3 c = R.col(2);
    if (c.x == axis.x && c.y == axis.y && c.z == axis.z) return R;
  }
  // The coordinate axis farthest from it gives the first direction.
  std::size_t farthest = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::fabs(axis[i].value()) < std::fabs(axis[farthest].value())) farthest = i;
  Vec3 first = cross(Vec3::unit(farthest), axis);
  const double length = std::sqrt(dot(first, first).value());
  first = Expr(1.0 / length) * first;
  return columns(first, cross(axis, first), axis);
}

/// One side of a constraint: the name of a frame, the name of a body (its own frame), or a frame written in
/// place, {body, at, axis} or {body, placement}. A frame written in place is called after the constraint:
/// `loop.a`.
int read_side(Reader& reader, const Value& value, const Constraint& constraint, std::string_view side) {
  Frame frame;
  frame.name = fmt::format("{}.{}", constraint.name, side);
  frame.where = reader.place(value);
  if (value.is_scalar()) {
    const int found = reader.model.frame_index(reader.word(value, fmt::format("`{}`", side)));
    if (found >= 0) return found;
    frame.body = reader.model.body_index(value.text);
    if (frame.body < 0) {
      std::vector<std::string> all;
      for (const Frame& known : reader.model.frames) all.push_back(known.name);
      for (const Body& body : reader.model.bodies) all.push_back(body.name);
      reader.fail(value, fmt::format("there is no frame or body named `{}`", value.text),
                  suggestion(value.text, std::span<const std::string>(all)));
    }
  } else {
    const Fields fields(reader, value, fmt::format("side `{}` of a constraint", side), keys::kSide);
    frame.body = find_body(
        reader,
        fields.require("body", "write {body: link_1, at: [0, 0, 0], axis: z}, or the name of a frame"));
    if (const Value* placement = fields["placement"]) {
      fields.refuse({"at", "axis"}, "`placement` says already where the frame is");
      frame.X_BF = reader.placement(*placement);
    }
    if (const Value* at = fields["at"]) frame.X_BF.p = reader.vector(*at, kLength, "`at`");
    if (const Value* axis = fields["axis"]) frame.X_BF.R = turned_z(reader.axis(*axis));
  }
  reader.model.frames.push_back(std::move(frame));
  return static_cast<int>(reader.model.frames.size()) - 1;
}

void read_sides(Reader& reader, const Fields& fields, Constraint& constraint,
                bool ground_by_default = false) {
  constexpr std::string_view kRemedy =
      "name a frame or a body, or write {body: link_1, at: [0, 0, 0], axis: z}";
  if (ground_by_default && fields["a"] == nullptr) {
    Frame frame;
    frame.name = constraint.name + ".a";
    frame.where = reader.place(fields.map());
    reader.model.frames.push_back(std::move(frame));
    constraint.frame_a = static_cast<int>(reader.model.frames.size()) - 1;
  } else {
    constraint.frame_a = read_side(reader, fields.require("a", kRemedy), constraint, "a");
  }
  constraint.frame_b = read_side(reader, fields.require("b", kRemedy), constraint, "b");
  const auto body_of = [&](int frame) { return reader.model.frames[static_cast<std::size_t>(frame)].body; };
  if (body_of(constraint.frame_a) != body_of(constraint.frame_b)) return;
  const Body& body = reader.model.bodies[static_cast<std::size_t>(body_of(constraint.frame_a))];
  reader.fail(
      fields.map(),
      fmt::format("the constraint `{}` is between the body `{}` and itself", constraint.name, body.name),
      "name frames of two bodies");
}

void read_between(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_sides(reader, fields, constraint);
}

Expr above_zero(const Reader& reader, const Value& value, std::string_view what, std::string_view remedy) {
  const Expr number = reader.number(value, kLength);
  if (!(reader.value_at_parameters(number) > 0.0)) {
    reader.fail(value, fmt::format("{} is {:.6g}", what, reader.value_at_parameters(number)),
                std::string(remedy));
  }
  return number;
}

void read_round(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_between(reader, fields, constraint);
  constraint.radius = above_zero(reader, fields.require("radius", "write radius: 50 mm"), "the radius",
                                 "it must be above zero; two points that meet are type: spherical");
}

void read_distance(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_between(reader, fields, constraint);
  constraint.length = above_zero(reader, fields.require("length", "write length: 0.2 m"), "the length",
                                 "it must be above zero; two points that meet are type: spherical");
}

/// Names x, y, z of a point's coordinates, for formulas of surfaces.
std::vector<Expr> name_point(Reader& reader, const Value& given) {
  std::vector<Expr> point;
  for (const std::string name : {"x", "y", "z"}) {
    if (reader.parameter_quantities.contains(name)) {
      reader.fail(given, fmt::format("`{}` is a parameter, and here the point's coordinate", name),
                  "rename the parameter");
    }
    point.push_back(algebra::symbol(name));
    reader.local_names[name] = {point.back(), Quantity::Known::no, {}};
  }
  return point;
}

/// In the coordinates x, y, z of b's origin seen from a, and the time.
void read_surface(Reader& reader, const Fields& fields, Constraint& constraint) {
  read_sides(reader, fields, constraint);
  const Value& given =
      fields.require("equations", "write equations: [\"x^2 + y^2/4 - 1\"], each of them zero");
  const std::vector<Expr> point = name_point(reader, given);
  const std::vector<double> origin(3, 0.0);
  reader.local_names["t"] = {algebra::symbol("t"), Quantity::Known::no, {}};
  for (const Value* formula : read_formulas(reader, given)) {
    const Expr equation = reader.quantity(*formula).value;
    const std::vector<Expr> slopes = algebra::jacobian(std::span(&equation, 1), point);
    if (is_zero(slopes[0]) && is_zero(slopes[1]) && is_zero(slopes[2])) {
      reader.fail(*formula, "the point's x, y or z does not occur in this equation",
                  "write an equation of a surface, such as x^2 + y^2 - 0.01");
    }
    if (is_degenerate(reader.model, std::span(&equation, 1), point, origin)) {
      reader.fail(*formula, "this is no surface: wherever it is zero, its slopes are zero, too",
                  "write x - 1 instead of (x - 1)^2; a curve is two equations, a point is type: spherical");
    }
    constraint.equations.push_back(equation);
  }
  reader.local_names.clear();
  if (constraint.equations.size() > 2) {
    reader.fail(given, fmt::format("{} equations leave no curve", constraint.equations.size()),
                "one equation is a surface, two are a curve; two points that meet are type: spherical");
  }
  if (is_degenerate(reader.model, constraint.equations, point, origin)) {
    reader.fail(given, "these surfaces only touch: the curve has no length",
                "two surfaces that cut each other make a curve; two points that meet are type: spherical");
  }
}

/// The surface of something that rolls or is rolled on, f(x, y, z) = 0.
void read_rolling_surface(Reader& reader, const Value& given, Constraint& constraint) {
  const std::vector<Expr> point = name_point(reader, given);
  const Expr f = reader.quantity(given).value;
  reader.local_names.clear();
  const std::vector<Expr> slopes = algebra::jacobian(std::span(&f, 1), point);
  if (is_zero(slopes[0]) && is_zero(slopes[1]) && is_zero(slopes[2])) {
    reader.fail(given, "the point's x, y or z does not occur in this surface",
                "write what is zero on it, such as x^2 + y^2 + 4*z^2 - 0.01");
  }
  constraint.equations = {f};
  if (constraint.rolling != Rolling::surface_on_plane) return;
  const auto at = [&](const std::array<double, 3>& place) {
    const std::vector<Expr> to{Expr(place[0]), Expr(place[1]), Expr(place[2])};
    return reader.value_at_parameters(
        algebra::substitute(f, algebra::Graph::current(), std::span(point), std::span(to)));
  };
  if (!(at({0.0, 0.0, 0.0}) < 0.0)) {
    reader.fail(given, fmt::format("at b's origin this is {:.6g}", at({0.0, 0.0, 0.0})),
                "the origin lies inside: write it so that it is below zero there and above zero outside");
  }
  // Where the axes meet it, both ways: out in doublings, back by halving. The search for its lowest point begins there.
  constexpr double kSmallest = 1e-6, kLargest = 1e6;  // [m]
  constexpr int kHalvings = 40;
  for (std::size_t k = 0; k < 3; ++k) {
    double sum = 0.0;
    for (const double way : {1.0, -1.0}) {
      const auto outside = [&](double distance) {
        std::array<double, 3> place{};
        place[k] = way * distance;
        return at(place) > 0.0;
      };
      double far = kSmallest;
      while (far <= kLargest && !outside(far)) far *= 2.0;
      if (far > kLargest)
        reader.fail(given,
                    fmt::format("the surface is not closed: along b's {}{} it is never met",
                                way < 0.0 ? "-" : "", "xyz"[k]),
                    "what rolls on a plane has a closed surface; a disk or a wheel is disk_on_plane");
      double near = 0.5 * far;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = 0.5 * (near + far);
        (outside(middle) ? far : near) = middle;
      }
      sum += far;
    }
    constraint.semi_axes[k] = Expr(0.5 * sum);
  }
  if (const auto hollow = hollow_place(reader.model, f, point))
    reader.warn(
        given,
        fmt::format(
            "the surface is hollow at ({:.3g}, {:.3g}, {:.3g}): it is held at one point, the plane does not "
            "stop what else of it gets there, and where the hollow would touch a motion ends",
            (*hollow)[0], (*hollow)[1], (*hollow)[2]));
}

void read_rolling(Reader& reader, const Fields& fields, Constraint& constraint) {
  static constexpr std::array<std::string_view, 7> kKinds = {
      "disk_on_plane",      "sphere_on_plane",  "disk_on_disk",     "knife_edge",
      "ellipsoid_on_plane", "surface_on_plane", "sphere_on_surface"};
  const Value& kind = fields.require("kind", fmt::format("write kind: {}", fmt::join(kKinds, ", ")));
  constraint.rolling = static_cast<Rolling>(reader.choice(kind, "a kind of rolling", kKinds));
  read_sides(reader, fields, constraint, constraint.rolling != Rolling::disk_on_disk);
  if (constraint.rolling == Rolling::knife_edge) {
    fields.refuse({"radius", "radius_a", "semi_axes", "surface", "inside", "keep_contact"},
                  "a knife edge is a point that may not slide sideways");
    constraint.keep_contact = false;
    return;
  }
  if (const Value* keep = fields["keep_contact"])
    constraint.keep_contact = reader.flag(*keep, "`keep_contact`");
  constexpr std::string_view kPositive = "it must be above zero";
  if (constraint.rolling == Rolling::surface_on_plane) {
    fields.refuse({"radius", "radius_a", "semi_axes", "inside"}, "the surface says it all");
    read_rolling_surface(
        reader, fields.require("surface", "write surface: x^2/a^2 + y^2/b^2 + z^4/c^4 - 1, zero on it"),
        constraint);
    return;
  }
  if (constraint.rolling == Rolling::ellipsoid_on_plane) {
    fields.refuse({"radius", "radius_a", "surface", "inside"}, "an ellipsoid has semi_axes: [a, b, c]");
    const Value& given =
        fields.require("semi_axes", "write semi_axes: [20 cm, 3 cm, 2 cm], along b's x, y, z");
    reader.require_list(given, "`semi_axes`", 3);
    for (std::size_t k = 0; k < 3; ++k)
      constraint.semi_axes[k] = above_zero(reader, given.items[k], "the semi-axis", kPositive);
    return;
  }
  fields.refuse({"semi_axes"}, "only an ellipsoid_on_plane has them");
  constraint.radius =
      above_zero(reader, fields.require("radius", "write radius: 50 mm, of b"), "the radius", kPositive);
  if (constraint.rolling == Rolling::sphere_on_surface) {
    fields.refuse({"radius_a", "inside"}, "write the surface so that it is above zero where the sphere is");
    read_rolling_surface(
        reader,
        fields.require("surface", "write surface: z - 0.1*x^2 - 0.2*y^2, above zero where the sphere is"),
        constraint);
    return;
  }
  fields.refuse({"surface"}, "only a surface_on_plane and a sphere_on_surface have it");
  if (constraint.rolling != Rolling::disk_on_disk) {
    fields.refuse({"radius_a", "inside"}, "only a disk_on_disk has a second radius");
    return;
  }
  const Value& given = fields.require("radius_a", "write radius_a: 80 mm, the radius of the disk or ring a");
  constraint.radius_a = above_zero(reader, given, "the radius of a", kPositive);
  const Value* inside = fields["inside"];
  if (inside == nullptr || !reader.flag(*inside, "`inside`")) return;
  if (!(reader.value_at_parameters(constraint.radius_a) > reader.value_at_parameters(constraint.radius))) {
    reader.fail(given, "the disk does not fit inside the ring", "radius_a must be larger than radius");
  }
  constraint.radius_a = -constraint.radius_a;
}

/// A type of constraint as files write it. (Joints that can close a loop are types, too: joint_traits.h.)
struct Type {
  std::string_view word;
  std::string_view what;  // how messages call it
  ConstraintType type;
  std::span<const std::string_view> keys;
  void (*read)(Reader&, const Fields&, Constraint&);
};

constexpr Type kTypes[] = {
    {"on_line", "`on_line`", ConstraintType::on_line, keys::kBetween, read_between},
    {"on_plane", "`on_plane`", ConstraintType::on_plane, keys::kBetween, read_between},
    {"on_circle", "`on_circle`", ConstraintType::on_circle, keys::kOnCircle, read_round},
    {"on_sphere", "`on_sphere`", ConstraintType::on_sphere, keys::kOnCircle, read_round},
    {"on_surface", "`on_surface`", ConstraintType::on_surface, keys::kOnSurface, read_surface},
    {"distance", "a distance", ConstraintType::distance, keys::kDistance, read_distance},
    {"parallel", "`parallel`", ConstraintType::parallel, keys::kBetween, read_between},
    {"rolling", "a rolling constraint", ConstraintType::rolling, keys::kRolling, read_rolling},
    {"gear", "a gear", ConstraintType::equation, keys::kGear, read_gear},
    {"belt", "a belt", ConstraintType::equation, keys::kBelt, read_belt},
    {"rack", "a rack", ConstraintType::equation, keys::kRack, read_rack},
    {"screw", "a screw", ConstraintType::equation, keys::kScrew, read_screw},
    {"lock", "a lock", ConstraintType::equation, keys::kLock, read_lock},
    {"motion", "a prescribed motion", ConstraintType::equation, keys::kMotion, read_motion},
    {"equation", "an equation", ConstraintType::equation, keys::kEquation, read_equation},
    {"rates", "an equation of rates", ConstraintType::rates, keys::kEquation, read_rates},
};

/// The word that the file gives as the type, one of those known.
std::string_view read_word(const Reader& reader, const Value& value) {
  struct Foreign {
    std::string_view word, remedy;
  };
  constexpr std::array kForeign = {
      Foreign{"free", "a free joint constrains nothing: leave the constraint out"},
      Foreign{"helical",
              "close the loop with `cylindrical` and couple angle and slide of a joint by `screw`"},
      Foreign{"fixed", "this format says `weld`"},
      Foreign{"hinge", "this format says `revolute`"},
      Foreign{"slider", "this format says `prismatic`"},
      Foreign{"ball", "this format says `spherical`"},
      Foreign{"point", "two points that meet are `spherical`"},
      Foreign{"connect", "two points that meet are `spherical`"},
      Foreign{"on_curve", "write `on_surface` with two equations"},
      Foreign{"knife_edge", "write type: rolling, kind: knife_edge"},
      Foreign{"no_slip", "write type: rolling, and its kind"}};
  const std::string& word = reader.word(value, "a type of constraint");
  for (const Foreign& foreign : kForeign) {
    if (word == foreign.word)
      reader.fail(value, fmt::format("`{}` is not a type of constraint", word), std::string(foreign.remedy));
  }
  std::vector<std::string_view> words;
  for (const JointTraits& joint : all_joints())
    if (!joint.closes.empty()) words.push_back(joint.word);
  for (const Type& type : kTypes) words.push_back(type.word);
  return words[reader.choice(value, "a type of constraint", words)];
}

void read_as_type(Reader& reader, const Value& map, std::string_view word, Constraint& constraint) {
  constraint.kind = std::string(word);
  for (const Type& type : kTypes) {
    if (type.word != word) continue;
    constraint.type = type.type;
    return type.read(reader, Fields(reader, map, type.what, type.keys), constraint);
  }
  constraint.type = ConstraintType::closure;
  for (const JointTraits& joint : all_joints())
    if (joint.word == word) constraint.closure = joint.type;
  read_between(reader, Fields(reader, map, fmt::format("a {} closure", word), keys::kBetween), constraint);
}

}  // namespace

void read_constraints(Reader& reader, const Value& section) {
  reader.require_map(section, "`constraints`");
  for (const Value::Entry& entry : section.entries) {
    Constraint constraint;
    constraint.name = reader.identifier(entry.key, "a constraint");
    constraint.where = reader.place(entry.key);
    reader.require_map(entry.value, fmt::format("the constraint `{}`", constraint.name));
    const Value* type = entry.value.find("type");
    if (type == nullptr) {
      reader.fail(entry.value, fmt::format("the constraint `{}` has no `type`", constraint.name),
                  "write type: revolute, distance, rolling, gear, equation or another type of constraint");
    }
    read_as_type(reader, entry.value, read_word(reader, *type), constraint);
    if (const Value* active = entry.value.find("active"))
      constraint.active = reader.flag(*active, "`active`");
    if (const Value* text = entry.value.find("description"))
      constraint.description = reader.word(*text, "a description");
    reader.model.constraints.push_back(std::move(constraint));
  }
}

}  // namespace tactus::describe
