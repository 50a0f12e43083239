#include <tactus/control/coupler_follow.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/control/coupler_at_port.h>

namespace tactus::control {

namespace {

constexpr double kFine = 0.9,
                 kCoarse = 0.8;   // from a softness to the next, in the first half of them and in the second
constexpr double kFurther = 1.1;  // from a w^2 to the next, where a border is looked for
constexpr double kQuietly = 0.5;  // of the first border: below it looks may wait
constexpr double kGrew = 1.1;     // since the last look
constexpr double kStiffens = 1.02;  // in a tick
constexpr int kEvery = 8;           // [ticks]
constexpr int kQuotients = 3;       // of B/K, between both axes'

}  // namespace

CouplerFollower::CouplerFollower(const device::Specification& specification, const CouplerGains& gains,
                                 const std::array<double, 36>& mobility)
    : specification_(specification), gains_(gains) {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (std::size_t k = 0; k < 2; ++k)
    if ((specification.actuated >> (3 * k) & 0b111) != 0 && gains.stiffness[k] > 0.0) {
      least = std::min(least, gains.damping[k] / gains.stiffness[k]);
      most = std::max(most, gains.damping[k] / gains.stiffness[k]);
    }
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(specification.actuated, i)) root_[i] = std::sqrt(gains.stiffness[i / 3]);
  const double start = bound(mobility);
  if (!(least <= most) || !std::isfinite(start)) return;
  // As given they are what they were designed to be, with the mode of the start; softer ones hold whatever port comes.
  const std::array<double, 2> designed = fastest_mode(specification, gains, mobility);
  const double own = designed[0] > 0.0 ? designed[1] / designed[0] : most;
  const auto good = [&](double s, double w2) {
    const CouplerGains soft{{s * s * gains.stiffness[0], s * s * gains.stiffness[1]},
                            {s * gains.damping[0], s * gains.damping[1]}};
    if (s == 1.0) return stable_at_port(specification_, soft, {w2, own * w2});
    for (int i = 0; i < kQuotients; ++i) {
      const double tau = least + (most - least) * i / (kQuotients - 1);
      if (!stable_at_port(specification_, soft, {s * s * w2, s * tau * w2})) return false;
      if (least == most) break;
    }
    return true;
  };
  // A port that cannot move has no w^2: from one turn in ten seconds on.
  double w2 = std::max(start, 0.4);
  if (!good(1.0, w2)) return;
  for (double s = 1.0; count_ < kMost; ++count_, s *= count_ < kMost / 2 ? kFine : kCoarse) {
    constexpr double kFastest = 1e15;                      // [1/s^2] no port is lighter
    while (w2 < kFastest && good(s, 2.0 * w2)) w2 *= 2.0;  // where it is not stable here, the next one may be
    while (w2 < kFastest && good(s, kFurther * w2)) w2 *= kFurther;
    soft_[count_] = s;
    border_[count_] = w2;
  }
}

double CouplerFollower::softness(double w2) const noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    if (w2 <= border_[i]) return soft_[i];
  return 0.0;  // no spring at all is stable with everything
}

double CouplerFollower::bound(const std::array<double, 36>& mobility) const noexcept {
  std::array<double, 36> A{};
  double trace = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < 6; ++j)
      A[6 * i + j] = root_[i] * root_[j] * 0.5 * (mobility[6 * i + j] + mobility[6 * j + i]);
    trace += A[7 * i];
  }
  if (!(trace > 0.0) || !std::isfinite(trace)) return std::isfinite(trace) ? 0.0 : trace;
  // Scaled by the trace, which is no less than the eigenvalue: its squares stay within 1.
  for (double& a : A) a /= trace;
  for (int squared = 0; squared < 2; ++squared) {
    std::array<double, 36> S{};
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j)
        for (std::size_t m = 0; m < 6; ++m) S[6 * i + j] += A[6 * i + m] * A[6 * m + j];
    A = S;
  }
  // |A^4|_F^2 is the sum of the eigenvalues' eighth powers.
  double norm = 0.0;
  for (const double a : A) norm += a * a;
  return trace * std::pow(norm, 1.0 / 8.0);
}

bool CouplerFollower::due() noexcept {
  if (count_ == 0) return false;
  if (wait_ > 0) --wait_;
  return wait_ == 0;
}

void CouplerFollower::look(const std::array<double, 36>& mobility) noexcept {
  const double w2 = bound(mobility);
  wait_ = 1;
  if (!std::isfinite(w2)) return;  // the mechanism's step will say why
  target_ = softness(w2);
  if (w2 < kQuietly * border_[0] && !(w2 > kGrew * last_ && last_ > 0.0)) wait_ = kEvery;
  last_ = w2;
}

double CouplerFollower::next(double softness, double unit, double paid) const noexcept {
  if (!(target_ > softness)) return target_;
  double s = std::min(target_, kStiffens * softness);
  if (s * s * unit > paid && unit > 0.0) s = std::sqrt(std::max(0.0, paid) / unit);
  return std::max(s, softness);
}

}  // namespace tactus::control
