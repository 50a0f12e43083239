// Adaptive integration by Boost.Odeint, in the chart. Steps end exactly at t + h, whatever lies between.
#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include <tactus/simulate/rosenbrock.h>
#include <tactus/simulate/stepper.h>

namespace tactus::simulate {

namespace {

namespace odeint = boost::numeric::odeint;

// More steps than this within one Options::step mean that the tolerance cannot be met.
constexpr int kMostSubsteps = 1'000'000;
// The shortest step, relative to the time at which it starts: below it t + dt is no longer distinct enough
// from t.
constexpr double kShortest = 1e-14;

/// Steps from t to t + h with `attempt(z, now, dt)`, which moves z and now and proposes the next dt, or only
/// shortens dt. The chart is settled after each step that is accepted. `dt` remembers the step between calls.
template <class Attempt>
Status step_adaptively(Chart& chart, double t, double h, std::span<double> z, std::vector<double>& x,
                       double& dt, Attempt attempt) {
  const double end = t + h;
  double now = t;
  if (!(dt > 0.0)) dt = h;
  std::copy(z.begin(), z.end(), x.begin());
  for (int count = 0; now < end; ++count) {
    const bool is_last = now + dt >= end || end - (now + dt) < kShortest * std::abs(end);
    double reach = is_last ? end - now : dt;
    const double tried = reach;
    if (count == kMostSubsteps || tried < kShortest * std::max(std::abs(now), h))
      return Status::step_too_small;
    if (!attempt(x, now, reach)) {
      dt = reach;
      continue;
    }
    if (is_last) now = end;
    dt = is_last ? std::max(dt, reach) : reach;
    std::copy(x.begin(), x.end(), z.begin());
    if (!std::all_of(z.begin(), z.end(), [](double value) { return std::isfinite(value); }))
      return Status::not_finite;
    chart.settle(now, z);
    std::copy(z.begin(), z.end(), x.begin());
  }
  return {};
}

class Fehlberg78 : public Stepper {
 public:
  Fehlberg78(const Chart& chart, Tolerances tolerances)
      : x_(static_cast<std::size_t>(chart.size())),
        stepper_(odeint::make_controlled<odeint::runge_kutta_fehlberg78<std::vector<double>>>(
            tolerances.absolute, tolerances.relative)) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    const auto system = [&chart](const std::vector<double>& x, std::vector<double>& rate, double time) {
      chart.slope(time, x.data(), rate.data());
    };
    return step_adaptively(chart, t, h, z, x_, dt_, [&](std::vector<double>& x, double& now, double& dt) {
      return stepper_.try_step(system, x, now, dt) == odeint::success;
    });
  }
  void reset() override { dt_ = 0.0; }

 private:
  using Controlled =
      decltype(odeint::make_controlled<odeint::runge_kutta_fehlberg78<std::vector<double>>>(0.0, 0.0));
  std::vector<double> x_;
  Controlled stepper_;
  double dt_ = 0.0;
};

class Rosenbrock4 : public Stepper {
 public:
  Rosenbrock4(const Chart& chart, Tolerances tolerances)
      : x_(static_cast<std::size_t>(chart.size())),
        system_(x_.size()),
        method_(x_.size(), tolerances.absolute, tolerances.relative) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    system_.chart = &chart;
    return step_adaptively(chart, t, h, z, x_, dt_, [this](std::vector<double>& x, double& now, double& dt) {
      return method_.attempt(system_, x.data(), now, dt);
    });
  }
  void reset() override { dt_ = 0.0; }

 private:
  struct System : Rosenbrock::System {
    explicit System(std::size_t size) : place(size), ahead(size), behind(size) {}

    void rates(double t, const double* x, double* rate) override { chart->slope(t, x, rate); }

    /// By central differences: about ten digits, so that the method keeps its order down to there.
    void derivatives(double t, const double* x, double* dfdx, double* dfdt) override {
      constexpr double kNudge = 6e-6;  // the cube root of the rounding unit
      const std::size_t n = place.size();
      std::copy_n(x, n, place.begin());
      for (std::size_t j = 0; j < n; ++j) {
        const double nudge = kNudge * std::max(1.0, std::abs(x[j]));
        place[j] = x[j] + nudge;
        chart->slope(t, place.data(), ahead.data());
        place[j] = x[j] - nudge;
        chart->slope(t, place.data(), behind.data());
        place[j] = x[j];
        for (std::size_t i = 0; i < n; ++i) dfdx[n * i + j] = (ahead[i] - behind[i]) / (2.0 * nudge);
      }
      const double nudge = kNudge * std::max(1.0, std::abs(t));
      chart->slope(t + nudge, x, ahead.data());
      chart->slope(t - nudge, x, behind.data());
      for (std::size_t i = 0; i < n; ++i) dfdt[i] = (ahead[i] - behind[i]) / (2.0 * nudge);
    }

    Chart* chart = nullptr;
    std::vector<double> place, ahead, behind;
  };

  std::vector<double> x_;
  System system_;
  Rosenbrock method_;
  double dt_ = 0.0;
};

}  // namespace

std::unique_ptr<Stepper> make_adaptive(const Chart& chart, Tolerances tolerances) {
  return std::make_unique<Fehlberg78>(chart, tolerances);
}
std::unique_ptr<Stepper> make_stiff(const Chart& chart, Tolerances tolerances) {
  return std::make_unique<Rosenbrock4>(chart, tolerances);
}

}  // namespace tactus::simulate
