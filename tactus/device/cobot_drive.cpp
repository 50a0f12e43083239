#include <tactus/device/cobot_drive.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/error.h>
#include <tactus/device/axis_flow.h>
#include <tactus/math/decompositions.h>

namespace tactus::device {

namespace {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Vector6 product(const std::array<double, 36>& A, const Vector6& x) noexcept {
  Vector6 y{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) y[i] += A[6 * i + j] * x[j];
  return y;
}

}  // namespace

CobotDrive::CobotDrive(const CobotDriveOptions& options)
    : options_(options), coupled_(options.jacobian != std::array<double, 36>{}) {
  if (!coupled_) return;
  const Eigen::MatrixXd J = Eigen::Map<const Matrix6>(options_.jacobian.data());
  const Eigen::FullPivLU<Eigen::MatrixXd> factors(J);
  if (!J.allFinite() || !factors.isInvertible())
    throw InputError({}, "a cobot's Jacobian from the task to its joints has no inverse",
                     "give six joints that move the task along and about all axes");
  Eigen::Map<Matrix6>(back_.data()) = factors.inverse();
}

Vector6 CobotDrive::of_joints(const Vector6& task) const noexcept {
  return coupled_ ? product(options_.jacobian, task) : task;
}
Vector6 CobotDrive::of_task(const Vector6& joints) const noexcept {
  return coupled_ ? product(back_, joints) : joints;
}
Vector6 CobotDrive::joint_forces(const Vector6& task) const noexcept {
  if (!coupled_) return task;
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) F[j] += back_[6 * i + j] * task[i];
  return F;
}

Vector6 CobotDrive::direction() const noexcept {
  Vector6 ways{};
  for (std::size_t i = 0; i < 6; ++i) ways[i] = tan_[i] / length(i);
  return of_task(ways);
}

// J^-1 M^-1 J^-T, of which no eigenvalue is larger than the largest sum of a row's sizes.
std::array<double, 2> CobotDrive::most_mobility(double mass) const noexcept {
  std::array<double, 2> most{};
  for (std::size_t i = 0; i < 6; ++i) {
    Vector6 push{};
    push[i] = 1.0;
    Vector6 a = joint_forces(push);
    for (std::size_t j = 0; j < 6; ++j) a[j] /= mass * length(j) * length(j);
    a = of_task(a);
    double sum = 0.0;
    for (std::size_t j = i / 3 * 3; j < i / 3 * 3 + 3; ++j) sum += std::abs(a[j]);
    most[i / 3] = std::max(most[i / 3], sum);
  }
  return most;
}

Vector6 CobotDrive::follow(const Vector6& task_a, const Vector6& task_F, double h) noexcept {
  const Vector6 a_c = of_joints(task_a), F = joint_forces(task_F);
  const double tau = options_.lag, keep = std::exp(-h / tau);
  u_ = options_.drum_speed;
  Vector6 way{};
  for (std::size_t i = 0; i < 6; ++i) {
    const double l = length(i), most = options_.steepest * u_ / l;
    const double leak = options_.leak_mass > 0.0 ? F[i] / (options_.leak_mass * l * l) : 0.0;
    // What the wheels cannot be steered to is not commanded on.
    const double to = std::clamp(V_c_[i] + h * a_c[i], -most, most), a = (to - V_c_[i]) / h;
    const double w = tau * (leak - a), off = joint_V_[i] - V_c_[i] - w;
    way[i] = h * (V_c_[i] + w) + 0.5 * h * h * a + off * tau * (1.0 - keep);
    joint_V_[i] = to + w + off * keep;
    // The wheel itself: the same lag, without the creep.
    const double slow = -tau * a, behind = u_ * tan_[i] / l - V_c_[i] - slow;
    tan_[i] = l * (to + slow + behind * keep) / u_;
    V_c_[i] = to;
  }
  V_ = of_task(joint_V_);
  return of_task(way);
}

Vector6 CobotDrive::coast(const Vector6& task_F, double h, double low, double high) noexcept {
  const Vector6 F = joint_forces(task_F);
  double mass = options_.drum_mass, force = 0.0, friction = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    mass += options_.axis_mass * tan_[i] * tan_[i];
    force += F[i] * tan_[i] / length(i);
    friction += options_.friction * std::abs(tan_[i]);
  }
  const AxisMotion drum = flow_between({mass, 0.0, friction}, force, u_, h, low, high);
  u_ = drum.speed;
  Vector6 way{};
  for (std::size_t i = 0; i < 6; ++i) {
    way[i] = drum.way * tan_[i] / length(i);
    joint_V_[i] = V_c_[i] = u_ * tan_[i] / length(i);
  }
  V_ = of_task(joint_V_);
  return of_task(way);
}

void CobotDrive::stand() noexcept { steer({}, options_.drum_speed); }

void CobotDrive::steer(const Vector6& tangents, double u) noexcept {
  tan_ = tangents;
  u_ = u;
  for (std::size_t i = 0; i < 6; ++i) joint_V_[i] = V_c_[i] = u * tangents[i] / length(i);
  V_ = of_task(joint_V_);
}

}  // namespace tactus::device
