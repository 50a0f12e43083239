// The law of faults (fault_law_test.cpp) for devices that are mechanisms themselves: models and robot arms. They are costly to open: one device lives
// through all faults, and each fault meets it so many samples after it was switched on again.
#include <gtest/gtest.h>

#include <tactus/control/arm/arm_device.h>
#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/coupler_design.h>
#include <tactus/display/loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

enum class Control { coupler, penalties, two_rates, guarded, prescribed, proxy };
constexpr const char* kNames[] = {"coupler", "penalties", "two_rates", "guarded", "prescribed", "proxy"};

struct Made {
  const char* name;
  const char* device;
  bool admittance = false;
};
constexpr Made kDevices[] = {{"pantograph", "model:{}/models/pantograph.yaml"},
                             {"stewart_platform", "model:{}/models/stewart_platform.yaml"},
                             {"puma560", "arm:{}/models/puma560.yaml", true}};

constexpr std::pair<Injected, Fault> kInjections[] = {{Injected::lost, Fault::no_sample},
                                                      {Injected::late, Fault::late},
                                                      {Injected::doubled, Fault::stale_sample},
                                                      {Injected::skipped, Fault::skipped_sample},
                                                      {Injected::nan, Fault::bad_sample},
                                                      {Injected::nan_force, Fault::bad_sample},
                                                      {Injected::no_rotation, Fault::bad_sample},
                                                      {Injected::flipped, Fault::implausible},
                                                      {Injected::stopped_clock, Fault::clock_stopped},
                                                      {Injected::refused, Fault::refused}};

class EveryMechanismAsDevice : public ::testing::TestWithParam<std::tuple<Made, Control>> {};

TEST_P(EveryMechanismAsDevice, IsSafeWithinTheTickAtEverySample) {
  const auto& [made, control] = GetParam();
  std::string name = made.device;
  name.replace(name.find("{}"), 2, support::source_dir());
  Faulty device(control::open_device(name, device::following(device::strokes({0.01, 0, 0}, 0.2))),
                Injected::nothing, 0);
  const device::Specification& s = device.specification();
  const auto mechanism = mass_on_spring(1.0 / s.rate);
  control::CouplerGains gains;
  if (s.kind == device::Kind::impedance) gains = control::design_by_mass(s, {1e12, kMass}, 0.3);
  gains.stiffness[0] = gains.damping[0] = 0.0;  // the block does not turn
  control::SafetyLimits limits = control::limits_for(s);
  limits.ramp = 0.01;
  HapticLoop loop(*mechanism, device, mechanism->port("block"), gains, limits);
  if (control == Control::penalties) loop.use(control::FourChannelGains{.penalties = true});
  if (control == Control::two_rates) loop.use(TwoRateOptions{.every = 7, .delay = 3});
  if (control == Control::prescribed)
    loop.use(control::PrescribedGains{.axes = 1 << 3, .drift_rate = 5.0, .bandwidth = 10.0, .heaviest = 1e3});
  if (control == Control::proxy) loop.use(control::ProxyGains{.stiffness = gains.stiffness[1]});
  loop.guard_passivity(control == Control::guarded);

  constexpr std::uint64_t kSamples = 20;  // within the ramp, and after it
  bool felt = false;
  for (const auto& [what, fault] : kInjections)
    for (std::uint64_t at = 2; at <= kSamples; ++at) {
      mechanism->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
      ASSERT_TRUE(loop.enable());
      device.inject(what, at);
      for (std::uint64_t k = 1; k < at; ++k) {
        ASSERT_TRUE(device.wait());
        ASSERT_TRUE(loop.tick(loop.period()))
            << name_of(loop.safety().fault) << " before " << static_cast<int>(what) << " at " << at;
        felt |= loop.record().on_handle != device::Vector6{} || loop.record().on_port != device::Vector6{};
      }
      for (int after = 0; after < 3; ++after) {
        ASSERT_TRUE(device.wait());
        ASSERT_FALSE(loop.tick(loop.period())) << static_cast<int>(what) << " at " << at;
        ASSERT_EQ(loop.safety().fault, fault) << static_cast<int>(what) << " at " << at;
        ASSERT_EQ(loop.record().stage, Stage::faulted);
        ASSERT_EQ(loop.record().on_handle, device::Vector6{});
        ASSERT_EQ(device.last_command().wrench, device::Vector6{});
        ASSERT_EQ(device.last_command().V_WH, device::Vector6{});
        ASSERT_TRUE(device::finite(device.last_command().X_WH));
        ASSERT_EQ(device.state(), device::State::off);
      }
      ASSERT_FALSE(loop.enable());
      loop.clear();
    }
  EXPECT_TRUE(felt);
  // A place that no handle has, and a device that does not come back.
  for (const Injected what : {Injected::garbage, Injected::gone})
    for (std::uint64_t at = 2; at <= kSamples; ++at) {
      mechanism->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
      ASSERT_TRUE(loop.enable());
      device.inject(what, at);
      for (std::uint64_t k = 1; k < at; ++k) {
        ASSERT_TRUE(device.wait());
        ASSERT_TRUE(loop.tick(loop.period())) << name_of(loop.safety().fault) << " at " << at;
      }
      ASSERT_EQ(device.wait(), what == Injected::garbage) << at;
      if (what == Injected::garbage)
        ASSERT_FALSE(loop.tick(loop.period())) << at;
      else
        loop.lost();
      const Fault fault = loop.safety().fault;
      ASSERT_TRUE(what == Injected::gone ? fault == Fault::no_sample
                                         : fault == Fault::implausible || fault == Fault::out_of_workspace)
          << name_of(fault) << " at " << at;
      ASSERT_EQ(loop.record().stage, Stage::faulted);
      ASSERT_EQ(loop.record().on_handle, device::Vector6{});
      ASSERT_EQ(device.last_command().wrench, device::Vector6{});
      ASSERT_EQ(device.last_command().V_WH, device::Vector6{});
      ASSERT_TRUE(device::finite(device.last_command().X_WH));
      ASSERT_EQ(device.state(), device::State::off);
      ASSERT_FALSE(loop.enable());
      loop.clear();
    }
  // The caller's clock, which can be trusted.
  device.inject(Injected::nothing, 0);
  for (std::uint64_t at = 2; at <= kSamples; ++at) {
    mechanism->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
    ASSERT_TRUE(loop.enable());
    for (std::uint64_t k = 1; k <= at; ++k) {
      ASSERT_TRUE(device.wait());
      ASSERT_EQ(loop.tick(k < at ? loop.period() : loop.period() + 0.021), k < at) << at;
    }
    ASSERT_EQ(loop.safety().fault, Fault::late);
    ASSERT_EQ(device.last_command().wrench, device::Vector6{});
    ASSERT_EQ(device.state(), device::State::off);
    loop.clear();
  }
}

std::vector<std::tuple<Made, Control>> all() {
  std::vector<std::tuple<Made, Control>> every;
  for (const Made& made : kDevices)
    for (const Control control : {Control::coupler, Control::penalties, Control::two_rates, Control::guarded,
                                  Control::prescribed, Control::proxy}) {
      const bool either =
          control == Control::coupler || control == Control::two_rates || control == Control::guarded;
      if (either || !made.admittance) every.emplace_back(made, control);
    }
  return every;
}

INSTANTIATE_TEST_SUITE_P(Fault, EveryMechanismAsDevice, ::testing::ValuesIn(all()), [](const auto& info) {
  return std::string(std::get<0>(info.param).name) + "_" +
         kNames[static_cast<std::size_t>(std::get<1>(info.param))];
});

}  // namespace
}  // namespace tactus::display
