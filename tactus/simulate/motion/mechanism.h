// A mechanism that moves, whatever moves it: smooth motion (Simulation), contact by events (Engine) or by whole
// steps (TimeStepping). Devices, controllers, the loop, the page, studies and the command line know this interface
// and nothing behind it. contact/open.h makes one from a model.
//
//   const std::unique_ptr<Mechanism> cart = contact::open(describe::load("models/shopping_cart.yaml"));
//   const int handle = cart->port("handle");                    // before the loop: by name, may throw
//   for (;;) {
//     const PortMotion& hand = cart->motion(handle);            // in the loop: by index, noexcept
//     const PortWrench pull{handle, {0, 0, 0, 5, 0, 0}};
//     if (!cart->step({.ports = {&pull, 1}}).status.ok()) break;  // the state is what it was before the tick
//   }
//
// In the loop nothing throws, allocates, locks or calls the system, and a tick is bounded (Budget). Whoever drives a
// mechanism does so from one thread at a time. The same input gives the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/describe/model/model.h>
#include <tactus/simulate/motion/event.h>
#include <tactus/simulate/motion/ports.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

/// What acts in a tick, held while it lasts and added to the script's forces. Empty means none.
struct TickInput {
  std::span<const double> tau{};        // [nv] at the joints, conjugate to the joint rates
  std::span<const PortWrench> ports{};  // at ports
  std::span<const double> wrench{};     // [6 per wrench of the script]
};

/// What a tick answers. A status that is not ok: the mechanism stands where it stood before the tick.
struct Tick {
  Status status;
  int events = 0;  // located in it
  bool ok() const { return status.ok(); }
};

/// Which engine moves a mechanism.
enum class EngineKind : std::uint8_t {
  smooth,    // nothing touches, stops or switches by itself
  events,    // every change of contact is located in time
  stepping,  // impulses of whole steps
};
std::string_view name_of(EngineKind kind);

/// What the constraints do, by rows of the model. NaN where it is not known.
struct ConstraintReport {
  std::span<const double> position_error, velocity_error;  // [m or rad], [m/s or rad/s]
  std::span<const double> lambda;                          // multipliers, 0 for rows that are not active
  std::span<const double> force;                           // [nv] A^T lambda: on the speeds
};

/// What of a contact pair touches.
struct PairReport {
  double mode = 0.0;                    // 0 apart, 1 sliding, 2 sticking: the firmest of its contacts
  double gap = 0.0;                     // [m] the smallest; NaN while nothing of the pair is near
  double normal = 0.0, friction = 0.0;  // [N] sums of sizes
};
struct ContactReport {
  int contacts = 0;                    // that touch
  std::span<const PairReport> pairs;   // [pairs of the model]
  std::span<const double> stop_force;  // [stops of the model]
};

/// A contact that touches, for the eye and the hand.
struct ContactPoint {
  int pair = -1;
  math::Vec3<double> point{}, normal{}, force{};  // world axes; the force on body b
};

/// Two features that touch, or are so near that they may soon: for a local model of what is around.
struct NearPoint {
  std::uint64_t id = 0;                   // of the pair of features, from tick to tick
  int body_a = 0, body_b = 0;             // indices into Model::bodies
  math::Vec3<double> point{}, normal{};   // on body b; from a to b; world axes
  double gap = 0.0, rate = 0.0;           // [m], [m/s]
  double stiffness = 0.0, damping = 0.0;  // [N/m], [N s/m] of a compliant contact; 0: rigid
  double force = 0.0;                     // [N] now, along the normal
};

/// Requests to switch constraints that wait for the next tick, in order.
struct Requests {
  static constexpr std::size_t kMost = 16;
  struct Request {
    int constraint = 0;
    bool on = false;
  };
  std::array<Request, kMost> list{};
  std::size_t count = 0;
};

/// Everything that the next ticks depend on. Made by Mechanism::make_snapshot(), and of use to mechanisms that were
/// opened from the same model with the same engine, step, integrator, treatment of constraints, room for contacts and
/// adjustable parameters.
class Snapshot {
 public:
  virtual ~Snapshot() = default;

 private:
  friend class Mechanism;
  std::uint64_t kind_ = 0;          // of mechanism: Mechanism::snapshot_kind_
  std::vector<double> parameters_;  // values of the adjustable ones
  Requests requests_;
};

/// A constraint as the interface shows it.
struct ConstraintOutline {
  std::string name;
  std::vector<std::size_t> rows;           // into ConstraintReport
  std::vector<std::size_t> position_rows;  // of those, the ones with a position level
  std::vector<std::string> labels;         // of the rows: "loop.x"
};

/// How a motion was computed, since the start.
struct Statistics {
  long handed_over = 0;  // accelerations that straight-line code left to the rank-revealing formulation
  // Of fixed steps, where they are looked at (step_error.h): how many; the error of the worst coordinate [m or rad] and of
  // the worst speed, by the largest that it was, summed over the run; a step [s] that would be short enough.
  long steps_looked_at = 0;
  double coordinate_error = 0.0, speed_error = 0.0, advised_step = 0.0;
  long ticks = 0, ticks_general = 0;  // of events: in all; without code for the set of contacts
  // Equations for sets of contacts (contact/rederive/rederive.h):
  bool rederives = false;
  long sets_made = 0, sets_refused = 0, changes = 0, changes_ready = 0, swaps = 0, fallbacks = 0;
  long worst_wait_ticks = 0;
  double derive_worst = 0.0, compile_worst = 0.0, made_worst = 0.0, worst_wait = 0.0;  // [s]
  std::size_t code_bytes = 0;
  long sets_before = -1;  // made before the run; -1: not asked for
  bool complete = true;   // none left out
  // Events could not carry the motion: from this time [s] on it goes by whole steps. Empty: it was not handed over.
  double hand_over_time = 0.0;
  std::string hand_over_reason;
};

struct Energies {
  double kinetic = 0.0, potential = 0.0;  // [J]
};

/// Kernels that every engine's mechanism has: constant, shared by any number of them.
struct MechanismKernels {
  MechanismKernels(const derive::Equations& equations, const std::vector<int>& port_frames,
                   std::shared_ptr<algebra::Cells> adjustable);
  std::shared_ptr<algebra::Cells> cells;  // of adjustable parameters, read by all kernels; null: none
  PortKernels ports;
  generate::Kernel energy;                      // t q u -> kinetic potential ...
  std::optional<generate::Kernel> definitions;  // t q u -> the model's definitions; nothing where it has none
  std::optional<generate::Kernel>
      masses;  // where parameters are adjustable: t q -> M, then m and I of each body
};

class Mechanism {
 public:
  virtual ~Mechanism() = default;
  Mechanism(const Mechanism&) = delete;
  Mechanism& operator=(const Mechanism&) = delete;

  // What it is.
  virtual EngineKind kind() const noexcept = 0;
  const describe::Model& model() const noexcept { return model_; }
  double step_length() const noexcept { return step_length_; }  // [s]
  std::size_t nq() const noexcept { return kernels_.ports.nq; }
  std::size_t nv() const noexcept { return kernels_.ports.nv; }
  const std::vector<std::string>& coordinate_names() const noexcept { return coordinate_names_; }
  const std::vector<std::string>& speed_names() const noexcept { return speed_names_; }
  const std::vector<std::string>& effort_names() const noexcept { return effort_names_; }
  /// The constraints of the model, stops not among them.
  const std::vector<ConstraintOutline>& constraints() const noexcept { return constraints_; }

  // Before the loop: by name; may throw InputError and allocate.
  std::span<const Port> ports() const noexcept { return kernels_.ports.ports; }
  int port(std::string_view name) const;
  int constraint(std::string_view name) const;
  /// Parameters that may change while it moves: those asked for when it was opened.
  std::span<const std::string> adjustable() const noexcept;
  int parameter(std::string_view name) const;
  /// Starts anew from there, with the constraints that the model has on at the start, nothing held and no request
  /// waiting. Throws InputError where the state does not fit: all is then as it was.
  void set_state(State state);
  std::unique_ptr<Snapshot> make_snapshot() const;

  // In the loop.
  Tick step(const TickInput& input = {}) noexcept;
  virtual const State& state() const noexcept = 0;
  // Of a port: NaN where the index is none. What is answered stays until the mechanism moves or is moved, other ports
  // having been asked or not; Jacobians stay until Ports::kMostJacobians other ports were asked for theirs.
  const PortMotion& motion(int port) noexcept;
  std::span<const double> jacobian(int port) noexcept { return placed_ports().jacobian(port); }
  std::span<const double> jacobian_rate(int port) noexcept { return placed_ports().jacobian_rate(port); }
  /// Under the loads that are held, as accelerations().
  std::array<double, 6> acceleration(int port) noexcept;
  /// What a wrench at the port does to the port's acceleration under the constraints and contacts that are on:
  /// A = mobility . wrench, [6 x 6]. Its inverse, where it has one, is the apparent inertia. A small wrench is meant: what
  /// sticks goes on to stick, what touches to touch. `axes`: bits of the axes along which it is asked for, of a turn about
  /// x the lowest, of a way along z the highest; the columns of the others are zero.
  static constexpr unsigned kAllAxes = 0b111111;
  void mobility(int port, std::array<double, 36>& result, unsigned axes = kAllAxes) noexcept;
  /// [kg] felt by a force along the unit direction d (world axes) at the port's origin; infinite where it cannot move.
  double apparent_mass(int port, const math::Vec3<double>& d) noexcept;

  /// Switches a constraint on or off where the next tick begins. It is caught by a plastic impulse; where it does not
  /// fit (a position is off by more than kLatchLimit), nothing changes and the tick's status has the note
  /// `request_refused`. Requests wait until a tick is made: where one fails, they wait on for the next. False where the
  /// index is none, or Requests::kMost are waiting.
  bool request(int constraint, bool on) noexcept;
  std::span<const Requests::Request> waiting_requests() const noexcept {
    return {requests_.list.data(), requests_.count};
  }
  void drop_requests() noexcept { requests_.count = 0; }
  /// The same at once, between two ticks. False where it does not fit: nothing has changed then.
  bool set_active(int constraint, bool on) noexcept;
  /// False where the index is none.
  bool is_active(int constraint) const noexcept;

  /// NaN where the index is none.
  double parameter_value(int parameter) const noexcept;
  /// Changes an adjustable parameter between two ticks. Coordinates and speeds stay, but for what the constraints then
  /// ask for: they are met anew, by a plastic impulse. False where the value is not finite, where it makes a mass or a
  /// moment of inertia negative or the mass matrix not positive definite, or where they cannot be met: nothing has
  /// changed then.
  bool set_parameter(int parameter, double value) noexcept;

  /// Of the last tick, in order.
  virtual std::span<const Event> events() const noexcept { return {}; }
  /// [m/s], [rad/s] Of the last tick, where contacts go by whole steps and impacts are no events: how fast what pushes came together where it began, the fastest of all rigid contacts and
  /// stops; 0 where nothing met. Their impulses are in accelerations(), too.
  virtual double met() const noexcept { return 0.0; }
  virtual Books books() const noexcept { return {}; }

  /// Saving and loading take no memory. False where the snapshot is of another kind of mechanism: nothing has changed
  /// then. Loads of the last tick are no part of it: after load() none are held.
  bool save(Snapshot& snapshot) const noexcept;
  bool load(const Snapshot& snapshot) noexcept;

  virtual Statistics statistics() const { return {}; }

  // To look at: at the state, computed when asked for, under the loads that are held: those of the last tick.
  /// Holds other loads until the next tick. False where they do not fit.
  bool hold(const TickInput& input) noexcept;
  /// Forces at the joints, script and held input together, without those at ports.
  virtual std::span<const double> efforts() noexcept = 0;
  Energies energies() noexcept;
  /// The model's definitions, in their order.
  std::span<const double> definitions() noexcept;
  /// Rates of the speeds. Of stepping: what a tick from here would change them by, over its length, so that contacts and
  /// stops are in it with their impulses.
  virtual std::span<const double> accelerations() noexcept = 0;
  /// Multipliers are computed only where they are asked for.
  virtual ConstraintReport constraint_report(bool multipliers) noexcept = 0;
  virtual ContactReport contact_report() noexcept { return {}; }
  /// Writes the contacts that touch; as many as there is room for. How many there are.
  virtual std::size_t contact_points(std::span<ContactPoint>) noexcept { return 0; }
  /// The same of all that is watched, the nearest of them perhaps apart; engines by events know them.
  virtual std::size_t near_points(std::span<NearPoint>) noexcept { return 0; }

  // After it.
  virtual std::string explain(Status status) = 0;

 protected:
  /// What derived classes are made of must outlive this base: it is theirs.
  Mechanism(const describe::Model& model, const MechanismKernels& kernels, double step_length);
  void describe_constraints(const derive::Equations& equations, std::size_t own);
  /// What snapshots of this mechanism fit (fingerprint.h), besides its kind of engine, step and parameters.
  void set_snapshot_kind(std::uint64_t fingerprint) noexcept;

  virtual void restart(State state) = 0;
  virtual Status advance(const TickInput& input) noexcept = 0;
  virtual bool hold_loads(const TickInput& input) noexcept = 0;
  virtual bool switch_constraint(int constraint, bool on) noexcept = 0;
  virtual bool is_on(int constraint) const noexcept = 0;
  virtual std::unique_ptr<Snapshot> empty_snapshot() const = 0;
  /// Other parameters: what is remembered of the equations is forgotten. False where the constraints cannot be met; the
  /// state is then what it was.
  virtual bool adjust() noexcept = 0;
  virtual bool store(Snapshot& snapshot) const noexcept = 0;
  virtual bool restore(const Snapshot& snapshot) noexcept = 0;
  /// udot at the state with the loads that are held just now.
  virtual void accelerate_now(double* udot) noexcept = 0;
  /// The mobility of a port that exists.
  virtual void answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept;

  Ports port_loads_;  // to be attached to the engine

 private:
  bool has_constraint(int constraint) const noexcept {
    return constraint >= 0 && static_cast<std::size_t>(constraint) < constraints_.size();
  }
  bool fits(const TickInput& input) const noexcept;
  bool masses_are_possible() noexcept;
  bool keep(Snapshot& snapshot) const noexcept;
  bool bring_back(const Snapshot& snapshot) noexcept;
  Ports& placed_ports() noexcept;
  void moved() noexcept { placed_ = false; }

  const describe::Model& model_;
  const MechanismKernels& kernels_;
  double step_length_;
  std::vector<std::string> coordinate_names_, speed_names_, effort_names_;
  std::vector<ConstraintOutline> constraints_;
  std::uint64_t snapshot_kind_ = 0;
  Requests requests_;
  std::unique_ptr<Snapshot> before_;  // of a tick with requests, of a new state
  bool placed_ = false;
  std::vector<double> udot_, udot_pushed_;
  std::vector<double> energy_in_, energy_out_, energy_work_;
  std::vector<double> definition_in_, definition_out_, definition_work_;
  std::vector<double> mass_in_, mass_out_, mass_work_;
};

}  // namespace tactus::simulate
