#include <tactus/simulate/motion/simulation.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/simulate/motion/step_error.h>

namespace tactus::simulate {

namespace {

int first_not_finite(std::span<const double> values) {
  const auto found = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

/// x - x is zero, or not a number. Four sums side by side: every step asks.
bool all_finite(std::span<const double> values) {
  double zero[4] = {};
  std::size_t i = 0;
  for (; i + 4 <= values.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) zero[k] += values[i + k] - values[i + k];
  for (; i < values.size(); ++i) zero[0] += values[i] - values[i];
  return zero[0] + zero[1] + zero[2] + zero[3] == 0.0;
}

}  // namespace

Simulation::Simulation(const Dynamics& dynamics, Options options)
    : options_(options),
      chart_(make_chart(dynamics, options_.constraints)),
      z_(static_cast<std::size_t>(chart_->size())),
      z_rate_(z_.size()) {
  if (!(options_.step > 0.0) || !std::isfinite(options_.step))
    throw InputError({}, fmt::format("the step is {} s", options_.step),
                     "give a positive time, such as 1e-3");
  stepper_ = make_stepper(options_.integrator, *chart_, options_.tolerances);
  stepper_before_.resize(stepper_->memory());
  if (dynamics.constraints) {
    const std::size_t rows = dynamics.constraints->size();
    constrained_ = ConstrainedMotion(static_cast<std::size_t>(dynamics.nv()), rows);
    lambda_.resize(rows);
    impulse_.resize(rows);
    chart_->constraints()->save(memory_);
  }
  State rest;
  rest.q = dynamics.coordinates.rest();
  rest.u.assign(static_cast<std::size_t>(dynamics.nv()), 0.0);
  step_error_ = std::make_unique<StepError>(options_.look_every, options_.integrator, rest);
  if (dynamics.constraints)
    state_ = std::move(rest);  // which the constraints need not allow: set_state() comes first
  else
    set_state(std::move(rest));
  state_.momentum.resize(static_cast<std::size_t>(dynamics.np()));
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

void Simulation::set_state(State state) {
  const Dynamics& d = dynamics();
  if (state.q.size() != static_cast<std::size_t>(d.nq()) ||
      state.u.size() != static_cast<std::size_t>(d.nv()))
    throw InputError(
        {}, fmt::format("the state has {} coordinates and {} speeds", state.q.size(), state.u.size()),
        fmt::format("this mechanism has {} and {}", d.nq(), d.nv()));
  if (!std::isfinite(state.t)) throw InputError({}, "the time of the state is not finite");
  if (const int i = first_not_finite(state.q); i >= 0)
    throw InputError(
        {}, fmt::format("coordinate '{}' is not finite", d.coordinate_names[static_cast<std::size_t>(i)]));
  if (const int i = first_not_finite(state.u); i >= 0)
    throw InputError({}, fmt::format("speed '{}' is not finite", d.speed_names[static_cast<std::size_t>(i)]));
  if (!d.coordinates.normalize(state.q.data()))
    throw InputError({}, "a quaternion of the state is zero", "no rotation is (1, 0, 0, 0): w, x, y, z");
  state_ = std::move(state);
  if (chart_->constraints() != nullptr) {
    meet_constraints();
    chart_->constraints()->save(memory_);  // room for what the loop puts there
  }
  chart_->adopt(state_);
  before_adjusting_ = state_;
  stepper_->reset();
  start_ = state_.t;
  steps_ = 0;
  step_error_->reset();
  step_error_->whole() = step_error_->halves() = state_;  // with memory for all that it has
}

/// From the state, so many steps that make one together. False on trouble.
bool Simulation::try_steps(int count, State& end) {
  const double h = options_.step / count;
  chart_->begin(state_, z_);
  for (int i = 0; i < count; ++i) {
    const double t = state_.t + i * h;
    if (!stepper_->step(*chart_, t, h, z_).ok() || !all_finite(z_)) return false;
    if (!chart_->settle(t + h, z_).ok()) return false;
  }
  chart_->end(state_.t + options_.step, z_, end);
  stepper_->load(stepper_before_.data());
  return true;
}

/// Everything is afterwards what it was.
void Simulation::look_at_step() {
  ConstraintSolver* solver = chart_->constraints();
  stepper_->save(stepper_before_.data());
  if (solver != nullptr) solver->save(memory_);
  const bool whole = try_steps(1, step_error_->whole());
  if (solver != nullptr) solver->load(memory_);
  const bool halves = whole && try_steps(2, step_error_->halves());
  if (solver != nullptr) solver->load(memory_);
  stepper_->load(stepper_before_.data());
  if (halves) step_error_->note(step_error_->whole(), step_error_->halves());
}

// On trouble what constraints and integrator remember is what it was, too.
Status Simulation::step(const Input& input) {
  if (!hold(input)) return Status::bad_input;  // forces from outside
  if (step_error_->is_due(steps_)) look_at_step();
  if (chart_->constraints() != nullptr) chart_->constraints()->mark();
  stepper_->save(stepper_before_.data());
  const Status status = advance();
  if (status.ok()) return status;
  if (chart_->constraints() != nullptr) chart_->constraints()->rewind();
  stepper_->load(stepper_before_.data());
  return status;
}

Status Simulation::advance() {
  const double t_next = start_ + static_cast<double>(steps_ + 1) * options_.step;
  chart_->begin(state_, z_);                                                 // coordinates around this place
  Status status = stepper_->step(*chart_, state_.t, t_next - state_.t, z_);  // the integrator's work
  if (status.ok()) status |= check(z_);                                      // NaN, divergence
  if (!status.ok()) return status |= chart_->diagnosis();
  status |= chart_->settle(t_next, z_);  // onto the manifold and the constraints, momentum kept
  if (!status.ok()) return status;
  if (!(chart_->position_error() <= options_.constraint_limit)) return Status::constraint_lost;
  chart_->end(t_next, z_, state_);  // the new state
  ++steps_;
  return status;
}

void Simulation::meet_constraints() {
  // States typed with few digits are polished; more than this is another configuration, which assemble()
  // looks for.
  constexpr double kPolish = 1e-3;
  ConstraintSolver& solver = *chart_->constraints();
  if (!solver.as_at_start()) solver.set_active(solver.constraints().active.data());
  const double *position = nullptr, *velocity = nullptr;
  solver.reset(state_.t, state_.q.data(), state_.u.data());
  solver.errors(state_.t, state_.q.data(), state_.u.data(), position, velocity);
  for (const std::size_t k : solver.active_rows()) {
    if (std::abs(position[k]) <= kPolish) continue;
    throw InputError({},
                     fmt::format("the state does not fit the constraints: `{}` is off by {:.3g}",
                                 solver.constraints().rows[k].label, position[k]),
                     "assemble the mechanism first");
  }
  solver.hold_position(state_.t, state_.q.data());
  solver.hold_velocity(state_.t, state_.q.data(), state_.u.data());
  solver.choose_branch(state_.t, state_.q.data(), state_.u.data());
  solver.reset(state_.t, state_.q.data(), state_.u.data());
}

long Simulation::handed_over() const {
  const ConstraintSolver* solver = chart_->constraints();
  const bool by_straight_line_code = options_.constraints.formulation == Formulation::automatic;
  return solver != nullptr && by_straight_line_code ? solver->detours() : 0;
}

Simulation::ConstraintState Simulation::constraint_state(bool multipliers) {
  ConstraintSolver* solver = chart_->constraints();
  if (solver == nullptr) return {};
  ConstraintState result;
  const ConstraintSolver::Look look(*solver);
  if (multipliers) {
    load_here();
    const bool solved = solver->solve(chart_->workspace().arguments.data(), constrained_);
    std::fill(lambda_.begin(), lambda_.end(), 0.0);
    for (std::size_t k = 0; k < solver->active_rows().size(); ++k) {
      lambda_[solver->active_rows()[k]] = solved ? constrained_.lambda[k] : std::nan("");
      result.redundant += constrained_.redundant[k] != 0;
    }
    result.lambda = lambda_;
    result.force = constrained_.force;
    result.rank = constrained_.rank;
    result.formulation = constrained_.used;
  }
  const double *position = nullptr, *velocity = nullptr;
  solver->errors(state_.t, state_.q.data(), state_.u.data(), position, velocity);
  result.position_error = {position, lambda_.size()};
  result.velocity_error = {velocity, lambda_.size()};
  return result;
}

bool Simulation::is_active(int constraint) const {
  return chart_->constraints() != nullptr && chart_->constraints()->is_active(constraint);
}

Switching Simulation::can_switch(int constraint, bool active) noexcept {
  ConstraintSolver* solver = chart_->constraints();
  if (solver == nullptr || constraint < 0 ||
      static_cast<std::size_t>(constraint) >= solver->constraints().names.size())
    return {Switching::Answer::no_such_constraint};
  if (solver->is_active(constraint) == active) return {Switching::Answer::as_it_was};
  const Constraints& constraints = solver->constraints();
  const bool parametric = solver->options().formulation == Formulation::parametric;
  const double *position = nullptr, *velocity = nullptr;
  solver->errors(state_.t, state_.q.data(), state_.u.data(), position, velocity);
  for (std::size_t k = 0; k < constraints.size(); ++k) {
    if (constraints.rows[k].constraint != constraint) continue;
    if (parametric && !(dynamics().parametric->left[k] && !constraints.rows[k].holonomic))
      return {Switching::Answer::not_in_these_coordinates, k};
    if (active && !(std::abs(position[k]) <= options_.latch_limit))
      return {Switching::Answer::out_of_place, k, position[k]};
  }
  return {};
}

Switching Simulation::request_active(int constraint, bool active) noexcept {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  const Switching may = can_switch(constraint, active);
  if (may.answer != Switching::Answer::done) return may;
  ConstraintSolver& solver = *chart_->constraints();
  solver.save(memory_);
  solver.set_active(constraint, active);
  if (active && !solver.strike(state_.t, state_.q.data(), state_.u.data(), impulse_)) {
    solver.load(memory_);
    return {Switching::Answer::no_impulse};
  }
  solver.end_step(state_.t, state_.q.data(), state_.u.data());
  chart_->adopt(state_);
  stepper_->reset();
  start_ = state_.t;
  steps_ = 0;
  return {};
}

bool Simulation::adjust() noexcept {
  if (ConstraintSolver* solver = chart_->constraints(); solver != nullptr) {
    before_adjusting_ = state_;
    solver->save(memory_);
    solver->reset(state_.t, state_.q.data(), state_.u.data());
    const double error = solver->hold_position(state_.t, state_.q.data());
    solver->hold_velocity(state_.t, state_.q.data(), state_.u.data());
    if (!(error <= options_.constraint_limit)) {
      state_ = before_adjusting_;
      solver->load(memory_);
      return false;
    }
    solver->reset(state_.t, state_.q.data(), state_.u.data());
  }
  chart_->adopt(state_);
  stepper_->reset();
  start_ = state_.t;
  steps_ = 0;
  return true;
}

std::span<const double> Simulation::set_active(int constraint, bool active) {
  const Switching switching = request_active(constraint, active);
  const auto label = [&] { return dynamics().constraints->rows[switching.row].label; };
  switch (switching.answer) {
    case Switching::Answer::no_such_constraint:
      throw InputError({}, fmt::format("there is no constraint number {}", constraint),
                       "count as Model::constraints does, from 0");
    case Switching::Answer::not_in_these_coordinates:
      throw InputError(
          {},
          fmt::format("`{}` cannot be switched in parametric coordinates: psi says where the mechanism "
                      "can be",
                      label()),
          "choose another formulation");
    case Switching::Answer::out_of_place:
      throw InputError(
          {}, fmt::format("`{}` cannot be switched on: it is off by {:.3g}", label(), switching.error));
    case Switching::Answer::no_impulse:
      throw InputError({}, "the constraint's impulse has no solution: the mass matrix is singular");
    case Switching::Answer::no_consistent_contacts:
    case Switching::Answer::done:
    case Switching::Answer::as_it_was:
      break;
  }
  return impulse_;
}

void Simulation::save(Memory& memory) const {
  memory.state = state_;
  memory.start = start_;
  memory.steps = steps_;
  memory.stepper.resize(stepper_->memory());
  stepper_->save(memory.stepper.data());
  if (chart_->constraints() != nullptr) chart_->constraints()->save(memory.constraints);
  memory.held_tau = chart_->workspace().held_tau;
  memory.held_wrench = chart_->workspace().held_wrench;
}

bool Simulation::load(const Memory& memory) noexcept {
  if (memory.state.q.size() != state_.q.size() || memory.state.u.size() != state_.u.size() ||
      memory.stepper.size() != stepper_->memory() || memory.held_tau.size() != state_.u.size())
    return false;
  if (chart_->constraints() != nullptr) chart_->constraints()->load(memory.constraints);
  state_ = memory.state;
  start_ = memory.start;
  steps_ = memory.steps;
  stepper_->load(memory.stepper.data());
  chart_->workspace().held_tau = memory.held_tau;
  chart_->workspace().held_wrench = memory.held_wrench;
  return true;
}

bool Simulation::hold(const Input& input) {
  Workspace& w = chart_->workspace();
  const auto fits = [](std::span<const double> given, const std::vector<double>& held) {
    return given.empty() || given.size() == held.size();
  };
  if (!fits(input.tau, w.held_tau) || !fits(input.wrench, w.held_wrench)) return false;
  std::fill(w.held_tau.begin(), w.held_tau.end(), 0.0);
  std::fill(w.held_wrench.begin(), w.held_wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), w.held_tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), w.held_wrench.begin());
  return true;
}

Status Simulation::check(std::span<const double> z) {
  Status status;
  if (!all_finite(z)) status |= Status::not_finite;
  const auto freedoms = static_cast<std::size_t>(chart_->freedoms());
  const auto speeds = z.subspan(freedoms, freedoms);
  troubled_speed_ = -1;
  double fastest = options_.speed_limit;
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    if (!(std::abs(speeds[i]) > fastest)) continue;
    fastest = std::abs(speeds[i]);
    troubled_speed_ = static_cast<int>(i);
    status |= Status::diverged;
  }
  return status;
}

Simulation::Rates Simulation::rates() {
  std::optional<ConstraintSolver::Look> look;
  if (chart_->constraints() != nullptr) look.emplace(*chart_->constraints());
  chart_->begin(state_, z_);
  chart_->slope_with_parts(state_.t, z_.data(), z_rate_.data());
  const Workspace& w = chart_->workspace();
  const auto nv = static_cast<std::size_t>(dynamics().nv());
  return {chart_->efforts(), {w.wrench, w.held_wrench.size()}, {w.udot, nv}, {w.qdot, state_.q.size()}};
}

/// Leaves the arguments at the state, loads included.
void Simulation::load_here() {
  if (chart_->friction() != nullptr || options_.constraints.formulation == Formulation::parametric) {
    rates();
    return;
  }
  chart_->begin(state_, z_);
  chart_->load(state_.t, z_.data());
}

std::span<const double> Simulation::efforts() {
  load_here();
  return chart_->efforts();
}

double Simulation::power_at_ports() {
  load_here();
  return chart_->outside_power(chart_->workspace().arguments.data());
}

namespace {

// A prescribed motion may end, as sqrt(1 - t) does, and a surface, as sqrt(1 - x) does: its rows are no numbers any more, after the step or
// where the motion leads within the next ones.
std::string ended_constraint(ConstraintSolver& solver, const State& state, const std::vector<double>& rate,
                             double step, const std::vector<std::string>& coordinates) {
  const auto ended_row = [&](double t, const std::vector<double>& q) {
    const double *position = nullptr, *velocity = nullptr;
    solver.errors(t, q.data(), state.u.data(), position, velocity);
    for (const std::size_t k : solver.active_rows())
      if (!std::isfinite(position[k]) || !std::isfinite(velocity[k])) return static_cast<int>(k);
    return -1;
  };
  const auto label = [&](int row) { return solver.constraints().rows[static_cast<std::size_t>(row)].label; };
  if (const int row = ended_row(state.t + step, state.q); row >= 0)
    return fmt::format(
        "the constraint `{}` has no finite value or rate after the step: look at its formula{}", label(row),
        ended_row(state.t, state.q) < 0 ? ", which ends in time" : "");
  for (const double steps : {0.5, 1.0, 2.0, 4.0}) {
    const double ahead = steps * step;
    std::vector<double> there = state.q;
    for (std::size_t i = 0; i < there.size(); ++i) there[i] += ahead * rate[i];
    const int row = ended_row(state.t, there);
    if (row < 0) continue;
    // The coordinates that lead out by themselves.
    std::string where;
    for (std::size_t i = 0; i < there.size(); ++i) {
      std::vector<double> alone = state.q;
      alone[i] = there[i];
      if (ended_row(state.t, alone) >= 0)
        where += fmt::format("{}`{}` is {:.6g} and changes at {:.3g}/s", where.empty() ? ", where " : ", ",
                             coordinates[i], state.q[i], rate[i]);
    }
    return fmt::format(
        "the motion leaves the domain of the constraint `{}`{}: its formula has no finite value beyond; give "
        "it one "
        "there, or end the motion before",
        label(row), where);
  }
  return "";
}

}  // namespace

std::string Simulation::explain(Status status) {
  if (status.ok()) return "all is well";
  if (status.has(Status::bad_input)) return "the sizes of the input are not those of the mechanism";
  const Dynamics& d = dynamics();
  const auto name = [](const std::vector<std::string>& names, int i) {
    return names[static_cast<std::size_t>(i)];
  };
  const std::string when = fmt::format("at t = {:.9g} s", state_.t);

  if (status.has(Status::constraint_lost)) {
    // The place that the refused step led to.
    ConstraintSolver& solver = *chart_->constraints();
    const double *position = nullptr, *velocity = nullptr;
    solver.errors(state_.t + options_.step, chart_->workspace().q0.data(), state_.u.data(), position,
                  velocity);
    std::size_t worst = solver.active_rows().front();
    for (const std::size_t k : solver.active_rows())
      if (!(std::abs(position[k]) <= std::abs(position[worst]))) worst = k;
    if (std::isfinite(position[worst]))
      return fmt::format(
          "{} the constraints can no longer be met (`{}` is off by {:.3g} after the step): a motion that "
          "they "
          "do not allow is prescribed, or the step is too large",
          when, solver.constraints().rows[worst].label, position[worst]);
  }

  if (status.has(Status::parameters_singular))
    return fmt::format(
        "{} the parametric coordinates end: d psi/d z loses its rank or grows without bound in this step, or "
        "psi is "
        "not defined there: "
        "give psi by other parameters, or choose another formulation",
        when);

  if (ConstraintSolver* solver = chart_->constraints()) {
    const std::span<const double> qdot = rates().qdot;
    const std::string ended =
        ended_constraint(*solver, state_, {qdot.begin(), qdot.end()}, options_.step, d.coordinate_names);
    if (!ended.empty()) return when + " " + ended;
  }

  // The joint: where the forces or accelerations of the last good state are not finite; otherwise the fastest
  // one.
  if (d.loads) {  // of the time after the step: a table may end, or a formula
    std::vector<double> in{state_.t + options_.step}, out(d.loads->output_size()), work(d.loads->work_size());
    in.insert(in.end(), state_.q.begin(), state_.q.end());
    in.insert(in.end(), state_.u.begin(), state_.u.end());
    (*d.loads)(in.data(), out.data(), work.data());
    if (const int i = first_not_finite(std::span<const double>(out).first(d.effort_names.size())); i >= 0)
      return fmt::format(
          "{} the force at joint '{}' is not a number after the step: look at its expression in the script, "
          "and "
          "where its tables end",
          when, name(d.effort_names, i));
  }
  const Rates last = rates();
  if (const int i = first_not_finite(last.tau); i >= 0)
    return fmt::format("{} the force at joint '{}' is not a number: look at its expression in the script",
                       when, name(d.effort_names, i));
  if (const int i = first_not_finite(last.wrench); i >= 0)
    return fmt::format("{} wrench {} of the script is not a number: look at its expressions", when,
                       i / 6 + 1);
  if (const int i = first_not_finite(last.qdot); i >= 0)
    return fmt::format(
        "{} the rate of '{}' is not a number: the model's generalised speeds are singular in this pose", when,
        name(d.coordinate_names, i));
  if (const int i = first_not_finite(last.udot); i >= 0)
    return fmt::format("{} the acceleration of '{}' is not a number: its inertia may vanish in this pose",
                       when, name(d.speed_names, i));
  chart_->begin(state_, z_);
  const auto speeds = std::span<const double>(z_).subspan(static_cast<std::size_t>(chart_->freedoms()),
                                                          static_cast<std::size_t>(chart_->freedoms()));
  int fastest = troubled_speed_;
  if (fastest < 0)
    fastest =
        static_cast<int>(std::max_element(speeds.begin(), speeds.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                         speeds.begin());
  const std::string joint = chart_->speed_name(fastest);
  if (status.has(Status::not_converged) && options_.integrator == Integrator::passive)
    return fmt::format(
        "{} the passive integrator found no step whose energy balances (fastest: '{}'), nor parts of it down "
        "to 1/64: where a singular position is near or forces jump, 'rk4' gets on",
        when, joint);
  if (status.has(Status::not_converged))
    return fmt::format(
        "{} the implicit integrator's equations could not be solved (fastest: '{}'): try a smaller "
        "step; forces that jump need 'rk4' or 'euler'",
        when, joint);
  if (status.has(Status::step_too_small))
    return fmt::format(
        "{} the step of the adaptive integrator shrank to nothing (fastest: '{}'): loosen the "
        "tolerance, or look for a force that jumps",
        when, joint);
  return fmt::format(
      "{} the motion diverged in joint '{}' (speed {:.3g} before the step): try a smaller step or "
      "'--integrator implicit'",
      when, joint, speeds[static_cast<std::size_t>(fastest)]);
}

}  // namespace tactus::simulate
