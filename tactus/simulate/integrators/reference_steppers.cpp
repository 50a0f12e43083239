// The adaptive integrators, in the chart.
#include <algorithm>
#include <cmath>
#include <vector>

#include <tactus/simulate/integrators/adaptive_control.h>
#include <tactus/simulate/integrators/dormand_prince.h>
#include <tactus/simulate/integrators/rosenbrock.h>
#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

namespace {

/// The error of the two methods goes with these powers of the step.
constexpr double kPowerOfAdaptive = 8.0, kPowerOfStiff = 4.0;

/// [s] Before anything is known of the motion.
constexpr double kFirstPace = 1e-4;

class Adaptive : public Stepper {
 public:
  Adaptive(const Chart& chart, Tolerances tolerances)
      : tolerances_(tolerances),
        x_(static_cast<std::size_t>(chart.size())),
        f0_(x_.size()),
        f1_(x_.size()),
        method_(x_.size(), tolerances.absolute, tolerances.relative) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    if (!(dt_ > 0.0)) dt_ = first_step(chart, t, h, z, tolerances_, kPowerOfAdaptive, f0_, f1_, x_);
    method_.forget_slope();
    return step_adaptively(
        chart, t, h, z, x_, dt_,
        [&](std::vector<double>& x, double& now, double& dt) {
          return method_.attempt(chart, x.data(), now, dt);
        },
        [&](std::vector<double>& x, double now, double dt) { method_.force(chart, x.data(), now, dt); });
  }
  double pace() const override { return dt_ > 0.0 ? dt_ : kFirstPace; }
  void reset() override { dt_ = 0.0; }
  std::size_t memory() const override { return 1; }
  void save(double* memory) const override { *memory = dt_; }
  void load(const double* memory) override { dt_ = *memory; }

 private:
  Tolerances tolerances_;
  std::vector<double> x_, f0_, f1_;
  DormandPrince method_;
  double dt_ = 0.0;
};

class Rosenbrock4 : public Stepper {
 public:
  Rosenbrock4(const Chart& chart, Tolerances tolerances)
      : tolerances_(tolerances),
        x_(static_cast<std::size_t>(chart.size())),
        f0_(x_.size()),
        f1_(x_.size()),
        system_(x_.size()),
        method_(x_.size(), tolerances.absolute, tolerances.relative) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    system_.chart = &chart;
    if (!(dt_ > 0.0)) dt_ = first_step(chart, t, h, z, tolerances_, kPowerOfStiff, f0_, f1_, x_);
    return step_adaptively(
        chart, t, h, z, x_, dt_,
        [this](std::vector<double>& x, double& now, double& dt) {
          return method_.attempt(system_, x.data(), now, dt);
        },
        [this](std::vector<double>& x, double now, double dt) { method_.force(system_, x.data(), now, dt); });
  }
  double pace() const override { return dt_ > 0.0 ? dt_ : kFirstPace; }
  void reset() override {
    dt_ = 0.0;
    method_.forget();
  }
  std::size_t memory() const override { return 3; }
  void save(double* memory) const override {
    memory[0] = dt_;
    std::copy_n(method_.pace().begin(), 2, memory + 1);
  }
  void load(const double* memory) override {
    dt_ = memory[0];
    method_.set_pace({memory[1], memory[2]});
  }

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

  Tolerances tolerances_;
  std::vector<double> x_, f0_, f1_;
  System system_;
  Rosenbrock method_;
  double dt_ = 0.0;
};

}  // namespace

std::unique_ptr<Stepper> make_adaptive(const Chart& chart, Tolerances tolerances) {
  return std::make_unique<Adaptive>(chart, tolerances);
}
std::unique_ptr<Stepper> make_stiff(const Chart& chart, Tolerances tolerances) {
  return std::make_unique<Rosenbrock4>(chart, tolerances);
}

}  // namespace tactus::simulate
