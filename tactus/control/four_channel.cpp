#include <tactus/control/four_channel.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/rotation_vector.h>

namespace tactus::control {

namespace {

Vector6 times(const Matrix6& A, const Vector6& x) noexcept {
  Vector6 y{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) y[i] += A[6 * i + j] * x[j];
  return y;
}

double dot(const Vector6& a, const Vector6& b) noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

// 0 x is 0 of every number, and of nothing else.
bool finite(const PortState& state) noexcept {
  double zero = 0.0;
  for (const double x : state.L) zero += 0.0 * x;
  for (const Vector6* v : {&state.acceleration, &state.turning, &state.motion.V_WP})
    for (const double x : *v) zero += 0.0 * x;
  return zero == 0.0 && device::finite(state.motion.X_WP);
}

void FourChannel::engage(FourChannelMemory& memory, const device::Sample& sample,
                         const simulate::PortMotion& port) const noexcept {
  memory.p_start = sample.X_WH.p;
  relax(memory, sample);
  Coupler{gains.coordination, axes}.engage(memory.coordination, sample, port);
}

Vector6 FourChannel::own_wrench(const FourChannelMemory& memory,
                                const device::Sample& sample) const noexcept {
  Vector6 F{};
  if (gains.damping == std::array<double, 2>{} && gains.stiffness == std::array<double, 2>{}) return F;
  const math::Vec3<double> way = sample.X_WH.p - memory.X_relaxed.p,
                           turned = math::rotation_vector(sample.X_WH.R * memory.X_relaxed.R.transposed());
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i))
      F[i] =
          gains.damping[i / 3] * sample.V_WH[i] + gains.stiffness[i / 3] * (i < 3 ? turned[i] : way[i - 3]);
  return F;
}

device::Sample FourChannel::scaled(const FourChannelMemory& memory,
                                   const device::Sample& sample) const noexcept {
  device::Sample seen = sample;
  if (gains.motion_scale == 1.0 && gains.force_scale == 1.0) return seen;
  const double length = 1.0 / gains.motion_scale, force = 1.0 / gains.force_scale;
  seen.X_WH.p = memory.p_start + length * (sample.X_WH.p - memory.p_start);
  for (std::size_t i = 0; i < 3; ++i) {
    seen.V_WH[3 + i] *= length;
    seen.F_H_W[3 + i] *= force;
    seen.F_H_W[i] *= force * length;
  }
  return seen;
}

Vector6 FourChannel::coordination(FourChannelMemory& memory, const device::Sample& scaled,
                                  const simulate::PortMotion& port) const noexcept {
  Vector6 F = Coupler{gains.coordination, axes}.wrench(memory.coordination, scaled, port);
  for (double& f : F) f = -f;
  return F;
}

HandleDemand FourChannel::demand(const FourChannelMemory& memory, const device::Sample& scaled,
                                 const PortState& port, const Vector6& F_pc, const Resisted& resisted,
                                 const Matrix6& M_d) const noexcept {
  const math::Pose<double>& X = port.motion.X_WP;
  const math::Vec3<double> e = X.p - (scaled.X_WH.p + memory.coordination.d);
  const math::Vec3<double> theta =
      math::rotation_vector(X.R * (scaled.X_WH.R * memory.coordination.R_HP).transposed());
  Vector6 apart{}, apart_rate{}, twice{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    apart[i] = i < 3 ? theta[i] : e[i - 3];
    apart_rate[i] = port.motion.V_WP[i] - scaled.V_WH[i];
    twice[i] = gains.by_coordination ? 0.0 : 2.0 * F_pc[i];
  }
  const Vector6 pushed = times(port.L, twice);

  HandleDemand demand;
  if (gains.penalties) {
    const Vector6 Me = times(M_d, apart), Med = times(M_d, apart_rate);
    for (std::size_t k = 0; k < 6; ++k) {
      if (!(resisted.weight[k] > 0.0)) continue;
      const Vector6& n = resisted.n[k];
      // n^T M_d e in metres: of a unit way along n the metric makes 1/|n|.
      const double along = dot(n, Me), violation = std::abs(along) * std::sqrt(dot(n, n));
      const double size =
          resisted.weight[k] * (gains.joint_stiffness * along + damping_at(gains, violation) * dot(n, Med));
      for (std::size_t i = 0; i < 6; ++i) demand.penalty[i] += size * n[i];
    }
  }
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    const double scale = i < 3 ? 1.0 : gains.motion_scale;
    demand.penalty[i] *= scale;
    if (gains.by_coordination)
      demand.wrench[i] = gains.force_scale * (i < 3 ? gains.motion_scale : 1.0) * F_pc[i];
    demand.acceleration[i] =
        scale * (port.acceleration[i] - (gains.turning ? 0.0 : port.turning[i]) + pushed[i]) +
        demand.penalty[i];
  }
  return demand;
}

Vector6 motor_wrench(const HandleDemand& demand, const device::Sample& sample, const Matrix6& M_d,
                     const std::array<double, 2>& B_d) noexcept {
  Vector6 u = times(M_d, demand.acceleration);
  for (std::size_t i = 0; i < 6; ++i)
    u[i] += B_d[i / 3] * sample.V_WH[i] - sample.F_H_W[i] + demand.wrench[i];
  return u;
}

Matrix6 inertia_of(const device::Specification& specification) noexcept {
  Matrix6 M{};
  for (std::size_t i = 0; i < 6; ++i) {
    const double m = specification.inertia[i / 3];
    M[7 * i] = m > 0.0 ? m : 1.0;
  }
  return M;
}

double damping_at(const FourChannelGains& gains, double violation) noexcept {
  if (gains.damping_growth == 1.0) return gains.joint_damping;
  const double part = std::min(1.0, violation / gains.growth_length);
  return gains.joint_damping * (1.0 + (gains.damping_growth - 1.0) * part);
}

PenaltyBorder penalty_border(double period, double joint_damping) noexcept {
  return {2.0 / period, 2.0 * joint_damping / period};
}

}  // namespace tactus::control
