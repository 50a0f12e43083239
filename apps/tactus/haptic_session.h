// What `tactus haptic` is asked for, and the session that it opens: mechanism, device, controller, loop.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/four_channel.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

#include "arm_settings.h"
#include "haptic_hand.h"
#include "verbs.h"

namespace tactus::apps {

struct HapticRequest {
  ModelChoice model;
  std::string device, port, controller = "coupler", coupling = "firm", integrator = "rk4", out, plot, log,
                            histogram;
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
  double watchdog = 0.1;
  double tool = 0.0;                                             // [kg]
  double most_force = 0.0, most_torque = 0.0, most_speed = 0.0;  // [N], [N m], [m/s]; 0: the device's own
  double ramp = 0.0;                                             // [s]; 0: the usual one
  double kept = -1.0;                                            // below 0: as the port asks for
  double local_rate = 0.0, transport = 0.0;                      // as asked for; then as it is
  int update_every = 0;  // [ticks] of two rates, once the session is open
  int cpu = -1;
  bool passivity = false, weightless = false;
  bool realtime = false;  // also where the device owns the clock, once it is open
  bool moving = false, json = false;
};

/// The mechanism as the hand meets it: at which port, and how that can move.
struct Grasp {
  int port = 0;
  bool planar = false;                  // it stays in a plane z = const
  math::Vec3<double> ahead{}, aside{};  // where it moves most easily, and next
  math::Vec3<double> shown{};         // `ahead` as far as the device has it: what is felt is fitted along it
  math::Vec3<double> axis{};          // about which it turns most easily
  std::array<double, 2> inertia{};    // [kg m^2], [kg] in the easiest direction
  std::array<double, 36> mobility{};  // of the port, at the start
  double weight = 0.0;                // [N] at the port that keeps it from falling, at the start
  std::array<double, 6> support{};    // [N m; N] the same, with torques
  std::array<double, 2>
      tamed{};  // [kg m^2], [kg] with which it is not faster by itself than hands are; 0: as it is
};

/// All that a run needs, in the order in which it is made.
struct HapticSession {
  describe::Model model;
  std::unique_ptr<simulate::Mechanism> mechanism;
  Grasp grasp;
  LaterHand::Place hand;  // of the device; null: not ours
  std::unique_ptr<device::Device> device;
  device::Specification specification;
  control::CouplerGains gains;
  std::unique_ptr<display::HapticLoop> loop;
  double rate = 0.0;               // [Hz]
  bool follows = false;            // the coupler softens where the port grows lighter
  bool weight_left_out = false;    // of a mechanism that is too heavy for the device
  std::vector<std::string> notes;  // of what was chosen
};

/// Chooses what the request leaves open, and fills it in. `given` replaces the device (a replay's). Throws InputError.
HapticSession open_session(HapticRequest& request, describe::Model model,
                           std::unique_ptr<device::Device> given = nullptr);

/// MODEL and all options that are settings of a run, on a verb.
void add_haptic_settings(CLI::App* verb, HapticRequest* request);

}  // namespace tactus::apps
