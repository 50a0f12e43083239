// Section VI and the first experiments of section VIII through the running loop (display/loop.h), with a
// device of 1 kg (planar_device.h) at 1 kHz.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "felt_scene.h"
#include "free_run.h"

namespace tactus::studies::constantinescu {

/// Hand and port at every sample. The hand is put off by the offset once the loop has begun, where both were
/// in one place; a device that leaks moves by N N^T F_h/M_d, too.
inline Run run_in_loop(const describe::Model& model, const std::string& port, const std::vector<double>& q,
                       const Settings& settings, double duration) {
  constexpr double kPeriod = 1e-3;
  const auto chain = contact::open(model, {.step = kPeriod});
  chain->set_state({.t = 0.0, .q = q, .u = std::vector<double>(chain->nv(), 0.0), .momentum = {}});
  const int at = chain->port(port);
  const std::array<double, 3> start = in_plane(chain->motion(at).X_WP);
  PlanarDevice device(1.0 / kPeriod, inertia_for(settings.law),
                      [&](double, double, double) { return settings.push; });
  control::SafetyLimits limits;  // none
  limits.ramp = 0.0;
  display::HapticLoop loop(*chain, device, at, kPrintedCoupler, limits);
  if (settings.law != Law::coupler)
    loop.use(printed_gains(settings.law, settings.turning, settings.tolerance));
  if (!loop.enable()) throw InputError({}, "the loop cannot be enabled");
  control::ResistedDirections directions(device::kPlanar, chain->nv());
  control::Matrix6 M_d{};
  for (std::size_t i = 0; i < 6; ++i) M_d[7 * i] = 1.0;
  Run run;
  const long ticks = std::lround(duration / kPeriod);
  for (long k = 0; k <= ticks; ++k) {
    if (k == 1) device.displace(settings.offset);
    if (settings.leak > 0.0 && settings.law != Law::coupler) {
      const control::Resisted& resisted =
          directions.by_jacobian(chain->jacobian(at), M_d, settings.tolerance, false);
      std::array<double, 3> a{};
      for (std::size_t i = 0; i < 6; ++i) {
        const double along = resisted.n[i][3] * settings.push[0] + resisted.n[i][4] * settings.push[1];
        for (std::size_t j = 0; j < 3; ++j)
          a[j] += settings.leak * resisted.weight[i] * along * resisted.n[i][Manipulation::kAxis[j]];
      }
      device.leak(a);
    }
    const std::vector<double> coordinates = chain->state().q;
    if (!device.wait() || !loop.tick(kPeriod))
      throw InputError({}, "the loop stopped: " + control::said_of(loop.safety()));
    const display::TickRecord& record = loop.record();
    std::array<double, 3> hand = in_plane({record.R_H, record.p_H});
    for (std::size_t i = 0; i < 3; ++i) hand[i] += start[i];
    run.add(record.t, hand, in_plane({record.R_P, record.p_P}), coordinates, record.resisted);
  }
  return run;
}

}  // namespace tactus::studies::constantinescu
