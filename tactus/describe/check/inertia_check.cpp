#include <tactus/describe/check/inertia_check.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/read/evaluator.h>
#include <Eigen/Eigenvalues>

namespace tactus::describe {

namespace {

/// Below this fraction of the largest moment of inertia, a moment is the rounding of a zero.
constexpr double kNoInertia = 1e-12;

Eigen::Vector3d numbers(Evaluator& value, const Vec3& v) { return {value(v.x), value(v.y), value(v.z)}; }
Eigen::Matrix3d numbers(Evaluator& value, const Mat3& A) {
  Eigen::Matrix3d B;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) B(i, j) = value(A(static_cast<std::size_t>(i), static_cast<std::size_t>(j)));
  }
  return B;
}

/// The smallest inertia that a turn of the last body of a chain meets, and the largest to compare with. With
/// c the centre of mass from the joint and I the central inertia, both in the joint's axes:
///   about a fixed axis e   e.I e + m |e x c|^2
///   about a fixed point    eigenvalues of I + m (c.c 1 - c c^T)
///   free to shift as well  (planar, free) the central inertia alone, since M's Schur complement is it
struct TurningInertia {
  double smallest = 1.0, largest = 1.0;
};
TurningInertia turning_inertia(Evaluator& value, const Joint& joint, const Body& body) {
  const Eigen::Matrix3d R_FB = numbers(value, joint.X_FB.R);
  const Eigen::Vector3d c = numbers(value, joint.X_FB.p) + R_FB * numbers(value, body.com);
  const Eigen::Matrix3d I = R_FB * numbers(value, body.inertia) * R_FB.transpose();
  const double m = value(body.mass);
  const Eigen::Matrix3d about_joint = I + m * (c.dot(c) * Eigen::Matrix3d::Identity() - c * c.transpose());
  const auto about = [&](const Eigen::Matrix3d& inertia, std::size_t axis) -> TurningInertia {
    const Eigen::Vector3d e = numbers(value, joint.axes[axis].direction);
    return {e.dot(inertia * e) + value(joint.axes[axis].armature), about_joint.trace()};
  };
  const auto about_point = [&](Eigen::Matrix3d inertia) -> TurningInertia {
    for (int i = 0; i < 3; ++i) inertia(i, i) += value(joint.axes[static_cast<std::size_t>(i)].armature);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia, Eigen::EigenvaluesOnly);
    return {solver.eigenvalues()(0), std::max(about_joint.trace(), solver.eigenvalues()(2))};
  };
  switch (joint.type) {
    case JointType::revolute:
    case JointType::cylindrical:
      return about(about_joint, 0);
    case JointType::universal:
      return about(about_joint, 1);
    case JointType::planar:
      return about(I, 2);
    case JointType::spherical:
      return about_point(about_joint);
    case JointType::free:
      return about_point(I);
    case JointType::helical:
    case JointType::prismatic:
    case JointType::weld:
      break;
  }
  return {};
}

}  // namespace

void check_mobility(Model& model) {
  Evaluator value(model);
  std::vector<bool> carries(model.bodies.size(), false);
  for (const Joint& joint : model.joints) carries[static_cast<std::size_t>(joint.parent)] = true;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const bool massless = value(body.mass) == 0.0 && numbers(value, body.inertia).isZero(0.0);
    if (massless && carries[b] && model.joints[b - 1].type != JointType::weld) {
      model.warnings.push_back(
          fmt::format("{}: the body `{}` has no mass of its own", body.where.to_string(), body.name));
    }
  }
  // What each body carries, itself included: children stand after their parents.
  std::vector<double> mass(model.bodies.size(), 0.0), inertia(model.bodies.size(), 0.0);
  for (std::size_t b = model.bodies.size(); b-- > 1;) {
    const Body& body = model.bodies[b];
    const Joint& joint = model.joints[b - 1];
    mass[b] += value(body.mass);
    inertia[b] += numbers(value, body.inertia).trace();
    for (const JointAxis& axis : joint.axes) {
      const bool moves = mass[b] > 0.0 || (axis.is_rotation && inertia[b] > 0.0);
      if (moves || value(axis.armature) > 0.0) continue;
      throw InputError(
          joint.where, fmt::format("the joint `{}` moves nothing that has inertia", axis.name),
          "give its body, or one that it carries, a mass or an inertia; or the joint an armature");
    }
    if (!carries[b]) {
      const TurningInertia turning = turning_inertia(value, joint, body);
      if (!(turning.smallest > kNoInertia * turning.largest)) {
        throw InputError(
            joint.where,
            fmt::format("the joint `{}` can turn `{}` about a line without inertia", joint.name, body.name),
            "give the body an `inertia` about that line, or the joint an armature: a point mass or thin "
            "rod has none");
      }
    }
    const auto parent = static_cast<std::size_t>(joint.parent);
    mass[parent] += mass[b];
    inertia[parent] += inertia[b];
  }
}

}  // namespace tactus::describe
