#include <tactus/simulate/integrators/adaptive_control.h>

namespace tactus::simulate {

// d0, d1, d2: sizes of z, z', z'' by the tolerances. A step h0 for which Euler's method changes z by a hundredth, and one
// for which h^power max(d1, d2) is a hundredth of what is allowed; the shorter, and no more than a hundred times h0.
double first_step(Chart& chart, double t, double most, std::span<const double> z, Tolerances tolerances,
                  double power, std::vector<double>& f0, std::vector<double>& f1,
                  std::vector<double>& place) {
  constexpr double kSmall = 1e-5, kTinyStep = 1e-6, kPart = 0.01, kTooFar = 100.0;
  const auto size = [&](const auto& value) {
    double largest = 0.0;
    for (std::size_t i = 0; i < z.size(); ++i)
      largest = std::max(largest,
                         std::abs(value(i)) / (tolerances.absolute + tolerances.relative * std::abs(z[i])));
    return largest;
  };
  chart.slope(t, z.data(), f0.data());
  const double d0 = size([&](std::size_t i) { return z[i]; }),
               d1 = size([&](std::size_t i) { return f0[i]; });
  const double h0 =
      std::min(most, d0 < kSmall || d1 < kSmall || !std::isfinite(d1) ? kTinyStep : kPart * d0 / d1);
  for (std::size_t i = 0; i < z.size(); ++i) place[i] = z[i] + h0 * f0[i];
  chart.slope(t + h0, place.data(), f1.data());
  const double d2 = size([&](std::size_t i) { return (f1[i] - f0[i]) / h0; });
  const double d = std::max(d1, d2);
  if (!std::isfinite(d)) return h0;
  const double h1 = d <= 1e-15 ? std::max(kTinyStep, 1e-3 * h0) : std::pow(kPart / d, 1.0 / power);
  return std::min({most, kTooFar * h0, h1});
}

}  // namespace tactus::simulate
