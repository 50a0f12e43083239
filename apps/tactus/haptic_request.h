// What `tactus haptic` is asked for.
#pragma once

#include <string>
#include <vector>

#include "arm_settings.h"
#include "haptic_hand.h"
#include "verbs.h"

namespace tactus::apps {

struct HapticRequest {
  ModelChoice model;
  std::string device, port, controller = "coupler", coupling = "firm", integrator = "rk4", out, plot, log,
                            histogram;
  std::string tool;                                               // fixture_option.h; "": none
  std::string formulation = "automatic", holding = "projection";  // of constraints
  std::vector<std::string> prescribe;                             // axes
  std::vector<std::string> notes;                                 // of options that were given and do nothing
  HandChoice hand;
  ArmSettings arm;
  double joint_stiffness = 200.0, joint_damping = 50.0, force_scale = 1.0, motion_scale = 1.0;
  double damping_growth = 1.0;
  std::string rank = "mobility";
  double rank_tolerance = 0.0;                 // 0: the usual one
  bool no_turning = false, no_fading = false;  // as printed
  double internal_damping = 0.0;               // [N m s/rad], [N s/m]
  double rate = 0.0, duration = 5.0, size = 0.0, stiffness = 0.0, damping = -1.0, late = 0.0;
  double rotational_stiffness = 0.0, rotational_damping = -1.0;  // [N m/rad], [N m s/rad] as the two before
  double watchdog = 0.1;
  double most_force = 0.0, most_torque = 0.0, most_speed = 0.0;  // [N], [N m], [m/s]; 0: the device's own
  double most_force_rate = 0.0, most_torque_rate = 0.0, most_power = 0.0;  // [N/s], [N m/s], [W]; as well
  std::vector<double> workspace;                                           // [m] half a box; none: as well
  double ramp = 0.0;                                                       // [s]; 0: the usual one
  double kept = -1.0;                                                      // below 0: as the port asks for
  double local_rate = 0.0, transport = 0.0;                                // as asked for; then as it is
  int update_every = 0;  // [ticks] of two rates, once the session is open
  int cpu = -1;
  bool passivity = false, weightless = false;
  bool device_off = false;  // for the whole run
  bool realtime = false;    // also where the device owns the clock, once it is open
  bool moving = false, json = false;
};

}  // namespace tactus::apps
