// What a piece of the motion did to the energy (energy_watch.h).
#include <tactus/contact/events/engine.h>

#include <algorithm>

namespace tactus::contact {

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
