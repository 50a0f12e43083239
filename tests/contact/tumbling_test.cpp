// Random bodies (balls, boxes, capsules, cylinders) dropped on a floor and on each other, by events: corners,
// edges and rims that roll, slide, rock and come to rest.
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

namespace tactus::contact {
namespace {

constexpr unsigned kScenes = 24;
constexpr double kDuration = 0.7;  // [s] the first bodies have come down, most are at rest
// A feature that comes into being between two looks (an edge where a corner was) may be this deep [m]: a step
// of 1 ms at 1 m/s.
constexpr double kDeepest = 1e-3;
// Energy that a step may seem to gain [J], of some 10 J: a cylinder that wobbles on its rim turns by a radian
// within a step, and the integrator's error shows. (Rims against edges and rims of other bodies have no
// closed form among the pairs of features; their curvature is left out, and they are left out here.)
constexpr double kGain = 5e-5;

std::string scene_of(unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  const unsigned count = 1 + random() % 3;
  std::string bodies, joints, initial;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned shape = random() % (count == 1 ? 4 : 3);
    const double a = draw(0.05, 0.2), b = draw(0.05, 0.2), c = draw(0.05, 0.2), m = draw(0.2, 5.0);
    const std::string geometry =
        shape == 0   ? fmt::format("shape: sphere, radius: {}", a)
        : shape == 1 ? fmt::format("shape: box, size: [{}, {}, {}]", 2 * a, 2 * b, 2 * c)
        : shape == 2 ? fmt::format("shape: capsule, radius: {}, length: {}", a, 2 * b)
                     : fmt::format("shape: cylinder, radius: {}, length: {}", a, 2 * b);
    bodies += fmt::format("  b{}: {{mass: {}, inertia: [{}, {}, {}], geometry: [{{{}, contact: true}}]}}\n",
                          i, m, 0.010 * m, 0.012 * m, 0.011 * m, geometry);
    joints += fmt::format("  b{}: {{type: free, parent: world, child: b{}}}\n", i, i);
    std::array<double, 4> q;
    double length = 0.0;
    for (double& x : q) {
      x = draw(-1.0, 1.0);
      length += x * x;
    }
    length = std::sqrt(length);
    initial +=
        fmt::format("{}b{}.x: {}, b{}.y: {}, b{}.z: {}, b{}.qw: {}, b{}.qx: {}, b{}.qy: {}, b{}.qz: {}",
                    i > 0 ? ", " : "", i, draw(-0.1, 0.1), i, draw(-0.1, 0.1), i, 0.35 + 0.5 * i, i,
                    q[0] / length, i, q[1] / length, i, q[2] / length, i, q[3] / length);
  }
  return fmt::format(
      "name: tumbling\nbodies:\n  world: {{geometry: [{{shape: plane, size: [2, 2], contact: "
      "true}}]}}\n{}joints:\n{}"
      "contact:\n  defaults: {{friction: {}, restitution: {}}}\ninitial:\n  q: {{{}}}\n",
      bodies, joints, draw(0.0, 1.0), draw(0.0, 0.8), initial);
}

TEST(Tumbling, RandomBodiesComeDownWithoutTrouble) {
  for (unsigned seed = 0; seed < kScenes; ++seed) {
    SCOPED_TRACE(seed);
    const ContactModel contact_model(describe::load_text(scene_of(seed), "scene"));
    Engine engine(contact_model);
    engine.set_state(
        {.t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}});
    generate::Evaluator evaluator(generate::compile(contact_model.equations.energy()));
    const auto energy = [&] {
      std::copy(engine.state().q.begin(), engine.state().q.end(), evaluator.input("q").begin());
      std::copy(engine.state().u.begin(), engine.state().u.end(), evaluator.input("u").begin());
      evaluator.run();
      return evaluator.output("kinetic")[0] + evaluator.output("potential")[0];
    };
    double last = energy();
    while (engine.state().t < kDuration) {
      const Status status = engine.step();
      ASSERT_TRUE(status.ok()) << engine.explain(status);
      const double now = energy();
      ASSERT_LE(now, last + kGain) << "at " << engine.state().t;
      last = now;
      for (const Touch& touch : engine.touches())
        ASSERT_GE(touch.motion.gap, -kDeepest) << "at " << engine.state().t;
    }
  }
}

}  // namespace
}  // namespace tactus::contact
