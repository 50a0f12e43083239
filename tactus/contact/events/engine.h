// Motion with contact, by events [Gillespie2003, Figure 2]:
//
//   integrate with the constraints that are on  ->  did a guard fire?  ->  go back to the first event
//     ->  impulse  ->  which contacts stay, stick, slide  ->  go on to the end of the step
//
//   const ContactModel contact_model(model);
//   Engine engine(contact_model, {.step = 1e-3});
//   engine.set_state(initial);
//   while (engine.state().t < 2.0)
//     if (const Status status = engine.step(); !status.ok()) ... engine.explain(status)
//
// Guards: the gap of what is apart, the force of what touches, the cone of friction of what sticks, the slip
// of what slides, the stops of joints, and the transitions of the model. An event is located (event
// localisation, root finding) on an interpolant of its guard between the two ends of the step and confirmed
// by integrating to it, to the resolution of time. Nothing is allocated in a step (the integrators
// `adaptive` and `stiff` take memory of their own). The same input gives the same bits.
//
// A step that ends in trouble did not happen: state, touches, modes, guards and books are what they were
// before it. events() then has what the attempt met.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/collide/scene.h>
#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/contact_motion.h>
#include <tactus/contact/events/energy_watch.h>
#include <tactus/contact/events/interpolant.h>
#include <tactus/contact/events/response.h>
#include <tactus/contact/law/event.h>
#include <tactus/simulate/integrators/stepper.h>
#include <tactus/simulate/motion/chart.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::contact {

using simulate::Budget;
using simulate::Input;
using simulate::State;
using simulate::Status;

struct EngineOptions {
  double step = 1e-3;  // [s]
  simulate::Integrator integrator = simulate::Integrator::rk4;
  simulate::Tolerances tolerances{};
  double speed_limit = 1e9;
  simulate::ConstraintOptions constraints{};  // while nothing unilateral is on; see contact_motion.h
  /// [m or rad] As in simulate::Options; gaps of what touches count too.
  double constraint_limit = 1e-8;
  double latch_limit =
      simulate::kLatchLimit;  // [m or rad] a constraint that is switched on may be off by this
  std::size_t most_touches = 32;
  double margin = 0.005;            // [m] shapes nearer than this, plus what a step may close, are watched
  double penetration_limit = 1e-6;  // [m] at the start: more is refused
  int most_events_per_step = 400;   // more are trouble; a budget below it ends sooner, without
  /// Trouble as well: more evaluations in a tick, or in the mean of the last ticks (kWorkWindow of them).
  long most_evaluations = std::numeric_limits<long>::max();
  long most_mean_evaluations = std::numeric_limits<long>::max();
  Budget budget{};  // for simulation none; a loop that must not be late sets one
};

class Engine;

/// Where an engine stands: everything that its next steps depend on, to be taken up by itself or by another
/// engine for the same model.
struct Snapshot {
  State state;
  std::vector<char> row_on, guard_armed, fired_once;
  std::vector<Touch> touches;
  ContactMotion::Memory constraints;
  double start = 0.0, last_event = 0.0;
  std::uint64_t steps = 0;
  int crowded = 0;
  std::vector<int> crowd;
  Books books;
  EnergyWatch::Memory energy;
  double mean_work = 0.0;
  std::vector<double> stepper;  // what the integrator has learnt
};

/// What the last tick took.
struct Work {
  long integrations = 0;  // of the motion, to the end of a piece or to where an event was looked for
  long trials = 0;        // of those, such as looked for events
  long evaluations = 0;   // of everything at one instant: forces, accelerations, guards
  long events = 0;        // instants at which something happened
  long rounds = 0;        // of the search for modes
  long solving = 0;       // multiplications of the solvers of impacts and contact laws
};

/// A tick as another engine for the same model has made it already.
struct Foreseen {
  std::uint64_t tick = 0;  // steps before it
  State from;
  Snapshot after;
  std::vector<Event> events;
  Status status;
  Work work;
};

/// Who may know a tick beforehand (look_ahead.h).
class Foresight {
 public:
  virtual ~Foresight() = default;
  /// The next tick of the engine with this input, bit for bit what the engine would do; nullptr where unknown.
  virtual const Foreseen* next(const Engine& engine, const Input& input) noexcept = 0;
};

class Engine {
 public:
  /// The contact model must outlive the engine.
  explicit Engine(const ContactModel& contact_model, EngineOptions options = {});
  ~Engine();

  const ContactModel& contact_model() const { return contact_model_; }
  const EngineOptions& options() const { return options_; }
  const State& state() const { return state_; }

  /// Starts anew from there, with the constraints that the model has on at the start. Throws InputError where
  /// sizes do not fit, constraints are missed by more than a little, or shapes overlap.
  void set_state(State state);
  /// On trouble everything but events() is what it was before. Sizes of the input that do not fit are
  /// Status::bad_input.
  Status step(const Input& input = {}) noexcept;

  /// Code for single sets of constraints and contacts (rederive.h), which changes the time that steps take
  /// and no bit of them. nullptr: none. `hold_back`: ticks that must go by in a set before its code is taken.
  void attach(Rederiver* rederiver, long hold_back = 0) { motion_.attach(rederiver, hold_back); }
  /// Loads at ports, besides script and input; nullptr: none. They must outlive the engine.
  void attach(simulate::OutsideLoads* outside) {
    chart_.attach(outside);
    outside_ = outside;
    stands_ = false;
  }
  /// Ticks that are known beforehand are taken over instead of made. nullptr: none.
  void follow(Foresight* foresight) { foresight_ = foresight; }
  /// Steps since set_state(), and a number that changes with every set_state(), load() and set_active().
  std::uint64_t steps() const { return steps_; }
  std::uint64_t generation() const { return generation_; }
  /// Everything that the next steps depend on. Once made, saving and loading take no memory.
  void save(Snapshot& snapshot) const;
  /// For another kind of engine that goes on from here.
  void save(Switches& switches) const;
  /// Goes on from there; of an engine for the same contact_model.
  void load(const Snapshot& snapshot);
  /// Room for any snapshot of this engine.
  Snapshot make_snapshot() const;

  /// Whether the trouble of the last step is that transitions follow each other without time going by.
  bool transitions_crowd() const { return !trouble_.crowd.empty() || misfit_.transition >= 0; }

  /// Of the last step, in order.
  std::span<const Event> events() const { return events_; }
  const Books& books() const { return books_; }
  const Work& work() const { return work_; }
  /// Everything that is near, with modes; forces at the end of the last step.
  std::span<const Touch> touches() const { return motion_.touches; }
  const std::array<double, 3>& touch_force(std::size_t touch) const { return motion_.touch_force(touch); }
  bool row_on(std::size_t row) const { return motion_.row_on[row] != 0; }
  double row_force(std::size_t row);
  bool is_active(int constraint) const;
  /// Forces at the joints, script and held input together, and accelerations at the state.
  simulate::Simulation::Rates rates();
  /// Evaluates accelerations, terms and touches at the state, where the last step did without them: a quiet
  /// one, in which nothing was near. rates() and row_force() do so by themselves.
  void look();
  /// Kinetic energy now.
  double kinetic_energy();
  const ContactMotion& motion() const { return motion_; }

  /// Switches a constraint of the model, from outside, as a transition would; in the loop: no exception, no
  /// allocation. What set_active() would refuse is answered, and nothing has changed then.
  simulate::Switching request_active(int constraint, bool active) noexcept;
  /// The same before the loop; throws InputError where it is refused.
  void set_active(int constraint, bool active);
  /// The equations have changed (adjustable parameters): forgets what was remembered of them, meets the constraints
  /// anew and decides again what touches. False where that cannot be: nothing has changed then.
  bool adjust() noexcept;
  /// What is known at the state is found again when it is next asked for.
  void look_anew() { looked_ = stands_ = false; }
  /// The accelerations at the state under the loads of the moment; not evaluated again where the last look was there, under them.
  std::span<const double> accelerations();
  /// J (what the forces J^T wrench add to them) [6 x 6] with the set that is on, for the Jacobian J [6 x nv] of a port: the columns of the
  /// axes asked for, zeros in the others. False where rows depend on each other, or the constraint solver has them: result is untouched.
  bool mobility(std::span<const double> J, unsigned axes, std::array<double, 36>& result);
  /// Holds forces, as step() does with its own, until the next step. False where the sizes do not fit.
  bool hold(const Input& input);

  std::string explain(Status status);
  /// Of trouble at the time t, as far as it is remembered.
  std::string explain(Status status, double t) const;
  /// What a pair, stop or transition of an event is called.
  std::string name_of(const Event& event) const;

 private:
  static constexpr double kWorkWindow = 100.0;  // ticks over which work is averaged
  static constexpr int kMostInCrowd = 60;       // events in a row without progress in time: more are chatter
  // A gap smaller than this below zero, or closing or slipping more slowly, is rounding [m], [m/s].
  static constexpr double kGapRounding = 1e-12, kRateRounding = 1e-12;

  enum class Watching : unsigned char {
    gap,
    force,
    cone,
    slip,
    press,         // compliant, apart: its gap
    press_inside,  // compliant, overlapping without a push: minus what keeps the damper from pulling
    push,          // compliant, pressing
    stop_gap,
    stop_force,
    turn,  // features that are about to become others: a rim that comes to lie flat, edges that become parallel
    guard
  };
  struct Watch {
    Watching what = Watching::gap;
    int index = 0;  // touch, row, or transition
    std::array<double, 2> slip{};
    Vec3<double> lean{};  // of turn: where it leaned to at the start
    Jet start;
  };

  /// A guard that fires within the piece, and where it is expected to.
  struct Candidate {
    std::size_t watch = 0;
    Interpolant between;
    double from = 0.0, to = 0.0;      // where it has not fired and where it has
    double f_from = 0.0, f_to = 0.0;  // its values there
    double t = 0.0;
    bool dips = false;     // a gap that closes and opens again within the step
    bool grazes = false;   // it may not reach zero
    bool dropped = false;  // it did not happen, or not first
  };

  bool same_loads(const Input& input) const;
  Status advance(double t_end, bool stands);
  bool quiet_step(double t_end, Status& status);
  bool anything_near();
  bool look_at_shapes();
  void find_rates(const State& state);
  void look_at_stops(const State& state, std::vector<double>& gaps);
  bool stop_may_fire(double h) const;
  bool guard_may_fire(double t_end);
  void evaluate_guards(const State& state, const double* qdot);
  static double speed_of(const double* V, double reach);
  void find_reaches();
  double margin_at(double fastest) const;
  double place_bodies();
  bool may_have_met(double h);
  bool detect(bool& same);
  Status integrate_to(double t);  // from state_ to trial_; on trouble as if it had not been tried
  Status try_to(double t);
  void evaluate(const State& state);  // accelerations, forces, touches and guards there
  bool forces_break_a_law() const;
  void hold_slips(double length);
  void begin_watches(double t_piece);
  bool breaks_a_law_at_start() const;
  bool slips_turned() const;
  bool enabled(const describe::Transition& transition) const;
  double value(const Watch& watch) const;  // where evaluate() was last called
  double rate(const Watch& watch) const;   // of gaps
  Jet jet(const Watch& watch);             // with what accelerations tell
  bool needs_forces(const Watch& watch) const;
  double rounding(const Watch& watch) const;  // values nearer to zero than this are zero
  bool fires(const Watch& watch, double now, double rate_now) const;
  bool came_before(const Candidate& candidate, double now) const;
  bool find_first_event(double t_end, Status& status);
  bool expect(std::size_t watch, double t_end, Candidate& candidate);
  bool reaches_zero(Candidate& candidate, Status& status);
  double locate(const Candidate& candidate, Status& status);
  bool trial_at(double t, const Watch& watch, Jet& jet, Status& status);
  long effort() const;
  bool is_spent() const {
    return work_.trials >= options_.budget.most_trials || work_.events >= options_.budget.most_events;
  }
  bool take_late(Status& status);
  void part_overlaps();
  void take_hints(std::size_t located);
  int next_candidate(int found);
  bool go_to(Candidate& candidate, Status& status);
  static void copy(const State& from, State& to);
  void restore(const Snapshot& snapshot);
  void note_trouble();
  void take_back();
  Status adopt(const Foreseen& foreseen);
  void commit();
  bool crowds();
  Status leave_jam(double t_end);
  bool fire(int transition);
  bool respond(std::size_t first_event);
  void arm_guards();
  void rearm_guards();
  double friction_power() const;
  EnergyWatch::Powers powers(const State& state);  // where evaluate() was last called
  void note_powers();
  EnergyWatch::Weight weigh();
  struct Piece {
    double t = 0.0;                                          // [s] where it shall end
    double reach = std::numeric_limits<double>::infinity();  // [s] of it, after one that was too long
    bool event = false;                                      // it ends at one
    bool late = false;  // of a tick whose budget is spent: it balances to first order
    bool jams = false;  // none was found that balances
  };
  Status make_balanced_piece(double t_end, Piece& piece);
  Status make_piece(double t, bool& event);
  void go_back();
  void end_slips();
  double piece_end(double t_end) const;

  const ContactModel& contact_model_;
  EngineOptions options_;
  collide::Scene scene_;
  ContactMotion motion_;
  Response response_;
  simulate::Chart chart_;
  std::unique_ptr<simulate::Stepper> stepper_;
  std::vector<double> stepper_before_;  // what it had learnt where a quiet step began
  State state_, trial_, end_, middle_;
  std::vector<double> qdot_start_, udot_start_;  // where the piece begins
  Snapshot before_;                              // the tick
  std::vector<double> z_, z_rate_, poses_;
  std::vector<Touch> next_touches_;
  std::vector<Watch> watches_;
  std::vector<Candidate> candidates_;
  std::vector<int> fired_;  // transitions
  std::vector<double> guard_in_, guard_work_, guards_, forces_;
  std::vector<char> guard_armed_, fired_once_, row_before_;
  std::vector<Event> events_;
  Books books_;
  std::vector<double> u_before_;  // an event
  bool looked_ = false;           // evaluate() was at the state
  bool stands_ = false;           // by look(), between two ticks, and nothing has been evaluated since
  bool held_nothing_ = false;     // no forces are held
  std::uint64_t loads_then_ = 0;  // their version at ports, at that look
  std::vector<double> answer_;    // [nv]
  // Of quiet steps: gap and rate of each stop at both ends, guards at the start, arguments and answers of
  // small kernels.
  std::vector<double> stops_before_, stops_after_, guards_before_, rates_in_, rates_work_, qdot_;
  bool stops_known_ = false;        // stops_after_ is at the state
  std::vector<int> speed_of_stop_;  // whose rate is a speed; -1: it is not
  bool rates_wanted_ = false;       // of coordinates, by their kernel
  double clearance_ = -1.0;         // [m] at least so far apart is all that may touch; negative: not known
  /// [m] Shapes are looked for this far away, so that there is no need to look again until the bodies may have gone so far.
  double look_ahead_ = 1.0;
  std::vector<double> reach_;  // [bodies of the terms] of their shapes from their origins [m]
  std::vector<char> endless_;  // with a half-space
  double apart_ = 0.0;         // [m] at least so far apart they were where the quiet step began
  double fastest_hint_ = 0.0;  // [m/s] that a body may be in this step, found by trying it
  double travel_ = 0.0;        // [m] that a body may have come since the last look at the shapes
  double fastest_ = 0.0;       // [m/s] that it may have been in the last step
  std::vector<double> arms_;   // [nv] speed of the fastest point per speed, at that look [m or 1]
  bool overflow_ = false;
  Work work_;
  double mean_work_ = 0.0;  // evaluations per tick, those long ago counting less
  Foresight* foresight_ = nullptr;
  std::uint64_t generation_ = 0;
  bool excused_at_start_ = false, excused_at_end_ = false;  // excused_ at the ends of the piece
  bool excused_ = false;  // forces that no acceleration tells apart from some of those found break no law
  double start_ = 0.0, last_event_ = 0.0;
  EnergyWatch energy_;
  EnergyWatch::Powers powers_;                // where the piece begins
  std::vector<std::array<double, 2>> slips_;  // there
  bool solved_at_once_ = false;               // all laws, for what was left of a tick whose budget was spent
  bool powers_wanted_ = false;                // also of other forces
  double least_loss_ = 0.0;                   // [J] of the impacts of an instant of the tick
  simulate::OutsideLoads* outside_ = nullptr;
  std::uint64_t steps_ = 0;
  double jam_ = 0.0, stretch_ = 0.0;
  /// The row that a transition switched on out of place, and by how much it was off.
  struct Misfit {
    int transition = -1;
    std::size_t row = 0;
    double error = 0.0;
  };
  Misfit misfit_;
  /// What explain() has to say about a step that was taken back.
  struct Trouble {
    double t = 0.0;
    std::vector<int> crowd;
    std::vector<int> touching;  // pairs
  };
  Trouble trouble_;
  int crowded_ = 0;         // events in a row without progress in time
  std::vector<int> crowd_;  // transitions among them
};

}  // namespace tactus::contact
