// The limits of joints as hard stops.
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;

/// A coordinate that starts nearer to its limit than this, relative to 1 + |limit|, starts at it: rounding of
/// formulas.
constexpr double kAtLimit = 1e-12;

/// One coordinate that has a limit or might have one.
struct Coordinate {
  const JointAxis* axis = nullptr;
  std::size_t index = 0;  // into q
};

bool has_limit(const JointAxis& axis) { return axis.lower || axis.upper; }

/// The coordinates of one joint that a stop could hold.
struct Stoppable {
  const Joint* joint = nullptr;
  std::vector<Coordinate> coordinates;
};

std::vector<Stoppable> stoppable_joints(const Model& model) {
  std::vector<Stoppable> result;
  std::size_t index = 0;
  for (const Joint& joint : model.joints) {
    const auto count = static_cast<std::size_t>(coordinate_count(joint.type));
    result.push_back({&joint, {}});
    if (!has_quaternion(joint.type)) {
      for (std::size_t k = 0; k < count; ++k)
        result.back().coordinates.push_back({&joint.axes[k], index + k});
    }
    index += count;
  }
  return result;
}

/// The limited coordinates that a word names: one, or those of a joint.
std::vector<Coordinate> named_coordinates(const Reader& reader, const std::vector<Stoppable>& joints,
                                          const Value& value) {
  const std::string& name = reader.word(value, "the name of a joint");
  for (const Stoppable& each : joints) {
    bool named = each.joint->name == name;
    std::vector<Coordinate> found;
    for (const Coordinate& coordinate : each.coordinates) {
      if (each.joint->name != name && coordinate.axis->name != name) continue;
      named = true;
      if (has_limit(*coordinate.axis)) found.push_back(coordinate);
    }
    if (!named) continue;
    if (found.empty()) {
      reader.fail(value, fmt::format("`{}` has no limits to stop at", name),
                  "give the joint limits: [lower, upper], or leave it out here");
    }
    return found;
  }
  std::vector<std::string> all;
  for (const Stoppable& each : joints)
    for (const Coordinate& coordinate : each.coordinates) all.push_back(coordinate.axis->name);
  reader.fail(value, fmt::format("there is no joint named `{}`", name),
              suggestion(name, std::span<const std::string>(all)));
}

void add_stop(Reader& reader, const Value& where, const Coordinate& coordinate, const Fields& fields,
              bool upper) {
  const JointAxis& axis = *coordinate.axis;
  const std::optional<Expr>& limit = upper ? axis.upper : axis.lower;
  if (!limit) return;
  JointStop stop;
  stop.name = fmt::format("{}.{}", axis.name, upper ? "upper" : "lower");
  stop.coordinate = static_cast<int>(coordinate.index);
  stop.upper = upper;
  stop.limit = reader.read_once(*limit, fmt::format("the stop `{}`", stop.name));
  const Expr q = algebra::symbol(axis.name);
  stop.gap = upper ? Expr(stop.limit) - q : q - Expr(stop.limit);
  if (const Value* e = fields["restitution"]) stop.restitution = read_restitution(reader, *e);
  if (const Value* speed = fields["rest_speed"])
    stop.rest_speed = read_rest_speed(reader, *speed, axis.is_rotation ? kAngularSpeed : kSpeed);
  stop.where = reader.place(where);
  const double start = reader.model.initial_q[coordinate.index];
  const double beyond = upper ? start - stop.limit : stop.limit - start;
  if (beyond > kAtLimit * (1.0 + std::fabs(stop.limit))) {
    reader.fail(where,
                fmt::format("`{}` starts at {:.6g}, beyond its stop at {:.6g}", axis.name, start, stop.limit),
                "give it an initial value within its limits, or mend the limits");
  }
  reader.model.contact.stops.push_back(std::move(stop));
}

/// The stops of one map: of the joints it names, or of all that no other map names.
void read_group(Reader& reader, const Value& group, const Fields& fields, const std::vector<Stoppable>& all,
                std::set<std::size_t>& stopped) {
  const auto add = [&](const Value& where, const Coordinate& coordinate) {
    add_stop(reader, where, coordinate, fields, false);
    add_stop(reader, where, coordinate, fields, true);
  };
  if (const Value* joints = fields["joints"]) {
    if (!joints->is_sequence() || joints->items.empty()) {
      reader.fail(*joints,
                  fmt::format("`joints` must be a list of joints, not {}",
                              joints->is_sequence() ? "an empty one" : name_of(joints->kind)),
                  "write joints: [q1, q2], or leave it out for all others that have limits");
    }
    for (const Value& item : joints->items) {
      for (const Coordinate& coordinate : named_coordinates(reader, all, item)) {
        if (!stopped.insert(coordinate.index).second) {
          reader.fail(item, fmt::format("the stops of `{}` are given twice", coordinate.axis->name),
                      "name each joint once");
        }
        add(item, coordinate);
      }
    }
    return;
  }
  bool any = false;
  for (const Stoppable& each : all) {
    for (const Coordinate& coordinate : each.coordinates) {
      if (!has_limit(*coordinate.axis) || !stopped.insert(coordinate.index).second) continue;
      any = true;
      add(group, coordinate);
    }
  }
  if (any) return;
  reader.fail(group,
              stopped.empty() ? "no joint has limits to stop at" : "no other joint has limits to stop at",
              "give a joint limits: [lower, upper]");
}

}  // namespace

void read_stops(Reader& reader, const Value& section) {
  std::vector<const Value*> groups;
  if (section.is_sequence()) {
    for (const Value& group : section.items) groups.push_back(&group);
  } else {
    groups.push_back(&section);
  }
  const std::vector<Stoppable> all = stoppable_joints(reader.model);
  std::set<std::size_t> stopped;
  for (const bool named : {true, false}) {
    for (const Value* group : groups) {
      const Fields fields(reader, *group, "`stops`", keys::kStops);
      if ((fields["joints"] != nullptr) == named) read_group(reader, *group, fields, all, stopped);
    }
  }
}

}  // namespace tactus::describe
