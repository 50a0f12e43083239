#include <tactus/display/teleoperation.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::display {

namespace {

/// [1/s] of the observer where the device has no force sensor: what hands do lies below 15 Hz.
constexpr double kObserverBandwidth = 100.0;

void check(const control::FourChannelGains& gains, const device::Specification& s) {
  if (s.kind != device::Kind::impedance)
    throw InputError({}, fmt::format("device `{}` commands motion: it follows the port as it is", s.name),
                     "the four-channel controller is for impedance devices");
  const auto require = [](bool holds, const char* what, const char* remedy) {
    if (!holds) throw InputError({}, what, remedy);
  };
  require(gains.joint_stiffness >= 0.0 && gains.joint_damping >= 0.0 &&
              std::isfinite(gains.joint_stiffness + gains.joint_damping),
          "stiffness and damping along the resisted directions must not be negative", "200 1/s^2 and 50 1/s");
  require(gains.tolerance > 0.0 && std::isfinite(gains.tolerance), "the rank tolerance must be above 0",
          "1e-4");
  require(gains.force_scale > 0.0 && gains.motion_scale > 0.0 &&
              std::isfinite(gains.force_scale + gains.motion_scale),
          "scales of force and motion must be above 0", "1 is as it is");
  const control::PenaltyBorder border = control::penalty_border(1.0 / s.rate, gains.joint_damping);
  if (gains.penalties && !(gains.joint_damping < border.damping && gains.joint_stiffness < border.stiffness))
    throw InputError({},
                     fmt::format("penalties of {:g} 1/s^2 and {:g} 1/s are unstable at {:g} Hz",
                                 gains.joint_stiffness, gains.joint_damping, s.rate),
                     fmt::format("damping below {:g} 1/s, stiffness below 2 damping/period", border.damping));
}

}  // namespace

Teleoperation::Teleoperation(simulate::Mechanism& mechanism, const device::Specification& specification,
                             int port, const control::FourChannelGains& gains)
    : mechanism_(mechanism),
      port_(port),
      period_(mechanism.step_length()),
      senses_force_(specification.force_sensor),
      controller_{gains, specification.actuated},
      M_d_(control::inertia_of(specification)),
      B_d_(specification.damping),
      directions_(specification.actuated, mechanism.nv()),
      observer_{M_d_, B_d_, kObserverBandwidth, period_} {
  check(gains, specification);
}

void Teleoperation::engage(const device::Sample& sample) noexcept {
  memory_ = {};
  observed_ = {};
  impulse_ = {};
  controller_.engage(memory_, sample, mechanism_.motion(port_));
}

void Teleoperation::look(const device::Sample& sample, const Vector6& held, double share) noexcept {
  sample_ = sample;
  if (!senses_force_) sample_.F_H_W = observer_.observe(observed_, sample.V_WH, held);
  state_.motion = mechanism_.motion(port_);
  on_port_ = {};
  if (!memory_.coordination.engaged) return;

  const device::Sample seen = controller_.scaled(memory_, sample_);
  const Vector6 F_pc = controller_.coordination(memory_, seen, state_.motion);
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(controller_.axes, i)) on_port_[i] = share * (seen.F_H_W[i] - F_pc[i]);
  const simulate::PortWrench wrench{port_, on_port_};
  mechanism_.hold({.tau = {}, .ports = {&wrench, 1}, .wrench = {}});
  state_.acceleration = mechanism_.acceleration(port_);
  mechanism_.mobility(port_, state_.L);
  const control::FourChannelGains& gains = controller_.gains;
  if (!gains.turning) {
    const std::span<const double> Jd = mechanism_.jacobian_rate(port_);
    const std::vector<double>& u = mechanism_.state().u;
    state_.turning = {};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t k = 0; k < u.size(); ++k) state_.turning[i] += Jd[i * u.size() + k] * u[k];
  }
  if (gains.penalties) {
    if (gains.rank == control::Rank::mobility)
      directions_.by_mobility(state_.L, M_d_, gains.tolerance, gains.fade);
    else
      directions_.by_jacobian(mechanism_.jacobian(port_), M_d_, gains.tolerance, gains.fade);
  }
  demand_ = controller_.demand(memory_, seen, state_, F_pc, directions_.result(), M_d_);
}

Vector6 Teleoperation::on_handle(const std::array<double, 2>& room) noexcept {
  if (!memory_.coordination.engaged) return {};
  Vector6 u = control::motor_wrench(demand_, sample_, M_d_, B_d_);
  std::array<double, 2> left = room;
  for (std::size_t k = 0; k < 2; ++k)
    if (left[k] > 0.0) {
      const double used = std::hypot(u[3 * k], u[3 * k + 1], u[3 * k + 2]);
      // At least a tenth goes on to the impulse, so that it ends however hard the hand is pushed.
      left[k] = std::max(left[k] - used, 0.1 * left[k]);
    }
  const Vector6 F = control::give_impulse(impulse_, left, period_);
  for (std::size_t i = 0; i < 6; ++i) u[i] += F[i];
  return u;
}

void Teleoperation::stepped() noexcept {
  if (!memory_.coordination.engaged) return;
  bool struck = false;
  for (const simulate::Event& event : mechanism_.events())
    struck |= event.kind == simulate::EventKind::impact;
  if (!struck) return;
  // What the port's velocity gained beyond the acceleration that the handle is shown.
  const simulate::PortMotion& to = mechanism_.motion(port_);
  Vector6 jump{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(controller_.axes, i)) continue;
    const double scale = i < 3 ? 1.0 : controller_.gains.motion_scale;
    jump[i] = scale * (to.V_WP[i] - state_.motion.V_WP[i] - period_ * state_.acceleration[i]);
  }
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) impulse_.left[i] += M_d_[6 * i + j] * jump[j];
}

}  // namespace tactus::display
