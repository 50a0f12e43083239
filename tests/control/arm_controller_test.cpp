// Controllers of arms along a path: the PUMA 560 as [Clover1996, III] has it, and what is exact.
#include <tactus/control/arm/arm_controller.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/controller_source.h>
#include <tactus/control/arm/path.h>
#include <tactus/control/arm/wrist_arm.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string puma_file() { return support::source_dir() + "/models/puma560.yaml"; }

/// With all friction multiplied.
describe::Model puma_with_friction(double factor) {
  describe::Model model = describe::load(puma_file());
  if (factor == 1.0) return model;
  std::string text = describe::read_source(puma_file());
  std::string changed;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, line_end - at);
    if (const std::size_t key = line.find("friction: {"); key != std::string::npos) {
      std::string rest = line.substr(key), numbers;
      for (std::size_t i = 0; i < rest.size();) {
        if (std::isdigit(static_cast<unsigned char>(rest[i])) == 0) {
          numbers += rest[i++];
          continue;
        }
        std::size_t length = 0;
        const double value = std::stod(rest.substr(i), &length);
        numbers += std::to_string(factor * value);
        i += length;
      }
      line = line.substr(0, key) + numbers;
    }
    changed += line + "\n";
    at = line_end + 1;
  }
  return describe::load_text(changed, "puma.yaml");
}

struct Errors {
  std::array<double, 6> joint{};    // [rad] the largest
  double largest = 0.0, rms = 0.0;  // [m] of the tool
};

/// The standard move of Figure 7 at 500 Hz, with encoders and rates by differences.
Errors standard_move(ArmLaw law, double friction) {
  const describe::Model model = describe::load(puma_file());
  const JointPath path(
      {{-45 * kDegree, -135 * kDegree, 135 * kDegree, -45 * kDegree, 0.0, 135 * kDegree},
       {45 * kDegree, -85 * kDegree, 30 * kDegree, 45 * kDegree, 50 * kDegree, 30 * kDegree}},
      std::vector<double>{0.0, 1.5});
  constexpr double kPeriod = 0.002;
  constexpr int kSteps = 4;                                                      // of the plant in a period
  const double counts[] = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};  // [1/rad] not in the thesis
  std::string why;
  const std::optional<WristArm> arm = WristArm::of(model, "tool", why);
  ArmController controller(model, {law, {PolePair::complex(-12.0, 45.0)}, kPeriod, true});
  const auto plant = contact::open(puma_with_friction(friction), {.step = kPeriod / kSteps});
  std::vector<double> q(6), qd(6), qdd(6), tau(6), seen(6), before(6), rate(6);
  path.at(0.0, q.data(), qd.data(), qdd.data());
  plant->set_state({0.0, q, qd, {}});
  Errors errors;
  int ticks = 0;
  for (double sum = 0.0; ticks < 750; ++ticks) {
    const double t = kPeriod * ticks;
    path.at(t, q.data(), qd.data(), qdd.data());
    const simulate::State& state = plant->state();
    Joints is{}, should{};
    for (std::size_t i = 0; i < 6; ++i) {
      seen[i] = std::floor(state.q[i] * counts[i] + 0.5) / counts[i];
      rate[i] = ticks == 0 ? 0.0 : (seen[i] - before[i]) / kPeriod;
      before[i] = seen[i];
      is[i] = state.q[i];
      should[i] = q[i];
      errors.joint[i] = support::larger(errors.joint[i], std::abs(is[i] - should[i]));
    }
    const math::Vec3<double> apart = arm->pose(is).p - arm->pose(should).p;
    errors.largest = support::larger(errors.largest, std::sqrt(dot(apart, apart)));
    sum += dot(apart, apart);
    errors.rms = std::sqrt(sum / (ticks + 1));
    EXPECT_TRUE(controller.torque(t, seen, rate, q, qd, qdd, tau));
    for (int k = 0; k < kSteps; ++k) EXPECT_TRUE(plant->step({.tau = tau, .ports = {}, .wrench = {}}).ok());
  }
  return errors;
}

TEST(ArmController, FollowsTheStandardMoveWithinTheThesisError) {
  // "less than 0.3 millimeters" with a friction that is known to a fifth; with the right one ten times less.
  for (const ArmLaw law :
       {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque, ArmLaw::inverse_dynamics}) {
    for (const double friction : {0.8, 1.2}) {
      const Errors errors = standard_move(law, friction);
      EXPECT_LT(errors.largest, 0.35e-3) << name_of(law) << " " << friction;
      EXPECT_GT(errors.largest, 0.2e-3) << name_of(law) << " " << friction;  // friction is what it is
      EXPECT_NEAR(errors.rms, 0.22e-3, 0.02e-3) << name_of(law) << " " << friction;
    }
    EXPECT_LT(standard_move(law, 1.0).largest, 0.05e-3) << name_of(law);
  }
  // Without the products of velocities and off the diagonal, worse; with weight alone, worse still.
  const double diagonal = standard_move(ArmLaw::diagonal, 1.0).largest,
               gravity = standard_move(ArmLaw::gravity, 1.0).largest;
  EXPECT_GT(diagonal, 0.2e-3);
  EXPECT_LT(diagonal, 1e-3);
  EXPECT_GT(gravity, diagonal);
}

TEST(ArmController, PlacesThePolesOfTheErrorExactly) {
  // A small error from the path decays as the poles say, for a plant that is the model; gravity acts.
  describe::Model model = describe::load_text(
      "name: arm\nbodies:\n  a: {mass: 2, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}\n"
      "  b: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.01, 0.03, 0.03]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: y}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0]}}\n",
      "arm.yaml");
  constexpr double kStep = 1e-4, kError = 1e-4;
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::inverse_dynamics}) {
    ArmController controller(model, {law, {PolePair::real(-5.0, -20.0)}, 0.0, true});
    const auto plant = contact::open(model, {.step = kStep});
    plant->set_state({0.0, {0.3 + kError, -0.2}, {0.0, 0.0}, {}});
    std::vector<double> tau(2);
    const std::vector<double> q{0.3, -0.2}, none{0.0, 0.0};
    for (int k = 0; k < 2000; ++k) {
      ASSERT_TRUE(controller.torque(kStep * k, plant->state().q, plant->state().u, q, none, none, tau));
      ASSERT_TRUE(plant->step({.tau = tau, .ports = {}, .wrench = {}}).ok());
    }
    const double t = 0.2, exact = kError * (20.0 * std::exp(-5.0 * t) - 5.0 * std::exp(-20.0 * t)) / 15.0;
    // Held for a step: of first order in it.
    EXPECT_NEAR(plant->state().q[0] - 0.3, exact, 30.0 * kStep * kError) << name_of(law);
    EXPECT_NEAR(plant->state().q[1] + 0.2, 0.0, 30.0 * kStep * kError) << name_of(law);
  }
}

/// A function of the model's equations by a kernel of its own, without friction where that is not asked for.
std::vector<double> apart(const describe::Model& model, bool friction, const char* which, const char* output,
                          std::span<const double> q, std::span<const double> u,
                          std::span<const double> udot) {
  derive::Options options;
  options.friction = friction;
  const derive::Equations equations(model, options);
  const std::string name = which;
  generate::Evaluator f(generate::compile(name == "forces"    ? equations.inverse_dynamics()
                                          : name == "mass"    ? equations.mass_matrix()
                                          : name == "gravity" ? equations.gravity()
                                                              : equations.linear_model()));
  const auto fill = [&](const char* block, std::span<const double> values) {
    std::copy_n(values.begin(), f.input(block).size(), f.input(block).begin());
  };
  fill("q", q);
  fill("u", u);
  fill("udot", udot);
  f.run();
  return {f.output(output).begin(), f.output(output).end()};
}

TEST(ArmController, GivesTheForcesOfItsFormulas) {
  // The laws of the head of arm_controller.h, from functions that are derived and compiled apart; the library has one function for each.
  const describe::Model model = describe::load(puma_file());
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  const PolePair poles = PolePair::complex(-12.0, 45.0);
  constexpr double kPeriod = 2e-3;
  double off = 0.0, gains_off = 0.0;
  for (int n = 0; n < 2; ++n) {
    std::vector<double> q(6), qd(6), q_path(6), qd_path(6), qdd_path(6), tau(6);
    const std::vector<double> none(6);
    for (std::size_t i = 0; i < 6; ++i) {
      q_path[i] = 3.0 * uniform(random);
      qd_path[i] = 2.0 * uniform(random);
      qdd_path[i] = 5.0 * uniform(random);
      q[i] = q_path[i] + 0.1 * uniform(random);
      qd[i] = qd_path[i] + 0.1 * uniform(random);
    }
    for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque,
                             ArmLaw::diagonal, ArmLaw::gravity, ArmLaw::inverse_dynamics}) {
      const bool sampled = law == ArmLaw::sampled;
      const PolePair own = poles.of_law(sampled ? kPeriod : 0.0);
      std::vector<double> x(6), v(6), r(6), led(6), wanted(6);
      for (std::size_t i = 0; i < 6; ++i) {
        x[i] = q[i] - q_path[i];
        v[i] = qd[i] - qd_path[i];
        r[i] = own.sum * v[i] - own.product * x[i];
        led[i] = qdd_path[i] + r[i];
      }
      const auto times = [](const std::vector<double>& M, const std::vector<double>& y, std::size_t i) {
        double sum = 0.0;
        for (std::size_t j = 0; j < 6; ++j) sum += M[6 * i + j] * y[j];
        return sum;
      };
      const std::vector<double> forward = apart(model, true, "forces", "tau", q_path, qd_path, qdd_path),
                                with = apart(model, true, "forces", "tau", q_path, qd_path, none),
                                without = apart(model, false, "forces", "tau", q_path, qd_path, none),
                                M = apart(model, true, "mass", "M", law == ArmLaw::gravity ? q : q_path, none,
                                          none),
                                g = apart(model, true, "gravity", "g", law == ArmLaw::gravity ? q : q_path,
                                          none, none),
                                C = apart(model, true, "linear", "C", q_path, qd_path, qdd_path),
                                K = apart(model, true, "linear", "K", q_path, qd_path, qdd_path),
                                here = apart(model, false, "forces", "tau", q, qd, led);
      for (std::size_t i = 0; i < 6; ++i) {
        const double friction = with[i] - without[i];
        switch (law) {
          case ArmLaw::pole_placement:
          case ArmLaw::sampled:
            wanted[i] = forward[i] + times(K, x, i) + times(C, v, i) + times(M, r, i);
            break;
          case ArmLaw::computed_torque:
            wanted[i] = forward[i] + times(M, r, i);
            break;
          case ArmLaw::diagonal:
            wanted[i] = friction + g[i] + M[7 * i] * led[i];
            break;
          case ArmLaw::gravity:
            wanted[i] = g[i] + M[7 * i] * r[i];
            break;
          case ArmLaw::inverse_dynamics:
            wanted[i] = friction + here[i];
            break;
        }
      }
      ArmController controller(model, {law, {poles}, kPeriod, false});
      ASSERT_TRUE(controller.torque(0.0, q, qd, q_path, qd_path, qdd_path, tau));
      off = support::larger(off, support::relative_difference(wanted, tau));
      if (law != ArmLaw::pole_placement && !sampled) continue;
      // The gains that generated code shows are those of poles.h.
      ControllerSettings settings;
      settings.arm = {law, {poles}, kPeriod, false};
      const algebra::Function function =
          controller_program(model, fmt::format("controller:{}", name_of(law)), settings).functions[0];
      generate::Evaluator code(generate::compile(function));
      std::copy(q_path.begin(), q_path.end(), code.input("q_wanted").begin());
      std::copy(qd_path.begin(), qd_path.end(), code.input("qd_wanted").begin());
      std::copy(qdd_path.begin(), qdd_path.end(), code.input("qdd_wanted").begin());
      code.run();
      const PoleGains gains =
          pole_gains(controller.point(), std::vector<PolePair>(6, poles), sampled ? kPeriod : 0.0);
      for (const auto& [block, matrix] : {std::pair{"G_1", &gains.position}, {"G_2", &gains.velocity}})
        for (Eigen::Index i = 0; i < 36; ++i)
          gains_off = support::larger(
              gains_off, std::abs(code.output(block)[static_cast<std::size_t>(i)] - (*matrix)(i / 6, i % 6)) /
                             matrix->norm());
      EXPECT_LT(support::relative_difference(forward, code.output("tau_wanted")), 1e-13);
    }
  }
  constexpr double kRounding = 1e-12;  // of some thousand operations, by the largest force
  EXPECT_LT(off, kRounding);
  EXPECT_LT(gains_off, kRounding);
}

TEST(ArmController, CutsForcesAndCountsIt) {
  const describe::Model model = describe::load(puma_file());
  ArmController controller(model, {ArmLaw::computed_torque, {PolePair::complex(-12.0, 45.0)}, 0.0, true});
  std::vector<double> q(6, 0.0), wanted(6, 3.0), none(6, 0.0), tau(6);
  ASSERT_TRUE(controller.torque(0.0, q, none, wanted, none, none, tau));
  EXPECT_GT(controller.cut(), 0);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LE(std::abs(tau[i]), controller.most()[i]);
  q[2] = std::nan("");
  EXPECT_FALSE(controller.torque(0.0, q, none, wanted, none, none, tau));
  for (const double x : tau) EXPECT_EQ(x, 0.0);
}

TEST(ArmController, TakesNoMemoryInTheLoop) {
  const describe::Model model = describe::load(puma_file());
  std::vector<double> q(6, 0.1), qd(6, 0.2), wanted(6, 0.15), none(6, 0.0), tau(6);
  for (const ArmLaw law : {ArmLaw::pole_placement, ArmLaw::sampled, ArmLaw::computed_torque, ArmLaw::diagonal,
                           ArmLaw::gravity, ArmLaw::inverse_dynamics}) {
    ArmController controller(model, {law, {PolePair::complex(-12.0, 45.0)}, 0.002, true});
    const long before = test::allocation_count();
    for (int k = 0; k < 10; ++k) controller.torque(0.0, q, qd, wanted, none, none, tau);
    EXPECT_EQ(test::allocation_count(), before) << name_of(law);
    EXPECT_EQ(arm_law(name_of(law)), law);
  }
  EXPECT_FALSE(arm_law("by-magic"));
}

TEST(ArmController, RefusesWhatCannotBe) {
  const describe::Model puma = describe::load(puma_file());
  const auto refuses = [&](const describe::Model& model, const ArmControl& control) {
    EXPECT_THROW(ArmController(model, control), InputError);
  };
  refuses(puma, {ArmLaw::pole_placement, {PolePair::complex(2.0, 3.0)}, 0.0, true});
  refuses(puma, {ArmLaw::pole_placement, {}, 0.0, true});
  refuses(puma, {ArmLaw::sampled, {PolePair::complex(-2.0, 3.0)}, 0.0, true});
  refuses(describe::load(support::source_dir() + "/models/slider_crank.yaml"),
          {ArmLaw::gravity, {PolePair::complex(-2.0, 3.0)}, 0.0, true});
}

}  // namespace
}  // namespace tactus::control
