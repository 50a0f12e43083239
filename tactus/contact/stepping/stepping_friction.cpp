// Dry friction at joints (simulate/motion/dry_friction.h) in time-stepping: impulses p of a step with
//
//   r+ > 0:  p = -h F+        r+ < 0:  p = h F-        r+ = 0:  p in between
//
// for the rate r+ at its end, solved together with the contacts. With m = h (F- - F+)/2 and f = h (F- + F+)/2 that is p = m + p_t,
// |p_t| <= f against r+: Coulomb's law of a contact in a plane whose normal impulse is f, whatever happens. The solver has
// such contacts: a normal row that moves nothing and a compliance c, w_n = b_n + c p_n with b_n = -c f. m acts as a force
// (evaluate_loads). A joint that stands where the step begins holds with the friction of sticking, h S for h F; the step in which it
// breaks away still has that. Where its two directions differ, the lesser one holds both ways.
#include <algorithm>
#include <cmath>

#include <tactus/contact/stepping/stepping.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::contact {

void TimeStepping::prepare_joint_friction() {
  const simulate::DryFriction* friction = contact_model_.dynamics.dry_friction.get();
  if (friction == nullptr) return;
  axes_ = friction->axes;
  axis_numbers_.resize(friction->numbers_size());
  axis_rows_.assign(friction->axes.size() * nv_, 0.0);
  axis_rates_.assign(friction->axes.size(), 0.0);
  axis_blocks_.assign(friction->axes.size(), -1);
  axis_answers_.resize(friction->axes.size());
  if (friction->rates) {
    axis_out_.resize(friction->rates->output_size());
    axis_work_.resize(friction->rates->work_size());
    return;
  }
  for (std::size_t a = 0; a < friction->axes.size(); ++a)
    axis_rows_[a * nv_ + static_cast<std::size_t>(friction->axes[a].rate)] = 1.0;
}

/// The mean of what friction may be, where its two directions differ: a force like others.
void TimeStepping::add_mean_friction() {
  const simulate::DryFriction* friction = contact_model_.dynamics.dry_friction.get();
  if (friction == nullptr) return;
  friction->update(axes_, axis_numbers_);
  for (const simulate::DryAxis& axis : axes_) tau_[axis.rate] += 0.5 * (axis.slide_back - axis.slide_forward);
}

/// Rows and rates of the axes at the state.
void TimeStepping::place_axes() {
  const simulate::DryFriction& friction = *contact_model_.dynamics.dry_friction;
  if (friction.rates) {
    (*friction.rates)(arguments_.data(), axis_out_.data(), axis_work_.data());
    const double* W = axis_out_.data() + friction.rates->output("W")->offset;
    for (std::size_t a = 0; a < friction.axes.size(); ++a) {
      const auto rate = static_cast<std::size_t>(friction.axes[a].rate);
      std::copy_n(W + rate * nv_, nv_, &axis_rows_[a * nv_]);
      axis_rates_[a] = axis_out_[rate];
    }
  } else {
    for (std::size_t a = 0; a < friction.axes.size(); ++a)
      axis_rates_[a] = state_.u[static_cast<std::size_t>(friction.axes[a].rate)];
  }
  for (std::size_t a = 0; a < friction.axes.size(); ++a)
    for (std::size_t k = 0; k < kernel_.blocks.size() && axis_blocks_[a] < 0; ++k)
      for (const int speed : kernel_.blocks[k].speeds)
        if (axis_rows_[a * nv_ + static_cast<std::size_t>(speed)] != 0.0)
          axis_blocks_[a] = static_cast<int>(k);
}

namespace {

/// What the solver leaves of a rate that friction took to zero, by what the impulse gives: a hundred times its tolerance.
constexpr double kStands = 1e-4;
/// An impulse this near to its limit is at it.
constexpr double kAtLimit = 1e-6;

}  // namespace

bool TimeStepping::AxisAnswer::stands(double rate) const {
  return std::abs(rate) <= kStands * limit * mobility;
}

bool TimeStepping::AxisAnswer::sticks() const {
  return stands(left) && std::abs(impulse) < (1.0 - kAtLimit) * limit;
}

std::span<const double> TimeStepping::axis_rates() noexcept {
  if (axes_.empty()) return {};
  arguments_[0] = state_.t;
  std::copy(state_.u.begin(), state_.u.end(),
            std::copy(state_.q.begin(), state_.q.end(), arguments_.begin() + 1));
  place_axes();
  return axis_rates_;
}

std::span<const TimeStepping::AxisAnswer> TimeStepping::axis_answers() noexcept {
  std::fill(axis_answers_.begin(), axis_answers_.end(), AxisAnswer{});
  for (std::size_t i = 0; i < solver_.contacts().size(); ++i) {
    if (near_[i].axis < 0) continue;
    const SweepSolver::Contact& contact = solver_.contacts()[i];
    axis_answers_[static_cast<std::size_t>(near_[i].axis)] = {
        .arrived = near_[i].before[1],
        .left = end_velocity(near_[i], contact, 1),
        .impulse = contact.p[1],
        .limit = near_[i].limit,
        .mobility = contact.local.W[4],
        .mean = 0.5 * (axes_[static_cast<std::size_t>(near_[i].axis)].slide_back -
                       axes_[static_cast<std::size_t>(near_[i].axis)].slide_forward)};
  }
  return axis_answers_;
}

/// The largest |p_t| of the axis in this step. `mobility`: the rate that a unit of impulse gives it.
double TimeStepping::friction_limit(std::size_t a, double mobility) const {
  const simulate::DryAxis& axis = axes_[a];
  const double slide = 0.5 * (axis.slide_forward + axis.slide_back),
               mean = 0.5 * (axis.slide_back - axis.slide_forward);
  const double stick = std::max(slide, std::min(axis.stick_forward + mean, axis.stick_back - mean));
  const bool stands = std::abs(axis_rates_[a]) <= kStands * options_.step * stick * mobility;
  return options_.step * (stands ? stick : slide);
}

bool TimeStepping::add_joint_friction() {
  const simulate::DryFriction* friction = contact_model_.dynamics.dry_friction.get();
  if (friction == nullptr) return true;
  place_axes();
  for (std::size_t a = 0; a < friction->axes.size(); ++a) {
    const int block = axis_blocks_[a];
    if (block < 0) continue;
    SweepSolver::Contact* contact = solver_.add();
    if (contact == nullptr) return false;
    Near& near = near_[solver_.contacts().size() - 1];
    near = {};
    near.axis = static_cast<int>(a);
    const std::vector<int>& speeds = kernel_.blocks[static_cast<std::size_t>(block)].speeds;
    const std::size_t stride = solver_.stride(block);
    contact->size = 2;
    contact->mu = 1.0;
    contact->block[0] = block;
    std::fill_n(contact->G[0], 2 * stride, 0.0);
    double* row = contact->G[0] + stride;
    near.before[1] = near.free[1] = axis_rates_[a];
    for (std::size_t i = 0; i < speeds.size(); ++i) {
      const auto speed = static_cast<std::size_t>(speeds[i]);
      row[i] = axis_rows_[a * nv_ + speed];
      near.free[1] += row[i] * (u_free_[place_[speed]] - state_.u[speed]);
    }
    metrics_[static_cast<std::size_t>(block)].whiten(row);
    solver_.prepare(*contact);
    const double mobility = contact->local.W[4];
    near.limit = friction_limit(a, mobility);
    contact->compliance =
        mobility > 0.0 ? mobility : 1.0;  // a joint that cannot move at all needs no friction
    contact->local.W[0] += contact->compliance;
    set_bias(*contact, near);
    contact->p[0] = near.limit;
    if (mobility > 0.0) contact->p[1] = std::clamp(-near.free[1] / mobility, -near.limit, near.limit);
    solver_.update(*contact);
  }
  return true;
}

}  // namespace tactus::contact
