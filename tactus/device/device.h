// What a hand holds: a device that tells where its handle is, or how hard it is pushed, and that pushes back, or moves.
//
//   const std::unique_ptr<Device> device = device::open("simulated:planar", device::hold({}));
//   device->enable();
//   for (Sample sample; device->wait() && device->read(sample);)          // in the loop: noexcept, no allocation
//     device->command({.wrench = spring(sample)});
//
// An impedance device senses motion and commands a wrench; an admittance device senses the hand's wrench and commands a
// motion. Everything is in world axes and SI units, spatial vectors are [angular; linear]; a driver turns its own
// millimetres and axes where it reads them. Hardware, simulated devices and wrappers that inject faults stand behind
// this one interface, so that no controller can tell them apart.
//
// Clocks. A polled device is read when its user likes: wait() prepares the next sample and comes back at once. A device
// that owns the clock (Specification::owns_clock) lets wait() return when its sample is there; run() is for those whose
// driver calls back from a thread of its own.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <tactus/math/vec3.h>

namespace tactus::device {

using Vector6 = std::array<double, 6>;  // [angular; linear]

enum class Kind : std::uint8_t { impedance, admittance };
std::string_view name_of(Kind kind);

/// Axes of the handle, one bit each, in the order of spatial vectors.
enum Axes : std::uint8_t {
  kNoAxes = 0,
  kPlanar = 0b011100,  // turning about z, moving along x and y
  kTranslation = 0b111000,
  kAllAxes = 0b111111,
};
constexpr bool has_axis(std::uint8_t axes, std::size_t i) { return (axes >> i & 1) != 0; }

/// What is known of a device. Pairs are {rotation, translation}; 0 where nothing limits or disturbs.
struct Specification {
  std::string name, description;
  Kind kind = Kind::impedance;
  std::uint8_t sensed = kAllAxes, actuated = kAllAxes;
  math::Vec3<double> workspace{};  // [m] half the sides of a box about the origin
  double workspace_angle = 0.0;    // [rad] from the handle's own zero; 0, half a turn and more: any
  std::array<double, 2> continuous{}, peak{};  // [N m], [N] what the motors give for ever, and for a moment
  double stiffness = 0.0;  // [N/m] the largest that it can show at its rate; [N m/rad] where it only turns
  double rate = 1000.0;    // [Hz]
  double latency = 0.0;    // [s] from a command to its force, above the hold of one period
  std::array<double, 2> resolution{};        // [rad], [m] step of the position sensor
  bool force_sensor = false;                 // the hand's wrench is sensed
  std::array<double, 2> force_resolution{};  // [N m], [N] step of the force sensor
  std::array<double, 2> force_noise{};       // [N m], [N] standard deviation of what it reads
  std::array<double, 2> speed{};             // [rad/s], [m/s] of each axis: it goes no faster
  std::array<double, 2> inertia{};           // [kg m^2], [kg] felt with the motors off
  std::array<double, 2> damping{};           // [N m s/rad], [N s/m]
  std::array<double, 2> friction{};          // [N m], [N] dry, of each axis
  double velocity_bandwidth =
      0.0;  // [rad/s] of the two poles of its estimate (a cobot: one); 0: plain differences
  bool owns_clock = false;
};

/// What a device senses at one instant.
struct Sample {
  std::uint64_t number = 0;  // counts up by one
  double t = 0.0;            // [s] by the device's clock
  math::Pose<double> X_WH;   // of the handle
  Vector6 V_WH{};            // estimated by the device
  Vector6 F_H_W{};           // of the hand on the handle; zero where it is not sensed
};

/// What a device shall do until the next command.
struct Command {
  Vector6 wrench{};         // impedance: on the handle, at its origin
  math::Pose<double> X_WH;  // admittance: where the handle shall be
  Vector6 V_WH{};           // admittance: and how it shall move from there
};

/// A handle's own dynamics where it is: M V' + bias = hand + motors, along the axes that are actuated; the unit matrix elsewhere.
struct HandleDynamics {
  std::array<double, 36> M{};  // [6 x 6] by rows
  Vector6 bias{};              // [N m; N]
};

/// What hangs beyond the force sensor: a handle or a tool (device/fixture.h).
struct Fixture {
  double mass = 0.0;             // [kg]
  math::Vec3<double> centre{};   // [m] from the handle's origin, in its axes
  math::Vec3<double> inertia{};  // [kg m^2] principal moments about the centre, in the handle's axes
  math::Vec3<double> gravity{0.0, 0.0, -9.81};  // [m/s^2] in the world
};

/// How stiff and how damped a simulated hand may be, {rotation, translation}: what the substeps of a device
/// bear that simulates it, too. Infinite where that does not matter, or where a true hand holds it.
struct HandLimits {
  static constexpr double kAny = std::numeric_limits<double>::infinity();
  std::array<double, 2> stiffness{kAny, kAny};  // [N m/rad], [N/m]
  std::array<double, 2> damping{kAny, kAny};    // [N m s/rad], [N s/m]
};

enum class State : std::uint8_t {
  off,      // senses; its motors give nothing (impedance) or hold still (admittance)
  enabled,  // does what it is told
  lost,     // does not answer
};
std::string_view name_of(State state);

class Device {
 public:
  virtual ~Device() = default;

  virtual const Specification& specification() const noexcept = 0;
  virtual State state() const noexcept = 0;
  /// False where it cannot be.
  virtual bool enable() noexcept = 0;
  virtual void disable() noexcept = 0;
  /// For a watchdog: from any thread, while another may hang in any function of the device. The motors give nothing, or hold still,
  /// at once and until enable(); commands are refused.
  virtual void stop() noexcept = 0;

  // In the loop: no exception, no allocation.
  /// Until the next sample is there. False: the device is lost.
  virtual bool wait() noexcept = 0;
  /// The newest sample. False: there is none; the sample is untouched.
  virtual bool read(Sample& sample) noexcept = 0;
  /// Held until the next one. False where it cannot be carried out: not finite, or the device is off or lost. The motors
  /// are then off, or hold still.
  virtual bool command(const Command& command) noexcept = 0;

  /// After read(). False: what the specification says is all that is known.
  virtual bool dynamics(HandleDynamics&) noexcept { return false; }

  /// Called once for each sample; false ends the run.
  struct Callback {
    bool (*tick)(void* context) noexcept = nullptr;
    void* context = nullptr;
  };
  /// Runs at the device's own pace until the callback has enough or the device is lost. A driver that calls back from its
  /// own thread overrides this: the callback is then called there, and run() comes back when it is over.
  virtual void run(Callback callback) noexcept {
    while (wait() && callback.tick(callback.context)) {
    }
  }

  /// After the loop, for it may allocate: why the device was lost or switched itself off, in words, with a
  /// remedy where there is one; empty where it did not, or cannot say.
  virtual std::string trouble() const { return {}; }

  /// [J] that the hand has given to the handle; NaN where the device cannot know.
  virtual double hand_work() const noexcept;
  /// device/hand_limits.h refuses what is beyond them.
  virtual HandLimits hand_limits() const noexcept { return {}; }
};

bool finite(const Vector6& v) noexcept;
bool finite(const math::Pose<double>& X) noexcept;
bool finite(const Sample& sample) noexcept;

}  // namespace tactus::device
