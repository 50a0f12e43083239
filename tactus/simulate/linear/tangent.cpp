#include <tactus/simulate/linear/tangent.h>

#include <Eigen/Geometry>

namespace tactus::simulate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

Eigen::Matrix3d cross(const Vector3d& w) {
  Eigen::Matrix3d X;
  X << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  return X;
}

Quaterniond quaternion_at(const std::vector<double>& q, int at) {
  const double* c = q.data() + at;
  return {c[0], c[1], c[2], c[3]};
}

}  // namespace

Tangent::Tangent(const describe::Model& model) {
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      turning_.push_back({nq_ + traits.quaternion_at, nv_, traits.nv == 6});
      for (const char* turn : {".rx", ".ry", ".rz"}) names_.push_back(joint.name + turn);
      if (traits.nv == 6)
        for (const char* shift : {".dx", ".dy", ".dz"}) names_.push_back(joint.name + shift);
    } else {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) {
        plain_.push_back({nq_ + static_cast<int>(k), nv_ + static_cast<int>(k)});
        names_.push_back(joint.axes[k].name);
      }
    }
    nq_ += static_cast<int>(traits.nq());
    nv_ += static_cast<int>(traits.nv);
  }
}

MatrixXd Tangent::map(const std::vector<double>& q) const {
  MatrixXd N = MatrixXd::Zero(nq_, nv_);
  for (const Plain& one : plain_) N(one.q, one.v) = 1.0;
  for (const Turning& one : turning_) {
    const Quaterniond turn = quaternion_at(q, one.q);
    for (int k = 0; k < 3; ++k) {
      Quaterniond half(0.0, 0.0, 0.0, 0.0);
      half.vec()[k] = 0.5;
      const Quaterniond rate = turn * half;
      N.block<4, 1>(one.q, one.v + k) << rate.w(), rate.x(), rate.y(), rate.z();
    }
    if (one.is_free) N.block<3, 3>(one.q - 3, one.v + 3) = turn.toRotationMatrix();
  }
  return N;
}

MatrixXd Tangent::ad(const VectorXd& qd) const {
  MatrixXd X = MatrixXd::Zero(nv_, nv_);
  for (const Turning& one : turning_) {
    const Eigen::Matrix3d w = cross(qd.segment<3>(one.v));
    X.block<3, 3>(one.v, one.v) = w;
    if (!one.is_free) continue;
    X.block<3, 3>(one.v + 3, one.v + 3) = w;
    X.block<3, 3>(one.v + 3, one.v) = cross(qd.segment<3>(one.v + 3));
  }
  return X;
}

void Tangent::displace(std::vector<double>& q, const VectorXd& xi) const {
  for (const Plain& one : plain_) q[static_cast<std::size_t>(one.q)] += xi[one.v];
  for (const Turning& one : turning_) {
    const Vector3d r = xi.segment<3>(one.v);
    const double angle = r.norm();
    const Quaterniond before = quaternion_at(q, one.q).normalized();
    // Half of the turn before the shift and half after it: symmetric, of second order.
    const auto turned = [&](double part) {
      return angle > 0.0 ? before * Quaterniond(Eigen::AngleAxisd(part * angle, r / angle)) : before;
    };
    if (one.is_free) {
      const Vector3d shift = turned(0.5) * Vector3d(xi.segment<3>(one.v + 3));
      for (int k = 0; k < 3; ++k) q[static_cast<std::size_t>(one.q - 3 + k)] += shift[k];
    }
    const Quaterniond after = turned(1.0).normalized();
    const double parts[] = {after.w(), after.x(), after.y(), after.z()};
    for (int k = 0; k < 4; ++k) q[static_cast<std::size_t>(one.q + k)] = parts[k];
  }
}

}  // namespace tactus::simulate
