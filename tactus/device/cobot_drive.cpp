#include <tactus/device/cobot_drive.h>

#include <algorithm>
#include <cmath>

#include <tactus/device/axis_flow.h>

namespace tactus::device {

Vector6 CobotDrive::follow(const Vector6& a_c, const Vector6& F, double h) noexcept {
  const double tau = options_.lag, keep = std::exp(-h / tau);
  u_ = options_.drum_speed;
  Vector6 way{};
  for (std::size_t i = 0; i < 6; ++i) {
    const double l = length(i), most = options_.steepest * u_ / l;
    const double leak = options_.leak_mass > 0.0 ? F[i] / (options_.leak_mass * l * l) : 0.0;
    // What the wheels cannot be steered to is not commanded on.
    const double to = std::clamp(V_c_[i] + h * a_c[i], -most, most), a = (to - V_c_[i]) / h;
    const double w = tau * (leak - a), off = V_[i] - V_c_[i] - w;
    way[i] = h * (V_c_[i] + w) + 0.5 * h * h * a + off * tau * (1.0 - keep);
    V_[i] = to + w + off * keep;
    // The wheel itself: the same lag, without the creep.
    const double slow = -tau * a, behind = u_ * tan_[i] / l - V_c_[i] - slow;
    tan_[i] = l * (to + slow + behind * keep) / u_;
    V_c_[i] = to;
  }
  return way;
}

Vector6 CobotDrive::coast(const Vector6& F, double h, double low, double high) noexcept {
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
    V_[i] = V_c_[i] = u_ * tan_[i] / length(i);
  }
  return way;
}

void CobotDrive::stand() noexcept { steer({}, options_.drum_speed); }

void CobotDrive::steer(const Vector6& tangents, double u) noexcept {
  tan_ = tangents;
  u_ = u;
  for (std::size_t i = 0; i < 6; ++i) V_[i] = V_c_[i] = u * tangents[i] / length(i);
}

}  // namespace tactus::device
