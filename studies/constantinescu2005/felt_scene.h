// Section VIII in scenes: the chain and what it touches, held by a device, one tick after the other, and what
// is felt in each.
//
//   OutsideScene   chain and device in semi-implicit steps, the controller asked directly (manipulation.h)
//   LoopScene      the running loop (display/loop.h) with a device of its own (planar_device.h): what is felt
//                  is taken from what the loop commands and records
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/display/loop.h>

#include <studies/compare.h>
#include "manipulation.h"
#include "planar_device.h"

namespace tactus::studies::constantinescu {

using control::Vector6;

/// The chain before one wall, met by the two ends of its last link. The wall's place is chosen.
inline describe::Model before_wall(bool rigid) {
  return describe::load_text(
      fmt::format(R"(
name: chain_before_wall
gravity: [0, 0, 0]
bodies:
  world:
    geometry: [{{shape: plane, name: wall, size: [0.2, 0.2], placement: {{xyz: [106 mm, 0, 0], axis_angle: {{axis: y, angle: -90 deg}}}}, contact: true}}]
  link_1: {{mass: 3, com: [21 mm, 0, 0], inertia: [0.0075, 0.0075, 0.015]}}
  link_2: {{mass: 3, com: [21 mm, 0, 0], inertia: [0.0075, 0.0075, 0.015]}}
  link_3:
    mass: 1
    com: [15 mm, 0, 0]
    inertia: [0.0025, 0.0025, 0.005]
    geometry:
      - {{shape: sphere, radius: 1 mm, contact: true}}
      - {{shape: sphere, radius: 1 mm, placement: {{xyz: [30 mm, 0, 0]}}, contact: true}}
joints:
  q1: {{type: revolute, parent: world, child: link_1, axis: z}}
  q2: {{type: revolute, parent: link_1, child: link_2, axis: z, placement: {{xyz: [42 mm, 0, 0]}}}}
  q3: {{type: revolute, parent: link_2, child: link_3, axis: z, placement: {{xyz: [42 mm, 0, 0]}}}}
frames:
  distal: {{body: link_3, placement: {{xyz: [15 mm, 0, 0]}}, grasp: true}}
contact:
  defaults: {}
initial:
  q: {{q1: 0, q2: -30 deg, q3: -60 deg}}
)",
                  rigid ? "{friction: 0, restitution: 0}"
                        : "{render: compliant, stiffness: 15000 N/m, damping: 300 N s/m, friction: 0}"),
      "chain_before_wall.yaml");
}

/// The controller's tolerance of singular values: what the joints carry is not felt.
inline constexpr double kRankOfFelt = 1e-3;

/// What acts on the chain by contact, as it is felt at the port.
struct Touch {
  Vector6 at_port{};     // J_h^-T J_c^T F_c
  double largest = 0.0;  // [N] of a single contact
};

/// What acts on the held link itself is a wrench there; what acts on the others goes by the joints.
inline Touch touch(simulate::Mechanism& mechanism, int port) {
  Touch result;
  const math::Vec3<double> p = mechanism.motion(port).X_WP.p;
  std::array<simulate::ContactPoint, 32> points;
  const std::size_t count = std::min(mechanism.contact_points(points), points.size());
  const std::vector<describe::ContactPair>& pairs = mechanism.model().contact.pairs;
  const std::size_t nv = mechanism.nv();
  Eigen::Vector3d tau = Eigen::Vector3d::Zero();
  for (std::size_t k = 0; k < count; ++k) {
    const simulate::ContactPoint& at = points[k];
    const describe::ContactPair& pair = pairs[static_cast<std::size_t>(at.pair)];
    for (const auto& [body, sign] : {std::pair{pair.body_b, 1.0}, {pair.body_a, -1.0}}) {
      const std::string& name = mechanism.model().bodies[static_cast<std::size_t>(body)].name;
      if (!name.starts_with("link_")) continue;
      const math::Vec3<double> F = sign * at.force;
      result.largest = larger(result.largest, std::sqrt(dot(F, F)));
      if (name == "link_3") {
        const math::Vec3<double> M = cross(at.point - p, F);
        for (std::size_t i = 0; i < 3; ++i) {
          result.at_port[i] += M[i];
          result.at_port[3 + i] += F[i];
        }
        continue;
      }
      const int origin = mechanism.port("body:" + name);
      const math::Vec3<double> M = cross(at.point - mechanism.motion(origin).X_WP.p, F);
      const std::span<const double> J = mechanism.jacobian(origin);
      for (std::size_t j = 0; j < 3; ++j)
        tau[static_cast<Eigen::Index>(j)] += J[2 * nv + j] * M.z + J[3 * nv + j] * F.x + J[4 * nv + j] * F.y;
    }
  }
  if (tau.norm() > 0.0) {
    const std::span<const double> J = mechanism.jacobian(port);
    Eigen::Matrix3d Jh;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        Jh(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = J[Manipulation::kAxis[i] * nv + j];
    Eigen::JacobiSVD<Eigen::Matrix3d> svd(Jh.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
    svd.setThreshold(kRankOfFelt / svd.singularValues()[0]);  // Eigen's is a share of the largest
    const Eigen::Vector3d F = svd.solve(tau);
    for (std::size_t i = 0; i < 3; ++i)
      result.at_port[Manipulation::kAxis[i]] += F[static_cast<Eigen::Index>(i)];
  }
  return result;
}

/// [N s] Impulses on the chain in the last tick; boxes may meet walls besides.
inline double impulse_of(const simulate::Mechanism& mechanism) {
  const auto is_link = [&](int body) {
    return mechanism.model().bodies[static_cast<std::size_t>(body)].name.starts_with("link_");
  };
  double sum = 0.0;
  for (const simulate::Event& event : mechanism.events()) {
    if (event.kind != simulate::EventKind::impact || event.pair < 0) continue;
    const describe::ContactPair& pair = mechanism.model().contact.pairs[static_cast<std::size_t>(event.pair)];
    if (is_link(pair.body_a) || is_link(pair.body_b)) sum += event.impulse;
  }
  return sum;
}

/// What a tick of either scene tells.
struct Told {
  double t = 0.0;                        // [s]
  std::array<double, 3> hand{}, port{};  // x, y [m], theta [rad]
  Vector6 felt{};                        // J_h^-T J_c^T F_c + F_pc + M_d u_add; of the coupler F_vc
  Vector6 for_contact{};  // M_d J_h D^-1 J_c^T F_c: what the motors of 1 kg give for the contact
  Vector6 motors{};       // all that the motors give, through the loop
  double impulse = 0.0, contact = 0.0;  // [N s], [N] on the chain

  /// The port's angle beside the hand's, beyond half a turn as well.
  void set_port(const std::array<double, 3>& at) {
    port = {at[0], at[1], hand[2] + std::remainder(at[2] - hand[2], 2.0 * kPi)};
  }
  double apart() const { return std::hypot(hand[0] - port[0], hand[1] - port[1]); }  // [m]
  double turned() const { return std::fabs(hand[2] - port[2]); }                     // [rad]
};

/// Chain and device in semi-implicit steps; the mechanism's contacts are its own.
class OutsideScene {
 public:
  OutsideScene(const describe::Model& model, Law law, double period)
      : mechanism_(contact::open(model, {.step = period})),
        port_(mechanism_->port("distal")),
        coupled_(law == Law::coupler) {
    Settings settings;
    settings.law = law;
    hand_.emplace(*mechanism_, port_, settings);
    device_ = hand_->begin();
  }

  double period() const { return mechanism_->step_length(); }

  const Told& advance() {
    const double period = mechanism_->step_length();
    const Manipulation::Answer answer = hand_->look(device_);
    const Touch touched = touch(*mechanism_, port_);
    told_.felt = answer.F_pc;
    told_.for_contact = {};
    told_.contact = touched.largest;
    if (!coupled_) {
      // On the device as on the mechanism: acceleration-level contact is in answer.a already.
      for (std::size_t i = 0; i < 6; ++i) told_.felt[i] += touched.at_port[i] + answer.penalty[i];
      for (std::size_t i = 0; i < 6; ++i)
        for (std::size_t k = 0; k < 6; ++k)
          told_.for_contact[i] += answer.port.L[6 * i + k] * touched.at_port[k];
    }
    for (std::size_t i = 0; i < 3; ++i) {
      device_.v[i] += period * answer.a[i];
      device_.x[i] += period * device_.v[i];
    }
    const simulate::PortWrench wrench{port_, answer.on_port};
    const simulate::PortMotion before = mechanism_->motion(port_);
    const simulate::Tick tick = mechanism_->step({.tau = {}, .ports = {&wrench, 1}, .wrench = {}});
    if (!tick.ok()) throw InputError({}, mechanism_->explain(tick.status));
    told_.impulse = impulse_of(*mechanism_);
    // An impact is a jump of the port's velocity: the device is given the same.
    if (told_.impulse > 0.0 && !coupled_) {
      told_.felt[3] -= told_.impulse / period;
      const simulate::PortMotion& after = mechanism_->motion(port_);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t axis = Manipulation::kAxis[i];
        device_.v[i] += after.V_WP[axis] - before.V_WP[axis] - period * answer.port.acceleration[axis];
      }
    }
    told_.t += period;
    told_.hand = device_.x;
    told_.set_port(in_plane(mechanism_->motion(port_).X_WP));
    return told_;
  }

 private:
  std::unique_ptr<simulate::Mechanism> mechanism_;
  int port_;
  bool coupled_;
  std::optional<Manipulation> hand_;
  Manipulation::Device device_;
  Told told_;
};

/// Printed: (19), (20), k_j, b_j, and the rank by singular values of J.
inline control::FourChannelGains printed_gains(Law law, bool turning = true, double tolerance = 1e-3) {
  control::FourChannelGains gains;
  gains.penalties = law == Law::penalties;
  gains.turning = turning;
  gains.rank = control::Rank::jacobian;
  gains.tolerance = tolerance;
  gains.fade = false;
  return gains;
}
constexpr control::CouplerGains kPrintedCoupler{{0.2, 50.0}, {0.005, 3.0}};
/// {kg m^2, kg} of the device.
constexpr std::array<double, 2> inertia_for(Law law) { return {law == Law::coupler ? 0.01 : 1.0, 1.0}; }

/// The same through the loop; `limits` are its clamps.
class LoopScene {
 public:
  LoopScene(const describe::Model& model, Law law, double period, const control::SafetyLimits& limits,
            PlanarDevice::Push push)
      : mechanism_(contact::open(model, {.step = period})),
        port_(mechanism_->port("distal")),
        coupled_(law == Law::coupler),
        start_(in_plane(mechanism_->motion(port_).X_WP)),
        device_(1.0 / period, inertia_for(law),
                [this, push = std::move(push)](double t, double x, double y) {
                  return push(t, start_[0] + x, start_[1] + y);
                }),
        loop_(*mechanism_, device_, port_, kPrintedCoupler, limits) {
    if (!coupled_) loop_.use(printed_gains(law));
    if (!loop_.enable()) throw InputError({}, "the loop cannot be enabled");
  }

  double period() const { return loop_.period(); }

  const Told& advance() {
    const double period = loop_.period();
    const Touch touched = touch(*mechanism_, port_);
    const Vector6 V = mechanism_->motion(port_).V_WP, motors_before = told_.motors;
    const double t_before = mechanism_->state().t;
    L_earlier_ = L_before_;
    L_before_ = L_;
    mechanism_->mobility(port_, L_);
    if (!device_.wait() || !loop_.tick(period))
      throw InputError({}, "the loop stopped: " + control::said_of(loop_.safety()));
    const display::TickRecord& record = loop_.record();
    told_.motors = record.on_handle;
    told_.contact = touched.largest;
    told_.impulse = impulse_of(*mechanism_);
    told_.felt = told_.for_contact = {};
    if (coupled_) {
      told_.felt = record.on_handle;
    } else {
      // The port got F_h - F_pc; the device was told M_d (a + 2 L F_pc + u_add) - F_h, with the acceleration
      // a that the port had in the tick (four_channel.h).
      Vector6 F_pc{}, u_add{}, struck{};
      for (const std::size_t i : Manipulation::kAxis) F_pc[i] = record.F_H[i] - record.on_port[i];
      const Vector6& V_after = mechanism_->motion(port_).V_WP;
      for (const std::size_t i : Manipulation::kAxis) {
        if (told_.impulse > 0.0) {
          struck[i] = told_.motors[i] - motors_before[i];  // of M_d J_h D^-1 J_c^T p, in one tick
        } else if (record.resisted > 0) {
          u_add[i] = told_.motors[i] + record.F_H[i] - (V_after[i] - V[i]) / period;
          for (const std::size_t k : Manipulation::kAxis) u_add[i] -= 2.0 * L_[6 * i + k] * F_pc[k];
        }
        for (const std::size_t k : Manipulation::kAxis)
          told_.for_contact[i] += L_[6 * i + k] * touched.at_port[k];
      }
      if (told_.impulse > 0.0) {
        // The rest of the tick is smooth again, with the velocities after the impact: no part of it.
        const double part = (impact_time() - t_before) / period;
        const Vector6 after = mechanism_->acceleration(port_);
        for (const std::size_t i : Manipulation::kAxis)
          struck[i] -= (1.0 - part) * (after[i] - motors_before[i] - record.F_H[i]);
        struck = by_inertia(struck, part);
      }
      for (const std::size_t i : Manipulation::kAxis)
        told_.felt[i] = touched.at_port[i] + F_pc[i] + u_add[i] + struck[i];
    }
    told_.t = record.t + period;
    for (std::size_t i = 0; i < 3; ++i) told_.hand[i] = start_[i] + device_.place()[i];
    told_.set_port(in_plane({record.R_P, record.p_P}));
    return told_;
  }

  simulate::Mechanism& mechanism() { return *mechanism_; }

 private:
  /// Of the first impact in the last tick.
  double impact_time() const {
    for (const simulate::Event& event : mechanism_->events())
      if (event.kind == simulate::EventKind::impact) return event.t;
    return NAN;
  }
  /// L^-1 a: the wrench at the port that gives the mechanism this acceleration. Near a stretched arm L^-1
  /// changes within a tick: L is that of the last three ticks, led on to the instant by a parabola.
  Vector6 by_inertia(const Vector6& a, double part) const {
    Eigen::Matrix3d L;
    Eigen::Vector3d x;
    for (std::size_t i = 0; i < 3; ++i) {
      x[static_cast<Eigen::Index>(i)] = a[Manipulation::kAxis[i]];
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t at = 6 * Manipulation::kAxis[i] + Manipulation::kAxis[k];
        L(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
            L_[at] + part * (L_[at] - L_before_[at]) +
            0.5 * part * (part + 1.0) * (L_[at] - 2.0 * L_before_[at] + L_earlier_[at]);
      }
    }
    // Near singular places without what the joints carry: L = J D^-1 J^T has eigenvalues below
    // sigma^2/kInertia there.
    constexpr double kInertia = 0.1;  // [kg m^2] above all of the chain's D
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(L);
    Eigen::Vector3d F = Eigen::Vector3d::Zero();
    for (Eigen::Index k = 0; k < 3; ++k) {
      const auto v = eigen.eigenvectors().col(k);
      const double lambda = eigen.eigenvalues()[k];
      if (lambda > kRankOfFelt * kRankOfFelt / kInertia) F += v * (v.dot(x) / lambda);
    }
    Vector6 result{};
    for (std::size_t i = 0; i < 3; ++i) result[Manipulation::kAxis[i]] = F[static_cast<Eigen::Index>(i)];
    return result;
  }

  std::unique_ptr<simulate::Mechanism> mechanism_;
  int port_;
  bool coupled_;
  std::array<double, 3> start_;
  PlanarDevice device_;
  display::HapticLoop loop_;
  std::array<double, 36> L_{}, L_before_{}, L_earlier_{};
  Told told_;
};

}  // namespace tactus::studies::constantinescu
