// Where a motion begins: the `initial` section, in the order of the coordinates and speeds.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/nearest.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;

/// A quaternion written with six or more digits is taken for a unit one and normalised.
constexpr double kUnitTolerance = 1e-6;

/// Values by name, or all of them as a list. Speeds of the user's own definition have no dimension that is
/// known here.
void read_values(const Reader& reader, const Value& given, std::string_view what,
                 const std::vector<std::string>& names, const std::vector<Dimension>& dimensions,
                 std::vector<double>& values) {
  const auto read = [&](const Value& value, std::size_t i) {
    const Expr number =
        i < dimensions.size() ? reader.number(value, dimensions[i]) : reader.quantity(value).value;
    values[i] = reader.value_at_parameters(number);
    if (!std::isfinite(values[i])) reader.fail(value, "this is not a finite number", "write a finite number");
  };
  if (given.is_sequence()) {
    if (given.items.size() != names.size()) {
      reader.fail(given, fmt::format("{} has {} values", what, given.items.size()),
                  fmt::format("this model needs {}: {}", names.size(), fmt::join(names, ", ")));
    }
    for (std::size_t i = 0; i < names.size(); ++i) read(given.items[i], i);
    return;
  }
  reader.require_map(given, what);
  for (const Value::Entry& entry : given.entries) {
    const auto found = std::find(names.begin(), names.end(), entry.key.text);
    if (found == names.end()) {
      reader.fail(entry.key, fmt::format("there is no `{}` in {}", entry.key.text, what),
                  suggestion(entry.key.text, std::span<const std::string>(names)));
    }
    read(entry.value, static_cast<std::size_t>(found - names.begin()));
  }
}

void normalise_quaternions(const Reader& reader, const Value& where, std::vector<double>& q) {
  std::size_t at = 0;
  for (const Joint& joint : reader.model.joints) {
    const auto count = static_cast<std::size_t>(coordinate_count(joint.type));
    if (has_quaternion(joint.type)) {
      double* part = q.data() + at + count - 4;
      const double length = std::hypot(std::hypot(part[0], part[1]), std::hypot(part[2], part[3]));
      if (!(std::fabs(length - 1.0) <= kUnitTolerance)) {
        reader.fail(
            where, fmt::format("the quaternion of `{}` has length {:.6g}", joint.name, length),
            fmt::format("give all of {0}.qw, {0}.qx, {0}.qy, {0}.qz of a unit quaternion", joint.name));
      }
      for (int k = 0; k < 4; ++k) part[k] /= length;
    }
    at += count;
  }
}

void warn_beyond_limits(Reader& reader, const Value& where, const std::vector<double>& q) {
  std::size_t at = 0;
  for (const Joint& joint : reader.model.joints) {
    if (!has_quaternion(joint.type)) {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) {
        const JointAxis& axis = joint.axes[k];
        const bool below = axis.lower && q[at + k] < reader.value_at_parameters(*axis.lower);
        const bool above = axis.upper && q[at + k] > reader.value_at_parameters(*axis.upper);
        if (below || above)
          reader.warn(where, fmt::format("`{}` starts at {:.6g}, beyond its limits", axis.name, q[at + k]));
      }
    }
    at += static_cast<std::size_t>(coordinate_count(joint.type));
  }
}

}  // namespace

std::vector<Dimension> coordinate_dimensions(const Model& model) {
  std::vector<Dimension> dimensions;
  for (const Joint& joint : model.joints) {
    if (const JointTraits& traits = joint_traits(joint.type); traits.has_quaternion()) {
      dimensions.insert(dimensions.end(), static_cast<std::size_t>(traits.quaternion_at), kLength);
      dimensions.insert(dimensions.end(), 4, kNumber);
    } else {
      for (const JointAxis& axis : joint.axes) dimensions.push_back(axis.is_rotation ? kNumber : kLength);
    }
  }
  return dimensions;
}

void read_initial(Reader& reader, const Value& section) {
  const Fields fields(reader, section, "`initial`", keys::kInitial);
  Model& model = reader.model;
  if (const Value* q = fields["q"]) {
    read_values(reader, *q, "`q`", model.coordinate_names(), coordinate_dimensions(model), model.initial_q);
    normalise_quaternions(reader, *q, model.initial_q);
    warn_beyond_limits(reader, *q, model.initial_q);
  }
  if (const Value* u = fields["u"]) {
    std::vector<Dimension> dimensions;
    if (model.speeds.definition == Speeds::Definition::joint_rates) {
      for (const Joint& joint : model.joints)
        for (const JointAxis& axis : joint.axes)
          dimensions.push_back(axis.is_rotation ? kAngularSpeed : kSpeed);
    }
    read_values(reader, *u, "`u`", model.speed_names(), dimensions, model.initial_u);
  }
}

}  // namespace tactus::describe
