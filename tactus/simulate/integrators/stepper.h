// The integrators behind one interface: each moves z (chart.h) from t to t + h.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string_view>

#include <tactus/simulate/choices.h>
#include <tactus/simulate/motion/chart.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

/// What went in from outside and what was burnt since the start [J], where an integrator can tell.
struct EnergyBooks {
  double work = std::numeric_limits<double>::quiet_NaN(), loss = std::numeric_limits<double>::quiet_NaN();
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Moves z, which starts settled (theta = 0), from t to t + h; Chart::settle() follows. On trouble z is worthless.
  virtual Status step(Chart& chart, double t, double h, std::span<double> z) = 0;
  /// [s] The length of the next step that it will take by itself; infinite where it takes what it is given.
  virtual double pace() const { return std::numeric_limits<double>::infinity(); }
  /// Forgets what was learnt from earlier steps.
  virtual void reset() {}
  /// What was learnt, for a snapshot: as many numbers, written and read back.
  virtual std::size_t memory() const { return 0; }
  virtual void save(double* /*memory*/) const {}
  virtual void load(const double* /*memory*/) {}
  virtual EnergyBooks books() const { return {}; }
  /// [nv] Speeds that the next step may end with: where an implicit one begins to look.
  virtual void expect(const double* /*u*/) {}
  /// [nv] By how much the speeds at the end of the last step change with a force [nv], conjugate to the speeds, that is held through it. False where that is not
  /// known: the passive integrator knows it, of a step that it made in one.
  virtual bool respond(Chart& /*chart*/, const double* /*force*/, double* /*change*/) { return false; }
};

// Those of one step without choice of their own pay no attention to the tolerances.
std::unique_ptr<Stepper> make_euler(const Chart& chart, Tolerances);
std::unique_ptr<Stepper> make_rk4(const Chart& chart, Tolerances);
std::unique_ptr<Stepper> make_implicit(const Chart& chart, Tolerances);
std::unique_ptr<Stepper> make_adaptive(const Chart& chart, Tolerances tolerances);
std::unique_ptr<Stepper> make_stiff(const Chart& chart, Tolerances tolerances);
/// Its kernels must be there (CompileOptions::passive).
std::unique_ptr<Stepper> make_passive(const Chart& chart, Tolerances);
/// With dry friction at joints (Dynamics::dry_friction) its steps are cut where one comes to rest or breaks away.
/// Where the forces' break times are known (Dynamics::breaks), each of its steps is cut there.
std::unique_ptr<Stepper> make_stepper(Integrator integrator, const Chart& chart, Tolerances tolerances);

}  // namespace tactus::simulate
