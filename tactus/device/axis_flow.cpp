#include <tactus/device/axis_flow.h>

#include <cmath>

namespace tactus::device {

namespace {

double phi(double z) { return z == 0.0 ? 1.0 : -std::expm1(-z) / z; }

/// Its series ends where the next term, z^6/40320, is below rounding.
double psi(double z) {
  if (z < 1e-2)
    return 1.0 / 2 - z * (1.0 / 6 - z * (1.0 / 24 - z * (1.0 / 120 - z * (1.0 / 720 - z / 5040))));
  return (z + std::expm1(-z)) / (z * z);
}

/// Without dry friction: its force is in a.
AxisMotion smooth(const Axis& axis, double a, double v, double h) {
  const double z = axis.damping * h / axis.mass;
  const double way = v * h * phi(z) + a * h * h * psi(z);
  return {way, v * std::exp(-z) + a * h * phi(z), std::abs(way)};
}

}  // namespace

AxisMotion flow(const Axis& axis, double force, double speed, double h) noexcept {
  if (axis.friction == 0.0) return smooth(axis, force / axis.mass, speed, h);
  AxisMotion motion{0.0, speed, 0.0};
  double left = h;
  if (speed != 0.0) {
    const double a = (force - std::copysign(axis.friction, speed)) / axis.mass;
    double stop = h;  // where the speed comes to zero
    if (a * speed < 0.0)
      stop = axis.damping > 0.0
                 ? axis.mass / axis.damping * std::log1p(-speed * axis.damping / (axis.mass * a))
                 : -speed / a;
    if (!(stop < h)) return smooth(axis, a, speed, h);
    motion.way = smooth(axis, a, speed, stop).way;
    motion = {motion.way, 0.0, std::abs(motion.way)};
    left = h - stop;
  }
  if (std::abs(force) <= axis.friction) return motion;
  const AxisMotion on = smooth(axis, (force - std::copysign(axis.friction, force)) / axis.mass, 0.0, left);
  return {motion.way + on.way, on.speed, motion.distance + on.distance};
}

AxisMotion flow_between(const Axis& axis, double force, double speed, double h, double low,
                        double high) noexcept {
  const AxisMotion free = flow(axis, force, speed, h);
  if (!(free.way < low || free.way > high)) return free;  // nor is what is no number a wall
  const double side = free.way > high ? 1.0 : -1.0, end = side > 0.0 ? high : low;
  double before = 0.0, after = h;
  if (end != 0.0)
    for (double middle = 0.5 * h; before < middle && middle < after; middle = 0.5 * (before + after))
      (side * (flow(axis, force, speed, middle).way - end) > 0.0 ? after : before) = middle;
  AxisMotion motion = flow(axis, force, speed, before);
  motion.struck = 0.5 * axis.mass * motion.speed * motion.speed;
  motion.way = end;
  motion.speed = 0.0;
  if (!(force * side < 0.0)) return motion;
  const AxisMotion back = flow(axis, force, 0.0, h - before);
  return {end + back.way, back.speed, motion.distance + back.distance, motion.struck};
}

double viscous_loss(const Axis& axis, double force, double speed, const AxisMotion& motion) noexcept {
  return force * motion.way - axis.friction * motion.distance -
         0.5 * axis.mass * (motion.speed - speed) * (motion.speed + speed) - motion.struck;
}

}  // namespace tactus::device
