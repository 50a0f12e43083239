// The motion as an ordinary differential equation z' = f(t, z) in the chart around a configuration q0
// (coordinates.h):
//
//   z = [theta; u; P],  q = q0 (+) theta
//
// with theta [nv], the speeds u [nv], and the momentum P [np] of trees that hang free (momentum.h), on which
// nothing depends. All integrators work on z; all memory of a step is here. In parametric coordinates the
// motion is another differential equation with the same shape: see parametric_chart.h.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/ports.h>
#include <tactus/simulate/motion/state.h>

namespace tactus::simulate {

class FrictionLaw;  // dry_friction.h

/// Memory for one motion, named by the stage that writes it.
struct Workspace {
  // The array of arguments of all kernels (dynamics.h); the pointers lead into it.
  std::vector<double> arguments;
  double* t = nullptr;              // [1]
  double* q = nullptr;              // [nq]   position
  double* u = nullptr;              // [nv]   velocity
  double* tau = nullptr;            // [nv]   forces at the joints
  double* wrench = nullptr;         // [6 per wrench]
  double* udot = nullptr;           // [nv]   acceleration
  double* qdot = nullptr;           // [nq]
  double* P_rate = nullptr;         // [np]   outside wrench
  std::vector<double> momentum;     // [np + sizes of the A blocks]
  std::vector<double> u_before;     // [nv]  where momentum is carried: before the constraints were met
  std::vector<double> scratch;      // of the largest kernel
  std::vector<double> held_tau;     // [nv]  given for the length of a step, added to the prescribed loads
  std::vector<double> held_wrench;  // [6 per wrench]
  std::vector<double> efforts;      // [nv]  tau without what acts at the ports
  std::vector<double> q0;           // [nq]  centre of the chart
};

class Chart {
 public:
  explicit Chart(const Dynamics& dynamics, const ConstraintOptions& constraints = {});
  /// Accelerations by a law of the caller's, which must outlive the chart.
  Chart(const Dynamics& dynamics, MotionLaw& law);
  virtual ~Chart();
  /// Accelerations by another such law from now on.
  void obey(MotionLaw& law) { law_ = &law; }
  Chart(const Chart&) = delete;
  Chart& operator=(const Chart&) = delete;

  const Dynamics& dynamics() const { return dynamics_; }
  /// Null where the mechanism has no constraints.
  ConstraintSolver* constraints() { return constraints_.get(); }
  const ConstraintSolver* constraints() const { return constraints_.get(); }
  Workspace& workspace() { return w_; }
  const Workspace& workspace() const { return w_; }
  /// Of dry friction at joints; null where there is none.
  FrictionLaw* friction() const { return friction_.get(); }
  /// Loads besides script and held input; nullptr: none. They must outlive the chart.
  void attach(OutsideLoads* outside) { outside_ = outside; }
  /// [nv] forces at the joints without friction and what acts at ports, where a slope was last computed.
  std::span<const double> efforts() const {
    return {outside_ != nullptr || friction_ != nullptr ? w_.efforts.data() : w_.tau, w_.efforts.size()};
  }
  /// Slopes see no earlier and no later time than these [s]: those of a step that begins or ends where a force jumps are
  /// all of one side.
  void set_sight(double earliest, double latest) {
    earliest_ = earliest;
    latest_ = latest;
  }
  void clear_sight() {
    set_sight(-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity());
  }
  /// Entries of theta, and of u.
  virtual int freedoms() const { return dynamics_.nv(); }
  virtual int size() const { return 2 * dynamics_.nv() + dynamics_.np(); }
  virtual const std::string& speed_name(int i) const {
    return dynamics_.speed_names[static_cast<std::size_t>(i)];
  }

  /// A motion begins here: fills in what of the state follows from q and u. Throws InputError where the chart
  /// does not reach the state.
  virtual void adopt(State& state);
  /// Puts the chart's centre at q, and (0, u, P) into z.
  virtual void begin(const State& state, std::span<double> z);
  /// z' = f(t, z).
  virtual void slope(double t, const double* z, double* z_rate);
  /// The same, and leaves in the workspace what a slope is made of.
  void slope_with_parts(double t, const double* z, double* z_rate) {
    with_parts_ = true;
    slope(t, z, z_rate);
    with_parts_ = false;
  }
  /// Puts place, speeds and loads into the workspace, as slope() would, without accelerations. For charts of which theta moves the coordinates, and
  /// without dry friction, whose forces depend on accelerations.
  void load(double t, const double* z);
  /// theta' alone, at the centre q0 and with the speeds u.
  virtual void chart_rate_at_centre(double t, const double* u, double* theta_rate);
  /// Moves the centre to where z is: theta becomes zero, the root speeds agree with the momentum that z
  /// carries, and the constraints are held. Tells of trouble that z does not show.
  virtual Status settle(double t, std::span<double> z);
  /// A step of the classical Runge-Kutta method from a settled z, settled again, where there is a shorter road to it (flying_bodies.h):
  /// settle() has nothing left to do then. False: there is none, and nothing has changed.
  bool fly(double h, std::span<double> z);
  /// The largest error of a constraint's position that the last settle() left [m, rad].
  double position_error() const { return position_error_; }
  /// Reads the settled z back.
  virtual void end(double t, std::span<const double> z, State& state);
  /// More about a step that failed; nothing by default.
  virtual Status diagnosis() const { return {}; }

  // For whoever goes back to where a piece of the motion began (friction_stepper.h):
  /// Where the chart is centred: so many numbers.
  virtual std::size_t centre_size() const { return w_.q0.size(); }
  virtual void save_centre(double* centre) const;
  virtual void load_centre(const double* centre);
  /// The rates of the joints with dry friction, at the settled z.
  virtual void rates_of_axes(double t, std::span<const double> z, std::vector<double>& rates);
  /// The speeds within z; null where it has others.
  virtual double* speeds_in(std::span<double> z) { return z.data() + dynamics_.nv(); }

  // For the passive integrator:
  /// tau and wrench at the workspace's t, q, u.
  void loads_at_workspace() { evaluate_loads(); }
  /// [W] and [J] of what acts besides script and held input.
  double outside_power(const double* arguments) {
    return outside_ != nullptr && outside_->acts() ? outside_->power(arguments) : 0.0;
  }
  double outside_work(const double* from, const double* to) {
    return outside_ != nullptr && outside_->acts() ? outside_->work(from, to) : 0.0;
  }

  /// The momentum that belongs to q and u.
  void momentum_of(double t, const std::vector<double>& q, const std::vector<double>& u,
                   std::vector<double>& P);
  /// After u_before was changed to u (by impulses, or to meet constraints): P [np] follows for the trees
  /// whose speeds changed, and stays for the others. Constraints inside a tree that hangs free leave its
  /// momentum as it is, others change it.
  void follow_momentum(double t, const double* q, const double* u_before, const double* u, double* P);

 protected:
  /// tau and wrench at the workspace's t, q, u.
  void evaluate_loads();
  /// Whether the loads only ask how the mechanism would answer.
  bool probed() const { return outside_ != nullptr && outside_->probes(); }
  double in_sight(double t) const { return std::clamp(t, earliest_, latest_); }

  const Dynamics& dynamics_;
  Workspace w_;
  std::unique_ptr<ConstraintSolver> constraints_;
  std::unique_ptr<FrictionLaw> friction_;
  MotionLaw* law_ = nullptr;  // the constraints' solver, or the caller's; null: free motion
  OutsideLoads* outside_ = nullptr;
  double position_error_ = 0.0;
  double earliest_ = -std::numeric_limits<double>::infinity();
  double latest_ = std::numeric_limits<double>::infinity();

 private:
  /// udot and qdot under the loads of the workspace.
  void accelerate();
  void correct_root_speeds(double t, std::span<double> z);
  void settle_velocity(double t, std::span<double> z);
  void allocate();
  /// By the kernels of chart_kernels.h; false where they are not for this motion, and nothing has changed then.
  bool slope_by_code(double t, const double* z, double* z_rate);
  bool settle_by_code(double t, std::span<double> z);
  bool turns_little(const double* z) const;
  bool flies() const;

  bool with_parts_ = false;
  bool settled_ = false;  // by fly()
  std::vector<double> code_in_, code_out_, code_work_;
};

/// The chart that belongs to the formulation.
std::unique_ptr<Chart> make_chart(const Dynamics& dynamics, const ConstraintOptions& constraints);

}  // namespace tactus::simulate
