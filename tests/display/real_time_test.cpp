// The loop in real time: every period is made or counted, what a stall costs is never made up in a burst, and
// a watchdog looks from outside.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include <tactus/base/clock.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

#include "display/mass_on_spring.h"

namespace tactus::display {
namespace {

device::HandPointer stroking() { return device::following(device::strokes({0.05, 0, 0}, 0.7)); }

control::CouplerGains gains_for(const device::Device& device) {
  if (device.specification().kind == device::Kind::admittance) return {};
  control::CouplerGains gains = control::design(device.specification(), {1e12, kMass});
  gains.stiffness[0] = gains.damping[0] = 0.0;  // the block does not turn: the hand would push a wall
  return gains;
}

constexpr Nanoseconds kPeriod = 1'000'000;  // [ns]
constexpr int kStall = 20;                  // periods

/// A device whose n-th wait() stalls; it notes when it is read.
class Stalling final : public device::Device {
 public:
  Stalling(std::unique_ptr<Device> inner, long at, std::size_t most) : inner_(std::move(inner)), at_(at) {
    read_at.reserve(most);
  }
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override { inner_->stop(); }
  bool wait() noexcept override {
    if (++waits_ == at_) std::this_thread::sleep_for(std::chrono::nanoseconds(kStall * kPeriod));
    return inner_->wait();
  }
  bool read(device::Sample& sample) noexcept override {
    read_at.push_back(now());
    return inner_->read(sample);
  }
  bool command(const device::Command& command) noexcept override { return inner_->command(command); }

  std::vector<Nanoseconds> read_at;

 private:
  std::unique_ptr<Device> inner_;
  long at_, waits_ = 0;
};

// However busy the machine is: a tick begins after its own deadline, and after the one before; its deadline
// is less than a period before the end of that one, and the next ones are whole periods later. So n ticks
// after one at least n - 2 periods have gone by. A loop that makes up what it missed has twenty ticks in no
// time.
TEST(InRealTime, AStallIsCountedAndNotMadeUpInABurst) {
  constexpr long kTicks = 200, kAt = 60;
  for (const double ahead : {0.0, 1e-4, 3600.0}) {  // [s] never more than an eighth of a period
    Stalling device(device::open("simulated:ideal", stroking()), kAt, kTicks);
    const auto mechanism = mass_on_spring(1e-3);
    control::SafetyLimits limits = control::limits_for(device.specification());
    limits.late = 3600.0;  // [s] this is about counting: a busy machine may be as late as it likes
    HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_for(device), limits);
    ASSERT_TRUE(loop.enable());
    const RunReport report =
        run_loop(loop, {.duration = 1e-3 * kTicks, .realtime = true, .ahead = ahead, .watchdog = 0.0});
    ASSERT_EQ(loop.safety().fault, control::Fault::none) << name_of(loop.safety().fault);
    // It began at its deadline or later, and the period in which it began was not missed.
    EXPECT_GE(report.missed, kStall - 1) << ahead;
    EXPECT_GE(report.ticks + report.missed, kTicks) << ahead;
    EXPECT_LE(report.ticks, kTicks - (kStall - 1)) << ahead;
    ASSERT_EQ(device.read_at.size(), static_cast<std::size_t>(report.ticks)) << ahead;
    ASSERT_GT(report.ticks, 3) << ahead;
    for (std::size_t i = 0; i < device.read_at.size(); ++i)
      for (std::size_t n = 3; i + n < device.read_at.size(); ++n)
        ASSERT_GE(device.read_at[i + n] - device.read_at[i], static_cast<Nanoseconds>(n - 2) * kPeriod)
            << n << " ticks from " << i << " on, ahead " << ahead;
  }
}

TEST(InRealTime, EveryPeriodIsEitherMadeOrCountedAsMissed) {
  const auto device = device::open("simulated:ideal", stroking());
  const auto mechanism = mass_on_spring(1e-3);
  control::SafetyLimits limits = control::limits_for(device->specification());
  limits.late = 3600.0;  // [s] this test is about counting: a busy machine may be as late as it likes
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains_for(*device), limits);
  ASSERT_TRUE(loop.enable());
  const RunReport report = run_loop(loop, {.duration = 0.2, .realtime = true, .watchdog = 0.0});
  EXPECT_GE(report.ticks + report.missed, 200);
  EXPECT_GE(report.seconds, 0.198);  // never faster than the clock
  EXPECT_EQ(report.wake.count(), static_cast<std::uint64_t>(report.ticks));
  EXPECT_EQ(report.compute.count(), static_cast<std::uint64_t>(report.ticks));
  EXPECT_LE(report.woken.count(), report.wake.count());  // of those before which it slept
}

/// A device that hangs at one sample until its motors are stopped from outside, or for two seconds.
class Hanging final : public device::Device {
 public:
  explicit Hanging(std::unique_ptr<Device> inner) : inner_(std::move(inner)) {}
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override {
    stopped = true;
    inner_->stop();
  }
  bool wait() noexcept override {
    if (++waits_ == 20)
      for (int i = 0; i < 200 && !stopped; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return inner_->wait();
  }
  bool read(device::Sample& sample) noexcept override { return inner_->read(sample); }
  bool command(const device::Command& command) noexcept override { return inner_->command(command); }

  std::atomic<bool> stopped{false};

 private:
  std::unique_ptr<Device> inner_;
  int waits_ = 0;
};

TEST(InRealTime, AWatchdogStopsTheMotorsOfALoopThatHangs) {
  for (const char* name : {"simulated:ideal", "simulated:admittance"}) {
    Hanging device(device::open(name, stroking()));
    const auto mechanism = mass_on_spring(1e-3);
    control::SafetyLimits limits = control::limits_for(device.specification());
    limits.late = 3600.0;  // [s] only the watchdog is to see it
    HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_for(device), limits);
    ASSERT_TRUE(loop.enable());
    // [s] A second, so that a busy machine is not taken for a hanging loop before it hangs.
    const RunReport report = run_loop(loop, {.duration = 60.0, .realtime = true, .watchdog = 1.0});
    EXPECT_TRUE(device.stopped);
    EXPECT_EQ(report.ticks, 19);
    EXPECT_EQ(loop.safety().fault, control::Fault::watchdog);
    EXPECT_EQ(loop.record().stage, control::Stage::faulted);
    EXPECT_EQ(device.state(), device::State::off);
    EXPECT_FALSE(loop.enable());
    loop.clear();
    EXPECT_TRUE(loop.enable());
  }
}

}  // namespace
}  // namespace tactus::display
