// What every device keeps to, whoever made it: a suite for each program of tests that can open some.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <tactus/device/device.h>
#include <tactus/device/hand.h>
#include <tactus/math/rotation_vector.h>

#include "support/allocations.h"

namespace tactus::device {

/// A device by the name that its specification shall have, and a way to open it.
struct DeviceCase {
  std::string name;
  std::function<std::unique_ptr<Device>(HandPointer)> open;
  /// Its handle is a thing of its own, which nothing moves along axes that are not sensed; a body of a model
  /// goes with it as it must.
  bool free_handle = true;
};

inline std::string test_name(const ::testing::TestParamInfo<DeviceCase>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

class EveryDevice : public ::testing::TestWithParam<DeviceCase> {
 protected:
  static HandPointer busy() {
    return trembling(following(circles({0.03, 0, 0}, {0, 0.03, 0.01}, 0.5)), 0.5, 11);
  }
  std::unique_ptr<Device> device_ = GetParam().open(busy());
};

/// A little away from where it is, in every axis.
inline Command some_command(const Sample& sample) {
  Command command;
  command.wrench = {0.01, -0.02, 0.03, 1.0, -0.5, 0.7};
  command.X_WH = sample.X_WH;
  command.X_WH.p.x += 1e-5;
  command.V_WH = {0.0, 0.0, 0.01, 0.01, 0.0, 0.02};
  return command;
}

TEST_P(EveryDevice, HasASpecificationThatHoldsTogether) {
  const Specification& s = device_->specification();
  EXPECT_EQ(s.name, GetParam().name);
  EXPECT_FALSE(s.description.empty());
  EXPECT_GT(s.rate, 0.0);
  EXPECT_EQ(s.actuated & ~s.sensed, 0);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_GE(s.peak[k], s.continuous[k]);
  // Nothing is passive with an impedance device that has no damping, or steps without friction.
  const std::size_t k = (s.actuated & kTranslation) != 0 ? 1 : 0;
  const bool passive = s.damping[k] > 0.0 && (s.resolution[k] == 0.0 || s.friction[k] > 0.0);
  if (s.kind == Kind::admittance || passive)
    EXPECT_GT(s.stiffness, 0.0);
  else
    EXPECT_EQ(s.stiffness, 0.0);
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
    const math::Vec3<double> theta = math::rotation_vector(sample.X_WH.R);
    for (std::size_t i = 0; i < 6; ++i) {
      if (has_axis(device_->specification().sensed, i)) continue;
      if (GetParam().free_handle) {
        ASSERT_EQ(i < 3 ? theta[i] : sample.X_WH.p[i - 3], 0.0);
      }
      ASSERT_EQ(sample.V_WH[i], 0.0);
      ASSERT_EQ(sample.F_H_W[i], 0.0);
    }
  }
}

TEST_P(EveryDevice, DoesNothingThatItIsToldWhileItIsOff) {
  const auto left_alone = GetParam().open(busy());
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

/// The numbers of a command that its device looks at.
inline std::vector<double*> numbers_of(Command& command, Kind kind) {
  std::vector<double*> numbers;
  if (kind == Kind::impedance) {
    for (double& x : command.wrench) numbers.push_back(&x);
    return numbers;
  }
  for (double& x : command.V_WH) numbers.push_back(&x);
  for (std::size_t i = 0; i < 3; ++i) {
    numbers.push_back(&command.X_WH.p[i]);
    for (std::size_t j = 0; j < 3; ++j) numbers.push_back(&command.X_WH.R(i, j));
  }
  return numbers;
}

TEST_P(EveryDevice, RefusesACommandThatIsNotFinite) {
  const Kind kind = device_->specification().kind;
  Command any;
  const std::size_t count = numbers_of(any, kind).size();
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    for (std::size_t i = 0; i < count; ++i) {
      device_->enable();
      Sample sample;
      ASSERT_TRUE(device_->wait() && device_->read(sample));
      Command command = some_command(sample);
      *numbers_of(command, kind)[i] = bad;
      EXPECT_FALSE(device_->command(command)) << i;
      ASSERT_TRUE(device_->wait() && device_->read(sample));
      EXPECT_TRUE(finite(sample)) << i;
    }
}

// As a watchdog does: it is off by the next sample, and on again only when it is told.
TEST_P(EveryDevice, IsOffOnceItWasStoppedUntilItIsEnabled) {
  ASSERT_TRUE(device_->enable());
  Sample sample;
  ASSERT_TRUE(device_->wait() && device_->read(sample));
  ASSERT_TRUE(device_->command(some_command(sample)));
  device_->stop();
  ASSERT_TRUE(device_->wait() && device_->read(sample));
  EXPECT_EQ(device_->state(), State::off);
  EXPECT_FALSE(device_->command(some_command(sample)));
  EXPECT_EQ(device_->trouble(), "");  // it was the user's own will
  ASSERT_TRUE(device_->enable());
  ASSERT_TRUE(device_->wait() && device_->read(sample));
  EXPECT_TRUE(device_->command(some_command(sample)));
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
  const auto again = GetParam().open(busy());
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

}  // namespace tactus::device
