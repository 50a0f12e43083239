#include <tactus/control/coupler.h>

#include <cmath>

#include <tactus/math/rotation_vector.h>

namespace tactus::control {

void Coupler::engage(CouplerMemory& memory, const device::Sample& sample,
                     const simulate::PortMotion& port) const noexcept {
  memory = {};
  memory.engaged = true;
  memory.d = memory.d_engaged = port.X_WP.p - sample.X_WH.p;
  memory.R_HP = memory.R_engaged = sample.X_WH.R.transposed() * port.X_WP.R;
  memory.R_H = sample.X_WH.R;
  memory.R_P = port.X_WP.R;
}

bool Coupler::turns_about_some() const noexcept {
  constexpr int kTurns = device::kAllAxes & ~device::kTranslation;
  return (axes & kTurns) != 0 && (axes & kTurns) != kTurns;
}

/// [theta; e], or [psi; e] with the turns since they were last counted.
Vector6 Coupler::away(const CouplerMemory& memory, const device::Sample& sample,
                      const simulate::PortMotion& port) const noexcept {
  const math::Vec3<double> e = sample.X_WH.p + memory.d - port.X_WP.p;
  const math::Vec3<double> theta =
      turns_about_some() ? memory.psi + math::rotation_vector(sample.X_WH.R * memory.R_H.transposed()) -
                               math::rotation_vector(port.X_WP.R * memory.R_P.transposed())
                         : math::rotation_vector(sample.X_WH.R * memory.R_HP * port.X_WP.R.transposed());
  return {theta.x, theta.y, theta.z, e.x, e.y, e.z};
}

Vector6 Coupler::wrench(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                        double share) const noexcept {
  Vector6 F{};
  memory.stored = 0.0;
  if (!memory.engaged) return F;
  const Vector6 x = away(memory, sample, port);
  memory.psi = {x[0], x[1], x[2]};
  memory.R_H = sample.X_WH.R;
  memory.R_P = port.X_WP.R;
  const double s = memory.softness;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    const double K = s * s * gains.stiffness[i / 3], B = share * s * gains.damping[i / 3];
    F[i] = K * x[i] + B * (sample.V_WH[i] - port.V_WP[i]);
    memory.stored += 0.5 * K * x[i] * x[i];
  }
  return F;
}

double Coupler::energy(const CouplerMemory& memory, const device::Sample& sample,
                       const simulate::PortMotion& port) const noexcept {
  const Vector6 x = away(memory, sample, port);
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) sum += 0.5 * gains.stiffness[i / 3] * x[i] * x[i];
  return sum;
}

/// Puts it where handle and port are so much apart, along the axes that are coupled.
void Coupler::place(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                    const Vector6& x) const noexcept {
  memory.slipped = true;
  const Vector6 was = away(memory, sample, port);
  bool turned = false;
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    if (i < 3)
      turned |= x[i] != was[i];
    else
      memory.d[i - 3] += x[i] - was[i];
  }
  if (turned && turns_about_some()) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!device::has_axis(axes, i)) continue;
      memory.psi[i] += x[i] - was[i];
      memory.psi_slipped[i] += x[i] - was[i];
    }
  } else if (turned)
    memory.R_HP =
        sample.X_WH.R.transposed() * math::rotation_of(math::exponential({x[0], x[1], x[2]})) * port.X_WP.R;
}

void Coupler::slip(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                   const std::array<double, 2>& most) const noexcept {
  if (!memory.engaged) return;
  Vector6 x = away(memory, sample, port);
  bool slips = false;
  for (std::size_t k = 0; k < 2; ++k) {
    double squared = 0.0;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (device::has_axis(axes, i)) squared += x[i] * x[i];
    const double force = memory.softness * memory.softness * gains.stiffness[k] * std::sqrt(squared);
    if (!(force > most[k])) continue;
    slips = true;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (device::has_axis(axes, i)) x[i] *= most[k] / force;
  }
  if (slips) place(memory, sample, port, x);
}

// x - a c with c = taken/K, and 0 <= a <= 1 where |x - a c| is least: what is held then is no more.
void Coupler::yield(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                    const Vector6& taken) const noexcept {
  if (!memory.engaged) return;
  Vector6 x = away(memory, sample, port);
  bool yields = false;
  for (std::size_t k = 0; k < 2; ++k) {
    const double K = memory.softness * memory.softness * gains.stiffness[k];
    double across = 0.0, squared = 0.0;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i) {
      if (!device::has_axis(axes, i)) continue;
      across += K * x[i] * taken[i];
      squared += taken[i] * taken[i];
    }
    if (!(K > 0.0) || !(squared > 0.0) || !(across > 0.0)) continue;
    const double a = std::fmin(1.0, across / squared);
    yields = true;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (device::has_axis(axes, i)) x[i] -= a * taken[i] / K;
  }
  if (yields) place(memory, sample, port, x);
}

// E is a parabola along the way back, d -> d + part (d_0 - d), R_HP -> R_HP exp(part log(R_HP^T R_0)): to first order in a turn. Halved a few times, the part that is paid for is found,
// or none is: it is then tried again in the next tick.
void Coupler::creep(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                    double part, double paid) const noexcept {
  if (!memory.engaged || !memory.slipped) return;
  const double s2 = memory.softness * memory.softness;
  const double may = std::fmax(s2 * energy(memory, sample, port), paid);
  const math::Vec3<double> way = memory.d_engaged - memory.d;
  const math::Vec3<double> turn = turns_about_some()
                                      ? -1.0 * memory.psi_slipped
                                      : math::rotation_vector(memory.R_HP.transposed() * memory.R_engaged);
  constexpr double kThere = 1e-9;  // [m], [rad]
  if (dot(way, way) < kThere * kThere && dot(turn, turn) < kThere * kThere) {
    memory.slipped = false;
    return;
  }
  constexpr int kTries = 4;
  CouplerMemory next = memory;
  for (int i = 0; i < kTries; ++i, part *= 0.5) {
    next.d = memory.d + part * way;
    if (turns_about_some()) {
      next.psi = memory.psi + part * turn;
      next.psi_slipped = memory.psi_slipped + part * turn;
    } else {
      next.R_HP = memory.R_HP * math::rotation_of(math::exponential(part * turn));
    }
    if (s2 * energy(next, sample, port) <= may) {
      memory = next;
      return;
    }
  }
}

void Coupler::come_on(CouplerMemory& memory, const device::Sample& sample, const simulate::PortMotion& port,
                      double share, const std::array<double, 2>& most, double period,
                      double paid) const noexcept {
  constexpr double kCreep = 0.5;  // [s]
  if (share < 1.0) {
    std::array<double, 2> now{};
    for (std::size_t k = 0; k < 2; ++k) now[k] = share * (most[k] > 0.0 ? most[k] : kUnlimited[k]);
    slip(memory, sample, port, now);
  } else if (memory.slipped) {
    creep(memory, sample, port, period / kCreep, paid);
  }
}

}  // namespace tactus::control
