// How fast a loop has to be for a mechanism that moves far by itself.
//
// A coupler's force is held for a tick, and points elsewhere by its end where the port goes far in it: it makes energy, however soft the spring is. A body that turns by an angle a in a tick turns a force that is
// fixed in it by as much, and the work is off by the share a/2. A device that shows any force has no clamp that would keep this small.
#pragma once

#include <tactus/simulate/motion/mechanism.h>

namespace tactus::apps {

/// [rad/s] of the fastest body within the first moments from where the mechanism is, when nobody holds it. The mechanism goes on by that.
double fastest_turn(simulate::Mechanism& mechanism);

/// [Hz] At least `usual`, in powers of two of it, so that a body of that speed turns little in a tick; no faster than simulated devices are sensible.
double calm_rate(double turn, double usual);

}  // namespace tactus::apps
