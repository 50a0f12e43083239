// Any integrator, its steps cut where the forces of a script jump or bend (break_times.h): each piece sees the forces of
// one side only, and the order stays.
#pragma once

#include <memory>

#include <tactus/simulate/integrators/wrapped_stepper.h>

namespace tactus::simulate {

class CutStepper final : public WrappedStepper {
 public:
  explicit CutStepper(std::unique_ptr<Stepper> stepper) : WrappedStepper(std::move(stepper)) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override;
};

}  // namespace tactus::simulate
