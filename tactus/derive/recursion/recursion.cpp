#include <tactus/derive/recursion/recursion.h>

#include <tactus/base/error.h>
#include <tactus/derive/tree/build_tree.h>

namespace tactus::derive {

using describe::Model;

namespace {

Tree<double> numeric_tree(const Model& model) {
  if (!model.constraints.empty()) {
    throw InputError(
        model.constraints.front().where,
        "constraint '" + model.constraints.front().name + "' cannot be run by the looped recursion",
        "remove the constraints");
  }
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates) {
    throw InputError(model.speeds.where,
                     "the looped recursion has joint rates as speeds, and the model defines others",
                     "leave out `speeds`, or use the generated equations");
  }
  if (!model.point_springs.empty() || !model.frame_springs.empty()) {
    throw InputError({model.file}, "the looped recursion knows no springs between points or frames",
                     "use the generated equations");
  }
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  return numeric(build_tree(model, Numbers(model)));
}

}  // namespace

Recursion::Recursion(const Model& model, bool friction)
    : tree_(numeric_tree(model)),
      motion_(tree_),
      articulated_(tree_),
      composite_(tree_.links.size()),
      net_(static_cast<std::size_t>(tree_.nv)) {
  const auto value = [&](describe::Expr number) { return describe::value_of(model, number); };
  int coordinate = 0;
  for (const describe::Joint& joint : model.joints) {
    const bool quasi = describe::has_quaternion(joint.type);
    for (std::size_t k = 0; k < joint.axes.size(); ++k) {
      const describe::JointAxis& axis = joint.axes[k];
      JointLoad load;
      load.passive = axis.passive;
      if (friction) {
        load.viscous_positive = value(axis.damping) + value(axis.friction.viscous_positive);
        load.viscous_negative = value(axis.damping) + value(axis.friction.viscous_negative);
        load.coulomb_positive = value(axis.friction.coulomb_positive);
        load.coulomb_negative = value(axis.friction.coulomb_negative);
      }
      load.q = coordinate;
      if (!quasi) {
        load.q += static_cast<int>(k);
        load.stiffness = value(axis.stiffness);
        load.rest = value(axis.rest);
      }
      loads_.push_back(load);
    }
    coordinate += describe::coordinate_count(joint.type);
  }
}

double Recursion::load(std::size_t k, const double* q, const double* u) const {
  const JointLoad& l = loads_[k];
  const double friction = u[k] >= 0.0 ? l.viscous_positive * u[k] + l.coulomb_positive
                                      : l.viscous_negative * u[k] - l.coulomb_negative;
  return friction + l.stiffness * (q[l.q] - l.rest);
}

void Recursion::inverse_dynamics(const double* q, const double* u, const double* udot, double* tau) {
  position(tree_, q, motion_);
  newton_euler(tree_, u, udot, no_wrenches_, Policy{}, motion_, tau);
  for (std::size_t k = 0; k < loads_.size(); ++k) tau[k] += load(k, q, u);
}

void Recursion::mass_matrix(const double* q, double* M) {
  position(tree_, q, motion_);
  composite_body(tree_, Policy{}, motion_, composite_, M);
}

void Recursion::forward_dynamics(const double* q, const double* u, const double* tau, double* udot) {
  position(tree_, q, motion_);
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    net_[k] = (loads_[k].passive ? 0.0 : tau[k]) - load(k, q, u);
  }
  articulated_body(tree_, u, net_.data(), no_wrenches_, Policy{}, motion_, articulated_, udot);
}

}  // namespace tactus::derive
