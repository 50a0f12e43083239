#include <tactus/display/kept_port.h>

#include <algorithm>
#include <utility>

#include <Eigen/Eigenvalues>

#include <tactus/control/kept_inertia.h>

namespace tactus::display {

namespace {

/// [s] in which all of it would come: a mass that comes at once is a blow.
constexpr double kGrowth = 0.02;

}  // namespace

KeptPort::KeptPort(std::unique_ptr<PortView> port, const KeptInertia& options, double period)
    : port_(std::move(port)), options_(options), period_(period), bolted_(options.begins) {}

control::Matrix6 KeptPort::inertia() const noexcept {
  control::Matrix6 M{};
  for (std::size_t i = 0; i < 6; ++i) M[7 * i] = along(i);
  return M;
}

void KeptPort::look(const Vector6& on_port, control::PortState& state, control::Resisted& resisted) noexcept {
  port_->look({}, state, resisted);
  const control::Matrix6 M = inertia();
  const Vector6 F_p = control::through_kept_inertia(M, state.L, state.acceleration, {}, on_port);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) state.acceleration[i] += state.L[6 * i + j] * F_p[j];
  state.L = control::mobility_with(M, state.L);
}

void KeptPort::mobility(control::Matrix6& L) noexcept {
  port_->mobility(L);
  L = control::mobility_with(inertia(), L);
}

/// What was bolted on at rest has the port's speed from now on.
void KeptPort::grow(const control::Matrix6& L, const Vector6& V) noexcept {
  if (!options_.grows) return;
  const std::array<double, 2> wanted = control::missing_inertia(options_.least, L, options_.axes);
  for (std::size_t k = 0; k < 2; ++k) {
    const double more = std::min(wanted[k] - bolted_[k], options_.least[k] * period_ / kGrowth);
    if (!(more > 0.0)) continue;
    bolted_[k] += more;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (device::has_axis(options_.axes, i)) unpaid_[i] += more * V[i];
  }
}

simulate::Tick KeptPort::step(const Vector6& on_port) noexcept {
  port_->look({}, state_, resisted_);
  if (!control::finite(state_)) return {.status = simulate::Status::not_finite};
  const Vector6 V = state_.motion.V_WP;
  grow(state_.L, V);
  Vector6 F = on_port;
  for (std::size_t i = 0; i < 6; ++i) F[i] -= unpaid_[i] / period_;
  passed_on_ = control::through_kept_inertia(inertia(), state_.L, state_.acceleration, {}, F);
  const simulate::Tick tick = port_->step(passed_on_);
  const Vector6& after = port_->motion().V_WP;
  for (std::size_t i = 0; i < 6; ++i)
    unpaid_[i] += along(i) * (after[i] - V[i]) - period_ * (on_port[i] - passed_on_[i]);
  if (tick.events == 0) return tick;
  // It strikes together with the port: what is slower than before has given momentum to a wall, and no energy is made by that.
  const auto size = [](const Vector6& v, std::size_t k) {
    return v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2];
  };
  for (std::size_t k = 0; k < 2; ++k)
    if (size(after, k) <= size(V, k))
      for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) unpaid_[i] = 0.0;
  return tick;
}

double KeptPort::energy() noexcept {
  double kinetic = 0.0;
  const Vector6& V = port_->motion().V_WP;
  for (std::size_t i = 0; i < 6; ++i) kinetic += 0.5 * along(i) * V[i] * V[i];
  return port_->energy() + kinetic;
}

}  // namespace tactus::display
