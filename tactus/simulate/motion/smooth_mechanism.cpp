#include <tactus/simulate/motion/smooth_mechanism.h>

#include <algorithm>

#include <tactus/simulate/motion/kernel_print.h>
#include <tactus/simulate/motion/step_error.h>

namespace tactus::simulate {

namespace {

struct SmoothSnapshot final : Snapshot {
  Simulation::Memory memory;
};

}  // namespace

SmoothModel::SmoothModel(const describe::Model& given, derive::Options options,
                         const std::vector<int>& port_frames, std::shared_ptr<algebra::Cells> adjustable)
    : model(given),
      equations(model,
                [&] {
                  options.push_passive = true;  // by what pulls at ports
                  options.cells = adjustable;
                  return std::move(options);
                }()),
      kernels(equations, port_frames, std::move(adjustable)) {}

void SmoothModel::compile_with(const std::optional<algebra::Function>& loads, CompileOptions options) {
  dynamics = compile(equations, loads, generate::Backend::automatic, options);
}

SmoothMechanism::SmoothMechanism(std::shared_ptr<const SmoothModel> made, Options options)
    : Mechanism(made->model, made->kernels, options.step),
      made_(std::move(made)),
      simulation_(made_->dynamics, std::move(options)) {
  describe_constraints(made_->equations, made_->model.constraints.size());
  simulation_.attach(&port_loads_);
  Fingerprint print;
  add_kernel(print, made_->dynamics.forward_dynamics);
  if (made_->dynamics.constraints) add_kernel(print, made_->dynamics.constraints->terms);
  const Options& own = simulation_.options();
  print.add(static_cast<std::uint64_t>(own.integrator));
  print.add(static_cast<std::uint64_t>(own.constraints.formulation));
  print.add(static_cast<std::uint64_t>(own.constraints.holding));
  set_snapshot_kind(print.value());
}

Status SmoothMechanism::advance(const TickInput& input) noexcept {
  return simulation_.step({input.tau, input.wrench});
}

bool SmoothMechanism::switch_constraint(int constraint, bool on) noexcept {
  return simulation_.request_active(constraint, on).ok();
}

std::span<const double> SmoothMechanism::efforts() noexcept { return simulation_.rates().tau; }
std::span<const double> SmoothMechanism::accelerations() noexcept { return simulation_.rates().udot; }

void SmoothMechanism::accelerate_now(double* udot) noexcept {
  const std::span<const double> now = simulation_.rates().udot;
  std::copy(now.begin(), now.end(), udot);
}

ConstraintReport SmoothMechanism::constraint_report(bool multipliers) noexcept {
  const Simulation::ConstraintState state = simulation_.constraint_state(multipliers);
  return {state.position_error, state.velocity_error, state.lambda, state.force};
}

Statistics SmoothMechanism::statistics() const {
  Statistics statistics;
  statistics.handed_over = simulation_.handed_over();
  const StepError& error = simulation_.step_error();
  statistics.steps_looked_at = error.looked();
  statistics.coordinate_error = error.coordinates();
  statistics.speed_error = error.relative();
  statistics.advised_step = error.advised(simulation_.options().step);
  return statistics;
}

Books SmoothMechanism::books() const noexcept {
  Books books;
  const EnergyBooks own = simulation_.energy_books();
  if (own.loss == own.loss) books.friction_loss = own.loss;  // only the passive integrator tells
  return books;
}

std::unique_ptr<Snapshot> SmoothMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<SmoothSnapshot>();
  simulation_.save(snapshot->memory);  // room for all that comes
  return snapshot;
}

bool SmoothMechanism::store(Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<SmoothSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  simulation_.save(own->memory);
  return true;
}

bool SmoothMechanism::restore(const Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const SmoothSnapshot*>(&snapshot);
  return own != nullptr && simulation_.load(own->memory);
}

}  // namespace tactus::simulate
