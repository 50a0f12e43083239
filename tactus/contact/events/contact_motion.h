// Accelerations under the constraints and contacts that are on at the moment (the active set), and how they
// are held: the law of motion between two events.
//
// There is one law of constraints, the ConstraintSolver's (simulate/constraints/constraint_solver.h). While
// nothing touches and no stop is on, motion is its business alone: straight-line code, redundant rows set
// aside, singular positions, branches. With unilateral rows on, the equations are those of active_set.h, for
// the bilateral rows that the solver holds and the unilateral ones after them. Two things may happen to the
// elimination:
//
//   bilateral rows near a singular position (by the solver's measure: natural sizes, pivots)
//       The solver finds the accelerations udot_b of the constraints alone. What pushes answers through the
//       constraints: with M_c^-1 = L^-T (I - E E^T) L^-1, E an orthonormal basis of the independent bilateral
//       rows in the metric of M = L L^T, and Q_c the forces of compliant touches,
//
//         udot = udot_b + M_c^-1 (Q_c + B^T lambda),   (A M_c^-1 B^T) lambda = gamma - A (udot_b + M_c^-1 Q_c)
//
//   unilateral rows that depend on those before them (a box on four corners)
//       The same system is solved again by orthogonal factors, with the multipliers of least size.
//
// Nothing is allocated after the constructor.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <tactus/contact/events/active_set.h>
#include <tactus/contact/events/active_system.h>
#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/events/terms.h>
#include <tactus/contact/law/touch.h>
#include <tactus/contact/rederive/set_key.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/constraints/mass_metric.h>
#include <tactus/simulate/motion/displacement.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/motion_law.h>

namespace tactus::contact {

class Rederiver;
struct SetCode;

/// Below this health (active_system.h) a unilateral row counts as dependent on those before it.
inline constexpr double kLeastHealth = 1e-9;

/// Which path the motion took.
struct PathStatistics {
  long ticks = 0, ticks_general = 0;  // ticks that began on the general path
  long changes = 0;                   // of the set
  long hits = 0;                      // changes to a set that had code already
  long swaps = 0;                     // code taken between two ticks
  long worst_wait = 0;                // ticks from a change to its code
  double worst_latency = 0.0;         // [s] the same by the clock
  long fallbacks = 0;                 // sets whose code met dependent rows: the general path took over
};

class ContactMotion final : public simulate::MotionLaw {
 public:
  /// The contact model must outlive it. Throws InputError for the parametric formulation: psi says where a
  /// mechanism can be, whatever touches.
  ContactMotion(const ContactModel& contact_model, std::size_t most_touches,
                const simulate::ConstraintOptions& options = {});
  ~ContactMotion() override;

  // The set. Whoever changes it calls update().
  std::vector<char> row_on;    // [rows of the model]
  std::vector<Touch> touches;  // near each other or touching; room is reserved for the most
  std::size_t most_touches() const { return most_; }
  void update();
  /// Nothing touches and no stop is on.
  bool quiet() const {
    for (const Touch& touch : touches)
      if (touch.touching()) return false;
    for (const int row : contact_model_.row_of_stop)
      if (row >= 0 && row_on[static_cast<std::size_t>(row)] != 0) return false;
    return true;
  }

  /// A motion begins at this state: u and q are moved onto the constraints as Simulation::set_state() does.
  void begin(double t, double* q, double* u);
  /// What a step changes besides the state, to go back to where it began.
  using Memory = simulate::ConstraintSolver::Memory;
  void save(Memory& memory) const;
  void load(const Memory& memory);
  void mark();
  void rewind();
  /// An event is over at this state: looks whether rows became redundant with it.
  void end_event(double t, const double* q, const double* u);

  /// Code for single sets of constraints and contacts, made while the motion runs; nullptr: none.
  /// `hold_back`: ticks that must go by in a set before its code is taken.
  void attach(Rederiver* rederiver, long hold_back = 0);
  /// Once per tick, before it: new code is taken here. Whether it begins quiet.
  bool begin_tick();
  /// A stretch of motion with one set, in which nothing but accelerations and settling is asked for: the code
  /// of the set serves them where there is some. Outside of stretches the general path runs, which leaves
  /// terms, touches and forces behind for everyone to read.
  class Stretch {
   public:
    explicit Stretch(ContactMotion& motion) : motion_(motion) { motion_.begin_stretch(); }
    ~Stretch() {
      motion_.code_ = nullptr;
      motion_.in_stretch_ = false;
    }
    Stretch(const Stretch&) = delete;
    Stretch& operator=(const Stretch&) = delete;
    /// The law of the stretch: the solver's own where the constraints alone act.
    simulate::MotionLaw& law() const {
      if (motion_.by_solver_ && motion_.solver_) return *motion_.solver_;
      return motion_;
    }

   private:
    ContactMotion& motion_;
  };
  const PathStatistics& paths() const { return paths_; }
  /// The key of the present set; false where it has none.
  bool name_set(SetKey& key);

  void accelerate(const double* arguments, double* udot, double* qdot) override;
  double settle_position(double t, double* q, const double* u) override;
  /// The same from further away, and the potential energy that it gives: minus the forces' work [J].
  double part(double t, double* q);
  /// To be called where a piece of the motion begins, after accelerate() there: rows of which others say the
  /// same (corners of a box that lies on a wall) are left out of its stretches. Their forces are shared outside
  /// of them, where laws are looked at.
  void drop_dependent();
  void keep_all() { any_dropped_ = false; }
  /// Whether the rows that were left out hold, where the touches were last evaluated: they depend on the others
  /// in the whole piece, not in one instant of it.
  bool dropped_hold() const;
  void settle_velocity(double t, const double* q, double* u) override;

  // What forces would add to the accelerations, at the last accelerate() outside of a stretch, with the rows as they are.
  /// False where rows depend on each other, or the constraint solver has them.
  bool prepare_answers();
  /// `force` [nv], in terms of the speeds, becomes what it adds to udot.
  void answer(double* force);

  // At the last accelerate() outside of a stretch: multipliers, 0 for what is off.
  double stop_force(std::size_t row) const { return row_force_[row]; }
  /// Of any row of the model; where rows are redundant, those of least size. Found when it is first asked for.
  double row_force(std::size_t row);
  /// Normal force, and friction along t1 and t2, on body b.
  const std::array<double, 3>& touch_force(std::size_t touch) const { return touch_force_[touch]; }
  bool redundant() const { return redundant_; }  // the rows were dependent
  bool solved() const { return solved_; }
  const Terms& terms() const { return terms_; }
  /// The last accelerations.
  const double* udot() const { return udot_.data(); }
  /// Evaluates the motion of all touches at the terms' place.
  void evaluate_touches();
  /// Tangents for a new touch, at the terms' place.
  void choose_tangents(Touch& touch);
  /// The acceleration along direction k of a touch, with the last udot.
  double touch_acceleration(const Touch& touch, std::size_t k);
  /// The acceleration A udot - gamma of a row of the model.
  double row_acceleration(std::size_t row);

  Terms& mutable_terms() { return terms_; }
  /// Detours through orthogonal factors so far.
  long detours() const { return detours_; }
  /// Kinetic energy at the terms' place for speeds u.
  double kinetic_energy(const double* u);

 private:
  /// Whether the constraint solver moves the present set, by itself.
  bool by_solver() const;
  /// Whether it does where nothing unilateral is on.
  bool serves_quiet() const;
  void gather_set();
  void keep_slips();
  std::size_t bilateral_rows(Level level) const { return bilateral_[level == Level::position ? 0 : 1]; }
  void begin_stretch();
  /// The code's answer; false where its rows depend on each other.
  bool run(const generate::Kernel& code, std::size_t rows, std::size_t bilateral, std::size_t before_health);
  auto motion_of_part() const {
    return
        [this](std::size_t part) -> const GapMotion<double>& { return touches[touch_of_part_[part]].motion; };
  }
  enum class Rows : std::uint8_t { independent, dependent, singular };
  Rows solve_system(std::size_t bilateral);
  void solve_dependent();
  void solve_singular(const double* arguments, double* qdot);
  /// M, and the rows that are on for the level (touches: normal, and tangents where they stick); B = A.
  /// error_ gets what must vanish.
  void fill_rows(Level level);
  bool step_in_singular();
  void place_row_scales(std::size_t bilateral);
  void respond_to_force(double* force);
  void find_row_forces();
  std::size_t errors_and_step(Level level, double t, const double* q, const double* u, double held);

  const ContactModel& contact_model_;
  const TermsKernel& kernel_;
  const simulate::Dynamics& dynamics_;
  std::size_t n_, most_;
  Terms terms_;
  ActiveSystem<double> system_;
  struct Dependent;
  std::unique_ptr<Dependent> dependent_;
  Rederiver* rederiver_ = nullptr;
  long hold_back_ = 0, ticks_in_set_ = 0;
  std::unique_ptr<simulate::ConstraintSolver> solver_;  // null: the model has no rows
  simulate::MassMetric metric_;                         // of singular bilateral rows
  std::array<std::size_t, 2> bilateral_{};              // rows of the set: with a position level, all
  std::vector<char> own_on_;                            // [rows] without stops
  std::vector<double> arguments_, scale_, answer_, force_, free_out_, free_work_;
  bool forces_known_ = true;
  bool step_found_ = false;
  bool in_stretch_ = false, by_solver_ = false;
  bool served_ = false;             // `key_` and `set_` are those of the solver alone
  const SetCode* code_ = nullptr;   // in a stretch
  const SetCode* taken_ = nullptr;  // of the present set
  bool known_ = false;              // `key_` is that of the present set
  bool dependent_set_ = false;      // its rows were seen to depend on each other
  SetKey key_, next_key_;
  std::chrono::steady_clock::time_point changed_;
  PathStatistics paths_;
  std::vector<double> code_in_, code_out_, code_work_;
  bool any_dropped_ = false;
  std::vector<unsigned> dropped_;         // by touch: bits n, t1, t2
  std::vector<double> span_, span_of_A_;  // of the rows [A B], A that are kept, orthonormal

  SetForm set_;
  std::vector<TouchNumbers<double>> numbers_;  // of the set's touches
  std::vector<std::size_t> touch_of_part_;     // where they stand in `touches`
  std::vector<double> row_force_;
  std::vector<std::array<double, 3>> touch_force_, part_force_;
  bool redundant_ = false, solved_ = true;
  /// Who answers: nobody, the mass matrix at the terms' place (then factored), or the system that was solved.
  enum class Answers : std::uint8_t { none, by_mass, by_factors, by_system };
  Answers answers_ = Answers::none;
  std::vector<double> mass_factors_, answer_lambda_;
  long detours_ = 0;
  std::vector<double> scratch_, udot_, error_, step_;
  simulate::Displacement displacement_;
  std::vector<double> rest_, q_before_;
};

}  // namespace tactus::contact
