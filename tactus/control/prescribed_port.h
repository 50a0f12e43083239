// Inverse-dynamics rendering: the handle's motion prescribes the port's, and what that takes is felt; for the slider of a crank it is [Aghili2005, (75)], mended. An error is
// taken out as [Baumgarte1972] takes out that of a constraint.
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
// what the forces make of them. For an arm with as many joints as axes f = J^-T (M qdd + h).
//
// Directions. Constraints allow the port fewer motions than the device has axes, and which these are changes as the mechanism turns: where a path is at its
// dead point the port cannot be moved along it by any force, and close to it only as a mass that the loop does not bear (prescribed_design.h).
// So the directions n_i of four_channel.h are taken, S v = s v with S = R^T L R and M_d = R R^T the device's inertia: a wrench M_d n_i accelerates the port by s_i n_i, and 1/s_i is the
// port's mass along n_i by the device's. With weights w_i that rise from 0 at s = 2/heaviest to 1 at s = 1/heaviest,
//
//   f = sum M_d n_i [(1 - w_i)/s_i n_i^T M_d (a* - A_0) + w_i n_i^T F_c]
//
// What is light enough is welded; along the rest, which constraints carry or which is too heavy, the handle is held by a coupler, F_c (coupler.h), which a wall bears.
// f is a function of the matrix S, so that it is continuous where directions are chosen anew. With all w_i = 0 it is the solution of the equation above.
//
// a_H is a difference of the handle's velocity through a pole: the price of this rendering. What the device's own mass m_d does not
// outweigh, f = m a_H, is fed back a tick late: the filter's bandwidth and the mass that the port has bound each other.
#pragma once

#include <bit>
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
  /// Whether the port can be led along any direction at all.
  bool follows(const Resisted& directions) const noexcept {
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::popcount(gains.axes)); ++i)
      if (directions.weight[i] < 1.0) return true;
    return false;
  }
  /// The same along the directions that are light enough, and what the coupler says along the others. `directions` are those of the axes, in the metric of M_d.
  Vector6 reaction(const PortState& port, const Vector6& wanted, const Resisted& directions,
                   const Matrix6& M_d, const Vector6& coupler) const noexcept {
    Vector6 wrench{};
    for (std::size_t d = 0; d < 6; ++d) {
      const Vector6& n = directions.n[d];
      const double weight = directions.weight[d], s = directions.s[d];
      Vector6 p{};  // M_d n
      double missing = 0.0, held = 0.0;
      for (std::size_t i = 0; i < 6; ++i) {
        if (!device::has_axis(gains.axes, i)) continue;
        for (std::size_t j = 0; j < 6; ++j) p[i] += M_d[6 * i + j] * n[j];
        missing += p[i] * (wanted[i] - port.acceleration[i]);
        held += n[i] * coupler[i];
      }
      const double along = weight * held + (weight < 1.0 && s > 0.0 ? (1.0 - weight) / s * missing : 0.0);
      for (std::size_t i = 0; i < 6; ++i) wrench[i] += along * p[i];
    }
    return wrench;
  }
};

}  // namespace tactus::control
