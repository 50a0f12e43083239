// Time-stepping (nonsmooth contact dynamics): motion with contact by impulses of whole steps, for scenes in
// which single events are too many. One step of length h [Moreau1988; StewartTrinkle1996; Jean1999]:
//
//   1. terms at (t, q, u): mass matrix, forces, constraints, bodies
//   2. free speeds        u_free = u + h M^-1 Q,  bilateral constraints of the model held
//   3. near features      rows J (normal, tangents) of every pair closer than a margin
//   4. impulses           w_n = J_n u+ + gap/h >= 0  perpendicular to  p_n >= 0, Coulomb's friction
//                         (contacts that strike: J_n u+ >= e closing speed, Newton's law whatever the pair's)
//   5. displacement       q+ = q (+) h (u+ + du), where du pushes overlapping bodies apart and takes out what
//                         the bilateral constraints are off: it moves positions and gives no speed
//
// A gap closes exactly within a step and does not open by itself; what overlaps (by a start, by rotation
// within a step) is pushed out without kinetic energy. The method is of first order; velocities jump at ends
// of steps. Speeds of free joints are components in the body's axes: they are moved as vectors that stand
// still in space, so that no energy comes from the turning of the axes. Impulses start from those of the step
// before, contact by contact.
//
// Where a pair that strikes asks for Poisson's law, step 4 has two phases: compression, in which nothing
// rebounds, and restitution with p_n >= e times the impulse of compression.
//
// Compliant pairs are taken implicitly as springs and dampers that never pull. Joint stops are contacts of
// one row. Dry friction at joints is solved along with them (stepping_friction.cpp). The model's transitions are taken at ends of steps: one whose guard became true within the step
// switches its constraints there, and the speeds are caught by a plastic impulse: late by up to a step, an
// error of first order as the method's own. Forces in guards are impulses of the step over its length.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/impact/block_metric.h>
#include <tactus/contact/law/event.h>
#include <tactus/contact/law/touch.h>
#include <tactus/contact/stepping/sweep_solver.h>
#include <tactus/simulate/motion/dry_friction.h>
#include <tactus/simulate/motion/simulation.h>

namespace tactus::contact {

struct SteppingOptions {
  double step = 1e-3;  // [s]
  SweepOptions solver{};
  std::size_t most_contacts = 2048;
  double margin = 2e-3;     // [m] within which features count as near, besides what the speeds ask for
  double slop = 1e-6;       // [m] overlap that is left alone
  double play = 2e-11;      // [m] gap that is left alone: closing it would ask for speeds of rounding over h
  double push_part = 0.2;   // of an overlap that one step takes out
  double push_speed = 0.5;  // [m/s] at most
  double deepest_start = 5e-3;     // [m] set_state() refuses states with more overlap
  double deepest = 1e-2;           // [m] rigid shapes that overlap by more stop the run
  double speed_limit = 1e9;        // [rad/s or m/s] a speed beyond it means divergence
  double constraint_limit = 1e-3;  // [m or rad] a bilateral constraint held no better than this is lost
  // [m or rad] A constraint that is switched on from outside may be off by this; a transition, which is late by up to a
  // step, by `constraint_limit`.
  double latch_limit = simulate::kLatchLimit;
  bool all_pairs = false;  // also the pairs whose rendering is another one
  // [s] Bodies that touch each other, directly or through others, and have all been slower than `sleep_speed`
  // for so long fall asleep: they stay where they are, at no cost, until another body comes near, or until a
  // force on one of them changes. Joints with stops or constraints keep bodies awake. 0: none ever sleeps.
  double sleep_after = 0.0;
  double sleep_speed = 1e-3;  // [m/s or rad/s] of every speed
};

/// A contact of the last step that carried an impulse.
struct StepContact {
  int pair = 0;  // index into ContactSection::pairs; -1 - i: stop i
  std::uint64_t id = 0;
  int body_a = 0, body_b = 0;
  double gap = 0.0;                      // [m] at the start of the step
  math::Vec3<double> point{}, normal{};  // world axes
  math::Vec3<double> impulse{};  // [N s] on body b, world axes; of a stop: (along its coordinate, 0, 0)
  Mode mode = Mode::sliding;
  bool struck = false;  // a blow, which says nothing about the next step
  double met = 0.0;     // [m/s], [rad/s] with which it closed where the step began; 0 where it is compliant
};

/// What the contacts have done since set_state(), and how well.
struct StepBooks {
  double normal_work = 0.0;  // [J] of the normal impulses, and of constraints that were switched on
  // [J] of friction: along the mean slip of the step, or, where slip turns round within it, along that at its
  // end, which friction opposes: never positive. What sticks on from the step before does not slip: velocity that
  // it has at the start is that of other material, which rolling brought to the contact, an error of first order
  // that is in `scheme_error`.
  double friction_work = 0.0;
  double correction_work = 0.0;  // [J] potential energy that pushing overlapping bodies apart has given
  // [J] What the steps' own error of first order has given: forces act with the mean of the speeds at both ends of a step,
  // and positions move with those at its end. Where forces act that no potential explains their work is not told apart from
  // it: both are in `work`.
  double scheme_error = 0.0, work = 0.0;
  // [J] The work of the impulses by the solver's velocities, less that by the speeds: rounding. Its sum; the largest of a
  // step, as a part of the energy in play.
  double imbalance = 0.0, worst_imbalance = 0.0;
  double largest = 0.0;  // [J] kinetic energy so far
  double deepest = 0.0;  // [m] largest overlap at the start of a step
  long steps = 0;
  long not_converged = 0;  // steps whose impulses missed the solver's tolerance
  int most_contacts = 0;   // near in one step
};

/// A force that a body felt through a step.
struct BodyPush {
  int body = 0;
  std::array<double, 6> wrench{};  // [N m; N] at the body's origin, world axes
};
/// A force along the gap of a joint's stop, which it opens.
struct StopPush {
  int stop = 0;        // index into ContactSection::stops
  double force = 0.0;  // [N or N m]
};
/// Those of contacts and stops.
struct PressedForces {
  std::span<const BodyPush> pushes{};
  std::span<const StopPush> stops{};
  double work = 0.0;  // [J] that they gave
};

/// Where time-stepping stands: everything that its next steps depend on, to be taken up by another instance.
struct SteppingSnapshot {
  /// Of a block of speeds.
  struct Rest {
    int quiet = 0;   // steps for which it has been slow
    int group = -1;  // its first block, where the block sleeps with others; -1: awake
  };

  simulate::State state;
  std::vector<char> active;                   // [constraints of the model]
  std::vector<char> guard_armed, fired_once;  // [transitions]
  std::vector<StepContact> contacts;          // whose impulses the next step starts from
  std::vector<double> row_force;              // [rows]
  std::vector<Rest> rest;                     // [blocks]
  std::vector<double> resting_forces;         // [nv] when they fell asleep
  SweepSolver::History solver;
  StepBooks books;
  double start = 0.0;
  std::uint64_t steps = 0;
};

/// Which engine a model is made for: whether any of its pairs asks for `render: stepping`. Then all its pairs
/// go by steps, those of other renderings too: in one motion there is one way to go through time. The one
/// place where this is decided.
bool asks_for_stepping(const describe::Model& model);
/// What the other pairs of such a model are told: "" where there are none.
std::string stepping_note(const describe::Model& model);

class TimeStepping {
 public:
  /// `contact_model` must outlive it. Throws InputError for models in which no pair asks for stepping
  /// (asks_for_stepping) unless Options::all_pairs.
  explicit TimeStepping(const ContactModel& contact_model, SteppingOptions options = {});
  ~TimeStepping();

  const SteppingOptions& options() const { return options_; }
  const simulate::State& state() const { return state_; }

  /// Starts anew from there, with the constraints that the model has on at the start. Throws InputError where
  /// sizes do not fit, a value is not finite, or bodies overlap by more than Options::deepest_start.
  void set_state(simulate::State state);
  /// Goes on where events have led a motion: with the constraints that are on there, and the transitions that may fire.
  /// In the loop: takes no memory. False where bodies overlap by too much; it is then still where it was.
  bool take_up(const simulate::State& state, const Switches& switches) noexcept;
  /// One step. No allocation (but for meshes, collide/scene.h) and no exception. On trouble everything that
  /// later steps depend on stays what it was before the step.
  simulate::Status step(const simulate::Input& input = {}) noexcept;
  /// The contacts of a step whose smooth motion another integrator has made, to a time that is one step on (stepping_meet.cpp): impulses alone. The
  /// energy does not grow by it. The same otherwise as step().
  /// `carried` [axes]: forces of dry friction that acted along that motion, and are part of the impulses.
  /// `pressed`: forces of contacts that acted along it, and are part of the impulses, too.
  /// `deepest` [m], [rad]: Status::overlap_lost where rigid shapes overlap, or joints are beyond their stops, by more; for shapes Options::deepest holds in any case.
  simulate::Status meet(const simulate::State& arrived, const simulate::Input& input = {},
                        std::span<const double> carried = {}, PressedForces pressed = {},
                        double deepest = std::numeric_limits<double>::infinity()) noexcept;
  /// The next so many steps are parts of one, and end where that would. Its contacts are those of the last part, with the impulses that they would have in a whole step.
  void begin_parts(int parts) noexcept;
  void end_parts() noexcept;
  /// Features that are nearer than a margin at a state, ordered by pair and id, and terms() there; none where there are more than there is room for.
  std::span<const collide::Proximity> features(const simulate::State& state, double margin) noexcept;
  /// Where they were last evaluated.
  const Terms& terms() const { return terms_; }
  /// [m] How far a body's shapes reach from its origin; those without end, and meshes, count as a point.
  double reach(int body) const;
  /// [m] Within which features count as near, by the speeds where terms() were last evaluated.
  double search_margin() const;
  /// The same at another state.
  const Terms& terms_at(const simulate::State& state) noexcept;
  /// What dry friction at a joint did in the last step.
  struct AxisAnswer {
    double arrived = 0.0, left = 0.0;  // [rad/s or m/s] the rate before its impulse, and after it
    double impulse = 0.0,
           limit = 0.0;     // [N s or N m s] of its sliding or sticking, without the mean of its directions
    double mobility = 0.0;  // [1/kg or 1/(kg m^2)] the rate that a unit of impulse gives
    double mean = 0.0;      // [N or N m] of its two directions, which acts besides
    bool stands(double rate) const;  // as far as the solver tells
    bool sticks() const;             // at the end, with room to its limit
  };
  /// [axes]
  std::span<const AxisAnswer> axis_answers() noexcept;
  /// [axes] at the state.
  std::span<const double> axis_rates() noexcept;
  /// The equations have changed (adjustable parameters). Steps remember impulses alone, which are but a first guess;
  /// constraints that are off are drawn together in the next steps.
  /// Who sleeps wakes.
  bool adjust() noexcept;
  /// Once made, saving and loading take no memory.
  SteppingSnapshot make_snapshot() const;
  void save(SteppingSnapshot& snapshot) const;
  /// Goes on from there; of time-stepping for the same contact model, with the same options.
  void load(const SteppingSnapshot& snapshot);
  /// What went wrong, and when.
  std::string explain(simulate::Status status) const;

  /// Loads at ports, besides script and input; nullptr: none. They must outlive it.
  void attach(simulate::OutsideLoads* outside) { outside_ = outside; }
  // stepping_look.cpp, stepping_response.cpp:
  /// [nv] rates of the speeds at the state under script, input and loads at ports: the accelerations with the bilateral
  /// constraints held, and over the step's length the contacts' impulses of the step that would begin here. False where
  /// the sizes of the input do not fit, there is no room for the contacts, or there is no solution.
  bool accelerations(const simulate::Input& input, double* udot) noexcept;
  /// Before respond(): finds the contacts of that step and what they do. Bodies that sleep answer as if awake.
  bool prepare_response(const simulate::Input& input) noexcept;
  /// [nv] by how much a small force [nv] changes the accelerations, while contacts do on what they do.
  void respond(const double* force, double* udot) noexcept;
  /// [nv] forces at the joints without those at ports, where loads were last evaluated.
  std::span<const double> efforts() const { return efforts_; }
  /// Mass matrix, rows and their errors at the state.
  const Terms& terms_at_state() noexcept;

  /// Contacts of the last step that carried an impulse, ordered by pair and id, stops first. Those of bodies
  /// that sleep are the ones they fell asleep with.
  std::span<const StepContact> contacts() const { return {contacts_.data(), contact_count_}; }
  const StepBooks& books() const { return books_; }
  /// Of the last step.
  const SweepResult& solution() const { return solution_; }

  /// Multiplier of a row of the model's constraints, of the last step: its impulse over the step's length;
  /// zero before the first step.
  double row_force(std::size_t row) const { return row_force_[row]; }
  /// Transitions that were taken at the end of the last step, in the order of the model, each with the energy
  /// that all of them took. Other events are not known one by one.
  std::span<const Event> events() const { return events_; }
  /// Whether a body of the model sleeps; the ground and what is fixed to it do not.
  bool is_asleep(int body) const;

  bool is_active(int constraint) const { return active_[static_cast<std::size_t>(constraint)] != 0; }
  /// Switches a constraint of the model. On: the speeds are caught by a plastic impulse, contacts that touch
  /// taking their part; Status::constraint_lost, and nothing changed, where the position misses it by more
  /// than Options::constraint_limit. No allocation, no exception.
  simulate::Status set_active(int constraint, bool active) noexcept;

 private:
  /// A direction of a contact in which a small force meets an answer (stepping_response.cpp).
  struct AnsweringRow {
    double row[3] = {};       // of the contact's rows n, t1, t2
    double compliance = 0.0;  // [1/kg]
    double mobility = 0.0;    // [1/kg] of itself
    double p = 0.0, residual = 0.0, direction = 0.0, image = 0.0;
  };
  struct Answering {
    std::size_t first = 0, count = 0;  // of its rows; the first is the normal one
    double slide[3] = {};              // friction along t1, t2 per normal force, where it slides
    bool slides = false;
    double normal = 0.0;  // force of which the friction is known
  };
  struct FreeRoot {
    std::size_t speed = 0;  // wx, wy, wz, vx, vy, vz; the chart has its rotation at speed + 3
  };
  /// A body that touches something in this step, in the coordinates of its block's metric.
  struct Touching {
    std::uint64_t step = 0;  // in which the rest was computed
    double free[6] = {};     // twist that the free speeds add, world axes, at the body's origin
    double shift[6] = {};    // twist that takes out what the bilateral constraints are off
  };
  /// What is known of a contact besides its rows.
  struct Near {
    const describe::ContactLaw* law = nullptr;
    StepContact about;
    math::Vec3<double> tangent[2];
    double before[3] = {};  // velocity at the start of the step [m/s]
    double free[3] = {};    // with the free speeds, no impulses [m/s]
    double shift = 0.0;     // by what the bilateral constraints are moved [m/s]
    double closing = 0.0;   // [m/s] before the step
    double restitution = 0.0;
    bool strikes = false;
    bool stuck = false;  // in the step before
    int axis = -1;       // of dry friction at a joint, which is no contact
    double limit = 0.0;  // [N s] of its impulse

    bool poisson() const {
      return law != nullptr && law->restitution_law == describe::RestitutionLaw::poisson;
    }
  };
  static constexpr int kLongQuiet = 1 << 30;  // steps; no more are counted
  using Rest = SteppingSnapshot::Rest;

  simulate::Status attempt(const simulate::Input& input);
  simulate::Status answer_contacts();
  double closing_of_step(const Near& near) const;
  template <class Attempt>
  simulate::Status make_step(Attempt attempt) noexcept;
  // stepping_meet.cpp:
  simulate::Status attempt_meeting(const simulate::Input& input);
  double work_of_shift(const simulate::Input& input);
  void take_pushes_out();
  double work_of_pushes() const;
  bool speeds_as_they_are();
  void take_out_energy(const simulate::Input& input);
  bool evaluate_loads(const simulate::Input& input);
  bool factor();
  void reset_active();
  simulate::Status catch_speeds(double limit);
  bool solve_from_here(const simulate::Input& input, bool awake);
  bool smooth_accelerations(double* udot);
  void gather_response();
  void answer_island(std::size_t island);
  double along(const double* row, std::size_t contact, const std::vector<double>& x) const;
  void push_along(const double* row, std::size_t contact, double p, std::vector<double>& x) const;
  void find_row_forces();
  void add_contact_impulse(std::size_t contact, int block, double* impulse) const;
  void evaluate_guards();
  void arm_guards();
  bool holds(std::size_t transition) const;
  bool enabled(std::size_t transition) const;
  simulate::Status take_transitions();
  int block_of(int body) const;
  bool may_sleep(std::size_t block) const;
  void wake_by_forces();
  bool wake_by_contact(std::span<const collide::Proximity> near);
  void wake(int group);
  void mark_still();
  void fall_asleep();
  void update_scene();
  const collide::Proximity* deep_overlap(const simulate::State& state);
  void begin_at(const simulate::State& state);
  bool free_speeds();
  void hold_bilateral(double h);
  bool gather();
  bool add_stop(std::size_t row);
  // stepping_friction.cpp:
  void prepare_joint_friction();
  void add_mean_friction();
  void place_axes();
  bool add_joint_friction();
  double friction_limit(std::size_t a, double mobility) const;
  bool add_proximity(const collide::Proximity& proximity);
  const Touching& touching(int slot);
  void add_body_rows(SweepSolver::Contact& contact, Near& near, int body, double sign);
  int choose_tangents(SweepSolver::Contact& contact, Near& near) const;
  void set_bias(SweepSolver::Contact& contact, Near& near) const;
  void recall(SweepSolver::Contact& contact, Near& near);
  void solve_impulses();
  void solve_phases();
  void find_end_speeds();
  double end_velocity(const Near& near, const SweepSolver::Contact& contact, int row) const;
  double impulse_work() const;
  double impulse_work_by_speeds();
  double kinetic(const std::vector<double>& u) const;  // with the mass matrix last evaluated
  double deepest_overlap() const;                      // of rigid shapes, where gather() was last called
  double furthest_beyond_stop() const;                 // the same of joints
  // stepping_books.cpp:
  void keep_books();
  bool balances(const simulate::Input& input);
  double energy(double t, const std::vector<double>& q, const std::vector<double>& u);
  void separate();
  bool displace();
  void remember();

  const ContactModel& contact_model_;
  const TermsKernel& kernel_;
  SteppingOptions options_;
  std::size_t nq_, nv_;
  simulate::State state_;
  double start_ = 0.0;
  std::uint64_t steps_ = 0;
  /// Where parts of a step began to be made.
  struct Whole {
    double step = 0.0, start = 0.0;
    std::uint64_t steps = 0;
    int parts = 0;
  } whole_;
  StepBooks books_;
  SweepResult solution_;

  Terms terms_;
  std::unique_ptr<collide::Scene> scene_;
  std::vector<double> poses_;
  std::vector<double> reach_;  // [touching bodies] of their shapes from the body's origin [m]
  std::vector<FreeRoot> free_roots_;
  std::vector<char> active_;        // [constraints of the model]
  std::vector<std::size_t> place_;  // [nv] of a speed in the order by blocks

  // A step's numbers; speeds in the model's order:
  std::vector<double> arguments_, scratch_, forward_, free_, corrected_, end_, shift_;
  double* tau_ = nullptr;
  double* wrench_ = nullptr;
  // Block after block, by the solver's offsets:
  std::vector<BlockMetric> metrics_;
  std::vector<double> u_free_, dx_, scratch_block_;
  SweepSolver solver_;
  // [touching bodies] and the rows of their twists [6 x largest stride each]
  std::vector<Touching> touching_;
  std::vector<double> twist_rows_;
  std::size_t twist_size_ = 0;
  std::uint64_t gathered_ = 0;
  std::vector<Near> near_;
  std::vector<double> slack_;
  // Of the books: arguments and answers of the energy's kernel, generalised impulses by blocks, a change of speeds.
  std::vector<double> energy_in_, energy_out_, energy_work_, momentum_, change_;
  bool other_forces_ = false, sources_ = false;
  double unexplained_ = 0.0;  // [J] of the step that failed for it
  // Of dry friction at joints:
  std::vector<double> axis_rows_, axis_rates_, axis_out_, axis_work_;  // [axes x nv] dr/du, [axes]
  std::vector<double> axis_numbers_;
  std::vector<simulate::DryAxis> axes_;
  std::vector<int> axis_blocks_;  // [axes]
  std::vector<AxisAnswer> axis_answers_;
  std::span<const double> carried_;  // while contacts are met
  PressedForces pressed_;
  std::vector<double> pressed_tau_;  // [nv] at the place where contacts are met
  double deepest_ = std::numeric_limits<double>::infinity();
  std::size_t recalled_ = 0;
  std::vector<StepContact> contacts_, next_contacts_;  // of the last step; of this one
  std::size_t contact_count_ = 0, next_count_ = 0;
  std::vector<double> x_,
      compression_;  // what the impulses do; those of Poisson's first phase [3 per contact]
  std::vector<double> row_force_, row_force_before_;  // [rows]
  std::vector<double> row_impulse_;                   // [nv] of the contacts, in a block's speeds
  // Transitions:
  std::vector<double> guards_, guard_in_, guard_work_;
  std::vector<char> guard_armed_, fired_once_, active_before_, armed_before_, once_before_;
  std::vector<Event> events_;
  int misfit_ = -1;  // row that was to be switched on out of place
  // Sleep:
  std::vector<Rest> rest_, rest_before_;
  std::vector<double> resting_forces_;
  std::vector<char> still_;  // [bodies of the model] that do not move: the ground, and those that sleep
  bool any_asleep_ = false;
  // Of small forces, in the solver's coordinates:
  std::vector<Answering> answering_;  // [contacts]
  std::vector<AnsweringRow> answering_rows_;
  std::vector<double> response_, response_image_, udot_;
  simulate::OutsideLoads* outside_ = nullptr;
  std::vector<double> efforts_;  // [nv]
  double position_error_ = 0.0;  // of the bilateral constraints, at the start of the step
  double correction_ = 0.0;      // [J] of the step, for the books
  double moved_ =
      1.0;  // part of the end speeds by which the step moves positions: 1, or 0 where another has moved them
  simulate::State before_meeting_;
  std::vector<double> arguments_end_;
  std::vector<double> theta_, qdot_, q_end_, u_next_;
};

}  // namespace tactus::contact
