// The recursions on plain numbers: Newton-Euler, composite bodies and articulated bodies as loops over the
// links.
//
// The same templates that derive the equations symbolically, run on double: nothing is simplified, folded or
// generated. That makes them the oracle of the generated code, and what it is measured against
// (docs/benchmarks.md). Loads: weight, armature, and springs, damping and friction at the joints. All memory
// is made once; a call never allocates.
#pragma once

#include <vector>

#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

class Recursion {
 public:
  /// `friction`: joint friction and damping count, as in Options. Throws InputError for models with speeds of
  /// their own definition, with springs between points or frames, or with constraints.
  explicit Recursion(const describe::Model& model, bool friction = true);

  int nq() const { return tree_.nq; }
  int nv() const { return tree_.nv; }
  const Tree<double>& tree() const { return tree_; }

  /// tau [nv] for a motion q [nq], u [nv], udot [nv], by Newton-Euler.
  void inverse_dynamics(const double* q, const double* u, const double* udot, double* tau);
  /// M [nv x nv] by composite bodies, both triangles.
  void mass_matrix(const double* q, double* M);
  /// udot [nv] for actuator forces tau [nv], by articulated bodies. Forces at passive joints count as zero.
  void forward_dynamics(const double* q, const double* u, const double* tau, double* udot);

 private:
  /// Springs, damping and friction of one joint rate.
  struct JointLoad {
    double viscous_positive = 0.0, viscous_negative = 0.0;  // damping included
    double coulomb_positive = 0.0, coulomb_negative = 0.0;
    double stiffness = 0.0, rest = 0.0;
    int q = 0;  // the coordinate that the spring stretches
    bool passive = false;
  };
  double load(std::size_t k, const double* q, const double* u) const;

  Tree<double> tree_;
  std::vector<JointLoad> loads_;
  std::vector<OutsideWrench<double>> no_wrenches_;
  Motion<double> motion_;
  ArticulatedMotion<double> articulated_;
  std::vector<CompositeBody<double>> composite_;
  std::vector<double> net_;
};

}  // namespace tactus::derive
