// Inverse-dynamics rendering: the handle's motion prescribes the port's, and what that takes is felt.
//
// Along the axes S that are prescribed the port is welded to the moving handle, a constraint that depends on time:
//
//   S^T A_P = a*,     a* = a_H + 2 w ed + w^2 e
//
// with e the way from port to handle since it was engaged, ed its rate, and w [rad/s] how fast an error is taken out. A wrench S f at the
// port gives S^T A_P = S^T A_0 + S^T L S f, where A_0 is the port's acceleration without it and L its mobility, so that
//
//   (S^T L S) f = a* - S^T A_0
//
// f is the reaction of the weld; the hand feels its opposite. Freedoms inside the mechanism, along which the port does not move, stay
// what the forces make of them. Where the port has fewer freedoms than are prescribed S^T L S is singular, and no wrench does it.
// For an arm with as many joints as axes f = J^-T (M qdd + h).
//
// a_H is a difference of the handle's velocity through a pole: the price of this rendering. What the device's own mass m_d does not
// outweigh, f = m a_H, is fed back a tick late: the filter's bandwidth and the mass that the port has bound each other.
#pragma once

#include <cmath>
#include <cstdint>

#include <tactus/control/coupler.h>
#include <tactus/control/four_channel.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::control {

/// All that it remembers.
struct PrescribedMemory {
  CouplerMemory place;  // where the port was on the handle
  bool begun = false;
  Vector6 V{}, A{};  // of the handle, in the tick before
};

struct PrescribedPort {
  PrescribedGains gains;
  double period = 1e-3;  // [s]

  /// Begins without force: the port stays where it is on the handle.
  void engage(PrescribedMemory& memory, const device::Sample& sample,
              const simulate::PortMotion& port) const noexcept {
    memory = {};
    Coupler{}.engage(memory.place, sample, port);
  }
  /// a*; to be called once a tick.
  Vector6 wanted(PrescribedMemory& memory, const device::Sample& sample,
                 const simulate::PortMotion& port) const noexcept {
    const double keep = gains.bandwidth > 0.0 ? std::exp(-gains.bandwidth * period) : 0.0;
    const math::Vec3<double> e = sample.X_WH.p + memory.place.d - port.X_WP.p;
    const math::Vec3<double> theta =
        math::rotation_vector(sample.X_WH.R * memory.place.R_HP * port.X_WP.R.transposed());
    const double w = gains.drift_rate;
    Vector6 a{};
    for (std::size_t i = 0; i < 6; ++i) {
      const double raw = memory.begun ? (sample.V_WH[i] - memory.V[i]) / period : 0.0;
      memory.A[i] = raw + keep * (memory.A[i] - raw);
      a[i] = memory.A[i] + 2.0 * w * (sample.V_WH[i] - port.V_WP[i]) + w * w * (i < 3 ? theta[i] : e[i - 3]);
    }
    memory.V = sample.V_WH;
    memory.begun = true;
    return a;
  }
  /// The reaction on the port, from a* and the port's state without it. False: the port has not so many freedoms.
  bool reaction(const PortState& port, const Vector6& wanted, Vector6& wrench) const noexcept {
    for (std::size_t i = 0; i < 6; ++i) wrench[i] = wanted[i] - port.acceleration[i];
    return solve_at_port(port.L, gains.axes, wrench);
  }
};

}  // namespace tactus::control
