// Dry friction at joints: Coulomb's law as what it is, a set. With r the rate of a joint and lambda the force of its
// friction,
//
//   r > 0:  lambda = -F+        r < 0:  lambda = +F-        r = 0:  lambda in [-S+, S-],  S >= F
//
// (F of sliding, S of sticking; the model gives each direction its own). A joint at rest sticks while a force within
// its set keeps it there, whatever the others do: for the joints R at rest, with a = G lambda + b their accelerations
// (G = J M_c^-1 J^T, symmetric and positive semidefinite, M_c^-1 the response under constraints and contacts),
//
//   find lambda in the box with  a_i = 0, or a_i > 0 and lambda_i = -S+, or a_i < 0 and lambda_i = S-
//
// which is the minimum of lambda^T G lambda/2 + b^T lambda over the box: there always is one. What ends at a bound with
// an acceleration begins to slide that way. No force of friction then does positive work.
//
// G and b are found from the accelerations themselves, which are affine in the forces at the joints: one more evaluation
// per joint at rest, and the law holds under every formulation, constraint and contact.
//
// Within a piece of motion the joints R at rest stay so, the others F move on under forces that are known. Where nothing but M
// answers (no constraints, no contacts, speeds that are the joint rates) that is, from accelerations a under the last lambda,
//
//   r = M a,    a'_R = 0,  M_FF a'_F = r_F,    lambda'_R = lambda_R + (M a')_R - r_R
//
// one mass matrix instead of the evaluations.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <tactus/derive/equations.h>
#include <tactus/generate/kernel.h>

namespace tactus::simulate {

struct Dynamics;

struct DryAxis {
  int rate = 0;                                  // of the joint rates: whose tau it adds to
  double slide_forward = 0.0, slide_back = 0.0;  // [N or N m] F+, F-
  double stick_forward = 0.0, stick_back = 0.0;  // [N or N m] S+, S-
};

/// The constant part.
struct DryFriction {
  std::vector<DryAxis> axes;
  std::optional<generate::Kernel> rates;  // t q u -> qd W qdd_bias; none where the speeds are the joint rates
  /// -> F+ F- S+ S- of each axis, where adjustable parameters are in them.
  std::optional<generate::Kernel> bounds;
  std::optional<generate::Kernel> inertia;  // t q -> M; none where more than M answers

  static constexpr std::size_t kBounds = 4;  // of an axis
  /// The axes with the bounds as they are now. `numbers` has room for those of all axes and the kernel's work.
  void update(std::vector<DryAxis>& axes, std::vector<double>& numbers) const;
  std::size_t numbers_size() const { return kBounds * axes.size() + (bounds ? bounds->work_size() : 0); }
};

/// Null where no joint has any, now or by an adjustable parameter. `equations` are those of the model, or of it without dry friction.
std::shared_ptr<const DryFriction> dry_friction_of(const describe::Model& model,
                                                   const derive::Equations& equations,
                                                   generate::Backend backend = generate::Backend::automatic);
bool has_dry_friction(const describe::Model& model);
/// The same model with Coulomb's part of the friction left out, for equations to which the law is added.
describe::Model without_dry_friction(const describe::Model& model);

/// The law at work. Nothing is allocated after the constructor.
class FrictionLaw {
 public:
  FrictionLaw(const Dynamics& dynamics);

  std::size_t size() const { return axes_.size(); }
  const DryAxis& axis(std::size_t i) const { return axes_[i]; }

  /// Modes: +1, -1 slide forward and back, 0 at rest. While they are given, friction does not look at the rates: the
  /// equations of a piece of motion are smooth. Otherwise each evaluation finds them.
  void give_modes(bool given) { given_ = given; }
  bool given() const { return given_; }
  std::vector<signed char>& modes() { return mode_; }
  const std::vector<signed char>& modes() const { return mode_; }
  /// [N or N m] of each axis, where act() was last called.
  const std::vector<double>& forces() const { return lambda_; }
  /// Modes and forces as they were.
  void set(const std::vector<signed char>& modes, const std::vector<double>& forces) {
    mode_ = modes;
    lambda_ = forces;
  }
  /// Modes by these rates. Whether any joint is at rest: which of those stick, act() finds.
  bool modes_by(const std::vector<double>& rates);
  /// By how much the worst of those that stick is beyond its bound, by the bound; negative where none is.
  double excess() const;

  /// Rates of the axes at t q u [rad/s or m/s].
  void evaluate_rates(const double* arguments, std::vector<double>& rates);

  /// Adds the friction to tau (within the arguments t q u tau ...) and leaves the accelerations in udot.
  /// `accelerate()` computes udot for the arguments as they are.
  /// `as_before`: with the forces of the last time. `free`: no law of contacts takes part.
  template <class Accelerate>
  void act(const double* arguments, double* tau, double* udot, bool as_before, bool free,
           const Accelerate& accelerate) {
    if (as_before) {
      for (std::size_t i = 0; i < axes_.size(); ++i) tau[axes_[i].rate] += lambda_[i];
      accelerate();
      return;
    }
    begin(arguments, tau);
    accelerate();
    if (rest_.empty()) return;
    if (given_ && free && friction_.inertia && hold_by_inertia(arguments, tau, udot)) return;
    note_base(udot);
    for (std::size_t j = 0; j < rest_.size(); ++j) {
      double& force = tau[axes_[rest_[j]].rate];
      const double kept = force;
      force = kept + probe(j);
      accelerate();
      note_column(j, udot, force - kept);
      force = kept;
    }
    finish(tau);
    accelerate();
  }

  /// The impulses that take the rates of the joints at rest to zero, by the columns of the last act(): the smallest in
  /// the metric of the mass matrix.
  void stop(double* u);

 private:
  void begin(const double* arguments, double* tau);
  double probe(std::size_t j) const;
  void note_base(const double* udot);
  void note_column(std::size_t j, const double* udot, double force);
  void finish(double* tau);
  void hold();
  bool hold_by_inertia(const double* arguments, double* tau, double* udot);
  void choose();
  bool pivot();
  /// x_F of G_FF x_F = -rhs_F for the entries that are free; the others keep theirs. Where rows depend on each other,
  /// some of them is zero.
  void solve_free(const double* rhs, double* x);
  double row_times(std::size_t j, const double* v) const;

  const Dynamics& dynamics_;
  const DryFriction& friction_;
  std::vector<DryAxis> axes_;
  std::vector<double> numbers_;  // of its bounds
  std::size_t nv_;
  bool given_ = false;
  std::vector<signed char> mode_;
  std::vector<double> rate_, lambda_;
  std::vector<double> out_, work_;  // of the kernel of rates
  std::vector<double> compliance_;  // [axes] natural sizes of G's diagonal [1/kg or 1/(kg m^2)]
  // Of the joints at rest:
  std::vector<std::size_t> rest_;
  std::vector<double> base_, columns_;  // [nv] udot, and [nv x rest] what a unit of force adds to it
  std::vector<double> G_, a_, x_, lower_, upper_, residual_;
  std::vector<signed char> bound_;                 // -1, +1: at the lower, upper bound; 0: free
  std::vector<double> L_, y_, forward_;            // factors, and memory of solutions
  std::vector<double> M_, factor_, inertia_work_;  // of hold_by_inertia()
  std::vector<std::size_t> free_;
  std::vector<std::size_t> order_;
};

}  // namespace tactus::simulate
