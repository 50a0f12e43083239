#include <tactus/display/teleoperation.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/control/kept_inertia.h>
#include <tactus/control/mean_wrench.h>

namespace tactus::display {

namespace {

/// Of dry friction that is masked; [rad/s], [m/s] below these speeds less of it.
constexpr double kMasked = 0.9;
constexpr std::array<double, 2> kSlow{0.02, 2e-3};

/// [1/s], [s] While the motors come on the hand moves the handle by itself. So long, and somewhat longer, the place in which they hold it is where it then is, and a damper brings it to the port's speed: an error
/// that is left is taken out in the hand, by work that the mechanism does not get.
constexpr double kSettling = 50.0, kSettles = 5.0 / kSettling;

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
              std::isfinite(gains.joint_stiffness + gains.joint_damping) && gains.damping_growth >= 1.0 &&
              std::isfinite(gains.damping_growth) && gains.growth_length > 0.0,
          "stiffness and damping along the resisted directions must not be negative", "200 1/s^2 and 50 1/s");
  const auto is_given = [](double x) { return x >= 0.0 && std::isfinite(x); };
  require(is_given(gains.damping[0]) && is_given(gains.damping[1]) && is_given(gains.stiffness[0]) &&
              is_given(gains.stiffness[1]),
          "stiffness and damping of the handle's own must not be negative", "0 is none");
  require(gains.tolerance > 0.0 && std::isfinite(gains.tolerance), "the rank tolerance must be above 0",
          "1e-4");
  require(!gains.by_coordination || !s.force_sensor,
          "the hand's wrench is sensed: nothing of it is left to the coordination",
          "leave FourChannelGains::by_coordination off");
  require(gains.force_scale > 0.0 && gains.motion_scale > 0.0 &&
              std::isfinite(gains.force_scale + gains.motion_scale),
          "scales of force and motion must be above 0", "1 is as it is");
  require(gains.kept[0] >= 0.0 && gains.kept[0] <= 1.0 && gains.kept[1] >= 0.0 && gains.kept[1] <= 1.0,
          "the share of the handle's inertia that is felt must be from 0 to 1", "0 masks all of it");
  const control::PenaltyBorder border = control::penalty_border(1.0 / s.rate, gains.joint_damping);
  if (gains.penalties && !(gains.damping_growth * gains.joint_damping < border.damping &&
                           gains.joint_stiffness < border.stiffness))
    throw InputError({},
                     fmt::format("penalties of {:g} 1/s^2 and {:g} 1/s are unstable at {:g} Hz",
                                 gains.joint_stiffness, gains.damping_growth * gains.joint_damping, s.rate),
                     fmt::format("damping below {:g} 1/s, stiffness below 2 damping/period", border.damping));
}

}  // namespace

Teleoperation::Teleoperation(const device::Specification& specification,
                             const control::FourChannelGains& gains)
    : period_(1.0 / specification.rate),
      senses_force_(specification.force_sensor),
      estimated_(specification.velocity_bandwidth > 0.0),
      controller_{gains, specification.actuated},
      metric_(control::inertia_of(specification)),
      M_d_(metric_),
      B_d_(specification.damping),
      friction_(specification.friction),
      observer_{.M_d = M_d_,
                .B_d = B_d_,
                .bandwidth = kObserverBandwidth,
                .period = period_,
                .differences = true,
                .velocity_pole = specification.velocity_bandwidth > 0.0
                                     ? std::exp(-specification.velocity_bandwidth / specification.rate)
                                     : 0.0},
      port_sensing_({}, specification.rate, specification.velocity_bandwidth),
      fresh_sensing_(port_sensing_) {
  check(gains, specification);
}

ResistanceRule Teleoperation::rule() const noexcept {
  const control::FourChannelGains& gains = controller_.gains;
  return {gains.penalties || gains.by_coordination || senses_force_,
          !gains.turning,
          gains.rank,
          metric_,
          gains.tolerance,
          gains.fade,
          controller_.axes};
}

void Teleoperation::engage(const device::Sample& sample, const simulate::PortMotion& port) noexcept {
  memory_ = {};
  observed_ = {};
  impulse_ = {};
  masked_ = {};
  state_ = {};
  W_ = lag_ = beyond_ = {};
  giving_ = false;
  resisted_ = {};
  F_H_before_ = sample.F_H_W;
  settling_ = 0.0;
  on_port_ = {};
  port_sensing_ = fresh_sensing_;
  controller_.engage(memory_, sample, port);
}

void Teleoperation::look(PortView& port, const device::Sample& sample, const device::HandleDynamics* own,
                         const Vector6& held, double share, double surplus,
                         const std::array<double, 2>& room) noexcept {
  sample_ = sample;
  Vector6 u = held;  // what the motors did to the handle besides carrying it and its friction
  const Vector6 own_part = carried();
  for (std::size_t i = 0; i < 6; ++i) u[i] -= own_part[i];
  if (own != nullptr) {
    M_d_ = observer_.M_d = own->M;
    bias_ = own->bias;  // its friction is in it
    B_d_ = observer_.B_d = friction_ = {};
  }
  if (by_coordination())
    sample_.F_H_W = {};
  else if (!senses_force_)
    sample_.F_H_W = observer_.observe(observed_, sample.V_WH, u);
  const Vector6 under = std::exchange(on_port_, {});
  if (!memory_.coordination.engaged) return;

  // The port as the device would see it, and what it met where nobody saw it.
  const simulate::PortMotion& true_motion = port.motion();
  strike(port.brought());
  V_before_ = true_motion.V_WP;
  const Vector6 W_then = std::exchange(W_, expected(true_motion.V_WP));
  if (giving_) {
    const math::Vec3<double> way = true_motion.X_WP.p - X_before_.p,
                             turn = math::rotation_vector(true_motion.X_WP.R * X_before_.R.transposed());
    for (std::size_t i = 0; i < 6; ++i)
      beyond_[i] += 0.5 * period_ * (W_then[i] + W_[i]) - (i < 3 ? turn[i] : way[i - 3]);
  }
  X_before_ = true_motion.X_WP;
  device::Handle handle;
  handle.p = true_motion.X_WP.p;
  handle.orientation = math::quaternion_of(true_motion.X_WP.R);
  if (beyond_ != Vector6{}) handle.move(beyond_);
  device::Sample port_sample;
  port_sensing_.read(handle, port_sample);

  acting_ = sample_;
  if (senses_force_) {
    acting_.F_H_W = control::mean_wrench(controller_.gains, sample_.F_H_W, F_H_before_, resisted_, metric_);
    F_H_before_ = sample_.F_H_W;
  }
  settling_ = share > 0.0 && share < 1.0 ? kSettles : std::max(0.0, settling_ - period_);
  if (senses_force_ && settling_ > 0.0) controller_.engage(memory_, sample_, true_motion);
  // The handle's own spring begins where it is when the forces are there.
  if (share > 0.0 && share < 1.0) controller_.relax(memory_, sample_);
  device::Sample felt = acting_;
  const Vector6 F_d = controller_.own_wrench(memory_, sample_);
  for (std::size_t i = 0; i < 6; ++i) felt.F_H_W[i] -= F_d[i];
  scaled_ = controller_.scaled(memory_, felt);
  const simulate::PortMotion seen{true_motion.X_WP, port.continuous() ? port_sample.V_WH : W_};
  for (std::size_t i = 0; i < 6; ++i) lag_[i] = W_[i] - seen.V_WP[i];
  F_pc_ = by_coordination() ? coordinate(seen, share, -surplus, room)
                            : controller_.coordination(memory_, scaled_, seen);
  if (by_coordination()) share = 1.0;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(controller_.axes, i)) on_port_[i] = share * (scaled_.F_H_W[i] - F_pc_[i]);
  if (by_coordination()) {
    // What the handle's damping takes of the hand's wrench where it moves otherwise than the port.
    for (std::size_t i = 0; i < 6; ++i)
      if (device::has_axis(controller_.axes, i))
        on_port_[i] += B_d_[i / 3] * per_port(i) * (scaled_.V_WH[i] - seen.V_WP[i]);
  }
  if (control::keeps(controller_.gains))
    on_port_ = control::through_kept_inertia(kept(), state_.L, state_.acceleration, under, on_port_);
  const Vector6 brake =
      control::port_brake(std::max(0.0, surplus), true_motion.V_WP, metric_, state_.L, period_);
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(controller_.axes, i)) on_port_[i] += brake[i];
  port.look(on_port_, state_, resisted_);
  state_.motion = seen;
}

Vector6 Teleoperation::expected(const Vector6& V_P) const noexcept {
  if (impulse_.left == Vector6{}) return V_P;
  using Matrix = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
  Vector6 due = impulse_.left;
  Eigen::Map<Eigen::Matrix<double, 6, 1>> solved(due.data());
  Eigen::LLT<Matrix>(Eigen::Map<const Matrix>(M_d_.data())).solveInPlace(solved);
  Vector6 W = V_P;
  for (std::size_t i = 0; i < 6; ++i) W[i] -= due[i] / (i < 3 ? 1.0 : controller_.gains.motion_scale);
  return W;
}

/// Wrench over motion as the port sees it, by that at the handle.
double Teleoperation::per_port(std::size_t i) const noexcept {
  const control::FourChannelGains& gains = controller_.gains;
  return i < 3 ? 1.0 / (gains.force_scale * gains.motion_scale) : gains.motion_scale / gains.force_scale;
}

/// F_pc of a spring that is a coupler's: while forces come on it slips where it would hold more than may be given yet, and creeps back as far as that is paid for; and no motor gives more than it can.
Vector6 Teleoperation::coordinate(const simulate::PortMotion& seen, double share, double paid,
                                  const std::array<double, 2>& room) noexcept {
  const control::FourChannelGains& gains = controller_.gains;
  const control::Coupler spring{gains.coordination, controller_.axes};
  std::array<double, 2> most{};  // as the port sees it
  for (std::size_t k = 0; k < 2; ++k)
    most[k] = (room[k] > 0.0 ? room[k] : control::Coupler::kUnlimited[k]) /
              (gains.force_scale * (k == 0 ? gains.motion_scale : 1.0));
  spring.come_on(memory_.coordination, scaled_, seen, share, most, period_, paid);
  Vector6 F = controller_.coordination(memory_, scaled_, seen);
  for (std::size_t k = 0; k < 2; ++k) {
    const double size = std::hypot(F[3 * k], F[3 * k + 1], F[3 * k + 2]);
    if (!(room[k] > 0.0) || !(size > most[k])) continue;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) F[i] *= most[k] / size;
  }
  return F;
}

control::Matrix6 Teleoperation::kept() const noexcept {
  return control::kept_inertia(controller_.gains, M_d_, controller_.axes);
}

Vector6 Teleoperation::carried() const noexcept {
  Vector6 F = bias_;
  for (std::size_t i = 0; i < 6; ++i) F[i] += masked_[i];
  return F;
}

double Teleoperation::burnt(const Vector6& V) const noexcept {
  double power = 0.0;
  for (std::size_t i = 0; i < 6; ++i) power += B_d_[i / 3] * V[i] * V[i];
  return power;
}

double Teleoperation::apart(const device::Sample& sample, const simulate::PortMotion& port) const noexcept {
  if (!memory_.coordination.engaged) return 0.0;
  const math::Vec3<double> e =
      port.X_WP.p - (controller_.scaled(memory_, sample).X_WH.p + memory_.coordination.d);
  return controller_.gains.motion_scale * std::sqrt(dot(e, e));
}

/// A velocity that the port got all at once goes to the handle as an impulse.
void Teleoperation::strike(const Vector6& jump) noexcept {
  for (std::size_t j = 0; j < 6; ++j) {
    if (!device::has_axis(controller_.axes, j)) continue;
    const double scaled = (j < 3 ? 1.0 : controller_.gains.motion_scale) * jump[j];
    for (std::size_t i = 0; i < 6; ++i) impulse_.left[i] += M_d_[6 * i + j] * scaled;
  }
}

void Teleoperation::stepped(PortView& port) noexcept {
  if (!memory_.coordination.engaged) return;
  // What impacts gave beyond the acceleration goes out as an impulse; otherwise the acceleration is the mean of the step.
  Vector6 jump = port.jump(state_.acceleration);
  const bool as_it_was = jump != Vector6{} || !port.continuous();
  const Vector6& V = port.motion().V_WP;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!as_it_was) state_.acceleration[i] = (V[i] - V_before_[i]) / period_;
  }
  strike(jump);
  if (control::keeps(controller_.gains)) {
    control::PortState with_kept = state_;
    with_kept.L = control::mobility_with(kept(), state_.L);
    demand_ = controller_.demand(memory_, scaled_, with_kept, F_pc_, resisted_, metric_);
  } else {
    demand_ = controller_.demand(memory_, scaled_, state_, F_pc_, resisted_, metric_);
  }
  if (!senses_force_ || !(settling_ > 0.0)) return;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(controller_.axes, i))
      demand_.acceleration[i] += kSettling * (i < 3 ? 1.0 : controller_.gains.motion_scale) *
                                 (state_.motion.V_WP[i] - scaled_.V_WH[i]);
}

Vector6 Teleoperation::on_handle(const std::array<double, 2>& room) noexcept {
  if (!memory_.coordination.engaged) return {};
  // The handle's damping is masked by the port's motion where the coordination needs it.
  device::Sample moved = acting_;
  if (by_coordination())
    for (std::size_t i = 0; i < 6; ++i)
      moved.V_WH[i] = device::has_axis(controller_.axes, i)
                          ? (i < 3 ? 1.0 : controller_.gains.motion_scale) * V_before_[i]
                          : 0.0;
  Vector6 u = control::motor_wrench(demand_, moved, M_d_, B_d_);
  for (std::size_t i = 0; i < 6; ++i) {
    u[i] += bias_[i];
    if (!device::has_axis(controller_.axes, i)) continue;
    const double scale = i < 3 ? 1.0 : controller_.gains.motion_scale;
    // The port's motion is known as it is and as the device would see it: their difference is the estimate's lag.
    if (estimated_ && !by_coordination()) u[i] += B_d_[i / 3] * scale * lag_[i];
    masked_[i] = kMasked * friction_[i / 3] * std::tanh(scale * V_before_[i] / kSlow[i / 3]);
    u[i] += masked_[i];
  }
  std::array<double, 2> left = room;
  for (std::size_t k = 0; k < 2; ++k)
    if (left[k] > 0.0) {
      const double used = std::hypot(u[3 * k], u[3 * k + 1], u[3 * k + 2]);
      // At least a tenth goes on to the impulse, so that it ends however hard the hand is pushed.
      left[k] = std::max(left[k] - used, 0.1 * left[k]);
    }
  giving_ = impulse_.left != Vector6{};
  const Vector6 F = control::give_impulse(impulse_, left, period_);
  for (std::size_t i = 0; i < 6; ++i) u[i] += F[i];
  return u;
}

}  // namespace tactus::display
