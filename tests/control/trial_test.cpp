// Random trials of a law: the same whatever the number of threads, and of a loop whose stability is known.
#include <tactus/control/arm/trial.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

describe::Model puma() { return describe::load(support::source_dir() + "/models/puma560.yaml"); }

TrialOptions of_thesis() {
  TrialOptions options;
  options.control = {ArmLaw::pole_placement, {PolePair::complex(-12.0, 45.0)}, 0.002, true};
  options.ranges = {{0.0, 2.0}, {0.8, 1.2}, {0.9, 1.1}, {0.0, 0.002}, {5000.0, 20000.0}};
  options.hold = 0.1;
  return options;
}

/// With nothing wrong, 1e4 steps in a radian.
TrialValues right(const TrialArm& arm) {
  TrialValues values;
  values.encoder = 1e4;
  values.friction.assign(arm.joint_names().size(), 1.0);
  values.inertia.assign(arm.body_names().size(), 1.0);
  values.phase.assign(arm.joint_names().size(), 0.5);
  return values;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

TEST(Trials, AreTheSameBitsWhateverTheNumberOfThreads) {
  const TrialArm arm(puma(), standard_move(1.0), of_thesis());
  const std::vector<TrialOutcome> one = run_trials(arm, 6, 1), three = run_trials(arm, 6, 3),
                                  few = run_trials(arm, 2, 2);
  ASSERT_EQ(one.size(), 6u);
  std::set<std::uint64_t> different;
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].number, i);
    for (const TrialOutcome* other : {&three[i], i < few.size() ? &few[i] : &three[i]}) {
      EXPECT_EQ(other->number, i);
      EXPECT_EQ(other->end, one[i].end);
      EXPECT_EQ(other->cut, one[i].cut);
      EXPECT_TRUE(same_bits(other->largest, one[i].largest)) << i;
      EXPECT_TRUE(same_bits(other->rms, one[i].rms)) << i;
      EXPECT_TRUE(same_bits(other->values.payload, one[i].values.payload)) << i;
      for (std::size_t j = 0; j < 6; ++j)
        EXPECT_TRUE(same_bits(other->joint_largest[j], one[i].joint_largest[j])) << i << " " << j;
    }
    EXPECT_TRUE(one[i].stable()) << i;
    EXPECT_GT(one[i].largest, 0.0);
    different.insert(std::bit_cast<std::uint64_t>(one[i].largest));
  }
  EXPECT_EQ(different.size(), 6u);
}

TEST(Trials, DrawEvenlyBetweenTheirBounds) {
  const TrialOptions options = of_thesis();
  const TrialArm arm(puma(), standard_move(), options);
  constexpr std::uint64_t kCount = 4000;
  double payload = 0.0, delay = 0.0, logarithm = 0.0, friction = 0.0, product = 0.0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    const TrialValues v = arm.draw(i);
    ASSERT_EQ(v.friction.size(), 6u);
    ASSERT_EQ(v.inertia.size(), 6u);
    EXPECT_TRUE(v.payload >= 0.0 && v.payload <= 2.0);
    EXPECT_TRUE(v.delay >= 0.0 && v.delay <= 0.002);
    EXPECT_TRUE(v.encoder >= 5000.0 * (1.0 - 1e-12) && v.encoder <= 20000.0 * (1.0 + 1e-12));
    for (const double x : v.friction) EXPECT_TRUE(x >= 0.8 && x <= 1.2);
    for (const double x : v.inertia) EXPECT_TRUE(x >= 0.9 && x <= 1.1);
    payload += v.payload / kCount;
    delay += v.delay / kCount;
    logarithm += std::log2(v.encoder) / kCount;
    friction += v.friction[5] / kCount;
    product += (v.payload - 1.0) * (v.friction[0] - 1.0) / kCount;
  }
  // Five standard deviations of the mean of 4000: 0.0046 of the width.
  constexpr double kFar = 5.0 / 3.4641 / 63.2;
  EXPECT_NEAR(payload, 1.0, 2.0 * kFar);
  EXPECT_NEAR(delay, 0.001, 0.002 * kFar);
  EXPECT_NEAR(logarithm, std::log2(1e4), 2.0 * kFar);
  EXPECT_NEAR(friction, 1.0, 0.4 * kFar);
  EXPECT_NEAR(product, 0.0, 2.0 * 0.4 / 12.0 * 5.0 / 63.2);  // nothing goes with anything else
  TrialOptions other = options;
  other.seed = 2;
  EXPECT_NE(TrialArm(puma(), standard_move(), other).draw(0).payload, arm.draw(0).payload);
}

TEST(Trials, FollowTheStandardMoveAsItsOwnLoopDoes) {
  // arm_controller_test.cpp has a loop of its own: 0.03 mm with the right friction, 0.29 mm with a fifth more.
  TrialOptions options = of_thesis();
  const TrialArm arm(puma(), standard_move(), options);
  TrialArm::Loop loop(arm);
  TrialValues values = right(arm);
  const TrialOutcome good = loop.run(0, values);
  EXPECT_TRUE(good.stable());
  EXPECT_LT(good.largest, 0.05e-3);
  std::fill(values.friction.begin(), values.friction.end(), 1.2);
  const TrialOutcome rough = loop.run(1, values);
  EXPECT_TRUE(rough.stable());
  EXPECT_NEAR(rough.largest, 0.289e-3, 0.02e-3);
  EXPECT_NEAR(rough.rms, 0.22e-3, 0.02e-3);
  // A payload is nothing to a law that knows it.
  values = right(arm);
  values.payload = 2.0;
  const double unknown = loop.run(2, values).largest;
  options.assumed = 2.0;
  const TrialArm knowing(puma(), standard_move(), options);
  const double known = TrialArm::Loop(knowing).run(2, values).largest;
  EXPECT_LT(known, 0.05e-3);
  EXPECT_GT(unknown, 10.0 * known);
  // The first again: nothing is left of what was between.
  EXPECT_TRUE(same_bits(loop.run(0, right(arm)).largest, good.largest));
}

/// One joint without weight and friction: with a = gamma (S (x_k - x_k-1)/h - P x_k) arriving after d of s steps, the motion over a period is linear
/// in x, v, the last x and the last two forces.
double growth(double gamma, double S, double P, double h, int late, int steps) {
  // Of the period's forces, part (d/s) still has the one before.
  const double old = h * late / steps, now = h - old;
  Eigen::Matrix4d A = Eigen::Matrix4d::Zero();  // x, v, x before, force before
  Eigen::RowVector4d force;
  force << gamma * (S / h - P), 0.0, -gamma * S / h, 0.0;
  Eigen::RowVector4d before;
  before << 0.0, 0.0, 0.0, 1.0;
  A.row(0) << 1.0, h, 0.0, 0.0;
  A.row(0) += (old * now + 0.5 * old * old) * before + 0.5 * now * now * force;
  A.row(1) << 0.0, 1.0, 0.0, 0.0;
  A.row(1) += old * before + now * force;
  A(2, 0) = 1.0;
  A.row(3) = force;
  return Eigen::EigenSolver<Eigen::Matrix4d>(A, false).eigenvalues().cwiseAbs().maxCoeff();
}

TEST(Trials, AreUnstableWhereTheLinearLoopIs) {
  const describe::Model wheel = describe::load_text(
      "name: wheel\ngravity: [0, 0, 0]\nbodies:\n  wheel: {mass: 1, inertia: [0.5, 0.5, 0.5]}\njoints:\n"
      "  turn: {type: revolute, parent: world, child: wheel, axis: z}\n",
      "wheel.yaml");
  TrialOptions options;
  options.control = {ArmLaw::pole_placement, {PolePair::complex(-30.0, 60.0)}, 0.002, true};
  options.hold = 3.0;
  options.ranges.delay = {0.0, 0.0015};
  const TrialArm arm(wheel, JointPath({{0.0}, {1.0}}, std::vector<double>{0.0, 0.5}), options);
  TrialArm::Loop loop(arm);
  const PolePair pair = options.control.poles.front();
  double limit_before = HUGE_VAL;
  for (const int late : {0, 1, 3}) {
    double stable = 1.0, unstable = 100.0;
    ASSERT_LT(growth(stable, pair.sum, pair.product, options.period, late, options.steps), 1.0);
    ASSERT_GT(growth(unstable, pair.sum, pair.product, options.period, late, options.steps), 1.0);
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (stable + unstable);
      (growth(middle, pair.sum, pair.product, options.period, late, options.steps) < 1.0 ? stable
                                                                                         : unstable) = middle;
    }
    EXPECT_LT(stable, 0.95 * limit_before) << late;  // delay costs
    limit_before = stable;
    TrialValues values = right(arm);
    values.encoder = 1e5;
    values.delay = late * options.period / options.steps;
    // The law's inertia is gamma times the true one.
    values.inertia = {1.0 / (0.97 * stable)};
    EXPECT_TRUE(loop.run(0, values).stable()) << late << " " << stable;
    values.inertia = {1.0 / (1.03 * stable)};
    EXPECT_FALSE(loop.run(0, values).stable()) << late << " " << stable;
  }
}

TEST(Trials, ThatAreLostEndWhereTheyWere) {
  TrialOptions options = of_thesis();
  options.control.poles = {PolePair::complex(-45.0, 45.0)};
  options.ranges.delay = {0.0, 0.05};
  const TrialArm arm(puma(), standard_move(), options);
  TrialValues values = right(arm);
  values.delay = 0.05;
  const TrialOutcome lost = TrialArm::Loop(arm).run(0, values);
  EXPECT_EQ(lost.end, TrialEnd::lost);
  EXPECT_LT(lost.time, 1.5);
  EXPECT_GT(lost.worst_joint(), options.lost);
}

TEST(Trials, TogetherAreCountedAndSorted) {
  std::vector<TrialOutcome> all(101);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].number = i;
    all[i].largest = 1e-3 * static_cast<double>((i * 37) % 101);  // each of 0 to 100 once
    all[i].rms = 0.5 * all[i].largest;
    all[i].joint_largest = {all[i].largest, 2.0 * all[i].largest};
  }
  TrialSummary summary = summary_of(all);
  EXPECT_EQ(summary.lost + summary.restless, 0u);
  EXPECT_NEAR(summary.largest[1], 5e-3, 1e-15);
  EXPECT_NEAR(summary.largest[2], 50e-3, 1e-15);
  EXPECT_NEAR(summary.rms[3], 47.5e-3, 1e-15);
  EXPECT_NEAR(summary.joint[4], 0.2, 1e-15);
  EXPECT_EQ(all[summary.worst].largest, 0.1);
  all[7].end = TrialEnd::restless;
  EXPECT_EQ(summary_of(all).worst, 7u);
  all[9].end = all[8].end = TrialEnd::lost;
  all[9].time = 1.0;
  all[8].time = 1.1;
  summary = summary_of(all);
  EXPECT_EQ(summary.worst, 9u);
  EXPECT_EQ(summary.lost, 2u);
  EXPECT_EQ(summary.restless, 1u);
  for (TrialOutcome& one : all) one.end = TrialEnd::lost;
  EXPECT_TRUE(std::isnan(summary_of(all).largest[2]));
}

TEST(Trials, ThatCannotBeAreRefused) {
  const TrialOptions good = of_thesis();
  const auto refuses = [&](auto&& change) {
    TrialOptions options = good;
    change(options);
    EXPECT_THROW(TrialArm(puma(), standard_move(), options), InputError);
  };
  refuses([](TrialOptions& o) { o.ranges.payload = {-1.0, 2.0}; });
  refuses([](TrialOptions& o) { o.ranges.payload = {2.0, 1.0}; });
  refuses([](TrialOptions& o) { o.ranges.friction = {-0.1, 1.0}; });
  refuses([](TrialOptions& o) { o.ranges.inertia = {0.0, 1.0}; });
  refuses([](TrialOptions& o) { o.ranges.delay = {0.0, std::nan("")}; });
  refuses([](TrialOptions& o) { o.ranges.delay = {0.0, 9.0}; });
  refuses([](TrialOptions& o) { o.ranges.encoder = {0.0, 100.0}; });
  refuses([](TrialOptions& o) { o.period = 0.0; });
  refuses([](TrialOptions& o) { o.steps = 0; });
  refuses([](TrialOptions& o) { o.hold = -1.0; });
  refuses([](TrialOptions& o) { o.assumed = -1.0; });
  refuses([](TrialOptions& o) { o.frame = "tol"; });
  refuses([](TrialOptions& o) { o.control.poles = {PolePair::complex(1.0, 2.0)}; });
  EXPECT_THROW(TrialArm(describe::load(support::source_dir() + "/models/scara.yaml"), standard_move(), good),
               InputError);
  EXPECT_THROW(TrialArm(describe::load(support::source_dir() + "/models/four_bar.yaml"),
                        JointPath({{0.0}, {1.0}}, std::vector<double>{0.0, 1.0}), good),
               InputError);
  const TrialArm arm(puma(), standard_move(), good);
  EXPECT_THROW(run_trials(arm, 0, 1), InputError);
  EXPECT_THROW(run_trials(arm, 1, 0), InputError);
  EXPECT_THROW(with_payload(puma(), "tool", -1.0), InputError);
  EXPECT_THROW(with_payload(puma(), "tol", 1.0), InputError);
}

}  // namespace
}  // namespace tactus::control
