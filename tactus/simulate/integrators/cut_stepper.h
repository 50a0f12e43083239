// Any integrator, its steps cut where the forces of a script jump or bend (break_times.h): each piece sees the forces of
// one side only, and the order stays.
#pragma once

#include <memory>

#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

class CutStepper final : public Stepper {
 public:
  explicit CutStepper(std::unique_ptr<Stepper> stepper) : stepper_(std::move(stepper)) {}

  Status step(Chart& chart, double t, double h, std::span<double> z) override;
  double pace() const override { return stepper_->pace(); }
  void reset() override { stepper_->reset(); }
  std::size_t memory() const override { return stepper_->memory(); }
  void save(double* memory) const override { stepper_->save(memory); }
  void load(const double* memory) override { stepper_->load(memory); }

 private:
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace tactus::simulate
