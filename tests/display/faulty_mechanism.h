// A mechanism that breaks at a step, and stays broken until it is healed.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <tactus/derive/equations.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::display {

enum class Breaks {
  nothing,
  fails,             // its steps are refused: it stands where it stood
  nan_place,         // steps are well, and what comes out is no number
  nan_speed,         //
  infinite_speed,    //
  nan_acceleration,  // asked for how it would move, it says what is no number: four channels, local models
  nan_mobility,      //
  infinite_mobility,
  jumps,   // its place is another, kilometres away
  leaps,   // half a metre or half a radian away, where a hand can go, but not in a tick
  driven,  // something pushes the faster the faster it is: energy from nowhere
  slow,    // a step takes two milliseconds
  hangs,   // a step does not come back until it is told to go on
};

/// Equations and kernels, which a mechanism is made of besides its engine.
struct MechanismParts {
  explicit MechanismParts(const describe::Model& model) : equations(model), kernels(equations, {}, nullptr) {}
  derive::Equations equations;
  simulate::MechanismKernels kernels;
};

class FaultyMechanism final : private MechanismParts, public simulate::Mechanism {
 public:
  explicit FaultyMechanism(std::unique_ptr<simulate::Mechanism> inner)
      : MechanismParts(inner->model()),
        Mechanism(inner->model(), kernels, inner->step_length()),
        inner_(std::move(inner)),
        state_(inner_->state()) {
    set_snapshot_kind(1);
  }

  /// In its `at`-th step from now on, and in all after it; what is asked for before that step, too.
  void inject(Breaks what, std::uint64_t at) {
    steps_ = 0;
    at_ = at;
    what_ = what;
  }
  /// [m], [rad] Of what leaps.
  void set_leap(double leap) { leap_ = leap; }
  /// Of what hangs in another thread.
  void go_on() { what_ = Breaks::nothing; }
  void heal() {
    what_ = Breaks::nothing;
    set_state(inner_->state());
  }

  simulate::EngineKind kind() const noexcept override { return inner_->kind(); }
  const simulate::State& state() const noexcept override { return state_; }
  std::span<const double> efforts() noexcept override { return inner_->efforts(); }
  std::span<const double> accelerations() noexcept override { return inner_->accelerations(); }
  simulate::ConstraintReport constraint_report(bool multipliers) noexcept override {
    return inner_->constraint_report(multipliers);
  }
  std::string explain(simulate::Status status) override { return inner_->explain(status); }

 private:
  static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(),
                          kInfinite = std::numeric_limits<double>::infinity();
  struct Kept final : simulate::Snapshot {
    std::unique_ptr<simulate::Snapshot> of_inner;
  };

  bool is_broken(Breaks what) const noexcept { return what_ == what && steps_ + 1 >= at_; }

  void restart(simulate::State state) override {
    inner_->set_state(std::move(state));
    what_ = Breaks::nothing;
    state_ = inner_->state();
  }
  simulate::Status advance(const simulate::TickInput& input) noexcept override {
    if (is_broken(Breaks::fails)) return simulate::Status::constraint_lost;
    if (is_broken(Breaks::slow)) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    while (is_broken(Breaks::hangs)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const simulate::Tick tick = is_broken(Breaks::driven) ? step_driven(input) : inner_->step(input);
    state_ = inner_->state();
    ++steps_;
    if (steps_ < at_) return tick.status;
    const Breaks what = what_;
    if (what == Breaks::nan_place) state_.q[0] = kNaN;
    if (what == Breaks::nan_speed) state_.u[0] = kNaN;
    if (what == Breaks::infinite_speed) state_.u[0] = kInfinite;
    if (what == Breaks::jumps) state_.q[0] += 2e3;
    if (what == Breaks::leaps) state_.q[0] += leap_;
    return tick.status;
  }
  /// By 400 N s/m, or N m s/rad.
  simulate::Tick step_driven(const simulate::TickInput& input) noexcept {
    std::array<simulate::PortWrench, 4> acting{};
    const std::size_t count = std::min(input.ports.size(), acting.size() - 1);
    std::copy_n(input.ports.begin(), count, acting.begin());
    simulate::PortWrench& more = acting[count];
    more.port = count > 0 ? acting[0].port : 0;
    more.wrench = inner_->motion(more.port).V_WP;
    for (double& f : more.wrench) f *= 400.0;
    return inner_->step({.tau = input.tau, .ports = {acting.data(), count + 1}, .wrench = input.wrench});
  }
  bool hold_loads(const simulate::TickInput& input) noexcept override { return inner_->hold(input); }
  bool switch_constraint(int constraint, bool on) noexcept override {
    return inner_->set_active(constraint, on);
  }
  bool is_on(int constraint) const noexcept override { return inner_->is_active(constraint); }
  std::unique_ptr<simulate::Snapshot> empty_snapshot() const override {
    auto kept = std::make_unique<Kept>();
    kept->of_inner = inner_->make_snapshot();
    return kept;
  }
  bool adjust() noexcept override { return true; }
  bool store(simulate::Snapshot& to) const noexcept override {
    return inner_->save(*static_cast<Kept&>(to).of_inner);
  }
  bool restore(const simulate::Snapshot& from) noexcept override {
    const bool done = inner_->load(*static_cast<const Kept&>(from).of_inner);
    state_ = inner_->state();
    return done;
  }
  void accelerate_now(double* udot) noexcept override {
    const std::span<const double> own = inner_->accelerations();
    std::copy(own.begin(), own.end(), udot);
    if (is_broken(Breaks::nan_acceleration)) udot[0] = kNaN;
  }
  void answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept override {
    inner_->mobility(port, result, axes);
    if (is_broken(Breaks::nan_mobility)) result.fill(kNaN);
    if (is_broken(Breaks::infinite_mobility))
      for (double& x : result) x = x != 0.0 ? kInfinite : 0.0;
  }

  std::unique_ptr<simulate::Mechanism> inner_;
  simulate::State state_;
  double leap_ = 0.5;
  std::atomic<Breaks> what_{Breaks::nothing};
  std::atomic<std::uint64_t> at_{0}, steps_{0};
};

}  // namespace tactus::display
