// What hangs beyond a force sensor, as options write it: a tool on a device that is moved, a gripper on an
// arm.
#pragma once

#include <string>

#include <tactus/device/device.h>

namespace tactus::apps {

/// MASS; or MASS,X,Y,Z with its centre; or MASS,X,Y,Z,IXX,IYY,IZZ with its principal moments of inertia about
/// that, in the axes of what holds it [kg, m, kg m^2]. Its gravity is left as it is. Throws InputError with
/// the option's name.
device::Fixture fixture_of(const std::string& option, const std::string& text);

/// The form in words, for `--help`.
constexpr const char* kFixtureForm =
    "MASS, or MASS,X,Y,Z with its centre, or MASS,X,Y,Z,IXX,IYY,IZZ with its moments of inertia about that";

}  // namespace tactus::apps
