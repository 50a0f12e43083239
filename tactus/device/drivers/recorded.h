// A recording as a device: the handle goes the way that a file tells, whatever is commanded.
//
// The file is what `tactus haptic --out` writes: CSV with a line of names, among them t, handle_x, handle_y and handle_z
// ([s], [m], world axes), and handle_qw to handle_qz, the handle's orientation as a unit quaternion, which files of before do not have: their
// handle does not turn. Other columns are left alone. Between two rows the handle moves and turns evenly, before the first and after the
// last it stands still. A device that only turned (a wheel) is one that only turns again; a recording in which nothing moves is refused. Its hand is infinitely strong: commands are taken, and change nothing. Time is simulated, so that a
// recording gives the same bits every time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/device/registry.h>
#include <tactus/math/rotation.h>

namespace tactus::device {

struct Recording {
  std::vector<double> t;  // [s] rises
  std::vector<math::Vec3<double>> p;
  std::vector<math::Quaternion<double>> turn;  // of the same length, or empty: not recorded
};
/// Throws InputError with the line where the text is not one.
Recording parse_recording(const std::string& text, const std::string& file);

std::unique_ptr<Device> open_recorded(const std::string& path, const DeviceOptions& options);
Driver find_recorded();

}  // namespace tactus::device
