// 3D Systems' devices (Touch, Phantom) through the HD interface of OpenHaptics.
//
// OpenHaptics owns the clock: a thread of its own calls back about 1000 times a second. There everything happens, between
// hdBeginFrame and hdEndFrame: the state is read, the tick is made (Device::run), the force is set. A user who waits and reads
// from another thread instead gets the samples through a mailbox, and his force is set in the next frame; where none comes for
// 20 frames, the force is switched off. Millimetres and newtons; x to the right, y up, z towards the user; transforms are stored
// column by column. One device at a time: the scheduler is the library's only one.
#pragma once

#include <memory>
#include <string>

#include <tactus/device/registry.h>

namespace tactus::device {

/// The device of that name in the maker's set-up, or the default one. Throws InputError where the library, its version or the
/// device is not what it should be.
std::unique_ptr<Device> open_open_haptics(const std::string& device, const DeviceOptions& options);
Driver find_open_haptics();

}  // namespace tactus::device
