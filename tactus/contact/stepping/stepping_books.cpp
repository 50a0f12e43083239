// What a step of time-stepping did to the energy. With u and u+ the speeds before and after the impulses, in axes that
// stand still, p the impulses and J^T p what they do to the speeds,
//
//   E(q+, u+) - E(q, u) = (u + u+)/2 . J^T p  +  (moving apart what overlaps)  +  S
//
// The first term is the work of the impulses: of the normal ones, of friction, and what rolling contacts seem to slip. S is
// the rest: forces Q act with the mean of the speeds, positions move with u+, so that without other forces than those of
// potentials
//
//   S = -h Q . (u+ - u)/2 + (terms with h^2, of the curvature of potentials and of the mass matrix)
//
// the scheme's own error of first order. It is booked as such, and must be of that size. The work of the impulses is known
// twice, by the velocities of the contacts as the solver left them and by the speeds: that they agree is the invariant.
#include <algorithm>
#include <cmath>

#include <tactus/contact/events/energy_watch.h>
#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

namespace {

/// S is unexplained where it is so many times its estimate, and more than this part of the energy in play: steps that are
/// too long for a motion have large errors, and say so in the books.
constexpr double kFarOff = 20.0, kShareOfEnergy = 0.05;
/// [J] Less is nothing.
constexpr double kNothing = 1e-9;

}  // namespace

void TimeStepping::keep_books() {
  double friction = 0.0, rolled = 0.0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    double mean = 0.0, end = 0.0;
    for (int r = 1; r < contact.size; ++r) {
      const double v_end = end_velocity(near_[i], contact, r);
      mean += 0.5 * contact.p[r] * (near_[i].before[r] + v_end);
      end += contact.p[r] * v_end;
    }
    if (near_[i].stuck && contact.mode == ConeMode::sticking)
      rolled += mean;
    else
      friction += mean <= 0.0 ? mean : std::min(end, 0.0);  // what is left of `end` is the solver's tolerance
    books_.deepest = std::max(books_.deepest, -near_[i].about.gap);
  }
  books_.friction_work += friction;
  books_.normal_work += impulse_work() - friction - rolled - work_of_pushes();
  (other_forces_ && moved_ > 0.0 ? books_.work : books_.scheme_error) += rolled;
  books_.correction_work += correction_;
  ++books_.steps;
  books_.not_converged += !solution_.converged && !solver_.contacts().empty();
  int touching = 0;
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) touching += near_[i].axis < 0;
  books_.most_contacts = std::max(books_.most_contacts, touching);
}

double TimeStepping::energy(double t, const std::vector<double>& q, const std::vector<double>& u) {
  energy_in_[0] = t;
  std::copy(u.begin(), u.end(), std::copy(q.begin(), q.end(), energy_in_.begin() + 1));
  contact_model_.energy(energy_in_.data(), energy_out_.data(), energy_work_.data());
  books_.largest = std::max(books_.largest, energy_out_[0]);
  return energy_out_[0] + energy_out_[1];
}

/// (u + u+)/2 . J^T p
double TimeStepping::impulse_work_by_speeds() {
  std::fill(momentum_.begin(), momentum_.end(), 0.0);
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i)
    for (const int block : solver_.contacts()[i].block)
      if (block >= 0) add_contact_impulse(i, block, &momentum_[solver_.offset(block)]);
  double work = 0.0;
  for (std::size_t i = 0; i < nv_; ++i) work += 0.5 * (state_.u[i] + end_[i]) * momentum_[place_[i]];
  return work;
}

/// Of the step that leads to q_end_ and u_next_; false where the energy that came or went is unexplained.
bool TimeStepping::balances(const simulate::Input& input) {
  const double h = options_.step;
  const double before = energy(state_.t, state_.q, state_.u), after = energy(state_.t + h, q_end_, u_next_);
  const double by_speeds = impulse_work_by_speeds(), left = impulse_work() - by_speeds;
  const double scheme = after - before - by_speeds - correction_;
  const double in_play = books_.largest + std::abs(books_.normal_work) + std::abs(books_.friction_work);
  const bool gives =
      sources_ || !input.tau.empty() || !input.wrench.empty() || (outside_ != nullptr && outside_->acts());
  // Dampers and friction only take: what comes beside them is the scheme's.
  const bool acts = gives || (other_forces_ && scheme <= 0.0);
  (acts ? books_.work : books_.scheme_error) += scheme;
  books_.imbalance += left;
  books_.worst_imbalance = std::max(books_.worst_imbalance, std::abs(left) / std::max(in_play, kNothing));
  // |h Q|_M^-1 and |u+ - u|_M, and the largest angle or way of a step.
  double fastest = 0.0;
  for (std::size_t i = 0; i < nv_; ++i) {
    change_[i] = u_free_[place_[i]] - state_.u[i];
    fastest = std::max(fastest, std::abs(state_.u[i]));
  }
  const double forced = std::sqrt(2.0 * kinetic(change_));
  for (std::size_t i = 0; i < nv_; ++i) change_[i] = end_[i] - state_.u[i];
  const double changed = std::sqrt(2.0 * kinetic(change_));
  const double estimate = 0.5 * forced * (changed + forced) + h * h * fastest * fastest * books_.largest;
  const bool scheme_fits =
      acts || !(std::abs(scheme) > kFarOff * estimate + kShareOfEnergy * in_play + kNothing);
  const bool impulses_fit = std::abs(left) <= kTickImbalance * in_play + kNothing;
  unexplained_ = impulses_fit ? scheme : left;
  return scheme_fits && impulses_fit && std::isfinite(after);
}

}  // namespace tactus::contact
