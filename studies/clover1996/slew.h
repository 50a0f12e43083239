// The slew of [Clover1996, II (18)-(20)] and the statistics of Table III: for the study and the tests.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <studies/clover1996/tables.h>
#include <tactus/derive/readable/abbreviate.h>

namespace tactus::clover {

/// Every joint through a full turn in 1.5 s with least jerk.
inline derive::MotionPoint slew(double t) {
  constexpr double kDuration = 1.5, kTurn = 2.0 * std::numbers::pi;
  const double x = t / kDuration;
  const double q = kTurn * x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
  const double qd = kTurn / kDuration * x * x * (30.0 + x * (-60.0 + 30.0 * x));
  const double qdd = kTurn / (kDuration * kDuration) * x * (60.0 + x * (-180.0 + 120.0 * x));
  return {std::vector<double>(6, q), std::vector<double>(6, qd), std::vector<double>(6, qdd)};
}

/// Without the terms in q5 of the weight, which Appendix A leaves out although they pass the threshold.
/// Tables III and IV were made so.
inline derive::CanonicalModel without_q5(derive::CanonicalModel model) {
  const auto& angles = model.variables.angles();
  const auto q5 =
      static_cast<std::size_t>(std::find(angles.begin(), angles.end(), model.q[4]) - angles.begin());
  for (algebra::TrigPolynomial& torque : model.torques) {
    std::vector<algebra::TrigTerm> kept;
    for (const algebra::TrigTerm& term : torque.terms())
      if (term.key.k[q5] == 0) kept.push_back(term);
    torque = algebra::TrigPolynomial::from_terms(std::move(kept));
  }
  return model;
}

/// Torques of both models, sampled every 10 ms.
struct SlewTorques {
  std::vector<double> times;
  std::array<std::vector<double>, 6> exact, abbreviated;
};

inline SlewTorques slew_torques(const derive::CanonicalModel& full, const derive::CanonicalModel& shorter) {
  constexpr int kSamples = 151;
  SlewTorques result;
  for (int n = 0; n < kSamples; ++n) {
    result.times.push_back(0.01 * n);
    const derive::MotionPoint at = slew(result.times.back());
    const std::vector<double> exact = full.inverse_dynamics(at), abbreviated = shorter.inverse_dynamics(at);
    for (std::size_t i = 0; i < 6; ++i) {
      result.exact[i].push_back(exact[i]);
      result.abbreviated[i].push_back(abbreviated[i]);
    }
  }
  return result;
}

/// Of exact - abbreviated.
inline ErrorStatistics statistics(const std::vector<double>& exact, const std::vector<double>& abbreviated) {
  const auto count = static_cast<double>(exact.size());
  ErrorStatistics result{0.0, 0.0, 0.0, 0.0};
  for (std::size_t n = 0; n < exact.size(); ++n) {
    const double error = exact[n] - abbreviated[n];
    result.mean += error / count;
    result.mean_abs += std::fabs(error) / count;
    result.max_abs = std::max(result.max_abs, std::fabs(error));
  }
  double sum = 0.0;
  for (std::size_t n = 0; n < exact.size(); ++n)
    sum += std::pow(std::fabs(exact[n] - abbreviated[n]) - result.mean_abs, 2);
  result.deviation = std::sqrt(sum / (count - 1.0));
  return result;
}

}  // namespace tactus::clover
