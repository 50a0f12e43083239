// Wheels and joysticks: what the kernel may say, and what it is told.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <tactus/base/error.h>

#include "fakes/evdev_fake.h"

namespace tactus::device {
namespace {

using test::EvdevJoystickBench;
using test::EvdevWheelBench;
using test::FakeEvdev;

std::string refusal_of(FakeEvdev& fake, const std::string& what) {
  try {
    (void)test::open_on(fake, what);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    EXPECT_FALSE(fake.open);  // nothing is left behind
    return error.what();
  }
  ADD_FAILURE() << what << " was opened";
  return {};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* kPath = "/dev/input/event7";

TEST(Evdev, SaysWhyItCannotBeOpened) {
  const std::pair<std::function<void(FakeEvdev&)>, const char*> kWrong[] = {
      {[](FakeEvdev& f) { f.plugged = false; }, "No such file"},
      {[](FakeEvdev& f) { f.allowed = false; }, "group `input`"},
      {[](FakeEvdev& f) { f.input_device = false; }, "no input device"},
      {[](FakeEvdev& f) { f.constant_force = false; }, "no constant force"},
      {[](FakeEvdev& f) { f.axis_y = false; }, "lacks an axis"},
      {[](FakeEvdev& f) { f.high = f.low; }, "lacks an axis"},
  };
  for (const auto& [change, why] : kWrong) {
    FakeEvdev fake;
    change(fake);
    EXPECT_TRUE(says(refusal_of(fake, kPath), why)) << why;
  }
  FakeEvdev fake;
  EXPECT_TRUE(says(refusal_of(fake, ""), "which device"));
  EXPECT_THROW(open("evdev:/no/such/event", none()), InputError);  // by the true system
}

TEST(Evdev, ATrueFileThatIsNoInputDeviceIsRefused) {
  const auto path = std::filesystem::temp_directory_path() / ("tactus_evdev_" + std::to_string(getpid()));
  std::ofstream(path) << "not events";
  try {
    (void)open("evdev:" + path.string(), none());
    ADD_FAILURE() << "a text was opened";
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.what(), "no input device")) << error.what();
  }
  std::filesystem::remove(path);
}

TEST(Evdev, KnowsAWheelByItsNameItsGearsOrItsAxisAndTheUsersWordIsLast) {
  const auto axes = [](FakeEvdev fake, const std::string& what) {
    return test::open_on(fake, what)->specification().sensed;
  };
  constexpr std::uint8_t kWheel = 0b000100, kStick = 0b011000;
  FakeEvdev fake;
  EXPECT_EQ(axes(fake, kPath), kStick);
  EXPECT_EQ(axes(fake, std::string("wheel:") + kPath), kWheel);
  fake.gears = true;
  EXPECT_EQ(axes(fake, kPath), kWheel);
  EXPECT_EQ(axes(fake, std::string("joystick:") + kPath), kStick);
  fake.gears = false;
  fake.axis_wheel = true;
  EXPECT_EQ(axes(fake, kPath), kWheel);
  fake.axis_wheel = false;
  fake.name = "G29 Driving Force Racing Wheel";
  EXPECT_EQ(axes(fake, kPath), kWheel);
}

TEST(Evdev, TakesAllOfTheStrengthAndNoSpringOfTheDevicesOwn) {
  const EvdevWheelBench bench;
  const auto device = bench.open();
  EXPECT_EQ(bench.fake().gain, 0xffff);
  EXPECT_EQ(bench.fake().autocenter, 0);
}

TEST(Evdev, ReversedTurnsTheForceRoundInWhateverOrderItIsSaid) {
  for (const std::string words : {"joystick:reversed:", "reversed:joystick:"}) {
    FakeEvdev fake;
    const auto device = test::open_on(fake, words + kPath);
    EXPECT_EQ(device->specification().name, "evdev:" + words + kPath);
    ASSERT_TRUE(device->enable() && device->wait());
    ASSERT_TRUE(device->command({.wrench = {0, 0, 0, 2.5, 0, 0}, .X_WH = {}, .V_WH = {}}));
    EXPECT_NEAR(fake.push().first, -0.5, 1e-4) << words;
    EXPECT_NEAR(fake.push().second, 0.0, 1e-4) << words;
  }
  FakeEvdev fake;
  EXPECT_THROW(test::open_on(fake, std::string("wheel:reversed:joystick:") + kPath), InputError);
}

TEST(Evdev, NoNewsIsNoMotionAndTheSameForceIsNotSentAgain) {
  const EvdevJoystickBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  Sample sample;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(device->wait() && device->read(sample));
    ASSERT_TRUE(device->command({.wrench = {0, 0, 0, 1, 1, 0}, .X_WH = {}, .V_WH = {}}));
    EXPECT_EQ(sample.V_WH, Vector6{});
  }
  EXPECT_EQ(sample.number, 10u);
  EXPECT_EQ(bench.fake().uploads, 2);  // none, and this one
}

TEST(Evdev, AsksForTheAxesWhereEventsWereDropped) {
  const EvdevJoystickBench bench;
  const auto device = bench.open();
  bench.fake().axes[ABS_X] = bench.fake().high;  // without an event
  Sample sample;
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_NEAR(sample.X_WH.p.x, 0.0, 1e-5);
  bench.fake().event(EV_SYN, SYN_DROPPED, 0);
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_NEAR(sample.X_WH.p.x, 0.05, 1e-12);
}

TEST(Evdev, ManyEventsAtOnceEndWithTheLast) {
  const EvdevWheelBench bench;
  const auto device = bench.open();
  for (int k = 0; k <= 500; ++k) bench.fake().turn(ABS_X, 32768 + 10 * k);
  Sample sample;
  ASSERT_TRUE(device->wait() && device->read(sample));
  EXPECT_TRUE(bench.fake().events.empty());
  EXPECT_LT(sample.X_WH.R(1, 0), 0.0);  // to the right
}

TEST(Evdev, AFastWheelsVelocityIsEstimated) {
  const EvdevWheelBench bench;
  const auto device = bench.open();
  Sample sample;
  for (int k = 0; k < 100; ++k) {
    bench.fake().turn(ABS_X, 32768 - 40 * k);
    ASSERT_TRUE(device->wait() && device->read(sample));
  }
  // 40 counts of 15.708/65535 rad in each period of 2 ms, to the left.
  EXPECT_NEAR(sample.V_WH[2], 40.0 * 15.708 / 65535.0 * 500.0, 0.01);
}

TEST(Evdev, ADeviceWithoutRoomForTheEffectIsLostAtOnce) {
  const EvdevWheelBench bench;
  const auto device = bench.open();
  bench.fake().takes_effects = false;
  EXPECT_FALSE(device->enable());
  EXPECT_EQ(device->state(), State::lost);
}

}  // namespace
}  // namespace tactus::device
