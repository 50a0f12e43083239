// What a test sees and sets of the fake libdhd: find `fake_dhd` in the library.
#pragma once

struct FakeDhd {
  // The device, in its own axes: x towards the user, y to the right, z up; [m], [m/s], [rad/s].
  double p[3];
  double R[3][3];
  double v[3], w[3];
  const char* name;
  bool wrist, active_wrist;

  // What the motors were last told, [N], [N m]; they give it while `forces_on`.
  double force[3], torque[3];
  bool forces_on;

  // A tiny world: a ball of this mass [kg], pushed by the motors and held back by a damper, in steps of a millisecond. 0: stands still.
  double mass;

  // The library.
  int major;    // version
  int devices;  // plugged in
  bool opened;
  long reads;                // calls of dhdGetPosition
  long fails_at;             // the read from which on it is unplugged; 0: never
  bool saturated, too_soon;  // answers 2, or 1: successes
};

using FakeDhdFunction = FakeDhd*();  // `fake_dhd`
