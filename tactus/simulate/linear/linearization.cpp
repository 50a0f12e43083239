#include <tactus/simulate/linear/linearization.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/derive/constraints/mobility.h>
#include <tactus/derive/linear/regular_mass.h>
#include <tactus/derive/linear/undefined_terms.h>
#include <tactus/describe/read/load.h>

namespace tactus::simulate {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Speeds at most: eigenvalues of twice as many rows take seconds then, and minutes beyond.
constexpr int kMostSpeeds = 300;
/// Motors' speeds are natural independent ones.
constexpr double kActuated = 0.05;
/// Shifts depend sooner than turns: along a steady curve their speeds in the world's axes change, those of turns do not.
constexpr double kShift = 10.0;

/// Joints whose dry friction holds them where they do not move.
std::vector<std::string> dry_joints(const describe::Model& model) {
  std::vector<std::string> names;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      for (const algebra::Expr& bound : {axis.friction.coulomb_positive, axis.friction.coulomb_negative})
        if (describe::value_of(model, bound) != 0.0 && (names.empty() || names.back() != axis.name))
          names.push_back(axis.name);
  return names;
}

describe::Model without_dry_friction(describe::Model model) {
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes)
      axis.friction.coulomb_positive = axis.friction.coulomb_negative = algebra::Expr();
  return model;
}

const describe::Model& bounded(const describe::Model& given) {
  if (given.nv() > kMostSpeeds)
    throw InputError({given.file},
                     fmt::format("the model has {} speeds, and linear models of at most {} are made",
                                 given.nv(), kMostSpeeds),
                     "take a part of it");
  return given;
}

std::vector<double> weights(const describe::Model& model) {
  std::vector<double> weight;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      weight.push_back((axis.passive || joint.axes.size() > 2 ? 1.0 : kActuated) *
                       (axis.is_rotation ? 1.0 : kShift));
  return weight;
}

}  // namespace

double fastest_of(const std::vector<double>& u) {
  double fastest = 1.0;
  for (const double x : u) fastest = std::max(fastest, std::abs(x));
  return fastest;
}

std::vector<std::string> named(const std::vector<std::string>& all, const std::vector<int>& which) {
  std::vector<std::string> names;
  for (const int k : which) names.push_back(all[static_cast<std::size_t>(k)]);
  return names;
}

Linearization::Implementation::Implementation(const describe::Model& given, const derive::Options& options,
                                              std::vector<std::string> independent)
    : dry(dry_joints(given)),
      model(without_dry_friction(given)),
      equations(bounded(model), options),
      terms(derive::linear_terms(equations)),
      evaluator(generate::compile(terms.function)),
      tangent(model),
      axes(model),
      speed_names(model.speed_names()),
      nv(equations.nv()),
      m(static_cast<Index>(terms.rows.size())) {
  if (nv == 0)
    throw InputError({model.file}, "nothing moves in this model: it has no linear model", "give it a joint");
  describe::require_inertia(model, "a linear model");
  for (std::size_t k = 0; k < terms.rows.size(); ++k)
    if (equations.constraint_rows()[terms.rows[k]].holonomic) holonomic.push_back(static_cast<int>(k));
  weight_q = weight_u = weights(model);
  for (const std::string& name : independent) demand(name, weight_q, weight_u);
  for (const derive::WrenchInput& input : options.wrenches)
    for (const char* part : {".torque_x", ".torque_y", ".torque_z", ".force_x", ".force_y", ".force_z"})
      wrench_names.push_back(model.frames[static_cast<std::size_t>(input.frame)].name + part);
  efforts = describe::effort_names(model);
}

void Linearization::Implementation::demand(const std::string& name, std::vector<double>& of_q,
                                           std::vector<double>& of_u) const {
  bool known = false;
  for (std::size_t k = 0; k < of_q.size(); ++k) {
    const bool is_coordinate = tangent.names()[k] == name;
    const bool is_speed = speed_names[k] == name || describe::rate_name(speed_names[k]) == name;
    if (is_coordinate) of_q[k] = 0.0;
    if (is_speed) of_u[k] = 0.0;
    known |= is_coordinate || is_speed;
  }
  if (!known)
    throw InputError({model.file}, fmt::format("`{}` is no coordinate and no speed of this model", name),
                     fmt::format("coordinates: {}; speeds: {}", fmt::join(tangent.names(), ", "),
                                 fmt::join(speed_names, ", ")));
}

Eigen::MatrixXd Linearization::Implementation::output(std::string_view name) const {
  const generate::Slot* slot = evaluator.kernel().output(name);
  if (slot == nullptr) return {};
  if (slot->size() == 0) return MatrixXd::Zero(slot->rows, slot->cols);
  return Eigen::Map<const RowMajor>(evaluator.output(name).data(), slot->rows, slot->cols);
}

void Linearization::Implementation::evaluate(const Instant& at, const VectorXd& udot,
                                             const VectorXd& lambda) {
  const auto fill = [&](std::string_view name, const double* values, std::size_t count) {
    const std::span<double> block = evaluator.input(name);
    std::copy_n(values, std::min(count, block.size()), block.begin());
  };
  const std::vector<double> none(static_cast<std::size_t>(nv), 0.0);
  const std::vector<double>& tau = at.tau ? *at.tau : none;
  fill("t", &at.t, 1);
  fill("q", at.q.data(), at.q.size());
  fill("u", at.u.data(), at.u.size());
  fill("udot", udot.data(), static_cast<std::size_t>(udot.size()));
  fill("tau", tau.data(), tau.size());
  fill("wrench", at.wrench.data(), at.wrench.size());
  fill("lambda", lambda.data(), static_cast<std::size_t>(lambda.size()));
  fill("parameters", parameters.data(), parameters.size());
  evaluator.run();
}

double Linearization::Implementation::fastest_rate(const Instant& at) {
  evaluate(at);
  return largest(VectorXd(output("qd")));
}

std::string Linearization::Implementation::label(int row) const {
  return equations.constraint_rows()[terms.rows[static_cast<std::size_t>(row)]].label;
}
Place Linearization::Implementation::place_of(int row) const {
  const derive::ConstraintRow& one = equations.constraint_rows()[terms.rows[static_cast<std::size_t>(row)]];
  return model.constraints[static_cast<std::size_t>(one.constraint)].where;
}

std::map<std::string, double> Linearization::Implementation::input_values() {
  std::map<std::string, double> values;
  for (const algebra::Block& block : terms.function.inputs) {
    const std::span<const double> numbers = evaluator.input(block.name);
    for (std::size_t k = 0; k < block.entries.size() && k < numbers.size(); ++k)
      values[terms.function.graph->symbol_name(block.entries[k])] = numbers[k];
  }
  return values;
}

void Linearization::Implementation::refuse_kinks(const Instant& at) {
  evaluate(at);
  const std::map<std::string, double> values = input_values();
  derive::require_smooth(equations, terms, [&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0.0 : found->second;
  });
}

void Linearization::Implementation::require_numbers() {
  bool all = true;
  for (const algebra::Block& block : terms.function.outputs)
    for (const double x : evaluator.output(block.name)) all = all && std::isfinite(x);
  if (all) return;
  const std::map<std::string, double> values = input_values();
  derive::require_defined(equations, terms, [&](const std::string& name) {
    const auto found = values.find(name);
    return found == values.end() ? 0.0 : found->second;
  });
  throw InputError({model.file}, "the linear model is not finite at this point", "take another point");
}

void Linearization::Implementation::require_inertia(const MatrixXd& M) const {
  const std::vector<int> none = derive::speeds_without_inertia(M);
  if (none.empty()) return;
  std::vector<std::string> names;
  for (const int k : none)
    names.push_back(speed_names[static_cast<std::size_t>(parts_u.independent[static_cast<std::size_t>(k)])]);
  throw InputError(
      {model.file},
      fmt::format(
          "a linear model needs inertia: the mass matrix is singular there, nothing resists a motion of {}",
          fmt::join(names, " and ")),
      "give every freedom that the constraints leave some mass or inertia, or joints an `armature`");
}

void Linearization::Implementation::refuse_singular(const Instant& at) const {
  if (m == 0) return;
  const derive::Mobility mobility = derive::mobility(equations, at.t, at.q, at.u);
  if (!mobility.assembled || !mobility.is_singular()) return;
  Place where{model.file};
  for (int row = 0; row < static_cast<int>(m); ++row)
    if (!mobility.singular.empty() && label(row) == mobility.singular.front()) where = place_of(row);
  throw InputError(
      where,
      fmt::format("the position is singular (rows that depend on others here: {}): branches of the "
                  "motion meet, and no linear model holds",
                  fmt::join(mobility.singular, ", ")),
      "take another position");
}

}  // namespace tactus::simulate
