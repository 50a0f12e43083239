#include "haptic_session.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <tactus/base/error.h>

namespace tactus::apps {

namespace {

using Vec3 = math::Vec3<double>;

[[noreturn]] void refuse(const std::string& wrong, const std::string& remedy) {
  throw InputError({}, wrong, remedy);
}

int port_of(const HapticRequest& request, const simulate::Mechanism& mechanism) {
  if (!request.port.empty()) return mechanism.port(request.port);
  // The first frame that is marked to be held; otherwise the last body, where a chain has its tip.
  if (mechanism.ports().front().frame >= 0) return 0;
  return static_cast<int>(mechanism.ports().size()) - 1;
}

Grasp grasp_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  Grasp grasp;
  grasp.port = port_of(request, mechanism);
  const std::span<const double> J = mechanism.jacobian(grasp.port);
  const std::size_t nv = mechanism.nv();
  grasp.planar = true;
  for (const std::size_t row : {0u, 1u, 5u})
    for (std::size_t j = 0; j < nv; ++j) grasp.planar &= J[row * nv + j] == 0.0;
  std::array<double, 36> mobility{};
  mechanism.mobility(grasp.port, mobility);
  if (!std::all_of(mobility.begin(), mobility.end(), [](double x) { return std::isfinite(x); }))
    refuse("the equations are singular where the motion begins: nothing can be felt there",
           "give another `initial` state in the model");
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d A;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        A(static_cast<int>(i), static_cast<int>(j)) = mobility[6 * (3 * k + i) + 3 * k + j];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes(0.5 * (A + A.transpose()));
    grasp.inertia[k] = 1.0 / std::max(modes.eigenvalues()[2], 1e-12);  // a port that cannot move is a wall
    if (k == 0) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      grasp.ahead[i] = modes.eigenvectors()(static_cast<int>(i), 2);
      grasp.aside[i] = modes.eigenvectors()(static_cast<int>(i), 1);
    }
    // Of the two senses of an axis, the one whose largest component is positive.
    for (Vec3* axis : {&grasp.ahead, &grasp.aside}) {
      const double largest = std::max({axis->x, axis->y, axis->z}),
                   least = std::min({axis->x, axis->y, axis->z});
      if (-least > largest) *axis = -*axis;
    }
  }
  return grasp;
}

/// [m] that a hand moves: well within the device's workspace.
double size_of(const HapticRequest& request, const device::Specification& s) {
  if (request.size > 0.0) return request.size;
  constexpr double kFree = 0.05;  // where nothing bounds it
  return s.workspace.x > 0.0 ? 0.2 * s.workspace.x : kFree;
}

device::Specification specification_of(const std::string& name) {
  for (const device::Specification& s : device::devices())
    if (s.name == name) return s;
  return device::open(name, device::none())->specification();  // says what there is
}

control::CouplerGains gains_of(const HapticRequest& request, const device::Specification& s,
                               const Grasp& grasp) {
  if (s.kind == device::Kind::admittance) return {};
  const double share = request.coupling == "soft" ? 0.1 : request.coupling == "stiff" ? 0.9 : 0.5;
  control::CouplerGains gains = control::design(s, grasp.inertia, share);
  if (request.stiffness > 0.0) gains.stiffness[1] = request.stiffness;
  if (request.damping >= 0.0) gains.damping[1] = request.damping;
  if (!(gains.stiffness[1] > 0.0))
    refuse("device `" + s.name + "` has no damping: no stiffness is passive with it", "give --stiffness");
  return gains;
}

/// The four channels of [Constantinescu2005]: `impedance` is (11), `penalties` (18).
control::FourChannelGains four_channels(const HapticRequest& request, const Grasp& grasp) {
  control::FourChannelGains gains;
  // Weak, as the paper asks: with the mass that the port has where it moves most easily, a period of 0.6 s.
  constexpr double kFrequency = 10.0;  // [rad/s]
  for (std::size_t k = 0; k < 2; ++k) {
    gains.coordination.stiffness[k] = grasp.inertia[k] * kFrequency * kFrequency;
    gains.coordination.damping[k] = 2.0 * grasp.inertia[k] * kFrequency;
  }
  gains.penalties = request.controller == "penalties";
  gains.joint_stiffness = request.joint_stiffness;
  gains.joint_damping = request.joint_damping;
  gains.force_scale = request.force_scale;
  gains.motion_scale = request.motion_scale;
  return gains;
}

}  // namespace

HapticSession open_session(HapticRequest& request, describe::Model model,
                           std::unique_ptr<device::Device> given) {
  HapticSession session;
  session.model = std::move(model);
  // The device is chosen by how the port can move, which the mechanism tells; its step is the device's period.
  const auto open_at = [&](double rate) {
    contact::OpenOptions options;
    options.step = 1.0 / rate;
    options.budget = simulate::Budget::haptic();
    if (!request.port.empty())
      for (std::size_t i = 0; i < session.model.frames.size(); ++i)
        if (session.model.frames[i].name == request.port) options.ports = {request.port};
    std::unique_ptr<simulate::Mechanism> mechanism = contact::open(session.model, options);
    if (!request.moving)
      mechanism->set_state({.t = 0.0,
                            .q = mechanism->state().q,
                            .u = std::vector<double>(mechanism->nv(), 0.0),
                            .momentum = {}});
    return mechanism;
  };
  constexpr double kUsualRate = 1000.0;  // [Hz]
  session.rate = given != nullptr         ? given->specification().rate
                 : request.rate > 0.0     ? request.rate
                 : request.device.empty() ? kUsualRate
                                          : specification_of(request.device).rate;
  session.mechanism = open_at(session.rate);
  const Grasp grasp = session.grasp = grasp_of(request, *session.mechanism);
  if (given != nullptr) {
    session.device = std::move(given);
  } else {
    if (request.device.empty()) request.device = grasp.planar ? "simulated:planar" : "simulated:spatial";
    const double size = size_of(request, specification_of(request.device));
    request.hand.ahead = size * grasp.ahead;
    request.hand.aside = size * grasp.aside;
    request.hand.duration = request.duration;
    session.device = device::open(request.device, hand_of(request.hand),
                                  {.rate = session.rate, .seed = request.hand.seed});
  }
  const device::Specification& s = session.specification = session.device->specification();
  if (request.controller == "coupler") session.gains = gains_of(request, s, grasp);
  control::SafetyLimits limits = control::limits_for(s);
  if (request.late > 0.0) limits.late = 1e-3 * request.late;

  session.loop = std::make_unique<display::HapticLoop>(*session.mechanism, *session.device, grasp.port,
                                                       session.gains, limits);
  if (request.controller != "coupler") session.loop->use(four_channels(request, grasp));
  session.loop->guard_passivity(request.passivity);
  if (request.local_rate > 0.0) {
    const double every = std::round(session.rate / request.local_rate),
                 late = std::round(1e-3 * request.transport * session.rate);
    session.loop->use(display::TwoRateOptions{static_cast<int>(std::clamp(every, 1.0, 1e6)),
                                              static_cast<int>(std::clamp(late, 0.0, 1e6)),
                                              request.realtime});
  }
  return session;
}

}  // namespace tactus::apps
