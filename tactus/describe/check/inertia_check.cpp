#include <tactus/describe/check/inertia_check.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/describe/read/evaluator.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/decompositions.h>

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

/// Mass moments about the origin of a body, in its axes: its own and those of all that is welded to it.
struct Lump {
  double m = 0.0;
  Eigen::Vector3d h = Eigen::Vector3d::Zero();      // m c
  Eigen::Matrix3d about = Eigen::Matrix3d::Zero();  // inertia about the origin

  static Eigen::Matrix3d point(double m, const Eigen::Vector3d& c) {
    return m * (c.dot(c) * Eigen::Matrix3d::Identity() - c * c.transpose());
  }
  /// Seen from a frame in which this one is placed.
  Lump placed(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) const {
    // About the new origin: with d = R h, the shift by p adds m (p.p 1 - p p^T) + 2 p.d 1 - p d^T - d p^T.
    const Eigen::Vector3d d = R * h;
    Lump result{m, d + m * p, R * about * R.transpose() + point(m, p)};
    result.about += 2.0 * p.dot(d) * Eigen::Matrix3d::Identity() - p * d.transpose() - d * p.transpose();
    return result;
  }
  Eigen::Matrix3d central() const { return m > 0.0 ? Eigen::Matrix3d(about - point(m, h / m)) : about; }
};

/// The smallest inertia that a turn of the last body of a chain meets, and the largest to compare with. With
/// c the centre of mass from the joint and I the central inertia, both in the joint's axes:
///   about a fixed axis e   e.I e + m |e x c|^2
///   about a fixed point    eigenvalues of I + m (c.c 1 - c c^T)
///   free to shift as well  what M's Schur complement leaves: of e x c the part across the slides; the central
///                          inertia alone where it may shift in all directions of the turn (planar, free)
struct TurningInertia {
  double smallest = 1.0, largest = 1.0;
};
TurningInertia turning_inertia(Evaluator& value, const Joint& joint, const Lump& carried) {
  const Lump lump = carried.placed(numbers(value, joint.X_FB.R), numbers(value, joint.X_FB.p));
  const double m = lump.m;
  const Eigen::Vector3d c = m > 0.0 ? Eigen::Vector3d(lump.h / m) : Eigen::Vector3d::Zero();
  const Eigen::Matrix3d I = lump.central();
  const Eigen::Matrix3d& about_joint = lump.about;
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

/// In words that fit the kind of file.
struct Remedies {
  std::string nothing, line;
};

/// The first joint that moves nothing with inertia; bodies without mass on the way are warned of.
std::optional<MissingInertia> find_missing(const Model& model,
                                           const std::function<std::string(const std::string&)>& written,
                                           const Remedies& remedies, std::vector<std::string>& warnings) {
  Evaluator value(model);
  const std::size_t count = model.bodies.size();
  std::vector<bool> carries(count, false), moves_others(count, false);
  for (const Joint& joint : model.joints) carries[static_cast<std::size_t>(joint.parent)] = true;
  std::vector<Lump> lumps(count);
  for (std::size_t b = 1; b < count; ++b) {
    const Body& body = model.bodies[b];
    Lump central{value(body.mass), Eigen::Vector3d::Zero(), numbers(value, body.inertia)};
    const bool massless = central.m == 0.0 && central.about.isZero(0.0);
    if (massless && carries[b] && model.joints[b - 1].type != JointType::weld)
      warnings.push_back(
          fmt::format("{}: the body `{}` has no mass of its own", body.where.to_string(), body.name));
    lumps[b] = central.placed(Eigen::Matrix3d::Identity(), numbers(value, body.com));
  }
  std::optional<MissingInertia> missing;
  // What each body carries, itself included: children stand after their parents.
  std::vector<double> mass(count, 0.0), inertia(count, 0.0);
  for (std::size_t b = count; b-- > 1;) {
    const Body& body = model.bodies[b];
    const Joint& joint = model.joints[b - 1];
    const auto parent = static_cast<std::size_t>(joint.parent);
    mass[b] += value(body.mass);
    inertia[b] += numbers(value, body.inertia).trace();
    bool moves_something = true;
    for (const JointAxis& axis : joint.axes) {
      const bool moves = mass[b] > 0.0 || (axis.is_rotation && inertia[b] > 0.0);
      if (moves || value(axis.armature) > 0.0) continue;
      moves_something = false;
      const std::string name = joint.axes.size() == 1 ? written(axis.name) : axis.name;
      missing = {joint.where, fmt::format("the joint `{}` moves nothing that has inertia", name),
                 remedies.nothing};
    }
    if (joint.type == JointType::weld) {
      const Lump seen = lumps[b]
                            .placed(numbers(value, joint.X_FB.R), numbers(value, joint.X_FB.p))
                            .placed(numbers(value, joint.X_PJ.R), numbers(value, joint.X_PJ.p));
      lumps[parent].m += seen.m;
      lumps[parent].h += seen.h;
      lumps[parent].about += seen.about;
      moves_others[parent] = moves_others[parent] || moves_others[b];
    } else {
      moves_others[parent] = true;
      const TurningInertia turning =
          moves_others[b] ? TurningInertia{} : turning_inertia(value, joint, lumps[b]);
      if (moves_something && !(turning.smallest > kNoInertia * turning.largest))
        missing = {joint.where,
                   fmt::format("the joint `{}` can turn `{}` about a line without inertia",
                               written(joint.name), body.name),
                   remedies.line};
    }
    mass[parent] += mass[b];
    inertia[parent] += inertia[b];
  }
  return missing;
}

}  // namespace

void check_mobility(Model& model) {
  const auto same = [](const std::string& name) { return name; };
  const Remedies remedies{
      "give its body, or one that it carries, a mass or an inertia; or the joint an armature",
      "give the body an `inertia` about that line, or the joint an armature: a point mass or thin rod has "
      "none"};
  if (const auto missing = find_missing(model, same, remedies, model.warnings))
    throw InputError(missing->where, missing->wrong, missing->remedy);
}

namespace {

const Remedies kOfRobots = {
    "give the link, or one that it carries, <inertial> with mass and inertia; or include the file in a model "
    "that gives the "
    "joint an `armature`",
    "give the link an inertia about that line; or include the file in a model that gives the joint an "
    "`armature`"};

}  // namespace

std::optional<MissingInertia> missing_inertia(const Model& model) {
  std::vector<std::string> warnings;
  return find_missing(
      model, [](const std::string& name) { return name; }, kOfRobots, warnings);
}

void require_inertia(const Model& model, std::string_view what) {
  if (const std::optional<MissingInertia> missing = missing_inertia(model))
    throw InputError(missing->where, fmt::format("{} needs inertia: {}", what, missing->wrong),
                     missing->remedy);
}

void note_missing_inertia(Model& model, const std::function<std::string(const std::string&)>& written) {
  std::vector<std::string> warnings;
  if (const std::optional<MissingInertia> missing = find_missing(model, written, kOfRobots, warnings))
    warnings = {fmt::format("{}: {}: poses, velocities and Jacobians can be computed, motions cannot",
                            missing->where.to_string(), missing->wrong)};
  model.warnings.insert(model.warnings.end(), warnings.begin(), warnings.end());
}

}  // namespace tactus::describe
