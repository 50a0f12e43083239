// Any integrator, with dry friction at joints (motion/dry_friction.h): its steps are cut where a joint comes to rest or
// breaks away. Between two cuts each joint slides one way or sticks, and the equations are smooth:
//
//   modes at the beginning: by the rates, and of joints at rest by the law
//   a piece of motion with these modes
//   did a rate pass zero, or a force its bound?  ->  go back to the first such instant, take the modes anew
//
// Integrators that choose their own steps do so by what moves. Of a joint that rests they see nothing: they are asked to look every millisecond, and in
// between where a rate or a force may have passed its bound and come back.
//
// All that it knows it finds in the state: a joint at rest is one whose rate is zero. Nothing is allocated in a step.
#pragma once

#include <memory>
#include <vector>

#include <tactus/simulate/integrators/wrapped_stepper.h>

namespace tactus::simulate {

class FrictionStepper final : public WrappedStepper {
 public:
  FrictionStepper(std::unique_ptr<Stepper> stepper, const Chart& chart);

  Status step(Chart& chart, double t, double h, std::span<double> z) override;

 private:
  void begin_piece(Chart& chart, double t, std::span<double> z);
  Status go(Chart& chart, double length, std::span<double> z);
  double violation(Chart& chart, double t, std::span<double> z, int& who);
  Status locate(Chart& chart, double length, double after, int who, std::span<double> z, double& found);
  double doubt(double length) const;

  // Where the piece began:
  double start_ = 0.0;
  double excess_ = 0.0;  // where violation() was last asked for
  std::vector<double> z_start_, centre_, memory_;
  ConstraintSolver::Memory constraints_;
  std::vector<signed char> modes_;
  std::vector<double> rates_, z_rate_, forces_;
  // Rates and the excess of forces where this piece and the one before it began:
  double before_ = 0.0, start_excess_ = 0.0, before_excess_ = 0.0;
  std::vector<double> start_rates_, before_rates_;
  std::vector<signed char> before_modes_;
};

}  // namespace tactus::simulate
