// The cubic smoothing spline whose smoothness generalised cross-validation chooses [CravenWahba1979], as [Clover1996, IV] differentiates its rates
// with it. On points h apart, with y the readings and g what is left of them,
//
//   least    sum (y - g)^2 + l int g''^2          (R + l Q^T Q) c = Q^T y,    g = y - l Q c
//
// where c are second derivatives at the inner points, Q^T takes second differences over h and R = h/6 (1 4 1). The l that leaves the least of
//
//   n |y - g|^2/(tr(1 - A))^2,    tr(1 - A) = l tr((R + l Q^T Q)^-1 Q^T Q)
//
// Of the inverse only its five inner bands count, which its band factors give from the last row back [HutchinsonDeHoog1985].
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace tactus::studies {

class SmoothingSpline {
 public:
  SmoothingSpline(std::vector<double> readings, double h) : y_(std::move(readings)), h_(h) {
    // Along the logarithm of l, by thirds of decades about h^3, then between the best three.
    double best = 0.0, least = INFINITY;
    const double unit = std::log(h_ * h_ * h_);
    for (int k = -18; k <= 45; ++k)
      if (const double score = fit(std::exp(unit + 0.7675 * k)); score < least) {
        least = score;
        best = unit + 0.7675 * k;
      }
    double from = best - 0.7675, to = best + 0.7675;
    constexpr double kGolden = 0.6180339887498949;
    for (int k = 0; k < 25; ++k) {
      const double a = to - kGolden * (to - from), b = from + kGolden * (to - from);
      if (fit(std::exp(a)) < fit(std::exp(b)))
        to = b;
      else
        from = a;
    }
    l_ = std::exp(0.5 * (from + to));
    fit(l_);
  }

  double smoothing() const { return l_; }
  const std::vector<double>& values() const { return g_; }
  /// g' at the points.
  std::vector<double> slopes() const {
    const std::size_t n = y_.size();
    std::vector<double> slope(n);
    for (std::size_t i = 0; i + 1 < n; ++i)
      slope[i] = (g_[i + 1] - g_[i]) / h_ - h_ / 6.0 * (2.0 * bend(i) + bend(i + 1));
    slope[n - 1] = (g_[n - 1] - g_[n - 2]) / h_ + h_ / 6.0 * (2.0 * bend(n - 1) + bend(n - 2));
    return slope;
  }

 private:
  double bend(std::size_t i) const { return i == 0 || i + 1 == y_.size() ? 0.0 : c_[i - 1]; }

  /// Sets g and c; the score of generalised cross-validation.
  double fit(double l) {
    const std::size_t n = y_.size(), m = n - 2;
    const double q = 1.0 / (h_ * h_);
    // Bands of Q^T Q, and of the whole.
    const double w0 = 6.0 * q, w1 = -4.0 * q, w2 = q;
    const double b0 = 4.0 * h_ / 6.0 + l * w0, b1 = h_ / 6.0 + l * w1, b2 = l * w2;
    d_.assign(m, 0.0);
    e_.assign(m, 0.0);  // L(i + 1, i)
    f_.assign(m, 0.0);  // L(i + 2, i)
    for (std::size_t i = 0; i < m; ++i) {
      d_[i] = b0 - (i >= 1 ? e_[i - 1] * e_[i - 1] * d_[i - 1] : 0.0) -
              (i >= 2 ? f_[i - 2] * f_[i - 2] * d_[i - 2] : 0.0);
      e_[i] = (b1 - (i >= 1 ? f_[i - 1] * e_[i - 1] * d_[i - 1] : 0.0)) / d_[i];
      f_[i] = b2 / d_[i];
    }
    c_.assign(m, 0.0);
    for (std::size_t i = 0; i < m; ++i)
      c_[i] = (y_[i] - 2.0 * y_[i + 1] + y_[i + 2]) / h_ - (i >= 1 ? e_[i - 1] * c_[i - 1] : 0.0) -
              (i >= 2 ? f_[i - 2] * c_[i - 2] : 0.0);
    for (std::size_t i = m; i-- > 0;)
      c_[i] = c_[i] / d_[i] - (i + 1 < m ? e_[i] * c_[i + 1] : 0.0) - (i + 2 < m ? f_[i] * c_[i + 2] : 0.0);
    g_ = y_;
    double square = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double second =
          (i < m ? c_[i] : 0.0) - 2.0 * (i >= 1 && i - 1 < m ? c_[i - 1] : 0.0) + (i >= 2 ? c_[i - 2] : 0.0);
      g_[i] -= l * second / h_;
      square += (y_[i] - g_[i]) * (y_[i] - g_[i]);
    }
    // The inverse's bands: s0 of (i, i), s1 of (i, i + 1), s2 of (i, i + 2).
    double trace = 0.0, s0_1 = 0.0, s0_2 = 0.0,
           s1_1 = 0.0;  // of the rows after: (i+1,i+1), (i+2,i+2), (i+1,i+2)
    for (std::size_t i = m; i-- > 0;) {
      const double s1 = i + 1 < m ? -e_[i] * s0_1 - f_[i] * s1_1 : 0.0;
      const double s2 = i + 2 < m ? -e_[i] * s1_1 - f_[i] * s0_2 : 0.0;
      const double s0 = 1.0 / d_[i] - e_[i] * s1 - f_[i] * s2;
      trace += s0 * w0 + 2.0 * s1 * w1 + 2.0 * s2 * w2;
      s0_2 = s0_1;
      s0_1 = s0;
      s1_1 = s1;
    }
    const double left = l * trace;
    return static_cast<double>(n) * square / (left * left);
  }

  std::vector<double> y_, g_, c_, d_, e_, f_;
  double h_, l_ = 0.0;
};

}  // namespace tactus::studies
