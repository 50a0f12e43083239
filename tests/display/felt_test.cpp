// How well what is felt is known: what no mass, damper and spring explain, and standard errors.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include <tactus/device/random.h>
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

}  // namespace
}  // namespace tactus::display
