// What an engine watches for: its guards (event functions).
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/collide/collector.h>
#include <tactus/collide/half_space.h>
#include <tactus/contact/events/engine.h>

namespace tactus::contact {

namespace {

/// [N] [1] A contact that pulls by more than this part of its force pulls.
constexpr double kPulls = 1e-6;

// A rim over a plane, and two edges that cross, are smooth features while they lean: e = n - d (d.n) and e = d_a x d_b (gap.h)
// must not vanish. Where they do, gap and normal have a kink (the lowest point of the rim runs over to the other side, the
// normal of the edges turns about), so the step ends before, and collision detection gives other features: it does so for
// a rim below kFlat. Points of a rim that lies flat stand in for it as long as it does. The two bounds overlap.
constexpr double kLeansNoMore = 0.5 * collide::kFlat;
constexpr double kLeansAgain = 2.0 * collide::kFlat;
/// [rad] by which the lowest point of a rim may run round in a piece of the motion: a few parts in 1e8 of what rk4 makes
/// of the motion round it.
constexpr double kMostTurn = 0.25;

using Form = collide::FeaturePair;

/// One of the four points that stand in for a rim that lies flat.
bool is_rim_point(const Touch& touch) {
  if (touch.form.kind != Form::plane_point) return false;
  for (const std::uint64_t code : {touch.id, touch.id >> collide::Code::kBits}) {
    const std::uint64_t own = code & ((std::uint64_t{1} << collide::Code::kBits) - 1);
    if (own >= collide::Code::rim(2).value && own <= collide::Code::rim(9).value) return true;
  }
  return false;
}

/// e and its rate, world axes.
struct Lean {
  Vec3<double> e, rate;
};
Lean lean_of(const Terms& terms, const Touch& touch) {
  const BodyMotion<double> body_a = terms.body(touch.body_a), body_b = terms.body(touch.body_b);
  const Vec3<double> a = body_a.R * touch.a.axis, b = body_b.R * touch.b.axis;
  const Vec3<double> a_rate = cross(body_a.w, a), b_rate = cross(body_b.w, b);
  if (touch.form.kind == Form::line_line) return {cross(a, b), cross(a_rate, b) + cross(a, b_rate)};
  const double along = dot(a, b), along_rate = dot(a_rate, b) + dot(a, b_rate);
  return {a - along * b, a_rate - along * b_rate - along_rate * b};
}

double length(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

}  // namespace

/// The lowest point of a rim that nearly lies flat runs round quickly: such pieces are short.
double Engine::piece_end(double t_end) const {
  double fastest = 0.0;
  for (const Touch& touch : motion_.touches) {
    if (touch.form.kind != Form::plane_circle || !touch.touching()) continue;
    const Lean lean = lean_of(motion_.terms(), touch);
    const double e2 = dot(lean.e, lean.e);
    if (e2 > 0.0) fastest = std::max(fastest, length(cross(lean.e, lean.rate)) / e2);
  }
  const double left = t_end - state_.t;
  if (!(fastest * left > kMostTurn)) return t_end;
  return state_.t + left / std::ceil(fastest * left / kMostTurn);
}

/// Slip that a piece of this length [s] may bring to its end keeps its direction in it.
void Engine::hold_slips(double length) {
  for (Touch& touch : motion_.touches) {
    if (touch.mode != Mode::sliding || touch.tangents != 2 || !touch.rigid()) continue;
    const double v1 = touch.motion.rate[1], v2 = touch.motion.rate[2];
    const double a1 = motion_.touch_acceleration(touch, 1), a2 = motion_.touch_acceleration(touch, 2);
    const double slip = std::hypot(v1, v2);
    const bool may_end =
        slip > kRestingRate && v1 * a1 + v2 * a2 < 0.0 && slip < 2.0 * length * std::hypot(a1, a2);
    if (may_end) touch.slow_slip = std::numeric_limits<double>::max();
  }
}

/// Whether slip that kept its direction has another one now, where evaluate() was last called: then it did not end, and
/// friction was off.
bool Engine::slips_turned() const {
  constexpr double kSameWay = 0.98;  // [1] cosine of 0.2 rad
  return std::any_of(motion_.touches.begin(), motion_.touches.end(), [](const Touch& touch) {
    if (touch.mode != Mode::sliding || touch.slow_slip <= kSlowSlip || touch.hint != Hint::none) return false;
    const double v1 = touch.motion.rate[1], v2 = touch.motion.rate[2], slip = std::hypot(v1, v2);
    return slip > kRestingRate && v1 * touch.slip[0] + v2 * touch.slip[1] < kSameWay * slip;
  });
}

/// Whether contacts pull where a piece begins: friction has turned since the piece before it ended, beyond what the modes
/// can carry (Painleve).
bool Engine::breaks_a_law_at_start() const {
  return std::any_of(watches_.begin(), watches_.end(), [&](const Watch& watch) {
    const bool holds = watch.what == Watching::force || watch.what == Watching::stop_force;
    return holds && watch.start.value < -kPulls * (1.0 + std::abs(watch.start.value));
  });
}

void Engine::begin_watches(double t_piece) {
  hold_slips(t_piece - state_.t);
  watches_.clear();
  excused_at_start_ = excused_;
  const auto watch = [&](Watching what, int index, std::array<double, 2> slip = {}) {
    watches_.push_back({what, index, slip, {}, {}});
    watches_.back().start = jet(watches_.back());
  };
  const auto watch_turn = [&](int index) {
    const Touch& touch = motion_.touches[static_cast<std::size_t>(index)];
    const bool leans = touch.form.kind == Form::plane_circle || touch.form.kind == Form::line_line;
    if (!leans && !is_rim_point(touch)) return;
    const Vec3<double> e = lean_of(motion_.terms(), touch).e;
    const double size = length(e);
    if (leans && !(size > kLeansNoMore)) return;
    watches_.push_back({Watching::turn, index, {}, leans ? (1.0 / size) * e : Vec3<double>::zero(), {}});
    watches_.back().start = jet(watches_.back());
  };
  for (std::size_t i = 0; i < motion_.touches.size(); ++i) {
    const Touch& touch = motion_.touches[i];
    const int index = static_cast<int>(i);
    watch_turn(index);
    if (!touch.rigid()) {
      watch(touch.touching()         ? Watching::push
            : touch.motion.gap > 0.0 ? Watching::press
                                     : Watching::press_inside,
            index);
      continue;
    }
    watch(touch.touching() ? Watching::force : Watching::gap, index);
    if (touch.mode == Mode::sticking && touch.tangents > 0) watch(Watching::cone, index);
    const bool may_end = touch.tangents == 1 || (touch.tangents == 2 && touch.slow_slip > kSlowSlip);
    if (touch.mode == Mode::sliding && may_end && touch.law->friction > 0.0)
      watch(Watching::slip, index, touch.slip);
  }
  for (const int row : contact_model_.row_of_stop)
    if (row >= 0)
      watch(motion_.row_on[static_cast<std::size_t>(row)] != 0 ? Watching::stop_force : Watching::stop_gap,
            row);
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guard_armed_[i] != 0 && enabled(contact_model_.model.contact.transitions[i]))
      watch(Watching::guard, static_cast<int>(i));
  note_powers();
  slips_.clear();
  for (const Touch& touch : motion_.touches) slips_.push_back(touch.slip);
}

bool Engine::enabled(const describe::Transition& transition) const {
  const auto index = static_cast<std::size_t>(&transition - contact_model_.model.contact.transitions.data());
  return may_fire(transition, fired_once_[index] != 0, [this](int c) { return is_active(c); });
}

/// All guards fire by falling below zero.
double Engine::value(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  switch (watch.what) {
    case Watching::gap:
      return motion_.touches[i].motion.gap;
    case Watching::force:
      return response_.is_excused(i) ? std::abs(motion_.touch_force(i)[0]) : motion_.touch_force(i)[0];
    case Watching::cone: {
      const std::array<double, 3>& f = motion_.touch_force(i);
      const double friction = motion_.touches[i].tangents == 1 ? std::abs(f[1]) : std::hypot(f[1], f[2]);
      const double left = motion_.touches[i].law->static_friction * f[0] - friction;
      return response_.is_excused(i) ? std::abs(left) : left;
    }
    case Watching::slip:
      return motion_.touches[i].motion.rate[1] * watch.slip[0] +
             motion_.touches[i].motion.rate[2] * watch.slip[1];
    case Watching::press:
      return motion_.touches[i].motion.gap;
    case Watching::press_inside:
      return -motion_.touches[i].push();
    case Watching::push:
      return motion_.touches[i].push();
    case Watching::stop_gap:
      return motion_.terms().Phi(i);
    case Watching::stop_force:
      return response_.is_stop_excused(i) ? std::abs(motion_.stop_force(i)) : motion_.stop_force(i);
    case Watching::turn: {
      const Vec3<double> e = lean_of(motion_.terms(), motion_.touches[i]).e;
      const bool leaned = watch.lean.x != 0.0 || watch.lean.y != 0.0 || watch.lean.z != 0.0;
      return leaned ? dot(e, watch.lean) - kLeansNoMore : kLeansAgain - length(e);
    }
    case Watching::guard:
      return -guards_[i];
  }
  return 0.0;
}

double Engine::rate(const Watch& watch) const {
  const auto i = static_cast<std::size_t>(watch.index);
  if (watch.what == Watching::gap || watch.what == Watching::press) return motion_.touches[i].motion.rate[0];
  if (watch.what == Watching::stop_gap) return motion_.terms().velocity(i);
  return std::numeric_limits<double>::quiet_NaN();
}

/// Where evaluate() was last called: value and, of what follows from the motion, rate and acceleration.
Jet Engine::jet(const Watch& watch) {
  const auto i = static_cast<std::size_t>(watch.index);
  Jet jet{.value = value(watch), .rate = rate(watch)};
  switch (watch.what) {
    case Watching::gap:
    case Watching::press:
      // A gap that cannot close within two steps, by its rate, is done with.
      if (jet.value < -2.0 * options_.step * jet.rate || jet.value <= kTouchingGap)
        jet.acceleration = motion_.touch_acceleration(motion_.touches[i], 0);
      break;
    case Watching::stop_gap:
      jet.acceleration = motion_.row_acceleration(i);
      break;
    case Watching::slip:
      jet.rate = 0.0;
      for (std::size_t k = 0; k < motion_.touches[i].tangents; ++k)
        jet.rate += watch.slip[k] * motion_.touch_acceleration(motion_.touches[i], k + 1);
      break;
    case Watching::push:
    case Watching::press_inside: {
      const Touch& touch = motion_.touches[i];
      const double push_rate = -touch.law->stiffness * touch.motion.rate[0] -
                               touch.law->damping * motion_.touch_acceleration(touch, 0);
      jet.rate = watch.what == Watching::push ? push_rate : -push_rate;
      break;
    }
    default:
      break;
  }
  return jet;
}

bool Engine::needs_forces(const Watch& watch) const {
  switch (watch.what) {
    case Watching::force:
    case Watching::cone:
    case Watching::stop_force:
      return true;
    case Watching::guard:
      return contact_model_.guards.names_forces(static_cast<std::size_t>(watch.index));
    default:
      return false;
  }
}

double Engine::rounding(const Watch& watch) const {
  switch (watch.what) {
    case Watching::gap:
    case Watching::press:
    case Watching::stop_gap:
      return kGapRounding;
    case Watching::slip:
      return kRateRounding;
    case Watching::guard:
    case Watching::turn:
      return 0.0;
    default:
      return kForceRounding * (1.0 + std::abs(watch.start.value));
  }
}

bool Engine::fires(const Watch& watch, double now, double rate_now) const {
  const double start = watch.start.value;
  switch (watch.what) {
    case Watching::gap:
    case Watching::stop_gap:
      return now < -kGapRounding && (rate_now < -kRateRounding || start > 0.0);
    case Watching::force:
    case Watching::stop_force:
    case Watching::cone:
    case Watching::slip:
      return now < -rounding(watch);
    case Watching::press:
    case Watching::push:
    case Watching::turn:
      return now < 0.0;
    case Watching::press_inside:  // once outside, it is watched by its gap
      return now < 0.0 && motion_.touches[static_cast<std::size_t>(watch.index)].motion.gap <= 0.0;
    case Watching::guard:  // armed: it was false; a jump of the input may make it true where the step begins
      return now < 0.0 || start < 0.0 || (now == 0.0 && start > 0.0);
  }
  return false;
}

/// A transition fires where its guard, false until then, becomes true: not one that was true already when its
/// constraints came to be on and off as it wants.
void Engine::arm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i)
    guard_armed_[i] = guards_[i] < 0.0 || (guards_[i] == 0.0 && guard_armed_[i] != 0);
}

/// After an event: what it made true has been false just before.
void Engine::rearm_guards() {
  for (std::size_t i = 0; i < guards_.size(); ++i)
    if (guards_[i] < 0.0) guard_armed_[i] = 1;
}

}  // namespace tactus::contact
