// What came of a haptic run: as text, as JSON, as a picture.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "haptic_controllers.h"
#include "haptic_session.h"

namespace tactus::apps {

struct Outcome {
  const HapticRequest& request;
  const device::Specification& device;
  const simulate::Mechanism& mechanism;
  const Grasp& grasp;
  const control::CouplerGains& gains;
  const display::RunReport& report;
  const std::vector<display::TickRecord>& records;
  const control::SafetyMemory& safety;
  double hand_work = 0.0;
  std::string why{};                                 // it stopped, besides what the fault says
  display::Felt felt{};                              // by the hand, at the handle
  display::Felt at_port{};                           // what the mechanism shows to the loop
  double largest_torque = 0.0, largest_force = 0.0;  // [N m], [N] on the hand
  double largest_at_port = 0.0;                      // [N]
  double largest_lag = 0.0;                          // [m] handle to port, in the handle's scale
  bool at_the_end = false;                           // the handle came to the end of the workspace
  int most_resisted = 0;                             // directions at once
  double handed_over = 0.0;  // of the ticks: a prescribed port had fewer light directions than at the start
  double gave_up_at =
      0.0;  // [s] a prescribed port, if it was: no record from then on has less than all directions
  double softest = 1.0;   // of the coupler's stiffness, the least share that it had
  double softened = 0.0;  // of the ticks: it had less than all
  int oldest = 0;         // [ticks] what was known of the mechanism
  /// By what the device knows of the hand's work: whether that was ours.
  bool by_simulated_hand() const { return std::isfinite(hand_work); }
  /// Equal rates are one.
  bool two_rates() const {
    return request.local_rate > 0.0 &&
           (request.update_every > 1 || request.transport > 0.0 || request.realtime);
  }
  bool four_channels() const { return four_channeled(request, device); }
  bool by_coupler() const {
    return device.kind == device::Kind::impedance && request.controller == "coupler";
  }
};

/// Why the run stopped; empty where it did not.
std::string why_of(const Outcome& outcome);
/// The largest of the records; the rest of the outcome is given.
void measure(Outcome& outcome);
void print(const Outcome& outcome);
std::string json_of(const Outcome& outcome);
std::string plot_of(const Outcome& outcome);
/// The loop's times as a picture: how many ticks took how long, and in real time how late they woke up.
std::string histogram_of(const Outcome& outcome);
/// [J] that left the loop and nothing put in, neither the hand nor the mechanism: in all, and the part of it that the hand got. 0 where that is within what is
/// known, or where the device does not know the hand's work.
struct Made {
  double all = 0.0, at_the_hand = 0.0;
};
Made made_by_loop(const Outcome& outcome);

}  // namespace tactus::apps
