// tactus eval MODEL --at STATE: everything the equations say at one instant, as JSON.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/decoupling.h>
#include <tactus/derive/equations.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/derive/readable/state_space.h>
#include <tactus/generate/kernel.h>
#include <tactus/generate/requests.h>
#include <tactus/simulate/files/instant.h>

#include "options.h"
#include "simulate_summary.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using Json = nlohmann::ordered_json;
using generate::Evaluator;
using simulate::ConstrainedInstant;
using simulate::Instant;

struct Request {
  ModelChoice model;
  std::string state;
  std::string formulation = "automatic";
  double abbreviate = 0.0;
  bool json = true, assemble = false, coriolis = false;
};

/// The instant with whatever follows from it.
struct Motion {
  Instant given;
  std::vector<double> tau, udot;         // as reported
  std::vector<double> acceleration;      // of the motion that frames follow
  std::vector<double> linearised_about;  // the given acceleration; zero where none is given
};

/// One of our own assumptions: main() says that it is broken.
void require(bool holds, const char* assumption) {
  if (!holds) throw std::logic_error(assumption);
}

Evaluator evaluated(const algebra::Function& function, const Instant& at, const std::vector<double>& udot,
                    const std::vector<double>& tau) {
  // Interpreted: one evaluation is not worth machine code, and the bits are the same.
  Evaluator evaluator(generate::compile(function, generate::Backend::interpreter));
  const auto fill = [&](std::string_view name, std::span<const double> values) {
    const std::span<double> block = evaluator.input(name);
    if (block.empty()) return;
    require(block.size() == values.size(), "a block has the size of its values");
    std::copy(values.begin(), values.end(), block.begin());
  };
  const double t[] = {at.t};
  fill("t", t);
  fill("q", at.q);
  fill("u", at.u);
  fill("udot", udot);
  fill("tau", tau);
  fill("wrench", at.wrench);
  evaluator.run();
  return evaluator;
}

std::vector<double> list(const Evaluator& evaluator, std::string_view name) {
  const auto values = evaluator.output(name);
  return {values.begin(), values.end()};
}

/// A block as an array of rows.
Json rows(const Evaluator& evaluator, std::string_view name) {
  const generate::Slot* slot = evaluator.kernel().output(name);
  require(slot != nullptr, "the function has that output");
  const auto values = evaluator.output(name);
  const auto width = static_cast<std::size_t>(slot->cols);
  Json result = Json::array();
  for (std::size_t row = 0; row < static_cast<std::size_t>(slot->rows); ++row)
    result.push_back(std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(row * width),
                                         values.begin() + static_cast<std::ptrdiff_t>((row + 1) * width)));
  return result;
}

Json rows(const Eigen::MatrixXd& matrix) {
  Json result = Json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    std::vector<double> row(static_cast<std::size_t>(matrix.cols()));
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row[static_cast<std::size_t>(j)] = matrix(i, j);
    result.push_back(std::move(row));
  }
  return result;
}

Eigen::MatrixXd matrix(const Evaluator& evaluator, std::string_view name) {
  const generate::Slot* slot = evaluator.kernel().output(name);
  require(slot != nullptr, "the function has that output");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(evaluator.output(name).data(), slot->rows, slot->cols);
}

Json meanings(const std::vector<describe::Meaning>& all) {
  Json result = Json::array();
  for (const describe::Meaning& one : all)
    result.push_back({{"name", one.name}, {"meaning", one.meaning}, {"unit", one.unit}});
  return result;
}

/// Accelerations from forces, or forces from accelerations: each from the other as the state gives them. A
/// state that gives neither is the motion without actuator forces.
Motion motion_of(const derive::Equations& equations, const Instant& at) {
  const std::vector<double> none(static_cast<std::size_t>(equations.nv()), 0.0);
  Motion motion{at, at.tau.value_or(none), at.udot.value_or(none), {}, at.udot.value_or(none)};
  if (at.udot) motion.tau = list(evaluated(equations.inverse_dynamics(), at, *at.udot, none), "tau");
  if (describe::missing_inertia(equations.model())) {
    if (at.tau) describe::require_inertia(equations.model(), "the acceleration that forces give");
    motion.acceleration = motion.linearised_about;
    return motion;
  }
  if (at.tau || !at.udot)
    motion.udot = list(evaluated(equations.forward_dynamics(), at, none, at.tau.value_or(none)), "udot");
  motion.acceleration = at.udot.value_or(motion.udot);
  return motion;
}

/// The accelerations where joints with dry friction stand: which of them stick is a law of its own, that of a motion which begins here. The constraints'
/// forces are those of that motion.
void stand_by_friction(const describe::Model& model, Motion& motion, ConstrainedInstant* constrained) {
  if (!motion.given.wrenches.empty())
    throw Failed(
        "joints with dry friction stand here: eval knows which of them stick without `wrenches` only"
        "\n  help: `tactus simulate` has both");
  describe::Model alone = model;
  alone.contact = {};
  contact::OpenOptions options;
  options.assemble = false;
  const std::unique_ptr<simulate::Mechanism> mechanism = contact::open(alone, options);
  mechanism->set_state({.t = motion.given.t, .q = motion.given.q, .u = motion.given.u, .momentum = {}});
  require(mechanism->hold({.tau = motion.tau, .ports = {}, .wrench = {}}), "the forces fit the joints");
  const std::span<const double> udot = mechanism->accelerations();
  motion.udot.assign(udot.begin(), udot.end());
  motion.acceleration = motion.given.udot.value_or(motion.udot);
  if (constrained == nullptr) return;
  const simulate::ConstraintReport report = mechanism->constraint_report(true);
  require(report.lambda.size() >= constrained->rows.size(), "every row has a multiplier");
  std::size_t k = 0;
  std::fill(constrained->force.begin(), constrained->force.end(), 0.0);
  for (const simulate::ConstraintOutline& constraint : mechanism->constraints())
    for (std::size_t r = 0; r < constraint.rows.size(); ++r)
      if (k < constrained->rows.size() && constrained->rows[k].label == constraint.labels[r]) {
        ConstrainedInstant::Row& row = constrained->rows[k++];
        row.lambda = report.lambda[constraint.rows[r]];
        for (std::size_t i = 0; i < row.A.size(); ++i) constrained->force[i] += row.A[i] * row.lambda;
      }
  require(k == constrained->rows.size(), "every row is found");
  constrained->udot = motion.udot;
}

/// Of a model without inertia: the rows, and how far the state is from them.
ConstrainedInstant rows_alone(const derive::Equations& equations, const Instant& at) {
  const describe::Model& model = equations.model();
  const Evaluator terms = evaluated(equations.constraint_terms(), at, {}, {});
  const Eigen::MatrixXd A = matrix(terms, "A");
  ConstrainedInstant result;
  for (const describe::Constraint& constraint : model.constraints) result.names.push_back(constraint.name);
  for (std::size_t k = 0; k < equations.constraint_rows().size(); ++k) {
    const derive::ConstraintRow& row = equations.constraint_rows()[k];
    if (!model.constraints[static_cast<std::size_t>(row.constraint)].active) continue;
    ConstrainedInstant::Row one;
    one.label = row.label;
    one.constraint = row.constraint;
    one.position_error = terms.output("Phi")[k];
    one.velocity_error = terms.output("velocity")[k];
    for (Eigen::Index i = 0; i < A.cols(); ++i) one.A.push_back(A(static_cast<Eigen::Index>(k), i));
    result.rows.push_back(std::move(one));
  }
  return result;
}

/// [m, rad; m/s, rad/s by the fastest speed, at least 1] A state typed with seven digits is closer to its constraints.
constexpr double kFits = 1e-6;

/// Which constraints the state violates and by how much; "" where it fits.
std::string misfits(const ConstrainedInstant& constrained, const std::vector<double>& u) {
  double fastest = 1.0;
  for (const double x : u) fastest = std::max(fastest, std::abs(x));
  std::string text;
  for (const ConstrainedInstant::Row& row : constrained.rows) {
    const auto add = [&](double error, double limit, std::string_view level) {
      if (!(std::abs(error) <= limit))
        text +=
            fmt::format("{}`{}` by {:.3g} ({})", text.empty() ? "" : ", ", row.label, std::abs(error), level);
    };
    add(row.position_error, kFits, "position");
    add(row.velocity_error, kFits * fastest, "velocity");
  }
  return text;
}

/// Which constraints the given accelerations violate and by how much; "" where they fit. By the sizes of the terms of A udot = gamma.
std::string impossible_motion(const ConstrainedInstant& constrained, const std::vector<double>& udot) {
  std::string text;
  for (const ConstrainedInstant::Row& row : constrained.rows) {
    double error = -row.gamma, size = 1.0 + std::abs(row.gamma);
    for (std::size_t i = 0; i < udot.size(); ++i) {
      error += row.A[i] * udot[i];
      size += std::abs(row.A[i] * udot[i]);
    }
    if (!(std::abs(error) <= kFits * size))
      text += fmt::format("{}`{}` by {:.3g}", text.empty() ? "" : ", ", row.label, std::abs(error));
  }
  return text;
}

/// The rows that depend on others here.
std::string dependent_rows(const ConstrainedInstant& constrained) {
  std::string text;
  for (const ConstrainedInstant::Row& row : constrained.rows)
    if (row.redundant) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", row.label);
  return text;
}

/// Of a model without inertia: what the constraints ask for, and how far the state is from it.
void add_rows(const ConstrainedInstant& constrained, Json& result) {
  Json labels = Json::array(), A = Json::array(), position = Json::array(), velocity = Json::array();
  for (const ConstrainedInstant::Row& row : constrained.rows) {
    labels.push_back(row.label);
    A.push_back(row.A);
    position.push_back(row.position_error);
    velocity.push_back(row.velocity_error);
  }
  result["constraint_rows"] = std::move(labels);
  result["A"] = std::move(A);
  result["position_error"] = std::move(position);
  result["velocity_error"] = std::move(velocity);
}

/// How much the forces that move the mechanism bend the constraints' forces [Aghili2005, Proposition 3].
control::Decoupling coupling(const ConstrainedInstant& constrained, const Eigen::MatrixXd& M) {
  Eigen::MatrixXd A(static_cast<Eigen::Index>(constrained.rows.size()), M.cols());
  for (Eigen::Index i = 0; i < A.rows(); ++i)
    for (Eigen::Index j = 0; j < A.cols(); ++j)
      A(i, j) = constrained.rows[static_cast<std::size_t>(i)].A[static_cast<std::size_t>(j)];
  return control::decoupling(A, static_cast<Eigen::Index>(constrained.rank), M);
}

/// Errors of acceleration, A udot - gamma, are those of the motion: of a given one, what the constraints do
/// not allow.
void add_constraints(const ConstrainedInstant& constrained, const std::vector<double>& udot, Json& result) {
  std::vector<std::string> labels;
  std::vector<std::vector<double>> A;
  std::vector<double> lambda;
  Json redundant = Json::array();
  for (const ConstrainedInstant::Row& row : constrained.rows) {
    labels.push_back(row.label);
    A.push_back(row.A);
    lambda.push_back(row.lambda);
    if (row.redundant) redundant.push_back(row.label);
  }
  result["constraint_rows"] = labels;
  result["A"] = A;
  result["rank"] = constrained.rank;
  result["singular_position"] = constrained.singular;
  if (constrained.singular) result["on_branch"] = constrained.on_branch;
  result["redundant_rows"] = std::move(redundant);
  result["formulation"] = simulate::name_of(constrained.used);
  if (!constrained.z.empty())
    result["parameters"] = {
        {"names", constrained.parametric_names}, {"z", constrained.z}, {"zd", constrained.zd}};
  result["lambda"] = lambda;
  result["lambda_is_unique"] = constrained.rank == labels.size();
  result["constraint_force"] = constrained.force;
  Json by_name = Json::object();
  for (std::size_t c = 0; c < constrained.names.size(); ++c) {
    Json rows = Json::array(), multipliers = Json::array(), position = Json::array(),
         velocity = Json::array(), acceleration = Json::array();
    std::vector<double> force(udot.size(), 0.0);
    bool active = false;
    for (const ConstrainedInstant::Row& row : constrained.rows) {
      if (row.constraint != static_cast<int>(c)) continue;
      active = true;
      rows.push_back(row.label);
      multipliers.push_back(row.lambda);
      position.push_back(row.position_error);
      velocity.push_back(row.velocity_error);
      double error = -row.gamma;
      for (std::size_t i = 0; i < udot.size(); ++i) {
        force[i] += row.A[i] * row.lambda;
        error += row.A[i] * udot[i];
      }
      acceleration.push_back(error);
    }
    by_name[constrained.names[c]] = {{"active", active},
                                     {"rows", rows},
                                     {"position_error", position},
                                     {"velocity_error", velocity},
                                     {"acceleration_error", acceleration},
                                     {"lambda", multipliers},
                                     {"force", force}};
  }
  result["reactions"] = std::move(by_name);
}

/// Of a model without inertia only given accelerations are known.
Json frames(const derive::Equations& equations, const Motion& motion) {
  const bool accelerates = !describe::missing_inertia(equations.model()) || motion.given.udot;

  Json result = Json::object();
  const auto& all = equations.model().frames;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Evaluator frame =
        evaluated(equations.frame_motion(static_cast<int>(i)), motion.given, motion.acceleration, {});
    const Eigen::Matrix3d R = matrix(frame, "R");
    Eigen::Quaterniond turn(R);
    if (turn.w() < 0.0) turn.coeffs() = -turn.coeffs();
    Json entry;
    entry["pose"] = {{"R", rows(frame, "R")},
                     {"p", list(frame, "p")},
                     {"quaternion", {turn.w(), turn.x(), turn.y(), turn.z()}}};
    entry["velocity"] = list(frame, "V");
    if (accelerates) entry["acceleration"] = list(frame, "A");
    entry["jacobian"] = rows(frame, "J");
    entry["jacobian_rate_times_u"] = list(frame, "Jdot_u");
    result[all[i].name] = std::move(entry);
  }
  return result;
}

/// State space and eigenvalues only where the tree is free, because constraints would change them, and has inertia.
Json linear(const derive::LinearMatrices& matrices, bool matrices_alone) {
  Json result;
  result["M"] = rows(matrices.M);
  result["C"] = rows(matrices.C);
  result["K"] = rows(matrices.K);
  if (matrices_alone) return result;
  const derive::StateSpace system = derive::state_space(matrices);
  result["A"] = rows(system.A);
  result["B"] = rows(system.B);
  Json roots = Json::array();
  if (system.A.allFinite())
    for (const std::complex<double>& root : derive::eigenvalues(system))
      roots.push_back({root.real(), root.imag()});
  result["eigenvalues"] = std::move(roots);
  return result;
}

Json exact_linear(const derive::Equations& equations, const Motion& motion) {
  const Evaluator model = evaluated(equations.linear_model(), motion.given, motion.linearised_about, {});
  return linear({matrix(model, "M"), matrix(model, "C"), matrix(model, "K")},
                !equations.constraint_rows().empty() || describe::missing_inertia(equations.model()));
}

Json abbreviated(const describe::Model& model, const Motion& motion, double threshold) {
  if (!motion.given.wrenches.empty())
    throw InputError({}, "--abbreviate knows no outside wrenches", "leave out `wrenches`, or --abbreviate");
  const derive::CanonicalModel full = derive::canonical_form(model);
  const derive::Abbreviation rule = derive::Abbreviation::thesis(threshold);
  const derive::MotionPoint at{motion.given.q, motion.given.u, motion.linearised_about};
  const derive::CanonicalModel shorter = derive::abbreviated(full, rule);
  std::vector<double> tau = shorter.inverse_dynamics(at);
  const std::vector<double> friction = shorter.friction_at(at);
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += friction[i];
  Json result;
  result["threshold"] = threshold;
  result["terms"] = {{"kept", shorter.coefficient_count()}, {"of", full.coefficient_count()}};
  result["tau"] = tau;
  result["linear"] = linear(derive::LinearCanonical(full, rule).evaluate(at),
                            !model.constraints.empty() || describe::missing_inertia(model));
  return result;
}

bool has_linear_model(const derive::Equations& equations) {
  return equations.nq() == equations.nv() &&
         equations.model().speeds.definition == describe::Speeds::Definition::joint_rates;
}

/// Whether every number below is finite (JSON writes the others as null).
bool all_finite(const Json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  if (!value.is_structured()) return true;
  for (const Json& part : value)
    if (!all_finite(part)) return false;
  return true;
}

/// Where a force has a value and no slope, as a root of zero, the motion is known and its linear model is not.
void add_linear_model(Json& result, Json linear) {
  if (all_finite(linear)) {
    result["linear"] = std::move(linear);
    return;
  }
  result["linear"] = nullptr;
  result["linear_note"] =
      "a force, a constraint or a rate has no derivative at this state, so that there is no linear model; "
      "`tactus linear` names it";
}

void run(const Request& request) {
  const describe::Model model = request.model.load();
  derive::Equations equations(model);
  Instant at = request.state.empty() ? simulate::read_instant(equations, "{}", "")
                                     : simulate::load_instant(equations, request.state);
  if (!at.wrenches.empty()) {
    derive::Options options;
    options.wrenches = at.wrenches;
    equations = derive::Equations(model, options);
  }
  std::vector<simulate::InitialChange> changes;
  if (request.assemble && !model.constraints.empty()) changes = simulate::assemble_instant(equations, at);
  Motion motion = motion_of(equations, at);
  const bool moves = !describe::missing_inertia(model);
  std::optional<double> out_of_reach;  // the part of the motion that the actuators cannot give
  if (!model.constraints.empty() && at.udot && !at.tau) {
    // Forces for a constrained motion are not unique: the least ones.
    const simulate::LeastForces least = simulate::least_forces(equations, at);
    motion.tau = least.tau;
    out_of_reach = least.residual;
  }
  std::optional<ConstrainedInstant> constrained;
  const std::optional<simulate::Formulation> formulation = simulate::formulation_of(request.formulation);
  require(formulation.has_value(), "the command line knows the formulations");
  if (!moves && !model.constraints.empty()) {
    constrained = rows_alone(equations, at);
  } else if (!model.constraints.empty() || *formulation == simulate::Formulation::parametric) {
    constrained = simulate::constrained_instant(equations, at, motion.tau, *formulation);
    if (!constrained->solved)
      throw Failed(
          "the constrained motion has no solution here: the mass matrix is singular, or a row is not finite");
  }
  if (constrained && moves && (at.tau || !at.udot)) {
    motion.udot = constrained->udot;
    motion.acceleration = at.udot.value_or(motion.udot);
  }
  const std::vector<std::string> standing = simulate::joints_at_rest_with_friction(equations, at);
  if (!standing.empty() && moves && (at.tau || !at.udot))
    stand_by_friction(model, motion, constrained ? &*constrained : nullptr);

  Json result;
  result["model"] = model.name;
  result["conventions"] = {
      {"units", "SI: kg, m, s, rad"},
      {"spatial_vectors", "[angular; linear], at the frame's origin, world axes"},
      {"quaternions", "[w, x, y, z]"},
      {"matrices", "arrays of rows"},
      {"equations", "M udot + h = (joint forces tau and wrenches, in the generalised speeds) + A^T lambda"}};
  result["coordinates"] = meanings(describe::coordinate_meanings(model));
  result["speeds"] = meanings(describe::speed_meanings(model));
  result["joint_axes"] = describe::effort_names(model);
  result["t"] = at.t;
  result["q"] = at.q;
  result["u"] = at.u;
  result["qdot"] = simulate::coordinate_rates_of(equations, at.t, at.q, at.u);
  result["qd"] = simulate::joint_rates_of(equations, at.t, at.q, at.u);
  if (!moves) result["missing_inertia"] = describe::missing_inertia(model)->wrong;
  if (moves || at.udot) {
    result["tau"] = motion.tau;
    if (out_of_reach) result["tau_residual"] = *out_of_reach;
    result["udot"] = motion.udot;
    result["qdd"] = simulate::joint_accelerations_of(equations, at.t, at.q, at.u, motion.udot);
  }
  const Eigen::MatrixXd M = matrix(evaluated(equations.mass_matrix(), at, {}, {}), "M");
  result["M"] = rows(M);
  result["h"] = list(evaluated(equations.bias(), at, {}, {}), "h");
  if (request.coriolis) {
    const std::vector<std::string> words{"coriolis"};
    result["coriolis"] =
        rows(evaluated(generate::requested_functions(equations, words).front(), at, {}, {}), "C");
  }
  if (!standing.empty())
    result["dry_friction_at_rest"] = {{"joints", standing},
                                      {"note",
                                       "udot follows from the law of sticking; h and tau have the friction "
                                       "of a joint that has just begun to slide"}};
  result["gravity"] = list(evaluated(equations.gravity(), at, {}, {}), "g");
  const std::string off = constrained ? misfits(*constrained, at.u) : "";
  const std::string impossible =
      constrained && moves && at.udot ? impossible_motion(*constrained, *at.udot) : "";
  if (constrained) {
    result["fits_constraints"] = off.empty();
    if (at.udot) result["motion_fits_constraints"] = impossible.empty();
    if (request.assemble) result["assembly_changes"] = changes_as_json(changes);
    if (moves) {
      add_constraints(*constrained, motion.acceleration, result);
      const control::Decoupling coupled = coupling(*constrained, M);
      result["force_motion_coupling"] = coupled.inertia;
      result["force_motion_mu"] = coupled.mu;
      result["decoupled"] = coupled.decoupled();
    } else {
      add_rows(*constrained, result);
    }
  }
  const Evaluator energy = evaluated(equations.energy(), at, {}, {});
  const double kinetic = energy.output("kinetic")[0], potential = energy.output("potential")[0];
  result["energy"] = {{"kinetic", kinetic}, {"potential", potential}, {"total", kinetic + potential}};
  result["momentum"] = {{"linear", list(energy, "linear_momentum")},
                        {"angular_about_world_origin", list(energy, "angular_momentum")}};
  result["center_of_mass"] = list(energy, "center_of_mass");
  result["mass"] = energy.output("mass")[0];
  if (!equations.model().definitions.empty()) {
    const Evaluator definitions = evaluated(equations.definitions(), at, {}, {});
    Json values = Json::object();
    for (std::size_t i = 0; i < equations.model().definitions.size(); ++i)
      values[equations.model().definitions[i].name] = definitions.output("definitions")[i];
    result["definitions"] = std::move(values);
  }
  result["frames"] = frames(equations, motion);
  if (has_linear_model(equations)) add_linear_model(result, exact_linear(equations, motion));
  if (request.abbreviate > 0.0) result["abbreviated"] = abbreviated(model, motion, request.abbreviate);

  fmt::print("{}\n", result.dump(2));
  if (!all_finite(result)) {
    std::string ended;  // definitions, which nothing else need depend on
    const Json definitions = result.value("definitions", Json::object());
    for (const auto& [name, value] : definitions.items())
      if (!all_finite(value)) ended += fmt::format("{}`{}`", ended.empty() ? "" : ", ", name);
    result.erase("definitions");
    throw Failed(all_finite(result)
                     ? fmt::format("no finite value at this state (null above): the definition {}", ended)
                     : "some values (null above) are not finite: the equations are singular at this state");
  }
  if (!off.empty())
    throw Failed(
        "the state violates the constraints: " + off +
        "\n  help: --assemble moves it onto them; `fixed` in the state file keeps values as they are");
  if (!impossible.empty())
    throw Failed("the accelerations that are given violate the constraints: " + impossible +
                 "\n  help: no forces make that motion; give fewer of them, or those of a motion that fits "
                 "(udot of an eval with `tau`)");
  if (constrained && moves && !constrained->on_branch && (at.tau || !at.udot))
    throw Failed(
        fmt::format("the position is singular (rows that depend on others here: {}): branches of the motion "
                    "meet, and the velocity "
                    "is on none of them; accelerations and multipliers above belong to none"
                    "\n  help: give a velocity along a branch; --assemble moves one to the nearest branch, "
                    "at rest none is chosen",
                    dependent_rows(*constrained)));
}

}  // namespace

void add_eval(CLI::App& program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand("eval", "Evaluate everything at one state, as JSON");
  request->model.add_to(*verb);
  verb->add_option("--at", request->state,
                   "state file (YAML): t, q, u or qd, udot or qdd, tau, wrenches; at rest unless given");
  verb->add_option("--abbreviate", request->abbreviate,
                   "also the model without coefficients below this, rounded to 4 digits [Clover1996]")
      ->check(numbers(Range::positive()));
  verb->add_option("--formulation", request->formulation, "of the constrained motion")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "multipliers", "embedding", "projection", "parametric"}));
  verb->add_flag("--assemble", request->assemble, "move the state onto the constraints first");
  verb->add_flag(
      "--coriolis", request->coriolis,
      "also C(q, u) of Christoffel's symbols: C u are the velocity's products, dM/dt - 2 C is skew");
  verb->add_flag("--json", request->json, "print JSON (always)");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
