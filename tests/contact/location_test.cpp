// Where events are: interpolants against polynomials, and each kind of guard against its closed form, with
// the number of integrations that it takes.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/events/interpolant.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>

#include "support/compare.h"

namespace tactus::contact {
namespace {

/// Numbers of size one through a few operations.
constexpr double kRounding = 1e-13;

TEST(Interpolant, ReproducesPolynomialsOfItsDegree) {
  const auto p = [](double t) { return 0.3 - 1.7 * t + 0.4 * t * t + 2.0 * t * t * t; };
  const auto v = [](double t) { return -1.7 + 0.8 * t + 6.0 * t * t; };
  const auto a = [](double t) { return 0.8 + 12.0 * t; };
  const auto q = [&](double t) { return p(t) - 3.0 * std::pow(t, 4) + 0.9 * std::pow(t, 5); };
  const auto q_rate = [&](double t) { return v(t) - 12.0 * std::pow(t, 3) + 4.5 * std::pow(t, 4); };
  const auto q_acceleration = [&](double t) { return a(t) - 36.0 * t * t + 18.0 * std::pow(t, 3); };
  const double t0 = 0.2, t1 = 0.7;
  const Interpolant cubic(t0, {.value = p(t0), .rate = v(t0)}, t1, {.value = p(t1), .rate = v(t1)});
  const Interpolant quintic(t0, {q(t0), q_rate(t0), q_acceleration(t0)}, t1,
                            {q(t1), q_rate(t1), q_acceleration(t1)});
  const Interpolant line(t0, {.value = 1.0}, t1, {.value = -3.0});
  for (double t = t0; t < t1; t += 0.05) {
    EXPECT_NEAR(cubic.value(t), p(t), kRounding);
    EXPECT_NEAR(cubic.rate(t), v(t), 10.0 * kRounding);
    EXPECT_NEAR(quintic.value(t), q(t), kRounding);
    EXPECT_NEAR(quintic.rate(t), q_rate(t), 10.0 * kRounding);
    EXPECT_NEAR(line.value(t), 1.0 - 8.0 * (t - t0), kRounding);
  }
  EXPECT_NEAR(line.falls(t0, t1), t0 + 0.125, kRounding);
}

TEST(Interpolant, FindsWhereAWaveFallsTurnsAndWhatItDoubts) {
  // cos t between 1 and 1.8 falls through zero at pi/2; sin t between 4.4 and 5.2 is lowest at 3 pi/2.
  const auto jet = [](double t, double phase) {
    return Jet{std::cos(t + phase), -std::sin(t + phase), -std::cos(t + phase)};
  };
  const double kQuarter = std::acos(0.0);
  for (const double h : {0.8, 0.4, 0.2}) {
    const Interpolant wave(kQuarter - 0.4 * h, jet(kQuarter - 0.4 * h, 0.0), kQuarter + 0.6 * h,
                           jet(kQuarter + 0.6 * h, 0.0));
    const double error = std::pow(h, 6) / 46080.0;  // of the quintic
    EXPECT_NEAR(wave.falls(kQuarter - 0.4 * h, kQuarter + 0.6 * h), kQuarter, error + kRounding) << h;
    EXPECT_GT(wave.doubt(), error) << h;
    EXPECT_LT(wave.doubt(), std::pow(h, 4) / 32.0) << h << ": the cubic's error";
    const double lowest = 3.0 * kQuarter;
    const Interpolant trough(lowest - 0.3 * h, jet(lowest - 0.3 * h, -kQuarter), lowest + 0.7 * h,
                             jet(lowest + 0.7 * h, -kQuarter));
    EXPECT_NEAR(trough.lowest(lowest - 0.3 * h, lowest + 0.7 * h), lowest, 30.0 * error / h + kRounding) << h;
    EXPECT_NEAR(trough.highest(lowest - 0.3 * h, lowest - 0.1 * h), lowest - 0.3 * h, kRounding)
        << "it falls there: no top between";
  }
}

/// A mass on a line, with whatever is added; runs to the end, and keeps its events.
struct Line {
  describe::Model model;
  ContactModel contact_model;
  std::unique_ptr<Engine> engine;
  std::vector<Event> events;
  long most_trials = 0;

  Line(const std::string& text, const std::string& loads, double duration, double step = 1e-3)
      : model(describe::load_text("name: line\n" + text, "line")), contact_model(model) {
    if (!loads.empty())
      contact_model.set_loads(
          *simulate::read_script(contact_model.equations, "tau: {" + loads + "}", "loads").loads);
    engine = std::make_unique<Engine>(contact_model, EngineOptions{.step = step});
    engine->set_state({.t = 0.0, .q = model.initial_q, .u = model.initial_u, .momentum = {}});
    while (engine->state().t < duration - 0.5 * step) {
      const Status status = engine->step();
      EXPECT_TRUE(status.ok()) << engine->explain(status);
      if (!status.ok()) return;
      for (const Event& event : engine->events()) events.push_back(event);
      if (!engine->events().empty()) most_trials = support::larger(most_trials, engine->work().trials);
    }
  }
  double time_of(EventKind kind, std::size_t skip = 0) const {
    for (const Event& event : events)
      if (event.kind == kind && skip-- == 0) return event.t;
    return std::nan("");
  }
};

const char* const kBall = R"(
gravity: [0, 0, 0]
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  ball: {mass: 2, geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints: {z: {type: prismatic, parent: world, child: ball, axis: z}}
)";

/// Motions that are polynomials: only rounding is left.
constexpr double kExact = 1e-12;

TEST(Location, OfAGapIsWhereAnAcceleratedBallMeetsTheFloor) {
  // z = 0.1 + 0.05 - 3 t^2 until 0.1.
  const Line run(std::string(kBall) + "contact: {defaults: {restitution: 0.5}}\ninitial: {q: {z: 0.15}}\n",
                 "z: -12", 0.2);
  EXPECT_NEAR(run.time_of(EventKind::impact), std::sqrt(0.05 / 3.0), kExact);
  EXPECT_LE(run.most_trials, 2);
}

TEST(Location, OfAGapThatClosesAndOpensWithinAStepIsTheFirstOfItsTwoZeros) {
  // Thrown down against an upward force, lowest between the ends of a step.
  const double force = 40.0, acceleration = force / 2.0, lowest = 0.0104, depth = 4e-7;
  const double gap = 0.5 * acceleration * lowest * lowest - depth;
  const Line run(std::string(kBall) + "contact: {defaults: {restitution: 1}}\ninitial: {q: {z: " +
                     std::to_string(0.1) + " + " + std::to_string(gap * 1e9) + "e-9}, u: {z: -" +
                     std::to_string(acceleration * lowest) + "}}\n",
                 "z: 40", 0.02);
  const double exact_gap = std::stod(std::to_string(gap * 1e9)) * 1e-9,
               speed = std::stod(std::to_string(acceleration * lowest));
  const double t = (speed - std::sqrt(speed * speed - 2.0 * acceleration * exact_gap)) / acceleration;
  ASSERT_GT(t, 0.010);
  ASSERT_LT(t, lowest);
  EXPECT_NEAR(run.time_of(EventKind::impact), t, 1e-11)
      << "a slow approach: rounding of the gap over its rate";
  EXPECT_LE(run.most_trials, 3);
}

TEST(Location, OfAPressAndItsEndAreWhereADampedSpringBeginsAndCeases) {
  // Met at 0.1 m with 1 m/s, without gravity: z'' = -(k z + d z')/m, and the push k z + d z' is zero again
  // where the damper would begin to pull.
  const double k = 800.0, d = 20.0, m = 2.0;
  const Line run(
      std::string(kBall) +
          "contact: {defaults: {render: compliant, stiffness: 800, damping: 20}}\ninitial: {q: {z: "
          "0.15}, u: {z: -1}}\n",
      "", 0.3);
  const double meets = 0.05;
  const double decay = d / (2.0 * m), w = std::sqrt(k / m - decay * decay);
  // The depth is exp(-decay t) sin(w t)/w, the push k times it and d times its rate.
  const double push_ends = (M_PI - std::atan2(d * w, k - d * decay)) / w;
  EXPECT_NEAR(run.time_of(EventKind::rests), meets, kExact);
  EXPECT_NEAR(run.time_of(EventKind::leaves), meets + push_ends, 1e-8) << "RK4 of a spring of 20 rad/s";
  EXPECT_LE(run.most_trials, 3);
}

TEST(Location, OfAForceThatCeasesIsWhereItsPullBeginsToLift) {
  // Pressed by 6 - 50 t^2 N: lifted at sqrt(0.12).
  const Line run(std::string(kBall) + "contact: {defaults: {restitution: 0}}\ninitial: {q: {z: 0.1}}\n",
                 "z: -6 N + 50 N/s^2 * t^2", 0.5);
  EXPECT_NEAR(run.time_of(EventKind::leaves), std::sqrt(0.12), kExact);
  EXPECT_LE(run.most_trials, 5);
}

const char* const kSled = R"(
gravity: [0, 0, -10]
bodies:
  world: {geometry: [{shape: plane, size: [20, 20], contact: true}]}
  carrier: {mass: 0}
  sled: {mass: 2, geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  x: {type: prismatic, parent: world, child: carrier, axis: x}
  z: {type: prismatic, parent: carrier, child: sled, axis: z}
)";

TEST(Location, OfSlipsEndIsWhereFrictionHasTakenIt) {
  // x'' = -3 + t: from 1 m/s, 1 - 3 t + t^2/2 = 0.
  const Line run(
      std::string(kSled) + "contact: {defaults: {friction: 0.3}}\ninitial: {q: {z: 0.1}, u: {x: 1}}\n",
      "x: 2 N/s * t", 0.6);
  EXPECT_NEAR(run.time_of(EventKind::sticks), 3.0 - std::sqrt(7.0), kExact);
  EXPECT_LE(run.most_trials, 2);
}

TEST(Location, OfAConesEdgeIsWhereThePullPassesStaticFriction) {
  // 80 t^2 = 0.4 * 20.
  const Line run(std::string(kSled) +
                     "contact: {defaults: {friction: 0.3, static_friction: 0.4}}\ninitial: {q: {z: 0.1}}\n",
                 "x: 80 N/s^2 * t^2", 0.4);
  EXPECT_NEAR(run.time_of(EventKind::slides), std::sqrt(0.1), kExact);
  EXPECT_LE(run.most_trials, 5);
}

const char* const kSlider = R"(
gravity: [0, 0, 0]
bodies: {slider: {mass: 2}}
joints: {x: {type: prismatic, parent: world, child: slider, axis: x, limits: [~, 0.3]}}
constraints:
  held: {type: rates, equations: [x_dot], active: false}
)";

TEST(Location, OfAStopAndOfItsReleaseAreWhereTheMassMeetsAndLeavesIt) {
  // x = 3 t^2 meets 0.3 at sqrt(0.1); there the force, 12 - 30 t, turns at 0.4.
  const Line run(std::string(kSlider) + "contact: {stops: {restitution: 0}}\n", "x: 12 N - 30 N/s * t", 0.6);
  // x = 3 t^2 - 2.5 t^3.
  double t = 0.3;
  for (int i = 0; i < 50; ++i) t -= (3.0 * t * t - 2.5 * t * t * t - 0.3) / (6.0 * t - 7.5 * t * t);
  EXPECT_NEAR(run.time_of(EventKind::rests), t, kExact);
  EXPECT_NEAR(run.time_of(EventKind::leaves), 0.4, kExact);
  EXPECT_LE(run.most_trials, 3);
}

TEST(Location, OfATransitionIsWhereItsGuardPassesZero) {
  // x = 3 t^2: x > 0.1, and x_dot^2 > 4.
  const Line place(std::string(kSlider) + "transitions: {holds: {when: x > 0.1, activate: held}}\n", "x: 12",
                   0.3);
  EXPECT_NEAR(place.time_of(EventKind::transition), std::sqrt(0.1 / 3.0), kExact);
  EXPECT_LE(place.most_trials, 6);
  const Line speed(std::string(kSlider) + "transitions: {holds: {when: x_dot^2 > 1.5, activate: held}}\n",
                   "x: 12", 0.3);
  EXPECT_NEAR(speed.time_of(EventKind::transition), std::sqrt(1.5) / 6.0, kExact);
  EXPECT_LE(speed.most_trials, 6);
}

}  // namespace
}  // namespace tactus::contact
