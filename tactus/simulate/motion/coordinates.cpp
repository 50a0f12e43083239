#include <tactus/simulate/motion/coordinates.h>

#include <cmath>

#include <tactus/math/rotation.h>

namespace tactus::simulate {

namespace {

using Quaternion = math::Quaternion<double>;
using Vec3 = math::Vec3<double>;

Quaternion quaternion_at(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec3 vector_at(const double* v) { return {v[0], v[1], v[2]}; }

/// c(a) of the header. The series is used where the closed form would cancel; its next term is below 1e-18
/// there.
double second_commutator_weight(double angle_squared) {
  if (angle_squared < 1e-4) {
    const double a2 = angle_squared;
    return 1.0 / 12.0 + a2 * (1.0 / 720.0 + a2 * (1.0 / 30240.0 + a2 * (1.0 / 1209600.0)));
  }
  const double half = 0.5 * std::sqrt(angle_squared);
  return (1.0 - half / std::tan(half)) / angle_squared;
}

}  // namespace

Coordinates::Coordinates(std::vector<Segment> segments) : segments_(std::move(segments)) {
  for (const Segment& segment : segments_) {
    nv_ += segment.size;
    nq_ += segment.kind == Segment::Kind::quaternion ? 4 : segment.size;
  }
}

Coordinates::Coordinates(const describe::Model& model) {
  const auto add = [this](Segment::Kind kind, int size) {
    const bool is_plain = kind == Segment::Kind::plain;
    if (is_plain && !segments_.empty() && segments_.back().kind == kind)
      segments_.back().size += size;
    else if (size > 0)
      segments_.push_back({kind, nq_, nv_, size});
    nq_ += is_plain ? size : 4;
    nv_ += size;
  };
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      add(Segment::Kind::plain, traits.quaternion_at);
      add(Segment::Kind::quaternion, 3);
    } else {
      add(Segment::Kind::plain, static_cast<int>(traits.nq()));
    }
  }
}

std::vector<double> Coordinates::rest() const {
  std::vector<double> q(static_cast<std::size_t>(nq_), 0.0);
  for (const Segment& segment : segments_)
    if (segment.kind == Segment::Kind::quaternion) q[static_cast<std::size_t>(segment.q)] = 1.0;
  return q;
}

void Coordinates::displace(const double* q0, const double* theta, double* q) const {
  if (nq_ == nv_) {  // plain, all of them
    for (int i = 0; i < nq_; ++i) q[i] = q0[i] + theta[i];
    return;
  }
  for (const Segment& s : segments_) {
    if (s.kind == Segment::Kind::plain) {
      for (int i = 0; i < s.size; ++i) q[s.q + i] = q0[s.q + i] + theta[s.theta + i];
    } else {
      const Quaternion turned =
          math::normalized(quaternion_at(q0 + s.q) * math::exponential(vector_at(theta + s.theta)));
      q[s.q] = turned.w;
      q[s.q + 1] = turned.x;
      q[s.q + 2] = turned.y;
      q[s.q + 3] = turned.z;
    }
  }
}

void Coordinates::chart_rate(const double* q, const double* theta, const double* qdot,
                             double* theta_rate) const {
  if (nq_ == nv_) {
    for (int i = 0; i < nv_; ++i) theta_rate[i] = qdot[i];
    return;
  }
  for (const Segment& s : segments_) {
    if (s.kind == Segment::Kind::plain) {
      for (int i = 0; i < s.size; ++i) theta_rate[s.theta + i] = qdot[s.q + i];
    } else {
      // qdot = 1/2 q (0, omega), so (0, omega) = 2 q* qdot: true for every choice of generalised speeds.
      const Quaternion a = quaternion_at(q + s.q);
      const Quaternion half = Quaternion{a.w, -a.x, -a.y, -a.z} * quaternion_at(qdot + s.q);
      const Vec3 omega{2.0 * half.x, 2.0 * half.y, 2.0 * half.z};
      const Vec3 v = vector_at(theta + s.theta);
      const Vec3 v_omega = math::cross(v, omega);
      const Vec3 rate =
          omega + 0.5 * v_omega + second_commutator_weight(math::dot(v, v)) * math::cross(v, v_omega);
      theta_rate[s.theta] = rate.x;
      theta_rate[s.theta + 1] = rate.y;
      theta_rate[s.theta + 2] = rate.z;
    }
  }
}

bool Coordinates::normalize(double* q) const {
  for (const Segment& s : segments_) {
    if (s.kind == Segment::Kind::plain) continue;
    const Quaternion a = quaternion_at(q + s.q);
    const double length = std::sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    if (!(length > 0.0) || !std::isfinite(length)) return false;
    for (int i = 0; i < 4; ++i) q[s.q + i] /= length;
  }
  return true;
}

}  // namespace tactus::simulate
