// Velocity from encoder readings: lag, noise, and what they leave of a stable stiffness.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include <tactus/control/coupler_design.h>
#include <tactus/device/rate_filters.h>
#include <tactus/device/sensing.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

using namespace device;

constexpr double kPeriod = 1e-3, kStep = 1e-5;  // [s], [m]

template <class Filter>
std::vector<double> rates_of(Filter filter, double speed, int ticks) {
  std::vector<double> rates;
  for (int k = 0; k < ticks; ++k) rates.push_back(filter.update(quantised(speed * kPeriod * k, kStep)));
  return rates;
}

double rms_error(const std::vector<double>& rates, double speed) {
  double sum = 0.0;
  const std::size_t half = rates.size() / 2;
  for (std::size_t i = half; i < rates.size(); ++i) sum += (rates[i] - speed) * (rates[i] - speed);
  return std::sqrt(sum / static_cast<double>(rates.size() - half));
}

TEST(RateFilters, SeeASteadySpeed) {
  // 5 steps per period and a bit: differences toggle between two multiples of D/T.
  for (const double speed : {0.0537, -0.0537}) {
    EXPECT_LT(rms_error(rates_of(DifferenceRate(kPeriod), speed, 2000), speed), kStep / kPeriod);
    EXPECT_LT(rms_error(rates_of(SecondOrderRate(kPeriod, 200.0), speed, 2000), speed),
              0.2 * kStep / kPeriod);
    EXPECT_LT(rms_error(rates_of(AdaptiveWindowRate(kPeriod, kStep), speed, 2000), speed),
              0.1 * kStep / kPeriod);
    EXPECT_LT(rms_error(rates_of(KalmanRate(kPeriod, kStep, 1.0), speed, 2000), speed),
              0.2 * kStep / kPeriod);
  }
}

TEST(RateFilters, OfASlowMotionTheDifferenceIsNoiseAndTheOthersAreNot) {
  const double speed = 0.0013;  // a step in eight periods
  const double coarse = rms_error(rates_of(DifferenceRate(kPeriod), speed, 4000), speed);
  EXPECT_GT(coarse, 2.0 * speed);
  EXPECT_LT(rms_error(rates_of(AdaptiveWindowRate(kPeriod, kStep, 32), speed, 4000), speed), 0.3 * coarse);
  EXPECT_LT(rms_error(rates_of(SecondOrderRate(kPeriod, 100.0), speed, 4000), speed), 0.3 * coarse);
  EXPECT_LT(rms_error(rates_of(KalmanRate(kPeriod, kStep, 0.5), speed, 4000), speed), 0.3 * coarse);
}

TEST(RateFilters, TheWindowShrinksWhereTheSpeedJumps) {
  // After a jump from rest to 0.2 m/s the window holds readings of the new speed only.
  AdaptiveWindowRate window(kPeriod, kStep);
  SecondOrderRate poles(kPeriod, 100.0);
  double x = 0.0, by_window = 0.0, by_poles = 0.0;
  for (int k = 0; k < 40; ++k) {
    if (k >= 30) x += 0.2 * kPeriod;
    by_window = window.update(quantised(x, kStep));
    by_poles = poles.update(quantised(x, kStep));
  }
  EXPECT_NEAR(by_window, 0.2, 2.0 * kStep / (9 * kPeriod));
  EXPECT_LT(by_poles, 0.06);
}

TEST(RateFilters, TheKalmanFilterHasTheGainsOfTheRiccatiEquation) {
  // The steady covariance of x'' = held white noise a, readings with variance r, by iterating the filter's own equations.
  constexpr double T = kPeriod, a = 3.0;
  const double r = kStep * kStep / 12.0;
  double P00 = 1.0, P01 = 0.0, P11 = 1.0, k0 = 0.0, k1 = 0.0;
  for (int i = 0; i < 200000; ++i) {
    const double q = a * a;
    const double p00 = P00 + 2 * T * P01 + T * T * P11 + q * T * T * T * T / 4,
                 p01 = P01 + T * P11 + q * T * T * T / 2, p11 = P11 + q * T * T;
    k0 = p00 / (p00 + r);
    k1 = p01 / (p00 + r);
    P00 = (1 - k0) * p00;
    P01 = (1 - k0) * p01;
    P11 = p11 - k1 * p01;
  }
  const KalmanRate filter(T, kStep, a);
  EXPECT_NEAR(filter.a(), k0, 1e-9);
  EXPECT_NEAR(filter.b(), k1 * T, 1e-9);
}

TEST(RateFilters, TwoPolesHaveTheirGainAndLag) {
  // A sine through them, against |1/(1 + jw/c)|^2 of two poles, within the sampling's w T.
  constexpr double cut_off = 100.0;
  for (const double w : {20.0, 100.0}) {
    SecondOrderFilter filter(kPeriod, cut_off);
    double largest = 0.0;
    for (int k = 0; k < 20000; ++k) {
      const double y = filter.update(std::sin(w * kPeriod * k));
      if (k > 10000) largest = support::larger(largest, std::abs(y));
    }
    EXPECT_NEAR(largest, 1.0 / (1.0 + w * w / (cut_off * cut_off)), 0.06);
  }
}

// The damper's rate through two poles: the lower they are, the less stiffness stays stable, as [Clover1996] says of its force filter.
TEST(RateFilters, LowerPolesLeaveLessStableStiffness) {
  SampledLoop loop{.period = kPeriod, .device_mass = 0.1, .device_damping = 0.5};
  constexpr double kDamping = 20.0;  // [N s/m] of the coupler
  double last = std::numeric_limits<double>::infinity();
  for (const double cut_off : {0.0, 2000.0, 1000.0, 500.0, 250.0, 125.0}) {
    loop.velocity_pole = cut_off > 0.0 ? std::exp(-cut_off * kPeriod) : 0.0;
    double low = 0.0, high = 1e6;
    while (high - low > 1e-6 * high) {
      const double middle = 0.5 * (low + high);
      (spectral_radius(loop, middle, kDamping) < 1.0 ? low : high) = middle;
    }
    EXPECT_LT(low, last) << cut_off;
    last = low;
  }
  EXPECT_LT(last,
            500.0);  // [N/m]: at 125 rad/s hardly more than the device bears without a damper, 2 b/T = 1000
}

}  // namespace
}  // namespace tactus::control
