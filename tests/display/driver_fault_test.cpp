// The haptic loop on every driver, each on its fake: what becomes of it when the device is unplugged in the middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <initializer_list>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/run_loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"
#include "fakes/evdev_fake.h"
#include "fakes/force_dimension_bench.h"
#include "fakes/haply_bench.h"
#include "fakes/open_haptics_bench.h"
#include "fakes/pointer_bench.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;
using device::test::Bench;

/// Another device, with something that happens before its n-th sample.
class Eventful final : public device::Device {
 public:
  Eventful(Device& inner, long at, std::function<void()> happens)
      : inner_(inner), at_(at), happens_(std::move(happens)), specification_(inner.specification()) {
    specification_.owns_clock = false;  // this is about loss: ticks count, not time
  }
  const device::Specification& specification() const noexcept override { return specification_; }
  device::State state() const noexcept override { return inner_.state(); }
  bool enable() noexcept override { return inner_.enable(); }
  void disable() noexcept override { inner_.disable(); }
  void stop() noexcept override { inner_.stop(); }
  bool wait() noexcept override {
    if (++waits_ == at_) happens_();
    return inner_.wait();
  }
  bool read(device::Sample& sample) noexcept override { return inner_.read(sample); }
  bool command(const device::Command& command) noexcept override { return inner_.command(command); }

 private:
  Device& inner_;
  long at_, waits_ = 0;
  std::function<void()> happens_;
  device::Specification specification_;
};

struct Rig {
  Rig(device::Device& device)
      : mechanism(mass_on_spring(1.0 / device.specification().rate)),
        loop(*mechanism, device, mechanism->port("block"), {{0.1, 50.0}, {0.0, 0.1}}, limits_for(device)) {}
  static control::SafetyLimits limits_for(const device::Device& device) {
    control::SafetyLimits limits = control::limits_for(device.specification());
    limits.late = 3600.0;  // [s] a busy machine may be as late as it likes: this is about loss
    limits.ramp = 0.0;
    return limits;
  }
  std::unique_ptr<simulate::Mechanism> mechanism;
  HapticLoop loop;
};

struct Case {
  const char* name;
  device::test::MakeBench make;
};
class EveryDriver : public ::testing::TestWithParam<Case> {};
class EveryDriverAlongX : public EveryDriver {};

TEST_P(EveryDriver, UnpluggedInTheMiddleEndsInTheSafeState) {
  for (const bool spoilt : {false, true}) {
    const std::unique_ptr<Bench> bench = GetParam().make();
    const std::unique_ptr<device::Device> own = bench->open();
    constexpr long kAt = 40;
    Eventful device(*own, kAt, [&] { spoilt ? bench->spoil() : bench->unplug(); });
    Rig rig(device);
    ASSERT_TRUE(rig.loop.enable());
    const RunReport report = run_loop(rig.loop, {.duration = 10.0});
    EXPECT_GE(report.ticks, kAt - 1);
    EXPECT_LE(report.ticks, kAt - 1 + bench->on_their_way());
    EXPECT_EQ(rig.loop.safety().fault, Fault::no_sample);
    EXPECT_EQ(rig.loop.safety().stage, Stage::faulted);
    EXPECT_EQ(rig.loop.record().on_handle, device::Vector6{});
    EXPECT_EQ(own->state(), device::State::lost);
    EXPECT_FALSE(rig.loop.enable());
    rig.loop.clear();
    EXPECT_FALSE(rig.loop.enable());  // the device itself is gone
    if (spoilt) {
      EXPECT_TRUE(device::test::soon([&] { return bench->wrench() == device::Vector6{}; }));
    }
  }
}

// The law of faults (fault_law_test.cpp) on hardware's drivers: what goes wrong between a driver and its
// loop, while the handle moves and the motors hold it. One device lives through all faults; lateness is told
// apart from a busy machine's by an hour.
TEST_P(EveryDriver, IsSafeWithinTheTickInWhichASampleGoesWrong) {
  struct Injection {
    Injected what;
    std::initializer_list<Fault> faults;
  };
  const Injection kInjections[] = {{Injected::lost, {Fault::no_sample}},
                                   {Injected::gone, {Fault::no_sample}},
                                   {Injected::late, {Fault::late}},
                                   {Injected::doubled, {Fault::stale_sample}},
                                   {Injected::skipped, {Fault::skipped_sample}},
                                   {Injected::garbage, {Fault::implausible, Fault::out_of_workspace}},
                                   {Injected::nan, {Fault::bad_sample}},
                                   {Injected::nan_force, {Fault::bad_sample}},
                                   {Injected::no_rotation, {Fault::bad_sample}},
                                   {Injected::flipped, {Fault::implausible, Fault::turned_too_far}},
                                   {Injected::stopped_clock, {Fault::clock_stopped}},
                                   {Injected::refused, {Fault::refused}}};
  const std::unique_ptr<Bench> bench = GetParam().make();
  Faulty faulty(bench->open(), Injected::nothing, 0);
  faulty.set_lateness(3.0 * 3600.0);  // [s]
  Eventful device(faulty, -1, {});
  Rig rig(device);
  bool felt = false;
  double way = 0.002;  // [m], and ten times as many radians
  for (const auto& [what, faults] : kInjections)
    for (const std::uint64_t at : {2u, 3u, 8u, 20u}) {
      const auto where = [&] { return testing::Message() << static_cast<int>(what) << " at " << at; };
      ASSERT_TRUE(rig.loop.enable()) << where();
      faulty.inject(what, at);
      for (std::uint64_t k = 1; k < at; ++k) {
        if (k == 2) bench->put({way, 0.0, 0.0}, {0.0, 0.0, 10.0 * way});
        ASSERT_TRUE(device.wait()) << where();
        ASSERT_TRUE(rig.loop.tick(rig.loop.period())) << where() << ": " << name_of(rig.loop.safety().fault);
        felt |= rig.loop.record().on_handle != device::Vector6{};
      }
      ASSERT_EQ(device.wait(), what != Injected::gone) << where();
      if (what == Injected::gone)
        rig.loop.lost();
      else
        ASSERT_FALSE(rig.loop.tick(rig.loop.period())) << where();
      const Fault fault = rig.loop.safety().fault;
      ASSERT_TRUE(std::find(faults.begin(), faults.end(), fault) != faults.end())
          << where() << ": " << name_of(fault);
      ASSERT_EQ(rig.loop.record().stage, Stage::faulted) << where();
      ASSERT_EQ(rig.loop.record().on_handle, device::Vector6{}) << where();
      ASSERT_EQ(faulty.last_command().wrench, device::Vector6{}) << where();
      ASSERT_EQ(device.state(), device::State::off) << where();
      ASSERT_TRUE(device::test::soon([&] { return bench->wrench() == device::Vector6{}; })) << where();
      ASSERT_FALSE(rig.loop.enable()) << where();
      rig.loop.clear();
      way = -way;
    }
  EXPECT_TRUE(felt);
  // The caller's clock, which can be trusted.
  faulty.inject(Injected::nothing, 0);
  ASSERT_TRUE(rig.loop.enable());
  for (int k = 1; k <= 5; ++k) {
    ASSERT_TRUE(device.wait());
    ASSERT_EQ(rig.loop.tick(k < 5 ? rig.loop.period() : 2.0 * 3600.0), k < 5)
        << name_of(rig.loop.safety().fault);
  }
  EXPECT_EQ(rig.loop.safety().fault, Fault::late);
  EXPECT_EQ(device.state(), device::State::off);
  EXPECT_TRUE(device::test::soon([&] { return bench->wrench() == device::Vector6{}; }));
}

// Whatever is written and computed afterwards, no motor holds the last force meanwhile.
TEST_P(EveryDriver, IsOffWhenTheRunIsOver) {
  for (const bool realtime : {false, true})
    for (const bool told : {false, true}) {
      const std::unique_ptr<Bench> bench = GetParam().make();
      const std::unique_ptr<device::Device> own = bench->open();
      std::atomic<bool> stop = false;
      Eventful pushed(*own, 5, [&] { bench->put({0.005, 0.0, 0.0}, {0.0, 0.0, 0.05}); });
      Eventful device(pushed, told ? 80 : -1, [&] { stop = true; });
      Rig rig(device);
      ASSERT_TRUE(rig.loop.enable());
      // Periods that a busy machine misses bring the end nearer: a run that is told ends by that alone.
      const double duration = (told ? 100'000 : 100) * rig.loop.period();
      const RunReport report =
          run_loop(rig.loop, {.duration = duration, .realtime = realtime, .watchdog = 0.0, .stop = &stop});
      EXPECT_EQ(report.stopped, told);
      EXPECT_EQ(rig.loop.safety().fault, Fault::none) << name_of(rig.loop.safety().fault);
      if (!realtime) {
        EXPECT_NE(rig.loop.record().on_handle, device::Vector6{});
      }
      EXPECT_EQ(own->state(), device::State::off);
      EXPECT_TRUE(device::test::soon([&] { return bench->wrench() == device::Vector6{}; }));
    }
}

TEST_P(EveryDriverAlongX, AHandThatMovesTheHandleMovesTheMechanism) {
  const std::unique_ptr<Bench> bench = GetParam().make();
  const std::unique_ptr<device::Device> own = bench->open();
  Eventful device(*own, 5, [&] { bench->put({0.005, 0.0, 0.0}, {}); });
  Rig rig(device);
  ASSERT_TRUE(rig.loop.enable());
  const RunReport report = run_loop(rig.loop, {.duration = 100 * rig.loop.period()});
  EXPECT_EQ(report.ticks, 100) << name_of(rig.loop.safety().fault);
  EXPECT_GT(rig.mechanism->state().q[0], 1e-5);
  EXPECT_LT(rig.loop.record().on_handle[3], -0.05);  // it is pulled back
  EXPECT_GT(rig.loop.record().on_handle[3], -0.26);  // by 50 N/m over 5 mm at most
}

template <class B>
Case on(const char* name) {
  return {name, [] { return std::make_unique<B>(); }};
}
const Case kAlongX[] = {
    on<device::test::ForceDimensionBench>("ForceDimension"),
    on<device::test::OpenHapticsBench>("OpenHaptics"), on<device::test::HaplyBench>("Haply"),
    on<device::test::EvdevJoystickBench>("Joystick"), on<device::test::PointerBench>("Pointer")};
constexpr auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Drivers, EveryDriver, ::testing::ValuesIn(kAlongX), kName);
INSTANTIATE_TEST_SUITE_P(Wheel, EveryDriver, ::testing::Values(on<device::test::EvdevWheelBench>("Wheel")),
                         kName);
INSTANTIATE_TEST_SUITE_P(Drivers, EveryDriverAlongX, ::testing::ValuesIn(kAlongX), kName);

TEST(DriverThatOwnsTheClock, TicksInItsOwnThreadAndEndsInTheSafeStateWhenUnplugged) {
  device::test::OpenHapticsBench bench;
  const auto device = bench.open();
  Rig rig(*device);
  ASSERT_TRUE(rig.loop.enable());
  const RunReport whole = run_loop(rig.loop, {.duration = 0.1, .rate_tolerance = 0.0, .watchdog = 0.0});
  EXPECT_TRUE(whole.realtime);
  EXPECT_GE(whole.ticks + whole.missed, 100);
  EXPECT_EQ(rig.loop.safety().fault, Fault::none) << name_of(rig.loop.safety().fault);
  EXPECT_EQ(device->state(), device::State::off);
  EXPECT_TRUE(device::test::soon([&] { return bench.wrench() == device::Vector6{}; }));
  ASSERT_TRUE(rig.loop.enable());

  std::thread puller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    bench.unplug();
  });
  const RunReport cut = run_loop(rig.loop, {.duration = 60.0, .rate_tolerance = 0.0, .watchdog = 0.0});
  puller.join();
  EXPECT_LT(cut.ticks, 60'000);
  EXPECT_EQ(rig.loop.safety().fault, Fault::no_sample);
  EXPECT_EQ(device->state(), device::State::lost);
  EXPECT_TRUE(device::test::soon([&] { return bench.wrench() == device::Vector6{}; }));
}

}  // namespace
}  // namespace tactus::display
