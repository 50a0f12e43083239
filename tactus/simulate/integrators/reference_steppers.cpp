// Adaptive integration by Boost.Odeint, in the chart. Steps end exactly at t + h, whatever lies between.
#include <algorithm>
#include <cmath>
#include <vector>

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

#include <tactus/simulate/integrators/rosenbrock.h>
#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

namespace {

namespace odeint = boost::numeric::odeint;

// Rejections within one Options::step after which a force is taken to jump again and again, as dry friction
// does in a joint at rest: no step is small enough then. A smooth motion rejects a few steps while it finds
// its pace.
constexpr int kPatience = 300;
// The same is concluded where so many steps have not gone so small a part of Options::step.
constexpr int kManySteps = 2000;
constexpr double kLittleWay = 0.01;
// From there on every step has at least this part of Options::step, tolerance or not.
constexpr double kForcedPart = 5e-3;
// The shortest step, relative to the time at which it starts: below it t + dt is no longer distinct enough
// from t.
constexpr double kShortest = 1e-14;

/// Steps from t to t + h. `attempt(x, now, dt)` moves x and now and proposes the next dt, or only shortens
/// dt; `force(x, now, dt)` moves x in any case. The chart is settled after each step. `dt` remembers the step
/// between calls.
template <class Attempt, class Force>
Status step_adaptively(Chart& chart, double t, double h, std::span<double> z, std::vector<double>& x,
                       double& dt, const Attempt& attempt, const Force& force) {
  const double end = t + h;
  double now = t;
  int rejections = 0, steps = 0;
  bool jumps = false;
  if (!(dt > 0.0)) dt = h;
  std::copy(z.begin(), z.end(), x.begin());
  while (now < end) {
    jumps = jumps || rejections >= kPatience || (steps >= kManySteps && now - t < kLittleWay * h);
    if (jumps) dt = std::max(dt, kForcedPart * h);
    const bool is_last = now + dt >= end || end - (now + dt) < kShortest * std::abs(end);
    double reach = is_last ? end - now : dt;
    const bool whole = is_last && now == t;  // asked for so little: nothing to control
    const bool too_small = reach < kShortest * std::max(std::abs(now), h);
    if (too_small && !whole) return Status::step_too_small;
    if (jumps || too_small) {
      force(x, now, reach);
      now += reach;
    } else if (!attempt(x, now, reach)) {
      dt = reach;
      ++rejections;
      continue;
    } else {
      dt = is_last ? std::max(dt, reach) : reach;
    }
    ++steps;
    if (is_last) now = end;
    std::copy(x.begin(), x.end(), z.begin());
    if (!std::all_of(z.begin(), z.end(), [](double value) { return std::isfinite(value); }))
      return Status::not_finite;
    if (const Status settled = chart.settle(now, z); !settled.ok()) return settled;
    std::copy(z.begin(), z.end(), x.begin());
  }
  return jumps ? Status(Status::tolerance_missed) : Status();
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
    return step_adaptively(
        chart, t, h, z, x_, dt_,
        [&](std::vector<double>& x, double& now, double& dt) {
          return stepper_.try_step(system, x, now, dt) == odeint::success;
        },
        [&](std::vector<double>& x, double now, double dt) { forced_.do_step(system, x, now, dt); });
  }
  void reset() override { dt_ = 0.0; }
  std::size_t memory() const override { return 1; }
  void save(double* memory) const override { *memory = dt_; }
  void load(const double* memory) override { dt_ = *memory; }

 private:
  using Method = odeint::runge_kutta_fehlberg78<std::vector<double>>;
  using Controlled = decltype(odeint::make_controlled<Method>(0.0, 0.0));
  std::vector<double> x_;
  Controlled stepper_;
  Method forced_;
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
    return step_adaptively(
        chart, t, h, z, x_, dt_,
        [this](std::vector<double>& x, double& now, double& dt) {
          return method_.attempt(system_, x.data(), now, dt);
        },
        [this](std::vector<double>& x, double now, double dt) { method_.force(system_, x.data(), now, dt); });
  }
  void reset() override { dt_ = 0.0; }
  std::size_t memory() const override { return 1; }
  void save(double* memory) const override { *memory = dt_; }
  void load(const double* memory) override { dt_ = *memory; }

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
