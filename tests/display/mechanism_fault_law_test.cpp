// The law of faults for what stands behind the port: whatever breaks in the mechanism, at whatever step of a run, with whatever device and
// controller, no command is ever anything but a number within its limits, the loop is in its safe state within the tick in which the
// break can be known, keeps the first reason, and begins from nothing after clear() and enable().
#include <gtest/gtest.h>

#include <cmath>

#include "display/every_loop.h"
#include "display/faulty_mechanism.h"

namespace tactus::display {
namespace {

using control::Fault;
using control::Stage;

constexpr std::uint64_t kSteps = 24;   // of a run: within the ramp of ten, and after it
constexpr int kEvery = 7, kDelay = 3;  // of two rates (every_loop.h)

class EveryMechanism : public EveryLoop {
 protected:
  EveryMechanism() {
    auto broken = std::make_unique<FaultyMechanism>(std::move(mechanism_));
    broken_ = broken.get();
    mechanism_ = std::move(broken);
  }
  /// The tick in which what the mechanism does in its n-th step is known: of two rates, when the update is there.
  std::uint64_t known_in(std::uint64_t n) const {
    return has_two_rates() ? (n + kEvery - 1) / kEvery * kEvery + kDelay + 1 : n;
  }
  /// The same of what it answers before its n-th step, that is after the one before: an update has it, too.
  std::uint64_t answers_known_in(std::uint64_t n) const {
    return has_two_rates() ? known_in(std::max<std::uint64_t>(n - 1, 1)) : n;
  }
  /// It asks for accelerations and the mobility in every tick, or has them of the updates.
  bool asks_in_every_tick() const {
    return is_four() || is_prescribed() || has_two_rates() || control_ == Control::kept_inertia ||
           control_ == Control::damped_inside;
  }
  static double size(const device::Vector6& v, std::size_t k) {
    return std::hypot(v[3 * k], v[3 * k + 1], v[3 * k + 2]);
  }
  void expect_safe(const HapticLoop& loop, const Faulty& device) {
    EXPECT_EQ(loop.record().stage, Stage::faulted);
    EXPECT_EQ(loop.record().on_handle, device::Vector6{});
    EXPECT_EQ(loop.record().on_port, device::Vector6{});
    EXPECT_EQ(device.last_command().wrench, device::Vector6{});
    EXPECT_EQ(device.last_command().V_WH, device::Vector6{});
    EXPECT_TRUE(device::finite(device.last_command().X_WH));
    EXPECT_EQ(device.state(), device::State::off);
    EXPECT_TRUE(std::isfinite(loop.record().into_port)) << "the books go on after it";
    EXPECT_TRUE(std::isfinite(loop.record().out_of_handle));
  }
  /// From nothing: no more than the first share of the ramp, and no motion but the handle's own.
  void expect_begins_anew(HapticLoop& loop, Faulty& device) {
    device.wait();
    ASSERT_TRUE(loop.tick(loop.period())) << name_of(loop.safety().fault);
    EXPECT_EQ(loop.record().stage, Stage::ramping);
    const control::SafetyLimits limits = control::limits_for(device.specification());
    const double share = loop.period() / kRamp;
    constexpr double kRounding = 1.0 + 1e-9;
    for (std::size_t k = 0; k < 2; ++k)
      if (limits.force[k] > 0.0 && device.specification().kind == device::Kind::impedance) {
        EXPECT_LE(size(loop.record().on_handle, k), kRounding * share * limits.force[k]) << k;
      }
    const math::Vec3<double> way = device.last_command().X_WH.p - device.last().X_WH.p;
    if (device.specification().kind == device::Kind::admittance) {
      constexpr double kSpeed = 1.0;  // [m/s] far above what the mechanism has
      EXPECT_LT(std::sqrt(dot(way, way)), kSpeed * loop.period());
    }
    EXPECT_TRUE(std::isfinite(loop.record().into_port));
  }
  FaultyMechanism* broken_;
};

// What its motion tells of itself.
TEST_P(EveryMechanism, IsSafeWithinTheTickInWhichAStepBreaks) {
  for (const Breaks what :
       {Breaks::fails, Breaks::nan_place, Breaks::nan_speed, Breaks::infinite_speed, Breaks::jumps}) {
    if (what == Breaks::jumps && (turns_ || is_proxy()))
      continue;  // a disk goes nowhere; a proxy's mechanism where it likes
    for (std::uint64_t at = 1; at <= kSteps; ++at) {
      const auto device = faulty(Injected::nothing, 0);
      const auto here = loop(*device);
      broken_->inject(what, at);
      const auto where = [&] {
        return testing::Message() << "break " << static_cast<int>(what) << " at step " << at;
      };
      for (std::uint64_t k = 1; k < known_in(at); ++k) {
        device->wait();
        ASSERT_TRUE(here->tick(here->period()))
            << where() << ": " << name_of(here->safety().fault) << " in tick " << k;
        ASSERT_TRUE(device::finite(device->last_command().wrench)) << where();
      }
      Fault first = Fault::none;
      for (int after = 0; after < 3; ++after) {
        device->wait();
        ASSERT_FALSE(here->tick(here->period())) << where();
        expect_safe(*here, *device);
        if (after == 0) first = here->safety().fault;
        ASSERT_EQ(here->safety().fault, first) << where();
        ASSERT_FALSE(HasFailure()) << where();
      }
      const bool far = what == Breaks::jumps;
      ASSERT_TRUE(far ? first == Fault::apart || first == Fault::out_of_workspace : first == Fault::mechanism)
          << where() << ": " << name_of(first);
      ASSERT_FALSE(here->enable()) << where();
      broken_->heal();
      here->clear();
      ASSERT_TRUE(here->enable()) << where();
      expect_begins_anew(*here, *device);
      ASSERT_FALSE(HasFatalFailure() || HasFailure()) << where();
    }
  }
}

// A servo goes to where it is sent as fast as it can: half way through the workspace in a tick is not sent, whatever speed comes with it.
TEST_P(EveryMechanism, IsSafeBeforeADeviceIsSentToAPlaceThatLeapt) {
  if (device::open(name_, device::none())->specification().kind != device::Kind::admittance)
    return;  // what is pushed feels a spring, within the clamps
  for (const bool turning : {false, true}) {
    turns_ = turning;
    auto broken = std::make_unique<FaultyMechanism>(held(turning));
    broken_ = broken.get();
    broken_->set_leap(turning ? 0.5 : 0.3);
    mechanism_ = std::move(broken);
    for (std::uint64_t at = 1; at <= kSteps; ++at) {
      const auto device = faulty(Injected::nothing, 0);
      const auto here = loop(*device);
      broken_->inject(Breaks::leaps, at);
      for (std::uint64_t k = 1; k < known_in(at); ++k) {
        device->wait();
        ASSERT_TRUE(here->tick(here->period())) << name_of(here->safety().fault) << " in tick " << k;
      }
      device->wait();
      ASSERT_FALSE(here->tick(here->period())) << turning << " at step " << at;
      expect_safe(*here, *device);
      ASSERT_EQ(here->safety().fault, Fault::implausible) << turning << " at step " << at;
      ASSERT_FALSE(HasFailure()) << turning << " at step " << at;
      broken_->heal();
      here->clear();
      ASSERT_TRUE(here->enable());
      expect_begins_anew(*here, *device);
      ASSERT_FALSE(HasFailure()) << turning << " at step " << at;
    }
  }
}

// What it says of how it would move. Who asks is safe within the tick; who does not goes on, as if nothing were.
TEST_P(EveryMechanism, IsSafeWithinTheTickInWhichAnswersAreNoNumbers) {
  for (const Breaks what : {Breaks::nan_acceleration, Breaks::nan_mobility, Breaks::infinite_mobility}) {
    for (std::uint64_t at = 1; at <= kSteps; ++at) {
      const auto device = faulty(Injected::nothing, 0);
      const auto here = loop(*device);
      broken_->inject(what, at);
      const auto where = [&] {
        return testing::Message() << "break " << static_cast<int>(what) << " at step " << at;
      };
      bool well = true;
      for (std::uint64_t k = 1; k <= answers_known_in(at) + 3 && well; ++k) {
        device->wait();
        well = here->tick(here->period());
        ASSERT_TRUE(device::finite(device->last_command().wrench)) << where();
        ASSERT_TRUE(device::finite(device->last_command().X_WH)) << where();
        ASSERT_TRUE(device::finite(device->last_command().V_WH)) << where();
        ASSERT_TRUE(device::finite(here->record().on_port)) << where();
        ASSERT_TRUE(std::isfinite(here->record().into_port)) << where();
        if (k < answers_known_in(at)) {
          ASSERT_TRUE(well) << where() << ": " << name_of(here->safety().fault) << " in tick " << k;
        } else if (asks_in_every_tick()) {
          ASSERT_FALSE(well) << where() << " in tick " << k;
        }
        if (!well) expect_safe(*here, *device);
        ASSERT_FALSE(HasFailure()) << where();
      }
      broken_->heal();
      if (well) continue;
      here->clear();
      ASSERT_TRUE(here->enable()) << where();
      expect_begins_anew(*here, *device);
      ASSERT_FALSE(HasFailure()) << where();
    }
  }
}

// Energy from nowhere ends the run by one reason or another, and until then no command is beyond its limits.
TEST_P(EveryMechanism, IsSafeWhereSomethingDrivesTheMechanism) {
  if (is_proxy()) return;  // nobody moves its mechanism: it rests
  for (const std::uint64_t at : {1, 12, 40}) {
    const auto device = faulty(Injected::nothing, 0);
    const auto here = loop(*device);
    broken_->inject(Breaks::driven, at);
    const control::SafetyLimits limits = control::limits_for(device->specification());
    constexpr int kMost = 4000;  // ticks: e^500 of what it was, at 400/3 1/s
    bool well = true;
    int ticks = 0;
    while (well && ticks++ < kMost) {
      device->wait();
      well = here->tick(here->period());
      ASSERT_TRUE(device::finite(here->record().on_handle)) << at;
      ASSERT_TRUE(device::finite(device->last_command().X_WH)) << at;
      constexpr double kRounding = 1.0 + 1e-9;
      for (std::size_t k = 0; k < 2; ++k)
        if (limits.force[k] > 0.0) {
          ASSERT_LE(size(here->record().on_handle, k), kRounding * limits.force[k]) << at;
        }
    }
    ASSERT_FALSE(well) << at;
    EXPECT_NE(here->safety().fault, Fault::refused) << "the loop finds it, not the device";
    expect_safe(*here, *device);
    broken_->heal();
    mechanism_->set_state(this->at(0.0));
    for (int k = 0; k < 2000; ++k) device->wait();  // until the hand has caught a handle that was thrown
    here->clear();
    ASSERT_TRUE(here->enable());
    expect_begins_anew(*here, *device);
    ASSERT_FALSE(HasFailure()) << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Fault, EveryMechanism, ::testing::ValuesIn(every_loop()), kLoopName);

}  // namespace
}  // namespace tactus::display
