// The end of a run, whatever it is: the device is off, and was switched off while somebody still looked.
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cctype>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tactus/base/clock.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/run_loop.h>

#include "display/faulty.h"
#include "display/faulty_mechanism.h"
#include "display/mass_on_spring.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

control::SafetyLimits limits_of(const device::Device& device) {
  control::SafetyLimits limits = control::limits_for(device.specification());
  limits.ramp = 0.01;
  limits.late = 3600.0;  // [s] a busy machine may be as late as it likes
  return limits;
}

control::CouplerGains gains_of(const device::Device& device) {
  control::CouplerGains gains;
  if (device.specification().kind == device::Kind::impedance)
    gains = control::design(device.specification(), {kDisk, kMass});
  return gains;
}

device::HandPointer stroking() { return device::following(device::strokes({0.02, 0, 0}, 0.2)); }

enum class End { over, told, lost, refused, implausible };
constexpr const char* kEnds[] = {"over", "told", "lost", "refused", "implausible"};

class EveryEnd : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryEnd, LeavesTheDeviceOff) {
  for (const bool realtime : {false, true})
    for (const End end : {End::over, End::told, End::lost, End::refused, End::implausible}) {
      const auto where = [&] {
        return testing::Message() << kEnds[static_cast<int>(end)] << (realtime ? ", by the clock" : "");
      };
      const Injected what = end == End::lost          ? Injected::gone
                            : end == End::refused     ? Injected::refused
                            : end == End::implausible ? Injected::flipped
                                                      : Injected::nothing;
      constexpr std::uint64_t kAt = 40;
      Faulty device(device::open(GetParam(), stroking()), what, kAt);
      const auto mechanism = mass_on_spring(1.0 / device.specification().rate);
      HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
      ASSERT_TRUE(loop.enable());
      std::atomic<bool> stop = false;
      struct Watch {
        std::atomic<bool>& stop;
        long ticks = 0;
        bool told, was_on = false;
        Faulty& device;
      } watch{stop, 0, end == End::told, false, device};
      const RunReport report =
          run_loop(loop, {.duration = 100 * loop.period(),
                          .realtime = realtime,
                          .watchdog = 0.0,
                          .each = {[](void* context, const TickRecord&) noexcept {
                                     auto* seen = static_cast<Watch*>(context);
                                     seen->was_on |= seen->device.state() == device::State::enabled;
                                     if (++seen->ticks == static_cast<long>(kAt) && seen->told)
                                       seen->stop = true;
                                   },
                                   &watch},
                          .stop = &stop});
      EXPECT_TRUE(watch.was_on) << where();
      EXPECT_EQ(watch.ticks, report.ticks) << where();
      EXPECT_EQ(report.stopped, end == End::told) << where();
      EXPECT_EQ(loop.safety().fault == Fault::none, end == End::over || end == End::told)
          << where() << name_of(loop.safety().fault);
      EXPECT_EQ(device.state(), device::State::off) << where();
      EXPECT_NE(loop.safety().stage, Stage::on) << where();
      // What it is told now, it does not do.
      EXPECT_FALSE(device.command({})) << where();
      ASSERT_FALSE(HasFailure()) << where();
    }
}

std::vector<std::string> every_device() {
  const std::string models = support::source_dir() + "/models/";
  std::vector<std::string> names{"model:" + models + "pantograph.yaml"};
  for (const device::Specification& s : device::devices()) names.push_back(s.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Device, EveryEnd, ::testing::ValuesIn(every_device()), [](const auto& info) {
  std::string name = info.param.substr(info.param.find_last_of('/') + 1);
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name + std::to_string(info.index);
});

/// What a device does at one of its functions, on another.
class Hanging : public device::Device {
 public:
  Hanging() : inner_(device::open("simulated:spatial", stroking())) {}
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override {
    inner_->stop();
    stopped = true;
  }
  bool wait() noexcept override { return inner_->wait(); }
  bool read(device::Sample& sample) noexcept override { return inner_->read(sample); }
  bool command(const device::Command& command) noexcept override { return inner_->command(command); }
  std::atomic<bool> stopped{false};

 protected:
  /// [s] Longer than any patience: a watchdog that does not look fails the test, and does not stop it.
  static constexpr double kForever = 5.0;
  std::unique_ptr<device::Device> inner_;
};

/// Its motors go off late, or never.
struct HangsAtTheEnd final : Hanging {
  void disable() noexcept override {
    for (int i = 0; i < 500 && !stopped; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    Hanging::disable();
  }
};

std::atomic<double> barked_after{0.0};

TEST(RunEnd, TheWatchdogLooksUntilTheDeviceIsOff) {
  HangsAtTheEnd device;
  const auto mechanism = mass_on_spring(1e-3);
  HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
  ASSERT_TRUE(loop.enable());
  barked_after = 0.0;
  // [s] Longer than a busy machine lets a loop stand still.
  constexpr double kPatience = 0.5;
  const RunReport report = run_loop(
      loop,
      {.duration = 0.05, .realtime = true, .watchdog = kPatience, .barked = [](double patience) noexcept {
         barked_after = patience;
       }});
  EXPECT_TRUE(device.stopped);
  EXPECT_EQ(barked_after, kPatience);
  EXPECT_EQ(device.state(), device::State::off);
  EXPECT_EQ(loop.safety().fault, Fault::none) << name_of(loop.safety().fault);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes.back().find("the watchdog stopped its motors"), std::string::npos);
}

/// It waits without letting go of the processor.
struct Spins final : Hanging {
  bool wait() noexcept override {
    if (++waits == 20)
      for (const Nanoseconds end = now() + std::llround(1e9 * kForever); now() < end && !stopped;) {
      }
    return Hanging::wait();
  }
  int waits = 0;
};

// A loop with the priority of real time that spins on the only processor there is: who is below it would
// never look.
TEST(RunEnd, TheWatchdogIsAboveTheLoopThatItGuards) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  CPU_ZERO(&one);
  for (std::size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &before)) CPU_SET(i, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  Spins device;
  const auto mechanism = mass_on_spring(1e-3);
  HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
  ASSERT_TRUE(loop.enable());
  const RunReport report = run_loop(loop, {.duration = 60.0, .realtime = true, .watchdog = 0.5});
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  for (const std::string& note : report.notes)
    if (note.find("SCHED_FIFO") != std::string::npos) GTEST_SKIP() << note;
  EXPECT_TRUE(device.stopped);
  EXPECT_LT(report.seconds, 4.0);  // [s] of the five that it would have spun
  EXPECT_EQ(loop.safety().fault, Fault::watchdog) << name_of(loop.safety().fault);
  EXPECT_EQ(device.state(), device::State::off);
}

// A step that does not come back ends the run as late; the run comes back, and says whose the mechanism is.
TEST(RunEnd, ASimulationThatHangsIsNotWaitedFor) {
  FaultyMechanism mechanism(mass_on_spring(1e-3));
  Hanging device;
  HapticLoop loop(mechanism, device, mechanism.port("block"), gains_of(device), limits_of(device));
  loop.use(TwoRateOptions{.every = 10, .delay = 0, .thread = true});
  ASSERT_TRUE(loop.enable());
  mechanism.inject(Breaks::hangs, 100);
  const Nanoseconds begun = now();
  const RunReport report = run_loop(loop, {.duration = 60.0, .realtime = true, .watchdog = 0.0});
  EXPECT_LT(seconds(now() - begun), 30.0);
  EXPECT_EQ(loop.safety().fault, Fault::simulation_late) << name_of(loop.safety().fault);
  EXPECT_EQ(device.state(), device::State::off);
  EXPECT_TRUE(report.mechanism_busy);
  ASSERT_FALSE(report.notes.empty());
  EXPECT_NE(report.notes.back().find("did not come back"), std::string::npos) << report.notes.back();
  loop.clear();
  EXPECT_FALSE(loop.enable());
  mechanism.go_on();
  EXPECT_TRUE(loop.rest(60.0));
  EXPECT_TRUE(mechanism.step({}).ok());
}

int threads_of_this_program() {
  int count = 0;
  for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

/// It cannot be switched on until it is mended.
struct Refuses final : Hanging {
  bool enable() noexcept override { return mended && Hanging::enable(); }
  bool mended = true;
};

// Otherwise the mechanism would be a thread's again, and nobody would know.
TEST(RunEnd, WhereTheDeviceIsNotSwitchedOnTheMechanismStaysTheCallers) {
  Refuses device;
  const auto mechanism = mass_on_spring(1e-3);
  HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
  loop.use(TwoRateOptions{.every = 10, .delay = 0, .thread = true});
  const int with_it = threads_of_this_program();
  EXPECT_TRUE(loop.rest());
  EXPECT_EQ(threads_of_this_program(), with_it - 1);
  device.mended = false;
  EXPECT_FALSE(loop.enable());
  EXPECT_EQ(threads_of_this_program(), with_it - 1);
  device.mended = true;
  EXPECT_TRUE(loop.enable());
  EXPECT_EQ(threads_of_this_program(), with_it);
}

}  // namespace
}  // namespace tactus::display
