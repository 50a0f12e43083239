// Steps in which nothing can happen: nothing touches, nothing is near, no stop comes near its limit and no
// guard becomes true. They cost what a Simulation's step costs, and a look. Whatever may happen in a step, it
// is begun again from its start by the machinery of events.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <tactus/contact/events/engine.h>

namespace tactus::contact {

namespace {

/// A stop whose gap, closing at this many times its present rate, stays open to the end of the step cannot
/// be touched within it.
constexpr double kFasterThanNow = 2.0;
/// Where there is no room for all features that far away, a part of it is.
constexpr double kNearer = 0.25;

}  // namespace

/// Of a motion that begins quiet. True where the step is done, or failed as `status` says. False: nothing has
/// changed, and something may happen.
bool Engine::quiet_step(double t_end, Status& status) {
  if (contact_model_.guards.take_forces() || anything_near()) return false;
  if (!stops_known_) look_at_stops(state_, stops_after_);
  stops_before_.swap(stops_after_);
  stops_known_ = false;
  motion_.touches.clear();
  motion_.mark();
  stepper_->save(stepper_before_.data());
  ++work_.integrations;
  status = try_to(t_end);
  if (!status.ok()) {
    motion_.rewind();
    stepper_->load(stepper_before_.data());
    // An event may come before the trouble does.
    const bool alone = contact_model_.row_of_stop.empty() && guards_.empty();
    if (!alone) status = {};
    return alone;
  }
  if (may_have_met(t_end - state_.t)) {
    motion_.rewind();
    stepper_->load(stepper_before_.data());
    return false;
  }
  look_at_stops(trial_, stops_after_);
  if (stop_may_fire(t_end - state_.t) || guard_may_fire(t_end)) {
    motion_.rewind();
    stepper_->load(stepper_before_.data());
    return false;
  }
  ++books_.substeps;
  std::swap(trial_, state_);
  looked_ = false;
  stops_known_ = true;
  arm_guards();
  ++steps_;
  return true;
}

/// Whether shapes may be near each other where the step begins. While the bodies cannot have come so far since
/// the last look, no look is needed: a body's points move with at most sum_i c_i |u_i|, where c_i is the length
/// of column i of its Jacobian. Arms change by no more than what body and axis have come since then.
bool Engine::anything_near() {
  if (contact_model_.model.contact.pairs.empty()) return false;
  if (clearance_ < 0.0) {
    // What was near in the last step is near enough to be looked at by the machinery of events again.
    return !motion_.touches.empty() || look_at_shapes();
  }
  double fastest = 0.0;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (arms_[i] > 0.0) fastest += (arms_[i] + 2.0 * travel_) * std::abs(state_.u[i]);
  const double come = std::max(fastest, fastest_) * options_.step;
  fastest_ = fastest;
  travel_ += come;
  clearance_ -= 2.0 * come;  // of two bodies that come towards each other
  apart_ = clearance_;
  return !(clearance_ > margin_at(fastest)) && look_at_shapes();
}

/// Whether bodies that were apart where the step begins may have met within it, by their speeds at its end: forces may have made
/// them faster.
bool Engine::may_have_met(double h) {
  if (contact_model_.model.contact.pairs.empty()) return false;
  double fastest = 0.0;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (arms_[i] > 0.0) fastest += (arms_[i] + 2.0 * travel_) * std::abs(trial_.u[i]);
  if (apart_ > 2.0 * std::max(fastest, fastest_) * h) return false;
  fastest_hint_ = fastest;
  return true;
}

bool Engine::look_at_shapes() {
  const double fastest = place_bodies();
  const double margin = margin_at(fastest);
  const std::vector<double>& values = motion_.terms().values();
  std::fill(arms_.begin(), arms_.end(), 0.0);
  bool endless = false;
  for (std::size_t k = 0; k < reach_.size(); ++k) {
    const TermsKernel::Body& body = contact_model_.terms.bodies[k];
    if (body.block < 0) continue;
    endless = endless || endless_[k] != 0;
    const std::vector<int>& speeds = contact_model_.terms.blocks[static_cast<std::size_t>(body.block)].speeds;
    const std::size_t n = speeds.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double* J = values.data() + body.J + i;
      const std::array<double, 6> V{J[0], J[n], J[2 * n], J[3 * n], J[4 * n], J[5 * n]};
      double& arm = arms_[static_cast<std::size_t>(speeds[i])];
      arm = std::max(arm, speed_of(V.data(), reach_[k]));
    }
  }
  travel_ = 0.0;
  fastest_ = fastest;
  clearance_ = margin + look_ahead_;
  for (const collide::Proximity& near : scene_.near(clearance_)) clearance_ = std::min(clearance_, near.gap);
  const bool near = !(clearance_ > margin);
  apart_ = clearance_;
  // Speeds of the model's own making may be more than J u of the bodies, and half-spaces that move are touched who knows where: a
  // look in each step.
  if (endless || contact_model_.model.speeds.definition != describe::Speeds::Definition::joint_rates)
    clearance_ = -1.0;
  if (!scene_.overflowed()) return near;
  look_ahead_ *= kNearer;
  clearance_ = -1.0;
  apart_ = margin;
  scene_.update(poses_);
  return !scene_.near(margin).empty() || scene_.overflowed();
}

void Engine::find_rates(const State& state) {
  rates_in_[0] = state.t;
  std::copy(state.u.begin(), state.u.end(), std::copy(state.q.begin(), state.q.end(), rates_in_.begin() + 1));
  contact_model_.dynamics.coordinate_rates(rates_in_.data(), qdot_.data(), rates_work_.data());
}

/// Gap and rate of each stop.
void Engine::look_at_stops(const State& state, std::vector<double>& gaps) {
  const std::vector<describe::JointStop>& stops = contact_model_.model.contact.stops;
  if (rates_wanted_) find_rates(state);
  for (std::size_t i = 0; i < stops.size(); ++i) {
    const auto coordinate = static_cast<std::size_t>(stops[i].coordinate);
    const double sign = stops[i].upper ? -1.0 : 1.0;
    const double rate =
        speed_of_stop_[i] >= 0 ? state.u[static_cast<std::size_t>(speed_of_stop_[i])] : qdot_[coordinate];
    gaps[2 * i] = sign * (state.q[coordinate] - stops[i].limit);
    gaps[2 * i + 1] = sign * rate;
  }
}

/// A gap that is closed at an end of the step, or that may have closed and opened again within it.
bool Engine::stop_may_fire(double h) const {
  for (std::size_t i = 0; i < contact_model_.row_of_stop.size(); ++i) {
    if (contact_model_.row_of_stop[i] < 0) continue;
    const double before = stops_before_[2 * i], rate_before = stops_before_[2 * i + 1];
    const double after = stops_after_[2 * i], rate_after = stops_after_[2 * i + 1];
    if (!(before > kTouchingGap && after > kTouchingGap)) return true;
    if (rate_before < 0.0 && rate_after > 0.0 && !(before + kFasterThanNow * h * rate_before > 0.0) &&
        !(after - kFasterThanNow * h * rate_after > 0.0))
      return true;
  }
  return false;
}

/// Guards at both ends: at the start with the input of this step, which may have made one true.
bool Engine::guard_may_fire(double t_end) {
  if (guards_.empty()) return false;
  find_rates(state_);
  evaluate_guards(state_, qdot_.data());
  std::copy(guards_.begin(), guards_.end(), guards_before_.begin());
  find_rates(trial_);
  evaluate_guards(trial_, qdot_.data());
  for (std::size_t i = 0; i < guards_.size(); ++i) {
    if (guard_armed_[i] == 0 || !enabled(contact_model_.model.contact.transitions[i])) continue;
    const Watch watch{Watching::guard, static_cast<int>(i), {}, {}, Jet{.value = -guards_before_[i]}};
    if (!(t_end > state_.t) || fires(watch, -guards_[i], 0.0)) return true;
  }
  return false;
}

void Engine::evaluate_guards(const State& state, const double* qdot) {
  if (guards_.empty()) return;
  if (contact_model_.guards.take_forces())
    for (std::size_t row = 0; row < forces_.size(); ++row) forces_[row] = motion_.row_force(row);
  contact_model_.guards.evaluate(state.t, state.q.data(), state.u.data(), qdot, forces_.data(),
                                 guard_in_.data(), guard_work_.data(), guards_.data());
}

}  // namespace tactus::contact
