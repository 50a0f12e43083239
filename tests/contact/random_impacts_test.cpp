// Ten thousand collisions of random mechanisms that float freely: single bodies, chains with joints, loops.
// Momentum is kept, energy never grows, friction never does work.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>

#include "support/compare.h"

namespace tactus::contact {
namespace {

constexpr int kMechanisms = 40, kScenesEach = 270;
constexpr double kStep = 2e-4;
constexpr int kMostSteps = 200;
// Of the momentum's size, and of the energy's: rounding of the impulses. The integrator's own error, larger
// than that where light bodies are thrown about, is seen in the step after.
constexpr double kMomentum = 1e-12, kEnergy = 1e-12;

struct Draw {
  std::mt19937 random;
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  int choice(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random); }
  std::array<double, 3> vector(double size) {
    return {number(-size, size), number(-size, size), number(-size, size)};
  }
};

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

constexpr double kBalls = 0.3;  // [m] between the centres of two balls that touch

/// A tree of balls on joints, named by `tag`; with three bodies, sometimes a rod between the first and the
/// last.
struct Text {
  std::string bodies, joints, frames, constraints;
};

void add_tree(const std::string& tag, Draw& draw, int size, bool loop, Text& text) {
  constexpr double kReach = 0.6;
  for (int i = 0; i < size; ++i) {
    const double m = std::pow(10.0, draw.number(-1.0, 1.0)), r = 0.15;
    text.bodies += fmt::format(
        "  {}{}: {{mass: {}, com: [{}, {}, {}], inertia: [{}, {}, {}], geometry: [{{shape: sphere, radius: "
        "{}, contact: "
        "true}}]}}\n",
        tag, i, m, draw.number(-0.05, 0.05), draw.number(-0.05, 0.05), draw.number(-0.05, 0.05), 0.02 * m,
        0.025 * m, 0.03 * m, r);
    if (i == 0)
      text.joints += fmt::format("  {}: {{type: free, parent: world, child: {}0}}\n", tag, tag);
    else
      text.joints += fmt::format(
          "  {}j{}: {{type: {}, {} parent: {}{}, child: {}{}, placement: {{xyz: [{}, 0, 0]}}, "
          "child_placement: "
          "{{xyz: [0, {}, 0]}}}}\n",
          tag, i, draw.choice(2) == 0 ? "revolute" : "universal", "", tag, i - 1, tag, i, 0.5 * kReach,
          0.5 * kReach);
  }
  if (!loop) return;
  text.frames += fmt::format("  {}A: {{body: {}0, placement: {{xyz: [0, 0, 0.1]}}}}\n", tag, tag);
  text.frames += fmt::format("  {}B: {{body: {}{}, placement: {{xyz: [0, 0, 0.1]}}}}\n", tag, tag, size - 1);
  const double length = std::hypot((size - 1) * 0.5 * kReach, (size - 1) * 0.5 * kReach);
  text.constraints +=
      fmt::format("  {}rod: {{type: distance, a: {}A, b: {}B, length: {}}}\n", tag, tag, tag, length);
}

std::string mechanism(Draw& draw) {
  Text text;
  const int first = 1 + draw.choice(3), second = 1 + draw.choice(3);
  add_tree("a", draw, first, first == 3 && draw.choice(2) == 0, text);
  add_tree("b", draw, second, second == 3 && draw.choice(2) == 0, text);
  std::string pairs;
  for (int i = 0; i < first; ++i)
    for (int j = 0; j < second; ++j) pairs += fmt::format("    p{}{}: {{between: [a{}, b{}]}}\n", i, j, i, j);
  return fmt::format(
      "name: floating\ngravity: [0, 0, 0]\nbodies:\n{}joints:\n{}{}{}{}{}contact:\n  only_pairs: true\n  "
      "pairs:\n{}",
      text.bodies, text.joints, text.frames.empty() ? "" : "frames:\n", text.frames,
      text.constraints.empty() ? "" : "constraints:\n", text.constraints, pairs);
}

struct Motion {
  double energy = 0.0;
  std::array<double, 6> momentum{};
};

Motion motion_of(generate::Evaluator& energy, const State& state) {
  std::copy(state.q.begin(), state.q.end(), energy.input("q").begin());
  std::copy(state.u.begin(), state.u.end(), energy.input("u").begin());
  energy.run();
  Motion motion;
  motion.energy = energy.output("kinetic")[0];
  for (std::size_t i = 0; i < 3; ++i) {
    motion.momentum[i] = energy.output("linear_momentum")[i];
    motion.momentum[3 + i] = energy.output("angular_momentum")[i];
  }
  return motion;
}

TEST(RandomImpacts, KeepMomentumAndNeverGainEnergy) {
  Draw draw{std::mt19937(11)};
  int impacts = 0, frictional = 0, looped = 0;
  for (int k = 0; k < kMechanisms; ++k) {
    const std::string text = mechanism(draw);
    ContactModel contact_model(describe::load_text(text, fmt::format("mechanism {}", k)));
    generate::Evaluator energy(generate::compile(contact_model.equations.energy()));
    const std::vector<std::string> coordinates = contact_model.model.coordinate_names(),
                                   speeds = contact_model.model.speed_names();
    for (int scene = 0; scene < kScenesEach; ++scene) {
      for (describe::ContactPair& pair : contact_model.model.contact.pairs) {
        pair.law.restitution = draw.number(0.0, 1.0);
        pair.law.restitution_law =
            draw.choice(2) == 0 ? describe::RestitutionLaw::newton : describe::RestitutionLaw::poisson;
        pair.law.friction = pair.law.static_friction = draw.choice(3) == 0 ? 0.0 : draw.number(0.0, 1.5);
      }
      State state{
          .t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}};
      for (double& u : state.u) u = draw.number(-2.0, 2.0);
      // The second tree flies towards the first from a little outside its first ball.
      std::array<double, 3> away = draw.vector(1.0);
      const double length = std::hypot(away[0], away[1], away[2]);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::string axis(1, "xyz"[i]);
        state.q[index_of(coordinates, "b." + axis)] = (kBalls + draw.number(1e-4, 0.03)) * away[i] / length;
        state.u[index_of(speeds, "b.v" + axis)] = -3.0 * away[i] / length + draw.number(-1.0, 1.0);
      }
      Engine engine(contact_model, {.step = kStep});
      try {
        engine.set_state(state);
      } catch (const InputError&) {
        --scene;  // they overlap: drawn again
        continue;
      }
      for (int step = 0; step < kMostSteps; ++step) {
        const Motion before = motion_of(energy, engine.state());
        const Status status = engine.step();
        ASSERT_TRUE(status.ok()) << engine.explain(status) << "\n" << text;
        const Motion after = motion_of(energy, engine.state());
        if (engine.events().empty()) continue;
        const std::vector<Event> events(engine.events().begin(), engine.events().end());
        // What the integrator alone does with these speeds.
        ASSERT_TRUE(engine.step().ok());
        const Motion later = motion_of(energy, engine.state());
        double drift = 0.0;
        if (engine.events().empty())
          for (std::size_t i = 0; i < 6; ++i)
            drift = support::larger(drift, std::abs(later.momentum[i] - after.momentum[i]));
        const double gain = engine.events().empty() ? std::abs(later.energy - after.energy) : 0.0;
        double size = 1.0;
        for (const double p : before.momentum) size = support::larger(size, std::abs(p));
        for (std::size_t i = 0; i < 6; ++i)
          EXPECT_NEAR(after.momentum[i], before.momentum[i], kMomentum * size + 4.0 * drift)
              << "mechanism " << k << " scene " << scene;
        EXPECT_LE(after.energy, before.energy * (1.0 + kEnergy) + 4.0 * gain)
            << "mechanism " << k << " scene " << scene;
        for (const Event& event : events) {
          if (event.kind != EventKind::impact) continue;
          ++impacts;
          frictional += event.friction_impulse > 0.0;
          EXPECT_GE(event.impulse, 0.0);
        }
        looped += !contact_model.model.constraints.empty();
        break;
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GE(impacts, 10'000);
  EXPECT_GT(frictional, 1000);
  EXPECT_GT(looped, 300);
}

}  // namespace
}  // namespace tactus::contact
