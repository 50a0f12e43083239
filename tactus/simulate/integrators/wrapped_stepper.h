// An integrator around another, which keeps all that is remembered.
#pragma once

#include <memory>
#include <utility>

#include <tactus/simulate/integrators/stepper.h>

namespace tactus::simulate {

class WrappedStepper : public Stepper {
 public:
  double pace() const override { return stepper_->pace(); }
  EnergyBooks books() const override { return stepper_->books(); }
  void reset() override { stepper_->reset(); }
  std::size_t memory() const override { return stepper_->memory(); }
  void save(double* memory) const override { stepper_->save(memory); }
  void load(const double* memory) override { stepper_->load(memory); }

 protected:
  explicit WrappedStepper(std::unique_ptr<Stepper> stepper) : stepper_(std::move(stepper)) {}

  std::unique_ptr<Stepper> stepper_;
};

}  // namespace tactus::simulate
