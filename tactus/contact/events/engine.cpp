#include <tactus/contact/events/engine.h>

#include <algorithm>
#include <array>
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
  answer_.resize(static_cast<std::size_t>(contact_model.terms.nv));
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
  looked_ = stands_ = true;
  loads_then_ = outside_ != nullptr ? outside_->version() : 0;
}

std::span<const double> Engine::accelerations() {
  if (!stands_ || !same_loads({})) look_anew();
  look();
  return {chart_.workspace().udot, state_.u.size()};
}

bool Engine::mobility(std::span<const double> J, unsigned axes, std::array<double, 36>& result) {
  accelerations();
  if (!motion_.prepare_answers()) return false;
  const std::size_t n = answer_.size();
  // Speeds that do not move the port add nothing to the sums.
  std::array<std::size_t, 64> moving;
  std::size_t count = 0;
  for (std::size_t i = 0; i < n && count < moving.size(); ++i) {
    bool moves = false;
    for (std::size_t row = 0; row < 6; ++row) moves |= J[row * n + i] != 0.0;
    if (moves) moving[count++] = i;
  }
  const bool all = count == moving.size();  // there may be more
  for (std::size_t column = 0; column < 6; ++column) {
    if ((axes >> column & 1u) == 0) {
      for (std::size_t row = 0; row < 6; ++row) result[6 * row + column] = 0.0;
      continue;
    }
    std::copy_n(&J[column * n], n, answer_.begin());
    motion_.answer(answer_.data());
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t k = 0; k < (all ? n : count); ++k) {
        const std::size_t i = all ? k : moving[k];
        sum += J[row * n + i] * answer_[i];
      }
      result[6 * row + column] = sum;
    }
  }
  return true;
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
  stands_ = false;
  motion_.mutable_terms().evaluate(state_.t, state_.q.data(), state_.u.data());
  return motion_.kinetic_energy(state_.u.data());
}

/// Whether these are held already, and at ports what was when the engine last looked.
bool Engine::same_loads(const Input& input) const {
  return held_nothing_ && input.tau.empty() && input.wrench.empty() &&
         (outside_ == nullptr || (loads_then_ != 0 && outside_->version() == loads_then_));
}

bool Engine::hold(const Input& input) {
  if (stands_ && same_loads(input)) return true;
  simulate::Workspace& w = chart_.workspace();
  const auto fits = [](std::span<const double> given, const std::vector<double>& held) {
    return given.empty() || given.size() == held.size();
  };
  if (!fits(input.tau, w.held_tau) || !fits(input.wrench, w.held_wrench)) return false;
  std::fill(w.held_tau.begin(), w.held_tau.end(), 0.0);
  std::fill(w.held_wrench.begin(), w.held_wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), w.held_tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), w.held_wrench.begin());
  held_nothing_ = input.tau.empty() && input.wrench.empty();
  look_anew();
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
  const bool is_quiet = motion_.begin_tick();
  fastest_hint_ = 0.0;
  Status status;
  const bool stands =
      std::exchange(stands_, false);  // the look before the tick was where it begins, under its loads
  const bool acts = !input.tau.empty() || !input.wrench.empty() || (outside_ != nullptr && outside_->acts());
  if (is_quiet && quiet_step(t_end, status)) {  // nothing can happen
    if (!status.ok()) note_trouble();
    energy_.note_quiet(acts);
    return status;
  }
  const bool untouched = stands && work_.integrations == 0;  // no quiet step was tried
  save(before_);
  powers_wanted_ = energy_.begin_tick(state_, acts, books_);
  least_loss_ = 0.0;
  status = advance(t_end, untouched);
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

/// `stands`: evaluate() was last called at the state, with its modes.
Status Engine::advance(double t_end, bool stands) {
  stretch_ = kFirstStretch;
  misfit_ = {};
  response_.coarse = 0.0;
  Status status;                                           // notes
  double reach = std::numeric_limits<double>::infinity();  // [s] of a piece, after one that was too long
  solved_at_once_ = false;
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
    if (!stands)
      evaluate(state_);
    else if (round == 0)  // by the look before the tick; afterwards by the event before
      ++work_.evaluations;
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
    Piece piece{t_piece, reach};
    if (status |= make_balanced_piece(t_end, piece); !status.ok()) return status;
    reach = piece.reach;
    reach *= kLonger;
    if (piece.jams) {
      if (status |= leave_jam(t_end); !status.ok()) return status;
      continue;
    }
    piece.late ? energy_.take_as_late(books_) : energy_.take(books_);
    commit();
    if (!piece.event && piece.t < t_end) {
      arm_guards();
      continue;
    }
    if (!piece.event) {
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

/// The motion from the state to piece.t, or to the first event before it; shorter where the energy does not balance. A force
/// that grows beyond all bounds is not integrated over: the piece ends before, and where it does not go on at all, or a
/// budget is spent, all laws are to be solved at once.
Status Engine::make_balanced_piece(double t_end, Piece& piece) {
  using Weight = EnergyWatch::Weight;
  for (;;) {
    const Status made = make_piece(piece.t, piece.event);  // trial_ stands at the event, or at its end
    Weight weight = made.ok() ? weigh() : Weight::off;
    if (weight == Weight::balances && slips_turned()) weight = Weight::coarse;
    const double length = (made.ok() ? trial_.t : piece.t) - state_.t;
    const bool spent = is_spent();
    const bool short_enough = length <= kShortPiece * options_.step && energy_.leaves_little(books_);
    // The powers of other forces may jump, or be those of stiff springs: what they leave says nothing about the motion.
    if (weight == Weight::balances ||
        (weight == Weight::coarse && (spent || short_enough || powers_.other != 0.0))) {
      piece.late = weight != Weight::balances && spent;
      return made;
    }
    go_back();
    if (spent && solved_at_once_) return made.ok() ? Status(Status::energy_unexplained) : made;
    if (spent) {  // for what is left of the tick
      solved_at_once_ = piece.jams = true;
      stretch_ = t_end - state_.t;
      return Status::located_late;
    }
    if (length <= kFirstStretch) {
      piece.jams = made.ok();
      return piece.jams ? Status() : made;
    }
    ++work_.trials;
    piece.reach = kShorter * length;
    piece.t = state_.t + piece.reach;
    begin_watches(piece.t);
  }
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
  chart_.obey(stretch.law());
  chart_.begin(state_, z_);
  Status status = stepper_->step(chart_, state_.t, t - state_.t, z_);
  const bool is_finite = std::all_of(z_.begin(), z_.end(), [](double x) { return std::isfinite(x); });
  if (status.ok() && is_finite) chart_.settle(t, z_);
  chart_.obey(motion_);
  if (!status.ok()) return status;
  if (!is_finite) return Status::not_finite;
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

}  // namespace tactus::contact
