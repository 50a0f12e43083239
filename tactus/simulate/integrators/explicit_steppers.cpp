#include <cstddef>
#include <vector>

#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

namespace {

// Semi-implicit Euler: the new speeds move the coordinates.
//
//   u1 = u0 + h udot(t0, q0, u0)        q1 = q0 (+) h W(q0) u1
//
// Order 1, but symplectic where M is constant: the energy of an oscillator stays bounded.
class SemiImplicitEuler : public Stepper {
 public:
  explicit SemiImplicitEuler(const Chart& chart) : k_(static_cast<std::size_t>(chart.size())) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    const auto nv = static_cast<std::size_t>(chart.freedoms());
    chart.slope(t, z.data(), k_.data());
    for (std::size_t i = nv; i < z.size(); ++i) z[i] += h * k_[i];
    chart.chart_rate_at_centre(t, z.data() + nv, k_.data());
    for (std::size_t i = 0; i < nv; ++i) z[i] = h * k_[i];
    return {};
  }

 private:
  std::vector<double> k_;
};

// The classical Runge-Kutta method, in the chart: with f from chart.h,
//
//   k1 = f(t, z)  k2 = f(t + h/2, z + h/2 k1)  k3 = f(t + h/2, z + h/2 k2)  k4 = f(t + h, z + h k3)
//   z1 = z + h/6 (k1 + 2 k2 + 2 k3 + k4)
//
// which for unit quaternions is the Runge-Kutta-Munthe-Kaas method of order 4 [MuntheKaas1999].
class RungeKutta4 : public Stepper {
 public:
  explicit RungeKutta4(const Chart& chart)
      : k_(static_cast<std::size_t>(chart.size())), sum_(k_.size()), place_(k_.size()) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override {
    if (chart.fly(h, z)) return {};
    chart.slope(t, z.data(), k_.data());
    accumulate(1.0, 0.5 * h, z);
    chart.slope(t + 0.5 * h, place_.data(), k_.data());
    accumulate(2.0, 0.5 * h, z);
    chart.slope(t + 0.5 * h, place_.data(), k_.data());
    accumulate(2.0, h, z);
    chart.slope(t + h, place_.data(), k_.data());
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += h / 6.0 * (sum_[i] + k_[i]);
    return {};
  }

 private:
  /// sum = sum + weight k (the first stage starts it), and the place of the next stage: z + reach k.
  void accumulate(double weight, double reach, std::span<const double> z) {
    const bool first = weight == 1.0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      sum_[i] = (first ? 0.0 : sum_[i]) + weight * k_[i];
      place_[i] = z[i] + reach * k_[i];
    }
  }

  std::vector<double> k_, sum_, place_;
};

}  // namespace

std::unique_ptr<Stepper> make_euler(const Chart& chart, Tolerances) {
  return std::make_unique<SemiImplicitEuler>(chart);
}
std::unique_ptr<Stepper> make_rk4(const Chart& chart, Tolerances) {
  return std::make_unique<RungeKutta4>(chart);
}

}  // namespace tactus::simulate
