#include "cobot_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>

namespace tactus::studies::faulring {

namespace {

using study::Context;
using Vec3 = math::Vec3<double>;

constexpr double kPi = std::numbers::pi;

/// A hand whose wrench and damping are any function of time and of the handle's place.
class Chosen final : public device::Hand {
 public:
  explicit Chosen(std::function<device::Grip(double, const math::Pose<double>&)> grip)
      : grip_(std::move(grip)) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    return grip_(t, X_WH);
  }

 private:
  std::function<device::Grip(double, const math::Pose<double>&)> grip_;
};

/// Force with which the hand presses onto a surface, 0 to 20 N.
double press_at(double t) { return 0.5 * kPress * (1.0 - std::cos(kPi * t)); }

}  // namespace

Opens by_name(const std::string& device) {
  return
      [device](device::HandPointer hand) { return device::open(device, std::move(hand), {.rate = kRate}); };
}

device::Specification specification_of(const std::string& name) {
  for (const device::Specification& s : device::devices())
    if (s.name == name) return s;
  throw InputError({}, fmt::format("there is no device `{}`", name));
}

Run run(const Context& context, const Scene& scene, const Opens& opens, const control::CouplerGains& gains,
        simulate::Formulation formulation) {
  const auto mechanism = contact::open(load(context, scene.model),
                                       {.step = 1.0 / kRate, .constraints = {.formulation = formulation}});
  mechanism->set_state({.t = 0.0,
                        .q = scene.q.empty() ? mechanism->state().q : scene.q,
                        .u = std::vector<double>(mechanism->nv(), 0.0),
                        .momentum = {}});
  const int port = mechanism->port(scene.port);
  Run result;
  result.start = mechanism->motion(port).X_WP;
  const auto device = opens(scene.hand(result.start));
  display::HapticLoop loop(*mechanism, *device, port, gains, control::limits_for(device->specification()));
  loop.enable();
  const long ticks = std::lround(scene.duration * kRate);
  result.ok = true;
  for (long k = 0; k < ticks && result.ok; ++k) {
    result.kinetic.push_back(mechanism->energies().kinetic);
    result.speeds.push_back(mechanism->state().u);
    result.ok = device->wait() && loop.tick(loop.period());
    result.ticks.push_back(loop.record());
  }
  return result;
}

Scene parking_scene(double turned) {
  constexpr double kPace = kPi;  // [rad/s]
  return {"rolling_disk",
          "disk",
          {0.0, 0.0, kDiskRadius, kSwing, kPi / 2, 0.0},
          10.0,
          [turned](const math::Pose<double>& start) -> device::HandPointer {
            return std::make_unique<Chosen>([turned, R0 = start.R](double t, const math::Pose<double>& X) {
              constexpr double kDrive = 11.0, kTurning = 0.1;  // [N]; [N m s/rad], the disk's own damping
              const Vec3 a = axis_of(X.R * R0);
              const double heading = std::atan2(a.x, -a.y), along = kDrive * std::cos(kPace * t);
              device::Grip grip;
              grip.wrench = {0.0,
                             0.0,
                             -turned * kTurning * kSwing * kPace * std::sin(kPace * t),
                             along * std::cos(heading),
                             along * std::sin(heading),
                             -press_at(t)};
              return grip;
            });
          }};
}

Scene sphere_scene(double share) {
  constexpr double kPush = 8.0;  // [N]
  return {
      "disk_on_sphere", "disk", {}, 10.0, [share](const math::Pose<double>& start) -> device::HandPointer {
        return std::make_unique<Chosen>([share, p0 = start.p](double t, const math::Pose<double>& X) {
          const Vec3 p = p0 + X.p, n = (1.0 / norm(p)) * p;
          const Vec3 push{kPush * std::sin(t), 0.5 * kPush * std::cos(2.0 * t), 0.3 * kPush};
          const Vec3 F = push - (dot(push, n) + press_at(t)) * n;
          device::Grip grip;
          grip.wrench = {0.05 * std::sin(3.0 * t), 0.0, 0.05, F.x, F.y, F.z};
          for (double& x : grip.wrench) x *= share;
          return grip;
        });
      }};
}

Scene arm_scene() {
  return {"two_link_on_circle", "end", {}, 8.0, [](const math::Pose<double>& start) -> device::HandPointer {
            return device::letting_go(
                std::make_unique<Chosen>([p0 = start.p](double, const math::Pose<double>& X) {
                  constexpr double kWanted = 0.22, kGrip = 20.0;  // [m/s], [N s/m]
                  const Vec3 p = p0 + X.p;
                  const double r = std::hypot(p.x, p.y), F = kGrip * kWanted;
                  device::Grip grip;
                  grip.wrench = {0, 0, 0, -F * p.y / r, F * p.x / r, 0};
                  grip.damping = {0.0, kGrip};
                  return grip;
                }),
                kLetGo);
          }};
}

}  // namespace tactus::studies::faulring
