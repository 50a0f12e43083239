#include <tactus/simulate/motion/smooth_mechanism.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/check/euler.h>
#include <tactus/describe/model/joint_traits.h>
#include <tactus/simulate/motion/ended_table.h>
#include <tactus/simulate/motion/kernel_print.h>
#include <tactus/simulate/motion/step_error.h>
#include <tactus/simulate/motion/vanishing_inertia.h>

namespace tactus::simulate {

namespace {

struct SmoothSnapshot final : Snapshot {
  Simulation::Memory memory;
  SmoothWatch watch;
};

/// Integrators that keep the energy of motions that their steps fit: not those of first order, nor those that damp what is stiff.
bool keeps_energy(Integrator integrator) {
  return integrator == Integrator::rk4 || integrator == Integrator::implicit ||
         integrator == Integrator::adaptive;
}

/// The energy of a method of first order goes up and down by so much of the largest kinetic energy where its steps are nearly as long as they may be.
constexpr double kAllowedOfEuler = 2.0;

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
      simulation_(made_->dynamics, std::move(options)),
      from_(1 + nq()),
      to_(1 + nq()) {
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
  using Law = SmoothWatch::Law;
  if (!has_sources(made_->model, made_->equations, made_->dynamics))
    watch_.law =
        keeps_energy(own.integrator) && !has_other_forces(made_->model, made_->equations, made_->dynamics)
            ? Law::keeps
            : Law::burns;
  if (own.integrator == Integrator::euler) watch_.allowed = kAllowedOfEuler;
  if (watch_.law != Law::none) simulation_.save(before_);  // makes room
}

/// [W] at ports and joints, under the loads that are held.
double SmoothMechanism::power_from_outside(const TickInput& input) noexcept {
  double power = simulation_.power_at_ports();
  for (std::size_t i = 0; i < input.tau.size(); ++i) power += input.tau[i] * state().u[i];
  return power;
}

// Forces that are held do F^T (way) of work, whatever the speeds were in between. The powers at both ends tell
// something else where dry friction stops a joint within the tick: p at the start and none at the end are p h/2,
// of which p t/2 is true where it took the time t < h. The way of a port that turns is a rotation vector, which
// says nothing of whole turns: those go by the powers.
double SmoothMechanism::work_from_outside(const TickInput& input, double by_powers) noexcept {
  constexpr double kTurned = 1.0;  // [rad] by all joints together: no port then turns by pi
  const State &from = before_.state, &to = state();
  double turned = 0.0;
  for (std::size_t i = 0; i < to.q.size(); ++i) turned += std::abs(to.q[i] - from.q[i]);
  if (!(turned < kTurned)) return by_powers;
  from_[0] = from.t, to_[0] = to.t;
  std::copy(from.q.begin(), from.q.end(), from_.begin() + 1);
  std::copy(to.q.begin(), to.q.end(), to_.begin() + 1);
  double work = port_loads_.work(from_.data(), to_.data());
  if (input.tau.empty()) return work;
  std::size_t q = 0, k = 0;
  for (const describe::Joint& joint : model().joints) {
    const auto speeds = static_cast<std::size_t>(describe::speed_count(joint.type));
    for (std::size_t i = 0; i < speeds; ++i)
      work += input.tau[k + i] * (describe::has_quaternion(joint.type)
                                      ? 0.5 * step_length() * (from.u[k + i] + to.u[k + i])
                                      : to.q[q + i] - from.q[q + i]);
    q += static_cast<std::size_t>(describe::coordinate_count(joint.type));
    k += speeds;
  }
  return work;
}

Status SmoothMechanism::advance_under_loads(const TickInput& input) noexcept {
  const bool known =
      input.wrench.empty() &&
      (input.tau.empty() || model().speeds.definition == describe::Speeds::Definition::joint_rates);
  if (!watch_.is_due_under_loads() || !known || !simulation_.hold({input.tau, input.wrench}))
    return simulation_.step({input.tau, input.wrench});
  simulation_.save(before_);
  const Energies first = energies();
  const double power = power_from_outside(input);
  const Status status = simulation_.step({input.tau, input.wrench});
  if (!status.ok()) return status;
  const Energies now = energies();
  const double work = work_from_outside(input, 0.5 * step_length() * (power + power_from_outside(input)));
  if (watch_.look_at_tick(first.kinetic + first.potential, now.kinetic, now.potential, work)) return status;
  simulation_.load(before_);
  return Status::energy_unexplained;
}

Status SmoothMechanism::advance(const TickInput& input) noexcept {
  if (!input.tau.empty() || !input.wrench.empty() || port_loads_.acts()) return advance_under_loads(input);
  if (!watch_.is_due()) return simulation_.step({});
  if (!watch_.known) {  // where the motion begins
    const Energies now = energies();
    watch_.look(now.kinetic, now.potential);
  }
  simulation_.save(before_);
  const Status status = simulation_.step({});
  if (!status.ok()) return status;
  const Energies now = energies();
  if (watch_.look(now.kinetic, now.potential)) return status;
  simulation_.load(before_);
  return Status::energy_unexplained;
}

std::string SmoothMechanism::explain(Status status) {
  constexpr double kNear = 0.05;  // [rad]
  if (const std::string singular = describe::singular_orientation(model(), state().q, kNear);
      !singular.empty() && !status.ok())
    return fmt::format(
        "at t = {:.9g} s {}: take another `order`, or a joint with a quaternion (free, spherical)", state().t,
        singular);
  if (const std::string ended =
          status.ok() ? std::string() : ended_table(model(), state().t + step_length(), state().q, state().u);
      !ended.empty())
    return fmt::format("at t = {:.9g} s {}", state().t, ended);
  constexpr std::uint32_t kByInertia =
      Status::energy_unexplained | Status::not_finite | Status::diverged | Status::not_converged;
  if (const std::string vanishing = (status.bits() & kByInertia) != 0
                                        ? vanishing_inertia(model(), state().t, state().q)
                                        : std::string();
      !vanishing.empty())
    return fmt::format("at t = {:.9g} s {}", state().t, vanishing);
  if (!status.has(Status::energy_unexplained)) return simulation_.explain(status);
  return fmt::format(
      "at t = {:.9g} s energy {}, more than {:g} of what is in play ({:.3g} J) within {} steps, "
      "though nothing {}: take a smaller step",
      state().t, watch_.law == SmoothWatch::Law::keeps ? "came or went" : "came", watch_.allowed,
      watch_.largest, SmoothWatch::kEvery,
      watch_.law == SmoothWatch::Law::keeps ? "gives or takes any" : "gives any");
}

bool SmoothMechanism::switch_constraint(int constraint, bool on) noexcept {
  watch_.forget();
  return simulation_.request_active(constraint, on).ok();
}

std::span<const double> SmoothMechanism::efforts() noexcept { return simulation_.efforts(); }
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
  books.imbalance = watch_.drift;
  books.worst_imbalance = watch_.worst;
  books.in_play = watch_.largest;
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
  own->watch = watch_;
  return true;
}

bool SmoothMechanism::restore(const Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const SmoothSnapshot*>(&snapshot);
  if (own == nullptr || !simulation_.load(own->memory)) return false;
  watch_ = own->watch;
  return true;
}

}  // namespace tactus::simulate
