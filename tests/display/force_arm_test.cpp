// A robot arm as what a hand holds [Clover1996, IV]: what is felt through it, and when it stops.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/loop.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

using control::ArmDevice;
using control::ArmDeviceOptions;
using device::Vector6;
using Vec3 = math::Vec3<double>;

constexpr double kDegree = std::numbers::pi / 180.0;

describe::Model puma() { return describe::load(support::source_dir() + "/models/puma560.yaml"); }

/// A free body of m kg.
std::unique_ptr<simulate::Mechanism> object(const std::string& m, double rate) {
  const describe::Model model = describe::load(support::source_dir() + "/models/rigid_body.yaml",
                                               {{"m", m}, {"Ix", "0.83"}, {"Iy", "0.83"}, {"Iz", "0.83"}});
  return contact::open(model, {.step = 1.0 / rate});
}

ArmDeviceOptions thesis() {
  ArmDeviceOptions options;
  options.start = {0.0, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0};
  options.encoder = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};
  return options;
}

/// Encoders and transducer without steps.
ArmDeviceOptions exact() {
  ArmDeviceOptions options = thesis();
  options.encoder = {0.0};
  options.transducer.step = {};
  return options;
}

/// A hand that leads the tool round a circle of 20 cm in two seconds.
device::HandPointer circling() {
  return device::following(device::circles({-0.1, 0, 0}, {0, 0.1, 0}, 2.0), {{20.0, 400.0}, {0.5, 20.0}});
}

struct Held {
  Held(const ArmDeviceOptions& options, const std::string& m, device::HandPointer hand)
      : device(puma(), options, std::move(hand)),
        mechanism(object(m, options.rate)),
        loop(*mechanism, device, mechanism->port("center"), {}, {}) {}

  /// How many ticks went well.
  int go(int ticks) {
    int k = 0;
    EXPECT_TRUE(loop.enable());
    for (; k < ticks && device.wait(); ++k)
      if (!loop.tick(loop.period())) break;
    return k;
  }

  ArmDevice device;
  std::unique_ptr<simulate::Mechanism> mechanism;
  HapticLoop loop;
};

/// [kg] impulse of the hand over what the tool's velocity gains by it, over windows of a quarter of a second: jumps of friction, where joints turn
/// back, average out.
double felt_mass(Held& run, int ticks) {
  constexpr int kWindow = 125;
  double top = 0.0, bottom = 0.0;
  Vec3 impulse{}, last{};
  EXPECT_TRUE(run.loop.enable());
  for (int k = 0; k < ticks && run.device.wait(); ++k) {
    if (!run.loop.tick(run.loop.period())) return NAN;
    const ArmDevice::Record& r = run.device.record();
    if (k % kWindow == 0) {
      const Vec3 v{r.V[3], r.V[4], r.V[5]}, gained = v - last;
      if (k >= 1000) {  // the ramp is over
        top += dot(impulse, gained);
        bottom += dot(gained, gained);
      }
      last = v;
      impulse = Vec3::zero();
    }
    impulse = impulse + (1.0 / run.device.specification().rate) * Vec3{r.hand[3], r.hand[4], r.hand[5]};
  }
  return top / bottom;
}

TEST(ForceArm, IsFeltAsTheMassOfTheVirtualObject) {
  constexpr double kThousandth =
      1e-3;  // the thesis' claim, as issue 13 has it: a tenth of a percent without noise and steps
  for (const control::ArmLaw law : {control::ArmLaw::pole_placement, control::ArmLaw::computed_torque}) {
    ArmDeviceOptions options = exact();
    options.law = law;
    Held run(options, "5 kg", circling());
    EXPECT_NEAR(felt_mass(run, 3000), 5.0, 5.0 * kThousandth) << name_of(law);
    EXPECT_TRUE(run.device.trouble().empty()) << run.device.trouble();
  }
}

TEST(ForceArm, KeepsTheToolWhereTheObjectIs) {
  ArmDeviceOptions options = thesis();
  options.transducer.noise = {0.01, 0.05};
  Held run(options, "5 kg", circling());
  double off = 0.0;
  ASSERT_TRUE(run.loop.enable());
  for (int k = 0; k < 3000 && run.device.wait(); ++k) {
    ASSERT_TRUE(run.loop.tick(run.loop.period())) << run.device.trouble();
    const ArmDevice::Record& r = run.device.record();
    const Vec3 e = run.device.pose(r.q).p - run.device.pose(r.wanted).p;
    if (k > 500) off = support::larger(off, std::sqrt(dot(e, e)));
  }
  EXPECT_LT(off, 0.07e-3);  // seed notes: below 0.07 mm with steps and noise
}

// The hand pulls at an object that does not move, and the motors do not know of it: poles alone leave an error, which an integral takes out.
TEST(ForceArm, AnIntegralTakesOutWhatAStandingForceLeaves) {
  const auto off_after = [](double integral) {
    ArmDeviceOptions options = exact();
    options.carries_hand = false;
    options.friction = 0.0;  // nothing else holds the joints
    if (integral > 0.0) options.integral = {integral};
    Held run(options, "1e9 kg", device::constant({0, 0, 0, 0, 20.0, 0}));
    EXPECT_EQ(run.go(2500), 2500) << run.device.trouble();
    const ArmDevice::Record& r = run.device.record();
    double off = 0.0;
    for (std::size_t i = 0; i < 6; ++i) off = support::larger(off, std::abs(r.q[i] - r.wanted[i]));
    return off;
  };
  // Poles -12 +- 45j: K_p K_d is 52,000 1/s^3. With a quarter of that the slowest root is -6 1/s: after 5 s nothing is left.
  const double by_poles = off_after(0.0), with_integral = off_after(13000.0);
  EXPECT_GT(by_poles, 1e-4);  // [rad]
  EXPECT_LT(with_integral, 1e-3 * by_poles);
  ArmDeviceOptions unstable = exact();
  unstable.integral = {53000.0};
  EXPECT_THROW(ArmDevice(puma(), unstable, device::none()), InputError);
  unstable.integral = {1.0, 2.0};
  EXPECT_THROW(ArmDevice(puma(), unstable, device::none()), InputError);
}

TEST(ForceArm, WhatHangsBeyondTheTransducerIsNotFelt) {
  // Without compensation its mass is felt besides; its weight, along z, is not along the circle.
  constexpr double kMass = 0.5, kThousandth = 1e-3;
  ArmDeviceOptions options = exact();
  options.gripper = {
      .mass = kMass, .centre = {0.0, 0.0, 0.05}, .inertia = {1e-3, 1e-3, 5e-4}, .compensated = true};
  Held with(options, "5 kg", circling());
  EXPECT_NEAR(felt_mass(with, 3000), 5.0, 5.0 * kThousandth);
  options.gripper.compensated = false;
  Held without(options, "5 kg", circling());
  EXPECT_NEAR(felt_mass(without, 3000), 5.0 + kMass, 5.0 * 2.0 * kThousandth);
}

TEST(ForceArm, PutsAHeavyBoxWithoutWeightIntoASlot) {
  // 150 kg between two walls that leave 5 mm on either side, led in along x and a little askew by a hand: what the hand gave is its momentum until it
  // touches, and it stays between the walls.
  const describe::Model scene = describe::load(support::source_dir() + "/models/payload.yaml");
  constexpr double kPush = 60.0, kAside = 2.0, kPushed = 0.7;  // [N], [N], [s]
  ArmDevice device(puma(), exact(), device::scripted([](double t) {
                     return Vector6{0, 0, 0, t < kPushed ? -kPush : 0.0, kAside, 0};
                   }));
  const auto box =
      contact::open(scene, {.step = 2e-3, .budget = simulate::Budget::haptic(), .hand_over = true});
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*box, device, box->port("grip"), {}, limits);
  ASSERT_TRUE(loop.enable());
  int events = 0;
  double gained = NAN, tool = NAN, aside = 0.0, force = 0.0;
  for (int k = 0; k < 700 && device.wait(); ++k) {
    ASSERT_TRUE(loop.tick(loop.period())) << device.trouble();
    events += loop.record().events;
    aside = support::larger(aside, std::abs(loop.record().p_P.y));
    for (const simulate::PairReport& pair : box->contact_report().pairs)
      force = support::larger(force, pair.normal);
    if (k == 350 && events == 0) {
      gained = 150.0 * loop.record().V_P[3];
      tool = 150.0 * device.record().V[3];
    }
  }
  const double given = -kPush * kPushed;  // [N s]
  EXPECT_NEAR(gained, given, 1e-6 * std::abs(given));
  EXPECT_NEAR(tool, given, 0.01 * std::abs(given));  // coverage: momentum of the hand's impulse to 1 %
  EXPECT_GT(events, 0);
  EXPECT_GT(force, 0.0);
  EXPECT_LT(aside, 0.0051);
}

TEST(ForceArm, AGripperAtRestLeavesLessThanHalfAStepOfTheTransducer) {
  ArmDeviceOptions options = thesis();
  options.gripper = {
      .mass = 0.5, .centre = {0.01, -0.02, 0.05}, .inertia = {1e-3, 1e-3, 5e-4}, .compensated = true};
  ArmDevice device(puma(), options, device::none());
  ASSERT_TRUE(device.enable());
  // Half a step, and what a step of the encoders turns a weight of 5 N by.
  constexpr double kHalf = 0.5, kTurned = 2e-3;
  device::Sample sample;
  ASSERT_TRUE(device.wait() && device.read(sample));
  math::Pose<double> at = sample.X_WH;
  for (int place = 0; place < 100; ++place) {
    // Orientations all round, within what the wrist reaches.
    const double a = 2.399963 * place, z = 1.0 - 2.0 * (place + 0.5) / 100.0, s = std::sqrt(1.0 - z * z);
    const Vec3 theta = 0.5 * Vec3{s * std::cos(a), s * std::sin(a), z};
    const math::Mat3<double> R = math::rotation_of(math::exponential(theta));
    const Vec3 turn = math::rotation_vector(R * at.R.transposed());
    const math::Mat3<double> R_from = at.R;
    constexpr int kTicks = 400, kStill = 200;
    for (int k = 1; k <= kTicks + kStill; ++k) {
      const double x = std::min(1.0, double(k) / kTicks), way = x * x * x * (10 + x * (-15 + 6 * x)),
                   rate = 30 * x * x * (1 - x) * (1 - x) * options.rate / kTicks;
      device::Command to;
      to.X_WH = {math::rotation_of(math::exponential(way * turn)) * R_from, at.p};
      for (std::size_t i = 0; i < 3; ++i) to.V_WH[i] = rate * turn[i];
      ASSERT_TRUE(device.command(to)) << device.trouble();
      ASSERT_TRUE(device.wait() && device.read(sample));
    }
    at.R = R;
    const Vec3 torque = transpose_times(device.record().X_WT.R,
                                        Vec3{sample.F_H_W[0], sample.F_H_W[1], sample.F_H_W[2]}),
               force = transpose_times(device.record().X_WT.R,
                                       Vec3{sample.F_H_W[3], sample.F_H_W[4], sample.F_H_W[5]});
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_LT(std::abs(force[i]), kHalf * options.transducer.step[3 + i] + kTurned) << place;
      EXPECT_LT(std::abs(torque[i]), kHalf * options.transducer.step[i] + 0.06 * kTurned) << place;
    }
  }
}

TEST(ForceArm, StopsInTheTickInWhichItsTransducerIsBeyondItsRange) {
  // 150 N from 0.5 s on, along y, which is across the tool: 133 N is the range there, 266 N along it.
  ArmDeviceOptions options = thesis();
  options.start = {0.0, -30 * kDegree, 60 * kDegree, 0.0, -120 * kDegree, 0.0};
  Held run(options, "500 kg",
           device::scripted([](double t) { return Vector6{0, 0, 0, 0, t < 0.5 ? 20.0 : 150.0, 0}; }));
  const math::Pose<double> before =
      run.device.pose({0.0, -30 * kDegree, 60 * kDegree, 0.0, -120 * kDegree, 0.0});
  ASSERT_GT(150.0 * support::larger(std::abs(before.R(1, 0)), std::abs(before.R(1, 1))), 133.0);
  EXPECT_EQ(run.go(400), 250);
  EXPECT_EQ(run.loop.safety().fault, control::Fault::refused);
  EXPECT_NE(run.device.trouble().find("transducer is beyond its range"), std::string::npos)
      << run.device.trouble();
  EXPECT_EQ(run.device.state(), device::State::off);
  const std::array<double, 6> q = run.device.record().q;
  for (int k = 0; k < 10; ++k) ASSERT_TRUE(run.device.wait());
  EXPECT_EQ(run.device.record().q, q);  // its brakes hold
  // And it can be switched on again.
  run.loop.clear();
  EXPECT_TRUE(run.loop.enable());
  EXPECT_TRUE(run.device.trouble().empty());
}

TEST(ForceArm, StopsAtTheEndOfItsReachAndNearSingularPlaces) {
  // A light body is pushed away from the arm until the elbow is stretched.
  Held far(thesis(), "5 kg", device::constant({0, 0, 0, 10.0, 0, 0}));
  EXPECT_LT(far.go(5000), 5000);
  EXPECT_EQ(far.loop.safety().fault, control::Fault::refused);
  const bool said = far.device.trouble().find("singular") != std::string_view::npos ||
                    far.device.trouble().find("out of reach") != std::string_view::npos;  // by how fast it is
  EXPECT_TRUE(said) << far.device.trouble();

  // Its fifth joint is led to where two of the wrist's axes are one line.
  ArmDevice wrist(puma(), thesis(), device::none());
  ASSERT_TRUE(wrist.enable());
  std::array<double, 6> q{0.0, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0}, qd{};
  const math::Pose<double> first = wrist.pose(q);
  qd[4] = -0.5;
  device::Command along;
  for (bool went = true; went && q[4] > -0.1;) {
    ASSERT_TRUE(wrist.wait());
    q[4] += qd[4] / 500.0;
    Vector6 unused{};
    wrist.motion(q, qd, {}, along.V_WH, unused);
    const math::Pose<double> X = wrist.pose(q);
    along.X_WH = {X.R * first.R.transposed(), X.p - first.p};
    went = wrist.command(along);
  }
  EXPECT_GT(q[4], 0.0);
  EXPECT_LT(q[4], 0.05);
  EXPECT_NE(wrist.trouble().find("the wrist is near a singular position"), std::string_view::npos)
      << wrist.trouble();

  // Told to be where it cannot be.
  ArmDevice device(puma(), thesis(), device::none());
  ASSERT_TRUE(device.enable() && device.wait());
  device::Command to;
  to.X_WH.p = {2.0, 0.0, 0.0};
  EXPECT_FALSE(device.command(to));
  EXPECT_NE(device.trouble().find("out of reach"), std::string::npos) << device.trouble();
  EXPECT_EQ(device.state(), device::State::off);
  ASSERT_TRUE(device.enable() && device.wait());
  to.X_WH.p = {NAN, 0.0, 0.0};
  EXPECT_FALSE(device.command(to));
}

TEST(ForceArm, StopsWhereItsMotorsCannotFollow) {
  ArmDevice device(puma(), thesis(), device::none());
  ASSERT_TRUE(device.enable());
  device::Sample sample;
  bool went = true;
  int k = 0;
  for (; k < 500 && went; ++k) {
    ASSERT_TRUE(device.wait() && device.read(sample));
    // Half a metre per second up and down, ten times a second: 30 m/s^2.
    const double t = (k + 1) / 500.0, w = 20.0 * std::numbers::pi;
    device::Command to;
    to.X_WH.p.z = 0.1 * (1.0 - std::cos(w * t));
    to.V_WH[5] = 0.1 * w * std::sin(w * t);
    went = device.command(to);
  }
  EXPECT_FALSE(went);
  const bool said = device.trouble().find("from where it should be") != std::string_view::npos ||
                    device.trouble().find("given their most") != std::string_view::npos;
  EXPECT_TRUE(said) << device.trouble();
}

TEST(ForceArm, TakesNoMemoryInATick) {
  Held run(thesis(), "5 kg", circling());
  ASSERT_TRUE(run.loop.enable());
  ASSERT_TRUE(run.device.wait() && run.loop.tick(run.loop.period()));
  const long before = test::allocation_count();
  for (int k = 0; k < 100; ++k) {
    run.device.wait();
    run.loop.tick(run.loop.period());
  }
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(ForceArm, TheSameRunHasTheSameBits) {
  const auto end = [] {
    ArmDeviceOptions options = thesis();
    options.transducer.noise = {0.01, 0.1};
    options.seed = 7;
    Held run(options, "5 kg", circling());
    EXPECT_EQ(run.go(700), 700);
    return run.device.record().q;
  };
  EXPECT_EQ(end(), end());
}

TEST(ForceArm, TakesAnyArmFromUrdf) {
  // Shoulder, elbow and wrist of another size, axes as most robots have them.
  const std::string inertia =
      "<inertial><origin xyz='0 0 0.1'/><mass value='2'/><inertia ixx='0.02' iyy='0.02' izz='0.01' ixy='0' "
      "ixz='0' "
      "iyz='0'/></inertial>";
  std::string urdf = "<robot name='six'><link name='base'/>";
  const char* const axes[] = {"0 0 1", "0 1 0", "0 1 0", "0 0 1", "0 1 0", "0 0 1"};
  const char* const origins[] = {"0 0 0.3", "0.05 0 0.1", "0 0 0.4", "0 0 0.2", "0 0 0.2", "0 0 0"};
  for (int i = 0; i < 6; ++i) {
    const std::string parent = i == 0 ? "base" : "link" + std::to_string(i),
                      child = "link" + std::to_string(i + 1);
    urdf += "<link name='" + child + "'>" + inertia + "</link><joint name='j" + std::to_string(i + 1) +
            "' type='revolute'><parent link='" + parent + "'/><child link='" + child + "'/><origin xyz='" +
            origins[i] + "'/><axis xyz='" + axes[i] +
            "'/><limit lower='-2.8' upper='2.8' effort='150' velocity='5'/></joint>";
  }
  urdf += "</robot>";
  ArmDeviceOptions options;
  options.encoder = {5e4};
  ArmDevice device(describe::load_text(urdf, "six.urdf"), options,
                   device::following(device::strokes({0, 0.05, 0}, 1.0)));
  const auto mechanism = object("5 kg", 500.0);
  HapticLoop loop(*mechanism, device, mechanism->port("center"), {}, {});
  ASSERT_TRUE(loop.enable());
  double off = 0.0;
  for (int k = 0; k < 1000 && device.wait(); ++k) {
    ASSERT_TRUE(loop.tick(loop.period())) << device.trouble();
    const ArmDevice::Record& r = device.record();
    const Vec3 e = device.pose(r.q).p - device.pose(r.wanted).p;
    off = support::larger(off, std::sqrt(dot(e, e)));
  }
  EXPECT_LT(off, 0.2e-3);
}

TEST(ForceArm, RefusesWhatCannotBe) {
  const auto refuses = [](const ArmDeviceOptions& options, const std::string& word) {
    try {
      ArmDevice device(puma(), options, device::none());
      ADD_FAILURE() << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  ArmDeviceOptions o;
  o.rate = 0.0;
  refuses(o, "rate");
  o = {};
  o.start = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  refuses(o, "singular");
  o.start = {0.0, 1.0};
  refuses(o, "angles");
  o = {};
  o.encoder = {1.0, 2.0};
  refuses(o, "encoders");
  o = {};
  o.poles = {control::PolePair::complex(3.0, 4.0)};
  refuses(o, "not stable");
  o = {};
  o.frame = "nose";
  refuses(o, "nose");
  o = {};
  o.transducer.range[3] = -1.0;
  refuses(o, "transducer");
  o = {};
  o.friction = NAN;
  refuses(o, "friction");
  o = {};
  o.gripper.mass = -1.0;
  refuses(o, "gripper");
  EXPECT_THROW(ArmDevice(describe::load(support::source_dir() + "/models/scara.yaml"), {}, device::none()),
               InputError);
}

}  // namespace
}  // namespace tactus::display
