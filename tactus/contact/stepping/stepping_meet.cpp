// Contact after a smooth step that the passive integrator has made: impulses alone, at the place q1 and with the speeds u1 to which it led,
//
//   M(q1) (u+ - u1) = J^T p,      J_n u+ + gap/h >= 0  perpendicular to  p_n >= 0,  Coulomb's friction against J_t u+
//
// The smooth step is balanced to rounding (simulate/integrators/passive_stepper.cpp). The work of the impulses is
//
//   p . (v1 + v+)/2 = p . v+ - p . W p/2 <= p . v+,       W = J M^-1 J^T
//
// and never positive: where p_n > 0, v+_n = -gap/h <= 0; friction is against v+; what rebounds does so with no more than it came with, and restitution that
// would add energy is left out. Positions are moved only where bodies overlap or constraints are off. Should that add more potential energy than the
// impulses took, the speeds are slowed, all by one factor, until the energy is what it was; where that is not enough bodies are moved apart by less. So the mechanism
// gives no more than went in at its ports, whatever the step. With forces over the step's length, what rests sinks in by some g h^2.
//
// What is pressed would sink in by F h^2/m, however light it is. The forces f of such contacts act along the smooth step (mechanism/pressed_contacts.h). Here h f is taken out again, at the place q1, so
// that p >= 0 is the whole of a contact, and friction has its limit by all of it. The impulse that acts is J^T (p - h f), and its work
//
//   (p - h f) . v+ - (p - h f) . W (p - h f)/2
//
// is not positive either: where f > 0 the gap is closed, and v+_n >= 0. What f took along the step, in a tick of which the energy is counted as a whole, may be given back to
// move bodies apart; what it gave, by rounding, is taken out with the rest.
//
// A joint that dry friction holds would creep so, a h^2/2 in every step. The force that held it in the step before is therefore carried along the smooth
// step (mechanism/held_joints.h); here it is taken out again, so that the impulse is the whole of the friction.
#include <algorithm>
#include <cmath>

#include <tactus/contact/stepping/stepping.h>

namespace tactus::contact {

simulate::Status TimeStepping::attempt_meeting(const simulate::Input& input) {
  arguments_[0] = start_ + static_cast<double>(steps_ + 1) * options_.step;
  std::copy(state_.u.begin(), state_.u.end(),
            std::copy(state_.q.begin(), state_.q.end(), arguments_.begin() + 1));
  std::fill(tau_, arguments_.data() + arguments_.size(), 0.0);
  add_mean_friction();
  std::copy_n(tau_, nv_, efforts_.begin());
  for (std::size_t a = 0; a < carried_.size(); ++a) tau_[axes_[a].rate] -= carried_[a];
  terms_.evaluate(arguments_.data());
  take_pushes_out();
  if (!factor() || !speeds_as_they_are()) return simulate::Status::not_finite;
  hold_bilateral(0.0);
  if (const simulate::Status status = answer_contacts(); !status.ok()) return status;
  take_out_energy(input);
  keep_books();
  remember();
  return {};
}

/// What contacts did along the smooth step, from the forces at the speeds.
void TimeStepping::take_pushes_out() {
  std::fill(pressed_tau_.begin(), pressed_tau_.end(), 0.0);
  for (const BodyPush& push : pressed_.pushes) {
    const int slot = kernel_.body_slot[static_cast<std::size_t>(push.body)];
    if (slot < 0) continue;
    const TermsKernel::Body& body = kernel_.bodies[static_cast<std::size_t>(slot)];
    if (body.block < 0) continue;
    const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(body.block)].speeds;
    const double* J = terms_.values().data() + body.J;
    for (std::size_t c = 0; c < 6; ++c)
      for (std::size_t i = 0; i < speeds.size(); ++i)
        pressed_tau_[static_cast<std::size_t>(speeds[i])] += J[c * speeds.size() + i] * push.wrench[c];
  }
  for (const StopPush& push : pressed_.stops) {
    const int row = contact_model_.row_of_stop[static_cast<std::size_t>(push.stop)];
    const auto [k, position] = kernel_.place_of_row[static_cast<std::size_t>(row)];
    const TermsKernel::Block& block = kernel_.blocks[static_cast<std::size_t>(k)];
    const double* A =
        terms_.values().data() + block.A + static_cast<std::size_t>(position) * block.speeds.size();
    for (std::size_t i = 0; i < block.speeds.size(); ++i)
      pressed_tau_[static_cast<std::size_t>(block.speeds[i])] += A[i] * push.force;
  }
  for (std::size_t i = 0; i < nv_; ++i) tau_[i] -= pressed_tau_[i];
}

/// [J] What h f does along the speeds before and after the impulses: it is in theirs, and did not act again.
double TimeStepping::work_of_pushes() const {
  if (pressed_.pushes.empty() && pressed_.stops.empty()) return 0.0;
  double work = 0.0;
  for (std::size_t i = 0; i < nv_; ++i)
    work += 0.5 * options_.step * pressed_tau_[i] * (state_.u[i] + end_[i]);
  return work;
}

/// u_free = u; with the mean of dry friction at joints where its two directions differ.
bool TimeStepping::speeds_as_they_are() {
  for (std::size_t k = 0; k < kernel_.blocks.size(); ++k) {
    const TermsKernel::Block& block = kernel_.blocks[k];
    double* x = u_free_.data() + solver_.offset(static_cast<int>(k));
    for (std::size_t i = 0; i < block.speeds.size(); ++i) x[i] = tau_[block.speeds[i]];
    metrics_[k].solve(x);
  }
  for (std::size_t i = 0; i < nv_; ++i) {
    free_[i] = u_free_[place_[i]] = state_.u[i] + options_.step * u_free_[place_[i]];
    corrected_[i] = 0.0;
    if (!std::isfinite(free_[i])) return false;
  }
  return true;
}

/// [J] What acts at the ports and joints did while bodies were moved apart.
double TimeStepping::work_of_shift(const simulate::Input& input) {
  double work = 0.0;
  for (std::size_t i = 0; i < input.tau.size(); ++i) work += options_.step * input.tau[i] * shift_[i];
  if (outside_ != nullptr && outside_->acts()) {
    arguments_end_[0] = arguments_[0];
    std::copy(q_end_.begin(), q_end_.end(), arguments_end_.begin() + 1);
    work += outside_->work(arguments_.data(), arguments_end_.data());
  }
  return work;
}

/// Slows what moves until the energy is what came in; where even standing still would not do, bodies are moved apart by less.
void TimeStepping::take_out_energy(const simulate::Input& input) {
  const double t = arguments_[0];
  const double before = energy(t, state_.q, state_.u), all = impulse_work_by_speeds(),
               by_speeds = all - work_of_pushes();
  double after = 0.0, work = 0.0, excess = 0.0, kinetic = 0.0;
  for (const double part : {1.0, -1.0, 0.0}) {
    if (part < 1.0) {
      // At first what there is energy for, by the slope; then none.
      const double needed = excess - kinetic, moving = after - before - work - by_speeds;
      const double less = part < 0.0 && moving > needed ? 0.9 * (1.0 - needed / moving) : 0.0;
      for (double& speed : shift_) speed *= less;
      correction_ *= less;
      displace();
    }
    after = energy(t, q_end_, u_next_);
    kinetic = std::max(0.0, energy_out_[0]);
    work = work_of_shift(input);
    excess = std::max(0.0, after - before + pressed_.work - work);
    if (excess <= kinetic) break;
  }
  const double taken = std::min(excess, kinetic);
  if (taken > 0.0) {
    const double slower = std::sqrt(std::max(0.0, 1.0 - taken / kinetic));
    for (double& speed : u_next_) speed *= slower;
  }
  books_.work += work;
  books_.scheme_error += after - taken - before - work - by_speeds - correction_;
  const double in_play = books_.largest + std::abs(books_.normal_work) + std::abs(books_.friction_work);
  const double left = impulse_work() - all;
  books_.imbalance += left;
  constexpr double kNothing = 1e-9;  // [J]
  books_.worst_imbalance = std::max(books_.worst_imbalance, std::abs(left) / std::max(in_play, kNothing));
}

}  // namespace tactus::contact
