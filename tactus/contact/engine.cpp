#include <tactus/contact/engine.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/check.h>
#include <tactus/base/error.h>

namespace tactus::contact {

namespace {

// Events nearer than this to each other are a crowd [s]; this many in a row are chatter.
constexpr double kCrowd = 1e-10;
constexpr int kMostInCrowd = 60;
// A crowd of this many events without transitions is a jam: contacts that let go and take hold again. It is
// left behind by short stretches of time [s] in which all laws are solved at once, each twice as long as the
// one before.
constexpr int kJam = 10;
constexpr double kFirstStretch = 1e-7;
// A step's rest shorter than this is not integrated [s].
constexpr double kNoTime = 1e-13;
// A gap smaller than this below zero, or closing more slowly, is rounding [m], [m/s].
constexpr double kGapRounding = 1e-12;
constexpr double kRateRounding = 1e-12;

}  // namespace

Engine::Engine(const Hybrid& hybrid, EngineOptions options)
    : hybrid_(hybrid),
      options_(options),
      scene_(hybrid.model, options.most_touches),
      motion_(hybrid.terms, hybrid.dynamics, options.most_touches),
      response_(hybrid, motion_),
      chart_(hybrid.dynamics, motion_),
      z_(static_cast<std::size_t>(chart_.size())),
      z_rate_(z_.size()),
      poses_(12 * hybrid.model.bodies.size(), 0.0),
      guard_in_(hybrid.guards.input_size()),
      guard_work_(hybrid.guards.work_size()),
      guards_(hybrid.guards.size()),
      guard_armed_(hybrid.guards.size(), 0),
      fired_once_(hybrid.guards.size(), 0) {
  if (!(options_.step > 0.0) || !std::isfinite(options_.step))
    throw InputError({}, fmt::format("the step is {} s", options_.step),
                     "give a positive time, such as 1e-3");
  stepper_ = simulate::make_stepper(options_.integrator, chart_, options_.tolerances);
  for (std::size_t b = 0; b < hybrid.model.bodies.size(); ++b)
    for (const std::size_t i : {0, 5, 10}) poses_[12 * b + i] = 1.0;
  next_touches_.reserve(options_.most_touches);
  watches_.reserve(2 * options_.most_touches + hybrid.row_of_stop.size() + hybrid.guards.size());
  candidates_.reserve(watches_.capacity());
  events_.reserve(static_cast<std::size_t>(options_.most_events_per_step) * 4);
  crowd_.reserve(kMostInCrowd + 1);
  fired_.reserve(hybrid.guards.size());
  forces_.resize(hybrid.terms.rows.size());
  row_before_.resize(hybrid.terms.rows.size());
  state_.q = hybrid.dynamics.coordinates.rest();
  state_.u.assign(static_cast<std::size_t>(hybrid.terms.nv), 0.0);
  trial_ = state_;
}

Engine::~Engine() = default;

bool Engine::is_active(int constraint) const {
  for (std::size_t row = 0; row < hybrid_.terms.rows.size(); ++row)
    if (hybrid_.terms.rows[row].constraint == constraint) return motion_.row_on[row] != 0;
  return false;
}

simulate::Simulation::Rates Engine::rates() const {
  const simulate::Workspace& w = chart_.workspace();
  return {{w.tau, state_.u.size()},
          {w.wrench, w.held_wrench.size()},
          {w.udot, state_.u.size()},
          {w.qdot, state_.q.size()}};
}

double Engine::kinetic_energy() {
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  return motion_.kinetic_energy(state_.u.data());
}

void Engine::set_state(State state) {
  const simulate::Dynamics& d = hybrid_.dynamics;
  if (state.q.size() != static_cast<std::size_t>(d.nq()) ||
      state.u.size() != static_cast<std::size_t>(d.nv()))
    throw InputError(
        {}, fmt::format("the state has {} coordinates and {} speeds", state.q.size(), state.u.size()),
        fmt::format("this mechanism has {} and {}", d.nq(), d.nv()));
  for (const double x : state.q)
    if (!std::isfinite(x)) throw InputError({}, "a coordinate of the state is not finite");
  for (const double x : state.u)
    if (!std::isfinite(x)) throw InputError({}, "a speed of the state is not finite");
  if (!d.coordinates.normalize(state.q.data()))
    throw InputError({}, "a quaternion of the state is zero", "no rotation is (1, 0, 0, 0): w, x, y, z");
  state.momentum.clear();
  state_ = std::move(state);
  trial_ = state_;
  motion_.touches.clear();
  books_ = {};
  events_.clear();
  steps_ = 0;
  start_ = state_.t;
  crowded_ = 0;
  last_event_ = -std::numeric_limits<double>::infinity();
  std::fill(fired_once_.begin(), fired_once_.end(), 0);
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    const auto constraint = static_cast<std::size_t>(hybrid_.terms.rows[row].constraint);
    motion_.row_on[row] = hybrid_.model.constraints[constraint].active ? 1 : 0;
  }
  motion_.update();
  stepper_->reset();
  hold({});

  constexpr double kPolish = 1e-3;  // digits of a file; more is another configuration
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    if (motion_.row_on[row] == 0 || std::abs(motion_.terms().Phi(row)) <= kPolish) continue;
    throw InputError({},
                     fmt::format("the state does not fit the constraints: `{}` is off by {:.3g}",
                                 hybrid_.terms.rows[row].label, motion_.terms().Phi(row)),
                     "assemble the mechanism first");
  }
  motion_.settle_position(state_.t, state_.q.data());
  motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t i = 0; i < hybrid_.row_of_stop.size(); ++i) {
    if (hybrid_.row_of_stop[i] < 0) continue;
    const double gap = motion_.terms().Phi(static_cast<std::size_t>(hybrid_.row_of_stop[i]));
    if (gap >= -options_.penetration_limit) continue;
    throw InputError(
        hybrid_.model.contact.stops[i].where,
        fmt::format("at the start `{}` is passed by {:.3g}", hybrid_.model.contact.stops[i].name, -gap),
        "start between the limits");
  }
  detect();
  if (overflow_) {
    throw InputError(
        {}, fmt::format("more than {} contacts are near at the start", options_.most_touches),
        "give the engine room for more (most_touches), or use `render: stepping`, which is for many");
  }
  for (const Touch& touch : motion_.touches) {
    if (!touch.rigid() || touch.motion.gap >= -options_.penetration_limit) continue;
    const describe::ContactPair& pair = hybrid_.model.contact.pairs[static_cast<std::size_t>(touch.pair)];
    throw InputError(
        pair.where,
        fmt::format("at the start the shapes of `{}` overlap by {:.3g} m", pair.name, -touch.motion.gap),
        "move them apart, or render the pair `compliant` or `stepping`, which push it out");
  }
  evaluate(state_);
  if (!respond()) throw InputError({}, "at the start no consistent set of contacts was found");
  arm_guards();
}

Snapshot Engine::make_snapshot() const {
  Snapshot snapshot;
  snapshot.touches.reserve(options_.most_touches);
  save(snapshot);
  return snapshot;
}

void Engine::save(Snapshot& snapshot) const {
  snapshot.state = state_;
  snapshot.row_on = motion_.row_on;
  snapshot.guard_armed = guard_armed_;
  snapshot.fired_once = fired_once_;
  snapshot.touches = motion_.touches;
  snapshot.start = start_;
  snapshot.last_event = last_event_;
  snapshot.steps = steps_;
  snapshot.crowded = crowded_;
}

void Engine::load(const Snapshot& snapshot) {
  state_ = snapshot.state;
  trial_ = snapshot.state;
  motion_.row_on = snapshot.row_on;
  motion_.touches = snapshot.touches;
  motion_.update();
  guard_armed_ = snapshot.guard_armed;
  fired_once_ = snapshot.fired_once;
  start_ = snapshot.start;
  last_event_ = snapshot.last_event;
  steps_ = snapshot.steps;
  crowded_ = snapshot.crowded;
  events_.clear();
  stepper_->reset();
}

void Engine::hold(const Input& input) {
  simulate::Workspace& w = chart_.workspace();
  TACTUS_CHECK(input.tau.empty() || input.tau.size() == w.held_tau.size());
  TACTUS_CHECK(input.wrench.empty() || input.wrench.size() == w.held_wrench.size());
  std::fill(w.held_tau.begin(), w.held_tau.end(), 0.0);
  std::fill(w.held_wrench.begin(), w.held_wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), w.held_tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), w.held_wrench.begin());
}

Status Engine::step(const Input& input) {
  const double t_end = start_ + static_cast<double>(steps_ + 1) * options_.step;
  events_.clear();
  stretch_ = kFirstStretch;
  hold(input);
  motion_.begin_tick();
  for (int round = 0; round < options_.most_events_per_step; ++round) {
    const bool lost = detect();  // what is near now
    if (overflow_) return Status::contacts_overflow;
    for (Touch& touch : motion_.touches) touch.slow_slip = kSlowSlip;
    evaluate(state_);
    if (lost && !respond()) return Status::no_consistent_modes;  // a feature was left behind
    begin_watches();                                             // guards where the step begins
    ++books_.substeps;
    if (Status status = integrate_to(t_end); !status.ok()) return status;
    evaluate(trial_);
    Status status;
    const bool event = find_first_event(t_end, status);  // trial_ stands at the event, or at the end
    if (!status.ok()) return status;
    note_friction();
    commit();
    if (!event) {
      arm_guards();
      ++steps_;
      return {};
    }
    ++books_.events;
    if (crowds()) return Status::chattering;
    arm_guards();
    for (const int transition : fired_)
      if (!fire(transition)) return Status::constraint_lost;
    if (crowded_ > kJam && crowd_.empty()) {
      if (status = leave_jam(t_end); !status.ok()) return status;
      continue;
    }
    if (!respond()) return Status::no_consistent_modes;  // impulses, then modes
    rearm_guards();
    if (t_end - state_.t < kNoTime) {
      state_.t = t_end;
      ++steps_;
      return {};
    }
  }
  return Status::too_many_events;
}

Status Engine::integrate_to(double t) {
  const ContactMotion::Stretch stretch(motion_);
  chart_.begin(state_, z_);
  Status status = stepper_->step(chart_, state_.t, t - state_.t, z_);
  if (!status.ok()) return status;
  for (const double x : z_)
    if (!std::isfinite(x)) return Status::not_finite;
  chart_.settle(t, z_);
  if (!(chart_.position_error() <= options_.constraint_limit)) return Status::constraint_lost;
  chart_.end(t, z_, trial_);
  for (const double x : trial_.u)
    if (!(std::abs(x) <= options_.speed_limit)) return Status::diverged;
  return status;
}

void Engine::evaluate(const State& state) {
  chart_.begin(state, z_);
  chart_.slope(state.t, z_.data(), z_rate_.data());
  excused_ = motion_.redundant() && forces_break_a_law() &&
             response_.agrees([&] { chart_.slope(state.t, z_.data(), z_rate_.data()); });
  if (guards_.empty()) return;
  for (std::size_t row = 0; row < forces_.size(); ++row) forces_[row] = motion_.row_force(row);
  hybrid_.guards.evaluate(state.t, state.q.data(), state.u.data(), motion_.terms().qdot(), forces_.data(),
                          guard_in_.data(), guard_work_.data(), guards_.data());
}

/// Of the multipliers of least size, where rows depend on each other.
bool Engine::forces_break_a_law() const {
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    if (!touch.rigid() || !touch.touching()) continue;
    const std::array<double, 3>& f = motion_.touch_force(i);
    if (f[0] < 0.0) return true;
    if (touch.mode == Mode::sticking && std::hypot(f[1], f[2]) > touch.law->static_friction * f[0])
      return true;
  }
  return false;
}

/// Slip that a step may bring to its end keeps its direction for the step.
void Engine::hold_slips() {
  for (Touch& touch : motion_.touches) {
    if (touch.mode != Mode::sliding || touch.tangents != 2 || !touch.rigid()) continue;
    const double v1 = touch.motion.rate[1], v2 = touch.motion.rate[2];
    const double a1 = motion_.touch_acceleration(touch, 1), a2 = motion_.touch_acceleration(touch, 2);
    const double slip = std::hypot(v1, v2);
    const bool may_end =
        slip > kRestingRate && v1 * a1 + v2 * a2 < 0.0 && slip < 2.0 * options_.step * std::hypot(a1, a2);
    if (may_end) touch.slow_slip = std::numeric_limits<double>::max();
  }
}

/// Which features are near each other now; modes go over to the same features, or to new ones of the same
/// pair that take the place of lost ones. True where something that touched is gone.
bool Engine::detect() {
  Terms& terms = motion_.mutable_terms();
  terms.evaluate(state_.t, state_.q.data(), state_.u.data());
  double fastest = 0.0;
  for (const TermsKernel::Body& body : hybrid_.terms.bodies) {
    std::copy_n(terms.values().begin() + static_cast<std::ptrdiff_t>(body.X), 12,
                poses_.begin() + 12 * body.body);
    const double* V = terms.values().data() + body.V;
    fastest = std::max(fastest, std::hypot(V[3], V[4], V[5]) + std::hypot(V[0], V[1], V[2]));
  }
  overflow_ = false;
  if (hybrid_.model.contact.pairs.empty()) return false;
  scene_.update(poses_);
  next_touches_.clear();
  for (const collide::Proximity& near : scene_.near(options_.margin + 2.0 * fastest * options_.step)) {
    if (next_touches_.size() == options_.most_touches) {
      overflow_ = true;
      break;
    }
    next_touches_.push_back(
        touch_of(near, hybrid_.model.contact.pairs[static_cast<std::size_t>(near.pair)].law));
    Touch& touch = next_touches_.back();
    const auto same = std::find_if(motion_.touches.begin(), motion_.touches.end(), [&](const Touch& old) {
      return old.pair == touch.pair && old.id == touch.id;
    });
    if (same == motion_.touches.end()) {
      motion_.choose_tangents(touch);
      if (!touch.rigid() && touch.motion.gap < 0.0 && touch.push() > 0.0) touch.mode = Mode::sliding;
      continue;
    }
    touch.mode = same->mode;
    touch.slip = same->slip;
    touch.tangent = same->tangent;
    touch.tangents = same->tangents;
    same->mode = Mode::apart;  // passed on
    contact::evaluate(terms, touch);
  }
  overflow_ = overflow_ || scene_.overflowed();
  bool lost = false;
  for (const Touch& old : motion_.touches) lost |= old.touching();
  motion_.touches.swap(next_touches_);
  return lost;
}

void Engine::begin_watches() {
  hold_slips();
  watches_.clear();
  const auto watch = [&](Watching what, int index, std::array<double, 2> slip = {}) {
    Watch w{what, index, slip, 0.0, 0.0};
    w.start = value(w);
    w.start_rate = rate(w);
    watches_.push_back(w);
  };
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    const int index = static_cast<int>(i);
    if (!touch.rigid()) {
      watch(touch.touching() ? Watching::push : Watching::press, index);
      continue;
    }
    watch(touch.touching() ? Watching::force : Watching::gap, index);
    if (touch.mode == Mode::sticking && touch.tangents > 0) watch(Watching::cone, index);
    const bool may_end = touch.tangents == 1 || (touch.tangents == 2 && touch.slow_slip > kSlowSlip);
    if (touch.mode == Mode::sliding && may_end && touch.law->friction > 0.0)
      watch(Watching::slip, index, touch.slip);
  }
  for (const int row : hybrid_.row_of_stop)
    if (row >= 0)
      watch(motion_.row_on[static_cast<std::size_t>(row)] != 0 ? Watching::stop_force : Watching::stop_gap,
            row);
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guard_armed_[i] != 0 && enabled(hybrid_.model.contact.transitions[i]))
      watch(Watching::guard, static_cast<int>(i));
  friction_power_ = friction_power();
}

bool Engine::enabled(const describe::Transition& transition) const {
  const auto index = static_cast<std::size_t>(&transition - hybrid_.model.contact.transitions.data());
  if (transition.once && fired_once_[index] != 0) return false;
  for (const int c : transition.if_active)
    if (!is_active(c)) return false;
  for (const int c : transition.if_inactive)
    if (is_active(c)) return false;
  return true;
}

/// All guards fire by falling below zero.
double Engine::value(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  switch (watch.what) {
    case Watching::gap:
      return motion_.touches[i].motion.gap;
    case Watching::force:
      return excused_ ? std::abs(motion_.touch_force(i)[0]) : motion_.touch_force(i)[0];
    case Watching::cone: {
      const std::array<double, 3>& f = motion_.touch_force(i);
      const double friction = motion_.touches[i].tangents == 1 ? std::abs(f[1]) : std::hypot(f[1], f[2]);
      const double left = motion_.touches[i].law->static_friction * f[0] - friction;
      return excused_ ? std::abs(left) : left;
    }
    case Watching::slip:
      return motion_.touches[i].motion.rate[1] * watch.slip[0] +
             motion_.touches[i].motion.rate[2] * watch.slip[1];
    case Watching::press:  // apart: the gap, and inside what keeps the damper from pulling
      return motion_.touches[i].motion.gap > 0.0 ? motion_.touches[i].motion.gap : -motion_.touches[i].push();
    case Watching::push:
      return motion_.touches[i].push();
    case Watching::stop_gap:
      return motion_.terms().Phi(i);
    case Watching::stop_force:
      return motion_.row_force(i);
    case Watching::guard:
      return -guards_[i];
  }
  return 0.0;
}

double Engine::rate(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  if (watch.what == Watching::gap) return motion_.touches[i].motion.rate[0];
  if (watch.what == Watching::stop_gap) return motion_.terms().velocity(i);
  return 0.0;
}

bool Engine::fires(const Watch& watch, double now, double rate_now) const {
  switch (watch.what) {
    case Watching::gap:
    case Watching::stop_gap:
      return now < -kGapRounding && (rate_now < -kRateRounding || watch.start > 0.0);
    case Watching::force:
    case Watching::stop_force:
    case Watching::cone:
      return now < -kForceRounding * (1.0 + std::abs(watch.start));
    case Watching::slip:
      return now < -kRateRounding;
    case Watching::press:
    case Watching::push:
      return now < 0.0;
    case Watching::guard:  // armed: it was false; a jump of the input may make it true where the step begins
      return now <= 0.0 || watch.start <= 0.0;
  }
  return false;
}

bool Engine::trial_at(double t, Status& status) {
  status = integrate_to(t);
  if (status.ok()) evaluate(trial_);
  return status.ok();
}

/// Where the watch (or its rate) falls through zero between `from`, where it does not, and `to`, where it
/// has: regula falsi with the Illinois weights, and halving where that is slow. Leaves trial_ at the answer.
double Engine::locate(const Watch& watch, double from, double f_from, double to, double f_to, bool of_rate,
                      Status& status, double sign) {
  constexpr int kMost = 90;
  const double resolution =
      4.0 * std::numeric_limits<double>::epsilon() * std::max({std::abs(from), std::abs(to), options_.step});
  int side = 0;
  double width = to - from;
  double at = to;
  for (int i = 0; i < kMost && to - from > resolution; ++i) {
    double t = to - f_to * (to - from) / (f_to - f_from);
    if (i % 3 == 2 && to - from > 0.5 * width) t = 0.5 * (from + to);
    if (i % 3 == 2) width = to - from;
    t = std::clamp(t, from + 0.5 * resolution, to - 0.5 * resolution);
    if (!trial_at(t, status)) return t;
    at = t;
    const double f = sign * (of_rate ? rate(watch) : value(watch));
    if (f == 0.0) return t;
    if (f < 0.0) {
      to = t;
      f_to = f;
      if (side == 1) f_from *= 0.5;
      side = 1;
    } else {
      from = t;
      f_from = f;
      if (side == -1) f_to *= 0.5;
      side = -1;
    }
  }
  if (at != to) trial_at(to, status);
  return to;
}

bool Engine::find_first_event(double t_end, Status& status) {
  const double t_begin = state_.t;
  candidates_.clear();
  fired_.clear();
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    Candidate c{k, value(watches_[k]), rate(watches_[k]), t_end};
    const Watch& w = watches_[k];
    const bool is_gap = w.what == Watching::gap || w.what == Watching::stop_gap;
    c.dips = is_gap && !fires(w, c.value, c.rate) && w.start > 0.0 && w.start_rate < 0.0 && c.rate > 0.0;
    if (c.dips || fires(w, c.value, c.rate)) candidates_.push_back(c);
  }
  double first = t_end;
  bool found = false;
  double trial = t_end;
  for (Candidate c : candidates_) {
    const Watch& w = watches_[c.watch];
    if (w.what == Watching::guard && w.start <= 0.0) {  // nothing comes before
      first = t_begin;
      found = true;
      break;
    }
    double from = t_begin, f_from = w.start, to = t_end, f_to = c.value;
    if (c.dips) {  // nearest where the rate changes sign
      to = locate(w, t_begin, -w.start_rate, t_end, -c.rate, true, status, -1.0);
      if (!status.ok()) return false;
      trial = to;
      f_to = value(w);
      if (!(f_to < -kGapRounding)) continue;
    }
    if (found && to > first) {
      if (trial != first && !trial_at(first, status)) return false;
      trial = first;
      f_to = value(w);
      to = first;
      if (!(f_to < 0.0)) continue;  // later than what was found
    }
    const bool is_gap = w.what == Watching::gap || w.what == Watching::stop_gap;
    if (is_gap && !(w.start > 0.0) && w.start_rate > 0.0) {  // it left, and comes back: over the top first
      from = locate(w, t_begin, w.start_rate, to, std::min(rate(w), -kRateRounding), true, status, 1.0);
      if (!status.ok()) return false;
      trial = from;
      f_from = value(w);
      if (!(f_from > 0.0)) {
        first = from;
        found = true;
        continue;
      }
    }
    double t = from;  // true already where the step begins
    if (f_from > 0.0) {
      t = trial = locate(w, from, f_from, to, f_to, false, status, 1.0);
      if (!status.ok()) return false;
    }
    first = t;
    found = true;
  }
  if (!found && trial == t_end) return false;
  if (trial != first) {
    if (first <= t_begin)
      trial_ = state_, evaluate(trial_);
    else if (!trial_at(first, status))
      return false;
  }
  if (!found) return false;
  for (const Watch& w : watches_) {
    const double now = value(w), no_force = kForceRounding * (1.0 + std::abs(w.start));
    const auto i = static_cast<std::size_t>(w.index);
    if (w.what == Watching::guard && now <= 0.0) fired_.push_back(w.index);
    if (w.what == Watching::force && now <= no_force) motion_.touches[i].hint = Hint::leaves;
    if (w.what == Watching::cone && now <= no_force && motion_.touches[i].hint == Hint::none)
      motion_.touches[i].hint = Hint::slips;
    if (w.what == Watching::slip && now <= kRestingRate && motion_.touches[i].hint == Hint::none)
      motion_.touches[i].hint = Hint::stops;
    if (w.what == Watching::press && now <= 0.0) motion_.touches[i].hint = Hint::presses;
    if (w.what == Watching::push && now <= 0.0) motion_.touches[i].hint = Hint::leaves;
    if (w.what == Watching::stop_force && now <= no_force) response_.row_leaves[i] = 1;
  }
  return true;
}

void Engine::commit() {
  state_.t = trial_.t;
  std::copy(trial_.q.begin(), trial_.q.end(), state_.q.begin());
  std::copy(trial_.u.begin(), trial_.u.end(), state_.u.begin());
}

bool Engine::crowds() {
  crowded_ = state_.t - last_event_ < kCrowd ? crowded_ + 1 : 0;
  last_event_ = state_.t;
  if (crowded_ == 0) crowd_.clear();
  for (const int transition : fired_)
    if (crowd_.size() < crowd_.capacity()) crowd_.push_back(transition);
  return crowded_ > kMostInCrowd;
}

/// All laws at once over a short time, as time-stepping does, and on without looking for events.
Status Engine::leave_jam(double t_end) {
  jam_ = std::min(stretch_, t_end - state_.t);
  stretch_ *= 2.0;
  const bool consistent = respond();
  const double to = jam_ < t_end - state_.t ? state_.t + jam_ : t_end;
  jam_ = 0.0;
  crowded_ = 0;
  last_event_ = -std::numeric_limits<double>::infinity();
  ++books_.jams;
  if (!consistent) return Status::no_consistent_modes;
  if (!(to > state_.t)) return {};
  if (const Status status = integrate_to(to); !status.ok()) return status;
  commit();
  return {};
}

bool Engine::fire(int index) {
  const auto i = static_cast<std::size_t>(index);
  const describe::Transition& transition = hybrid_.model.contact.transitions[i];
  if (!enabled(transition)) return true;  // another one of the same instant changed the set
  fired_once_[i] = 1;
  guard_armed_[i] = 0;
  bool fits = true;
  const auto switch_rows = [&](int constraint, char on) {
    for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
      if (hybrid_.terms.rows[row].constraint != constraint) continue;
      if (on != 0 && motion_.row_on[row] == 0 && hybrid_.terms.rows[row].holonomic)
        fits = fits && std::abs(motion_.terms().Phi(row)) <= options_.constraint_limit;
      motion_.row_on[row] = on;
    }
  };
  for (const int c : transition.release) switch_rows(c, 0);
  for (const int c : transition.activate) switch_rows(c, 1);
  motion_.update();
  Event event;
  event.t = state_.t;
  event.kind = EventKind::transition;
  event.transition = index;
  event.bounce_end = state_.t;
  if (events_.size() < events_.capacity()) events_.push_back(event);
  return fits;
}

/// Impulses, then modes; the motion was evaluated at the state. False where no consistent modes were found.
bool Engine::respond() {
  for (Touch& touch : motion_.touches) {
    touch.before = touch.mode;
    if (touch.rigid() || touch.hint == Hint::none) continue;
    touch.mode = std::exchange(touch.hint, Hint::none) == Hint::presses ? Mode::sliding : Mode::apart;
  }
  evaluate(state_);
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) row_before_[row] = motion_.row_on[row];
  if (response_.strike(state_.t, state_.u.data(), events_, books_)) evaluate(state_);
  const bool consistent = response_.decide(state_.u.data(), jam_, [&] { evaluate(state_); });
  stepper_->reset();

  const auto record = [&](EventKind kind, int pair, std::uint64_t id, int stop) -> Event* {
    if (events_.size() == events_.capacity()) return nullptr;
    Event event;
    event.t = event.bounce_end = state_.t;
    event.kind = kind;
    event.pair = pair;
    event.id = id;
    event.stop = stop;
    events_.push_back(event);
    return &events_.back();
  };
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    Touch& touch = motion_.touches[i];
    if (touch.mode == touch.before) continue;
    if (touch.before == Mode::apart) {
      if (Event* event = record(EventKind::rests, touch.pair, touch.id, -1); event != nullptr) {
        // Bounces that would still come: each lasts 2 v / a, and v falls by e every time.
        const double e = touch.law->restitution, a = touch.mobility * motion_.touch_force(i)[0];
        event->approach = touch.approach;
        if (e < 1.0 && a > 0.0) event->bounce_end += 2.0 * e * touch.approach / (a * (1.0 - e));
      }
    }
    if (touch.mode == Mode::apart)
      record(EventKind::leaves, touch.pair, touch.id, -1);
    else if (touch.rigid() && touch.tangents > 0 && touch.law->static_friction > 0.0)
      record(touch.mode == Mode::sliding ? EventKind::slides : EventKind::sticks, touch.pair, touch.id, -1);
  }
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row)
    if (hybrid_.stop_of_row[row] >= 0 && motion_.row_on[row] != row_before_[row])
      record(motion_.row_on[row] != 0 ? EventKind::rests : EventKind::leaves, -1, 0,
             hybrid_.stop_of_row[row]);
  return consistent;
}

/// A transition fires where its guard, false until then, becomes true: not one that was true already when its
/// constraints came to be on and off as it wants.
void Engine::arm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i) guard_armed_[i] = guards_[i] < 0.0;
}

/// After an event: what it made true has been false just before.
void Engine::rearm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guards_[i] < 0.0) guard_armed_[i] = 1;
}

double Engine::friction_power() const {
  double power = 0.0;
  for (std::size_t i = 0; i < motion_.touches.size(); ++i)
    for (std::size_t k = 1; k < 3; ++k)
      power -= motion_.touch_force(i)[k] * motion_.touches[i].motion.rate[k];
  return power;
}

void Engine::note_friction() {
  books_.friction_loss += 0.5 * (friction_power_ + friction_power()) * (trial_.t - state_.t);
}

void Engine::set_active(int constraint, bool active) {
  TACTUS_CHECK(constraint >= 0 && static_cast<std::size_t>(constraint) < hybrid_.own_constraints);
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
    if (hybrid_.terms.rows[row].constraint != constraint) continue;
    if (active && hybrid_.terms.rows[row].holonomic &&
        !(std::abs(motion_.terms().Phi(row)) <= options_.constraint_limit))
      throw InputError({}, fmt::format("`{}` cannot be switched on: it is off by {:.3g}",
                                       hybrid_.terms.rows[row].label, motion_.terms().Phi(row)));
    motion_.row_on[row] = active ? 1 : 0;
  }
  motion_.update();
  if (!respond()) throw InputError({}, "no consistent set of contacts was found");
  rearm_guards();
}

std::string Engine::name_of(const Event& event) const {
  const describe::ContactSection& contact = hybrid_.model.contact;
  if (event.transition >= 0) return contact.transitions[static_cast<std::size_t>(event.transition)].name;
  if (event.stop >= 0) return contact.stops[static_cast<std::size_t>(event.stop)].name;
  if (event.pair >= 0) return contact.pairs[static_cast<std::size_t>(event.pair)].name;
  return "";
}

std::string Engine::explain(Status status) {
  if (status.ok()) return "all is well";
  const std::string when = fmt::format("at t = {:.9g} s", state_.t);
  if (status.has(Status::chattering)) {
    std::string names;
    for (const int transition : crowd_) {
      const std::string& name = hybrid_.model.contact.transitions[static_cast<std::size_t>(transition)].name;
      if (names.find('`' + name + '`') == std::string::npos)
        names += (names.empty() ? "`" : ", `") + name + '`';
    }
    return fmt::format(
        "{} more than {} events follow each other without time going by{}: give the guards a distance (a "
        "dead zone), or "
        "the pair a larger `rest_speed`",
        when, kMostInCrowd, names.empty() ? "" : " (transitions " + names + ")");
  }
  if (status.has(Status::too_many_events))
    return fmt::format(
        "{} one step met more than {} events: take a smaller step, a larger `rest_speed`, or `render: "
        "stepping`",
        when, options_.most_events_per_step);
  if (status.has(Status::no_consistent_modes))
    return fmt::format(
        "{} no set of sticking, sliding and open contacts agrees with the laws of friction (Painleve's "
        "paradox, or too "
        "many contacts at once): `render: stepping` has a solution always",
        when);
  if (status.has(Status::contacts_overflow))
    return fmt::format("{} more than {} contacts are near: `render: stepping` is made for many", when,
                       options_.most_touches);
  if (status.has(Status::constraint_lost))
    return fmt::format(
        "{} the constraints can no longer be met (off by {:.3g}), or one was switched on out of place", when,
        chart_.position_error());
  return fmt::format("{} the motion is not finite or diverged: try a smaller step", when);
}

}  // namespace tactus::contact
