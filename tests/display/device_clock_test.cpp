// Devices that own the clock: they are in real time whatever is asked for, and a loop that was made for another rate does not begin.
#include <gtest/gtest.h>

#include <tactus/base/clock.h>
#include <tactus/display/rate_watch.h>
#include <tactus/display/run_loop.h>

#include "display/mass_on_spring.h"

namespace tactus::display {
namespace {

using control::Fault;

/// Its samples come every 5 ms at best, and it says that it has 1 kHz. Whatever else the machine does, it is not faster.
class Slow final : public device::Device {
 public:
  Slow() {
    specification_.name = "slow";
    specification_.owns_clock = true;
  }
  const device::Specification& specification() const noexcept override { return specification_; }
  device::State state() const noexcept override { return state_; }
  bool enable() noexcept override {
    state_ = device::State::enabled;
    return true;
  }
  void disable() noexcept override { state_ = device::State::off; }
  void stop() noexcept override {}
  bool wait() noexcept override {
    constexpr Nanoseconds kPause = kSecond / 200;
    sleep_until(now() + kPause);
    sample_.t = 5e-3 * static_cast<double>(sample_.number++);
    sample_.X_WH.p.x = 1e-4 * sample_.t;
    return true;
  }
  bool read(device::Sample& sample) noexcept override {
    sample = sample_;
    return sample_.number > 0;
  }
  bool command(const device::Command& command) noexcept override {
    if (state_ == device::State::enabled)
      ++commands;  // what the safe state says comes when it is off, or is zero
    forces += command.wrench != device::Vector6{};
    return state_ == device::State::enabled;
  }
  int commands = 0, forces = 0;

 private:
  device::Specification specification_;
  device::State state_ = device::State::off;
  device::Sample sample_{};
};

struct Rig {
  Rig()
      : mechanism(mass_on_spring(1e-3)),
        loop(*mechanism, device, mechanism->port("block"), gains(), limits()) {
    EXPECT_TRUE(loop.enable());
  }
  static control::CouplerGains gains() { return {{0.1, 50.0}, {0.0, 0.1}}; }
  static control::SafetyLimits limits() {
    control::SafetyLimits limits;
    limits.late = 3600.0;  // [s] a busy machine may be as late as it likes
    return limits;
  }
  Slow device;
  std::unique_ptr<simulate::Mechanism> mechanism;
  HapticLoop loop;
};

TEST(DeviceClock, AnotherRateThanTheLoopsIsRefusedBeforeThereIsAForce) {
  Rig rig;
  const RunReport report = run_loop(rig.loop, {.duration = 10.0, .watchdog = 0.0});
  EXPECT_TRUE(report.realtime);
  EXPECT_EQ(report.ticks, 0);
  EXPECT_EQ(rig.loop.safety().fault, Fault::wrong_rate);
  EXPECT_GT(report.device_rate, 0.0);
  EXPECT_LE(report.device_rate, 200.0);
  EXPECT_EQ(rig.device.forces, 0);
  EXPECT_EQ(rig.device.state(), device::State::off);
}

TEST(DeviceClock, PeriodsThatGoByWithoutASampleAreMissedAndTheTimesBetweenThemKept) {
  Rig rig;
  constexpr double kAnyRate = 1e9;
  const RunReport report = run_loop(rig.loop, {.duration = 0.5, .rate_tolerance = kAnyRate, .watchdog = 0.0});
  EXPECT_EQ(rig.loop.safety().fault, Fault::none) << name_of(rig.loop.safety().fault);
  EXPECT_TRUE(report.realtime);
  EXPECT_GE(report.ticks + report.missed, 500);
  EXPECT_LE(report.ticks, 101);  // one in five at best
  EXPECT_GE(report.missed, 399);
  EXPECT_EQ(report.wake.count(), static_cast<std::uint64_t>(report.ticks - 1));
  EXPECT_GE(report.wake.percentile(0.01), 3'500'000);  // [ns] five periods after the one before, not one
  EXPECT_GE(report.seconds, 0.5);
}

TEST(DeviceClock, AWatchdogBarksAtADeviceThatHangs) {
  Rig rig;
  constexpr double kAnyRate = 1e9, kImpatient = 1e-3;  // [s] less than a sample takes
  const RunReport report =
      run_loop(rig.loop, {.duration = 10.0, .rate_tolerance = kAnyRate, .watchdog = kImpatient});
  EXPECT_EQ(rig.loop.safety().fault, Fault::watchdog);
  EXPECT_LT(report.ticks, 10'000);
}

TEST(RateWatch, TheFirstSamplesTellTheRateWhateverHiccupsThereAre) {
  FirstSamples even, hurried;
  Nanoseconds t = 12345;
  for (int k = 0; k <= 50; ++k) {
    EXPECT_FALSE(even.enough());
    even.add(1'000'000 + 2'000'000 * k);
    t += k % 10 == 9 ? 40'000'000 : k % 2 == 0 ? 100'000 : 1'900'000;  // in pairs, with gaps
    hurried.add(t);
  }
  ASSERT_TRUE(even.enough() && hurried.enough());
  EXPECT_NEAR(even.rate(), 500.0, 1e-9);
  // Of 25 short and 20 long intervals and 5 gaps the middle forty are 20 short and 20 long.
  EXPECT_NEAR(hurried.rate(), 1000.0, 1e-9);
}

TEST(RateWatch, EveryHalfSecondTellsItsOwnRate) {
  TickRate rate;
  Nanoseconds t = 1;
  int windows = 0;
  for (int k = 0; k < 4000; ++k) {
    t += k < 2000 ? 1'000'000 : 4'000'000;  // from 1 kHz to 250 Hz
    if (!rate.add(t)) continue;
    ++windows;
    if (windows <= 3) {
      EXPECT_NEAR(rate.rate(), 1000.0, 1e-6);
    }
    if (windows >= 5) {
      EXPECT_NEAR(rate.rate(), 250.0, 1e-6);
    }
  }
  EXPECT_GE(windows, 18);
}

}  // namespace
}  // namespace tactus::display
