// Steering wheels and joysticks with force feedback, through Linux's input events (/dev/input/eventN).
//
// A joystick moves along x and y: ABS_X to the right, ABS_Y towards the user, which is -y. A wheel turns about z, as one looks at
// it; to the right is -z. The force is one constant effect that plays for ever and whose strength is renewed. Its direction is
// where it pushes, by the kernel's own description: 0 down (towards the user), a quarter turn left, half a turn up, three quarters
// right. Devices differ: `reversed` turns the force round where a driver of the kernel means it the other way.
//
// Neither newtons nor metres are known to the kernel. The ends of the axes are taken for chosen angles and ways, the strongest
// effect for a chosen force: see the numbers in evdev.cpp.
#pragma once

#include <memory>
#include <string>

#include <tactus/device/drivers/evdev_system.h>
#include <tactus/device/registry.h>

namespace tactus::device {

/// `what`: [wheel:|joystick:][reversed:]PATH. Throws InputError where there is none, or none with a constant force.
std::unique_ptr<Device> open_evdev(const std::string& what, const DeviceOptions& options,
                                   std::unique_ptr<EvdevSystem> system = linux_system());
/// Looks at /dev/input/event*.
Driver find_evdev();

}  // namespace tactus::device
