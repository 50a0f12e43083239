// The gains of the controllers of `tactus haptic`: as stiff, fast and light as the device, the masses and the rates bear, where the request does not say it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>
#include <tactus/device/device.h>

#include "haptic_session.h"

namespace tactus::apps {

/// By the laws (11) or (18) of [Constantinescu2005] on an impedance device.
bool four_channeled(const HapticRequest& request, const device::Specification& s);

/// [kg m^2], [kg] bolted to the port that an admittance device shows, where the motion begins.
std::array<double, 2> bolted_on(const HapticRequest& request, const device::Specification& s,
                                const Grasp& grasp);
/// What an admittance device shows is no lighter than it bears.
void keep_inertia(const HapticRequest& request, HapticSession& session);

/// [ticks] from one update of two rates to the next, and how late they are.
struct Updates {
  double every = 1.0, late = 0.0;
};
Updates updates_of(const HapticRequest& request, double rate);
/// [ticks] How late the springs of a controller answer at two rates: haptic_controllers.cpp derives it. `turn` [rad/s]: of the mechanism's fastest body by itself.
int age_of(const HapticRequest& request, double rate, double turn);

/// Of the largest passive stiffness: soft, firm, stiff.
double coupling_share(std::string_view coupling);
/// Of the virtual coupler; what is not passive with the device is noted. Throws InputError where no stiffness is stable.
control::CouplerGains gains_of(const HapticRequest& request, const device::Specification& s,
                               const Grasp& grasp, int age, std::vector<std::string>& notes);
/// As fast a pole as the masses bear, of the directions that a hand's speed is slow enough for; the coupler has the others. Throws InputError where
/// there is none.
control::PrescribedGains prescription(const HapticRequest& request, HapticSession& session);
/// The four channels of [Constantinescu2005]: `impedance` is (11), `penalties` (18).
control::FourChannelGains four_channels(const HapticRequest& request, HapticSession& session);

}  // namespace tactus::apps
