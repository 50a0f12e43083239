// How strong the damper of the passivity controller (passivity.h) may be on a device whose motors are late.
#pragma once

#include <tactus/device/device.h>

namespace tactus::control {

/// [1] Of the handle's momentum, at most so much is taken in a tick: half of what the sampled loop of the handle and a damper a M alone bears, a T < 1 where motors are at once there.
/// Late ones bear less: a stronger damper would itself swing, against what is no velocity any more. 1/2 where the device has no inertia of its own.
double guard_share(const device::Specification& specification);

}  // namespace tactus::control
