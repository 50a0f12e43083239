// The integrators behind one interface: each moves z (chart.h) from t to t + h.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <tactus/simulate/motion/chart.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

enum class Integrator {
  euler,     // semi-implicit Euler: order 1, one evaluation per step
  rk4,       // Runge-Kutta: order 4, four evaluations per step
  implicit,  // SDIRK: order 3, L-stable, for stiff systems
  adaptive,  // Runge-Kutta-Fehlberg 7(8) with error control: the reference for smooth systems
  stiff,     // Rosenbrock 4(3) with error control: the reference for stiff systems
};
std::string_view name_of(Integrator integrator);
std::optional<Integrator> integrator_of(std::string_view name);
/// Whether the integrator chooses its own steps within Options::step.
bool is_adaptive(Integrator integrator);

/// Tolerances of the adaptive integrators, per entry of z.
struct Tolerances {
  double absolute = 1e-10;
  double relative = 1e-10;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Moves z, which starts settled (theta = 0), from t to t + h. On trouble z is worthless.
  virtual Status step(Chart& chart, double t, double h, std::span<double> z) = 0;
  /// Forgets what was learnt from earlier steps.
  virtual void reset() {}
  /// What was learnt, for a snapshot: as many numbers, written and read back.
  virtual std::size_t memory() const { return 0; }
  virtual void save(double* /*memory*/) const {}
  virtual void load(const double* /*memory*/) {}
};

std::unique_ptr<Stepper> make_euler(const Chart& chart);
std::unique_ptr<Stepper> make_rk4(const Chart& chart);
std::unique_ptr<Stepper> make_implicit(const Chart& chart);
std::unique_ptr<Stepper> make_adaptive(const Chart& chart, Tolerances tolerances);
std::unique_ptr<Stepper> make_stiff(const Chart& chart, Tolerances tolerances);
std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Chart& chart, Tolerances tolerances);

}  // namespace tactus::simulate
