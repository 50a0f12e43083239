// What a device can show: how stiff a coupler may be on it, how light a port, how stiff the hand that it bears.
#pragma once

#include <nlohmann/json.hpp>

#include <tactus/device/device.h>

namespace tactus::apps {

/// What stands behind the coupler, or is rendered.
struct Behind {
  double mass = 0.0, inertia = 0.0;  // [kg], [kg m^2]; 0: a wall
  double damping = 0.0;              // [N s/m] of what is rendered
};

/// `lags`: its servo does not look ahead, and its latency is the servo's lag.
nlohmann::ordered_json design_of(const device::Specification& s, const Behind& behind, bool lags);
/// The same in words.
void print_design(const device::Specification& s, const Behind& behind, bool lags);

}  // namespace tactus::apps
