// Velocity from encoder readings: lag, noise, and what they leave of a stable stiffness.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
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

/// [N/m] The largest stiffness of a coupler to a wall with which a handle of 0.1 kg and 0.5 N s/m comes to rest, its damper's rate through this filter: the loop itself, held
/// forces, exactly between ticks.
template <class Make>
double stable_stiffness(Make make, double damping) {
  constexpr double kHandle = 0.1, kOwn = 0.5, kFine = 1e-9;  // [kg], [N s/m], [m] of the encoder
  const auto comes_to_rest = [&](double stiffness) {
    auto filter = make(kFine);
    const double keep = std::exp(-kOwn / kHandle * kPeriod);
    double x = 1e-3, v = 0.0, late = 0.0;
    for (int k = 0; k < 3000; ++k) {
      const double seen = quantised(x, kFine), F = -stiffness * seen - damping * filter.update(seen);
      const double end = F / kOwn, gone = end * kPeriod + (v - end) * (1.0 - keep) * kHandle / kOwn;
      v = end + (v - end) * keep;
      x += gone;
      if (!(std::abs(x) < 1.0)) return false;
      if (k >= 2000) late = support::larger(late, std::abs(x));
    }
    return late < 1e-3;
  };
  double low = 0.0, high = 1e6;
  while (high - low > 1e-3 * high) {
    const double middle = 0.5 * (low + high);
    (comes_to_rest(middle) ? low : high) = middle;
  }
  return low;
}

// The same of windows and of Kalman's filter, which is as wide as the accelerations that it expects: the longer the one and the calmer the other, the less stiffness is stable. Two poles
// by the same loop have the border that their eigenvalues say.
TEST(RateFilters, LongerWindowsAndCalmerKalmanFiltersLeaveLessStableStiffness) {
  constexpr double kDamping = 20.0;  // [N s/m]
  SampledLoop loop{.period = kPeriod, .device_mass = 0.1, .device_damping = 0.5};
  loop.velocity_pole = std::exp(-250.0 * kPeriod);
  const double by_loop = stable_stiffness([](double) { return SecondOrderRate(kPeriod, 250.0); }, kDamping);
  double low = 0.0, high = 1e6;
  while (high - low > 1e-6 * high) {
    const double middle = 0.5 * (low + high);
    (spectral_radius(loop, middle, kDamping) < 1.0 ? low : high) = middle;
  }
  EXPECT_NEAR(by_loop, low, 0.02 * low);  // seen for three seconds
  double last = std::numeric_limits<double>::infinity();
  for (const double acceleration : {1.0, 0.1, 0.01, 1e-3}) {
    const double found =
        stable_stiffness([&](double step) { return KalmanRate(kPeriod, step, acceleration); }, kDamping);
    EXPECT_LT(found, last) << acceleration;
    last = found;
  }
  last = std::numeric_limits<double>::infinity();
  for (const std::size_t window : {1u, 4u, 8u, 16u, 32u}) {
    // A step as large as the motion: the window is as long as it may be.
    const double found =
        stable_stiffness([&](double) { return AdaptiveWindowRate(kPeriod, 1e9, window); }, kDamping);
    EXPECT_LT(found, last) << window;
    last = found;
  }
}

/// The part of a signal at w over whole periods of it, as a complex amplitude: cos w t is 1.
template <class Signal>
std::complex<double> amplitude(const Signal& signal, double w) {
  const int period = static_cast<int>(std::lround(2.0 * std::numbers::pi / (w * kPeriod)));
  std::complex<double> sum{};
  const int settled = 10 * period;
  for (int k = 0; k < settled + period; ++k) {
    const double y = signal(k);
    if (k >= settled) sum += 2.0 / period * y * std::polar(1.0, -w * kPeriod * k);
  }
  return sum;
}

constexpr double kShaken = 2.0 * std::numbers::pi * 2.0;  // [rad/s] 2 Hz, as a hand shakes what it weighs
constexpr double kMass = 3.0;                             // [kg]

// A mass that is rendered from the handle's motion, F = m a with the acceleration as the difference of a filtered rate. Two poles at c make of it
// F = m a/(1 + jw/c)^2: felt is Re(F/A) = m (1 - x^2)/(1 + x^2)^2 with x = w/c, less than m by 3 x^2 where x is small. Sampled exactly: z = e^(jwT).
TEST(RateFilters, ARenderedMassIsFeltTooLightByThreeTimesTheSquareOfFrequencyOverCutOff) {
  double last = 0.0;
  for (const double cut_off : {800.0, 400.0, 200.0, 100.0, 50.0}) {
    SecondOrderRate rate(kPeriod, cut_off);
    double before = 0.0;
    const std::complex<double> force = amplitude(
        [&](int k) {
          const double v = rate.update(std::cos(kShaken * kPeriod * k));
          const double F = kMass * (v - before) / kPeriod;
          before = v;
          return F;
        },
        kShaken);
    const double felt = force.real() / -(kShaken * kShaken), error = (kMass - felt) / kMass;
    const double p = std::exp(-cut_off * kPeriod), x = kShaken / cut_off;
    const std::complex<double> back = std::polar(1.0, -kShaken * kPeriod),
                               difference = (1.0 - back) / kPeriod, pole = (1.0 - p) / (1.0 - p * back);
    EXPECT_NEAR(felt, kMass * (difference * difference * pole * pole).real() / -(kShaken * kShaken), 1e-9)
        << cut_off;
    const double continuous = 1.0 - (1.0 - x * x) / ((1.0 + x * x) * (1.0 + x * x));
    const double lag = kShaken * kPeriod;  // sampling makes differences of second order in it
    EXPECT_NEAR(error, continuous, lag * lag) << cut_off;
    EXPECT_GT(error, last) << cut_off;  // the lower, the worse
    last = error;
  }
  EXPECT_GT(last, 0.1);  // at 50 rad/s, four times the hand's 12.6
}

// The same by windows, whose rate is (1 - z^-n)/(n T), and by Kalman's filter, whose rate is x - x_before of its own: the longer the window and the calmer the filter, the
// lighter is what is felt. A window of n turns the force by w (n - 1) T/2 more than a difference does and makes it shorter by sin(n w T/2)/(n sin(w T/2)).
TEST(RateFilters, ARenderedMassIsFeltLighterByLongerWindowsAndCalmerKalmanFilters) {
  const auto felt_through = [](auto filter) {
    double before = 0.0;
    const std::complex<double> force = amplitude(
        [&](int k) {
          const double v = filter.update(std::cos(kShaken * kPeriod * k));
          const double F = kMass * (v - before) / kPeriod;
          before = v;
          return F;
        },
        kShaken);
    return (kMass - force.real() / -(kShaken * kShaken)) / kMass;
  };
  double last = -1.0;
  for (const std::size_t window : {1u, 2u, 4u, 8u, 16u, 32u}) {
    const double error = felt_through(AdaptiveWindowRate(kPeriod, 1e9, window));
    const std::complex<double> back = std::polar(1.0, -kShaken * kPeriod),
                               over = std::polar(1.0, -kShaken * kPeriod * static_cast<double>(window)),
                               rate = (1.0 - over) / (static_cast<double>(window) * kPeriod);
    const double expected = 1.0 - (rate * (1.0 - back) / kPeriod).real() / -(kShaken * kShaken);
    EXPECT_NEAR(error, expected, 1e-6) << window;
    EXPECT_GT(error, last) << window;
    last = error;
  }
  EXPECT_GT(last, 0.02);
  last = -1.0;
  for (const double acceleration : {100.0, 10.0, 1.0, 0.1}) {
    const double error = felt_through(KalmanRate(kPeriod, kStep, acceleration));
    EXPECT_GT(std::abs(error), last) << acceleration;
    last = std::abs(error);
  }
}

// A mass that is moved by the hand's filtered force, as an admittance display does: V = F/((1 + jw/c)^2 jw m), felt is Im(F/V)/w = m (1 - x^2), and a damper
// Re(F/V) = -2 m w^2/c, which is negative: it feeds the hand.
TEST(RateFilters, AFilteredForceMakesAMassFeltTooLightAndFeedsTheHand) {
  for (const double cut_off : {400.0, 200.0, 100.0, 50.0}) {
    SecondOrderFilter filter(kPeriod, cut_off);
    double v = 0.0;
    const std::complex<double> speed = amplitude(
        [&](int k) {
          const double now = v;  // before the step
          v += kPeriod / kMass * filter.update(std::cos(kShaken * kPeriod * k));
          return now;
        },
        kShaken);
    const std::complex<double> felt = 1.0 / speed;
    const double x = kShaken / cut_off, lag = kShaken * kPeriod;
    EXPECT_NEAR(felt.imag() / kShaken, kMass * (1.0 - x * x), kMass * (3.0 * x * lag + lag * lag)) << cut_off;
    EXPECT_NEAR(felt.real(), -2.0 * kMass * kShaken * x, kMass * kShaken * lag) << cut_off;
  }
}

// Through an encoder: the wider the filter's band, the less of the mass is missing and the more of the force is noise.
TEST(RateFilters, OfARenderedMassTheErrorAndTheNoiseAreTradedAgainstEachOther) {
  struct Seen {
    double error = 0.0, noise = 0.0;  // of the mass; [N] rms beside what is felt
  };
  const auto through = [](auto filter) {
    double before = 0.0;
    std::vector<double> forces;
    const std::complex<double> force = amplitude(
        [&](int k) {
          const double v = filter.update(quantised(0.05 * std::cos(kShaken * kPeriod * k), kStep));
          forces.push_back(kMass * (v - before) / kPeriod);
          before = v;
          return forces.back();
        },
        kShaken);
    double sum = 0.0;
    const std::size_t half = forces.size() / 2;
    for (std::size_t k = half; k < forces.size(); ++k) {
      const double rest =
          forces[k] - (force * std::polar(1.0, kShaken * kPeriod * static_cast<double>(k))).real();
      sum += rest * rest;
    }
    return Seen{1.0 - force.real() / (-kShaken * kShaken * 0.05 * kMass),
                std::sqrt(sum / static_cast<double>(forces.size() - half))};
  };
  const Seen plain = through(DifferenceRate(kPeriod)), wide = through(SecondOrderRate(kPeriod, 400.0)),
             narrow = through(SecondOrderRate(kPeriod, 50.0)),
             kalman = through(KalmanRate(kPeriod, kStep, 5.0));
  EXPECT_LT(std::abs(plain.error), 0.01);
  EXPECT_GT(plain.noise, 10.0);  // [N]: a step of 10 um in a period is 30 N of 3 kg
  EXPECT_LT(wide.error, narrow.error);
  EXPECT_GT(wide.noise, narrow.noise);
  EXPECT_GT(plain.noise, wide.noise);
  EXPECT_LT(kalman.noise, plain.noise);  // between them: hardly an error, and half the noise
  EXPECT_LT(std::abs(kalman.error), wide.error);
}

}  // namespace
}  // namespace tactus::control
