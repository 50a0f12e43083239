// Haply's Inverse3 through the Inverse Service: JSON over a WebSocket (ws://localhost:10001).
//
// The service answers every message with one state. A thread of the driver sends the force and takes the answer, once a period;
// the loop gets the sample through a mailbox and leaves the next force in another: nothing in the loop waits for the network, and
// a force goes out with the message after it. Where the loop leaves none for 20 periods, the force is switched off.
//
// The world's axes are Haply's, from a point near the middle of the workspace: (0, -0.12, 0.15) m of the device.
#pragma once

#include <memory>
#include <string>

#include <tactus/device/registry.h>

namespace tactus::device {

/// `where`: [values:|vector:][HOST:]PORT, or nothing. Throws InputError where the service or the device is not what it should be.
std::unique_ptr<Device> open_haply(const std::string& where, const DeviceOptions& options);
/// Asks whether something listens, for a fifth of a second at most.
Driver find_haply();

}  // namespace tactus::device
