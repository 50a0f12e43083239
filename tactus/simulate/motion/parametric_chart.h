// The motion in parametric coordinates, as an ordinary differential equation for the same integrators:
//
//   y = [z - z0; zd],  q = psi(z, t)
//
// around z0, where the step began. z and zd are carried by the state. The constraints that psi satisfies need
// no holding; the speeds of the others, those of rolling, are held after each step by the smallest change of
// zd in the metric of T^T M T.
//
// The default road is straight-line code again (derive::Equations::parametric_dynamics). Where rows left
// depend on each other the rank-revealing solver takes over; where T^T M T is nearly singular, because
// dpsi/dz has lost its rank there, no road leads on: the slope is NaN and diagnosis() says why. At the edge
// of psi, where dpsi/dz is infinite (q = sqrt(1 - z^2) at z = 1), z(t) may turn smoothly and the mechanism
// would bounce back. Then its speeds have changed by more than their rates allow, which every settle()
// compares:
//
//   |u_i(t + h) - u_i(t)| <= h max |udot_i|
#pragma once

#include <vector>

#include <tactus/simulate/motion/chart.h>

namespace tactus::simulate {

class ParametricChart : public Chart {
 public:
  /// Throws InputError where the model gives no psi, or another way of holding is asked for.
  ParametricChart(const Dynamics& dynamics, const ConstraintOptions& constraints);

  int freedoms() const override { return static_cast<int>(nz_); }
  int size() const override { return 2 * static_cast<int>(nz_); }
  const std::string& speed_name(int i) const override {
    return dynamics_.parametric->names[static_cast<std::size_t>(i)];
  }
  void adopt(State& state) override;
  void begin(const State& state, std::span<double> y) override;
  void slope(double t, const double* y, double* y_rate) override;
  void chart_rate_at_centre(double t, const double* zd, double* z_rate) override;
  Status settle(double t, std::span<double> y) override;
  void end(double t, std::span<const double> y, State& state) override;
  Status diagnosis() const override { return trouble_; }
  std::size_t centre_size() const override { return z0_.size() + 1 + u0_.size(); }
  void save_centre(double* centre) const override;
  void load_centre(const double* centre) override;
  void rates_of_axes(double t, std::span<const double> y, std::vector<double>& rates) override;
  double* speeds_in(std::span<double>) override { return nullptr; }

 private:
  /// zdd into y_rate, and udot, under the loads of the workspace.
  void accelerate(double* zdd);
  bool inertia_is_healthy() const;
  bool rows_are_healthy() const;
  bool speeds_are_continuous(double t) const;
  void start_comparison(double t, const double* u);

  Parametrization& places_;
  std::size_t nz_, compliances_, distances_, pivots_;  // offsets into out_
  std::vector<double> z0_, in_, out_, work_;
  std::vector<double> row_sizes_;  // squared natural sizes of the rows of the straight-line code
  double t0_ = 0.0;
  std::vector<double> u0_, most_udot_;  // speeds at t0, and the largest of their rates seen since
  Status trouble_;
};

}  // namespace tactus::simulate
