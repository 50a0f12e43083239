// Chapter IV, section V-C through the arm: 10 kg, pushed to 0.3 m/s and let go, meet a wall of 25 Hz, critically damped. The wall as the thesis
// means it, a spring and damper that may pull ("nearly perfectly plastic"), and one that never pulls (wall.cpp). The object's depth is v0/(e w) with
// either; the tool, whose motors have limits, goes further.
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/display/loop.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;

constexpr double kDegree = std::numbers::pi / 180.0, kRate = 500.0;
constexpr double kW = 2.0 * std::numbers::pi * 25.0, kSpeed = 0.3, kRadius = 0.05;

/// The same mass before a wall that holds it while it is inside, whether it pushes or pulls.
describe::Model pulling_wall() {
  return describe::load_text(
      fmt::format("name: pulling_wall\ngravity: [0, 0, 0]\nbodies:\n  mass: {{mass: 10}}\njoints:\n"
                  "  x: {{type: prismatic, parent: world, child: mass, axis: x}}\nframes:\n  handle: {{body: "
                  "mass, grasp: true}}\nforces:\n"
                  "  wall: {{type: joint, joint: x, force: \"if(x + {0}, {1:.17g}*(-x - {0}) - "
                  "{2:.17g}*x_dot, 0)\"}}\n",
                  kRadius, 10.0 * kW * kW, 20.0 * kW),
      "pulling_wall.yaml");
}

struct Meeting {
  double deepest = 0.0, tool_deepest = 0.0;  // [m] of the object at its samples, of the tool
  double after = 0.0, tool_after = 0.0;      // [m/s] half a second later; of the tool the fastest backwards
  double settled = 0.0;  // [s] after which the tool's speed stays within 0.02 m/s of the object's
  int cut = 0;           // ticks with torques at their limits
  std::string why;
};

Meeting meet(const Context& context, const describe::Model& wall, Record* record) {
  control::ArmDeviceOptions options;
  // Across its upper arm; along it the tool goes half as deep, with a bent elbow a third.
  options.start = {90 * kDegree, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0};
  options.encoder = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};
  // 10 N for 0.3 s.
  control::ArmDevice arm(load(context, "puma560"), options, device::scripted([](double t) {
                           return device::Vector6{0, 0, 0, t < 0.3 ? 10.0 : 0.0, 0, 0};
                         }));
  const auto mass = contact::open(wall, {.step = 1.0 / kRate});
  // A flight of 30 mm after the push, which takes 45.
  constexpr double kWay = 0.075;
  mass->set_state({0.0, {-kRadius - kWay}, {0.0}, {}});
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  display::HapticLoop loop(*mass, arm, mass->port("handle"), {}, limits);
  Meeting result;
  if (!loop.enable()) return result;
  double x_0 = NAN, met = NAN;
  for (int k = 0; k < 600; ++k) {
    if (!arm.wait() || !loop.tick(1.0 / kRate)) {
      result.why = arm.trouble();
      return result;
    }
    const control::ArmDevice::Record& r = arm.record();
    if (k == 0) x_0 = r.X_WT.p.x;
    const double tool = r.X_WT.p.x - x_0 - kWay, object = loop.record().p_P.x + kRadius;
    const double v = loop.record().V_P[3];
    if (std::isnan(met) && object > 0.0) met = k / kRate;
    result.cut += r.cut > 0 ? 1 : 0;
    result.deepest = std::max(result.deepest, object);
    result.tool_deepest = std::max(result.tool_deepest, tool);
    result.tool_after = std::min(result.tool_after, r.V[3]);
    result.after = v;
    if (!std::isnan(met) && std::abs(r.V[3] - v) > 0.02) result.settled = k / kRate - met;
    if (record != nullptr) record->add({k / kRate, object, tool, v, r.V[3], r.A[3]});
  }
  return result;
}

Result through_the_arm(const Context& context) {
  Record record({"t", "object", "tool", "object's speed", "tool's speed", "tool's acceleration"});
  const Meeting pulls = meet(context, pulling_wall(), &record),
                clamped = meet(context, load(context, "stiff_wall"), nullptr);
  if (!pulls.why.empty() || !clamped.why.empty()) return {"", pulls.why + clamped.why, {}, "", {}};
  record.write_csv(context, "clover1996-wall-by-arm.csv");
  record.write_svg(context, "clover1996-wall-by-arm.svg",
                   "10 kg meet a wall of 25 Hz, felt through the PUMA 560: Figures 20, 21",
                   {{"way into the wall [m]", {"object", "tool"}},
                    {"speed [m/s]", {"object's speed", "tool's speed"}},
                    {"acceleration [m/s^2]", {"tool's acceleration"}}});
  Deviation d;
  const double deepest = kSpeed / (std::numbers::e * kW);
  // Sampled every 2 ms, at best 0.1 ms from the deepest; where the wall is a law, its beginning is not located in time: 0.849 mm at worst.
  d.add(1e3 * clamped.deepest, 1e3 * deepest, 0.03);
  d.add(1e3 * pulls.deepest, 1e3 * deepest, 0.16);
  d.add(clamped.after / kSpeed, -std::exp(-2.0), 2e-3);
  d.add(pulls.after / kSpeed, 0.0, 2e-3);
  // Of an independent computation with another friction and another direction, to its first digit.
  d.add(1e3 * pulls.tool_deepest, 3.8, 1.0);
  d.add(1e3 * pulls.settled, 84.0, 20.0);
  return {
      "V-C: \"initial response to the collision is quite good but has some oscillation\"",
      fmt::format("object {:.3f} and {:.3f} mm deep, then {:.4f} and {:.4f} of its speed (pulling, clamped); "
                  "tool {:.2f} and {:.2f} mm deep, "
                  "back at up to {:.2f} and {:.2f} m/s, within 0.02 m/s of the object after {:.0f} and "
                  "{:.0f} ms; torques at their "
                  "limits in {} and {} ticks",
                  1e3 * pulls.deepest, 1e3 * clamped.deepest, pulls.after / kSpeed, clamped.after / kSpeed,
                  1e3 * pulls.tool_deepest, 1e3 * clamped.tool_deepest, pulls.tool_after, clamped.tool_after,
                  1e3 * pulls.settled, 1e3 * clamped.settled, pulls.cut, clamped.cut),
      closed_form(all_within(d),
                  "v0/(e w) = 0.7026 mm of the object with either wall, exp(-2) and nothing of its speed; "
                  "about 3.8 mm of the "
                  "tool by an independent computation"),
      "figures only, of an experiment. The wall stops the object within 6 ms, 94 m/s^2, which the motors "
      "cannot: the tool overshoots and "
      "comes back, and follows again",
      {"clover1996-wall-by-arm.csv", "clover1996-wall-by-arm.svg"}};
}

}  // namespace

std::vector<study::Case> wall_by_arm_cases() {
  return {{"iv-wall-by-arm", "the stiff wall, felt through the arm", through_the_arm}};
}

}  // namespace tactus::studies::clover
