// The three examples in a loop at 1 kHz, through a simulated cobotic hand controller (steered wheels with lag
// and creep, encoders, a force sensor, one period of delay), whose servo is lines 12 to 16 of Algorithm 1.
// The hand's forces are chosen here, as in an independent computation with which the sizes of the errors are
// compared.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/control/algorithm_1.h>
#include <tactus/control/coupler.h>
#include <tactus/device/hand.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/simulate/choices.h>
#include <tactus/study/study.h>

#include "size.h"

namespace tactus::studies::faulring {

constexpr double kRate = 1000.0,
                 kStart = 0.5;  // [Hz]; [s] after which errors count: forces have ramped up by then
constexpr double kEncoder = 1e-5, kTurnStep = 1e-4;  // [m], [rad] of the device
constexpr double kLag = 5e-3, kLeak = 11.0;          // [s] of its wheels, [kg] with which they creep
constexpr double kP = 900.0;                         // [1/s^2] of its servo

struct Scene {
  std::string model, port;
  std::vector<double> q;  // empty: the model's
  double duration = 10.0;
  /// From where the port is at first, in the world.
  std::function<device::HandPointer(const math::Pose<double>&)> hand;
};

// Example A, the disk that is parked sideways: driven to and fro, turned, and pressed onto the plane by up to
// 20 N. The disk's axis is horizontal; its heading is square to it. `turned`: the share of the turning.
constexpr double kDiskRadius = 0.03, kSwing = 0.6;  // [m], [rad]
Scene parking_scene(double turned = 1.0);

// Example B, the disk on the sphere: pressed onto it by up to 20 N, and pushed around besides, along the
// surface, by some newtons; `share` of all forces.
constexpr double kSphere = 0.05, kPress = 20.0;  // [m], [N]
Scene sphere_scene(double share = 1.0);

// Example C, the arm led around and let go.
constexpr double kCircle = 0.05, kLetGo = 2.8;  // [m], [s]
Scene arm_scene();

/// What a scene did, tick by tick; all but the record's answers of a tick are of where it begins.
struct Run {
  math::Pose<double> start;  // of the port
  std::vector<display::TickRecord> ticks;
  std::vector<double> kinetic;              // [J] of the mechanism
  std::vector<std::vector<double>> speeds;  // of its joints
  bool ok = false;
};

/// The device that a hand shall hold.
using Opens = std::function<std::unique_ptr<device::Device>(device::HandPointer)>;
Opens by_name(const std::string& device);
device::Specification specification_of(const std::string& device);

/// By the haptic loop, its simulation's constraints by this formulation.
Run run(const study::Context& context, const Scene& scene, const Opens& opens,
        const control::CouplerGains& gains = {},
        simulate::Formulation formulation = simulate::Formulation::automatic);
/// Without one: Algorithm 1, a line after the other.
Run run_by_lines(const study::Context& context, const Scene& scene, const Opens& opens,
                 control::Scheme scheme);

inline double norm(const math::Vec3<double>& a) { return std::sqrt(dot(a, a)); }
/// The disk's axis.
inline math::Vec3<double> axis_of(const math::Mat3<double>& R) {
  return R * math::Vec3<double>{0.0, 0.0, 1.0};
}

inline std::string in_um(const Size& size) {
  return fmt::format("{:.1f}/{:.0f} um", 1e6 * size.rms(), 1e6 * size.largest);
}
inline std::string in_mrad(const Size& size) {
  return fmt::format("{:.3f}/{:.3f} mrad", 1e3 * size.rms(), 1e3 * size.largest);
}

/// What is required of a constraint that is rendered, in steps of the encoders.
constexpr double kStepsRms = 3.0, kStepsMost = 7.0;
inline bool near_resolution(const Size& error, double step = kEncoder) {
  return error.rms() <= kStepsRms * step && error.largest <= kStepsMost * step;
}
constexpr const char* kNearResolution = "3 steps of the encoders rms and 7 at most";

// Where the hand's forces are others than in an independent computation, so are the accelerations that
// feed-forward has to do with: a fifth less worth than there is taken to be the same.
constexpr double kSame = 0.8;

}  // namespace tactus::studies::faulring
