// Whether more came out of a loop than went in.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/energy_books.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

TEST(EnergyBooks, WhatTheMechanismGivesByItselfIsNotMade) {
  EnergyBooks books;
  books.mechanism(10.0, 0);
  books.from_hand(-2.0);  // lowered into the hand
  books.into_port(-2.5);
  books.mechanism(7.0, 0);
  EXPECT_EQ(books.gift(), 3.0);
  EXPECT_EQ(books.made(), -0.5);
  books.from_hand(-1.5);
  books.mechanism(7.0, 0);
  EXPECT_EQ(books.made(), 1.0);  // more than it lost, and more than left it at the port
  EXPECT_EQ(books.turned(), 6.0);
}

// What adds up over an hour is not what came in a minute; what was stored before and came back is none.
TEST(EnergyBooks, WhatWasMadeLatelyForgetsWhatWasMadeLongAgo) {
  constexpr std::uint64_t kWindow = 1000;  // [ticks]
  constexpr double kDrift = 1e-5;          // [J] a tick
  EnergyBooks books;
  double most = 0.0;
  for (int k = 0; k < 50'000; ++k) {
    books.into_port(kDrift);
    books.close_tick();
    most = support::larger(most, books.lately(kWindow));
  }
  EXPECT_NEAR(books.made(), 0.5, 1e-9);
  EXPECT_GE(most, kWindow * kDrift);
  EXPECT_LE(most, 2.001 * kWindow * kDrift);
  // A blow is all there at once.
  books.into_port(3.0);
  EXPECT_GE(books.lately(kWindow), 3.0);
  books.into_port(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(books.lately(kWindow)));

  EnergyBooks spring;  // holds 2 J for a while, and gives them back
  double lent = -1.0;
  for (int k = 0; k < 5000; ++k) {
    spring.into_port(k == 10 ? -2.0 : k == 3000 ? 2.0 : 0.0);
    spring.close_tick();
    lent = support::larger(lent, spring.lately(kWindow));
  }
  EXPECT_EQ(lent, 0.0);
}

TEST(EnergyBooks, AnEnergyThatIsNoNumberIsNoSilence) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EnergyBooks books;
  books.mechanism(1.0, 0);
  books.mechanism(nan, 0);
  EXPECT_TRUE(std::isnan(books.made()));
  EnergyBooks work;
  work.mechanism(1.0, 0);
  work.into_port(nan);
  work.mechanism(1.0, 0);
  EXPECT_FALSE(work.made() <= 1e300);
}

TEST(EnergyBooks, AMechanismThatGainsWhatNobodyGaveIsFound) {
  EnergyBooks books;
  books.mechanism(0.0, 0);
  books.from_hand(1.0);
  books.into_port(0.9);
  books.mechanism(3.0, 0);
  EXPECT_EQ(books.made(), 2.0);
  books.given(2.0);  // it was carried
  books.mechanism(3.0, 0);
  EXPECT_EQ(books.made(), 0.0 - 0.0);
}

TEST(EnergyBooks, AnOldEnergyIsComparedWithTheHandOfThatTime) {
  EnergyBooks books;
  books.mechanism(0.0, 0);
  for (int k = 0; k < 10; ++k) {
    books.from_hand(1.0);
    books.close_tick();
  }
  books.mechanism(7.5, 3);  // when the hand had given seven
  EXPECT_EQ(books.made(), 0.5);
}

std::unique_ptr<simulate::Mechanism> block(double kilograms, double gravity) {
  return contact::open(
      describe::load_text("name: block\ngravity: [0, 0, " + std::to_string(-gravity) +
                              "]\nbodies: {block: {mass: " + std::to_string(kilograms) +
                              "}}\njoints: {z: {type: prismatic, parent: world, child: block, "
                              "axis: z}}\n",
                          "block.yaml"),
      {.step = 1e-3});
}

// Ten times the passive stiffness before a light block: it feeds itself, and the loop is in its safe state, with the reason, before the clamps would have been all that held it.
TEST(EnergyBooks, ALoopThatFeedsItselfIsStopped) {
  for (const bool two_rates : {false, true})
    for (const char* name :
         {"simulated:planar", "simulated:spatial", "simulated:delayed", "simulated:ideal"}) {
      if (two_rates && std::string(name) == "simulated:planar") continue;  // it does not move along z
      const auto device = device::open(name, device::following(device::strokes({0.01, 0, 0.05}, 1.0)));
      if (!device::has_axis(device->specification().actuated, 5)) continue;
      const auto light = block(0.3, 0.0);
      const device::Specification& s = device->specification();
      control::SafetyLimits limits = control::limits_for(s);
      limits.force_rate = {};  // a coupler yields to that clamp, which burns what it makes
      HapticLoop loop(*light, *device, light->port("block"),
                      {{0, 10.0 * device::largest_stiffness(s)}, {0, 0}}, limits);
      if (two_rates) loop.use(TwoRateOptions{.every = 20, .delay = 5});
      ASSERT_TRUE(loop.enable());
      bool well = true;
      for (int k = 0; k < 5000 && well; ++k) well = device->wait() && loop.tick(1e-3);
      EXPECT_FALSE(well) << name << two_rates;
      if (loop.safety().fault == control::Fault::too_fast)
        continue;  // it broke away before a tenth of it was made
      EXPECT_EQ(loop.safety().fault, control::Fault::unbalanced) << name << two_rates;
      EXPECT_EQ(loop.record().on_handle, device::Vector6{});
      EXPECT_EQ(device->state(), device::State::off);
    }
}

// A weight that sinks into the hand, a hand that lifts it, and a coupler that is passive: nothing is made.
TEST(EnergyBooks, AWeightInTheHandIsBalanced) {
  for (const char* name :
       {"simulated:spatial", "simulated:delayed", "simulated:ideal", "simulated:admittance"}) {
    device::Arm arm;
    arm.stiffness[1] = 200.0;
    arm.damping[1] = 30.0;
    const auto device = device::open(name, device::following(device::strokes({0, 0, 0.05}, 1.5), arm));
    const auto weight = block(0.5, 9.81);
    HapticLoop loop(*weight, *device, weight->port("block"), {{0, 500.0}, {0, 0.3}},
                    control::limits_for(device->specification()));
    ASSERT_TRUE(loop.enable());
    double made = 0.0;
    for (int k = 0; k < 3000; ++k) {
      device->wait();
      ASSERT_TRUE(loop.tick(1e-3)) << name << name_of(loop.safety().fault);
      made = support::larger(made, loop.record().made);
    }
    constexpr double kSlight = 0.02;  // sampling, the ramp, encoder steps
    EXPECT_LT(made, kSlight * loop.books().turned()) << name;
    EXPECT_GT(loop.books().turned(), 0.1) << name;
  }
}

// The weight comes on with the ramp: the port neither drops before the hand holds it, nor does it jump.
TEST(EnergyBooks, TheWeightComesOnWithTheRamp) {
  for (const char* name : {"simulated:admittance", "simulated:cobot", "simulated:spatial"}) {
    device::Arm arm;
    arm.stiffness[1] = 1000.0;
    arm.damping[1] = 40.0;
    const auto device = device::open(name, device::hold(arm));
    const auto weight = block(0.6, 9.81);
    const control::SafetyLimits limits = control::limits_for(device->specification());
    HapticLoop loop(*weight, *device, weight->port("block"), {{0, 1000.0}, {0, 0.3}}, limits);
    ASSERT_TRUE(loop.enable());
    double fastest = 0.0;
    for (int k = 0; k < 250; ++k) {
      device->wait();
      ASSERT_TRUE(loop.tick(1e-3)) << name << name_of(loop.safety().fault);
      fastest = support::larger(fastest, std::abs(loop.record().V_P[5]));
    }
    // 5.9 N that are there at once swing on a spring of 1000 N/m with 0.24 m/s; in free fall it would have 2.4 m/s.
    EXPECT_LT(fastest, 0.15) << name;
  }
}

// What others give counts from when the energy that it is compared with was.
TEST(EnergyBooks, WhatWasGivenIsAsOldAsTheEnergy) {
  EnergyBooks books;
  books.begin();
  books.mechanism(5.0, 0);
  books.given(1.0);
  books.close_tick();
  books.given(2.0);
  books.close_tick();
  books.mechanism(6.0, 1);  // of a tick ago: 5 J and the one that was given by then
  EXPECT_DOUBLE_EQ(books.made(), 0.0);
  EXPECT_DOUBLE_EQ(books.gift(), 0.0);
  books.mechanism(8.0, 0);
  EXPECT_DOUBLE_EQ(books.made(), 0.0);
  books.mechanism(8.5, 0);
  EXPECT_DOUBLE_EQ(books.made(), 0.5);
}

}  // namespace
}  // namespace tactus::display
