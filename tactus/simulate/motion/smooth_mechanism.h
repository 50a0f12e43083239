// A mechanism in which nothing touches, stops or switches by itself: Simulation behind the interface.
#pragma once

#include <memory>
#include <vector>

#include <tactus/simulate/motion/mechanism.h>
#include <tactus/simulate/motion/simulation.h>
#include <tactus/simulate/motion/smooth_watch.h>

namespace tactus::simulate {

/// What a smooth mechanism is made of: constant, shared by any number of them.
struct SmoothModel {
  SmoothModel(const describe::Model& model, derive::Options options, const std::vector<int>& port_frames,
              std::shared_ptr<algebra::Cells> adjustable = nullptr);
  SmoothModel(const SmoothModel&) = delete;
  SmoothModel& operator=(const SmoothModel&) = delete;
  /// Forces known as functions of the motion, derived from `equations`.
  void compile_with(const std::optional<algebra::Function>& loads, CompileOptions options = {});

  describe::Model model;
  derive::Equations equations;
  Dynamics dynamics;
  MechanismKernels kernels;
};

class SmoothMechanism final : public Mechanism {
 public:
  SmoothMechanism(std::shared_ptr<const SmoothModel> made, Options options);

  Simulation& simulation() { return simulation_; }
  const Simulation& simulation() const { return simulation_; }

  EngineKind kind() const noexcept override { return EngineKind::smooth; }
  const State& state() const noexcept override { return simulation_.state(); }
  std::span<const double> efforts() noexcept override;
  std::span<const double> accelerations() noexcept override;
  ConstraintReport constraint_report(bool multipliers) noexcept override;
  Statistics statistics() const override;
  Books books() const noexcept override;
  std::string explain(Status status) override;

 protected:
  void restart(State state) override {
    simulation_.set_state(std::move(state));
    watch_ = {.law = watch_.law, .allowed = watch_.allowed};
  }
  Status advance(const TickInput& input) noexcept override;
  bool hold_loads(const TickInput& input) noexcept override {
    return simulation_.hold({input.tau, input.wrench});
  }
  bool switch_constraint(int constraint, bool on) noexcept override;
  bool is_on(int constraint) const noexcept override { return simulation_.is_active(constraint); }
  std::unique_ptr<Snapshot> empty_snapshot() const override;
  bool adjust() noexcept override {
    watch_.forget();
    return simulation_.adjust();
  }
  bool store(Snapshot& snapshot) const noexcept override;
  bool restore(const Snapshot& snapshot) noexcept override;
  void accelerate_now(double* udot) noexcept override;

 private:
  Status advance_under_loads(const TickInput& input) noexcept;
  double power_from_outside(const TickInput& input) noexcept;
  /// [J] since before_.
  double work_from_outside(const TickInput& input, double by_powers) noexcept;

  std::shared_ptr<const SmoothModel> made_;
  Simulation simulation_;
  SmoothWatch watch_;
  Simulation::Memory before_;      // a tick that is looked at
  std::vector<double> from_, to_;  // [1 + nq] t q at its ends
};

}  // namespace tactus::simulate
