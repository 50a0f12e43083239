#include <tactus/contact/events/engine.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::contact {

namespace {

// Events nearer than this to each other are a crowd [s].
constexpr double kCrowd = 1e-10;
// A crowd of this many events without transitions is a jam: contacts that let go and take hold again. It is
// left behind by short stretches of time [s] in which all laws are solved at once, each twice as long as the
// one before.
constexpr int kJam = 10;
constexpr double kFirstStretch = 1e-7;
// A piece of the motion whose energy does not balance is tried again with this part of its length.
constexpr double kShorter = 0.25;
// After one that was accepted the next may be so much longer.
constexpr double kLonger = 2.0;
// Pieces of this part of a step are short enough for what is coarse.
constexpr double kShortPiece = 1.0 / 8192.0;
// Multiplications of the solvers of contact laws that take as long as an evaluation.
constexpr long kSolvingPerEvaluation = 3000;
// A step's rest shorter than this is not integrated [s].
constexpr double kNoTime = 1e-13;
// [m/s] A touch whose gap moves faster than this where its features were found anew does not meet them.
constexpr double kFeatureRate = 1e-8;

bool is_same(const FeatureNumbers<double>& a, const FeatureNumbers<double>& b) {
  return a.p.x == b.p.x && a.p.y == b.p.y && a.p.z == b.p.z && a.axis.x == b.axis.x && a.axis.y == b.axis.y &&
         a.axis.z == b.axis.z && a.radius == b.radius;
}

}  // namespace

Engine::Engine(const ContactModel& contact_model, EngineOptions options)
    : contact_model_(contact_model),
      options_(options),
      scene_(contact_model.model, options.most_touches),
      motion_(contact_model, options.most_touches, options.constraints),
      response_(contact_model, motion_),
      chart_(contact_model.dynamics, motion_),
      z_(static_cast<std::size_t>(chart_.size())),
      z_rate_(z_.size()),
      poses_(12 * contact_model.model.bodies.size(), 0.0),
      guard_in_(contact_model.guards.input_size()),
      guard_work_(contact_model.guards.work_size()),
      guards_(contact_model.guards.size()),
      guard_armed_(contact_model.guards.size(), 0),
      fired_once_(contact_model.guards.size(), 0),
      energy_(contact_model, options.integrator == simulate::Integrator::euler) {
  if (!(options_.step > 0.0) || !std::isfinite(options_.step))
    throw InputError({}, fmt::format("the step is {} s", options_.step),
                     "give a positive time, such as 1e-3");
  stepper_ = simulate::make_stepper(options_.integrator, chart_, options_.tolerances);
  stepper_before_.resize(stepper_->memory());
  for (std::size_t b = 0; b < contact_model.model.bodies.size(); ++b)
    for (const std::size_t i : {0, 5, 10}) poses_[12 * b + i] = 1.0;
  next_touches_.reserve(options_.most_touches);
  watches_.reserve(3 * options_.most_touches + contact_model.row_of_stop.size() +
                   contact_model.guards.size());
  candidates_.reserve(watches_.capacity());
  events_.reserve(static_cast<std::size_t>(options_.most_events_per_step) * 4);
  crowd_.reserve(kMostInCrowd + 1);
  trouble_.crowd.reserve(crowd_.capacity());
  trouble_.touching.reserve(options_.most_touches);
  slips_.reserve(options_.most_touches);
  fired_.reserve(contact_model.guards.size());
  forces_.resize(contact_model.terms.rows.size());
  row_before_.resize(contact_model.terms.rows.size());
  stops_before_.resize(2 * contact_model.row_of_stop.size());
  stops_after_.resize(stops_before_.size());
  guards_before_.resize(guards_.size());
  qdot_.resize(static_cast<std::size_t>(contact_model.terms.nq));
  rates_in_.resize(1 + qdot_.size() + static_cast<std::size_t>(contact_model.terms.nv));
  rates_work_.resize(contact_model.dynamics.coordinate_rates.work_size());
  arms_.resize(static_cast<std::size_t>(contact_model.terms.nv));
  // Of plain coordinates, where speeds are the rates of the joints.
  const bool joint_rates = contact_model.model.speeds.definition == describe::Speeds::Definition::joint_rates;
  for (const describe::JointStop& stop : contact_model.model.contact.stops) {
    speed_of_stop_.push_back(-1);
    for (const simulate::Segment& part : contact_model.dynamics.coordinates.segments())
      if (joint_rates && part.kind == simulate::Segment::Kind::plain && stop.coordinate >= part.q &&
          stop.coordinate < part.q + part.size)
        speed_of_stop_.back() = part.theta + stop.coordinate - part.q;
    rates_wanted_ |= speed_of_stop_.back() < 0;
  }
  for (const TermsKernel::Body& body : contact_model.terms.bodies) {
    const double reach = scene_.reach(body.body);
    endless_.push_back(std::isfinite(reach) ? 0 : 1);
    reach_.push_back(endless_.back() != 0 ? 0.0 : reach);
  }
  state_.q = contact_model.dynamics.coordinates.rest();
  state_.u.assign(static_cast<std::size_t>(contact_model.terms.nv), 0.0);
  u_before_ = state_.u;
  state_.momentum.assign(static_cast<std::size_t>(contact_model.dynamics.np()), 0.0);
  trial_ = end_ = middle_ = state_;
  qdot_start_ = state_.q;
  udot_start_ = state_.u;
  before_ = make_snapshot();
}

Engine::~Engine() = default;

bool Engine::is_active(int constraint) const {
  for (std::size_t row = 0; row < contact_model_.terms.rows.size(); ++row)
    if (contact_model_.terms.rows[row].constraint == constraint) return motion_.row_on[row] != 0;
  return false;
}

void Engine::look() {
  if (looked_) return;
  evaluate(state_);
  looked_ = true;
}

double Engine::row_force(std::size_t row) {
  look();
  return motion_.row_force(row);
}

simulate::Simulation::Rates Engine::rates() {
  look();
  const simulate::Workspace& w = chart_.workspace();
  return {chart_.efforts(),
          {w.wrench, w.held_wrench.size()},
          {w.udot, state_.u.size()},
          {w.qdot, state_.q.size()}};
}

double Engine::kinetic_energy() {
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  return motion_.kinetic_energy(state_.u.data());
}

bool Engine::hold(const Input& input) {
  simulate::Workspace& w = chart_.workspace();
  const auto fits = [](std::span<const double> given, const std::vector<double>& held) {
    return given.empty() || given.size() == held.size();
  };
  if (!fits(input.tau, w.held_tau) || !fits(input.wrench, w.held_wrench)) return false;
  std::fill(w.held_tau.begin(), w.held_tau.end(), 0.0);
  std::fill(w.held_wrench.begin(), w.held_wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), w.held_tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), w.held_wrench.begin());
  looked_ = false;
  return true;
}

Status Engine::step(const Input& input) noexcept {
  events_.clear();
  if (!hold(input)) return Status::bad_input;
  if (foresight_ != nullptr)
    if (const Foreseen* foreseen = foresight_->next(*this, input)) return adopt(*foreseen);
  const double t_end = start_ + static_cast<double>(steps_ + 1) * options_.step;
  work_ = {};
  response_.begin_tick(options_.budget.most_solving);
  motion_.begin_tick();
  fastest_hint_ = 0.0;
  Status status;
  const bool acts = !input.tau.empty() || !input.wrench.empty() || (outside_ != nullptr && outside_->acts());
  if (quiet_step(t_end, status)) {  // nothing can happen
    if (!status.ok()) note_trouble();
    energy_.note_quiet(acts);
    return status;
  }
  save(before_);
  powers_wanted_ = energy_.begin_tick(state_, acts, books_);
  least_loss_ = 0.0;
  status = advance(t_end);
  work_.solving = response_.work();
  mean_work_ += (static_cast<double>(effort()) - mean_work_) / kWorkWindow;
  if (mean_work_ > static_cast<double>(options_.most_mean_evaluations)) status |= Status::too_much_work;
  if (status.ok() && !energy_.end_tick(state_, least_loss_, status.has(Status::located_late), books_))
    status |= Status::energy_unexplained;
  if (!status.ok()) take_back();
  return status;
}

/// What the tick took so far, in evaluations.
long Engine::effort() const { return work_.evaluations + response_.work() / kSolvingPerEvaluation; }

Status Engine::advance(double t_end) {
  stretch_ = kFirstStretch;
  misfit_ = {};
  response_.coarse = 0.0;
  Status status;        // notes
  bool stands = false;  // evaluate() was last called at the state, with its modes
  double reach = std::numeric_limits<double>::infinity();  // [s] of a piece, after one that was too long
  bool solved_at_once = false;  // all laws, for what was left of a tick whose budget was spent
  for (int round = 0; round < options_.most_events_per_step; ++round) {
    if (effort() > options_.most_evaluations) return Status::too_much_work;
    const bool lost = detect(stands);  // what is near now
    if (overflow_) return Status::contacts_overflow;
    // Features without a closed form (a rim on an edge) are others in every piece: what touches is moved to where they
    // meet now, and the books get the energy of that.
    const bool moved = std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
      return touch.rigid() && touch.touching() &&
             !(std::abs(touch.motion.gap) <= kTouchingGap && std::abs(touch.motion.rate[0]) <= kFeatureRate);
    });
    if (moved && !lost) {
      const double before = energy_.energy(state_);
      motion_.settle_position(state_.t, state_.q.data(), state_.u.data());
      motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
      chart_.momentum_of(state_.t, state_.q, state_.u, state_.momentum);
      books_.correction_work += energy_.energy(state_) - before;
      energy_.break_off();
      stands = false;
    }
    if (!stands) evaluate(state_);  // else the event before has done so
    stands = false;
    if (lost) {  // a feature was left behind
      if (!respond(events_.size())) return Status::no_consistent_modes;
      part_overlaps();
    }
    motion_.drop_dependent();  // rows that others imply
    double t_piece = std::min(piece_end(t_end), state_.t + reach);
    begin_watches(t_piece);  // guards where the step begins
    motion_.mark();
    ++books_.substeps;
    if (!lost && !is_spent() && breaks_a_law_at_start()) {
      ++work_.events;
      if (!respond(events_.size())) return Status::no_consistent_modes;
      part_overlaps();
      continue;
    }
    bool event = false, jams = false, late_piece = false;
    for (;;) {
      const Status piece = make_piece(t_piece, event);  // trial_ stands at the event, or at its end
      using Weight = EnergyWatch::Weight;
      Weight weight = piece.ok() ? weigh() : Weight::off;
      if (weight == Weight::balances && slips_turned()) weight = Weight::coarse;
      const double length = (piece.ok() ? trial_.t : t_piece) - state_.t;
      const bool short_enough = length <= kShortPiece * options_.step && energy_.leaves_little(books_);
      // The powers of other forces may jump, or be those of stiff springs: what they leave says nothing about the motion.
      if (weight == Weight::balances ||
          (weight == Weight::coarse && (short_enough || powers_.other != 0.0)) ||
          (weight == Weight::coarse && is_spent())) {
        status |= piece;
        late_piece = weight != Weight::balances && is_spent();
        break;
      }
      // A force that grows beyond all bounds is not integrated over: the piece ends before, and where it does not go on
      // at all, all laws are solved at once.
      go_back();
      const bool last = is_spent() || length <= kFirstStretch;
      if (last && (!piece.ok() && (!is_spent() || solved_at_once))) return status |= piece;
      if (is_spent() && solved_at_once) return status |= Status::energy_unexplained;
      jams = last;
      if (is_spent()) {  // for what is left of the tick
        solved_at_once = true;
        stretch_ = t_end - state_.t;
        status |= Status::located_late;
      }
      if (jams) break;
      ++work_.trials;
      reach = kShorter * length;
      t_piece = state_.t + reach;
      begin_watches(t_piece);
    }
    reach *= kLonger;
    if (jams) {
      if (status |= leave_jam(t_end); !status.ok()) return status;
      continue;
    }
    late_piece ? energy_.take_as_late(books_) : energy_.take(books_);
    commit();
    if (!event && t_piece < t_end) {
      arm_guards();
      continue;
    }
    if (!event) {
      arm_guards();
      ++steps_;
      return status;
    }
    ++books_.events;
    ++work_.events;
    if (crowds()) return Status::chattering;
    arm_guards();
    const std::size_t first_event = events_.size();
    for (const int transition : fired_)
      if (!fire(transition)) return Status::constraint_lost;
    if (crowded_ > kJam && crowd_.empty()) {
      if (status |= leave_jam(t_end); !status.ok()) return status;
      continue;
    }
    const bool late = status.has(Status::located_late);
    response_.coarse = late ? options_.step : 0.0;
    if (!respond(first_event)) return Status::no_consistent_modes;  // impulses, then modes
    stands = true;
    part_overlaps();
    rearm_guards();
    if (t_end - state_.t < kNoTime) {
      state_.t = t_end;
      ++steps_;
      return status;
    }
  }
  return Status::too_many_events;
}

/// The motion from the state to t, or to the first event before it.
Status Engine::make_piece(double t, bool& event) {
  event = false;
  Status status = integrate_to(t);
  if (!status.ok()) return status;
  evaluate(trial_);
  if (!motion_.dropped_hold()) {
    motion_.keep_all();
    if (status |= integrate_to(t); !status.ok()) return status;
    evaluate(trial_);
  }
  event = find_first_event(t, status);
  return status;
}

/// Back to where the piece began, before begin_watches().
void Engine::go_back() {
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    motion_.touches[i].slip = slips_[i];
    motion_.touches[i].slow_slip = kSlowSlip;
    motion_.touches[i].hint = Hint::none;
  }
  std::fill(response_.row_leaves.begin(), response_.row_leaves.end(), 0);
  motion_.rewind();
  evaluate(state_);
  motion_.drop_dependent();
}

/// The same state, the same input, the same code: what came out of it there comes out of it here.
Status Engine::adopt(const Foreseen& foreseen) {
  motion_.begin_tick();
  restore(foreseen.after);
  for (const Event& event : foreseen.events)
    if (events_.size() < events_.capacity()) events_.push_back(event);
  evaluate(state_);  // forces, for whoever asks
  work_ = foreseen.work;
  work_.integrations = work_.trials = 0;
  work_.evaluations = 1;
  return foreseen.status;
}

/// What explain() may be asked about a step that did not happen.
void Engine::note_trouble() {
  trouble_.t = state_.t;
  trouble_.crowd.assign(crowd_.begin(), crowd_.end());
  trouble_.touching.clear();
  for (const Touch& touch : motion_.touches)
    if (touch.touching()) trouble_.touching.push_back(touch.pair);
}

void Engine::take_back() {
  note_trouble();
  restore(before_);
  look();
}

void Engine::copy(const State& from, State& to) {
  to.t = from.t;
  std::copy(from.q.begin(), from.q.end(), to.q.begin());
  std::copy(from.u.begin(), from.u.end(), to.u.begin());
  std::copy(from.momentum.begin(), from.momentum.end(), to.momentum.begin());
}

Status Engine::integrate_to(double t) {
  ++work_.integrations;
  motion_.rewind();
  const Status status = try_to(t);
  if (!status.ok()) motion_.rewind();
  return status;
}

Status Engine::try_to(double t) {
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
  ++work_.evaluations;
  chart_.begin(state, z_);
  chart_.slope(state.t, z_.data(), z_rate_.data());
  excused_ = motion_.redundant() && forces_break_a_law() && response_.agrees([&] {
    ++work_.evaluations;
    chart_.slope(state.t, z_.data(), z_rate_.data());
  });
  if (!excused_) response_.excuse_none();
  evaluate_guards(state, motion_.terms().qdot());
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

/// [m/s] Of a body's points, from its V: those within its reach.
double Engine::speed_of(const double* V, double reach) {
  const double turning = std::hypot(V[0], V[1], V[2]);
  return std::hypot(V[3], V[4], V[5]) + (turning > 0.0 ? reach * turning : 0.0);
}

/// [m] How far from their origins the bodies' shapes may be touched. Half-spaces have no end: those of a body that moves are
/// touched where the other shapes are.
void Engine::find_reaches() {
  for (std::size_t k = 0; k < reach_.size(); ++k) {
    if (endless_[k] == 0) continue;
    const auto origin = [&](std::size_t body) {
      const double* X = poses_.data() + 12 * static_cast<std::size_t>(contact_model_.terms.bodies[body].body);
      return math::Vec3<double>{X[3], X[7], X[11]};
    };
    reach_[k] = 0.0;
    for (std::size_t other = 0; other < reach_.size(); ++other) {
      const math::Vec3<double> way = origin(other) - origin(k);
      if (other != k && endless_[other] == 0)
        reach_[k] = std::max(reach_[k], std::sqrt(dot(way, way)) + reach_[other]);
    }
  }
}

double Engine::margin_at(double fastest) const { return options_.margin + 2.0 * fastest * options_.step; }

/// Terms at the state, and all bodies that may touch in their place in the scene; the largest of their speeds.
double Engine::place_bodies() {
  Terms& terms = motion_.mutable_terms();
  terms.evaluate(state_.t, state_.q.data(), state_.u.data());
  looked_ = false;
  for (const TermsKernel::Body& body : contact_model_.terms.bodies)
    std::copy_n(terms.values().begin() + static_cast<std::ptrdiff_t>(body.X), 12,
                poses_.begin() + 12 * body.body);
  find_reaches();
  double fastest = 0.0;
  for (std::size_t k = 0; k < reach_.size(); ++k)
    fastest =
        std::max(fastest, speed_of(terms.values().data() + contact_model_.terms.bodies[k].V, reach_[k]));
  scene_.update(poses_);
  return fastest;
}

/// Which features are near each other now; modes go over to the same features, or to new ones of the same
/// pair that take the place of lost ones. True where something that touched is gone. `same` stays true where
/// everything is as it was.
bool Engine::detect(bool& same) {
  const double fastest = place_bodies();
  const Terms& terms = motion_.terms();
  overflow_ = false;
  if (contact_model_.model.contact.pairs.empty()) return false;
  next_touches_.clear();
  for (const Touch& touch : motion_.touches) same = same && touch.slow_slip == kSlowSlip;
  for (const collide::Proximity& near : scene_.near(margin_at(std::max(fastest, fastest_hint_)))) {
    if (next_touches_.size() == options_.most_touches) {
      overflow_ = true;
      break;
    }
    next_touches_.push_back(
        touch_of(near, contact_model_.model.contact.pairs[static_cast<std::size_t>(near.pair)].law));
    Touch& touch = next_touches_.back();
    const auto old = std::find_if(motion_.touches.begin(), motion_.touches.end(),
                                  [&](const Touch& t) { return t.pair == touch.pair && t.id == touch.id; });
    if (old == motion_.touches.end()) {
      same = false;
      motion_.choose_tangents(touch);
      if (!touch.rigid() && touch.motion.gap < 0.0 && touch.push() > 0.0) touch.mode = Mode::sliding;
      continue;
    }
    touch.mode = old->mode;
    touch.slip = old->slip;
    touch.tangent = old->tangent;
    touch.tangents = old->tangents;
    touch.restless = old->restless;
    old->mode = Mode::apart;  // passed on
    const bool is_next =
        old - motion_.touches.begin() == static_cast<std::ptrdiff_t>(next_touches_.size()) - 1;
    same = same && is_next && is_same(touch.a, old->a) && is_same(touch.b, old->b);
    contact::evaluate(terms, touch);
  }
  overflow_ = overflow_ || scene_.overflowed();
  same = same && next_touches_.size() == motion_.touches.size();
  bool lost = false;
  for (const Touch& old : motion_.touches) lost |= old.touching();
  motion_.touches.swap(next_touches_);
  return lost;
}

void Engine::commit() {
  copy(trial_, state_);
  looked_ = true;  // evaluate(trial_) comes before
  stops_known_ = false;
  clearance_ = -1.0;
}

bool Engine::crowds() {
  crowded_ = state_.t - last_event_ < kCrowd ? crowded_ + 1 : 0;
  last_event_ = state_.t;
  if (crowded_ == 0) {
    crowd_.clear();
    for (Touch& touch : motion_.touches) touch.restless = false;
  }
  for (const int transition : fired_)
    if (crowd_.size() < crowd_.capacity()) crowd_.push_back(transition);
  return crowded_ > kMostInCrowd;
}

/// All laws at once over a short time, as time-stepping does, and on without looking for events.
Status Engine::leave_jam(double t_end) {
  jam_ = std::min(stretch_, t_end - state_.t);
  stretch_ *= 2.0;
  const bool consistent = respond(events_.size());
  const double to = jam_ < t_end - state_.t ? state_.t + jam_ : t_end;
  jam_ = 0.0;
  crowded_ = 0;
  last_event_ = -std::numeric_limits<double>::infinity();
  ++books_.jams;
  if (!consistent) return Status::no_consistent_modes;
  if (!(to > state_.t)) return {};
  note_powers();
  motion_.drop_dependent();
  motion_.mark();
  if (const Status status = integrate_to(to); !status.ok()) return status;
  evaluate(trial_);
  weigh();
  energy_.take_as_friction(books_);
  commit();
  looked_ = false;
  return {};
}

bool Engine::fire(int index) {
  const auto i = static_cast<std::size_t>(index);
  const describe::Transition& transition = contact_model_.model.contact.transitions[i];
  if (!enabled(transition)) return true;  // another one of the same instant changed the set
  fired_once_[i] = 1;
  guard_armed_[i] = 0;
  bool fits = true;
  const auto switch_rows = [&](int constraint, char on) {
    for (std::size_t row = 0; row < motion_.row_on.size(); ++row) {
      if (contact_model_.terms.rows[row].constraint != constraint) continue;
      if (on != 0 && motion_.row_on[row] == 0 && contact_model_.terms.rows[row].holonomic &&
          !(std::abs(motion_.terms().Phi(row)) <= options_.latch_limit)) {
        fits = false;
        misfit_ = {index, row, motion_.terms().Phi(row)};
      }
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

/// Impulses, then modes; the motion was evaluated at the state. The transitions of this instant stand from
/// `first_event` on. False where no consistent modes were found.
bool Engine::respond(std::size_t first_event) {
  std::copy(state_.u.begin(), state_.u.end(), u_before_.begin());
  for (Touch& touch : motion_.touches) {
    touch.before = touch.mode;
    if (touch.rigid() || touch.hint == Hint::none) continue;
    touch.mode = std::exchange(touch.hint, Hint::none) == Hint::presses ? Mode::sliding : Mode::apart;
  }
  for (std::size_t row = 0; row < motion_.row_on.size(); ++row) row_before_[row] = motion_.row_on[row];
  const double lost_before = books_.impact_loss;
  if (response_.strike(state_.t, state_.u.data(), events_, books_)) {
    motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
    motion_.evaluate_touches();
  }
  for (std::size_t i = first_event; i < events_.size(); ++i)
    if (events_[i].kind == EventKind::transition) events_[i].loss = books_.impact_loss - lost_before;
  const long rounds = std::max<long>(0, options_.budget.most_rounds - work_.rounds);
  const bool consistent = response_.decide(state_.u.data(), jam_, rounds, [&] {
    ++work_.rounds;
    evaluate(state_);
  });
  books_.impact_loss += response_.jump_loss;
  least_loss_ = std::min(least_loss_, books_.impact_loss - lost_before);
  end_slips();
  energy_.break_off();
  stepper_->reset();
  chart_.follow_momentum(state_.t, state_.q.data(), u_before_.data(), state_.u.data(),
                         state_.momentum.data());
  motion_.end_event(state_.t, state_.q.data(), state_.u.data());
  looked_ = true;
  stops_known_ = false;

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
    touch.restless = true;
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
    if (contact_model_.stop_of_row[row] >= 0 && motion_.row_on[row] != row_before_[row])
      record(motion_.row_on[row] != 0 ? EventKind::rests : EventKind::leaves, -1, 0,
             contact_model_.stop_of_row[row]);
  return consistent;
}

/// Where an event was taken late, or features were found late (the rim of a cylinder for points of it), shapes overlap:
/// they are moved apart by the smallest step, which the books get, whether they stay or rebound. Otherwise overlap would
/// grow from tick to tick.
void Engine::part_overlaps() {
  const auto overlap = [&](std::size_t row) { return motion_.terms().Phi(row) < -kTouchingGap; };
  bool overlaps = std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
    return touch.rigid() && touch.motion.gap < -kTouchingGap;
  });
  for (const int row : contact_model_.row_of_stop)
    overlaps = overlaps || (row >= 0 && overlap(static_cast<std::size_t>(row)));
  if (!overlaps) return;
  for (Touch& touch : motion_.touches) {
    touch.before = touch.mode;
    if (!touch.rigid() || !(touch.motion.gap < -kTouchingGap)) continue;
    if (!touch.touching()) touch.mode = Mode::sliding;
  }
  std::copy(motion_.row_on.begin(), motion_.row_on.end(), row_before_.begin());
  for (const int row : contact_model_.row_of_stop) {
    if (row < 0 || !overlap(static_cast<std::size_t>(row))) continue;
    motion_.row_on[static_cast<std::size_t>(row)] = 1;
  }
  motion_.update();
  const double energy_before = energy_.energy(state_);
  motion_.part(state_.t, state_.q.data());
  books_.correction_work += energy_.energy(state_) - energy_before;
  for (Touch& touch : motion_.touches) touch.mode = touch.before;
  std::copy(row_before_.begin(), row_before_.end(), motion_.row_on.begin());
  motion_.update();
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  const double before = motion_.kinetic_energy(state_.u.data());
  motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  books_.impact_loss += before - motion_.kinetic_energy(state_.u.data());
  chart_.momentum_of(state_.t, state_.q, state_.u, state_.momentum);  // of where it is now
  evaluate(state_);
}

/// What an event left of the slip of a touch that sticks now is taken out here, where the books see it.
void Engine::end_slips() {
  const bool slips = std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
    return touch.rigid() && touch.mode == Mode::sticking && touch.slip_speed() > kRestingRate;
  });
  if (!slips) return;
  const double before = motion_.kinetic_energy(state_.u.data());
  motion_.settle_velocity(state_.t, state_.q.data(), state_.u.data());
  books_.friction_loss += before - motion_.kinetic_energy(state_.u.data());
  evaluate(state_);
}

double Engine::friction_power() const {
  double power = 0.0;
  for (std::size_t i = 0; i < motion_.touches.size(); ++i)
    for (std::size_t k = 1; k < 3; ++k)
      power -= motion_.touch_force(i)[k] * motion_.touches[i].motion.rate[k];
  return power;
}

/// Powers and rates where a piece begins.
void Engine::note_powers() {
  powers_ = powers(state_);
  const simulate::Workspace& w = chart_.workspace();
  std::copy_n(w.qdot, qdot_start_.size(), qdot_start_.begin());
  std::copy_n(w.udot, udot_start_.size(), udot_start_.begin());
}

/// The piece from the state to trial_, at which evaluate() was last called.
EnergyWatch::Weight Engine::weigh() {
  const EnergyWatch::Weight weight = energy_.weigh(state_, trial_, powers_, powers(trial_), books_);
  if (weight == EnergyWatch::Weight::balances || !energy_.has_powers() || is_spent()) return weight;
  // The middle, by Hermite's cubic: (x0 + x1)/2 + h (x0' - x1')/8, off by h^4 x''''/384.
  const simulate::Workspace& w = chart_.workspace();
  const double h = trial_.t - state_.t;
  middle_.t = state_.t + 0.5 * h;
  for (std::size_t i = 0; i < middle_.q.size(); ++i)
    middle_.q[i] = 0.5 * (state_.q[i] + trial_.q[i]) + h / 8.0 * (qdot_start_[i] - w.qdot[i]);
  for (std::size_t i = 0; i < middle_.u.size(); ++i)
    middle_.u[i] = 0.5 * (state_.u[i] + trial_.u[i]) + h / 8.0 * (udot_start_[i] - w.udot[i]);
  contact_model_.dynamics.coordinates.normalize(middle_.q.data());
  evaluate(middle_);
  const EnergyWatch::Powers middle = powers(middle_);
  evaluate(trial_);
  return energy_.weigh_again(middle, books_);
}

EnergyWatch::Powers Engine::powers(const State& state) {
  EnergyWatch::Powers powers{friction_power(), 0.0};
  const simulate::Workspace& w = chart_.workspace();
  if (powers_wanted_) powers.other = energy_.energy_rate(state, w.qdot, w.udot) + powers.friction;
  return powers;
}

}  // namespace tactus::contact
