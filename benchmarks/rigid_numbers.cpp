#include "rigid_numbers.h"

#include <Eigen/Eigenvalues>

#include <tactus/base/check.h>

namespace tactus::bench {

namespace {

Eigen::Vector3d numbers_of(const describe::Model& model, const describe::Vec3& v) {
  return {describe::value_of(model, v.x), describe::value_of(model, v.y), describe::value_of(model, v.z)};
}

Eigen::Matrix3d numbers_of(const describe::Model& model, const describe::Mat3& A) {
  Eigen::Matrix3d B;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      B(i, j) = describe::value_of(model, A(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
  return B;
}

Eigen::Isometry3d numbers_of(const describe::Model& model, const describe::Pose& X) {
  Eigen::Isometry3d Y = Eigen::Isometry3d::Identity();
  Y.linear() = numbers_of(model, X.R);
  Y.translation() = numbers_of(model, X.p);
  return Y;
}

/// How far an inertia matrix is from belonging to any distribution of mass: the largest principal moment less
/// the sum of the others.
double triangle_deficit(const Eigen::Matrix3d& inertia) {
  const Eigen::Vector3d I = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia).eigenvalues();
  return I.maxCoeff() - (I.sum() - I.maxCoeff());
}

/// Printed inertias may be impossible (the PUMA's links 1 and 3), which the equations do not mind but the
/// peers do. A second moment d along the joint's axis e, inertia d (1 - e e^T), moves with the link and its
/// parent alike: counting it to the link instead of the parent changes no motion, and mends the matrix.
void make_possible(std::vector<RigidLink>& links) {
  for (std::size_t i = links.size(); i-- > 0;) {
    RigidLink& link = links[i];
    const double deficit = triangle_deficit(link.inertia);
    if (deficit <= 0.0) continue;
    const double d = 0.75 * deficit;  // half would do exactly
    const auto along = [&](const Eigen::Vector3d& e) -> Eigen::Matrix3d {
      return d * (Eigen::Matrix3d::Identity() - e * e.transpose());
    };
    link.inertia += along(link.X_FB.linear().transpose() * link.axis);
    if (link.parent >= 0)
      links[static_cast<std::size_t>(link.parent)].inertia -= along(link.X_PJ.linear() * link.axis);
  }
}

}  // namespace

Eigen::Vector3d gravity_of(const describe::Model& model) { return numbers_of(model, model.gravity); }

std::vector<RigidLink> rigid_links(const describe::Model& model) {
  std::vector<RigidLink> links;
  for (const describe::Joint& joint : model.joints) {
    const describe::Body& body = model.bodies[static_cast<std::size_t>(joint.child)];
    TACTUS_CHECK(joint.type == describe::JointType::revolute);
    RigidLink link;
    link.parent = joint.parent - 1;
    link.X_PJ = numbers_of(model, joint.X_PJ);
    link.X_FB = numbers_of(model, joint.X_FB);
    link.axis = numbers_of(model, joint.axes.front().direction);
    link.armature = describe::value_of(model, joint.axes.front().armature);
    link.mass = describe::value_of(model, body.mass);
    link.com = numbers_of(model, body.com);
    link.inertia = numbers_of(model, body.inertia);
    // Mass on the first axis never moves. A peer that divides by the mass gets one kilogram there.
    const Eigen::Vector3d off_axis = (link.X_FB * link.com).cross(link.axis);
    if (joint.parent == 0 && link.mass == 0.0 && off_axis.norm() == 0.0) link.mass = 1.0;
    links.push_back(link);
  }
  make_possible(links);
  for (RigidLink& link : links) {
    const Eigen::Matrix3d diagonal = link.inertia.diagonal().asDiagonal();
    if (link.inertia == diagonal) {
      link.principal_axes.setIdentity();
      link.principal_inertia = link.inertia.diagonal();
    } else {
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(link.inertia);
      link.principal_axes = solver.eigenvectors();
      if (link.principal_axes.determinant() < 0.0) link.principal_axes.col(0) *= -1.0;
      link.principal_inertia = solver.eigenvalues();
    }
  }
  return links;
}

std::vector<RigidLoop> rigid_loops(const describe::Model& model) {
  std::vector<RigidLoop> loops;
  for (const describe::Constraint& constraint : model.constraints) {
    TACTUS_CHECK(constraint.type == describe::ConstraintType::closure &&
                 constraint.closure == describe::JointType::revolute);
    const describe::Frame& a = model.frames[static_cast<std::size_t>(constraint.frame_a)];
    const describe::Frame& b = model.frames[static_cast<std::size_t>(constraint.frame_b)];
    loops.push_back({a.body - 1, b.body - 1, numbers_of(model, a.X_BF.p), numbers_of(model, b.X_BF.p)});
  }
  return loops;
}

}  // namespace tactus::bench
