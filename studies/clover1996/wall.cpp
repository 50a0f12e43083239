// Chapter IV's stiff wall: 10 kg, 25 Hz, critically damped, whose force never pulls. With w = 2 pi 25 /s,
// k = m w^2, c = 2 m w, and the mass meeting the wall at t = 0 with v0:
//
//   way       x = v0 t exp(-w t)
//   deepest   v0/(e w)       at w t = 1
//   leaves    -exp(-2) v0    at w t = 2, when the force ends
//
// A wall that were allowed to pull would never let go.
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;

constexpr double kW = 2.0 * std::numbers::pi * 25.0, kSpeed = 0.3, kRadius = 0.05;
constexpr double kTouching = 1e-15;  // [m] the force begins inside the wall

double depth(double t) {
  const double leaves = 2.0 / kW;
  if (t <= leaves) return kSpeed * t * std::exp(-kW * t);
  return (leaves - (t - leaves)) * kSpeed * std::exp(-2.0);
}

Result exact(const Context& context) {
  constexpr double kStep = 1e-4;
  const std::unique_ptr<simulate::Mechanism> mass = contact::open(
      load(context, "stiff_wall"),
      {.step = kStep, .integrator = simulate::Integrator::adaptive, .tolerances = {1e-13, 1e-13}});
  mass->set_state({0.0, {-kRadius + kTouching}, {kSpeed}, {}});
  Record record({"t", "depth", "closed form", "speed", "force"});
  Deviation way;
  double deepest = 0.0;
  const double push = mass->accelerations()[0];
  for (int k = 0; k <= 300; ++k) {
    const simulate::State& s = mass->state();
    const double d = s.q[0] + kRadius;
    const double force = mass->contact_report().pairs[0].normal;
    record.add({s.t, d, depth(s.t), s.u[0], force});
    way.add(d, depth(s.t), 1e-12);  // where the force sets in and ends is located: nothing but rounding
    deepest = std::max(deepest, d);
    if (k < 300)
      if (const simulate::Tick tick = mass->step(); !tick.ok())
        return {"", mass->explain(tick.status), {}, "", {}};
  }
  const double rebound = mass->state().u[0] / kSpeed;
  Deviation d;
  d.add(push, -2.0 * kW * kSpeed, 1e-9);
  d.add(1e3 * deepest, 1e3 * kSpeed / (std::numbers::e * kW), 1e-4);  // sampled every 0.1 ms
  d.add(rebound, -std::exp(-2.0), 1e-6);
  record.write_csv(context, "clover1996-wall.csv");
  record.write_svg(
      context, "clover1996-wall.svg", "10 kg meet a wall of 25 Hz, critically damped",
      {{"depth [m]", {"depth", "closed form"}}, {"speed [m/s]", {"speed"}}, {"force [N]", {"force"}}});
  return {"IV: a wall of 10 kg, 25 Hz, critical damping; figures only",
          fmt::format("deepest {:.6f} mm, rebound {:.6f} of the speed; way {}", 1e3 * deepest, rebound,
                      way.to_string()),
          closed_form(all_within(d) && all_within(way),
                      "v0 t exp(-w t) at 301 instants; v0/(e w), exp(-2) and 2 w v0"),
          "the thesis prints no numbers of the collision; against x = v0 t exp(-w t), left at w t = 2 with "
          "exp(-2) = "
          "0.135335 of the speed because the wall does not pull",
          {"clover1996-wall.csv", "clover1996-wall.svg"}};
}

/// Deepest sample and rebound with fixed steps, the mass meeting the wall at part `phase` of a step.
struct Sampled {
  double deepest = 0.0, rebound = 0.0;
};

Sampled sampled(const describe::Model& model, double step, double phase) {
  const std::unique_ptr<simulate::Mechanism> mass = contact::open(model, {.step = step});
  mass->set_state({0.0, {-kRadius + kTouching - phase * step * kSpeed}, {kSpeed}, {}});
  Sampled result;
  while (mass->state().t < 0.05) {
    if (const simulate::Tick tick = mass->step(); !tick.ok())
      throw InputError({}, mass->explain(tick.status));
    result.deepest = std::max(result.deepest, mass->state().q[0] + kRadius);
  }
  result.rebound = -mass->state().u[0] / kSpeed;
  return result;
}

Result rates(const Context& context) {
  const describe::Model model = load(context, "stiff_wall");
  const Sampled slow = sampled(model, 1.0 / 500.0, 0.0), fast = sampled(model, 1.0 / 1000.0, 0.0);
  Deviation d;
  d.add(1e3 * slow.deepest, 0.701070, 1e-6);
  d.add(1e3 * fast.deepest, 0.701373, 1e-6);
  double low = slow.rebound, high = slow.rebound;
  for (int k = 0; k < 10; ++k) {
    const double rebound = sampled(model, 1.0 / 500.0, 0.1 * k).rebound;
    low = std::min(low, rebound);
    high = std::max(high, rebound);
  }
  // w h = 0.31 is a large step for Runge and Kutta: about (w h)^4/80 of the speed.
  d.add(low, std::exp(-2.0), 5e-4);
  d.add(high, std::exp(-2.0), 5e-4);
  d.add(fast.rebound, std::exp(-2.0), 5e-5);
  return {
      "IV: the simulation runs at 500 Hz",
      fmt::format("Runge-Kutta at 500 Hz: {:.6f} mm, rebound {:.5f} to {:.5f} wherever in a step the wall is "
                  "met; at 1 kHz {:.6f} mm, {:.5f}; {}",
                  1e3 * slow.deepest, low, high, 1e3 * fast.deepest, fast.rebound, d.to_string()),
      closed_form(all_within(d), "an independent computation of the depths; exp(-2)"),
      "the thesis prints no numbers; the depths, at the samples, against an independent computation, the "
      "rebounds against exp(-2) = 0.135335. Where the force sets in and ends is located in time",
      {}};
}

}  // namespace

std::vector<study::Case> wall_cases() {
  return {{"wall", "a mass meets a stiff wall", exact},
          {"wall-rates", "the same at 500 Hz and 1 kHz", rates}};
}

}  // namespace tactus::studies::clover
