// OpenHaptics: a device whose own thread calls back.
#include <gtest/gtest.h>

#include <atomic>

#include <tactus/base/error.h>

#include "fakes/open_haptics_bench.h"

namespace tactus::device {
namespace {

using test::soon;

std::string refusal_of(const std::string& name, const DeviceOptions& options = {}) {
  try {
    (void)open(name, none(), options);
  } catch (const InputError& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  ADD_FAILURE() << name << " was opened";
  return {};
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Ticks in the driver's thread: commands a force, and ends after some.
struct Ticks {
  Device& device;
  long most;
  Vector6 wrench{0, 0, 0, 0.5, 0, 0};
  long made = 0;
  bool commanded = true;
  Sample sample{};
  std::thread::id thread{};
  std::atomic<bool> begun = false;

  static bool tick(void* context) noexcept {
    Ticks& at = *static_cast<Ticks*>(context);
    at.thread = std::this_thread::get_id();
    at.begun = true;
    ++at.made;
    if (!at.device.read(at.sample)) return false;
    at.commanded = at.device.command({.wrench = at.wrench, .X_WH = {}, .V_WH = {}});
    return at.commanded && at.made < at.most;
  }
};

TEST(OpenHaptics, CallsBackFromItsOwnThreadOnceAFrame) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  Ticks ticks{*device, 100};
  device->run({&Ticks::tick, &ticks});
  EXPECT_EQ(ticks.made, 100);
  EXPECT_EQ(ticks.sample.number, 100u);
  EXPECT_NE(ticks.thread, std::this_thread::get_id());
  EXPECT_GE(ticks.sample.t, 0.09);  // 99 frames, the first of which may be late
  // A second run goes on where the first ended.
  ticks.most = 110;
  device->run({&Ticks::tick, &ticks});
  EXPECT_EQ(ticks.sample.number, 110u);
}

TEST(OpenHaptics, AForceThatIsCommandedInATickIsSetInTheSameFrame) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  struct Context {
    Ticks ticks;
    test::OpenHapticsBench& bench;
    Vector6 seen{};  // by the second tick: what the first one's frame has set
  } context{{*device, 2}, bench, {}};
  device->run({[](void* c) noexcept {
                 Context& at = *static_cast<Context*>(c);
                 at.seen = at.bench.wrench();
                 return Ticks::tick(&at.ticks);
               },
               &context});
  EXPECT_EQ(context.ticks.made, 2);
  EXPECT_EQ(context.seen, context.ticks.wrench);
}

TEST(OpenHaptics, ARunEndsWhenTheDeviceIsUnplugged) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  Ticks ticks{*device, 1'000'000};
  std::thread puller([&] {
    soon([&] { return ticks.begun.load(); });
    bench.unplug();
  });
  device->run({&Ticks::tick, &ticks});
  puller.join();
  EXPECT_LT(ticks.made, 1'000'000);
  EXPECT_EQ(device->state(), State::lost);
  EXPECT_TRUE(soon([&] { return bench.wrench() == Vector6{}; }));
}

TEST(OpenHaptics, ARunEndsWhenTheSchedulerFallsSilent) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  Ticks ticks{*device, 1'000'000};
  std::thread stopper([&] {
    soon([&] { return ticks.begun.load(); });
    const std::lock_guard lock(bench.fake().mutex);
    bench.fake().stuck = true;
  });
  device->run({&Ticks::tick, &ticks});
  stopper.join();
  EXPECT_EQ(device->state(), State::lost);
  const long made = ticks.made;
  {
    const std::lock_guard lock(bench.fake().mutex);
    bench.fake().stuck = false;
  }
  EXPECT_TRUE(soon([&] { return bench.wrench() == Vector6{}; }));  // where it wakes up again
  EXPECT_EQ(ticks.made, made);                                     // nobody is called any more
}

TEST(OpenHaptics, AForceWithoutNewsIsSwitchedOff) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  const Vector6 wrench{0, 0, 0, 0.5, 0, 0};
  EXPECT_TRUE(soon([&] {
    return device->wait() && device->command({.wrench = wrench, .X_WH = {}, .V_WH = {}}) &&
           bench.wrench() == wrench;
  }));
  EXPECT_TRUE(soon([&] { return bench.wrench() == Vector6{}; }));  // the user sleeps
  EXPECT_EQ(device->state(), State::enabled);
}

TEST(OpenHaptics, WarmMotorsRefuseCommandsAndTheDeviceIsNotLost) {
  test::OpenHapticsBench bench;
  const auto device = bench.open();
  ASSERT_TRUE(device->enable());
  {
    const std::lock_guard lock(bench.fake().mutex);
    bench.fake().error = 0x0200;  // HD_WARM_MOTORS
  }
  EXPECT_TRUE(soon([&] { return device->wait() && device->state() == State::off; }));
  EXPECT_FALSE(device->command({.wrench = {0, 0, 0, 0.5, 0, 0}, .X_WH = {}, .V_WH = {}}));
  EXPECT_TRUE(device->enable());  // by the user's own will
}

TEST(OpenHaptics, VelocitiesAreInMetresAndTurned) {
  test::OpenHapticsBench bench;
  {
    const std::lock_guard lock(bench.fake().mutex);
    const double v[] = {100, 200, 300}, w[] = {1, 2, 3};  // right, up, towards the user
    std::copy(v, v + 3, bench.fake().velocity);
    std::copy(w, w + 3, bench.fake().angular_velocity);
  }
  const auto device = bench.open();
  Sample sample;
  ASSERT_TRUE(device->wait() && device->read(sample));
  const Vector6 expected{1, -3, 2, 0.1, -0.3, 0.2};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(sample.V_WH[i], expected[i], 1e-15);
}

TEST(OpenHaptics, TellsItsOwnForcesAndWorkspace) {
  test::OpenHapticsBench bench;
  const Specification s = bench.open()->specification();
  EXPECT_EQ(s.peak[1], 3.3);
  EXPECT_EQ(s.continuous[1], 0.88);
  EXPECT_NEAR(s.workspace.x, 0.210, 1e-12);
  EXPECT_NEAR(s.workspace.y, 0.130, 1e-12);  // towards the user
  EXPECT_NEAR(s.workspace.z, 0.205, 1e-12);  // up
  EXPECT_TRUE(says(s.description, "Touch (fake)"));
}

// A Touch counts from where it was switched on: what it says of its places before it is calibrated is finite,
// and wrong.
TEST(OpenHaptics, IsRefusedUntilItIsCalibrated) {
  constexpr unsigned kNew = 0x5001, kByHand = 0x5002;
  test::OpenHapticsBench bench;
  FakeHd& fake = bench.fake();
  fake.calibration = kByHand;
  const std::string refused = refusal_of("openhaptics");
  EXPECT_TRUE(says(refused, "not calibrated") && says(refused, "by hand") && says(refused, "inkwell"))
      << refused;
  EXPECT_EQ(fake.updated_by, 0u);
  fake.calibration = kNew;
  fake.styles = 1;  // HD_CALIBRATION_ENCODER_RESET alone: nothing is made zero without being asked for
  EXPECT_TRUE(says(refusal_of("openhaptics"), "does not take"));
  EXPECT_EQ(fake.updated_by, 0u);
  for (const int styles : {2, 4, 6, 7}) {
    fake.calibration = kNew;
    fake.styles = styles;
    EXPECT_EQ(bench.open()->specification().name, "openhaptics") << styles;
    EXPECT_EQ(fake.updated_by, (styles & 2) != 0 ? 2u : 4u);
  }
  fake.calibration = 0x1234;
  EXPECT_TRUE(says(refusal_of("openhaptics"), "0x1234"));
  fake.calibration = 0x5000;
  EXPECT_EQ(bench.open()->specification().name, "openhaptics");  // it was let go each time
}

TEST(OpenHaptics, SaysWhyItCannotBeOpened) {
  test::OpenHapticsBench bench;
  EXPECT_EQ(open("openhaptics:Right Device", none())->specification().name, "openhaptics:Right Device");
  EXPECT_TRUE(says(refusal_of("openhaptics:Left Device"), "no communication (fake)"));
  {
    const auto held = bench.open();
    EXPECT_TRUE(says(refusal_of("openhaptics"), "cannot be opened"));  // one at a time
  }
  EXPECT_TRUE(says(refusal_of("openhaptics", {.rate = 4000.0}), "clock of its own"));
  bench.fake().version = "2.0";
  EXPECT_TRUE(says(refusal_of("openhaptics"), "version 2.0"));
  bench.fake().version = "3.0";
  bench.unplug();
  EXPECT_TRUE(says(refusal_of("openhaptics"), "default device"));
  setenv("TACTUS_LIBHD", "/no/such/libHD.so", 1);
  EXPECT_TRUE(says(refusal_of("openhaptics"), "TACTUS_LIBHD"));
  setenv("TACTUS_LIBHD", "libm.so.6", 1);
  EXPECT_TRUE(says(refusal_of("openhaptics"), "hdInitDevice"));
}

}  // namespace
}  // namespace tactus::device
