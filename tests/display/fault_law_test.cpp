// The law of faults: whatever goes wrong, at whatever sample of a run, with whatever device and controller, the loop is in its safe state within
// that tick, says why, and stays there until it is told otherwise.
#include <gtest/gtest.h>

#include "display/every_loop.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

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
  if (is_proxy() || has_two_rates() || turns_) return;
  for (std::uint64_t at = 2; at <= kSamples; at += 3) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k < at; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
    }
    mechanism_->set_state(this->at(1e3));
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

// Forces are off until they are enabled: whoever clears what is on, while its forces ramp up or after that,
// has it off, and the motors hold nothing.
TEST_P(EveryLoop, IsOffWithItsDeviceWhereItIsClearedWhileItIsOn) {
  for (std::uint64_t ticks = 1; ticks <= kSamples; ++ticks) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    for (std::uint64_t k = 1; k <= ticks; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
    }
    here->clear();
    ASSERT_EQ(device->state(), device::State::off) << ticks;
    ASSERT_EQ(here->safety().stage, Stage::off) << ticks;
    const int commands = device->commands();
    for (int after = 0; after < 3; ++after) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period())) << name_of(here->safety().fault) << " after " << ticks;
      ASSERT_EQ(here->record().stage, Stage::off);
      ASSERT_EQ(here->record().on_handle, device::Vector6{});
      ASSERT_EQ(here->record().on_port, device::Vector6{});
      ASSERT_EQ(device->state(), device::State::off);
    }
    ASSERT_EQ(device->commands(), commands) << "of what is off";
    // From nothing, as after a fault.
    ASSERT_TRUE(here->enable());
    device->wait();
    ASSERT_TRUE(here->tick(here->period())) << name_of(here->safety().fault);
    ASSERT_EQ(here->record().stage, Stage::ramping);
    ASSERT_NEAR(here->safety().ramped, here->period() / kRamp, 1e-12);
  }
}

// Coupled anew in the middle of a motion it would jump, without a ramp.
TEST_P(EveryLoop, GoesOnAsItIsWhereItIsEnabledWhileItIsOn) {
  std::vector<TickRecord> once;
  for (const bool again : {false, true}) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    for (std::size_t k = 0; k < kSamples; ++k) {
      device->wait();
      ASSERT_TRUE(here->tick(here->period()));
      if (!again) {
        once.push_back(here->record());
        continue;
      }
      ASSERT_TRUE(here->enable());
      ASSERT_EQ(here->record().on_handle, once[k].on_handle) << k;
      ASSERT_EQ(here->record().on_port, once[k].on_port) << k;
      ASSERT_EQ(here->record().stage, once[k].stage) << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fault, EveryLoop, ::testing::ValuesIn(every_loop()), kLoopName);

}  // namespace
}  // namespace tactus::display
