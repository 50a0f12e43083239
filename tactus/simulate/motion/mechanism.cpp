#include <tactus/simulate/motion/mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

[[noreturn]] void unknown(std::string_view what, std::string_view name,
                          const std::vector<std::string>& known) {
  throw InputError(
      {}, fmt::format("the mechanism has no {} named '{}'", what, name),
      known.empty() ? fmt::format("it has no {} at all", what) : suggestion(std::string(name), known));
}

bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::string_view name_of(EngineKind kind) {
  switch (kind) {
    case EngineKind::smooth:
      return "smooth";
    case EngineKind::events:
      return "events";
    case EngineKind::stepping:
      return "stepping";
  }
  return {};
}

Mechanism::Mechanism(const describe::Model& model, const MechanismKernels& kernels, double step_length)
    : port_loads_(kernels.ports),
      model_(model),
      kernels_(kernels),
      step_length_(step_length),
      coordinate_names_(model.coordinate_names()),
      speed_names_(model.speed_names()),
      effort_names_(describe::effort_names(model)),
      udot_(nv()),
      udot_pushed_(nv()),
      energy_in_(kernels.energy.input_size()),
      energy_out_(kernels.energy.output_size()),
      energy_work_(kernels.energy.work_size()) {}

void Mechanism::describe_constraints(const derive::Equations& equations, std::size_t own) {
  for (std::size_t c = 0; c < own; ++c)
    constraints_.push_back({equations.model().constraints[c].name, {}, {}, {}});
  const std::vector<derive::ConstraintRow>& rows = equations.constraint_rows();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (static_cast<std::size_t>(rows[k].constraint) >= own) continue;
    ConstraintOutline& constraint = constraints_[static_cast<std::size_t>(rows[k].constraint)];
    constraint.rows.push_back(k);
    if (rows[k].holonomic) constraint.position_rows.push_back(k);
    constraint.labels.push_back(rows[k].label);
  }
}

int Mechanism::port(std::string_view name) const {
  const int found = find_port(ports(), name);
  if (found >= 0) return found;
  std::vector<std::string> known;
  for (const Port& port : ports()) known.push_back(port.name);
  if (model_.frame_index(name) >= 0)
    throw InputError({}, fmt::format("the frame '{}' is no port of this mechanism", name),
                     "mark it `grasp: true`, or ask for it when the mechanism is opened");
  unknown("port", name, known);
}

int Mechanism::constraint(std::string_view name) const {
  std::vector<std::string> known;
  for (const ConstraintOutline& constraint : constraints_) {
    if (constraint.name == name) return static_cast<int>(known.size());
    known.push_back(constraint.name);
  }
  unknown("constraint", name, known);
}

std::span<const std::string> Mechanism::adjustable() const noexcept {
  if (kernels_.cells == nullptr) return {};
  return kernels_.cells->names();
}

int Mechanism::parameter(std::string_view name) const {
  const std::span<const std::string> names = adjustable();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  for (const describe::Parameter& parameter : model_.parameters)
    if (parameter.name == name)
      throw InputError({}, fmt::format("the parameter '{}' of this mechanism is fixed", name),
                       "ask for it as adjustable when the mechanism is opened");
  unknown("adjustable parameter", name, {names.begin(), names.end()});
}

double Mechanism::parameter_value(int parameter) const noexcept {
  if (parameter < 0 || static_cast<std::size_t>(parameter) >= adjustable().size())
    return std::numeric_limits<double>::quiet_NaN();
  return kernels_.cells->values()[parameter];
}

bool Mechanism::set_parameter(int parameter, double value) noexcept {
  const double now = parameter_value(parameter);
  if (std::isnan(now) || !std::isfinite(value)) return false;
  if (value == now) return true;
  kernels_.cells->set(static_cast<std::size_t>(parameter), value);
  const bool fits = adjust();
  if (!fits) kernels_.cells->set(static_cast<std::size_t>(parameter), now);
  moved();
  return fits;
}

void Mechanism::set_state(State state) {
  port_loads_.release();
  request_count_ = 0;
  restart(std::move(state));
  if (before_ == nullptr) before_ = empty_snapshot();
  moved();
}

std::unique_ptr<Snapshot> Mechanism::make_snapshot() const {
  std::unique_ptr<Snapshot> snapshot = empty_snapshot();
  snapshot->parameters_.resize(adjustable().size());
  keep(*snapshot);
  return snapshot;
}

bool Mechanism::keep(Snapshot& snapshot) const noexcept {
  if (!store(snapshot) || snapshot.parameters_.size() != adjustable().size()) return false;
  if (kernels_.cells != nullptr)
    std::copy_n(kernels_.cells->values(), kernels_.cells->size(), snapshot.parameters_.begin());
  return true;
}

bool Mechanism::bring_back(const Snapshot& snapshot) noexcept {
  if (snapshot.parameters_.size() != adjustable().size() || !restore(snapshot)) return false;
  for (std::size_t i = 0; i < snapshot.parameters_.size(); ++i)
    kernels_.cells->set(i, snapshot.parameters_[i]);
  return true;
}

bool Mechanism::fits(const TickInput& input) const noexcept {
  return (input.tau.empty() || input.tau.size() == nv()) && all_finite(input.tau) && all_finite(input.wrench);
}

bool Mechanism::hold(const TickInput& input) noexcept {
  return fits(input) && port_loads_.hold(input.ports) && hold_loads(input);
}

bool Mechanism::set_active(int constraint, bool on) noexcept {
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= constraints_.size()) return false;
  const bool done = switch_constraint(constraint, on);
  moved();
  return done;
}

// Forces from outside, requests, and the engine's tick: whatever goes wrong, the motion is where it was.
Tick Mechanism::step(const TickInput& input) noexcept {
  Tick tick;
  if (!fits(input) || !port_loads_.hold(input.ports)) {
    tick.status = Status::bad_input;
    return tick;
  }
  const bool requested = request_count_ > 0;
  if (requested && before_ != nullptr) store(*before_);
  for (std::size_t i = 0; i < request_count_; ++i)
    if (!switch_constraint(requests_[i].constraint, requests_[i].on)) tick.status |= Status::request_refused;
  request_count_ = 0;
  tick.status |= advance(input);
  if (!tick.status.ok() && requested && before_ != nullptr) restore(*before_);
  tick.events = static_cast<int>(events().size());
  moved();
  return tick;
}

Ports& Mechanism::placed_ports() noexcept {
  if (!placed_) {
    const State& s = state();
    port_loads_.move(s.t, s.q.data(), s.u.data());
    placed_ = true;
  }
  return port_loads_;
}

const PortMotion& Mechanism::motion(int port) noexcept { return placed_ports().motion(port); }

std::array<double, 6> Mechanism::acceleration(int port) noexcept {
  accelerate_now(udot_.data());
  return placed_ports().acceleration(port, udot_.data());
}

// Accelerations are linear in the forces while the set of constraints and contacts stays: one wrench after the
// other is added to what acts. Dry friction at joints stays what it is: it takes a force, and has no inertia.
void Mechanism::mobility(int port, std::array<double, 36>& result) noexcept {
  accelerate_now(udot_.data());
  port_loads_.set_probing(true);
  for (std::size_t column = 0; column < 6; ++column) {
    PortWrench push{port, {}};
    push.wrench[column] = 1.0;
    const std::size_t held = port_loads_.push(push);
    accelerate_now(udot_pushed_.data());
    port_loads_.restore(held);
    for (std::size_t i = 0; i < udot_.size(); ++i) udot_pushed_[i] -= udot_[i];
    const std::span<const double> J = jacobian(port);
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t i = 0; i < udot_.size(); ++i) sum += J[row * udot_.size() + i] * udot_pushed_[i];
      result[6 * row + column] = sum;
    }
  }
  port_loads_.set_probing(false);
}

double Mechanism::apparent_mass(int port, const math::Vec3<double>& d) noexcept {
  std::array<double, 36> A;
  mobility(port, A);
  double answer = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) answer += d[i] * A[6 * (i + 3) + j + 3] * d[j];
  return answer > 0.0 ? 1.0 / answer : std::numeric_limits<double>::infinity();
}

Energies Mechanism::energies() noexcept {
  const State& s = state();
  energy_in_[0] = s.t;
  std::copy(s.q.begin(), s.q.end(), energy_in_.begin() + 1);
  std::copy(s.u.begin(), s.u.end(), energy_in_.begin() + 1 + static_cast<std::ptrdiff_t>(s.q.size()));
  kernels_.energy(energy_in_.data(), energy_out_.data(), energy_work_.data());
  return {energy_out_[0], energy_out_[1]};
}

bool Mechanism::request(int constraint, bool on) noexcept {
  if (constraint < 0 || static_cast<std::size_t>(constraint) >= constraints_.size()) return false;
  if (request_count_ == requests_.size()) return false;
  requests_[request_count_++] = {constraint, on};
  return true;
}

bool Mechanism::save(Snapshot& snapshot) const noexcept { return keep(snapshot); }

bool Mechanism::load(const Snapshot& snapshot) noexcept {
  if (!bring_back(snapshot)) return false;
  port_loads_.release();
  request_count_ = 0;
  moved();
  return true;
}

}  // namespace tactus::simulate
