// What is near each other at a state: collision detection, and which touches of before are still there.
#include <tactus/contact/events/engine.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

namespace {

bool is_same(const FeatureNumbers<double>& a, const FeatureNumbers<double>& b) {
  return a.p.x == b.p.x && a.p.y == b.p.y && a.p.z == b.p.z && a.axis.x == b.axis.x && a.axis.y == b.axis.y &&
         a.axis.z == b.axis.z && a.radius == b.radius;
}

}  // namespace

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

}  // namespace tactus::contact
