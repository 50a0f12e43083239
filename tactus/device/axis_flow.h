// One axis of a device under a constant force, with viscous and dry friction: exact, to rounding.
//
//   m vd in F - B v - f_c Sgn(v),       xd = v,       Sgn(0) = [-1, 1]
//
// While v keeps its sign s, with a = (F - s f_c)/m and z = B h/m,
//
//   v(h) = v exp(-z) + a h phi(z),              phi(z) = (1 - exp(-z))/z
//   x(h) = x + v h phi(z) + a h^2 psi(z),       psi(z) = (z - 1 + exp(-z))/z^2
//
// v comes to zero at t0 = (m/B) log(1 - v B/(m a)), or -v/a without damping. From there it stays where |F| <= f_c (stick),
// and otherwise goes on with the sign of F. What viscous friction burns, the integral of B v^2, is what is left of F's work: F (x(h) - x) less f_c times the distance and the change of m v^2/2.
//
// Where the way ends at a wall, it gets there at t1, found on x(t1) by bisection; the wall takes m v(t1)^2/2,
// and from there it rests, or goes on away from it.
#pragma once

namespace tactus::device {

struct Axis {
  double mass = 1.0;      // [kg], [kg m^2]
  double damping = 0.0;   // [N s/m], [N m s/rad]
  double friction = 0.0;  // [N], [N m]
};

struct AxisMotion {
  double way = 0.0;       // [m], [rad] covered
  double speed = 0.0;     // at the end
  double distance = 0.0;  // [m], [rad] forth and back: |way| where it does not turn round
  double struck = 0.0;    // [J] that a wall took
};

/// [J] Burnt by viscous friction on that way.
double viscous_loss(const Axis& axis, double force, double speed, const AxisMotion& motion) noexcept;

/// The motion over h, from the speed v, under the force F.
AxisMotion flow(const Axis& axis, double force, double speed, double h) noexcept;
/// The same between two walls that do not bounce, low <= 0 <= high from here. At one of them the way is `low`
/// or `high` to the bit.
AxisMotion flow_between(const Axis& axis, double force, double speed, double h, double low,
                        double high) noexcept;

}  // namespace tactus::device
