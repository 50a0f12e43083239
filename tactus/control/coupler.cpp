#include <tactus/control/coupler.h>

#include <tactus/math/rotation_vector.h>

namespace tactus::control {

void Coupler::engage(CouplerMemory& memory, const device::Sample& sample,
                     const simulate::PortMotion& port) const noexcept {
  memory.engaged = true;
  memory.d = port.X_WP.p - sample.X_WH.p;
  memory.R_HP = sample.X_WH.R.transposed() * port.X_WP.R;
  memory.stored = 0.0;
}

Vector6 Coupler::wrench(CouplerMemory& memory, const device::Sample& sample,
                        const simulate::PortMotion& port) const noexcept {
  Vector6 F{};
  memory.stored = 0.0;
  if (!memory.engaged) return F;
  const math::Vec3<double> e = sample.X_WH.p + memory.d - port.X_WP.p;
  const math::Vec3<double> theta =
      math::rotation_vector(sample.X_WH.R * memory.R_HP * port.X_WP.R.transposed());
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    const std::size_t k = i / 3;
    const double away = i < 3 ? theta[i] : e[i - 3];
    F[i] = gains.stiffness[k] * away + gains.damping[k] * (sample.V_WH[i] - port.V_WP[i]);
    memory.stored += 0.5 * gains.stiffness[k] * away * away;
  }
  return F;
}

}  // namespace tactus::control
