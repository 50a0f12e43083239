#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <tactus/display/felt.h>
#include <tactus/display/histogram.h>

namespace tactus::display {
namespace {

TEST(Histogram, KnowsPercentilesToASixteenthAndTheLargestExactly) {
  Histogram h;
  for (int i = 1; i <= 100000; ++i) h.add(i);
  EXPECT_EQ(h.count(), 100000u);
  EXPECT_EQ(h.largest(), 100000);
  EXPECT_NEAR(h.mean(), 50000.5, 1e-6);
  for (const double part : {0.01, 0.5, 0.99, 0.999}) {
    const double exact = part * 100000;
    EXPECT_GE(static_cast<double>(h.percentile(part)), exact);
    EXPECT_LE(static_cast<double>(h.percentile(part)), exact * 17.0 / 16.0 + 1.0);
  }
  EXPECT_EQ(h.percentile(1.0), 100000);
}

TEST(Histogram, BinsBeginWhereTheySay) {
  for (std::size_t bin = 0; bin + 1 < 600; ++bin) {
    Histogram h;
    h.add(Histogram::lower_end(bin));
    h.add(Histogram::lower_end(bin + 1) - 1);
    EXPECT_EQ(h.in_bin(bin), 2u) << bin;
  }
}

TEST(Histogram, IsEmptyAtFirstAndTakesNegativeDurationsAsNone) {
  Histogram h;
  EXPECT_EQ(h.percentile(0.5), 0);
  EXPECT_TRUE(h.to_text().empty());
  h.add(-5);
  EXPECT_EQ(h.in_bin(0), 1u);
  EXPECT_NE(h.to_text().find('#'), std::string::npos);
}

TEST(Felt, FindsMassDampingAndStiffness) {
  std::vector<double> x, v, a, F;
  for (double t = 0.0; t < 3.0; t += 1e-3) {
    x.push_back(std::sin(3.0 * t) + 0.3 * std::sin(11.0 * t));
    v.push_back(3.0 * std::cos(3.0 * t) + 3.3 * std::cos(11.0 * t));
    a.push_back(-9.0 * std::sin(3.0 * t) - 36.3 * std::sin(11.0 * t));
    F.push_back(2.0 * a.back() + 0.7 * v.back() + 40.0 * (x.back() - 0.1));
  }
  const Felt felt = fit_felt(x, v, a, F);
  EXPECT_TRUE(felt.known);
  EXPECT_NEAR(felt.mass, 2.0, 1e-10);
  EXPECT_NEAR(felt.damping, 0.7, 1e-10);
  EXPECT_NEAR(felt.stiffness, 40.0, 1e-9);
  EXPECT_LT(felt.unexplained, 1e-12);
}

TEST(Felt, DoesNotKnowWhatASingleSineCannotTell) {
  std::vector<double> x, v, a, F;
  for (double t = 0.0; t < 3.0; t += 1e-3) {
    x.push_back(std::sin(3.0 * t));
    v.push_back(3.0 * std::cos(3.0 * t));
    a.push_back(-9.0 * std::sin(3.0 * t));
    F.push_back(a.back());
  }
  EXPECT_FALSE(fit_felt(x, v, a, F).known);
}

// A handle moved by two sines, its force m a + b v + k x known in closed form, read in steps of an encoder; the force once as a sensor has
// it, and once as what the motors give besides the device's own mass and damping, held for a period and late by two.
TEST(FeltAtTheHandle, IsTheForceOfTheHandAgainstTheHandlesMotion) {
  constexpr double kMass = 7.0, kDamping = 12.0, kStiffness = 90.0, kStep = 1e-5, kPeriod = 1e-3;
  const auto x = [](double t) { return 0.04 * std::sin(3.0 * t) + 0.02 * std::cos(7.0 * t); };
  const auto v = [](double t) { return 0.12 * std::cos(3.0 * t) - 0.14 * std::sin(7.0 * t); };
  const auto a = [](double t) { return -0.36 * std::sin(3.0 * t) - 0.98 * std::cos(7.0 * t); };
  const auto felt = [&](double t, double m, double b) { return m * a(t) + b * v(t) + kStiffness * x(t); };
  for (const bool sensed : {true, false}) {
    device::Specification s;
    s.force_sensor = sensed;
    s.inertia = {0.0, 0.5};
    s.damping = {0.0, 4.0};
    s.latency = 2e-3;
    std::vector<TickRecord> records(6000);
    for (std::size_t k = 0; k < records.size(); ++k) {
      const double t = kPeriod * static_cast<double>(k);
      records[k].stage = control::Stage::on;
      records[k].p_H = {0.0, std::round(x(t) / kStep) * kStep, 0.0};
      if (sensed)
        records[k].F_H[4] = felt(t, kMass, kDamping);
      else
        records[k].on_handle[4] = -felt(t + 2.5 * kPeriod, kMass - 0.5, kDamping - 4.0);
    }
    const Felt found = felt_at_handle(records, {0.0, 1.0, 0.0}, s);
    EXPECT_TRUE(found.known);
    EXPECT_NEAR(found.mass, kMass, 0.01 * kMass) << sensed;
    EXPECT_NEAR(found.damping, kDamping, 0.01 * kDamping) << sensed;
    EXPECT_NEAR(found.stiffness, kStiffness, 0.01 * kStiffness) << sensed;
    EXPECT_LT(found.unexplained, 0.01) << sensed;
  }
}

}  // namespace
}  // namespace tactus::display
