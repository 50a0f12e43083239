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
  void expect(const double* u) override { stepper_->expect(u); }
  bool respond(Chart& chart, const double* force, double* change) override {
    return whole_ && stepper_->respond(chart, force, change);
  }

 private:
  bool whole_ = false;  // the last step was not cut
};

}  // namespace tactus::simulate
