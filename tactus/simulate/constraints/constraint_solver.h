// Constraints in motion: accelerations by the chosen formulation, and holding the constraints after each
// step.
//
// The default road is straight-line code for the rows that are generically independent. Its pivots say how
// far each row is from the span of those before it; where one is small, by its row's natural size, the same
// acceleration is computed again by the rank-revealing multipliers. Nothing is allocated after the
// constructor.
//
// Holding. After a step of any integrator,
//
//   q <- q (+) W dq,   dq = -M^-1 A^T (A M^-1 A^T)^+ Phi       repeated (Newton): position
//   u <- u + du,       du = -M^-1 A^T (A M^-1 A^T)^+ (A u + c)                   velocity
//
// the smallest changes in the metric of the mass matrix. They have the size of the integrator's local error,
// so its order stays; a change of velocity by constraint impulses does no work on the motions that are left.
// Position alone is not enough [Aghili2005, (37)]: an error of velocity, A u = const, grows without bound
// where A becomes small.
//
// Near singular configurations the stages of an integrator, which lie off the manifold by its local error,
// need the same care: a normal of the manifold turns there by (distance from it)/(distance from the
// singularity). On the rank-revealing road the accelerations are therefore those at the nearest state that
// the constraints allow. It is the same differential equation on the manifold, continued off it along the
// normals, so the order stays again. Too close to the singularity even that state is not sure; but along a
// motion that passes it the acceleration is smooth, and is interpolated from those a little before and a
// little after. A motion at rest there has no sides, and a velocity that belongs to no branch sees no smooth
// acceleration: rows that depend on others are then left out, and what the forces do against them is taken
// out of the velocity at the end of the step, where it is also moved to a branch (branches.h).
//
// Which rows are on, and which of those are held, is the RowSet's to say (row_set.h).
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <tactus/simulate/constraints/branches.h>
#include <tactus/simulate/constraints/constraints.h>
#include <tactus/simulate/constraints/crossing.h>
#include <tactus/simulate/constraints/formulation.h>
#include <tactus/simulate/constraints/mass_metric.h>
#include <tactus/simulate/constraints/parametric.h>
#include <tactus/simulate/constraints/row_set.h>
#include <tactus/simulate/motion/displacement.h>
#include <tactus/simulate/motion/motion_law.h>

namespace tactus::simulate {

/// A row's squared distance from those before it, by its natural size: the straight-line code's error is
/// about the rounding divided by it.
inline constexpr double kHealthyPivot = 1e-6;

class ConstraintSolver final : public MotionLaw {
 public:
  /// The dynamics, which have constraints, must outlive the solver. Throws InputError where the parametric
  /// formulation is asked for and the model gives no psi.
  ConstraintSolver(const Dynamics& dynamics, ConstraintOptions options = {});

  const Constraints& constraints() const { return constraints_; }
  const ConstraintOptions& options() const { return options_; }

  /// udot and qdot at t q u tau wrench. NaN where the problem has no solution.
  void accelerate(const double* arguments, double* udot, double* qdot) override;
  /// Everything about the constraints there, by the chosen formulation (multipliers for automatic): entries
  /// of `lambda` and `redundant` belong to active_rows(). Where the motion crosses a singular configuration they are
  /// those of its branch (`across`). False where the problem has no solution.
  bool solve(const double* arguments, ConstrainedMotion& motion);
  const std::vector<std::size_t>& active_rows() const { return rows_.active(); }
  /// The active set of rows.
  const RowSet& rows() const { return rows_; }

  /// What Holding says of positions and velocities.
  double settle_position(double t, double* q, const double* u) override;
  void settle_velocity(double t, const double* q, double* u) override;

  /// Of the parametric formulation, null with the others. In it solve() and accelerate() find z and zd from q
  /// and u, beginning with those of the last place.
  Parametrization* parametrization() { return parametrization_.get(); }
  /// zdd and udot at t q u tau wrench, where the parametrization is placed.
  bool accelerate_in_parameters(const double* arguments, double* zdd, double* udot);
  /// Active rows that psi does not satisfy.
  const std::vector<std::size_t>& rows_left() const { return rows_left_; }
  /// Whether the same rows are active as at the start.
  bool as_at_start() const { return rows_.as_at_start(); }

  /// The largest position error of the active rows [m, rad].
  double position_error(double t, const double* q);

  /// Moves q onto the constraints; the largest error left [m, rad].
  double hold_position(double t, double* q);
  /// Makes u agree with the constraints; the largest error left [m/s, rad/s].
  double hold_velocity(double t, const double* q, double* u);
  /// In a singular configuration: moves u, which agrees with the constraints, to the nearest branch.
  void choose_branch(double t, const double* q, double* u) { branches_.settle(t, q, u, rows_.active()); }
  /// The impulse by which the active constraints catch a velocity that they do not allow, plastically:
  /// M (u+ - u-) = A^T impulse, A u+ + c = 0 [Gillespie2003, section 5]. One entry per row of the model, 0 where it
  /// is off; false where the problem has no solution, and u stays.
  bool strike(double t, const double* q, double* u, std::span<double> impulse);

  /// Errors of all rows.
  void errors(double t, const double* q, const double* u, const double*& position, const double*& velocity);

  /// A new motion begins at this state.
  void reset(double t, const double* q, const double* u);
  /// A step has ended at this state: looks whether rows became redundant or independent.
  void end_step(double t, const double* q, const double* u);

  bool is_active(int constraint) const { return rows_.is_active(constraint); }
  /// Takes effect at once; strike() and end_step() are the caller's to do.
  void set_active(int constraint, bool active);
  /// The same for all rows of the model at once [m].
  void set_active(const char* rows);

  /// What a step changes besides the state, to go back to where it began; no memory is taken after the first
  /// save.
  struct Memory {
    RowMemory rows;
    std::vector<char> choice;  // of the formulation
    double width_part = 1.0;   // of the crossing that is under way
  };
  void save(Memory& memory) const;
  void load(const Memory& memory);
  /// The same with the solver's own memory: remembers the present, and goes back to it.
  void mark();
  void rewind();
  /// A look at some state, between two steps: what it finds out is no part of any step.
  class Look {
   public:
    explicit Look(ConstraintSolver& solver)
        : solver_(solver),
          detoured_(solver.rows_.detoured()),
          near_(solver.near_),
          width_part_(solver.width_part_) {
      solver.crossing_.forget();
    }
    ~Look() {
      solver_.crossing_.forget();
      solver_.rows_.set_detoured(detoured_);
      solver_.near_ = near_;
      solver_.width_part_ = width_part_;
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;

   private:
    ConstraintSolver& solver_;
    bool detoured_, near_;
    double width_part_;
  };

  // For laws that have further rows besides these (contact/events/contact_motion.h).
  /// Whether accelerate() has straight-line code for the rows that are held now.
  bool has_code() const {
    return rows_.active().empty() ||
           (rows_.unrolled_fits() && options_.formulation == Formulation::automatic &&
            options_.holding != Holding::baumgarte);
  }
  /// A step needed more than straight-line code: its end is looked at.
  void note_detour() { rows_.note_detour(); }
  /// Whether rows set aside had to be taken back at this place: they do not follow from those held.
  bool take_back_positions(double t, const double* q);
  bool take_back_velocities(double t, const double* q, const double* u);
  /// Multipliers of all rows [m], those of least size, that make this force A^T lambda [nv] at t q. False
  /// where there are none.
  bool share_force(double t, const double* q, const double* force, double* lambda);

  /// Next to a singular configuration that the motion u crosses, less than this away: moves q to the branch, and gives
  /// covectors that span the forces of the held rows there [held rows x nv], by those on both sides. False where there
  /// is none; q may have moved.
  bool normals_across(double t, double* q, const double* u, double nearer_than, double* normals);

  /// Accelerations since reset() that the straight-line code could not do.
  long detours() const { return detours_; }

 private:
  struct Gathered {  // rows without those set aside, next to each other
    std::vector<std::size_t> rows;
    math::LazyZeros<double> A;  // [m x nv]
    std::vector<double> gamma, scale, error;
  };
  bool gather(const std::vector<std::size_t>& rows);
  ConstrainedProblem problem() const;
  void update_rows_left();
  bool solve_by_code(const double* arguments, ConstrainedMotion& motion);
  bool solved_far() const;
  /// The smallest distance of a row from the span of those before it, squared: by its natural size and by its own.
  double least_pivot(const double* distances, const std::vector<std::size_t>& rows) const;
  /// The smallest du that takes `error` (per row of the model) out of the held rows.
  bool smallest_step(double t, const double* q, const double* error, bool positions, double* du);
  /// By the chosen formulation, exactly there.
  bool accelerate_at(const double* arguments, double* udot);
  /// At the nearest state that the constraints allow, or by the two sides of a singularity.
  bool accelerate_on_manifold(const double* arguments, double* udot);
  bool solve_here(const double* arguments, ConstrainedMotion& motion);
  bool solve_in_parameters(const double* arguments, ConstrainedMotion& motion);
  /// Without the rows that are nearer than this to the span of others.
  bool accelerate_without(double near, const double* arguments, double* udot);
  double largest(const double* errors, const std::vector<std::size_t>& rows) const;

  // Across a singular configuration (crossing.h), in constraint_solver_crossing.cpp. False where there is none to be
  // crossed along u, or not that way: nothing has changed then.
  bool accelerate_across(const double* arguments, double here, double* udot);
  bool solve_across(const double* arguments, ConstrainedMotion& motion);
  bool hold_across(double t, double* q, const double* u);
  bool hold_velocity_across(double* u);
  double distance_at(double t, const double* q);
  bool find_crossing(double t, const double* q, const double* u, double here);
  bool place_sides(const double* arguments);
  void guess_side(std::size_t j);
  bool project_sides(const double* u);
  bool accelerate_side(std::size_t j, double* udot);
  double accelerate_sides(double* udot);

  const Dynamics& dynamics_;
  const Constraints& constraints_;
  ConstraintOptions options_;
  std::size_t nq_, nv_, m_;
  ConstraintTerms terms_;
  std::unique_ptr<FormulationSolver> solver_;
  std::unique_ptr<Parametrization> parametrization_;
  ParametricSolver* parametric_ = nullptr;  // the solver, in that formulation
  MassMetric metric_;
  Branches branches_;
  ConstrainedMotion motion_;
  Gathered gathered_;

  RowSet rows_;
  std::vector<char> marked_choice_;
  std::vector<std::size_t> rows_left_;
  std::vector<char> left_, late_;  // of the active rows; left_ in the parametric formulation
  long detours_ = 0;
  std::vector<double> forward_out_, unrolled_in_, unrolled_out_, work_;
  std::vector<double> stage_, mean_, spread_;  // arguments, udot, differences of udot
  std::vector<double> rest_, du_, q_before_;
  Displacement displacement_;
  Crossing crossing_;
  ConstrainedMotion side_motion_;
  std::vector<double> q_across_, side_error_;          // a place, errors of rows [m]
  std::vector<double> across_, inner_, mean_across_;   // sums by the sides' weights
  double met_ = 0.0;                                   // error of the place between the sides
  double width_part_ = 1.0, marked_width_part_ = 1.0;  // that this crossing allows
  std::vector<double> lambda_across_, lambda_inner_;   // of active rows
  math::LazyZeros<double> side_rows_;                  // A on one side [m x nv]
  bool near_ = false;          // a stage of this step came near a singular configuration
  bool sides_placed_ = false;  // around the place that settle_position() found
};

}  // namespace tactus::simulate
