// Logs of haptic runs as files: a table (CSV) for plots, and messages (MCAP) for Foxglove's tools and for `tactus replay`.
//
// The channels of an MCAP log have the names of CRTK (collaborative-robotics.github.io): cp is a Cartesian pose, cv a velocity,
// cf a wrench; measured is what was sensed, servo what was commanded. World axes, SI units.
//
//   /handle/measured_cp, measured_cv   where the hand holds the device, and how it moves
//   /handle/measured_cf                the hand's wrench, where the device senses it
//   /handle/servo_cf                   impedance device: the wrench it was told to give
//   /handle/servo_cp, servo_cv         admittance device: the motion it was told to make
//   /port/measured_cp, measured_cv     the port of the mechanism before the tick, and how it moves
//   /port/measured_cf                  the wrench on it
//   /handle/operating_state            ENABLED, DISABLED or FAULT, whenever it changes; of a fault its limit, too
//   /loop/tick                         everything with all its digits, for replay
#pragma once

#include <memory>
#include <string>

#include <tactus/display/log.h>
#include <tactus/display/log/mcap_writer.h>
#include <tactus/display/log/tick_log.h>

namespace tactus::display {

std::unique_ptr<LogSink> csv_log(const std::string& path);

/// What stands before the messages.
struct LogHead {
  device::Kind kind = device::Kind::impedance;
  bool force_sensor = false;
  McapFields setup;  // of the run, for replay
  std::string model_name, model_text;
  std::vector<AttachedFile> files{};  // besides
};
std::unique_ptr<LogSink> mcap_log(const std::string& path, const LogHead& head);

/// An entry as the message of /loop/tick, and back. parse throws InputError where the text is none.
std::string tick_message(const LogEntry& entry);
LogEntry parse_tick(std::string_view text, const std::string& file);

}  // namespace tactus::display
