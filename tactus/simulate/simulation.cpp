#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/simulate/simulation.h>

namespace tactus::simulate {

namespace {

int first_not_finite(std::span<const double> values) {
  const auto found = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
  return found == values.end() ? -1 : static_cast<int>(found - values.begin());
}

}  // namespace

Simulation::Simulation(const Dynamics& dynamics, Options options)
    : options_(options), chart_(dynamics), z_(static_cast<std::size_t>(chart_.size())), z_rate_(z_.size()) {
  if (!(options_.step > 0.0) || !std::isfinite(options_.step))
    throw InputError({}, fmt::format("the step is {} s", options_.step),
                     "give a positive time, such as 1e-3");
  stepper_ = make_stepper(options_.integrator, chart_, options_.tolerances);
  State rest;
  rest.q = dynamics.coordinates.rest();
  rest.u.assign(static_cast<std::size_t>(dynamics.nv()), 0.0);
  set_state(std::move(rest));
}

void Simulation::set_state(State state) {
  const Dynamics& d = dynamics();
  if (state.q.size() != static_cast<std::size_t>(d.nq()) ||
      state.u.size() != static_cast<std::size_t>(d.nv()))
    throw InputError(
        {}, fmt::format("the state has {} coordinates and {} speeds", state.q.size(), state.u.size()),
        fmt::format("this mechanism has {} and {}", d.nq(), d.nv()));
  if (const int i = first_not_finite(state.q); i >= 0)
    throw InputError(
        {}, fmt::format("coordinate '{}' is not finite", d.coordinate_names[static_cast<std::size_t>(i)]));
  if (const int i = first_not_finite(state.u); i >= 0)
    throw InputError({}, fmt::format("speed '{}' is not finite", d.speed_names[static_cast<std::size_t>(i)]));
  if (!d.coordinates.normalize(state.q.data()))
    throw InputError({}, "a quaternion of the state is zero", "no rotation is (1, 0, 0, 0): w, x, y, z");
  state_ = std::move(state);
  chart_.momentum_of(state_.t, state_.q, state_.u, state_.momentum);
  stepper_->reset();
  start_ = state_.t;
  steps_ = 0;
}

Status Simulation::step(const Input& input) {
  const double t_next = start_ + static_cast<double>(steps_ + 1) * options_.step;

  hold(input);                                                              // forces from outside
  chart_.begin(state_, z_);                                                 // coordinates around this place
  Status status = stepper_->step(chart_, state_.t, t_next - state_.t, z_);  // the integrator's work
  if (status.ok()) status |= check(z_);                                     // NaN, divergence
  if (!status.ok()) return status;
  chart_.settle(t_next, z_);       // onto the manifold, momentum kept
  chart_.end(t_next, z_, state_);  // the new state
  ++steps_;
  return status;
}

void Simulation::hold(const Input& input) {
  Workspace& w = chart_.workspace();
  TACTUS_CHECK(input.tau.empty() || input.tau.size() == w.held_tau.size());
  TACTUS_CHECK(input.wrench.empty() || input.wrench.size() == w.held_wrench.size());
  std::fill(w.held_tau.begin(), w.held_tau.end(), 0.0);
  std::fill(w.held_wrench.begin(), w.held_wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), w.held_tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), w.held_wrench.begin());
}

Status Simulation::check(std::span<const double> z) {
  Status status;
  if (first_not_finite(z) >= 0) status |= Status::not_finite;
  const auto speeds =
      z.subspan(static_cast<std::size_t>(dynamics().nv()), static_cast<std::size_t>(dynamics().nv()));
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
  chart_.begin(state_, z_);
  chart_.slope(state_.t, z_.data(), z_rate_.data());
  const Workspace& w = chart_.workspace();
  const auto nv = static_cast<std::size_t>(dynamics().nv());
  return {{w.tau, nv}, {w.wrench, w.held_wrench.size()}, {w.udot, nv}, {w.qdot, state_.q.size()}};
}

std::string Simulation::explain(Status status) {
  if (status.ok()) return "all is well";
  const Dynamics& d = dynamics();
  const auto name = [](const std::vector<std::string>& names, int i) {
    return names[static_cast<std::size_t>(i)];
  };
  const std::string when = fmt::format("at t = {:.9g} s", state_.t);

  // The joint: where the forces or accelerations of the last good state are not finite; otherwise the fastest
  // one.
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
  int fastest = troubled_speed_;
  if (fastest < 0)
    fastest =
        static_cast<int>(std::max_element(state_.u.begin(), state_.u.end(),
                                          [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                         state_.u.begin());
  const std::string joint = name(d.speed_names, fastest);
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
      when, joint, state_.u[static_cast<std::size_t>(fastest)]);
}

}  // namespace tactus::simulate
