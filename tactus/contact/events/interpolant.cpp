#include <tactus/contact/events/interpolant.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

Interpolant::Interpolant(double t0, const Jet& at_t0, double t1, const Jet& at_t1) : t0_(t0), h_(t1 - t0) {
  const double f0 = at_t0.value, f1 = at_t1.value;
  const double v0 = h_ * at_t0.rate, v1 = h_ * at_t1.rate;
  const double a0 = h_ * h_ * at_t0.acceleration, a1 = h_ * h_ * at_t1.acceleration;
  c_ = {f0, f1 - f0, 0.0, 0.0, 0.0, 0.0};
  doubt_ = std::max(std::abs(f0), std::abs(f1));
  if (!std::isfinite(v0) || !std::isfinite(v1)) return;
  // Cubic; the largest difference to the straight line is at most (|c2| + |c3|)/4, that of s - s^2 and s -
  // s^3.
  c_ = {f0, v0, 3.0 * (f1 - f0) - 2.0 * v0 - v1, v0 + v1 - 2.0 * (f1 - f0), 0.0, 0.0};
  doubt_ = 0.25 * std::abs(c_[2]) + 0.39 * std::abs(c_[3]);
  if (!std::isfinite(a0) || !std::isfinite(a1)) return;
  // Quintic: the cubic misses the accelerations at both ends by these, which s^2 (1 - s)^2 (...) makes up for.
  // That factor is 1/16 at most.
  const double e0 = a0 - 2.0 * c_[2], e1 = a1 - (2.0 * c_[2] + 6.0 * c_[3]);
  // q = s^2 (1 - s)^2 (e0 (1 - s) + e1 s)/2: q''(0) = e0, q''(1) = e1, values and rates zero at both ends.
  const double b = 0.5 * e0, d = 0.5 * (e1 - e0);
  c_[2] += b;
  c_[3] += d - 2.0 * b;
  c_[4] += b - 2.0 * d;
  c_[5] += d;
  doubt_ = std::max(std::abs(e0), std::abs(e1)) / 32.0;
}

double Interpolant::polynomial(double s, int derivative) const {
  double p = 0.0;
  if (derivative == 0) {
    for (std::size_t k = 6; k-- > 0;) p = p * s + c_[k];
  } else {
    for (std::size_t k = 6; k-- > 1;) p = p * s + static_cast<double>(k) * c_[k];
  }
  return p;
}

double Interpolant::value(double t) const { return polynomial((t - t0_) / h_, 0); }
double Interpolant::rate(double t) const { return polynomial((t - t0_) / h_, 1) / h_; }

/// Bisection with secants in between (Illinois), on numbers alone: cheap next to an integration.
double Interpolant::root(double from, double to, int derivative, double sign) const {
  constexpr int kMost = 100;
  double a = (from - t0_) / h_, b = (to - t0_) / h_;
  double f_a = sign * polynomial(a, derivative), f_b = sign * polynomial(b, derivative);
  if (!(f_a > 0.0)) return from;
  if (!(f_b < 0.0)) return to;
  int side = 0;
  for (int i = 0; i < kMost && b - a > std::numeric_limits<double>::epsilon(); ++i) {
    double s = i % 3 == 2 ? 0.5 * (a + b) : b - f_b * (b - a) / (f_b - f_a);
    if (!(s > a && s < b)) s = 0.5 * (a + b);
    if (!(s > a && s < b)) break;
    const double f = sign * polynomial(s, derivative);
    if (f == 0.0) return t0_ + s * h_;
    if (f < 0.0) {
      b = s;
      f_b = f;
      if (side == 1) f_a *= 0.5;
      side = 1;
    } else {
      a = s;
      f_a = f;
      if (side == -1) f_b *= 0.5;
      side = -1;
    }
  }
  return t0_ + b * h_;
}

}  // namespace tactus::contact
