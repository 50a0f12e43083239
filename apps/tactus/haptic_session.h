// The session that `tactus haptic` opens: mechanism, device, controller, loop.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/display/run_loop.h>

#include "haptic_grasp.h"
#include "haptic_hand.h"
#include "haptic_request.h"

namespace tactus::apps {

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
  double turn = 0.0;               // [rad/s] of two rates: of the mechanism's fastest body by itself
  bool follows = false;            // the coupler softens where the port grows lighter
  bool device_weighs = false;      // its motors do not carry all of its weight
  bool weight_left_out = false;    // of a mechanism that is too heavy for the device
  std::vector<std::string> notes;  // of what was chosen
};

/// Chooses what the request leaves open, and fills it in. `given` replaces the device (a replay's). Throws InputError.
HapticSession open_session(HapticRequest& request, describe::Model model,
                           std::unique_ptr<device::Device> given = nullptr);

/// MODEL and all options that are settings of a run, on a verb.
void add_haptic_settings(CLI::App* verb, HapticRequest* request);

}  // namespace tactus::apps
