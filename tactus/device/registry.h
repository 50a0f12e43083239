// The devices that there are, by name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/device/device.h>
#include <tactus/device/hand.h>

namespace tactus::device {

/// Axes of a handle as files and options name them, in the order of spatial vectors.
inline constexpr std::array<std::string_view, 6> kAxisNames{"rx", "ry", "rz", "x", "y", "z"};

/// [periods] The longest latency that is simulated.
inline constexpr std::size_t kMostDelay = 64;

/// Specifications of the simulated devices: all of them can be opened at any time.
std::vector<Specification> devices();

/// What a device has besides its specification, under its key in a device's file: numbers, or else a word.
struct Setting {
  std::string name, unit;
  std::vector<double> values;
  std::string word{};
};
/// All that there is to know of a simulated device without opening it.
struct Simulated {
  Specification specification;
  std::vector<Setting> settings;
  bool bears_tool = false;  // DeviceOptions::tool
};
/// Of that name, or in that file, at `rate` [Hz] or its own; nothing where the name is of another kind of
/// device, is made of a model, or is of none. Throws InputError where the file is no device's.
std::optional<Simulated> simulated(std::string_view name, double rate = 0.0);

/// What is known without opening it of a device that is made of a model: "model:FILE[:PORT]", or a device's
/// file that is based on one.
struct OfModel {
  std::string file;  // the model's
  std::vector<Setting> settings;
};
/// Nothing where the name is of another. Throws InputError where the file is no device's, or there is none.
std::optional<OfModel> of_model(std::string_view name);

/// Whether the name is that of a file with a device of one's own: FILE.yaml (docs/device-file.md).
bool is_device_file(std::string_view name);

/// A way to hardware, or to a recording.
struct Driver {
  Specification specification;  // of a usual device; the one that is opened may know better
  std::string form;             // of its names: "forcedimension[:NUMBER]"
  bool available = false;       // what it needs is there
  std::string found;            // what was found, or why it is not there
};
/// All drivers. Looks for libraries, services and devices, and opens none of them; takes half a second at most.
std::vector<Driver> drivers();
/// [s] Of a recording that "file:PATH" plays back, from its first row to its last. Throws InputError.
double length_of_recording(const std::string& path);

/// The stiffest spring to the ground that a device can show and still be passive, of translation [N/m]:
///
///   K <= min(b/(T/2 + latency), 2 f_c/D)       [ColgateSchenkel1997; AbbottOkamura2005]
///
/// with its damping b, dry friction f_c, step of the encoder D and period T. Without friction an encoder's steps alone feed a
/// limit cycle, so the second bound is then 0; without steps it does not count.
double largest_stiffness(const Specification& specification);
/// The same of rotation [N m/rad].
double largest_rotational_stiffness(const Specification& specification);

struct DeviceOptions {
  double rate = 0.0;       // [Hz]; 0: the device's own
  std::uint64_t seed = 1;  // of what is random in it
  Fixture fixture{};       // hangs on devices that are moved (Simulated::bears_tool), beyond the force sensor
};
/// A simulated device is held by the hand, hardware by a true one. "model:FILE" and "model:FILE:PORT" make a device of a model
/// (device/model_device.h), "FILE.yaml" is a simulated device of one's own, or one of a model with numbers of
/// its own. Throws InputError where there is no device of that name, or where it cannot be opened.
std::unique_ptr<Device> open(std::string_view name, HandPointer hand, const DeviceOptions& options = {});

/// Throws InputError where a hand is stiffer or more damped than the device bears (Device::hand_limits): open() asks
/// it of the hand that it is given, whoever gives one later (a hand that is chosen by the device) asks it himself.
void require_borne(const Hand& hand, const Device& device);
/// The same of rotation (0) or translation (1) alone.
void require_borne(const Hand& hand, const Device& device, std::size_t k);

/// A simulated impedance device of one's own numbers, moving with V where it begins.
std::unique_ptr<Device> simulated_impedance(const Specification& specification, HandPointer hand,
                                            const Vector6& V = {});
/// A simulated admittance device with this specification, its force sensor without noise and bias, and a servo of this
/// bandwidth [rad/s] and compliance {rad/(N m), m/N}, which moves on with the commanded velocity where it leads, and comes
/// after a moving command by 1/bandwidth where it does not (simulated_admittance.h).
struct PlainServo {
  double bandwidth = 300.0;
  bool leads = true;
  std::array<double, 2> compliance{};
};
std::unique_ptr<Device> simulated_admittance(const Specification& specification, HandPointer hand,
                                             const PlainServo& servo);
/// A simulated cobot with this specification, and drive, servo and noise of `simulated:cobot`.
std::unique_ptr<Device> simulated_cobot(const Specification& specification, HandPointer hand);

}  // namespace tactus::device
