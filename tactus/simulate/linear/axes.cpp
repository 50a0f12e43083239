#include <tactus/simulate/linear/axes.h>

#include <Eigen/Geometry>

#include <tactus/math/decompositions.h>

namespace tactus::simulate {

namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Eigen::VectorXd;

/// By the largest element of the equations for eta: what is smaller is rounding, or a state typed with seven digits.
constexpr double kOpen = 1e-7;
/// By the size of w: eta is all of it.
constexpr double kAll = 1e-9;

Matrix3d cross(const Vector3d& w) {
  Matrix3d X;
  X << 0.0, -w.z(), w.y(), w.z(), 0.0, -w.x(), -w.y(), w.x(), 0.0;
  return X;
}

/// The smallest solution in the sense of least squares.
VectorXd smallest(const MatrixXd& X, const VectorXd& y) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(X.rows(), X.cols());
  solver.setThreshold(kOpen);
  solver.compute(X);
  return solver.solve(y);
}

std::optional<Vector3d> vertical_of(const describe::Model& model, const describe::Joint& joint) {
  if (joint.parent != 0) return std::nullopt;
  Vector3d gravity;
  Matrix3d R_WJ;
  for (int i = 0; i < 3; ++i) {
    gravity[i] = describe::value_of(model, model.gravity[i]);
    for (int j = 0; j < 3; ++j) R_WJ(i, j) = describe::value_of(model, joint.X_PJ.R(i, j));
  }
  if (!(gravity.norm() > 0.0)) return std::nullopt;
  return R_WJ.transpose() * gravity.normalized();
}

}  // namespace

TurningAxes::TurningAxes(const describe::Model& model)
    : rates_are_speeds_(model.speeds.definition == describe::Speeds::Definition::joint_rates),
      spin_(MatrixXd::Zero(model.nv(), model.nv())) {
  int q = 0, v = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (traits.has_quaternion()) {
      One one;
      one.joint = joint.name;
      one.q = q + traits.quaternion_at;
      one.v = v;
      one.is_free = traits.nv == 6;
      one.vertical = vertical_of(model, joint);
      all_.push_back(std::move(one));
    }
    q += static_cast<int>(traits.nq());
    v += static_cast<int>(traits.nv);
  }
}

bool TurningAxes::choose(Choice choice, const std::vector<double>& q, const std::vector<double>& u,
                         const VectorXd& udot) {
  const MatrixXd before = spin_;
  spin_.setZero();
  for (One& one : all_) {
    const Vector3d w = Vector3d::Map(u.data() + one.v), wdot = udot.segment<3>(one.v);
    one.w = w;
    one.eta.setZero();
    if (choice == Choice::own || !rates_are_speeds_) continue;
    MatrixXd X(one.is_free ? 6 : 3, 3);
    VectorXd y(X.rows());
    X.topRows<3>() = cross(w);
    y.head<3>() = wdot;
    if (one.is_free) {
      X.bottomRows<3>() = cross(Vector3d::Map(u.data() + one.v + 3));
      y.tail<3>() = udot.segment<3>(one.v + 3);
    }
    if (choice == Choice::smallest) {
      one.eta = smallest(X, y);
    } else if (one.vertical) {
      const double* c = q.data() + one.q;
      const Vector3d n = Quaterniond(c[0], c[1], c[2], c[3]).conjugate() * *one.vertical;
      one.eta = w - smallest(X * n, X * w - y)[0] * n;
    }
    if (one.eta.norm() <= kAll * w.norm()) one.eta.setZero();
    spin_.block<3, 3>(one.v, one.v) = cross(one.eta);
    if (one.is_free) spin_.block<3, 3>(one.v + 3, one.v + 3) = cross(one.eta);
  }
  return spin_ != before;
}

bool TurningAxes::turn() const {
  for (const One& one : all_)
    if (!one.eta.isZero(0.0)) return true;
  return false;
}

MatrixXd TurningAxes::matrix(double t) const {
  MatrixXd S = MatrixXd::Identity(spin_.rows(), spin_.cols());
  for (const One& one : all_) {
    const double rate = one.eta.norm();
    if (!(rate > 0.0)) continue;
    const Matrix3d turn = Eigen::AngleAxisd(rate * t, one.eta / rate).toRotationMatrix();
    S.block<3, 3>(one.v, one.v) = turn;
    if (one.is_free) S.block<3, 3>(one.v + 3, one.v + 3) = turn;
  }
  return S;
}

MatrixXd TurningAxes::apart(const VectorXd& u_C) const {
  MatrixXd Y = MatrixXd::Zero(spin_.rows(), spin_.cols());
  for (const One& one : all_) {
    if (one.eta.isZero(0.0)) continue;
    Y.block<3, 3>(one.v, one.v) = cross(u_C.segment<3>(one.v));
    if (one.is_free) Y.block<3, 3>(one.v + 3, one.v) = cross(u_C.segment<3>(one.v + 3));
  }
  return Y;
}

std::vector<TurnedAxes> TurningAxes::turned(bool apart) const {
  std::vector<TurnedAxes> result;
  for (const One& one : all_)
    if (!one.eta.isZero(0.0))
      result.push_back({one.joint,
                        {one.eta.x(), one.eta.y(), one.eta.z()},
                        (one.eta - one.w).norm() <= kAll * one.w.norm(),
                        apart});
  return result;
}

}  // namespace tactus::simulate
