// The disk dropped on a ramp [Gillespie2003, Figure 2]: bounces, slides, rolls, and is pulled off. The paper
// gives no numbers; these and their closed forms are recomputed here. While it slips, every impulse of
// friction is mu times the normal one, so that the end of slipping does not depend on how it bounced.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>
#include "support/paths.h"

namespace tactus::contact {
namespace {

// Everything in this motion is a polynomial of second degree in time between events: the integrator is exact,
// events are located to the resolution of time, and what is left is rounding.
constexpr double kEvent = 1e-12;
constexpr double kValue = 1e-11;

constexpr double kMass = 1.0, kRadius = 0.1, kSlope = 20.0 * std::numbers::pi / 180.0, kGravity = 9.81,
                 kMu = 0.2;
constexpr double kGap = 0.05, kStart = -2.0;
const double kAcross = kGravity * std::cos(kSlope), kAlong = kGravity * std::sin(kSlope);
constexpr double kKappa = 3.0;  // 1 + m r^2/J

describe::Model ramp(double e, double rest_speed) {
  describe::Model model = describe::load(tactus::support::source_dir() + "/models/ramp_drop.yaml");
  for (describe::ContactPair& pair : model.contact.pairs) {
    pair.law.restitution = e;
    pair.law.rest_speed = rest_speed;
  }
  return model;
}

struct Course {
  std::vector<Event> events;
  State state;
  double slip_speed = 0.0;
};

const Event* first(const std::vector<Event>& events, EventKind kind, int skip = 0) {
  for (const Event& event : events)
    if (event.kind == kind && skip-- == 0) return &event;
  return nullptr;
}

Course run(const describe::Model& model, double duration, double step = 1e-2) {
  const ContactModel contact_model(model);
  Engine engine(contact_model, {.step = step});
  engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  Course result;
  while (engine.state().t < duration - 0.5 * step) {
    const Status status = engine.step();
    EXPECT_TRUE(status.ok()) << engine.explain(status);
    if (!status.ok()) break;
    for (const Event& event : engine.events()) result.events.push_back(event);
  }
  result.state = engine.state();
  return result;
}

// u1 = s_dot (up the slope), u2 = r angle_dot: rolling is u1 + u2 = 0.
constexpr std::size_t kS = 0, kAngle = 2;

TEST(RampDrop, EventsAreAtTheClosedFormTimes) {
  const double e = 0.5;
  const Course result = run(ramp(e, 1e-6), 1.5);
  const double t0 = std::sqrt(2.0 * kGap / kAcross);
  const double end = t0 * (1.0 + e) / (1.0 - e);
  const double rolls = -kStart / (kKappa * kMu * kAcross - kAlong);
  EXPECT_NEAR(t0, 0.104153192888884, 1e-14);
  EXPECT_NEAR(end, 0.312459578666653, 1e-14);
  EXPECT_NEAR(rolls, 0.919196572959681, 1e-14);

  double t = t0, w = kAcross * t0;
  for (int k = 0; k < 3; ++k) {
    const Event* impact = first(result.events, EventKind::impact, k);
    ASSERT_NE(impact, nullptr);
    EXPECT_NEAR(impact->t, t, kEvent);
    EXPECT_NEAR(impact->approach, -w, kValue);
    EXPECT_NEAR(impact->departure, e * w, kValue);
    EXPECT_NEAR(impact->impulse, kMass * (1.0 + e) * w, kValue);
    EXPECT_NEAR(impact->friction_impulse, kMu * kMass * (1.0 + e) * w, kValue);
    w *= e;
    t += 2.0 * w / kAcross;
  }
  const Event* rests = first(result.events, EventKind::rests);
  ASSERT_NE(rests, nullptr);
  EXPECT_NEAR(rests->bounce_end, end, 1e-9);
  const Event* sticks = first(result.events, EventKind::sticks);
  ASSERT_NE(sticks, nullptr);
  EXPECT_NEAR(sticks->t, rolls, 1e-11);
  EXPECT_NEAR(result.state.u[kS], -4.688550939358144, 1e-10);
  EXPECT_NEAR(result.state.q[kS], -4.832812062171835, 1e-10);
}

TEST(RampDrop, WhatComesAfterSlippingDoesNotDependOnTheBounces) {
  const Course reference = run(ramp(0.5, 1e-3), 1.5);
  for (const double e : {0.0, 0.3, 0.7, 0.79}) {
    for (const double cut : {1e-2, 1e-3, 1e-6}) {
      const Course result = run(ramp(e, cut), 1.5);
      EXPECT_NEAR(result.state.u[kS], reference.state.u[kS], kValue) << "e " << e << " cut-off " << cut;
      EXPECT_NEAR(result.state.q[kAngle], reference.state.q[kAngle], 1e-9) << "e " << e << " cut-off " << cut;
      const Event* sticks = first(result.events, EventKind::sticks);
      ASSERT_NE(sticks, nullptr);
      EXPECT_NEAR(sticks->t, 0.919196572959681, 1e-11);
    }
  }
}

TEST(RampDrop, AGrowingPullFirstMakesItSlideThenLiftsIt) {
  // Rolling from rest; the pull along the normal is k t. Friction needed: m g sin/kappa, until mu N is less;
  // N = 0.
  const double k = 20.0;
  describe::Model model = ramp(0.5, 1e-3);
  model.initial_q = {0.0, kRadius, 0.0};
  model.initial_u = {0.0, 0.0, 0.0};
  ContactModel contact_model(model);
  const simulate::Script script =
      simulate::read_script(contact_model.equations, "tau: {p.y: 20 N/s * t}", "pull");
  contact_model.set_loads(*script.loads);
  Engine engine(contact_model, {.step = 1e-2});
  engine.set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
  std::vector<Event> events;
  for (int i = 0; i < 60; ++i) {
    const Status status = engine.step();
    ASSERT_TRUE(status.ok()) << engine.explain(status);
    for (const Event& event : engine.events()) events.push_back(event);
  }
  const double slides = (kMass * kAcross - kMass * kAlong / kKappa / kMu) / k, leaves = kMass * kAcross / k;
  ASSERT_NE(first(events, EventKind::slides), nullptr);
  ASSERT_NE(first(events, EventKind::leaves), nullptr);
  EXPECT_NEAR(first(events, EventKind::slides)->t, slides, 1e-9);
  EXPECT_NEAR(first(events, EventKind::leaves)->t, leaves, 1e-9);
  EXPECT_EQ(events.size(), 2u);
  const double after = 0.6 - leaves;  // the lift grows: m n'' = k (t - leaves)
  EXPECT_NEAR(engine.state().q[1], kRadius + k * after * after * after / 6.0 / kMass, 1e-9);
}

}  // namespace
}  // namespace tactus::contact
