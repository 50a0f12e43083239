// What a mechanism does by itself in its first moments, when nobody holds it, and what a loop needs for it.
//
// How fast a loop has to be. A coupler's force is held for a tick, and points elsewhere by its end where the port goes far in it: it makes energy, however soft the spring is. A body that turns by an angle a in a tick
// turns a force that is fixed in it by as much, and the work is off by the share a/2. A device that shows any force has no clamp of its own that would keep this small, and one that is asked for
// does so only where it is far below what holds the port, in force and in torque: the rate does not depend on it.
//
// How heavy a port has to be. An admittance device goes where the port goes, and hands do not hold what springs throw about at 10 m/s. With the inertia m bolted to it the port has no more than the kinetic energy E that
// the mechanism gets, m v^2/2 <= E.
#pragma once

#include <array>

#include <tactus/simulate/motion/mechanism.h>

namespace tactus::apps {

struct OwnMotion {
  double turn = 0.0;             // [rad/s] of the fastest body
  std::array<double, 2> port{};  // [rad/s], [m/s] of the port at most
  double kinetic = 0.0;          // [J] at most
};
/// The mechanism goes on by these moments.
OwnMotion own_motion(simulate::Mechanism& mechanism, int port);

/// [Hz] At least `usual`, in powers of two of it, so that a body of that speed turns little in a tick; no faster than simulated devices are sensible.
double calm_rate(double turn, double usual);

/// {kg m^2, kg} with which the port is not faster than these speeds; nothing where it is not anyway.
std::array<double, 2> taming_inertia(const OwnMotion& own, const std::array<double, 2>& speed);

}  // namespace tactus::apps
