// What every device keeps to, whoever made it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <thread>

#include <tactus/base/error.h>
#include <tactus/device/registry.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"
#include "support/paths.h"

namespace tactus::device {
namespace {

class EveryDevice : public ::testing::TestWithParam<std::string> {
 protected:
  static HandPointer busy() {
    return trembling(following(circles({0.03, 0, 0}, {0, 0.03, 0.01}, 0.5)), 0.5, 11);
  }
  std::unique_ptr<Device> device_ = open(GetParam(), busy());
};

/// A little away from where it is, in every axis.
Command some_command(const Sample& sample) {
  Command command;
  command.wrench = {0.01, -0.02, 0.03, 1.0, -0.5, 0.7};
  command.X_WH = sample.X_WH;
  command.X_WH.p.x += 1e-5;
  command.V_WH = {0.0, 0.0, 0.01, 0.01, 0.0, 0.02};
  return command;
}

TEST_P(EveryDevice, HasASpecificationThatHoldsTogether) {
  const Specification& s = device_->specification();
  EXPECT_EQ(s.name, GetParam());
  EXPECT_FALSE(s.description.empty());
  EXPECT_GT(s.rate, 0.0);
  EXPECT_EQ(s.actuated & ~s.sensed, 0);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_GE(s.peak[k], s.continuous[k]);
  EXPECT_GT(s.stiffness, 0.0);
}

TEST_P(EveryDevice, CountsItsSamplesAndKeepsItsClock) {
  Sample sample;
  EXPECT_FALSE(device_->read(sample));  // none yet
  for (std::uint64_t k = 1; k <= 100; ++k) {
    ASSERT_TRUE(device_->wait());
    ASSERT_TRUE(device_->read(sample));
    EXPECT_EQ(sample.number, k);
    EXPECT_DOUBLE_EQ(sample.t, double(k - 1) / device_->specification().rate);
  }
}

TEST_P(EveryDevice, MovesOnlyInAxesThatItHas) {
  device_->enable();
  Sample sample;
  for (int k = 0; k < 500 && device_->wait() && device_->read(sample); ++k) {
    device_->command(some_command(sample));
    const math::Vec3<double> theta = rotation_vector(sample.X_WH.R);
    for (std::size_t i = 0; i < 6; ++i) {
      if (has_axis(device_->specification().sensed, i)) continue;
      ASSERT_EQ(i < 3 ? theta[i] : sample.X_WH.p[i - 3], 0.0);
      ASSERT_EQ(sample.V_WH[i], 0.0);
      ASSERT_EQ(sample.F_H_W[i], 0.0);
    }
  }
}

TEST_P(EveryDevice, DoesNothingThatItIsToldWhileItIsOff) {
  const auto left_alone = open(GetParam(), busy());
  Sample sample, alone;
  EXPECT_EQ(device_->state(), State::off);
  for (int k = 0; k < 200; ++k) {
    ASSERT_TRUE(device_->wait() && device_->read(sample));
    ASSERT_TRUE(left_alone->wait() && left_alone->read(alone));
    EXPECT_FALSE(device_->command(some_command(sample)));
  }
  // The servo of an admittance device holds anew where it is with every refusal: it drifts by the leak.
  const double kDrift = device_->specification().kind == Kind::impedance ? 0.0 : 1e-4;  // [m]
  EXPECT_NEAR(sample.X_WH.p.x, alone.X_WH.p.x, kDrift);
}

TEST_P(EveryDevice, RefusesACommandThatIsNotFinite) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t i = 0; i < 6; ++i) {
      device_->enable();
      Sample sample;
      ASSERT_TRUE(device_->wait() && device_->read(sample));
      Command command = some_command(sample);
      (device_->specification().kind == Kind::impedance ? command.wrench : command.V_WH)[i] = bad;
      EXPECT_FALSE(device_->command(command));
      ASSERT_TRUE(device_->wait() && device_->read(sample));
      EXPECT_TRUE(finite(sample));
    }
}

TEST_P(EveryDevice, AllocatesNothingInTheLoop) {
  device_->enable();
  Sample sample;
  const long before = test::allocation_count_of_this_thread();
  for (int k = 0; k < 200; ++k) {
    device_->wait();
    device_->read(sample);
    device_->command(some_command(sample));
  }
  EXPECT_EQ(test::allocation_count_of_this_thread(), before);
}

TEST_P(EveryDevice, DoesTheSameTwice) {
  const auto again = open(GetParam(), busy());
  device_->enable();
  again->enable();
  Sample one, two;
  for (int k = 0; k < 500; ++k) {
    ASSERT_TRUE(device_->wait() && device_->read(one) && again->wait() && again->read(two));
    ASSERT_EQ(std::memcmp(&one.X_WH, &two.X_WH, sizeof one.X_WH), 0);
    ASSERT_EQ(one.V_WH, two.V_WH);
    ASSERT_EQ(one.F_H_W, two.F_H_W);
    device_->command(some_command(one));
    again->command(some_command(two));
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Specification& s : devices()) all.push_back(s.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryDevice, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (c == ':' || c == '-') c = '_';
  return name;
});

/// Devices of one's own: the example's, which is pushed, and one that is moved.
INSTANTIATE_TEST_SUITE_P(Files, EveryDevice,
                         ::testing::Values(support::source_dir() + "/examples/22_table_top.yaml",
                                           support::source_dir() + "/tests/device/files/yielding.yaml"),
                         [](const auto& info) { return info.index == 0 ? "table_top" : "yielding"; });

TEST(Registry, SaysWhichDeviceWasMeant) {
  try {
    open("simulated:planer", none());
    FAIL() << "no such device";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("simulated:planar"), std::string::npos) << error.what();
  }
}

TEST(Registry, TheLargestStiffnessIsTheSmallerOfTheTwoBounds) {
  Specification s;
  s.damping = {0.0, 2.0};
  s.friction = {0.0, 0.1};
  s.resolution = {0.0, 1e-5};
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 4000.0);  // 2 b/T at 1 kHz
  s.resolution[1] = 1e-4;
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 2000.0);  // 2 f_c/D
  s.latency = 4.5e-3;
  EXPECT_DOUBLE_EQ(largest_stiffness(s), 400.0);  // b/(T/2 + latency)
}

/// A device that owns the clock: its driver calls back from a thread of its own.
class CallingBack final : public Device {
 public:
  const Specification& specification() const noexcept override { return specification_; }
  State state() const noexcept override { return State::enabled; }
  bool enable() noexcept override { return true; }
  void disable() noexcept override {}
  void stop() noexcept override {}
  bool wait() noexcept override { return true; }
  bool read(Sample& sample) noexcept override {
    sample.number = ++number_;
    return true;
  }
  bool command(const Command&) noexcept override { return true; }
  void run(Callback callback) noexcept override {
    std::thread([&] {
      caller_ = std::this_thread::get_id();
      while (callback.tick(callback.context)) {
      }
    }).join();
  }
  std::thread::id caller_;

 private:
  Specification specification_;
  std::uint64_t number_ = 0;
};

template <class D>
std::uint64_t ticks_of(D& device) {
  struct Context {
    Device& device;
    Sample sample;
  } context{device, {}};
  device.run({[](void* c) noexcept {
                auto& at = *static_cast<Context*>(c);
                return at.device.read(at.sample) && at.sample.number < 25;
              },
              &context});
  return context.sample.number;
}

TEST(Run, CallsBackFromTheDriversThreadOrFromTheCallersOwn) {
  CallingBack own;
  EXPECT_EQ(ticks_of(own), 25u);
  EXPECT_NE(own.caller_, std::this_thread::get_id());
  const auto polled = open("simulated:ideal", none());
  EXPECT_EQ(ticks_of(*polled), 25u);
}

}  // namespace
}  // namespace tactus::device
