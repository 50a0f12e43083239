// What came of a haptic run: as text, as JSON, as a picture.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "haptic_controllers.h"
#include "haptic_measure.h"
#include "haptic_session.h"

namespace tactus::apps {

struct Outcome {
  const HapticRequest& request;
  const device::Specification& device;
  const simulate::Mechanism& mechanism;
  const Grasp& grasp;
  const control::CouplerGains& gains;
  const display::RunReport& report;
  const std::vector<display::TickRecord>& records;  // every n-th, for the plot
  const control::SafetyMemory& safety;
  double hand_work = 0.0;
  std::string why{};                     // it stopped, besides what the fault says
  display::Felt felt{};                  // by the hand, at the handle
  display::Felt at_port{};               // what the mechanism shows to the loop
  Measured measured{};                   // of all ticks
  display::TickRecord last{};            // with the sums of all ticks
  std::vector<std::string> not_whole{};  // files that could not be written
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
