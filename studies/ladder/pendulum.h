// The ladder of parallelograms on its branch: all rods turn alike, the couplers stay level. One freedom with the inertia
// of N + 1 rods about their hinges and of N couplers that only translate:
//
//   theta'' = -w cos(theta),    w = g ((N + 1)/2 + N)/((N + 1)/3 + N) / L
//
// a pendulum with y = (theta + pi/2)/2, y'^2 = a^2 (1 - k^2 sin^2 y), a^2 = theta'^2/4 + w sin^2 y, k^2 = w/a^2. It
// starts above its top's energy, k < 1: it turns over and over, y = am(a t + F(y0, k), k). The constraints do not occur
// in it: an independent road to the motion, through every singular position.
#pragma once

#include <array>
#include <cmath>
#include <numbers>

namespace tactus::studies::ladder {

class Pendulum {
 public:
  /// From theta, which is pi/2 (upright: y = pi/2, F = K), with this rate < 0.
  Pendulum(int loops, double rate, double gravity, double length) {
    const long double N = loops;
    w_ = static_cast<long double>(gravity) / length * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
    a_ = std::sqrt(static_cast<long double>(rate) * rate / 4 + w_);
    // Arithmetic and geometric means of 1 and k' = sqrt(1 - k^2): K = pi/(2 agm) [AbramowitzStegun1964, 17.6].
    long double mean = 1, root = std::sqrt(1 - w_ / (a_ * a_));
    for (std::size_t n = 0; n < kMeans; ++n) {
      c_[n] = (mean - root) / 2;
      const long double next = (mean + root) / 2;
      root = std::sqrt(mean * root);
      mean = next;
      m_[n] = mean;
    }
  }

  /// theta after this time.
  double angle(double t) const {
    // Backwards in time: from the top, y decreases. am(K - a t) by descending Landen transformations
    // [AbramowitzStegun1964, 16.4].
    const long double K = std::numbers::pi_v<long double> / (2 * m_[kMeans - 1]);
    long double phase = std::ldexp(m_[kMeans - 1] * (K - a_ * t), static_cast<int>(kMeans));
    for (std::size_t n = kMeans; n-- > 0;) phase = (phase + std::asin(c_[n] / m_[n] * std::sin(phase))) / 2;
    return static_cast<double>(2 * phase - std::numbers::pi_v<long double> / 2);
  }

 private:
  static constexpr std::size_t kMeans = 8;  // each doubles the digits
  long double w_, a_;
  std::array<long double, kMeans> c_, m_;
};

}  // namespace tactus::studies::ladder
