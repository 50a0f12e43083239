// What Kane's method writes down on its way to the equations of motion [Gillespie2003, section 3].
//
//   speeds              u = Y qd + Z,    qd = W u + X                                       (1), (2)
//   velocities          omega^B = sum_r omega_r^B u_r + omega_t^B                           (35)
//                       v^P     = sum_r v_r^P u_r + v_t^P                                   (23)
//   active forces       F_r  =   sum_B ( omega_r^B . T^B + v_r^Bo . R^B )                   (32)
//   inertia forces      F*_r = - sum_B ( omega_r^B . d(I omega)/dt + v_r^Bo . m a^Bo )      (33), with the sign of (14)
//   motion              F_r + F*_r = 0                                                      (34)
//
// kane.h has the same equations as code wants them: about the links' origins, weight and inertia in one. Here everything is about mass
// centres, and along axes that make the vectors short: those of the body itself or of a body that carries it. The derivative of
// a vector with components x along the axes of A is xd + omega^A x x. An angular momentum may be written along the axes of A where
// the inertia is constant there: in the body, and where the body is symmetric also in a body that does not share its spin.
//
// The forces of actuators, springs and friction at joints are conjugate to the joint rates: they enter F_r through the columns of W, and
// rotors of motors enter F*_r in the same way.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tactus/derive/constraints/constraints.h>
#include <tactus/derive/recursion/kinematics.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/speeds.h>

namespace tactus::derive {

/// An angular velocity, or the velocity of a point.
struct PartialVector {
  bool angular = false;
  std::string name;  // of the body (angular velocity; velocity of its mass centre) or of the frame
  int link = -1;     // that it belongs to
  int axes = 0;      // index into Model::bodies: whose axes the components are along
  std::vector<Vec3<Expr>> partial;       // one per speed
  Vec3<Expr> rest = Vec3<Expr>::zero();  // the remainder
};

class KaneTables {
 public:
  /// The wrenches of `options` act, too.
  KaneTables(const describe::Model& model, const Options& options);

  const std::shared_ptr<algebra::Graph>& graph() const { return graph_; }
  const Symbols& symbols() const { return *symbols_; }
  const SpeedMap& speeds() const { return speeds_; }
  const ConstraintEquations& constraints() const { return constraints_; }
  /// Angular velocities of bodies with inertia, velocities of mass centres and of the points where wrenches act.
  const std::vector<PartialVector>& vectors() const { return vectors_; }
  const std::vector<Expr>& active() const { return active_; }  // F_r
  /// F*_r = - sum_s M_rs udot_s - products_r
  const std::vector<Expr>& M() const { return M_; }
  const std::vector<Expr>& products() const { return products_; }
  /// t q u tau wrench parameters, and no outputs: for what evaluates formulas of the graph.
  Function inputs() const;

  /// The same along those axes, of the body and of what carries it, in which it is shortest.
  PartialVector in_shortest_axes(const PartialVector& vector) const;

 private:
  /// Of a link and its origin, in the link's axes: per speed, the remainder last.
  struct LinkPartials {
    std::vector<Vec3<Expr>> angular, linear;
  };
  const LinkPartials& of_link(int link);
  PartialVector velocity(const std::string& name, bool angular, int body, const Vec3<Expr>& p_L);
  Vec3<Expr> along(const PartialVector& vector) const;
  Vec3<Expr> spin_of(int body);
  Vec3<Expr> rate_of(const Vec3<Expr>& x) const;
  Vec3<Expr> turned(const Vec3<Expr>& v, int from, int to) const;
  std::vector<int> bodies_below(int link, int own) const;
  void add_inertia(int body);
  void add_loads();
  void add_points();

  const describe::Model& model_;
  Options options_;
  std::shared_ptr<algebra::Graph> graph_;
  algebra::Graph::Scope scope_;
  Numbers numbers_;
  std::unique_ptr<Symbols> symbols_;
  Tree<Expr> tree_;
  std::unique_ptr<Motion<Expr>> motion_;
  SpeedMap speeds_;
  ConstraintEquations constraints_;
  std::vector<std::unique_ptr<LinkPartials>> links_;
  std::vector<PartialVector> vectors_;
  std::vector<Expr> active_, M_, products_;
};

}  // namespace tactus::derive
