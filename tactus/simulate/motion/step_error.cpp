#include <tactus/simulate/motion/step_error.h>

#include <algorithm>
#include <cmath>

namespace tactus::simulate {

namespace {

double order_of(Integrator integrator) {
  switch (integrator) {
    case Integrator::euler:
      return 1.0;
    case Integrator::passive:
      return 2.0;
    case Integrator::implicit:
      return 3.0;
    default:
      return 4.0;
  }
}

/// A speed slower than this part of the fastest is measured by it: noise is no motion.
constexpr double kSlow = 1e-3;
/// [rad/s or m/s] And where all stands, by this.
constexpr double kStands = 1e-9;

}  // namespace

StepError::StepError(int every, Integrator integrator, const State& state)
    : every_(is_adaptive(integrator) ? 0 : every),
      order_(order_of(integrator)),
      whole_(state),
      halves_(state),
      q_(state.q.size()),
      u_(state.u.size()),
      fastest_(state.u.size()) {}

void StepError::reset() {
  looked_ = 0;
  for (std::vector<double>* sums : {&q_, &u_, &fastest_}) std::fill(sums->begin(), sums->end(), 0.0);
}

void StepError::note(const State& whole, const State& halves) {
  const double more = std::exp2(order_) / (std::exp2(order_) - 1.0) * every_;
  ++looked_;
  for (std::size_t i = 0; i < q_.size(); ++i) q_[i] += more * std::abs(whole.q[i] - halves.q[i]);
  for (std::size_t i = 0; i < u_.size(); ++i) {
    u_[i] += more * std::abs(whole.u[i] - halves.u[i]);
    fastest_[i] = std::max(fastest_[i], std::abs(halves.u[i]));
  }
}

double StepError::coordinates() const { return q_.empty() ? 0.0 : *std::max_element(q_.begin(), q_.end()); }

double StepError::relative() const {
  const double all = fastest_.empty() ? 0.0 : *std::max_element(fastest_.begin(), fastest_.end());
  double worst = 0.0;
  for (std::size_t i = 0; i < u_.size(); ++i)
    worst = std::max(worst, u_[i] / std::max({fastest_[i], kSlow * all, kStands}));
  return worst;
}

double StepError::advised(double step) const {
  const double error = relative();
  if (!(error > kLongStep) || !std::isfinite(error)) return step;
  const double wanted = step * std::pow(kLongStep / error, 1.0 / order_);
  const double decade = std::pow(10.0, std::floor(std::log10(wanted)));
  const double leading = wanted / decade;
  return decade * (leading >= 5.0 ? 5.0 : leading >= 2.0 ? 2.0 : 1.0);
}

}  // namespace tactus::simulate
