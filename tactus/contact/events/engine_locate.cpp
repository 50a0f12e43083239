// Where the first event of a step is: event localisation.
//
// Value, rate and acceleration of a guard are known at both ends of the step; the root of the polynomial through
// them (interpolant.h) is where it is expected to fire. Integrating to there confirms it, or gives the next place:
// by Newton's method where the rate is at hand, otherwise by the polynomial through the last three values, and by
// halving where neither closes in. A trial evaluates what its one guard needs: of a gap poses and velocities, no
// accelerations. Everything is evaluated once, where the event is.
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/contact/events/engine.h>

namespace tactus::contact {

namespace {

// What rounding leaves of a gap of bodies some decimetres large [m], and of forces, relative: nearer to zero than
// this is zero.
constexpr double kGapNoise = 2e-16;
constexpr double kForceNoise = 1e-14;
// Where a guard jumps (forces that rows share begin to break a law) halving is all there is; it ends here [s].
constexpr double kJump = 1e-12;

/// The root of the parabola x(f) through three points (inverse quadratic interpolation).
double inverse_parabola(double t1, double f1, double t2, double f2, double t3, double f3) {
  return t1 * f2 * f3 / ((f1 - f2) * (f1 - f3)) + t2 * f1 * f3 / ((f2 - f1) * (f2 - f3)) +
         t3 * f1 * f2 / ((f3 - f1) * (f3 - f2));
}

}  // namespace

/// Integrates to t and evaluates there what the watch needs.
bool Engine::trial_at(double t, const Watch& watch, Jet& jet, Status& status) {
  status |= integrate_to(t);
  ++work_.trials;
  if (!status.ok()) return false;
  if (needs_forces(watch)) {
    evaluate(trial_);
  } else {
    Terms& terms = motion_.mutable_terms();
    terms.evaluate(t, trial_.q.data(), trial_.u.data());
    switch (watch.what) {
      case Watching::stop_gap:
      case Watching::turn:
        break;
      case Watching::guard:
        contact_model_.guards.evaluate(t, trial_.q.data(), trial_.u.data(), terms.qdot(), forces_.data(),
                                       guard_in_.data(), guard_work_.data(), guards_.data());
        break;
      default:
        contact::evaluate(terms, motion_.touches[static_cast<std::size_t>(watch.index)]);
    }
  }
  jet.value = value(watch);
  jet.rate = rate(watch);
  return true;
}

/// Whether the watch fires in this piece, of which both ends are known, and where that is expected.
bool Engine::expect(std::size_t k, double t_end, Candidate& c) {
  const Watch& w = watches_[k];
  const double now = value(w), rate_now = rate(w), begin = state_.t;
  const bool is_gap = w.what == Watching::gap || w.what == Watching::stop_gap || w.what == Watching::press;
  const bool fired = fires(w, now, rate_now);
  const bool dips = is_gap && !fired && w.start.value > 0.0 && w.start.rate < 0.0 && rate_now > 0.0;
  if (!fired && !dips) return false;
  c = {};
  c.watch = k;
  c.from = c.t = begin;
  c.to = t_end;
  c.f_from = w.start.value;
  c.f_to = now;
  c.between = Interpolant(begin, w.start, t_end, jet(w));
  if (dips) {
    c.dips = true;
    c.to = c.between.lowest(begin, t_end);
    c.f_to = c.between.value(c.to);
    const double clear = std::max(c.between.doubt(), kGapRounding);
    if (c.f_to > clear) return false;
    c.grazes = c.f_to > -clear;
    c.t = c.grazes ? c.to : c.between.falls(begin, c.to);
    return true;
  }
  if (is_gap && !(w.start.value > 0.0) &&
      w.start.rate > 0.0) {  // it left, and comes back: over the top first
    c.from = c.between.highest(begin, t_end);
    c.f_from = c.between.value(c.from);
    c.t = c.f_from > 0.0 ? c.between.falls(c.from, t_end) : c.from;
    return true;
  }
  if (c.f_from > 0.0) c.t = c.between.falls(begin, t_end);  // otherwise true already where the step begins
  return true;
}

/// A gap that closes and opens again, and may not reach zero: looks at its lowest place.
bool Engine::reaches_zero(Candidate& c, Status& status) {
  const Watch& w = watches_[c.watch];
  for (int look = 0; look < 2; ++look) {
    Jet here;
    if (!trial_at(c.to, w, here, status)) return false;
    c.f_to = here.value;
    if (here.value < -kGapRounding) break;
    // The lowest place of the parabola through here, with the interpolant's curvature.
    const double nudge = 1e-3 * (end_.t - state_.t);
    const double bend = (c.between.rate(c.to + nudge) - c.between.rate(c.to - nudge)) / (2.0 * nudge);
    const double to = c.to - here.rate / bend, depth = here.value - 0.5 * here.rate * here.rate / bend;
    if (!(bend > 0.0 && to > c.from && to < end_.t && depth < -kGapRounding)) break;
    c.to = to;
  }
  if (!(c.f_to < -kGapRounding)) return false;
  c.grazes = false;
  c.t = std::min(c.between.falls(c.from, c.to), c.to);
  return true;
}

/// Whether it had fired already where another event was found, by more than rounding.
bool Engine::came_before(const Candidate& c, double now) const {
  const Watch& w = watches_[c.watch];
  if (w.what != Watching::guard) return now < -rounding(w);
  const double resolution =
      4.0 * std::numeric_limits<double>::epsilon() * std::max(std::abs(trial_.t), options_.step);
  const double steep = std::abs(c.f_to - c.f_from) / (c.to - c.from);
  return now < -4.0 * resolution * steep && now < 0.0;
}

/// Where the watch falls through zero. Leaves trial_ at the answer, with what the watch needs evaluated.
double Engine::locate(const Candidate& c, Status& status) {
  constexpr int kMost = 90;
  const Watch& w = watches_[c.watch];
  const bool exact_side =
      w.what == Watching::guard || w.what == Watching::turn;  // it must be true where it fires
  const bool is_motion = std::isfinite(w.start.rate);
  const double noise = exact_side                                                       ? 0.0
                       : std::isfinite(w.start.acceleration) || w.what == Watching::gap ? kGapNoise
                       : w.what == Watching::slip                                       ? kForceNoise
                                                  : kForceNoise * (1.0 + std::abs(w.start.value));
  const double least = 4.0 * std::numeric_limits<double>::epsilon() *
                       std::max({std::abs(c.from), std::abs(c.to), options_.step});
  double from = c.from, f_from = c.f_from, to = c.to, f_to = c.f_to;
  double before = to, f_before = f_to;  // the trial before the last
  double t = c.t, width = to - from;
  bool excused_from = excused_at_start_, excused_to = excused_at_end_;
  double at = std::numeric_limits<double>::quiet_NaN();
  for (int i = 0; i < kMost; ++i) {
    const bool jumps = needs_forces(w) && excused_from != excused_to;
    const double resolution = jumps ? std::max(least, kJump) : least;
    if (!(to - from > resolution)) break;
    if (i > 0 && is_spent()) {  // the side on which it has fired, as near as it came
      status |= Status::located_late;
      break;
    }
    t = std::clamp(t + 0.5 * least, from + 0.5 * least, to - 0.5 * least);
    Jet here;
    if (!trial_at(t, w, here, status)) return t;
    at = t;
    const double f = here.value;
    double slope = here.rate;
    if (!std::isfinite(slope))
      slope = i == 0 ? (is_motion ? c.between.rate(t) : (f_to - f_from) / (to - from))
                     : (f - f_before) / (t - before);
    const bool right_side = !exact_side || f <= 0.0;
    if (std::abs(f) <= std::max(std::abs(slope) * least, noise) && right_side) return t;
    // No nearer than the trial before: rounding has been reached.
    if (i > 0 && std::abs(f) <= rounding(w) && std::abs(f) > 0.25 * std::abs(f_before) && right_side)
      return t;
    const double t_far = f < 0.0 ? to : from, f_far = f < 0.0 ? f_to : f_from;
    if (f < 0.0) {
      to = t;
      f_to = f;
      excused_to = excused_;
    } else {
      from = t;
      f_from = f;
      excused_from = excused_;
    }
    double next = t - f / slope;
    if (!is_motion && i > 0) next = inverse_parabola(from, f_from, to, f_to, t_far, f_far);
    before = t;
    f_before = f;
    const bool inside = next > from && next < to;
    const bool slow = i % 3 == 2 && to - from > 0.5 * width;
    if (i % 3 == 2) width = to - from;
    t = inside && !slow && !jumps ? next : 0.5 * (from + to);
  }
  Jet there;
  if (at != to) trial_at(to, w, there, status);
  return to;
}

/// What the instant says about everything that is watched. `located`: the watch that was looked for, on
/// whichever side of zero it stands.
void Engine::take_hints(std::size_t located) {
  // Guards that stand at zero from the start of the step on are true where they rise from there.
  const auto rises = [&](std::size_t k) {
    return watches_[k].start.value > 0.0 || std::any_of(candidates_.begin(), candidates_.end(),
                                                        [&](const Candidate& c) { return c.watch == k; });
  };
  for (std::size_t k = 0; k < watches_.size(); ++k) {
    const Watch& w = watches_[k];
    const double now = value(w);
    const auto i = static_cast<std::size_t>(w.index);
    const bool is_zero = k == located || now <= rounding(w);
    switch (w.what) {
      case Watching::guard:
        if (now < 0.0 || (now == 0.0 && rises(k))) fired_.push_back(w.index);
        break;
      case Watching::force:
        if (is_zero) motion_.touches[i].hint = Hint::leaves;
        break;
      case Watching::cone:
        if (is_zero && motion_.touches[i].hint == Hint::none) motion_.touches[i].hint = Hint::slips;
        break;
      case Watching::slip:
        if ((k == located || now <= kRestingRate) && motion_.touches[i].hint == Hint::none)
          motion_.touches[i].hint = Hint::stops;
        break;
      case Watching::press:
        if (is_zero && rate(w) < 0.0) motion_.touches[i].hint = Hint::presses;
        break;
      case Watching::press_inside:  // corners that push alike begin and end together
        if (k == located || (is_zero && motion_.touches[i].motion.gap <= 0.0 && jet(w).rate < 0.0))
          motion_.touches[i].hint = Hint::presses;
        break;
      case Watching::push:
        if (k == located || (is_zero && jet(w).rate < 0.0)) motion_.touches[i].hint = Hint::leaves;
        break;
      case Watching::stop_force:
        if (is_zero) response_.row_leaves[i] = 1;
        break;
      default:
        break;
    }
  }
}

/// The next candidate to be looked at: the one that is expected first, or, where one has been found, one that
/// had fired already there; -1 where there is none.
int Engine::next_candidate(int found) {
  int next = -1;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    Candidate& c = candidates_[k];
    if (c.dropped || static_cast<int>(k) == found) continue;
    if (found >= 0) {
      const double now = value(watches_[c.watch]);
      if (!(trial_.t > c.from) || !came_before(c, now)) continue;
      c.to = trial_.t;
      c.f_to = now;
      c.grazes = false;
      c.t = c.f_from > 0.0 ? c.between.falls(c.from, c.to) : c.from;
    }
    if (next < 0 || c.t < candidates_[static_cast<std::size_t>(next)].t) next = static_cast<int>(k);
  }
  return next;
}

/// Goes to where the candidate happens: false where it does not.
bool Engine::go_to(Candidate& c, Status& status) {
  const Watch& w = watches_[c.watch];
  if (!(c.t > state_.t)) {  // nothing comes before
    copy(state_, trial_);
    evaluate(trial_);
    return true;
  }
  if (c.grazes && !reaches_zero(c, status)) return false;
  Jet here;
  if (c.f_from > 0.0)
    locate(c, status);
  else
    trial_at(c.t, w, here, status);
  if (!status.ok() || (c.f_from > 0.0 && !(value(w) <= rounding(w)))) return false;  // it turns back before
  if (!needs_forces(w)) evaluate(trial_);
  return true;
}

/// The budget is spent: what has fired by the end of the tick is taken there, where trial_ stands. Gaps that have
/// opened again by then would be lost: the first of them is taken where it is expected.
bool Engine::take_late(Status& status) {
  const Candidate* first = nullptr;
  bool dips_only = true;
  for (const Candidate& c : candidates_) {
    if (!c.dips) dips_only = false;
    if (c.dips && !c.grazes && (first == nullptr || c.t < first->t)) first = &c;
  }
  if (dips_only && first == nullptr) return false;
  status |= Status::located_late;
  std::size_t located = watches_.size();
  if (dips_only) {
    located = first->watch;
    Jet here;
    if (!trial_at(first->t, watches_[located], here, status)) return false;
    evaluate(trial_);
  }
  take_hints(located);
  return true;
}

/// trial_ stands at the end of the piece, evaluated; then at the first event, evaluated too. False where there
/// is none: trial_ stands at the end.
bool Engine::find_first_event(double t_end, Status& status) {
  candidates_.clear();
  fired_.clear();
  Candidate candidate;
  for (std::size_t k = 0; k < watches_.size(); ++k)
    if (expect(k, t_end, candidate)) candidates_.push_back(candidate);
  if (candidates_.empty()) return false;
  copy(trial_, end_);
  excused_at_end_ = excused_;
  if (is_spent()) return take_late(status);
  int found = -1;
  double first = t_end;
  for (int next = next_candidate(found); next >= 0; next = next_candidate(found)) {
    if (found >= 0 && is_spent()) {  // those come with it, late
      status |= Status::located_late;
      break;
    }
    Candidate& c = candidates_[static_cast<std::size_t>(next)];
    c.dropped = true;  // looked at
    if (go_to(c, status)) {
      found = next;
      first = trial_.t;
      if (!(first > state_.t)) break;
    } else {
      if (!status.ok()) return false;
      if (found < 0) continue;
      status |= integrate_to(first);
      if (!status.ok()) return false;
      evaluate(trial_);
    }
  }
  if (found < 0) {
    copy(end_, trial_);
    motion_.rewind();  // what the trials found out about redundant rows is not of this step
    evaluate(trial_);
    return false;
  }
  take_hints(candidates_[static_cast<std::size_t>(found)].watch);
  return true;
}

}  // namespace tactus::contact
