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
/// Directions of slides that differ by less are one direction.
constexpr double kSameDirection = 1e-9;

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
///   free to shift as well  what M's Schur complement leaves: of e x c the part across the slides; the central
///                          inertia alone where it may shift in all directions of the turn (planar, free)
struct TurningInertia {
  double smallest = 1.0, largest = 1.0;
};
TurningInertia turning_inertia(Evaluator& value, const Joint& joint, const Body& body) {
  const Eigen::Matrix3d R_FB = numbers(value, joint.X_FB.R);
  const Eigen::Vector3d c = numbers(value, joint.X_FB.p) + R_FB * numbers(value, body.com);
  const Eigen::Matrix3d I = R_FB * numbers(value, body.inertia) * R_FB.transpose();
  const double m = value(body.mass);
  const Eigen::Matrix3d about_joint = I + m * (c.dot(c) * Eigen::Matrix3d::Identity() - c * c.transpose());
  const JointTraits& traits = joint_traits(joint.type);
  if (traits.has_pitch) return {};
  if (traits.has_quaternion()) {
    Eigen::Matrix3d inertia = traits.quaternion_at > 0 ? I : about_joint;
    for (int i = 0; i < 3; ++i) inertia(i, i) += value(joint.axes[static_cast<std::size_t>(i)].armature);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(inertia, Eigen::EigenvaluesOnly);
    return {solver.eigenvalues()(0), std::max(about_joint.trace(), solver.eigenvalues()(2))};
  }
  const JointAxis* turn = nullptr;  // the last one: those before it do not change what it meets
  for (const JointAxis& axis : joint.axes)
    if (axis.is_rotation) turn = &axis;
  if (turn == nullptr) return {};
  const Eigen::Vector3d e = numbers(value, turn->direction);
  Eigen::Vector3d across = e.cross(c);  // velocity of the mass centre, without the directions of slides
  Eigen::Matrix3d slides = Eigen::Matrix3d::Zero();
  int count = 0;
  for (const JointAxis& axis : joint.axes) {
    if (axis.is_rotation || count == 3) continue;
    Eigen::Vector3d d = numbers(value, axis.direction);
    for (int k = 0; k < count; ++k) d -= slides.col(k).dot(d) * slides.col(k);
    if (!(d.norm() > kSameDirection)) continue;
    slides.col(count) = d.normalized();
    across -= slides.col(count).dot(across) * slides.col(count);
    ++count;
  }
  return {e.dot(I * e) + m * across.squaredNorm() + value(turn->armature), about_joint.trace()};
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
