// Where a motion begins: the `initial` section, in the order of the coordinates and speeds.
#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/print.h>
#include <tactus/base/error.h>
#include <tactus/describe/check/frame_kinematics.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>
#include <tactus/math/decompositions.h>

namespace tactus::describe {

namespace {

using namespace algebra::dimension;
using algebra::Dimension;

/// A quaternion written with six or more digits is taken for a unit one and normalised.
constexpr double kUnitTolerance = 1e-6;

/// As text that reads back; "" where it is too long for one formula.
std::string written_out(Expr number) {
  const algebra::Formulas formulas =
      algebra::print(std::span(&number, 1), algebra::Graph::current(), algebra::Notation::text);
  return formulas.temporaries.empty() ? formulas.roots[0] : "";
}

/// Values by name, or all of them as a list; their formulas, where they have symbols and are asked for. Speeds of the user's own definition have no
/// dimension that is known here.
void read_values(const Reader& reader, const Value& given, std::string_view what,
                 const std::vector<std::string>& names, const std::vector<Dimension>& dimensions,
                 std::vector<double>& values, std::vector<std::string>* formulas = nullptr) {
  if (formulas != nullptr) formulas->assign(names.size(), "");
  const auto read = [&](const Value& value, std::size_t i) {
    const Expr number =
        i < dimensions.size() ? reader.number(value, dimensions[i]) : reader.quantity(value).value;
    values[i] = reader.value_at_parameters(number);
    if (!std::isfinite(values[i])) reader.fail(value, "this is not a finite number", "write a finite number");
    if (formulas != nullptr && !number.is_constant()) (*formulas)[i] = written_out(number);
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

void normalise_quaternions(Reader& reader, const Value& where, std::vector<double>& q) {
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
      std::fill_n(reader.initial_formulas.q.begin() + static_cast<std::ptrdiff_t>(at + count - 4), 4, "");
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

namespace {

using Mark = InitialMarks::Mark;

/// Those that a list or a map gives; a map may place a whole joint.
void mark_given(const Model& model, const Value* values, const std::vector<std::string>& names,
                bool of_speeds, std::vector<Mark>& marks) {
  marks.resize(names.size(), Mark::open);
  if (values == nullptr) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (values->is_sequence() || values->find(names[i]) != nullptr) marks[i] = Mark::given;
  if (of_speeds || values->is_sequence()) return;
  std::size_t at = 0;
  for (const Joint& joint : model.joints) {
    const auto count = static_cast<std::size_t>(coordinate_count(joint.type));
    if (has_quaternion(joint.type) && values->find(joint.name) != nullptr)
      std::fill_n(marks.begin() + static_cast<std::ptrdiff_t>(at), count, Mark::given);
    at += count;
  }
}

/// Those named in a list; what is to be kept must be said.
void mark_fixed(const Reader& reader, const Value* list, std::string_view what,
                const std::vector<std::string>& names, std::vector<Mark>& marks) {
  if (list == nullptr) return;
  if (!list->is_sequence())
    reader.fail(*list, fmt::format("{} must be a list of names", what), "write fixed: {q: [q1], u: [q1]}");
  for (const Value& item : list->items) {
    const auto found = std::find(names.begin(), names.end(), item.text);
    if (found == names.end())
      reader.fail(item, fmt::format("there is no `{}` in {}", item.text, what),
                  suggestion(item.text, std::span<const std::string>(names)));
    Mark& mark = marks[static_cast<std::size_t>(found - names.begin())];
    if (mark == Mark::open)
      reader.fail(item, fmt::format("`{}` is to be fixed, and no value is given for it", item.text),
                  "give its value beside `fixed`");
    mark = Mark::fixed;
  }
}

}  // namespace

InitialMarks read_marks(const Reader& reader, const Model& model, const Value* q, const Value* u,
                        const Value* fixed, InitialMarks before) {
  InitialMarks marks = std::move(before);
  const std::vector<std::string> coordinates = model.coordinate_names(), speeds = model.speed_names();
  mark_given(model, q, coordinates, false, marks.q);
  mark_given(model, u, speeds, true, marks.u);
  if (fixed == nullptr) return marks;
  if (fixed->is_scalar()) {
    if (fixed->text != "given")
      reader.fail(*fixed, fmt::format("`fixed` is `{}`", fixed->text),
                  "write `fixed: given`, or names: fixed: {q: [q1], u: [q1]}");
    for (std::vector<Mark>* part : {&marks.q, &marks.u})
      std::replace(part->begin(), part->end(), Mark::given, Mark::fixed);
  } else {
    const Fields fields(reader, *fixed, "`fixed`", keys::kFixed);
    mark_fixed(reader, fields["q"], "`fixed: q`", coordinates, marks.q);
    mark_fixed(reader, fields["u"], "`fixed: u`", speeds, marks.u);
  }
  const bool own_speeds = model.speeds.definition != Speeds::Definition::joint_rates;
  if (own_speeds && std::find(marks.q.begin(), marks.q.end(), Mark::fixed) != marks.q.end())
    reader.fail(*fixed, "coordinates can be fixed only where the speeds are the joints' rates",
                "fix speeds, `fixed: {u: [...]}`, or leave `speeds` out of the model");
  return marks;
}

std::vector<double> speeds_of_rates(const Model& model, const std::vector<double>& q,
                                    const std::vector<double>& rates) {
  const Speeds& speeds = model.speeds;
  if (speeds.definition == Speeds::Definition::joint_rates) return rates;
  const std::vector<std::string> coordinates = model.coordinate_names();
  std::map<std::string, double> values{{"t", 0.0}};
  for (const Parameter& parameter : model.parameters) values[parameter.name] = parameter.value;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    values[coordinates[i]] = q[i];
    values[rate_name(coordinates[i])] = rates[i];
  }
  const auto value_of = [&](Expr symbol) {
    const auto found = values.find(model.graph->symbol_name(symbol));
    return found == values.end() ? 0.0 : found->second;  // speeds of `to_rates`
  };
  if (speeds.definition == Speeds::Definition::from_rates)
    return algebra::evaluate(speeds.equations, value_of);
  // qd = W u + X
  std::vector<Expr> u;
  for (const std::string& name : speeds.names) u.push_back(algebra::symbol(name));
  const std::vector<double> W = algebra::evaluate(algebra::jacobian(speeds.equations, u), value_of),
                            X = algebra::evaluate(speeds.equations, value_of);
  const auto n = static_cast<Eigen::Index>(u.size());
  Eigen::MatrixXd matrix(n, n);
  Eigen::VectorXd rest(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    rest(i) = rates[static_cast<std::size_t>(i)] - X[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < n; ++k) matrix(i, k) = W[static_cast<std::size_t>(i * n + k)];
  }
  const Eigen::VectorXd solved = matrix.fullPivLu().solve(rest);
  return {solved.begin(), solved.end()};
}

namespace {

/// Lets formulas use the definitions that are numbers at the start: at t = 0, and, for speeds, at the coordinates given.
class StartNames {
 public:
  StartNames(Reader& reader, bool with_coordinates) : reader_(reader) {
    const Model& model = reader.model;
    std::vector<Expr> from{algebra::symbol("t")}, to{Expr(0.0)};
    const std::vector<std::string> names = model.coordinate_names();
    for (std::size_t i = 0; i < names.size() && with_coordinates; ++i) {
      from.push_back(algebra::symbol(names[i]));
      to.emplace_back(model.initial_q[i]);
      reader.local_names[names[i]] = {to.back(), algebra::Quantity::Known::no, {}};
    }
    const FrameKinematics kinematics(model);
    for (const Definition& definition : model.definitions) {
      algebra::Quantity quantity = reader.definition_quantities.at(definition.name);
      quantity.value =
          algebra::substitute(kinematics.expand(definition.formula), algebra::Graph::current(), from, to);
      const std::vector<Expr> left = algebra::symbols_in(std::span(&quantity.value, 1));
      const bool is_number = std::all_of(left.begin(), left.end(), [&](Expr symbol) {
        return reader.parameter_quantities.contains(model.graph->symbol_name(symbol));
      });
      if (is_number) reader.local_names.try_emplace(definition.name, quantity);
    }
  }
  ~StartNames() { reader_.local_names.clear(); }
  StartNames(const StartNames&) = delete;
  StartNames& operator=(const StartNames&) = delete;

 private:
  Reader& reader_;
};

/// Rates of the joints, and the speeds that they make at the coordinates' initial values.
void read_rates(Reader& reader, const Value& given, std::string_view what) {
  Model& model = reader.model;
  std::vector<std::string> names;
  std::vector<Dimension> dimensions;
  for (const Joint& joint : model.joints)
    for (const JointAxis& axis : joint.axes) {
      names.push_back(axis.name);
      dimensions.push_back(axis.is_rotation ? kAngularSpeed : kSpeed);
    }
  std::vector<double> rates(names.size(), 0.0);
  const StartNames known(reader, true);
  const bool are_speeds = model.speeds.definition == Speeds::Definition::joint_rates;
  read_values(reader, given, what, names, dimensions, rates,
              are_speeds ? &reader.initial_formulas.u : nullptr);
  model.initial_u = speeds_of_rates(model, model.initial_q, rates);
  for (const double u : model.initial_u)
    if (!std::isfinite(u))
      reader.fail(given, "the speeds have no finite values for these rates at the initial coordinates",
                  "start at another place: there the map between rates and speeds is singular");
}

/// Whether `u` speaks of the joints' rates: only where the speeds were chosen, so that the file need not know their names.
bool means_rates(const Reader& reader, const Value* u) {
  if (u == nullptr || !reader.automatic_speeds || !u->is_map() || u->entries.empty()) return false;
  const std::vector<std::string> speeds = reader.model.speed_names();
  return std::none_of(u->entries.begin(), u->entries.end(), [&](const Value::Entry& entry) {
    return std::find(speeds.begin(), speeds.end(), entry.key.text) != speeds.end();
  });
}

}  // namespace

void read_initial(Reader& reader, const Value& section) {
  const Fields fields(reader, section, "`initial`", keys::kInitial);
  Model& model = reader.model;
  if (const Value* q = fields["q"]) {
    const StartNames names(reader, false);
    read_values(reader, *q, "`q`", model.coordinate_names(), coordinate_dimensions(model), model.initial_q,
                &reader.initial_formulas.q);
    normalise_quaternions(reader, *q, model.initial_q);
    warn_beyond_limits(reader, *q, model.initial_q);
  }
  const Value* qd = fields["qd"];
  if (qd != nullptr) {
    fields.refuse({"u"}, "`qd` gives the rates of the joints already");
    read_rates(reader, *qd, "`qd`");
  } else if (means_rates(reader, fields["u"])) {
    qd = fields["u"];
    read_rates(reader, *qd, "`u`");
  } else if (const Value* u = fields["u"]) {
    std::vector<Dimension> dimensions;
    if (model.speeds.definition == Speeds::Definition::joint_rates) {
      for (const Joint& joint : model.joints)
        for (const JointAxis& axis : joint.axes)
          dimensions.push_back(axis.is_rotation ? kAngularSpeed : kSpeed);
    }
    const StartNames names(reader, true);
    read_values(reader, *u, "`u`", model.speed_names(), dimensions, model.initial_u,
                &reader.initial_formulas.u);
  }
  const bool own_speeds = model.speeds.definition != Speeds::Definition::joint_rates;
  if (qd == nullptr || !own_speeds) {
    model.initial_marks =
        read_marks(reader, model, fields["q"], qd != nullptr ? qd : fields["u"], fields["fixed"]);
    return;
  }
  // They give all the speeds together.
  if (const Value* fixed = fields["fixed"])
    reader.fail(*fixed, "rates of the joints cannot be fixed where the speeds are others",
                fmt::format("give `u` by the speeds' names: {}", fmt::join(model.speed_names(), ", ")));
  InitialMarks marks;
  marks.u.assign(model.speed_names().size(), Mark::given);
  model.initial_marks = read_marks(reader, model, fields["q"], nullptr, nullptr, std::move(marks));
}

}  // namespace tactus::describe
