// Control of constrained mechanisms by projection, against the closed forms of [Aghili2005, VIII-B] as mended.
#include <tactus/control/arm/projected.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

using std::numbers::pi;

/// The slider-crank of the paper, with one actuator or two, with gravity or without.
describe::Model crank(bool both, double g) {
  std::string text = describe::read_source(support::source_dir() + "/models/slider_crank.yaml");
  const auto replace = [&](const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), by);
  };
  if (both) replace(", passive: true", "");
  replace("g: {value: 9.81", "g: {value: " + std::to_string(g));
  return describe::load_text(text, "crank.yaml");
}

struct Place {
  double q1 = 0.0, u1 = 0.0;
  std::array<double, 2> q() const { return {q1, 2.0 * pi - 2.0 * q1}; }
  std::array<double, 2> u() const { return {u1, -2.0 * u1}; }
};

std::array<double, 2> force_at(ProjectedController& controller, const Place& place,
                               Led expected = Led::well) {
  ProjectedMemory memory = controller.memory();
  const double wanted = pi / 3.0, none = 0.0;
  std::array<double, 2> f{};
  EXPECT_EQ(controller.force(memory, 0.0, place.q().data(), place.u().data(), &wanted, &none, &none, &none,
                             &none, f.data()),
            expected);
  return f;
}

/// On the path of the error e = pi/6 (1 + 5 t) e^-5t.
Place on_path(double t) {
  const double e = std::exp(-5.0 * t) * pi / 6.0;
  return {pi / 3.0 - e * (1.0 + 5.0 * t), e * 25.0 * t};
}

TEST(Projected, GivesTheForcesOfTheClosedForms) {
  for (const double g : {0.0, 9.81}) {
    ProjectedController two(crank(true, g), {.led = {"q1"}, .weight = {}}),
        one(crank(false, g), {.led = {"q1"}, .weight = {}}),
        hybrid(crank(true, g), {.led = {"q1"}, .share = Share::hybrid, .weight = {}});
    for (double t = 0.0; t < 2.0; t += 0.05) {
      const Place at = on_path(t);
      const double u = 25.0 * (pi / 3.0 - at.q1) - 10.0 * at.u1, c1 = std::cos(at.q1),
                   c2 = std::cos(at.q()[1]), s2 = std::sin(at.q()[1]);
      // (71), (72) and (75), mended; m = l = 1.
      const double a = ((3.0 - 2.0 * c2) * u + g * c1 - 2.0 * s2 * at.u1 * at.u1) / 5.0;
      const double b = (2.0 * (1.0 + c2) * u + 14.0 * g * c1 + 2.0 * s2 * at.u1 * at.u1) / 5.0;
      const double size = 1.0 + std::abs(a) + std::abs(b);
      const std::array<double, 2> least = force_at(two, at), alone = force_at(one, at),
                                  held = force_at(hybrid, at);
      EXPECT_NEAR(least[0], a, 1e-12 * size);
      EXPECT_NEAR(least[1], -2.0 * a, 1e-12 * size);
      EXPECT_NEAR(alone[0], 5.0 * a, 1e-11 * size);
      EXPECT_EQ(alone[1], 0.0);
      EXPECT_NEAR(std::hypot(alone[0], alone[1]), std::sqrt(5.0) * std::hypot(least[0], least[1]),
                  1e-11 * size);
      EXPECT_NEAR(held[0], a + b, 1e-11 * size);
      EXPECT_NEAR(held[1], -2.0 * a + 0.5 * b, 1e-11 * size);
      EXPECT_LE(std::hypot(least[0], least[1]), std::hypot(held[0], held[1]) * (1.0 + 1e-12));
    }
  }
}

struct Outcome {
  double rms = 0.0, end = 0.0, lambda = 0.0;
};

/// The loop of VIII-B, sampled, in simulation.
Outcome run(const describe::Model& model, Share share, double h, double duration) {
  ProjectedController controller(model, {.led = {"q1"}, .share = share, .weight = {}, .period = h});
  ProjectedMemory memory = controller.memory();
  const auto plant = contact::open(model, {.step = h});
  const Place start{pi / 6.0, 0.0};
  plant->set_state({0.0, {start.q()[0], start.q()[1]}, {0.0, 0.0}, {}});
  Outcome result;
  const long steps = std::lround(duration / h);
  double sum = 0.0;
  for (long k = 0; k <= steps; ++k) {
    const simulate::State& s = plant->state();
    const double wanted = pi / 3.0, none = 0.0;
    std::vector<double> f(2);
    if (share == Share::hybrid && k > 1)
      result.lambda = support::larger(result.lambda, std::abs(plant->constraint_report(true).lambda[0]));
    EXPECT_EQ(
        controller.force(memory, s.t, s.q.data(), s.u.data(), &wanted, &none, &none, &none, &none, f.data()),
        Led::well);
    sum += (k == 0 || k == steps ? 0.5 : 1.0) * h * (f[0] * f[0] + f[1] * f[1]);
    if (k == steps) break;
    EXPECT_TRUE(plant->step({.tau = f, .ports = {}, .wrench = {}}).ok());
  }
  result.rms = std::sqrt(sum / duration);
  result.end = plant->state().q[0];
  return result;
}

TEST(Projected, NeedsTheTorquesOfTheNote) {
  // Of the continuous loop, over 5 s without gravity; a held force is of first order in the period, and extrapolated.
  const auto limit = [](bool both, Share share) {
    const describe::Model model = crank(both, 0.0);
    const Outcome coarse = run(model, share, 1e-3, 5.0), fine = run(model, share, 5e-4, 5.0);
    EXPECT_NEAR(fine.end, pi / 3.0, 1e-8);
    return 2.0 * fine.rms - coarse.rms;
  };
  constexpr double kExtrapolated = 2e-5;
  EXPECT_NEAR(limit(true, Share::least), 1.321034, kExtrapolated);
  EXPECT_NEAR(limit(true, Share::hybrid), 1.557412, kExtrapolated);
  EXPECT_NEAR(limit(false, Share::least), 2.953922, 3.0 * kExtrapolated);
}

TEST(Projected, HoldsNoConstraintForceByHybridControl) {
  const describe::Model model = crank(true, 0.0);
  const Outcome coarse = run(model, Share::hybrid, 1e-3, 1.0), fine = run(model, Share::hybrid, 1e-4, 1.0);
  EXPECT_LT(fine.lambda, 2e-3);                         // [N] what a held force leaves
  EXPECT_NEAR(coarse.lambda / fine.lambda, 10.0, 1.0);  // of first order
}

TEST(Projected, RefusesTheSingularPositionWithOneActuator) {
  ProjectedController one(crank(false, 0.0), {.led = {"q1"}, .weight = {}}),
      two(crank(true, 0.0), {.led = {"q1"}, .weight = {}});
  const Place singular{pi / 2.0, 1.0};
  const std::array<double, 2> none = force_at(one, singular, Led::not_controllable);
  EXPECT_EQ(none[0], 0.0);
  EXPECT_LT(one.controllability(), 1e-9);
  force_at(two, singular, Led::not_unique);  // two freedoms there, and one coordinate that is led
  force_at(one, {pi / 2.0 + 1e-3, 1.0});
  EXPECT_GT(one.controllability(), 1e-4);
  EXPECT_NE(words_of(Led::not_controllable).find("actuators"), std::string::npos);
}

TEST(Projected, SharesByWeightsAsALeastProblemDoes) {
  // A Stewart platform would do; here the crank with an actuator that is ten times as strong: f^T W^-1 f is least of all that move alike.
  const describe::Model model = crank(true, 9.81);
  ProjectedController plain(model, {.led = {"q1"}, .weight = {}}),
      weighted(model, {.led = {"q1"}, .weight = {10.0, 1.0}});
  const Place at = on_path(0.1);
  const std::array<double, 2> f = force_at(plain, at), w = force_at(weighted, at);
  // Both differ along A^T alone.
  const double a1 = std::cos(at.q()[0]) + std::cos(at.q()[0] + at.q()[1]),
               a2 = std::cos(at.q()[0] + at.q()[1]);
  EXPECT_NEAR((f[0] - w[0]) * a2 - (f[1] - w[1]) * a1, 0.0, 1e-10);
  EXPECT_NEAR(w[0] / 100.0 * a1 + w[1] * a2, 0.0, 1e-10);  // W^-1 f lies in N(A)
  EXPECT_LT(std::abs(w[1]), std::abs(f[1]));
}

TEST(Projected, TakesNoMemoryInTheLoop) {
  ProjectedController controller(crank(false, 9.81), {.led = {"q1"}, .weight = {}});
  ProjectedMemory memory = controller.memory();
  const Place at = on_path(0.1);
  const double wanted = 1.0, none = 0.0;
  std::array<double, 2> f{};
  const auto q = at.q(), u = at.u();
  controller.force(memory, 0.0, q.data(), u.data(), &wanted, &none, &none, &none, &none, f.data());
  const long before = test::allocation_count();
  for (int k = 0; k < 10; ++k)
    controller.force(memory, 0.0, q.data(), u.data(), &wanted, &none, &none, &none, &none, f.data());
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(Projected, RefusesAForceLoopThatCannotBeStable) {
  const describe::Model model = crank(true, 0.0);
  // The paper's gains, 3 and 0.1 in hardware, and the sample that a force is late: stable with a filter below a half only.
  EXPECT_THROW(ProjectedController(
                   model, {.led = {"q1"}, .share = Share::hybrid, .weight = {}, .G_F = 3.0, .G_I = 0.1}),
               InputError);
  EXPECT_NO_THROW(ProjectedController(
      model, {.led = {"q1"}, .share = Share::hybrid, .weight = {}, .G_F = 3.0, .G_I = 0.1, .filter = 0.4}));
  EXPECT_THROW(ProjectedController(model, {.led = {"q9"}, .weight = {}}), InputError);
  EXPECT_THROW(ProjectedController(model, {.led = {}, .weight = {}}), InputError);
  EXPECT_THROW(ProjectedController(model, {.led = {"q1"}, .G_P = -1.0, .weight = {}}), InputError);
  EXPECT_THROW(ProjectedController(model, {.led = {"q1"}, .weight = {1.0}}), InputError);
  EXPECT_THROW(ProjectedController(describe::load(support::source_dir() + "/models/puma560.yaml"),
                                   {.led = {"q1"}, .weight = {}}),
               InputError);
}

}  // namespace
}  // namespace tactus::control
