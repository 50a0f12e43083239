// Where running loops become unstable, by bisection, against what the theory says: admittance loops, couplers, penalties.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/simulated_admittance.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/loop.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

/// A block along x: mass, damper and spring to the ground.
std::unique_ptr<simulate::Mechanism> block(double mass, double damping, double stiffness, double step) {
  return contact::open(describe::load_text(fmt::format(R"(
name: block
gravity: [0, 0, 0]
bodies: {{block: {{mass: {}}}}}
joints: {{x: {{type: prismatic, parent: world, child: block, axis: x, damping: {}, stiffness: {}}}}}
)",
                                                       mass, damping, stiffness),
                                           "block.yaml"),
                       {.step = step});
}

control::SafetyLimits no_limits() {
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  return limits;
}

/// A spring that holds the handle where it is, and strikes it for the first 20 ms.
class Spring final : public device::Hand {
 public:
  Spring(double stiffness, double strike) : stiffness_(stiffness), strike_(strike) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    device::Grip grip;
    grip.wrench[3] = -stiffness_ * X_WH.p.x + (t < 0.02 ? strike_ : 0.0);
    return grip;
  }

 private:
  double stiffness_, strike_;
};

/// Whether the handle's swing is larger in the last quarter of a run than in the second.
bool grows(HapticLoop& loop, double duration) {
  EXPECT_TRUE(loop.enable());
  const long ticks = std::lround(duration / loop.period());
  double early = 0.0, late = 0.0;
  for (long k = 0; k < ticks; ++k) {
    if (!loop.device().wait() || !loop.tick(loop.period())) return true;
    const double x = std::abs(loop.record().p_H.x);
    if (k >= ticks / 4 && k < ticks / 2) early = support::larger(early, x);
    if (k >= 3 * ticks / 4) late = support::larger(late, x);
    if (!(x < 1e3)) return true;
  }
  return !(late < early);
}

double bisected(double low, double high, const std::function<bool(double)>& unstable) {
  EXPECT_FALSE(unstable(low));
  EXPECT_TRUE(unstable(high));
  for (int i = 0; i < 12; ++i) {
    const double middle = std::sqrt(low * high);
    (unstable(middle) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

/// The stiffest hand of a running admittance loop.
double hand_border(const control::AdmittanceLoop& a) {
  const double expected = control::continuous_hand_border(a);
  return bisected(0.2 * expected, 5.0 * expected, [&](double k_h) {
    const auto mass = block(a.mass, a.damping, 0.0, a.period);
    device::Specification s;
    s.name = "lagging";
    s.kind = device::Kind::admittance;
    s.rate = 1.0 / a.period;
    device::Servo servo;
    servo.bandwidth = 1.0 / a.lag;
    servo.leads = false;
    device::SimulatedAdmittance device(s, std::make_unique<Spring>(k_h, 1.0), servo);
    HapticLoop loop(*mass, device, mass->port("block"), {}, no_limits());
    return grows(loop, 2.0);
  });
}

// S0's disk: 0.25 kg, 1 N s/m, a servo of 5 ms: 204 N/m, less than a firm grip.
TEST(AdmittanceStability, EndsWhereTheContinuousModelSaysAtTenKilohertz) {
  constexpr double kSampling =
      0.05;  // of the border: what a period of 0.1 ms adds to a lag of 5 ms, and 2 % of bisection
  for (const control::AdmittanceLoop& loop : {control::AdmittanceLoop{1e-4, 0, 5e-3, 0.25, 1.0, 0.0},
                                              {1e-4, 0, 5e-3, 1.0, 1.0, 0.0},
                                              {1e-4, 0, 5e-3, 0.25, 4.0, 0.0},
                                              {1e-4, 0, 2e-2, 0.25, 1.0, 0.0}}) {
    const double border = control::continuous_hand_border(loop);
    if (loop.mass == 0.25 && loop.damping == 1.0 && loop.lag == 5e-3) {
      EXPECT_NEAR(border, 204.0, 1e-9);
    }
    EXPECT_NEAR(hand_border(loop), border, kSampling * border);
    EXPECT_NEAR(control::sampled_hand_border(loop), border, kSampling * border);
  }
}

// At slower rates the continuous model promises too much; the sampled map does not.
TEST(AdmittanceStability, TheSampledMapIsTheRunningLoopAtAnyRate) {
  constexpr double kBisection = 0.01;
  for (const double rate : {200.0, 500.0, 1000.0}) {
    const control::AdmittanceLoop loop{1.0 / rate, 0, 5e-3, 0.25, 1.0, 0.0};
    const double border = control::sampled_hand_border(loop);
    EXPECT_NEAR(hand_border(loop), border, kBisection * border) << rate;
  }
}

TEST(AdmittanceStability, DelayCostsStiffnessAndAHandThatDampsGivesIt) {
  const control::AdmittanceLoop loop{1e-3, 0, 5e-3, 0.25, 1.0, 0.0};
  double before = control::sampled_hand_border(loop);
  for (const int delay : {1, 2, 5, 10}) {
    control::AdmittanceLoop later = loop;
    later.delay = delay;
    const double border = control::sampled_hand_border(later);
    EXPECT_LT(border, before);
    before = border;
  }
  control::AdmittanceLoop damped = loop;
  damped.hand_damping = 5.0;
  EXPECT_GT(control::sampled_hand_border(damped), control::sampled_hand_border(loop));
}

// Couplers in front of a wall, with the port's mass behind: the running loop against the eigenvalues.
TEST(CouplerStability, EndsWhereTheEigenvaluesSay) {
  constexpr double kBisection = 0.02;
  for (const double rate : {500.0, 1000.0, 4000.0})
    for (const double B : {0.0, 0.5}) {
      device::Specification s;
      s.name = "bare";
      s.rate = rate;
      s.inertia = {1e-3, 0.2};
      s.damping = {1e-3, 1.5};
      const double port = 2.0;  // [kg]
      const control::SampledLoop map = control::loop_of(s, 1, port);
      const auto unstable_map = [&](double K) { return control::spectral_radius(map, K, B) > 1.0 + 1e-12; };
      const auto unstable_loop = [&](double K) {
        const auto mass = block(port, 0.0, 0.0, 1.0 / rate);
        device::SimulatedImpedance device(s, std::make_unique<Spring>(0.0, 1.0));
        HapticLoop loop(*mass, device, mass->port("block"), {{0, K}, {0, B}}, no_limits());
        // What is left is a common motion, which the damper ends: the swing is that of the coupler's force.
        EXPECT_TRUE(loop.enable());
        const long ticks = std::lround(2.0 * rate);
        double early = 0.0, late = 0.0;
        for (long k = 0; k < ticks; ++k) {
          if (!device.wait() || !loop.tick(1.0 / rate)) return true;
          const double F = std::abs(loop.record().on_port[3]);
          if (!(F < 1e6)) return true;
          if (k >= ticks / 4 && k < ticks / 2) early = support::larger(early, F);
          if (k >= 3 * ticks / 4) late = support::larger(late, F);
        }
        return !(late < early);
      };
      const double theory = bisected(10.0, 1e6, unstable_map), here = bisected(10.0, 1e6, unstable_loop);
      EXPECT_NEAR(here, theory, kBisection * theory) << rate << " Hz, B " << B;
    }
}

}  // namespace
}  // namespace tactus::display
