// The law of faults: whatever goes wrong, at whatever sample of a run, with whatever device and controller, the loop is in its safe state within
// that tick, says why, and stays there until it is told otherwise.
#include <gtest/gtest.h>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

enum class Control { coupler, impedance, penalties, two_rates, guarded, prescribed, proxy, local_penalties };
constexpr const char* kNames[] = {"coupler", "impedance",  "penalties", "two_rates",
                                  "guarded", "prescribed", "proxy",     "local_penalties"};

struct Injection {
  Injected what;
  Fault fault;
  bool from_second = false;  // needs a sample before
};
constexpr Injection kInjections[] = {{Injected::lost, Fault::no_sample},
                                     {Injected::late, Fault::late, true},
                                     {Injected::doubled, Fault::stale_sample, true},
                                     {Injected::skipped, Fault::skipped_sample, true},
                                     {Injected::nan, Fault::bad_sample},
                                     {Injected::nan_force, Fault::bad_sample},
                                     {Injected::no_rotation, Fault::bad_sample},
                                     {Injected::flipped, Fault::implausible, true},
                                     {Injected::stopped_clock, Fault::clock_stopped, true},
                                     {Injected::refused, Fault::refused}};

constexpr std::uint64_t kSamples = 40;  // of a run: within the ramp, in motion

class EveryLoop : public ::testing::TestWithParam<std::tuple<std::string, Control>> {
 protected:
  std::string name_ = std::get<0>(GetParam());
  Control control_ = std::get<1>(GetParam());
  /// A wheel only turns: so does what it holds, and the hand.
  bool turns_ = (device::open(name_, device::none())->specification().actuated & device::kTranslation) == 0;
  double step_ = 1.0 / device::open(name_, device::none())->specification().rate;
  std::unique_ptr<simulate::Mechanism> mechanism_ = turns_ ? disk_on_spring(step_) : mass_on_spring(step_);

  std::unique_ptr<Faulty> faulty(Injected what, std::uint64_t at) const {
    const device::Path path = device::strokes({0.05, 0, 0}, 0.2);
    device::HandPointer hand = turns_ ? device::following([path](double t) {
      return device::Intention{{}, {0, 0, 10.0 * path(t).p.x}};
    })
                                      : device::following(path);
    return std::make_unique<Faulty>(device::open(name_, std::move(hand)), what, at);
  }
  double angle_ = 0.0;  // [rad] of the workspace
  /// From the start, with the mechanism where it began.
  std::unique_ptr<HapticLoop> loop(device::Device& device) {
    mechanism_->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
    const device::Specification& s = device.specification();
    control::CouplerGains gains;
    if (s.kind == device::Kind::impedance) gains = control::design(s, {turns_ ? kDisk : 1e12, kMass});
    const std::size_t still = turns_ ? 1 : 0;  // the block does not turn, and the disk does nothing else
    gains.stiffness[still] = gains.damping[still] = 0.0;
    control::SafetyLimits limits = control::limits_for(s);
    limits.ramp = 0.01;
    limits.workspace_angle = angle_;
    auto made = std::make_unique<HapticLoop>(*mechanism_, device, mechanism_->port(turns_ ? "disk" : "block"),
                                             gains, limits);
    if (is_four()) {
      control::FourChannelGains four;
      four.penalties = control_ != Control::impedance;
      made->use(four);
    }
    if (has_two_rates()) made->use(TwoRateOptions{.every = 7, .delay = 3});
    // The block outweighs the handle: a slow pole keeps what comes back a tick late below it.
    if (control_ == Control::prescribed)
      made->use(control::PrescribedGains{
          .axes = static_cast<std::uint8_t>(turns_ ? 1 << 2 : 1 << 3), .drift_rate = 5.0, .bandwidth = 10.0});
    if (control_ == Control::proxy) made->use(control::ProxyGains{.stiffness = gains.stiffness[1]});
    made->guard_passivity(control_ == Control::guarded);
    if (control_ == Control::guarded) made->follow_port();
    EXPECT_TRUE(made->enable());
    return made;
  }
  bool is_four() const {
    return control_ == Control::impedance || control_ == Control::penalties ||
           control_ == Control::local_penalties;
  }
  bool has_two_rates() const {
    return control_ == Control::two_rates || control_ == Control::local_penalties;
  }
};

TEST_P(EveryLoop, IsSafeWithinTheTickAtEverySample) {
  // Without a fault there is none, and something is felt.
  {
    const auto device = faulty(Injected::nothing, 0);
    const auto well = loop(*device);
    bool moved = false;
    for (std::uint64_t k = 1; k <= kSamples; ++k) {
      device->wait();
      ASSERT_TRUE(well->tick(well->period())) << name_of(well->safety().fault) << " at " << k;
      moved |= well->record().on_handle != device::Vector6{} || well->record().on_port != device::Vector6{};
    }
    EXPECT_TRUE(moved);
  }
  for (const Injection& injection : kInjections)
    for (std::uint64_t at = injection.from_second ? 2 : 1; at <= kSamples; ++at) {
      const auto device = faulty(injection.what, at);
      const auto here = loop(*device);
      for (std::uint64_t k = 1; k < at; ++k) {
        device->wait();
        ASSERT_TRUE(here->tick(here->period())) << static_cast<int>(injection.what) << " at " << at;
      }
      // In this tick, and in those after it, although the device is well again.
      for (int after = 0; after < 3; ++after) {
        device->wait();
        ASSERT_FALSE(here->tick(here->period())) << static_cast<int>(injection.what) << " at " << at;
        ASSERT_EQ(here->safety().fault, injection.fault) << static_cast<int>(injection.what) << " at " << at;
        ASSERT_EQ(here->record().stage, Stage::faulted);
        ASSERT_EQ(here->record().on_handle, device::Vector6{});
        ASSERT_EQ(device->last_command().wrench, device::Vector6{});
        ASSERT_EQ(device->last_command().V_WH, device::Vector6{});
        ASSERT_TRUE(device::finite(device->last_command().X_WH));
        ASSERT_EQ(device->state(), device::State::off);
      }
      ASSERT_FALSE(here->enable());
      here->clear();
      ASSERT_TRUE(here->enable());
    }
}

// A place that no handle has, by how far it is from the one before or from the device: which of these is found first depends on the device. And one that does not come back.
TEST_P(EveryLoop, IsSafeWithinTheTickInWhichTheDeviceTalksNonsenseOrIsGone) {
  for (const Injected what : {Injected::garbage, Injected::gone})
    for (std::uint64_t at = 2; at <= kSamples; ++at) {
      const auto device = faulty(what, at);
      const auto here = loop(*device);
      for (std::uint64_t k = 1; k < at; ++k) {
        ASSERT_TRUE(device->wait());
        ASSERT_TRUE(here->tick(here->period()));
      }
      ASSERT_EQ(device->wait(), what == Injected::garbage);
      if (what == Injected::garbage)
        ASSERT_FALSE(here->tick(here->period())) << at;
      else
        here->lost();
      const Fault fault = here->safety().fault;
      ASSERT_TRUE(what == Injected::gone ? fault == Fault::no_sample
                                         : fault == Fault::implausible || fault == Fault::out_of_workspace)
          << name_of(fault) << " at " << at;
      ASSERT_EQ(here->record().stage, Stage::faulted);
      ASSERT_EQ(here->record().on_handle, device::Vector6{});
      ASSERT_EQ(device->last_command().wrench, device::Vector6{});
      ASSERT_EQ(device->last_command().V_WH, device::Vector6{});
      ASSERT_TRUE(device::finite(device->last_command().X_WH));
      ASSERT_EQ(device->state(), device::State::off);
    }
}

// Where the device has an end of turning, and the handle is beyond it.
TEST_P(EveryLoop, IsSafeWithinTheTickInWhichTheHandleIsTurnedTooFar) {
  angle_ = 2.5;  // of a wheel that is turned by 0.5 rad, and nothing else is turned far
  for (std::uint64_t at = 1; at <= kSamples; ++at) {
    const auto device = faulty(Injected::flipped, at);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k < at; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period())) << name_of(here->safety().fault);
    }
    for (int after = 0; after < 3; ++after) {
      device->wait();
      ASSERT_FALSE(here->tick(here->period())) << at;
      ASSERT_EQ(here->safety().fault, Fault::turned_too_far) << at;
      ASSERT_EQ(here->record().on_handle, device::Vector6{});
      ASSERT_EQ(device->last_command().wrench, device::Vector6{});
      ASSERT_EQ(device->last_command().V_WH, device::Vector6{});
      ASSERT_EQ(device->state(), device::State::off);
    }
  }
}

// The mechanism runs away from the handle, as one does whose step is too long for it; a proxy's goes its own way.
TEST_P(EveryLoop, IsSafeWithinTheTickInWhichThePortIsTooFarAway) {
  if (control_ == Control::proxy || has_two_rates() || turns_) return;
  for (std::uint64_t at = 2; at <= kSamples; at += 3) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k < at; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
    }
    mechanism_->set_state({.t = 0.0, .q = {1e3}, .u = {0.0}, .momentum = {}});
    device->wait();
    ASSERT_FALSE(here->tick(here->period()));
    ASSERT_EQ(here->safety().fault, Fault::apart);
    ASSERT_EQ(here->record().on_port, device::Vector6{});
    ASSERT_EQ(device->last_command().wrench, device::Vector6{});
    ASSERT_EQ(device->state(), device::State::off);
  }
}

// Four channels give the mechanism what the hand is sensed to give: more than any hand has is no hand.
TEST_P(EveryLoop, IsSafeWithinTheTickInWhichThePortWouldBePushedTooHard) {
  if (!is_four() || !device::open(name_, device::none())->specification().force_sensor) return;
  for (std::uint64_t at = 2; at <= kSamples; at += 3) {
    const auto device = faulty(Injected::strong, at);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k < at; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
    }
    device->wait();
    ASSERT_FALSE(here->tick(here->period()));
    ASSERT_EQ(here->safety().fault, Fault::too_strong);
    ASSERT_EQ(here->record().on_port, device::Vector6{});
    ASSERT_EQ(device->state(), device::State::off);
  }
}

// The caller's clock, which can be trusted, tells of a tick that came late although the device says nothing of it.
TEST_P(EveryLoop, IsSafeWithinTheTickThatComesLate) {
  for (std::uint64_t at = 2; at <= kSamples; ++at) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k < at; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
    }
    device->wait();
    ASSERT_FALSE(here->tick(here->period() + 0.021));
    ASSERT_EQ(here->safety().fault, Fault::late);
    ASSERT_EQ(device->last_command().wrench, device::Vector6{});
    ASSERT_EQ(device->state(), device::State::off);
  }
}

std::vector<std::tuple<std::string, Control>> all() {
  std::vector<std::tuple<std::string, Control>> every;
  for (const device::Specification& s : device::devices()) {
    for (const Control control :
         {Control::coupler, Control::impedance, Control::penalties, Control::two_rates, Control::guarded,
          Control::prescribed, Control::proxy, Control::local_penalties}) {
      const bool either =
          control == Control::coupler || control == Control::two_rates || control == Control::guarded;
      if (!either && s.kind == device::Kind::admittance) continue;
      if (control == Control::proxy && (s.actuated & device::kTranslation) == 0)
        continue;  // it pushes no point
      every.emplace_back(s.name, control);
    }
  }
  return every;
}

INSTANTIATE_TEST_SUITE_P(Fault, EveryLoop, ::testing::ValuesIn(all()), [](const auto& info) {
  std::string name =
      std::get<0>(info.param) + "_" + kNames[static_cast<std::size_t>(std::get<1>(info.param))];
  for (char& c : name)
    if (c == ':' || c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace tactus::display
