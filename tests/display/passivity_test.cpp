// The passivity observer and controller: a hand gains nothing, whatever the controller does.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/control/passivity.h>
#include <tactus/control/passivity_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/run_loop.h>
#include "support/compare.h"
#include "support/paths.h"

namespace tactus::display {
namespace {

std::unique_ptr<simulate::Mechanism> mass(double kilograms, double step) {
  return contact::open(
      describe::load_text(
          "name: mass\ngravity: [0, 0, 0]\nbodies: {block: {mass: " + std::to_string(kilograms) +
              "}}\njoints: {x: {type: prismatic, parent: world, child: block, "
              "axis: x}}\n",
          "mass.yaml"),
      {.step = step});
}

TEST(Passivity, TheDamperBurnsWhatIsMissing) {
  std::array<double, 36> M{};
  for (std::size_t i = 0; i < 6; ++i) M[7 * i] = i < 3 ? 0.01 : 2.0;
  const device::Vector6 V{0, 0, 3.0, 0.5, 0, 0};
  constexpr double T = 1e-3, kMissing = 1e-4;  // [J]
  EXPECT_EQ(control::passivity_wrench(1.0, V, M, T), device::Vector6{});
  EXPECT_EQ(control::passivity_wrench(-1.0, {}, M, T), device::Vector6{});
  const device::Vector6 F = control::passivity_wrench(-kMissing, V, M, T);
  double burnt = 0.0;
  for (std::size_t i = 0; i < 6; ++i) burnt -= T * F[i] * V[i];
  EXPECT_NEAR(burnt, kMissing, 1e-15);
  // However much is missing, at most half of the momentum goes in a tick.
  const device::Vector6 most = control::passivity_wrench(-1e3, V, M, T);
  EXPECT_NEAR(T * most[3], -0.5 * 2.0 * 0.5, 1e-12);
}

TEST(Passivity, ABrakeOnAPortTakesBackASurplusAndNeverTurnsThePortRound) {
  std::array<double, 36> M{}, heavy{}, light{};
  for (std::size_t i = 0; i < 6; ++i) {
    M[7 * i] = i < 3 ? 0.01 : 0.5;
    heavy[7 * i] = i < 3 ? 1.0 : 0.1;    // [1/(kg m^2)], [1/kg]
    light[7 * i] = i < 3 ? 1e4 : 100.0;  // 10 g
  }
  light[6 * 3 + 4] = light[6 * 4 + 3] = 50.0;
  const device::Vector6 V{0, 0, 1.0, 0.3, -0.2, 0};
  constexpr double T = 1e-3, kSurplus = 1e-5;  // [J]
  EXPECT_EQ(control::port_brake(0.0, V, M, heavy, T), device::Vector6{});
  const device::Vector6 F = control::port_brake(kSurplus, V, M, heavy, T);
  double taken = 0.0;
  for (std::size_t i = 0; i < 6; ++i) taken -= T * F[i] * V[i];
  EXPECT_NEAR(taken, kSurplus, 1e-15);
  // Whatever was fed, a light port loses half of its speed at most, and keeps its way.
  const device::Vector6 most = control::port_brake(1e3, V, M, light, T);
  double before = 0.0, after = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    double v = V[i];
    for (std::size_t j = 0; j < 6; ++j) v += T * light[6 * i + j] * most[j];
    before += V[i] * V[i];
    after += v * V[i];
  }
  EXPECT_LT(after, before);
  EXPECT_GE(after, 0.5 * before);
}

TEST(Passivity, TheYieldComesToWhatIsMissingAndFadesWhereNothingIs) {
  constexpr double T = 1e-3, kMissing = 1e-5;
  const device::Vector6 F{0, 0, 0, 2.0, 0, 0};
  control::PassivityMemory memory;
  for (int k = 0; k < 2000; ++k) control::passivity_motion(memory, {}, -kMissing, F, T);
  EXPECT_NEAR(T * F[3] * memory.V[3], kMissing, 1e-12);
  for (int k = 0; k < 2000; ++k) control::passivity_motion(memory, {}, 1.0, F, T);
  EXPECT_NEAR(memory.V[3], 0.0, 1e-12);
}

// The hand answers what it was led to by -B V, so many periods later.
TEST(Passivity, TheYieldShakesNoHandHoweverDampedItIs) {
  constexpr double T = 1e-3;
  for (const std::size_t late : {0u, 1u, 2u, 3u})
    for (std::size_t k = 0; k < 2; ++k)
      for (const double part : {0.0, 0.01, 0.1, 1.0, 1.4}) {
        control::Yielding yielding;
        yielding.periods = 1.0 + static_cast<double>(late);
        const double B = part * yielding.hand_damping[k];
        control::PassivityMemory memory;
        std::vector<device::Vector6> V(late + 1);
        double largest = 0.0, last = 0.0;
        for (int tick = 0; tick < 20000; ++tick) {
          device::Vector6 F{};
          F[3 * k] = 5.0 - B * V.front()[3 * k];
          const device::Vector6 next = control::passivity_motion(memory, yielding, -1e9, F, T);
          V.erase(V.begin());
          V.push_back(next);
          last = next[3 * k];
          largest = support::larger(largest, std::abs(last));
        }
        const double C = yielding.C[k], rests = 5.0 * C / (1.0 + C * B);
        EXPECT_NEAR(last, rests, 1e-6 * rests) << late << " " << k << " " << B;
        EXPECT_LT(largest, 2.0 * rests)
            << late << " " << k << " " << B;  // no more overshoot than an undamped spring's
      }
}

/// [J] That a hand which strokes has gained at most, through penalties of 99000 1/s^2 where 58000 are stable.
double gained_by_stiff_penalties(bool handle_too, double& guarded) {
  const device::Specification s = device::open("simulated:planar-force", device::none())->specification();
  const auto chain = contact::open(describe::load(support::source_dir() + "/models/three_link_chain.yaml"),
                                   {.step = 1.0 / s.rate});
  device::SimulatedImpedance device(s,
                                    device::following(device::strokes({0.064, 0.077, 0}, 2.0),
                                                      {.stiffness = {2.0, 300.0}, .damping = {0.1, 25.0}}));
  control::SafetyLimits limits = control::limits_for(s);
  limits.made = 0.0;  // it is meant to be unstable
  HapticLoop loop(*chain, device, chain->port("middle"), {}, limits);
  control::FourChannelGains gains;
  gains.coordination = {{1.0, 100.0}, {0.2, 20.0}};
  gains.joint_stiffness = 99000.0;
  loop.use(gains);
  loop.guard_passivity(true, handle_too);
  EXPECT_TRUE(loop.enable());
  double gained = 0.0;
  for (int k = 0; k < 3000; ++k) {
    EXPECT_TRUE(device.wait() && loop.tick(1.0 / s.rate)) << k;
    gained = support::larger(gained, -device.hand_work());
  }
  guarded = loop.record().guarded;
  return gained;
}

// Four channels that sense the hand brake the port alone, which does not help where the handle itself is fed: where somebody asks for it the handle's damper takes that back, as far as the clamps leave it some force.
TEST(Passivity, TheHandleIsBrakedWhereTheHandIsSensedAndThatIsAskedFor) {
  double without = 0.0, with = 0.0;
  const double wild = gained_by_stiff_penalties(false, without), tame = gained_by_stiff_penalties(true, with);
  EXPECT_GT(wild, 10.0);  // [J]
  EXPECT_LT(tame, 0.05 * wild);
  EXPECT_EQ(without, 0.0);
  EXPECT_GT(with, 0.0);
}

// Half of what the sampled loop bears: of the momentum of a handle whose velocity is the difference of the last period, or comes through poles, and whose motors are late.
TEST(Passivity, TheDampersMostIsHalfOfWhatSwings) {
  device::Specification s;
  s.name = "bare";
  s.inertia = {0.01, 0.5};
  EXPECT_NEAR(control::guard_share(s), 0.5, 1e-6);
  s.velocity_bandwidth = 628.0;
  const double poles = control::guard_share(s);
  s.latency = 2e-3;
  const double late = control::guard_share(s);
  EXPECT_NEAR(poles, 0.5, 1e-6);  // they are late, and weaken what is fast
  EXPECT_LT(late, 0.5 * poles);
  for (const double part : {1.9, 2.1}) {  // of the share
    device::SimulatedImpedance handle(s, device::none());
    EXPECT_TRUE(handle.enable());
    handle.set_handle({.p = {}, .orientation = {}, .V = {0, 0, 0, 0.01, 0, 0}});
    device::Sample sample;
    double early = 0.0, at_last = 0.0;
    for (int k = 0; k < 4000; ++k) {
      EXPECT_TRUE(handle.wait() && handle.read(sample));
      EXPECT_TRUE(handle.command(
          {.wrench = {0, 0, 0, -part * late * s.rate * s.inertia[1] * sample.V_WH[3], 0, 0}, .X_WH = {}}));
      double& most = k < 500 ? early : at_last;
      if (k >= 400 && (k < 500 || k >= 600)) most = support::larger(most, std::abs(sample.V_WH[3]));
      if (!(at_last < 1e6)) break;
    }
    EXPECT_EQ(at_last > early, part > 2.0) << part;
  }
}

// A passive loop is left alone.
TEST(Passivity, TheGuardDoesNothingWhereNothingIsGained) {
  for (const device::Specification& s : device::devices()) {
    if (s.kind != device::Kind::impedance) continue;
    std::array<std::vector<TickRecord>, 2> records{std::vector<TickRecord>(1000),
                                                   std::vector<TickRecord>(1000)};
    for (const bool guarded : {false, true}) {
      const auto block = mass(3.0, 1e-3);
      const auto device = device::open(s.name, device::following(device::strokes({0.02, 0, 0}, 0.7)));
      HapticLoop loop(*block, *device, block->port("block"), {{0, 50.0}, {0, 0.3}},
                      control::limits_for(device->specification()));
      loop.guard_passivity(guarded);
      ASSERT_TRUE(loop.enable());
      ASSERT_EQ(run_loop(loop, {.duration = 1.0}, records[guarded ? 1 : 0]).ticks, 1000);
    }
    double net = 0.0;
    for (const TickRecord& r : records[0]) net = std::min(net, r.out_of_handle);
    if (net < 0.0) continue;  // encoder steps alone may show less than nothing: then it acts
    for (std::size_t k = 0; k < 1000; ++k)
      ASSERT_EQ(records[0][k].on_handle, records[1][k].on_handle) << s.name;
  }
}

// A spring that was wound before the hand came gives more than the hand put in: the guarded device yields to the hand instead.
TEST(Passivity, TheGuardYieldsOnAnAdmittanceDevice) {
  std::array<double, 2> drawn{};
  for (const bool guarded : {false, true}) {
    const auto device = device::open("simulated:admittance", device::hold());
    const auto block = contact::open(describe::load_text(R"(
name: wound
gravity: [0, 0, 0]
bodies: {block: {mass: 3}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x, stiffness: 200}}
)",
                                                         "wound.yaml"),
                                     {.step = 1e-3});
    block->set_state({.t = 0.0, .q = {0.05}, .u = {0.0}, .momentum = {}});
    control::SafetyLimits limits = control::limits_for(device->specification());
    limits.ramp = 0.0;
    HapticLoop loop(*block, *device, block->port("block"), {}, limits);
    loop.guard_passivity(guarded);
    loop.share_mechanism();  // who wound it is not the hand: what the spring gives by itself is not allowed here
    ASSERT_TRUE(loop.enable());
    for (int k = 0; k < 1000; ++k) {
      device->wait();
      ASSERT_TRUE(loop.tick(1e-3)) << name_of(loop.safety().fault);
      drawn[guarded ? 1 : 0] = support::larger(drawn[guarded ? 1 : 0], -loop.record().out_of_handle);
    }
    EXPECT_EQ(loop.record().guarded > 0.0, guarded);
  }
  EXPECT_GT(drawn[0], 0.02);  // [J] of 0.25 in the spring
  EXPECT_LT(drawn[1], 0.5 * drawn[0]);
}

/// The least and the last work of a hand that strokes a block through a device.
struct Stroked {
  double least = 0.0, turned = 0.0;
  bool faulted = false;
};
Stroked stroked(const char* name, const device::Arm& arm, double kilograms, bool turns, bool guarded) {
  const std::string joint = turns ? "{type: revolute, parent: world, child: block, axis: z, damping: 0.05}"
                                  : "{type: prismatic, parent: world, child: block, axis: x, damping: 1}";
  const auto block = contact::open(
      describe::load_text(
          "name: block\ngravity: [0, 0, 0]\nbodies: {block: {mass: " + std::to_string(kilograms) +
              ", inertia: [" + std::to_string(kilograms) + ", " + std::to_string(kilograms) + ", " +
              std::to_string(kilograms) + "]}}\njoints: {x: " + joint + "}\n",
          "block.yaml"),
      {.step = 1e-3});
  const device::Path way = device::strokes({0.05, 0, 0}, 1.0);
  const device::Path path = turns ? device::Path([way](double t) {
    return device::Intention{{}, {0.0, 0.0, 4.0 * way(t).p.x}};
  })
                                  : way;
  const auto device = device::open(name, device::following(path, arm));
  HapticLoop loop(*block, *device, block->port("block"), {}, control::limits_for(device->specification()));
  loop.guard_passivity(guarded);
  EXPECT_TRUE(loop.enable());
  Stroked stroked;
  double before = 0.0;
  for (int k = 0; k < 3000 && !stroked.faulted; ++k) {
    stroked.faulted = !device->wait() || !loop.tick(1e-3);
    const double work = device->hand_work();
    stroked.least = -support::larger(-stroked.least, -work);
    stroked.turned += std::abs(work - before);
    before = work;
  }
  return stroked;
}

// From a relaxed hand on a light block to both on a ton, critically damped: the guard never gives more than came without it.
TEST(Passivity, TheGuardMakesNothingWorseForAnyHandOnAnAdmittanceDevice) {
  for (const char* name : {"simulated:admittance", "simulated:cobot"})
    for (const bool turns : {false, true})
      for (const double kilograms : {1.0, 20.0, 1000.0}) {
        const std::array<double, 2> firm{20.0, 1000.0};
        device::Arm arm;
        for (std::size_t k = 0; k < 2; ++k) {
          arm.stiffness[k] = firm[k];
          arm.damping[k] = 1.4 * std::sqrt(firm[k] * kilograms);
        }
        const Stroked without = stroked(name, arm, kilograms, turns, false),
                      with = stroked(name, arm, kilograms, turns, true);
        const std::string what =
            std::string(name) + (turns ? " turning " : " moving ") + std::to_string(kilograms);
        EXPECT_FALSE(with.faulted) << what;
        constexpr double kNoise =
            1e-3;  // of the work to and fro: the force sensor's, which the observer believes
        EXPECT_GE(with.least, std::min(0.0, without.least) - kNoise * with.turned) << what;
        EXPECT_LT(with.turned, 2.0 * without.turned + 0.01) << what;
      }
}

// What the clamps cut from the guard acts neither on the handle nor on the mechanism: a coupler far too stiff, as the guard has most to do.
TEST(Passivity, NothingOfTheGuardGoesIntoTheMechanism) {
  const auto device =
      device::open("simulated:spatial", device::following(device::strokes({0.02, 0, 0}, 0.3)));
  const device::Specification& s = device->specification();
  const auto block = mass(0.5, 1e-3);
  control::SafetyLimits limits = control::limits_for(s);
  limits.made = 0.0;  // it is meant to be unstable
  HapticLoop loop(*block, *device, block->port("block"), {{0, 20000.0}, {0, 0}}, limits);
  loop.guard_passivity();
  ASSERT_TRUE(loop.enable());
  double guarded = 0.0;
  for (int k = 0; k < 2000; ++k) {
    device->wait();
    ASSERT_TRUE(loop.tick(1e-3)) << name_of(loop.safety().fault);
    const TickRecord& r = loop.record();
    ASSERT_LE(std::abs(r.on_port[3]), s.continuous[1] * (1.0 + 1e-12)) << k;
    ASSERT_LE(std::abs(r.on_handle[3]), s.continuous[1] * (1.0 + 1e-12)) << k;
    for (std::size_t i = 0; i < 6; ++i) ASSERT_EQ(r.on_port[i], -loop.safety().own[i]) << k;
    guarded = support::larger(guarded, r.guarded);
  }
  EXPECT_GT(guarded, 0.0);
}

}  // namespace
}  // namespace tactus::display
