// A hand, a device that does what (10) asks, and the chain: the papers' loop, in the plane.
//
// The device obeys xdd_h = what the controller demands, by acceleration (11), by penalties (18), or M_d xdd_h
// = F_h + F_vc with the virtual coupler. A device that leaks does not cancel the part of the hand's wrench
// along resisted directions: it moves freely there with N N^T F_h/M_d, as the paper describes its hardware.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/control/four_channel.h>

namespace tactus::studies::constantinescu {

inline constexpr double kPi = 3.14159265358979323846;

enum class Law { acceleration, penalties, coupler };  // (11), (18), the virtual coupler

struct Settings {
  Law law = Law::penalties;
  bool turning = true;             // Jd u
  double tolerance = 1e-3;         // of the singular values of J: the paper's, with metres and radians mixed
  std::array<double, 3> offset{};  // [m, m, rad] of the hand from the port at first
  double leak = 0.0;               // [1/kg] 1/M_d along resisted directions
  double joint_damping = 0.0;      // [N m s/rad] of the chain's joints
  std::array<double, 2> push{0.4, 0.0};  // [N] the hand's force
};

/// x, y [m] and theta [rad] of a pose in the plane.
inline std::array<double, 3> in_plane(const math::Pose<double>& X) {
  return {X.p.x, X.p.y, std::atan2(X.R(1, 0), X.R(0, 0))};
}

/// Device and controller at one instant; the mechanism is asked.
class Manipulation {
 public:
  /// State of the device: x, y, theta and their rates.
  struct Device {
    std::array<double, 3> x{}, v{};
  };
  /// What a look at the instant gives.
  struct Answer {
    std::array<double, 3> a{};           // of the device
    control::Vector6 on_port{};          // on the mechanism
    control::Vector6 F_pc{}, penalty{};  // [N m; N] coordination, [1/s^2] the acceleration that (17) adds
    control::PortState port;
    int resisted = 0;
  };

  Manipulation(simulate::Mechanism& mechanism, int port, const Settings& settings)
      : mechanism_(mechanism),
        port_(port),
        settings_(settings),
        directions_(device::kPlanar, mechanism.nv()) {
    control::FourChannelGains gains;  // (19), (20), k_j, b_j: as printed
    gains.penalties = settings.law == Law::penalties;
    gains.turning = settings.turning;
    controller_ = {gains, device::kPlanar};
    constexpr control::CouplerGains kCoupler{{0.2, 50.0}, {0.005, 3.0}};
    coupler_ = {kCoupler, device::kPlanar};
    for (std::size_t i = 0; i < 6; ++i) M_d_[7 * i] = 1.0;
    tau_.resize(mechanism.nv());
    const simulate::PortMotion& at = mechanism.motion(port);
    start_ = in_plane(at.X_WP);
    controller_.engage(memory_, sample_of({start_, {}}), at);
  }

  Device begin() const {
    Device device{start_, {}};
    for (std::size_t i = 0; i < 3; ++i) device.x[i] += settings_.offset[i];
    return device;
  }

  void set_hand(std::array<double, 2> force) { settings_.push = force; }

  /// At the mechanism's state; holds what acts on it.
  Answer look(const Device& device) {
    device::Sample sample = sample_of(device);
    sample.F_H_W = {0.0, 0.0, 0.0, settings_.push[0], settings_.push[1], 0.0};
    Answer answer;
    answer.port.motion = mechanism_.motion(port_);
    if (settings_.law == Law::coupler) {
      answer.on_port = coupler_.wrench(memory_.coordination, sample, answer.port.motion);
      hold(answer.on_port);
      constexpr double kMass[] = {1.0, 1.0, 0.01};  // [kg, kg, kg m^2] of the device
      for (std::size_t i = 0; i < 3; ++i)
        answer.a[i] = (sample.F_H_W[kAxis[i]] - answer.on_port[kAxis[i]]) / kMass[i];
      for (std::size_t i = 0; i < 6; ++i) answer.F_pc[i] = -answer.on_port[i];
      return answer;
    }
    answer.F_pc = controller_.coordination(memory_, sample, answer.port.motion);
    for (const std::size_t i : kAxis) answer.on_port[i] = sample.F_H_W[i] - answer.F_pc[i];
    hold(answer.on_port);
    answer.port.acceleration = mechanism_.acceleration(port_);
    mechanism_.mobility(port_, answer.port.L);
    if (!settings_.turning) {
      const std::span<const double> Jd = mechanism_.jacobian_rate(port_);
      const std::vector<double>& u = mechanism_.state().u;
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < u.size(); ++k) answer.port.turning[i] += Jd[i * u.size() + k] * u[k];
    }
    const control::Resisted& resisted =
        directions_.by_jacobian(mechanism_.jacobian(port_), M_d_, settings_.tolerance, false);
    const control::HandleDemand demand =
        controller_.demand(memory_, sample, answer.port, answer.F_pc, resisted, M_d_);
    answer.penalty = demand.penalty;
    answer.resisted = resisted.count;
    for (std::size_t i = 0; i < 3; ++i) {
      answer.a[i] = demand.acceleration[kAxis[i]];
      for (std::size_t k = 0; k < 6 && settings_.leak > 0.0; ++k) {
        double along = 0.0;
        for (const std::size_t j : kAxis) along += resisted.n[k][j] * sample.F_H_W[j];
        answer.a[i] += settings_.leak * resisted.weight[k] * along * resisted.n[k][kAxis[i]];
      }
    }
    return answer;
  }

  std::span<const double> tau() const { return tau_; }

  static constexpr std::size_t kAxis[] = {3, 4, 2};  // x, y, theta in spatial vectors

 private:
  static device::Sample sample_of(const Device& device) {
    device::Sample sample;
    const double c = std::cos(device.x[2]), s = std::sin(device.x[2]);
    sample.X_WH.R(0, 0) = sample.X_WH.R(1, 1) = c;
    sample.X_WH.R(0, 1) = -s;
    sample.X_WH.R(1, 0) = s;
    sample.X_WH.R(2, 2) = 1.0;
    sample.X_WH.p = {device.x[0], device.x[1], 0.0};
    sample.V_WH = {0.0, 0.0, device.v[2], device.v[0], device.v[1], 0.0};
    return sample;
  }
  void hold(const control::Vector6& wrench) {
    const std::vector<double>& u = mechanism_.state().u;
    for (std::size_t i = 0; i < u.size(); ++i) tau_[i] = -settings_.joint_damping * u[i];
    const simulate::PortWrench at{port_, wrench};
    if (!mechanism_.hold({.tau = tau_, .ports = {&at, 1}, .wrench = {}}))
      throw InputError({}, "the loop left all bounds");
  }

  simulate::Mechanism& mechanism_;
  int port_;
  Settings settings_;
  control::FourChannel controller_;
  control::Coupler coupler_;
  control::FourChannelMemory memory_{};
  control::ResistedDirections directions_;
  control::Matrix6 M_d_{};
  std::vector<double> tau_;
  std::array<double, 3> start_{};
};

}  // namespace tactus::studies::constantinescu
