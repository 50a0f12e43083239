#include <tactus/simulate/motion/mechanism.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>
#include <tactus/base/fingerprint.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/describe/check/inertia.h>
#include <tactus/math/cholesky.h>
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

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Numbers of a body in MechanismKernels::masses: m, then I row by row.
constexpr std::size_t kBodyMasses = 10;

/// M at a place, and the mass and central inertia of every body, as functions of the adjustable parameters.
algebra::Function masses_of(const derive::Equations& equations) {
  algebra::Function function = equations.mass_matrix();
  const algebra::Graph::Scope scope(*function.graph);
  const derive::Numbers numbers(equations.model(), equations.options());
  const std::vector<describe::Body>& bodies = equations.model().bodies;
  algebra::Block block{"bodies",
                       "mass, and inertia about the centre of mass [kg, kg m^2]",
                       static_cast<int>(bodies.size()) - 1,
                       static_cast<int>(kBodyMasses),
                       {}};
  for (std::size_t b = 1; b < bodies.size(); ++b) {
    block.entries.push_back(numbers(bodies[b].mass));
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) block.entries.push_back(numbers(bodies[b].inertia(i, j)));
  }
  function.outputs.push_back(std::move(block));
  return function;
}

}  // namespace

MechanismKernels::MechanismKernels(const derive::Equations& equations, const std::vector<int>& port_frames,
                                   std::shared_ptr<algebra::Cells> adjustable)
    : cells(std::move(adjustable)),
      ports(equations, port_frames),
      energy(generate::compile(equations.energy())) {
  if (!equations.model().definitions.empty()) definitions = generate::compile(equations.definitions());
  if (cells != nullptr) masses = generate::compile(masses_of(equations));
}

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
      energy_work_(kernels.energy.work_size()) {
  if (kernels.definitions) {
    definition_in_.resize(kernels.definitions->input_size());
    definition_out_.resize(kernels.definitions->output_size());
    definition_work_.resize(kernels.definitions->work_size());
  }
  if (!kernels.masses) return;
  mass_in_.resize(kernels.masses->input_size());
  mass_out_.resize(kernels.masses->output_size());
  mass_work_.resize(kernels.masses->work_size());
}

void Mechanism::set_snapshot_kind(std::uint64_t fingerprint) noexcept {
  Fingerprint print;
  print.add(fingerprint).add(static_cast<std::uint64_t>(kind())).add(step_length_);
  print.add(static_cast<std::uint64_t>(nq())).add(static_cast<std::uint64_t>(nv()));
  for (const std::string& name : adjustable()) print.add(std::string_view(name));
  snapshot_kind_ = print.value();
}

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
  if (parameter < 0 || static_cast<std::size_t>(parameter) >= adjustable().size()) return kNaN;
  return kernels_.cells->values()[parameter];
}

bool Mechanism::set_parameter(int parameter, double value) noexcept {
  const double now = parameter_value(parameter);
  if (std::isnan(now) || !std::isfinite(value)) return false;
  if (value == now) return true;
  kernels_.cells->set(static_cast<std::size_t>(parameter), value);
  const bool fits = masses_are_possible() && adjust();
  if (!fits) kernels_.cells->set(static_cast<std::size_t>(parameter), now);
  moved();
  return fits;
}

/// With the parameters as they are: no body has a negative mass or moment of inertia, and M at the state is positive
/// definite.
bool Mechanism::masses_are_possible() noexcept {
  const State& s = state();
  mass_in_[0] = s.t;
  std::copy(s.q.begin(), s.q.end(), mass_in_.begin() + 1);
  (*kernels_.masses)(mass_in_.data(), mass_out_.data(), mass_work_.data());
  if (!all_finite(mass_out_)) return false;
  const std::size_t n = nv();
  for (std::size_t at = n * n; at < mass_out_.size(); at += kBodyMasses) {
    math::Mat3<double> inertia;
    for (std::size_t i = 0; i < 9; ++i) inertia(i / 3, i % 3) = mass_out_[at + 1 + i];
    const describe::InertiaFault fault = describe::inspect_inertia(inertia).fault;
    if (mass_out_[at] < 0.0 || fault == describe::InertiaFault::negative_moment) return false;
  }
  return math::cholesky(n, mass_out_.data());
}

void Mechanism::set_state(State state) {
  if (!std::isfinite(state.t))
    throw InputError({}, fmt::format("the time of the state is {}", state.t),
                     "give a number of seconds, such as 0");
  const bool moves = before_ != nullptr;
  if (moves) store(*before_);
  port_loads_.release();
  hold_loads({});
  moved();
  try {
    restart(std::move(state));
  } catch (...) {
    if (moves) restore(*before_);
    throw;
  }
  requests_.count = 0;
  before_ = empty_snapshot();
}

std::unique_ptr<Snapshot> Mechanism::make_snapshot() const {
  std::unique_ptr<Snapshot> snapshot = empty_snapshot();
  snapshot->kind_ = snapshot_kind_;
  snapshot->parameters_.resize(adjustable().size());
  keep(*snapshot);
  return snapshot;
}

bool Mechanism::keep(Snapshot& snapshot) const noexcept {
  if (snapshot.kind_ != snapshot_kind_ || !store(snapshot)) return false;
  snapshot.requests_ = requests_;
  if (kernels_.cells != nullptr)
    std::copy_n(kernels_.cells->values(), kernels_.cells->size(), snapshot.parameters_.begin());
  return true;
}

bool Mechanism::bring_back(const Snapshot& snapshot) noexcept {
  if (snapshot.kind_ != snapshot_kind_ || !restore(snapshot)) return false;
  requests_ = snapshot.requests_;
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
  if (!has_constraint(constraint)) return false;
  const bool done = switch_constraint(constraint, on);
  moved();
  return done;
}

bool Mechanism::is_active(int constraint) const noexcept {
  return has_constraint(constraint) && is_on(constraint);
}

// Forces from outside, requests, and the engine's tick: whatever goes wrong, the motion is where it was, and the
// requests wait.
Tick Mechanism::step(const TickInput& input) noexcept {
  Tick tick;
  if (!fits(input) || !port_loads_.hold(input.ports)) {
    tick.status = Status::bad_input;
    return tick;
  }
  const bool requested = requests_.count > 0;
  if (requested && before_ != nullptr) store(*before_);
  for (const Requests::Request& request : waiting_requests())
    if (!switch_constraint(request.constraint, request.on)) tick.status |= Status::request_refused;
  tick.status |= advance(input);
  if (tick.ok()) {
    requests_.count = 0;
    tick.events = static_cast<int>(events().size());
  } else if (requested && before_ != nullptr) {
    restore(*before_);
  }
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

void Mechanism::mobility(int port, std::array<double, 36>& result, unsigned axes) noexcept {
  if (port < 0 || static_cast<std::size_t>(port) >= ports().size()) return result.fill(kNaN);
  answer_pushes(port, axes, result);
}

// Accelerations are linear in the forces while the set of constraints and contacts stays: one wrench after the
// other is added to what acts. Dry friction at joints stays what it is: it takes a force, and has no inertia.
void Mechanism::answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept {
  const std::size_t n = nv();
  accelerate_now(udot_.data());
  port_loads_.set_probing(true);
  for (std::size_t column = 0; column < 6; ++column) {
    if ((axes >> column & 1u) == 0) {
      for (std::size_t row = 0; row < 6; ++row) result[6 * row + column] = 0.0;
      continue;
    }
    PortWrench push{port, {}};
    push.wrench[column] = 1.0;
    const std::size_t held = port_loads_.push(push);
    accelerate_now(udot_pushed_.data());
    port_loads_.restore(held);
    for (std::size_t i = 0; i < n; ++i) udot_pushed_[i] -= udot_[i];
    const std::span<const double> J = jacobian(port);
    for (std::size_t row = 0; row < 6; ++row) {
      double sum = 0.0;
      for (std::size_t i = 0; i < n; ++i) sum += J[row * n + i] * udot_pushed_[i];
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
  if (std::isnan(answer)) return kNaN;
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

std::span<const double> Mechanism::definitions() noexcept {
  if (!kernels_.definitions) return {};
  const State& s = state();
  definition_in_[0] = s.t;
  std::copy(s.q.begin(), s.q.end(), definition_in_.begin() + 1);
  std::copy(s.u.begin(), s.u.end(), definition_in_.begin() + 1 + static_cast<std::ptrdiff_t>(s.q.size()));
  (*kernels_.definitions)(definition_in_.data(), definition_out_.data(), definition_work_.data());
  return definition_out_;
}

bool Mechanism::request(int constraint, bool on) noexcept {
  if (!has_constraint(constraint) || requests_.count == Requests::kMost) return false;
  requests_.list[requests_.count++] = {constraint, on};
  return true;
}

bool Mechanism::save(Snapshot& snapshot) const noexcept { return keep(snapshot); }

bool Mechanism::load(const Snapshot& snapshot) noexcept {
  if (!bring_back(snapshot)) return false;
  port_loads_.release();
  hold_loads({});
  moved();
  return true;
}

}  // namespace tactus::simulate
