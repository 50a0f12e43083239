// A mechanism in motion:
//
//   const Dynamics dynamics = simulate::compile(equations);
//   Simulation arm{dynamics, {.step = 1e-3}};
//   arm.set_state({.t = 0, .q = q, .u = u});
//   while (arm.state().t < 1.0)
//     if (const Status status = arm.step(); !status.ok()) throw std::runtime_error(arm.explain(status));
//
// The same input gives the same bits, every time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/simulate/integrators/stepper.h>
#include <tactus/simulate/motion/chart.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/state.h>
#include <tactus/simulate/motion/switching.h>

namespace tactus::simulate {

class StepError;  // step_error.h

struct Options {
  double step = 1e-3;  // [s] also of adaptive integrators: each step() ends exactly there
  Integrator integrator = Integrator::rk4;
  Tolerances tolerances{};   // of the adaptive integrators
  double speed_limit = 1e9;  // [rad/s or m/s] a speed beyond it means divergence
  ConstraintOptions constraints{};
  /// [m or rad] A constraint held no better than this after a step is lost: no configuration that the
  /// constraints allow was found. Where there is one it is met to rounding, next to a singular one to 1e-10.
  double constraint_limit = 1e-8;
  double latch_limit = kLatchLimit;  // [m or rad] a constraint that is switched on may be off by this
  /// Every so many steps one is taken again in two halves, for step_error(). 0: never; such a step takes four times as long.
  int look_every = 0;
};

/// Forces held constant over a step, added to those of the script. Empty means none.
struct Input {
  std::span<const double> tau{};     // [nv], conjugate to the joint rates
  std::span<const double> wrench{};  // [6 per wrench of the equations]: torque, force
};

class Simulation {
 public:
  /// The dynamics must outlive the simulation.
  Simulation(const Dynamics& dynamics, Options options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  const Dynamics& dynamics() const { return chart_->dynamics(); }
  const Options& options() const { return options_; }
  /// [s] Steps of another length from now on.
  void set_step(double step) { options_.step = step; }
  const State& state() const { return state_; }

  /// Starts anew from there, with the constraints that the model has on at the start. Quaternions are made unit ones, and the momentum is computed. Constraints that
  /// the state misses by little (digits of a file) are met by the smallest change. Throws InputError where
  /// sizes do not fit, a value is not finite, or a constraint is missed by more: see assemble().
  void set_state(State state);

  /// One step of Options::step. No allocation and no exception with the fixed-step integrators. On trouble
  /// the state stays what it was before the step.
  Status step(const Input& input = {});

  /// Loads at ports, besides script and held input; nullptr: none. They must outlive the simulation.
  void attach(OutsideLoads* outside) { chart_->attach(outside); }

  /// Everything that the next steps depend on.
  struct Memory {
    State state;
    double start = 0.0;
    std::uint64_t steps = 0;
    std::vector<double> stepper;
    ConstraintSolver::Memory constraints;
    std::vector<double> held_tau, held_wrench;
  };
  /// Once the memory was filled, saving into it again takes no memory.
  void save(Memory& memory) const;
  /// Goes on from there; false where it is of another mechanism.
  bool load(const Memory& memory) noexcept;

  /// Holds forces, as step() does with its own: what rates() and constraint_state() see until the next step.
  /// False where the sizes do not fit: nothing changes, and step() answers Status::bad_input.
  bool hold(const Input& input);

  /// The forces at the current state, script and held input together, and the accelerations they cause.
  struct Rates {
    std::span<const double> tau, wrench, udot, qdot;
  };
  Rates rates();
  /// Rates::tau alone.
  std::span<const double> efforts();
  /// [W] of the loads attached, at the state.
  double power_at_ports();

  /// What the constraints do at the current state; all rows of the model. Empty spans where there are none.
  struct ConstraintState {
    std::span<const double> position_error, velocity_error;  // [m or rad], [m/s or rad/s]
    std::span<const double> lambda;                          // multipliers, 0 for rows that are not active
    std::span<const double> force;        // [nv] A^T lambda: the constraints' force on the speeds
    std::size_t rank = 0, redundant = 0;  // independent and redundant active rows
    Formulation formulation = Formulation::automatic;  // that gave the multipliers
  };
  ConstraintState constraint_state(bool multipliers = true);
  /// Accelerations since set_state() that the straight-line code handed over to the rank-revealing
  /// formulation.
  long handed_over() const;
  /// NaN unless the integrator keeps them.
  EnergyBooks energy_books() const { return stepper_->books(); }
  /// [nv] Speeds that the next step may end with, for integrators that have to look for them.
  void expect(const double* u) { stepper_->expect(u); }
  /// [nv] By how much a force [nv], conjugate to the speeds, that is held through the last step changes the speeds at its end; false where the integrator does not know it.
  bool respond(const double* force, double* change) { return stepper_->respond(*chart_, force, change); }

  /// How far the steps since set_state() may have led astray.
  const StepError& step_error() const { return *step_error_; }

  bool is_active(int constraint) const;
  /// Switches a constraint, in the loop: no exception, no allocation. What set_active() would refuse is
  /// answered, and nothing has changed then.
  Switching request_active(int constraint, bool active) noexcept;
  /// Of the last request, per row of the model.
  std::span<const double> impulse() const { return impulse_; }
  /// The same before the loop. Switches a constraint (index into Model::constraints) on or off. On: the velocity is caught by a plastic
  /// impulse, returned per row of the model; the position must fit. Throws InputError where it does not. In
  /// parametric coordinates only what psi leaves to be held can be switched.
  std::span<const double> set_active(int constraint, bool active);

  /// The equations have changed (adjustable parameters): forgets what was remembered of them and meets the constraints
  /// anew, in the loop. False where they cannot be met: the state is then what it was.
  bool adjust() noexcept;

  /// What went wrong, when, and in which joint.
  std::string explain(Status status);

 private:
  Status advance();
  void load_here();
  void look_at_step();
  bool try_steps(int count, State& end);
  Status check(std::span<const double> z);
  void meet_constraints();
  Switching can_switch(int constraint, bool active) noexcept;

  Options options_;
  std::unique_ptr<Chart> chart_;
  std::unique_ptr<Stepper> stepper_;
  std::vector<double> stepper_before_;  // what it had learnt where the step began
  std::unique_ptr<StepError> step_error_;
  State state_, before_adjusting_;
  std::vector<double> z_;
  std::vector<double> z_rate_;
  double start_ = 0.0;       // time at which the steps began to be counted
  std::uint64_t steps_ = 0;  // t = start + steps * step: no rounding piles up in the time
  int troubled_speed_ = -1;  // found by the last check
  ConstrainedMotion constrained_;
  ConstraintSolver::Memory memory_;
  std::vector<double> lambda_, impulse_;  // per row of the model
};

}  // namespace tactus::simulate
