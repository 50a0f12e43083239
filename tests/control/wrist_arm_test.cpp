// Closed inverse kinematics: every branch against the mechanism's own kinematics, which knows nothing of it.
#include <tactus/control/arm/wrist_arm.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::control {
namespace {

constexpr double kMetres = 1e-12;  // asked for; rounding is some 1e-14
/// Angles near the border of what can be reached lose half their digits.
constexpr double kSameBranch = 1e-6;
constexpr double kRelative = 1e-12;

std::string joints_with(const std::string& second, const std::string& third,
                        const std::string& wrist = "rpy: [-75 deg, 5 deg, 40 deg]") {
  std::string text = "name: arm\nbodies:\n";
  for (const char* body : {"a", "b", "c", "d", "e", "f"})
    text += std::string("  ") + body + ": {mass: 1, inertia: [1, 1, 1]}\n";
  return text +
         "joints:\n"
         "  q1: {type: revolute, parent: world, child: a, axis: z, placement: {xyz: [0.1, 0.2, 0.3], rpy: "
         "[10 deg, 20 deg, 30 deg]}}\n"
         "  q2: {type: revolute, parent: a, child: b, axis: z, placement: {" +
         second +
         "}}\n"
         "  q3: {type: revolute, parent: b, child: c, axis: z, placement: {" +
         third +
         "}}\n"
         "  q4: {type: revolute, parent: c, child: d, axis: z, placement: {xyz: [0.35, 0.03, 0.05], rpy: [80 "
         "deg, 12 deg, 10 deg]}}\n"
         "  q5: {type: revolute, parent: d, child: e, axis: z, placement: {" +
         wrist +
         "}}\n"
         "  q6: {type: revolute, parent: e, child: f, axis: z, placement: {rpy: [65 deg, -5 deg, 50 deg]}}\n"
         "frames:\n  tool: {body: f, placement: {xyz: [0.01, 0.02, 0.11], rpy: [11 deg, -23 deg, 37 deg]}}\n";
}
const char* const kOffset = "xyz: [0.2, 0.05, 0.1], rpy: [70 deg, 5 deg, 20 deg]";
const char* const kAside = "xyz: [0.4, 0.07, -0.1], rpy: [-50 deg, 15 deg, 40 deg]";
const char* const kAlong = "xyz: [0.4, 0.07, -0.1], rpy: [0, 0, 40 deg]";

struct Subject {
  std::string name;
  describe::Model model;
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  all.push_back({"puma", describe::load(support::source_dir() + "/models/puma560.yaml")});
  all.push_back({"general", describe::load_text(joints_with(kOffset, kAside), "general.yaml")});
  all.push_back({"parallel", describe::load_text(joints_with(kOffset, kAlong), "parallel.yaml")});
  all.push_back(
      {"meeting", describe::load_text(joints_with("xyz: [0, 0, 0.1], rpy: [70 deg, 5 deg, 20 deg]", kAside),
                                      "meeting.yaml")});
  return all;
}

WristArm arm_of(const Subject& subject) {
  std::string why;
  std::optional<WristArm> arm = WristArm::of(subject.model, "tool", why);
  EXPECT_TRUE(arm) << subject.name << ": " << why;
  return *arm;
}

/// The derived kinematics of the frame.
class Frame {
 public:
  explicit Frame(const describe::Model& model)
      : motion_(generate::compile(derive::Equations(model).frame_motion(0))) {}
  void move(const Joints& q, const Joints& qd, const Joints& qdd) {
    std::copy(q.begin(), q.end(), motion_.input("q").begin());
    std::copy(qd.begin(), qd.end(), motion_.input("u").begin());
    std::copy(qdd.begin(), qdd.end(), motion_.input("udot").begin());
    motion_.run();
  }
  math::Pose<double> pose() const {
    math::Pose<double> X;
    for (std::size_t i = 0; i < 3; ++i) {
      X.p[i] = motion_.output("p")[i];
      for (std::size_t j = 0; j < 3; ++j) X.R(i, j) = motion_.output("R")[3 * i + j];
    }
    return X;
  }
  WristArm::Motion motion() const {
    WristArm::Motion motion;
    std::copy_n(motion_.output("V").begin(), 6, motion.V.begin());
    std::copy_n(motion_.output("A").begin(), 6, motion.A.begin());
    return motion;
  }

 private:
  generate::Evaluator motion_;
};

double distance(const math::Pose<double>& a, const math::Pose<double>& b, bool turned) {
  double most = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!turned) most = support::larger(most, std::abs(a.p[i] - b.p[i]));
    for (std::size_t j = 0; turned && j < 3; ++j)
      most = support::larger(most, std::abs(a.R(i, j) - b.R(i, j)));
  }
  return most;
}

double apart(const Joints& a, const Joints& b) {
  double most = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    most = support::larger(most, std::abs(std::remainder(a[i] - b[i], 2.0 * M_PI)));
  return most;
}

struct Random {
  std::mt19937 generator{7};
  Joints joints(double size) {
    std::uniform_real_distribution<double> uniform(-size, size);
    Joints q;
    for (double& x : q) x = uniform(generator);
    return q;
  }
};

TEST(WristArm, FindsAllBranchesOfAHundredThousandPoses) {
  Random random;
  for (const Subject& subject : subjects()) {
    const WristArm arm = arm_of(subject);
    Frame frame(subject.model);
    const int poses = subject.name == "puma" ? 100'000 : 5'000;
    double metres = 0.0, turned = 0.0;
    int lost = 0, doubled = 0;
    for (int k = 0; k < poses; ++k) {
      const Joints q = random.joints(M_PI);
      frame.move(q, {}, {});
      const math::Pose<double> X = frame.pose();
      const Branches ways = arm.position(X);
      bool found = false;
      for (int i = 0; i < ways.count; ++i) {
        const Branch& way = ways.all[static_cast<std::size_t>(i)];
        frame.move(way.q, {}, {});
        metres = support::larger(metres, distance(frame.pose(), X, false));
        turned = support::larger(turned, distance(frame.pose(), X, true));
        found = found || apart(way.q, q) < kSameBranch;
        for (int j = 0; j < i; ++j)
          doubled += apart(way.q, ways.all[static_cast<std::size_t>(j)].q) < kSameBranch;
      }
      lost += !found;
      if (subject.name == "puma") {
        ASSERT_EQ(ways.count, 8) << k;
      }
    }
    EXPECT_EQ(lost, 0) << subject.name;
    EXPECT_EQ(doubled, 0) << subject.name;
    EXPECT_LT(metres, kMetres) << subject.name;
    EXPECT_LT(turned, 1e-11)
        << subject.name;  // near an aligned wrist: its two turns are large against their sum
  }
}

TEST(WristArm, GivesRatesAndAccelerationsThatMakeTheMotion) {
  Random random;
  for (const Subject& subject : subjects()) {
    const WristArm arm = arm_of(subject);
    Frame frame(subject.model);
    double worst = 0.0, backward = 0.0;
    int regular = 0;
    for (int k = 0; k < 5'000; ++k) {
      const Joints q = random.joints(M_PI), qd = random.joints(2.0), qdd = random.joints(5.0);
      frame.move(q, qd, qdd);
      const WristArm::Motion wanted = frame.motion();
      const WristArm::Motion own = arm.motion(q, qd, qdd);
      worst = support::larger(worst, support::relative_difference(wanted.V, own.V),
                              support::relative_difference(wanted.A, own.A));
      const WristArm::Rates rates = arm.rates(q, wanted);
      if (rates.arm < 0.05 || rates.wrist < 0.05) continue;
      ++regular;
      frame.move(q, rates.qd, rates.qdd);
      backward = support::larger(backward, support::relative_difference(wanted.V, frame.motion().V),
                                 support::relative_difference(wanted.A, frame.motion().A));
    }
    EXPECT_LT(worst, kRelative) << subject.name;
    EXPECT_LT(backward, 10.0 * kRelative) << subject.name;
    EXPECT_GT(regular, 1'000) << subject.name;
  }
}

TEST(WristArm, FollowsTheNearestBranchThroughAPath) {
  const Subject puma = subjects()[0];
  const WristArm arm = arm_of(puma);
  Joints q{0.3, -0.8, 1.1, 0.4, 0.9, -0.6};
  for (int k = 1; k <= 2000; ++k) {
    const double t = 0.005 * k;
    const Joints wanted{0.3 + 0.9 * std::sin(t),       -0.8 + 0.3 * std::sin(1.3 * t),
                        1.1 + 0.4 * std::sin(0.7 * t), 0.4 + 2.0 * t,
                        0.9 + 0.3 * std::cos(t),       -0.6 - t};
    const Branch way = arm.nearest(arm.pose(wanted), q);
    ASSERT_EQ(way.reach, Reach::exact) << k;
    for (std::size_t i = 0; i < 6; ++i)
      ASSERT_NEAR(way.q[i], wanted[i], 1e-9) << k;  // whole turns are counted on
    q = way.q;
  }
}

TEST(WristArm, FollowsFromTickToTickWhereTheNearestWayIs) {
  for (const Subject& subject : subjects()) {
    const WristArm arm = arm_of(subject);
    Random random;
    for (int k = 0; k < 2000; ++k) {
      const Joints q = random.joints(3.1);
      // Near, as from tick to tick, and anywhere.
      for (const double stride : {0.05, 1.5}) {
        Joints near = random.joints(3.1);
        for (std::size_t i = 0; i < 6; ++i) near[i] = q[i] + stride / 3.1 * near[i];
        const Branch one = arm.follow(arm.pose(q), near), other = arm.nearest(arm.pose(q), near);
        EXPECT_EQ(one.reach, other.reach) << subject.name;
        EXPECT_LT(apart(one.q, other.q), kSameBranch) << subject.name << " " << k;
      }
    }
    const Joints q{0.1, -0.5, 1.0, 0.3, 1.0, 0.2};
    WristArm::Motion motion;
    motion.V = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    motion.A = {1.0, -2.0, 3.0, -4.0, 5.0, -6.0};
    const WristArm::Whole whole = arm.whole(arm.pose(q), motion, q);
    EXPECT_LT(apart(whole.way.q, q), kSameBranch);
    EXPECT_EQ(whole.rates.qdd, arm.rates(whole.way.q, motion).qdd);
  }
}

TEST(WristArm, TakesAWrenchToTheJointsSoThatPowerIsTheSame) {
  for (const Subject& subject : subjects()) {
    const WristArm arm = arm_of(subject);
    Random random;
    const Joints q = random.joints(3.1), qd = random.joints(3.1), F = random.joints(3.1);
    const std::array<double, 6> V = arm.motion(q, qd, {}).V;
    const Joints tau = arm.at_joints(q, F);
    double at_joints = 0.0, at_frame = 0.0, size = 0.0;
    for (std::size_t i = 0; i < 6; ++i) {
      at_joints += tau[i] * qd[i];
      at_frame += F[i] * V[i];
      size += std::abs(F[i] * V[i]);
    }
    EXPECT_NEAR(at_joints, at_frame, kRelative * size) << subject.name;
  }
}

TEST(WristArm, KeepsTheFourthJointWhereTheWristIsAligned) {
  const Subject puma = subjects()[0];
  const WristArm arm = arm_of(puma);
  const Joints q{0.3, -0.8, 1.1, 0.4, 0.0, -0.6}, near{0.3, -0.8, 1.1, 1.0, 0.01, -1.3};
  const Branch way = arm.nearest(arm.pose(q), near);
  EXPECT_EQ(way.reach, Reach::wrist);
  EXPECT_EQ(way.q[3], near[3]);
  EXPECT_NEAR(way.q[3] + way.q[5], q[3] + q[5], 1e-9);
  EXPECT_LT(distance(arm.pose(way.q), arm.pose(q), true), 1e-9);
  // Rates stay bounded there, whatever is asked for.
  WristArm::Motion asked;
  asked.V = {1.0, 1.0, 1.0, 0.1, 0.1, 0.1};
  const WristArm::Rates rates = arm.rates(q, asked);
  EXPECT_LT(rates.wrist, WristArm::kSingular);
  for (const double x : rates.qd) EXPECT_LT(std::abs(x), 2.0 / WristArm::kSingular);
}

TEST(WristArm, StretchesTowardsWhatIsTooFar) {
  const Subject puma = subjects()[0];
  const WristArm arm = arm_of(puma);
  math::Pose<double> X = arm.pose({0.3, -0.8, 1.1, 0.4, 0.5, -0.6});
  X.p = 5.0 * X.p;
  const Branches ways = arm.position(X);
  ASSERT_GT(ways.count, 0);
  for (int i = 0; i < ways.count; ++i) {
    const Branch& way = ways.all[static_cast<std::size_t>(i)];
    EXPECT_EQ(way.reach, Reach::too_far);
    EXPECT_GT(way.missed, 0.1);
    for (const double x : way.q) EXPECT_TRUE(std::isfinite(x));
    EXPECT_LT(distance(arm.pose(way.q), X, true), 1e-9);  // it still looks the way it should
  }
}

TEST(WristArm, SaysWhyAModelIsNone) {
  const auto why = [](const describe::Model& model, const char* frame = "tool") {
    std::string words;
    EXPECT_FALSE(WristArm::of(model, frame, words));
    return words;
  };
  EXPECT_NE(why(describe::load(support::source_dir() + "/models/general_6r.yaml")).find("do not meet"),
            std::string::npos);
  EXPECT_NE(
      why(describe::load(support::source_dir() + "/models/puma560.yaml"), "hand").find("no frame `hand`"),
      std::string::npos);
  EXPECT_NE(why(describe::load(support::source_dir() + "/models/slider_crank.yaml"), "C").find("constraints"),
            std::string::npos);
}

}  // namespace
}  // namespace tactus::control
