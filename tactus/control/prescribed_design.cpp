#include <tactus/control/prescribed_design.h>

#include <algorithm>
#include <cmath>

#include <tactus/control/held_force.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

/// x = (e, v_H, v_P, two of the filter, A, v of the tick before, F of the last d ticks), e from port to handle.
Eigen::VectorXd next(const SampledLoop& loop, const PrescribedGains& gains, const Eigen::VectorXd& x) {
  const double T = loop.period, a = loop.velocity_pole, w = gains.drift_rate;
  const double keep = gains.bandwidth > 0.0 ? std::exp(-gains.bandwidth * T) : 0.0;
  const double v = x[4], raw = (v - x[6]) / T;
  const double A = raw + keep * (x[5] - raw);
  const double wanted = A + 2.0 * w * (v - x[2]) + w * w * x[0];
  const double F = loop.port_mass * wanted;
  const double late = loop.delay == 0 ? F : x[6 + loop.delay];
  const HeldForce handle(loop.device_mass, loop.device_damping, T);
  const double way = handle.way(x[1], -late);

  Eigen::VectorXd y(x.size());
  y[0] = x[0] + way - T * x[2] - 0.5 * T * T * wanted;
  y[1] = handle.speed(x[1], -late);
  y[2] = x[2] + T * wanted;
  y[3] = (1.0 - a) * way / T + a * x[3];
  y[4] = (1.0 - a) * y[3] + a * x[4];
  y[5] = A;
  y[6] = v;
  for (int i = loop.delay; i > 0; --i) y[6 + i] = i == 1 ? F : x[5 + i];
  return y;
}

}  // namespace

double spectral_radius(const SampledLoop& loop, const PrescribedGains& gains) {
  const int n = 7 + loop.delay;
  Eigen::MatrixXd A(n, n);
  for (int j = 0; j < n; ++j) A.col(j) = next(loop, gains, Eigen::VectorXd::Unit(n, j));
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

std::vector<double> mass_ratios(const Matrix6& L, const Matrix6& M_d, std::uint8_t axes) {
  std::array<std::size_t, 6> axis{};
  Eigen::Index count = 0;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) axis[static_cast<std::size_t>(count++)] = i;
  Eigen::MatrixXd mobility(count, count), inverse(count, count);
  for (Eigen::Index i = 0; i < count; ++i)
    for (Eigen::Index j = 0; j < count; ++j) {
      const std::size_t at = 6 * axis[static_cast<std::size_t>(i)] + axis[static_cast<std::size_t>(j)];
      mobility(i, j) = L[at];
      inverse(i, j) = M_d[at];
    }
  inverse = inverse.inverse().eval();
  // L x = s M_d^-1 x: s is the device's mass over the port's.
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> modes(
      0.5 * (mobility + mobility.transpose()), 0.5 * (inverse + inverse.transpose()));
  std::vector<double> ratios;
  constexpr double kNone = 1e-12;  // of the easiest direction: rounding of the mobility
  // Of the port's other axes, too: where none of these moves all that they have is rounding.
  double easiest = std::abs(modes.eigenvalues()[count - 1]);
  for (std::size_t i = 0; i < 6; ++i) easiest = std::max(easiest, L[7 * i] * M_d[7 * i]);
  for (Eigen::Index i = count; i-- > 0;) {
    const double s = modes.eigenvalues()[i];
    ratios.push_back(s > kNone * easiest ? 1.0 / s : std::numeric_limits<double>::infinity());
  }
  return ratios;
}

double heaviest_ratio(const Matrix6& L, const Matrix6& M_d, std::uint8_t axes) {
  return mass_ratios(L, M_d, axes).back();
}

namespace {

constexpr double kRounding = 1e-9;  // handle and port go on together as they do: an eigenvalue of 1

bool bears(const device::Specification& s, const PrescribedGains& gains, double ratio) {
  if (!std::isfinite(ratio)) return false;  // what cannot move: no pole is slow enough
  for (std::size_t k = 0; k < 2; ++k)
    if ((gains.axes >> (3 * k) & 0b111) != 0 &&
        !(spectral_radius(loop_of(s, k, ratio * s.inertia[k]), gains) <= 1.0 + kRounding))
      return false;
  return true;
}

}  // namespace

double heaviest_borne(const device::Specification& s, const PrescribedGains& gains) {
  constexpr double kLightest = 1e-3, kMost = 1e6, kStep = 1.02;
  double ratio = kLightest;
  if (!bears(s, gains, ratio)) return 0.0;
  while (ratio < kMost && bears(s, gains, kStep * ratio)) ratio *= kStep;
  return ratio;
}

PrescribedGains design_prescribed(const device::Specification& s, double ratio, std::uint8_t axes) {
  constexpr double kHeavier = 2.0;
  constexpr double kSlower = 0.9;
  PrescribedGains gains{.axes = axes};
  for (int i = 0; i < 200 && !(bears(s, gains, ratio) && bears(s, gains, kHeavier * ratio)); ++i) {
    gains.bandwidth *= kSlower;
    gains.drift_rate *= kSlower;
  }
  // Found by steps of 2 %: what was asked for is in it.
  gains.heaviest = std::max(heaviest_borne(s, gains), kHeavier * ratio);
  return gains;
}

}  // namespace tactus::control
