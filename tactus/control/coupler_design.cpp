#include <tactus/control/coupler_design.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <utility>

#include <tactus/control/held_force.h>
#include <tactus/device/registry.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

/// [1] Places between 0 and pi at which the passivity condition is evaluated: it is a sum of harmonics of w T, d + u + 3 of them, each met this often.
constexpr int kFrequencies = 720, kPerHarmonic = 48;

/// Gain margin: the loop is stable also with so many times the stiffness and damping.
constexpr double kGainMargin = 1.5;

/// Eigenvalues belong to x -> A x with x = (e, v_H, v_P, two of the filter, F of the last d ticks).
Eigen::VectorXd next(const SampledLoop& loop, double K, double B, const Eigen::VectorXd& x) {
  const double T = loop.period, a = loop.velocity_pole;
  const double F = K * x[0] + B * (x[4] - x[2]);
  const double late = loop.delay == 0 ? F : x[4 + loop.delay];
  const HeldForce handle(loop.device_mass, loop.device_damping, T);
  const double way = handle.way(x[1], -late);

  Eigen::VectorXd y(x.size());
  y[0] = x[0] + way - T * x[2] - 0.5 * T * T / loop.port_mass * F;
  y[1] = handle.speed(x[1], -late);
  y[2] = x[2] + T / loop.port_mass * F;
  y[3] = (1.0 - a) * way / T + a * x[3];
  y[4] = (1.0 - a) * y[3] + a * x[4];
  for (int i = loop.delay; i > 0; --i) y[4 + i] = i == 1 ? F : x[3 + i];
  return y;
}

/// A handle and a heavy port go on together for long: their eigenvalue is 1 but for m_P, and rounding.
bool stable(const SampledLoop& loop, double K, double B) {
  constexpr double kRounding = 1e-9;
  const double most = std::isinf(loop.port_mass) ? 1.0 : 1.0 + kRounding;
  return spectral_radius(loop, K, B) < most && spectral_radius(loop, kGainMargin * K, kGainMargin * B) < most;
}

}  // namespace

SampledLoop loop_of(const device::Specification& s, std::size_t k, double port_mass, int age) {
  return {.period = 1.0 / s.rate,
          .delay = static_cast<int>(std::lround(s.latency * s.rate)),
          .age = age,
          .velocity_pole = s.velocity_bandwidth > 0.0 ? std::exp(-s.velocity_bandwidth / s.rate) : 0.0,
          .device_mass = s.inertia[k],
          .device_damping = s.damping[k],
          .port_mass = port_mass};
}

double required_damping(const SampledLoop& loop, double K, double B) {
  using Complex = std::complex<double>;
  const double T = loop.period, a = loop.velocity_pole;
  double most = 0.0;
  const int places = std::max(kFrequencies, kPerHarmonic * (loop.delay + loop.age + 3));
  for (int i = 1; i <= places; ++i) {
    const double wT = std::numbers::pi * i / places;
    const Complex back = std::polar(1.0, -wT);  // 1/z
    const Complex filter = (1.0 - a) / (1.0 - a * back);
    const Complex H =
        std::polar(1.0, -wT * (loop.delay + loop.age)) * (K + B * filter * filter * (1.0 - back) / T);
    most = std::max(most, 0.5 * T * ((1.0 - back) * H).real() / (1.0 - std::cos(wT)));
  }
  return most;
}

double port_damping(const SampledLoop& loop, double K) {
  constexpr double kMore = 1.1;
  const double late = K * (loop.delay + loop.age) * loop.period;
  const double by_delay = late > 0.0 ? late * late / (4.0 * loop.device_damping) : 0.0;
  return kMore * (0.5 * K * loop.period + by_delay);
}

double spectral_radius(const SampledLoop& given, double K, double B) {
  SampledLoop loop = given;
  if (std::isinf(loop.port_mass)) {
    // A wall that is seen late. Where that are many periods, longer ones stand for them: they add less than a fortieth of the delay.
    constexpr int kMost = 40;
    const int times = 1 + (loop.delay + loop.age) / kMost;
    loop.delay = (loop.delay + loop.age + times - 1) / times;
    loop.period *= times;
    loop.velocity_pole = std::pow(loop.velocity_pole, times);
  }
  const int n = 5 + loop.delay;
  Eigen::MatrixXd A(n, n);
  for (int j = 0; j < n; ++j) A.col(j) = next(loop, K, B, Eigen::VectorXd::Unit(n, j));
  // The speed of a wall is no state of the loop, and stays what it is.
  if (std::isinf(loop.port_mass)) A.row(2).setZero();
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

CouplerGains design(const device::Specification& s, const std::array<double, 2>& port_inertia, double share,
                    int age) {
  CouplerGains gains;
  share = std::clamp(share, 0.0, 1.0);  // beyond 1 nothing is passive
  const double bound[2] = {device::largest_rotational_stiffness(s), device::largest_stiffness(s)};
  for (std::size_t k = 0; k < 2; ++k) {
    if ((s.actuated >> (3 * k) & 0b111) == 0 || !(bound[k] > 0.0)) continue;
    const SampledLoop wall = loop_of(s, k, std::numeric_limits<double>::infinity(), age);
    const SampledLoop held = loop_of(s, k, port_inertia[k], age);
    const double late = s.latency + age * wall.period;
    double K = share * std::min(bound[k], wall.device_damping / (0.5 * wall.period + late));
    if (s.resolution[k] > 0.0) K = std::min(K, s.friction[k] / s.resolution[k]);
    // Both sides are passive with the least damper that the mechanism's asks for, or the spring is too stiff for one.
    const auto too_stiff = [&](double stiffness) {
      return required_damping(wall, stiffness, port_damping(wall, stiffness)) > s.damping[k];
    };
    double above = K;
    for (int i = 0; i < 400 && too_stiff(K); ++i) above = std::exchange(K, 0.99 * K);
    // The border itself: from wherever it is come to, it is the same.
    for (int i = 0; i < 14 && above > K; ++i) {
      const double middle = 0.5 * (K + above);
      (too_stiff(middle) ? above : K) = middle;
    }
    const double least = port_damping(wall, K);
    double B = std::max(share * s.damping[k], least);
    for (int i = 0; i < 60 && required_damping(wall, K, B) > s.damping[k]; ++i) B = std::max(0.9 * B, least);
    // It ends: without them no eigenvalue lies outside the circle.
    for (int i = 0; i < 60 && !(stable(wall, K, B) && stable(held, K, B)); ++i) K *= 0.8, B *= 0.9;
    gains.stiffness[k] = K;
    gains.damping[k] = B;
  }
  return gains;
}

double continuous_hand_border(const AdmittanceLoop& loop) {
  return loop.damping * (loop.mass + loop.damping * loop.lag) / (loop.mass * loop.lag);
}

double spectral_radius(const AdmittanceLoop& loop, double k_h) {
  // (x, x_v, v_v, commands of the last d ticks): handle, virtual mass.
  const double T = loop.period, keep = std::exp(-T / loop.lag);
  const HeldForce shown(loop.mass, loop.damping, T);
  const int n = 3 + loop.delay;
  Eigen::MatrixXd A(n, n);
  for (int j = 0; j < n; ++j) {
    const Eigen::VectorXd s = Eigen::VectorXd::Unit(n, j);
    Eigen::VectorXd y(n);
    // The command that runs while the force is sensed: the handle's speed is (command - x)/lag.
    const double running = loop.delay == 0 ? s[1] : s[2 + loop.delay];
    const double F = -k_h * s[0] - loop.hand_damping * (running - s[0]) / loop.lag;
    y[1] = s[1] + shown.way(s[2], F);
    y[2] = shown.speed(s[2], F);
    const double command = loop.delay == 0 ? y[1] : s[2 + loop.delay];
    y[0] = command + (s[0] - command) * keep;
    for (int i = loop.delay; i > 0; --i) y[2 + i] = i == 1 ? y[1] : s[1 + i];
    A.col(j) = y;
  }
  return A.eigenvalues().cwiseAbs().maxCoeff();
}

double sampled_hand_border(const AdmittanceLoop& loop) {
  double low = 0.0, high = 1e9;
  if (spectral_radius(loop, high) < 1.0) return std::numeric_limits<double>::infinity();
  // The border is found in the logarithm: from 1 mN/m on.
  low = 1e-3;
  if (!(spectral_radius(loop, low) < 1.0)) return 0.0;
  while (high / low > 1.0 + 1e-9) {
    const double middle = std::sqrt(low * high);
    (spectral_radius(loop, middle) < 1.0 ? low : high) = middle;
  }
  return low;
}

}  // namespace tactus::control
