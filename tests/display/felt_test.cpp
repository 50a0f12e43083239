// How well what is felt is known: what no mass, damper and spring explain, and standard errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/random.h>
#include <tactus/device/registry.h>
#include <tactus/device/simulated_impedance.h>
#include <tactus/display/felt.h>

namespace tactus::display {
namespace {

/// A motion of two sines, which tells mass, damper and spring apart, and a force.
struct Moved {
  std::vector<double> x, v, a, F;
  Felt felt() const { return fit_felt(x, v, a, F); }
};
using Force = std::function<double(double x, double v, double a)>;
Moved run_with(const Force& force) {
  Moved run;
  for (double t = 0.0; t < 4.0; t += 1e-3) {
    run.x.push_back(std::sin(3.0 * t) + 0.3 * std::sin(11.0 * t));
    run.v.push_back(3.0 * std::cos(3.0 * t) + 3.3 * std::cos(11.0 * t));
    run.a.push_back(-9.0 * std::sin(3.0 * t) - 36.3 * std::sin(11.0 * t));
    run.F.push_back(force(run.x.back(), run.v.back(), run.a.back()));
  }
  return run;
}

TEST(Felt, IsNotKnownWhereNoMassDamperAndSpringExplainIt) {
  const auto sign = [](double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; };
  const Force kOthers[] = {
      [&](double, double v, double) { return sign(v); },                         // dry friction
      [](double x, double, double) { return x > 0.8 ? 1e3 * (x - 0.8) : 0.0; },  // a wall
      [](double x, double, double a) { return (x > 0.0 ? 5.0 : 0.5) * a; },      // a load that is picked up
      [](double x, double v, double a) { return std::sin(40.0 * x + 30.0 * v) + 0.001 * a; },  // noise
  };
  for (const Force& force : kOthers) {
    const Felt felt = run_with(force).felt();
    EXPECT_TRUE(felt.told_apart);
    EXPECT_GT(felt.unexplained, Felt::kMostUnexplained);
    EXPECT_LE(felt.unexplained, 1.0);
    EXPECT_FALSE(felt.known);
  }
  // A spring of that with little friction besides is still a spring.
  const Felt felt =
      run_with([&](double x, double v, double a) { return 40.0 * x + 2.0 * a + 1.0 * sign(v); }).felt();
  EXPECT_TRUE(felt.known);
  EXPECT_GT(felt.unexplained, 0.0);
}

// Of 300 runs with noise in the force the numbers err by their standard errors, in the mean of squares: within a tenth for noise that is new in every sample (of 900 numbers the
// mean is known to 5 %), within a quarter for one of which each sample is 0.95 of the one before, which is itself estimated.
TEST(Felt, ErrsByItsStandardErrors) {
  for (const auto& [alike, room] : {std::pair{0.0, 0.1}, {0.95, 0.25}}) {
    const std::array<double, 3> truth{2.0, 0.7, 40.0};
    std::array<double, 3> squares{};
    constexpr int kRuns = 300;
    for (int k = 0; k < kRuns; ++k) {
      device::Random random(static_cast<std::uint64_t>(1000 + k));
      double noise = 0.0;
      const Moved run = run_with([&](double x, double v, double a) {
        noise = alike * noise + random.normal();
        return truth[0] * a + truth[1] * v + truth[2] * x + noise;
      });
      const Felt felt = run.felt();
      ASSERT_TRUE(felt.known);
      const std::array<double, 3> found{felt.mass, felt.damping, felt.stiffness};
      for (std::size_t i = 0; i < 3; ++i) {
        ASSERT_GT(felt.error[i], 0.0);
        squares[i] += std::pow((found[i] - truth[i]) / felt.error[i], 2) / kRuns;
      }
    }
    EXPECT_NEAR(std::sqrt((squares[0] + squares[1] + squares[2]) / 3.0), 1.0, room) << alike;
  }
}

// A disk of 0.02 kg m^2 on the wheel's axis: turned by more than once round, it is felt about that, with the wheel's own 0.03 kg m^2, and along no way at all.
TEST(Felt, IsAboutTheAxisOfAWheel) {
  constexpr double kInertia = 0.02;  // [kg m^2]
  const auto disk = contact::open(describe::load_text(R"(
name: disk
gravity: [0, 0, 0]
bodies: {disk: {mass: 1, inertia: [0.02, 0.02, 0.02]}}
joints: {q: {type: revolute, parent: world, child: disk, axis: z, damping: 0.04}}
)",
                                                      "disk.yaml"),
                                  {.step = 1e-3});
  device::Specification s = device::open("simulated:wheel", device::none())->specification();
  s.friction = {};
  device::SimulatedImpedance wheel(
      s, device::following(
             [](double t) {
               return device::Intention{{}, {0.0, 0.0, 4.0 * std::sin(t) + 0.3 * std::sin(6.0 * t)}};
             },
             {.stiffness = {2.0, 0.0}, .damping = {0.2, 0.0}}));
  HapticLoop loop(*disk, wheel, disk->port("disk"), {{40.0, 0.0}, {0.02, 0.0}}, control::limits_for(s));
  ASSERT_TRUE(loop.enable());
  std::vector<TickRecord> records(5000);
  ASSERT_EQ(run_loop(loop, {.duration = 5.0}, records).ticks, 5000);
  const math::Vec3<double> axis{0.0, 0.0, 1.0};
  const std::vector<double> way = way_of(records, axis, End::handle, true);
  EXPECT_GT(*std::max_element(way.begin(), way.end()) - *std::min_element(way.begin(), way.end()),
            6.3);  // [rad]
  const Felt port = felt_along(records, axis, 1e-3, true), hand = felt_at_handle(records, axis, s, true);
  ASSERT_TRUE(port.known && port.turning);
  constexpr double kMean =
      1e-6;  // a torque is held, and damped by the mean speed of a tick: (b T/I)^2/12 = 3e-7
  EXPECT_NEAR(port.mass, kInertia, kMean * kInertia);
  EXPECT_NEAR(port.damping, 0.04, 1e-3 * 0.04);  // of a force that is held, at the mean speed of a tick
  ASSERT_TRUE(hand.known && hand.turning) << hand.unexplained << " " << hand.told_apart;
  EXPECT_NEAR(hand.mass, kInertia + s.inertia[0], 0.02 * (kInertia + s.inertia[0]));
  EXPECT_NEAR(hand.damping, 0.04 + s.damping[0], 0.05 * (0.04 + s.damping[0]));
  EXPECT_FALSE(felt_along(records, axis, 1e-3).known);
  EXPECT_FALSE(felt_at_handle(records, axis, s).known);
}

}  // namespace
}  // namespace tactus::display
