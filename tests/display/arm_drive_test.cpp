// What the drives of an arm do to the hand that holds it: the tool's error, and the mass that is felt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/loop.h>

#include "support/allocations.h"
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

using control::ArmDevice;
using control::ArmDeviceOptions;
using Vec3 = math::Vec3<double>;

constexpr double kDegree = std::numbers::pi / 180.0, kArcmin = kDegree / 60.0;

describe::Model puma() { return describe::load(support::source_dir() + "/models/puma560.yaml"); }

ArmDeviceOptions thesis() {
  ArmDeviceOptions options;
  options.start = {0.0, -30 * kDegree, 60 * kDegree, 20 * kDegree, 60 * kDegree, 0.0};
  options.encoder = {9965.0, 13727.0, 8547.0, 12101.0, 11447.0, 12205.0};
  return options;
}

/// The first three gears.
std::vector<double> main_joints(double frequency) { return {frequency, frequency, frequency, 0.0, 0.0, 0.0}; }

struct Felt {
  double mass = NAN, largest = 0.0, rms = 0.0;  // [kg], [m], [m]
  int cut = 0;                                  // ticks in which a drive or the law gave less than was wanted
  std::string why;
};

/// 5 kg led round a circle of 20 cm in two seconds, for six; the tool from where it should be, and the hand's impulses over what velocities gain.
Felt held(const ArmDeviceOptions& options) {
  ArmDevice device(
      puma(), options,
      device::following(device::circles({-0.1, 0, 0}, {0, 0.1, 0}, 2.0), {{20.0, 400.0}, {0.5, 20.0}}));
  const auto body =
      contact::open(describe::load(support::source_dir() + "/models/rigid_body.yaml",
                                   {{"m", "5"}, {"Ix", "0.83"}, {"Iy", "0.83"}, {"Iz", "0.83"}}),
                    {.step = 1.0 / options.rate});
  HapticLoop loop(*body, device, body->port("center"), {}, {});
  EXPECT_TRUE(loop.enable());
  constexpr int kTicks = 3000, kWindow = 125;
  Felt felt;
  double top = 0.0, bottom = 0.0, sum = 0.0;
  Vec3 impulse{}, last{};
  for (int k = 0; k < kTicks && device.wait(); ++k) {
    if (!loop.tick(loop.period())) {
      felt.why = device.trouble();
      return felt;
    }
    const ArmDevice::Record& r = device.record();
    felt.cut += r.cut > 0 ? 1 : 0;
    const Vec3 e = device.pose(r.q).p - device.pose(r.wanted).p;
    if (k >= 1000) {
      felt.largest = support::larger(felt.largest, std::sqrt(dot(e, e)));
      sum += dot(e, e) / (kTicks - 1000);
    }
    if (k % kWindow == 0) {
      const Vec3 v{r.V[3], r.V[4], r.V[5]}, gained = v - last;
      if (k >= 1000) {
        top += dot(impulse, gained);
        bottom += dot(gained, gained);
      }
      last = v;
      impulse = Vec3::zero();
    }
    impulse = impulse + (1.0 / options.rate) * Vec3{r.hand[3], r.hand[4], r.hand[5]};
  }
  felt.mass = top / bottom;
  felt.rms = std::sqrt(sum);
  return felt;
}

std::string words(const char* name, const Felt& felt) {
  return fmt::format("{}: {:.4f} kg, {:.3f}/{:.3f} mm, {} cut {}; ", name, felt.mass, 1e3 * felt.rms,
                     1e3 * felt.largest, felt.cut, felt.why);
}

TEST(ArmDrive, IsFeltLittleAndSeenMore) {
  constexpr double kFelt = 2e-3;  // a thousandth without steps; encoders and transducer have them here
  // Where the teeth of gears with play meet depends on the last digits: roundings apart, 3 arcmin gave 5.003 and 4.986 kg.
  constexpr double kFeltThroughPlay = 5e-3;
  const Felt ideal = held(thesis());
  ASSERT_LT(ideal.largest, 0.07e-3);
  std::string all = words("ideal", ideal);
  const auto with = [&](const char* name, auto&& change) {
    ArmDeviceOptions options = thesis();
    change(options.drive);
    const Felt felt = held(options);
    all += words(name, felt);
    EXPECT_TRUE(felt.why.empty()) << name << " " << felt.why;
    EXPECT_NEAR(felt.mass, 5.0, 5.0 * (options.drive.backlash > 0.0 ? kFeltThroughPlay : kFelt)) << name;
    return felt;
  };
  // A fuse and back-emf do nothing while torques and rates are small.
  EXPECT_EQ(with("half torque", [](control::Drive& d) { d.torque = 0.5; }).largest, ideal.largest);
  EXPECT_EQ(with("back-emf", [](control::Drive& d) { d.no_load = {2.0}; }).largest, ideal.largest);
  // Encoders' edges elsewhere: as good.
  EXPECT_LT(with("phase", [](control::Drive& d) { d.encoder_phase = 0.37; }).largest, 0.07e-3);
  // Elastic gears give by what they bear, backlash by its play as well.
  const Felt soft = with("30 Hz", [](control::Drive&d) { d.elasticity = main_joints(30.0); }),
             stiff = with("60 Hz", [](control::Drive&d) { d.elasticity = main_joints(60.0); });
  EXPECT_GT(soft.largest, 2.0 * stiff.largest);
  EXPECT_GT(stiff.largest, ideal.largest);
  const auto play = [](double arcmin) {
    return [arcmin](control::Drive& d) {
      d.elasticity = main_joints(60.0);
      d.backlash = arcmin * kArcmin;
    };
  };
  const Felt one = with("1 arcmin", play(1.0)), three = with("3 arcmin", play(3.0));
  EXPECT_GT(three.largest, one.largest);
  // Half of the play of three joints, each a metre away at most, besides the gears'.
  EXPECT_LT(three.largest, stiff.largest + 3.0 * 0.5 * 3.0 * kArcmin);
  RecordProperty("felt", all);
}

/// Whether a stroke of 10 cm towards the arm and back is made in a period without any torque cut.
bool made(const control::Drive& drive, double period) {
  ArmDeviceOptions options = thesis();
  options.drive = drive;
  ArmDevice device(puma(), options, device::none());
  EXPECT_TRUE(device.enable());
  for (int k = 0; k < static_cast<int>(2.0 * period * options.rate); ++k) {
    EXPECT_TRUE(device.wait());
    // Eased in over the first half.
    const double t = (k + 1) / options.rate, w = 2.0 * std::numbers::pi / period,
                 s = std::min(1.0, t / (0.5 * period));
    const double ease = s * s * (3.0 - 2.0 * s), rate = s < 1.0 ? 6.0 * s * (1.0 - s) / (0.5 * period) : 0.0;
    device::Command to;
    to.X_WH.p.x = -0.05 * ease * (1.0 - std::cos(w * t));
    to.V_WH[3] = -0.05 * (rate * (1.0 - std::cos(w * t)) + ease * w * std::sin(w * t));
    if (!device.command(to) || device.record().cut > 0) return false;
  }
  return true;
}

/// [s] The shortest such period, to 2 %.
double shortest(const control::Drive& drive) {
  double cut = 0.2, well = 2.0;
  EXPECT_TRUE(made(drive, well));
  EXPECT_FALSE(made(drive, cut));
  while (well > 1.02 * cut) {
    const double middle = std::sqrt(cut * well);
    (made(drive, middle) ? well : cut) = middle;
  }
  return well;
}

TEST(ArmDrive, AFuseAndBackEmfMakeAnArmSlower) {
  control::Drive fused, turning;
  fused.torque = 0.5;
  turning.no_load = {2.0};
  const double whole = shortest({}), half = shortest(fused), back = shortest(turning);
  RecordProperty("shortest",
                 fmt::format("{:.3f} s, half torque {:.3f} s, back-emf {:.3f} s", whole, half, back));
  EXPECT_GT(whole, 0.1);
  EXPECT_GT(half, 1.2 * whole);
  EXPECT_GT(back, 1.05 * whole);
}

TEST(ArmDrive, TakesNoMemoryInATick) {
  ArmDeviceOptions options = thesis();
  options.drive.elasticity = main_joints(30.0);
  options.drive.backlash = kArcmin;
  options.drive.no_load = {3.0};
  ArmDevice device(puma(), options, device::following(device::circles({-0.1, 0, 0}, {0, 0.1, 0}, 2.0)));
  ASSERT_TRUE(device.enable() && device.wait());
  device::Command still;
  ASSERT_TRUE(device.command(still) && device.wait());
  const long before = test::allocation_count();
  for (int k = 0; k < 50; ++k) {
    device.command(still);
    device.wait();
  }
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(ArmDrive, IsRefusedWhereItCannotBe) {
  const auto refuses = [](auto&& change, const std::string& word) {
    ArmDeviceOptions options = thesis();
    change(options.drive);
    try {
      ArmDevice device(puma(), options, device::none());
      ADD_FAILURE() << word;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refuses([](control::Drive& d) { d.torque = 0.0; }, "torque");
  refuses([](control::Drive& d) { d.torque = NAN; }, "torque");
  refuses([](control::Drive& d) { d.no_load = {1.0, 2.0}; }, "rates without load");
  refuses([](control::Drive& d) { d.elasticity = {-1.0}; }, "elasticities");
  refuses([](control::Drive& d) { d.backlash = kArcmin; }, "rigid");
  refuses([](control::Drive& d) { d.encoder_phase = 1.0; }, "phase");
  refuses([](control::Drive& d) { d.elasticity = {500.0}; }, "too fast");
}

}  // namespace
}  // namespace tactus::display
