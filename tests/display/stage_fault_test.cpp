// Faults at the other stages of a loop: a controller whose numbers are none, a simulation's thread that dies, a log that is blocked or
// full, a watchdog whose device hangs anywhere, a mechanism that comes to where it has no answer.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <thread>

#include <tactus/base/output_file.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/log.h>
#include <tactus/display/log/tick_log.h>
#include <tactus/display/run_loop.h>
#include <tactus/display/two_rates.h>

#include "display/faulty.h"
#include "display/faulty_mechanism.h"
#include "display/mass_on_spring.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                 kInf = std::numeric_limits<double>::infinity();

device::HandPointer stroking() { return device::following(device::strokes({0.05, 0, 0}, 0.2)); }

control::SafetyLimits limits_of(const device::Device& device) {
  control::SafetyLimits limits = control::limits_for(device.specification());
  limits.ramp = 0.01;
  limits.late = 3600.0;  // [s] a busy machine may be as late as it likes
  return limits;
}

control::CouplerGains gains_of(const device::Device& device) {
  control::CouplerGains gains;
  if (device.specification().kind == device::Kind::impedance)
    gains = control::design(device.specification(), {1e12, kMass});
  gains.stiffness[0] = gains.damping[0] = 0.0;
  return gains;
}

void expect_safe(const HapticLoop& loop, const device::Device& device) {
  EXPECT_EQ(loop.record().stage, Stage::faulted);
  EXPECT_EQ(loop.record().on_handle, device::Vector6{});
  EXPECT_EQ(loop.record().on_port, device::Vector6{});
  EXPECT_EQ(loop.commanded().wrench, device::Vector6{});
  EXPECT_EQ(loop.commanded().V_WH, device::Vector6{});
  EXPECT_TRUE(device::finite(loop.commanded().X_WH));
  EXPECT_EQ(device.state(), device::State::off);
}

// ---- controllers

/// A device that knows its own dynamics, until it says of them what is no number.
class Poisoned final : public device::Device {
 public:
  Poisoned(std::uint64_t at, double bad, std::size_t entry)
      : inner_(device::open("simulated:spatial", stroking())), at_(at), bad_(bad), entry_(entry) {}
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override { inner_->stop(); }
  bool wait() noexcept override {
    ++waits_;
    return inner_->wait();
  }
  bool read(device::Sample& sample) noexcept override { return inner_->read(sample); }
  bool command(const device::Command& command) noexcept override {
    finite &= device::finite(command.wrench);
    return inner_->command(command);
  }
  bool dynamics(device::HandleDynamics& own) noexcept override {
    own = {};
    for (std::size_t i = 0; i < 6; ++i) own.M[7 * i] = specification().inertia[i / 3];
    if (waits_ < at_) return true;
    (entry_ < 36 ? own.M[entry_] : own.bias[entry_ - 36]) = bad_;
    return true;
  }
  void heal() { at_ = ~0ull; }
  bool finite = true;  // all that it was ever told

 private:
  std::unique_ptr<device::Device> inner_;
  std::uint64_t at_, waits_ = 0;
  double bad_;
  std::size_t entry_;
};

TEST(PoisonedController, IsSafeWithinTheTickInWhichItsModelOfTheDeviceIsNoNumber) {
  for (const bool penalties : {false, true})
    for (const double bad : {kNaN, kInf, -kInf})
      for (const std::size_t entry : {21u, 24u, 39u})  // M along x, M between axes, the bias along x
        for (std::uint64_t at = 1; at <= 24; ++at) {
          Poisoned device(at, bad, entry);
          const auto mechanism = mass_on_spring(1.0 / device.specification().rate);
          HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
          loop.use(control::FourChannelGains{.penalties = penalties});
          ASSERT_TRUE(loop.enable());
          const auto where = [&] { return testing::Message() << bad << " in " << entry << " at " << at; };
          for (std::uint64_t k = 1; k < at; ++k) {
            device.wait();
            ASSERT_TRUE(loop.tick(loop.period())) << where() << ": " << name_of(loop.safety().fault);
          }
          for (int after = 0; after < 2; ++after) {
            device.wait();
            ASSERT_FALSE(loop.tick(loop.period())) << where();
            ASSERT_EQ(loop.safety().fault, Fault::bad_force) << where() << name_of(loop.safety().fault);
            expect_safe(loop, device);
          }
          ASSERT_TRUE(device.finite) << where();
          device.heal();
          loop.clear();
          ASSERT_TRUE(loop.enable());
          device.wait();
          ASSERT_TRUE(loop.tick(loop.period())) << where() << ": " << name_of(loop.safety().fault);
          ASSERT_EQ(loop.record().stage, Stage::ramping);
          ASSERT_FALSE(HasFailure()) << where();
        }
}

// Gains that are no numbers, or so large that products of them are none: no command is anything but a number within the clamp.
TEST(PoisonedController, ACouplerWithImpossibleGainsGivesNothingThatIsNone) {
  for (const char* const name : {"simulated:spatial", "simulated:ideal"})
    for (const double bad : {kNaN, kInf, -kInf, 1e200, 1e300, 1.7e308})
      for (const bool damping : {false, true}) {
        Faulty device(device::open(name, stroking()), Injected::nothing, 0);
        const auto mechanism = mass_on_spring(1.0 / device.specification().rate);
        control::CouplerGains gains = gains_of(device);
        (damping ? gains.damping[1] : gains.stiffness[1]) = bad;
        const control::SafetyLimits limits = limits_of(device);
        HapticLoop loop(*mechanism, device, mechanism->port("block"), gains, limits);
        ASSERT_TRUE(loop.enable());
        bool well = true;
        for (int k = 0; k < 60 && well; ++k) {
          device.wait();
          well = loop.tick(loop.period());
          const device::Vector6& F = device.last_command().wrench;
          ASSERT_TRUE(device::finite(F)) << bad;
          if (limits.force[1] > 0.0) {
            ASSERT_LE(std::hypot(F[3], F[4], F[5]), 1.001 * limits.force[1]) << bad;
          }
          ASSERT_TRUE(std::isfinite(loop.record().into_port)) << bad;
          ASSERT_TRUE(device::finite(loop.record().on_port)) << bad;
          if (!well) expect_safe(loop, device);
        }
        if (!std::isfinite(bad)) {
          EXPECT_FALSE(well) << bad;
        }
        ASSERT_FALSE(HasFailure()) << name << " " << bad << (damping ? " damping" : " stiffness");
      }
}

// ---- inertia that is bolted to a port

TEST(BoltedInertia, BeginsAnewAfterAMechanismThatBroke) {
  for (const Breaks what :
       {Breaks::fails, Breaks::nan_place, Breaks::nan_speed, Breaks::nan_acceleration, Breaks::nan_mobility})
    for (std::uint64_t at = 1; at <= 24; ++at) {
      Faulty device(device::open("simulated:admittance", stroking()), Injected::nothing, 0);
      FaultyMechanism mechanism(mass_on_spring(1.0 / device.specification().rate));
      HapticLoop loop(mechanism, device, mechanism.port("block"), {}, limits_of(device));
      loop.keep_inertia({0.1, 5.0});
      mechanism.inject(what, at);
      ASSERT_TRUE(loop.enable());
      for (std::uint64_t k = 1; k < at; ++k) {
        device.wait();
        ASSERT_TRUE(loop.tick(loop.period())) << name_of(loop.safety().fault);
      }
      device.wait();
      ASSERT_FALSE(loop.tick(loop.period())) << static_cast<int>(what) << " at " << at;
      EXPECT_EQ(loop.safety().fault, Fault::mechanism) << name_of(loop.safety().fault);
      expect_safe(loop, device);
      mechanism.heal();
      loop.clear();
      ASSERT_TRUE(loop.enable());
      for (int k = 0; k < 5; ++k) {
        device.wait();
        ASSERT_TRUE(loop.tick(loop.period()))
            << static_cast<int>(what) << " at " << at << ": " << name_of(loop.safety().fault);
      }
      ASSERT_FALSE(HasFailure());
    }
}

// ---- two rates with a thread

struct Threaded {
  static constexpr TwoRateOptions kRates{.every = 7, .delay = 0, .thread = true};
  explicit Threaded(Breaks what)
      : device(device::open("simulated:spatial", stroking()), Injected::nothing, 0),
        mechanism(mass_on_spring(1.0 / device.specification().rate)),
        loop(mechanism, device, mechanism.port("block"), gains(), limits_of(device)) {
    mechanism.inject(what, 1);
    loop.use(kRates);
  }
  std::uint64_t patience() const { return patience_of(kRates, loop.period()); }
  ~Threaded() { mechanism.go_on(); }  // the thread is the loop's, which ends after this
  control::CouplerGains gains() const {
    control::CouplerGains soft = control::design(device.specification(), {1e12, kMass}, 0.5, 50);
    soft.stiffness[0] = soft.damping[0] = 0.0;
    return soft;
  }
  bool tick() {
    device.wait();
    return loop.tick(loop.period());
  }
  /// As soon as the simulation has answered; a busy machine's worst is ten seconds.
  bool enabled_again() {
    loop.clear();
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) {
      if (loop.enable()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }
  Faulty device;
  FaultyMechanism mechanism;
  HapticLoop loop;
};

// The loop never waits for it: in the tick in which its last update is too old it is safe.
TEST(SimulationThread, ThatDiesEndsInTheSafeStateWhereItsUpdateIsTooOld) {
  Threaded rig(Breaks::hangs);
  ASSERT_TRUE(rig.loop.enable());
  std::uint64_t ticks = 0;
  while (rig.tick()) {
    ++ticks;
    ASSERT_TRUE(device::finite(rig.device.last_command().wrench));
    ASSERT_LE(ticks, rig.patience());
  }
  EXPECT_EQ(ticks, rig.patience());  // the first update is the loop's own
  EXPECT_EQ(rig.loop.safety().fault, Fault::simulation_late) << name_of(rig.loop.safety().fault);
  expect_safe(rig.loop, rig.device);
  // While it is dead there is no way back.
  rig.loop.clear();
  for (int k = 0; k < 20; ++k) {
    EXPECT_FALSE(rig.loop.enable());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(rig.device.state(), device::State::off);
  rig.mechanism.go_on();
  ASSERT_TRUE(rig.enabled_again());
  ASSERT_TRUE(rig.tick()) << name_of(rig.loop.safety().fault);
  EXPECT_EQ(rig.loop.record().stage, Stage::ramping);
  EXPECT_EQ(rig.loop.record().age, 0);
}

// It makes a step in the time of twenty ticks: each update is older than the one before, until one would be too old.
TEST(SimulationThread, ThatFallsFurtherAndFurtherBehindEndsInTheSafeState) {
  Threaded rig(Breaks::slow);
  ASSERT_TRUE(rig.loop.enable());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  int oldest = 0;
  while (rig.tick() && std::chrono::steady_clock::now() < end) {
    const int age = rig.loop.record().age;
    if (age > oldest) oldest = age;
    ASSERT_TRUE(device::finite(rig.device.last_command().wrench));
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  EXPECT_EQ(rig.loop.safety().fault, Fault::simulation_late) << name_of(rig.loop.safety().fault);
  EXPECT_EQ(oldest, static_cast<int>(rig.patience()) - 1);
  expect_safe(rig.loop, rig.device);
  rig.mechanism.go_on();
  ASSERT_TRUE(rig.enabled_again());
  ASSERT_TRUE(rig.tick()) << name_of(rig.loop.safety().fault);
  EXPECT_EQ(rig.loop.record().age, 0);
}

TEST(SimulationThread, MayBeThreeUpdatesAndATenthOfASecondLate) {
  EXPECT_EQ(patience_of({.every = 33, .delay = 0}, 1e-3), 199u);
  EXPECT_EQ(patience_of({.every = 10, .delay = 20}, 1e-3), 150u);
  // No more than the loop remembers, which is at 20 kHz less.
  EXPECT_EQ(patience_of({.every = 200, .delay = 0}, 5e-5), LocalPort::kRemembered);
}

TEST(SimulationThread, ThatSendsNoNumbersOrFailsEndsInTheSafeState) {
  for (const Breaks what : {Breaks::nan_place, Breaks::nan_speed, Breaks::nan_acceleration,
                            Breaks::nan_mobility, Breaks::fails}) {
    Threaded rig(what);
    ASSERT_TRUE(rig.loop.enable());
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    bool well = true;
    while (well && std::chrono::steady_clock::now() < end) {
      well = rig.tick();
      ASSERT_TRUE(device::finite(rig.device.last_command().wrench));
      ASSERT_TRUE(std::isfinite(rig.loop.record().into_port));
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    ASSERT_FALSE(well) << static_cast<int>(what);
    // A machine that is very busy may not let the thread run at all.
    const Fault fault = rig.loop.safety().fault;
    EXPECT_TRUE(fault == Fault::mechanism || fault == Fault::simulation_late) << name_of(fault);
    expect_safe(rig.loop, rig.device);
    rig.mechanism.go_on();
    ASSERT_TRUE(rig.enabled_again()) << static_cast<int>(what);
    ASSERT_TRUE(rig.tick()) << name_of(rig.loop.safety().fault);
    EXPECT_EQ(rig.loop.record().stage, Stage::ramping);
  }
}

// ---- logs

/// Takes one entry, and stands there until it is released.
struct Blocked final : LogSink {
  std::atomic<bool>& released;
  std::atomic<long>& written;
  Blocked(std::atomic<bool>& until, std::atomic<long>& count) : released(until), written(count) {}
  void write(const LogEntry&) override {
    while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++written;
  }
  void flush() override {}
  void finish() override {}
};

struct Full final : LogSink {
  int room = 5;
  void write(const LogEntry&) override {
    if (room-- == 0) throw OutputError("the disk is full");
  }
  void flush() override {}
  void finish() override {}
};

template <class Sink, class... Arguments>
std::vector<std::unique_ptr<LogSink>> one(Arguments&... arguments) {
  std::vector<std::unique_ptr<LogSink>> sinks;
  sinks.push_back(std::make_unique<Sink>(arguments...));
  return sinks;
}

TEST(LogOfALoop, ThatIsBlockedStopsNeitherTheLoopNorTheForce) {
  std::atomic<bool> released = false;
  std::atomic<long> written = 0;
  const auto device = device::open("simulated:spatial", stroking());
  const auto mechanism = mass_on_spring(1.0 / device->specification().rate);
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains_of(*device), limits_of(*device));
  ASSERT_TRUE(loop.enable());
  constexpr std::size_t kRoom = 16;
  TickLog log(one<Blocked>(released, written), kRoom);
  const RunReport report = run_loop(loop, {.duration = 0.2, .realtime = true, .watchdog = 0.0, .log = &log});
  EXPECT_EQ(loop.safety().fault, Fault::none) << name_of(loop.safety().fault);
  EXPECT_GE(report.ticks + report.missed, 200);
  EXPECT_EQ(written, 0);
  EXPECT_GE(report.not_logged, report.ticks - static_cast<long>(kRoom) - 1);
  EXPECT_EQ(report.not_logged, log.lost());
  EXPECT_EQ(loop.record().stage, Stage::on);
  EXPECT_NE(loop.record().on_handle, device::Vector6{});
  EXPECT_EQ(device->state(), device::State::off);  // over: what is left to write holds no force
  released = true;
  log.finish();
  EXPECT_EQ(written + report.not_logged, report.ticks);
}

TEST(LogOfALoop, OnAFullDiskChangesNoBitOfTheRun) {
  std::vector<TickRecord> with(300), without(300);
  for (const bool logged : {true, false}) {
    const auto device = device::open("simulated:spatial", stroking());
    const auto mechanism = mass_on_spring(1.0 / device->specification().rate);
    HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains_of(*device), limits_of(*device));
    ASSERT_TRUE(loop.enable());
    TickLog log(one<Full>(), 16);
    RunOptions options{.duration = 300 * loop.period()};
    if (logged) options.log = &log;
    EXPECT_EQ(run_loop(loop, options, logged ? with : without).ticks, 300);
    EXPECT_EQ(loop.safety().fault, Fault::none);
    if (logged) {
      EXPECT_THROW(log.finish(), OutputError);
      EXPECT_TRUE(log.failed());
    }
  }
  for (std::size_t k = 0; k < with.size(); ++k) {
    ASSERT_EQ(with[k].on_handle, without[k].on_handle) << k;
    ASSERT_EQ(with[k].into_port, without[k].into_port) << k;
  }
  EXPECT_NE(with.back().on_handle, device::Vector6{});
}

// ---- watchdog

enum class HangsIn { wait, read, command, dynamics, step };

/// Hangs once, until its motors are stopped from outside, or for some seconds.
class Hanging final : public device::Device {
 public:
  Hanging(HangsIn where, FaultyMechanism* mechanism)
      : inner_(device::open("simulated:spatial", stroking())), where_(where), mechanism_(mechanism) {}
  const device::Specification& specification() const noexcept override { return inner_->specification(); }
  device::State state() const noexcept override { return inner_->state(); }
  bool enable() noexcept override { return inner_->enable(); }
  void disable() noexcept override { inner_->disable(); }
  void stop() noexcept override {
    inner_->stop();
    stopped = true;
    if (mechanism_ != nullptr) mechanism_->go_on();
  }
  bool wait() noexcept override {
    ++waits_;
    hang(HangsIn::wait);
    return inner_->wait();
  }
  bool read(device::Sample& sample) noexcept override {
    hang(HangsIn::read);
    return inner_->read(sample);
  }
  bool command(const device::Command& command) noexcept override {
    hang(HangsIn::command);
    return inner_->command(command) && !stopped;  // as drivers do
  }
  bool dynamics(device::HandleDynamics&) noexcept override {
    hang(HangsIn::dynamics);
    return false;
  }
  std::atomic<bool> stopped{false};

 private:
  void hang(HangsIn where) noexcept {
    if (where != where_ || waits_ != 20) return;
    for (int i = 0; i < 500 && !stopped; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::unique_ptr<device::Device> inner_;
  HangsIn where_;
  FaultyMechanism* mechanism_;
  int waits_ = 0;
};

TEST(Watchdog, StopsTheMotorsWhereverTheDeviceOrTheMechanismHangs) {
  for (const HangsIn where :
       {HangsIn::wait, HangsIn::read, HangsIn::command, HangsIn::dynamics, HangsIn::step}) {
    FaultyMechanism mechanism(mass_on_spring(1e-3));
    Hanging device(where, where == HangsIn::step ? &mechanism : nullptr);
    HapticLoop loop(mechanism, device, mechanism.port("block"), gains_of(device), limits_of(device));
    loop.guard_passivity();  // it asks for the device's dynamics
    if (where == HangsIn::step) mechanism.inject(Breaks::hangs, 20);
    ASSERT_TRUE(loop.enable());
    // [s] Long enough that a busy machine is not taken for a hanging loop before it hangs.
    const RunReport report = run_loop(loop, {.duration = 60.0, .realtime = true, .watchdog = 0.4});
    EXPECT_TRUE(device.stopped) << static_cast<int>(where);
    EXPECT_LE(report.ticks, 21) << static_cast<int>(where);
    // Also where it hangs within a tick, and finds the device off before the dog is asked.
    EXPECT_EQ(loop.safety().fault, Fault::watchdog)
        << static_cast<int>(where) << name_of(loop.safety().fault);
    expect_safe(loop, device);
    loop.clear();
    EXPECT_TRUE(loop.enable());
  }
}

// Its log has the tick in which the device did not do as it was told, and why: made again, that is the same.
TEST(Watchdog, ThatBarkedWithinATickIsReplayed) {
  const std::string path = testing::TempDir() + "tactus_watchdog_" + std::to_string(::getpid()) + ".mcap";
  for (const HangsIn where : {HangsIn::wait, HangsIn::read, HangsIn::command, HangsIn::dynamics}) {
    long ticks = 0;
    {
      const auto mechanism = mass_on_spring(1e-3);
      Hanging device(where, nullptr);
      HapticLoop loop(*mechanism, device, mechanism->port("block"), gains_of(device), limits_of(device));
      loop.guard_passivity();
      ASSERT_TRUE(loop.enable());
      const TickLogPointer log = open_log({.csv = {},
                                           .mcap = path,
                                           .device = device.specification(),
                                           .setup = "none",
                                           .model_name = {},
                                           .model_text = {}});
      ticks = run_loop(loop, {.duration = 60.0, .realtime = true, .watchdog = 0.4, .log = log.get()}).ticks;
      EXPECT_EQ(loop.safety().fault, Fault::watchdog) << name_of(loop.safety().fault);
      finish(*log);
    }
    const RecordedRun run(path);
    EXPECT_TRUE(run.whole());
    EXPECT_EQ(run.ticks(), static_cast<std::size_t>(ticks));
    const auto mechanism = mass_on_spring(1e-3);
    const auto device = run.device();
    HapticLoop loop(*mechanism, *device, mechanism->port("block"), gains_of(*device), limits_of(*device));
    loop.guard_passivity();
    ASSERT_TRUE(loop.enable());
    const ReplayReport report = replay(loop, run);
    EXPECT_EQ(report.different, 0u) << static_cast<int>(where) << report.what;
    EXPECT_EQ(report.ticks, run.ticks());
    // What it finds between two ticks, or after a command that was carried out, belongs to no tick.
    if (where == HangsIn::read || where == HangsIn::command) {
      EXPECT_EQ(loop.safety().fault, Fault::watchdog) << name_of(loop.safety().fault);
    }
    std::remove(path.c_str());
  }
}

// ---- mechanisms that come to where they have no answer

std::unique_ptr<simulate::Mechanism> opened(const char* text) {
  return contact::open(describe::load_text(text, "test.yaml"), {.step = 1e-3});
}

/// Runs until it ends or `most` ticks are over: all commands are numbers, and where it ends it is safe.
Fault run_to_the_end(simulate::Mechanism& mechanism, const char* port, device::HandPointer hand, int most) {
  Faulty device(device::open("simulated:spatial", std::move(hand)), Injected::nothing, 0);
  control::CouplerGains gains = control::design(device.specification(), {1e12, 0.2});
  gains.stiffness[0] = gains.damping[0] = 0.0;
  HapticLoop loop(mechanism, device, mechanism.port(port), gains, limits_of(device));
  EXPECT_TRUE(loop.enable());
  for (int k = 0; k < most; ++k) {
    device.wait();
    const bool well = loop.tick(loop.period());
    EXPECT_TRUE(device::finite(device.last_command().wrench)) << k;
    EXPECT_TRUE(std::isfinite(loop.record().into_port)) << k;
    if (well) continue;
    expect_safe(loop, device);
    loop.clear();
    return loop.record().fault;
  }
  return Fault::none;
}

// A point mass on a light arm, at the pivot: M = diag(m r^2, m) is singular there.
constexpr const char* kPointOnAnArm = R"(
name: point_on_an_arm
gravity: [0, 0, 0]
bodies: {arm: {mass: 0}, point: {mass: 0.2}}
joints:
  turn: {type: revolute, parent: world, child: arm, axis: z}
  r: {type: prismatic, parent: arm, child: point, axis: x}
)";

TEST(Mechanism, ThatIsSingularIsAFaultInTheTickInWhichItIs) {
  {
    const auto mechanism = opened(kPointOnAnArm);
    mechanism->set_state({.t = 0.0, .q = {0.0, 0.0}, .u = {0.0, 0.0}, .momentum = {}});
    EXPECT_EQ(run_to_the_end(*mechanism, "point", stroking(), 1), Fault::mechanism);
  }
  // On the way through it, a hair beside: whatever comes of that, no command is anything but a number.
  for (const double beside : {0.0, 1e-12, 1e-6, 1e-3}) {
    const auto mechanism = opened(kPointOnAnArm);
    mechanism->set_state({.t = 0.0, .q = {beside, 0.02}, .u = {0.0, -0.2}, .momentum = {}});
    run_to_the_end(*mechanism, "point", device::following(device::strokes({-0.1, 0, 0}, 1.0)), 600);
    EXPECT_FALSE(testing::Test::HasFailure()) << beside;
  }
}

// The place that the equation asks for is nowhere from 0.1 s on.
TEST(Mechanism, WhoseConstraintCannotBeHeldAnyMoreIsAFault) {
  const auto mechanism = opened(R"(
name: torn
gravity: [0, 0, 0]
bodies: {slide: {mass: 1}, block: {mass: 1}}
joints:
  x: {type: prismatic, parent: world, child: slide, axis: x}
  y: {type: prismatic, parent: slide, child: block, axis: y}
constraints:
  torn: {type: equation, equations: x^2 - (0.01 - 0.1*t)}
)");
  mechanism->set_state({.t = 0.0, .q = {0.1, 0.0}, .u = {0.0, 0.0}, .momentum = {}});
  const Fault fault =
      run_to_the_end(*mechanism, "block", device::following(device::strokes({0, 0.05, 0}, 0.4)), 300);
  EXPECT_EQ(fault, Fault::mechanism) << name_of(fault);
}

}  // namespace
}  // namespace tactus::display
