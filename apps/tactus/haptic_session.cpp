#include "haptic_session.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <tactus/base/error.h>
#include <tactus/control/admittance_design.h>
#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/coupler_design.h>
#include <tactus/control/kept_inertia.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/device/hand_file.h>
#include <tactus/device/registry.h>

#include "haptic_rate.h"
#include "setting_error.h"

namespace tactus::apps {

namespace {

using Vec3 = math::Vec3<double>;

constexpr std::string_view kRecording = "file:";  // as a device

/// [kg m^2], [kg] What is as heavy cannot move: a wall.
constexpr double kWall = 1e3;

[[noreturn]] void refuse(const std::string& wrong, const std::string& remedy) {
  throw InputError({}, wrong, remedy);
}

int port_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  if (!request.port.empty()) return mechanism.port(request.port);
  // The first frame that is marked to be held; otherwise the last body whose origin can move: where a chain has its tip, and not on a pivot of the ground.
  if (mechanism.ports().front().frame >= 0) return 0;
  const int last = static_cast<int>(mechanism.ports().size()) - 1;
  for (int port = last; port >= 0; --port) {
    std::array<double, 36> L{};
    mechanism.mobility(port, L);
    if (L[6 * 3 + 3] + L[6 * 4 + 4] + L[6 * 5 + 5] > 1.0 / kWall) return port;
  }
  return last;
}

/// The least force F at the port with which it does not begin to move, A + L F = 0 in the directions that can move.
double weight_of(simulate::Mechanism& mechanism, int port, const std::array<double, 36>& mobility) {
  const std::array<double, 6> A = mechanism.acceleration(port);
  Eigen::Matrix3d L;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      L(static_cast<int>(i), static_cast<int>(j)) = mobility[6 * (3 + i) + 3 + j];
  // What is a million times as heavy as the easiest direction, or heavier than a thousand tons, is held by joints and contacts: its mobility and its acceleration are
  // rounding, and their quotient is no weight. A box at rest on others is so in every direction.
  constexpr double kHeld = 1e-6, kLeast = 1e-6;  // [1], [1/kg]
  const double most = L.norm();
  if (!(most > kLeast)) return 0.0;
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix3d> factors;
  factors.setThreshold(std::max(kHeld, kLeast / most));
  factors.compute(L);
  return factors.solve(Eigen::Vector3d(A[3], A[4], A[5])).norm();
}

/// The least wrench with which the port does not begin to move, along the directions in which it can, lengths by that of a handle.
std::array<double, 6> support_of(simulate::Mechanism& mechanism, int port,
                                 const std::array<double, 36>& mobility) {
  constexpr double kHandle = 0.1;                // [m]
  constexpr double kHeld = 1e-6, kLeast = 1e-6;  // as of a weight
  const std::array<double, 6> A = mechanism.acceleration(port);
  const auto size = [](int i) { return i < 3 ? kHandle : 1.0; };
  Eigen::Matrix<double, 6, 6> L;
  Eigen::Matrix<double, 6, 1> a;
  for (int i = 0; i < 6; ++i) {
    a[i] = -size(i) * A[static_cast<std::size_t>(i)];
    for (int j = 0; j < 6; ++j) L(i, j) = size(i) * size(j) * mobility[static_cast<std::size_t>(6 * i + j)];
  }
  std::array<double, 6> support{};
  const double most = L.norm();
  if (!(most > kLeast) || !a.allFinite()) return support;
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<double, 6, 6>> factors;
  factors.setThreshold(std::max(kHeld, kLeast / most));
  factors.compute(L);
  const Eigen::Matrix<double, 6, 1> F = factors.solve(a);
  for (int i = 0; i < 6; ++i) support[static_cast<std::size_t>(i)] = size(i) * F[i];
  return support;
}

Grasp grasp_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  Grasp grasp;
  grasp.port = port_of(request, mechanism);
  const std::span<const double> J = mechanism.jacobian(grasp.port);
  const std::size_t nv = mechanism.nv();
  grasp.planar = true;
  for (const std::size_t row : {0u, 1u, 5u})
    for (std::size_t j = 0; j < nv; ++j) grasp.planar &= J[row * nv + j] == 0.0;
  std::array<double, 36>& mobility = grasp.mobility;
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
    if (k == 0) {
      for (std::size_t i = 0; i < 3; ++i) grasp.axis[i] = modes.eigenvectors()(static_cast<int>(i), 2);
      continue;
    }
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
  if (request.moving) {
    // What dampers and turning take while it moves is no weight.
    const auto moving = mechanism.make_snapshot();
    mechanism.set_state(
        {.t = 0.0, .q = mechanism.state().q, .u = std::vector<double>(mechanism.nv(), 0.0), .momentum = {}});
    grasp.weight = weight_of(mechanism, grasp.port, mobility);
    grasp.support = support_of(mechanism, grasp.port, mobility);
    mechanism.load(*moving);
  } else {
    grasp.weight = weight_of(mechanism, grasp.port, mobility);
    grasp.support = support_of(mechanism, grasp.port, mobility);
  }
  return grasp;
}

bool four_channeled(const HapticRequest& request, const device::Specification& s) {
  return s.kind == device::Kind::impedance &&
         (request.controller == "impedance" || request.controller == "penalties");
}

bool only_turns(const device::Specification& s) { return (s.actuated & device::kTranslation) == 0; }

/// [m] that a hand moves, or [rad] that it turns: well within the device's workspace.
double size_of(const HapticRequest& request, const device::Specification& s) {
  if (request.size > 0.0) return request.size;
  constexpr double kFree = 0.05, kTurn = 0.5;  // where nothing bounds it
  if (only_turns(s)) return kTurn;
  return s.workspace.x > 0.0 ? 0.2 * s.workspace.x : kFree;
}

/// The easiest way without what the handle cannot do of it, where the hand goes; the easiest of the handle's own ways where nothing is left.
Vec3 shown_by(const device::Specification& s, const Grasp& grasp) {
  if (only_turns(s)) return grasp.ahead;  // its handle goes nowhere
  Eigen::Matrix3d own = Eigen::Matrix3d::Zero(), L;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<int>(i);
    if (device::has_axis(s.actuated, 3 + i)) own(row, row) = 1.0;
    for (std::size_t j = 0; j < 3; ++j) L(row, static_cast<int>(j)) = grasp.mobility[6 * (3 + i) + 3 + j];
  }
  if (own.isIdentity()) return grasp.ahead;  // to the bit
  constexpr double kLeast = 0.1;             // of it: a direction of the rest would be chance
  Eigen::Vector3d way = own * Eigen::Vector3d(grasp.ahead.x, grasp.ahead.y, grasp.ahead.z);
  if (!(way.norm() > kLeast))
    way = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(own * (0.5 * (L + L.transpose()) + own) * own)
              .eigenvectors()
              .col(2);
  way.normalize();
  return {way[0], way[1], way[2]};
}

/// [kg m^2], [kg] that an admittance device shows at least: what it bears, and hands hold.
std::array<double, 2> least_shown(const device::Specification& s, const Grasp& grasp) {
  std::array<double, 2> least = control::least_inertia(s);
  for (std::size_t k = 0; k < 2; ++k) least[k] = std::max(least[k], grasp.tamed[k]);
  return least;
}

/// [kg m^2], [kg] bolted to the port that an admittance device shows, where the motion begins.
std::array<double, 2> bolted_on(const HapticRequest& request, const device::Specification& s,
                                const Grasp& grasp) {
  if (s.kind != device::Kind::admittance || request.local_rate > 0.0) return {};
  const std::array<double, 2> least = least_shown(s, grasp);
  if (request.kept >= 0.0) return {request.kept * least[0], request.kept * least[1]};
  return control::missing_inertia(least, grasp.mobility, s.actuated);
}

/// Mainly along the port's easiest way, or about the device's own axis where it only turns.
void choose_hand(HapticRequest& request, const device::Specification& s, const Grasp& grasp,
                 std::vector<std::string>& notes) {
  HandChoice& hand = request.hand;
  const double size = size_of(request, s);
  hand.turning = only_turns(s);
  hand.ahead = size * (hand.turning ? grasp.axis : grasp.ahead);
  hand.aside = size * grasp.aside;
  if (hand.turning)
    for (std::size_t i = 0; i < 3; ++i)
      if (!device::has_axis(s.actuated, i)) hand.ahead[i] = 0.0;
  hand.duration = request.duration;
  if (has_size(hand.name))
    for (std::size_t i = 0; i < 3 && !hand.turning; ++i)
      if (s.workspace[i] > 0.0 && std::abs(hand.ahead[i]) > s.workspace[i]) {
        notes.push_back(fmt::format(
            "the hand means to move by {:g} m, beyond the device's workspace of {:g} m to either side", size,
            s.workspace[i]));
        break;
      }
  hand.strong = s.continuous;
  // Four channels that sense the hand foretell it (control/mean_wrench.h): what brings the bare handle to rest within a period is no hand that a sampled loop can show anything to.
  if (four_channeled(request, s) && s.force_sensor)
    for (std::size_t k = 0; k < 2; ++k) hand.borne[k] = s.inertia[k] * s.rate;
  hand.ramp = request.ramp > 0.0 ? request.ramp : control::SafetyLimits{}.ramp;
  const std::array<double, 2> bolted = bolted_on(request, s, grasp);
  for (std::size_t k = 0; k < 2; ++k) {
    // What cannot move at all is no load that a hand would move.
    const double own = s.kind == device::Kind::impedance ? s.inertia[k] : 0.0;
    if (s.kind == device::Kind::admittance)
      for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
        if (device::has_axis(s.actuated, i)) hand.carried[i] = grasp.support[i];
    hand.load[k] = own + bolted[k] + (grasp.inertia[k] < kWall ? grasp.inertia[k] : 0.0);
  }
}

/// [ticks] from one update of two rates to the next, and how late they are.
struct Updates {
  double every = 1.0, late = 0.0;
};
Updates updates_of(const HapticRequest& request, double rate) {
  if (!(request.local_rate > 0.0)) return {};
  return {std::max(1.0, std::round(rate / request.local_rate)), std::round(1e-3 * request.transport * rate)};
}

/// [ticks] How old what the loop knows of the mechanism may be.
int age_of(const HapticRequest& request, double rate) {
  const Updates updates = updates_of(request, rate);
  constexpr double kMost = display::TwoRateOptions::kMostTicks;  // more is refused
  return updates.every + updates.late > 1.0 ? static_cast<int>(std::min(updates.every + updates.late, kMost))
                                            : 0;
}

control::CouplerGains gains_of(const HapticRequest& request, const device::Specification& s,
                               const Grasp& grasp, int age, std::vector<std::string>& notes) {
  if (s.kind == device::Kind::admittance) return {};
  const double share = request.coupling == "soft" ? 0.1 : request.coupling == "stiff" ? 0.9 : 0.5;
  control::CouplerGains gains = control::design(s, grasp.inertia, share, age);
  const std::size_t k = only_turns(s) ? 0 : 1;  // what --stiffness and --damping are about
  const control::CouplerGains by_mass = control::design_by_mass(s, grasp.inertia, share, age);
  bool chosen_by_mass = false;
  for (std::size_t i = 0; i < 2; ++i)
    if (!(gains.stiffness[i] > 0.0) && by_mass.stiffness[i] > 0.0) {
      gains.stiffness[i] = by_mass.stiffness[i];
      gains.damping[i] = by_mass.damping[i];
      chosen_by_mass = true;
    }
  gains = control::softened(s, gains, grasp.mobility);
  if (request.stiffness > 0.0) gains.stiffness[k] = request.stiffness;
  if (request.damping >= 0.0) gains.damping[k] = request.damping;
  if (!(gains.stiffness[k] > 0.0))
    refuse("device `" + s.name + "` has neither damping nor mass: no stiffness is stable with it",
           "give --stiffness");
  constexpr std::array<const char*, 2> kUnit{"N m/rad", "N/m"};
  constexpr std::array<const char*, 2> kDamping{"N m s/rad", "N s/m"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (control::is_passive(s, gains, i, age)) continue;
    const double bound = i == 0 ? device::largest_rotational_stiffness(s) : device::largest_stiffness(s);
    notes.push_back(
        chosen_by_mass && !(bound > 0.0) && !(request.stiffness > 0.0)
            ? fmt::format("the device has no damping, or encoder steps without friction: no stiffness is "
                          "passive with it; "
                          "{:.4g} {} and {:.4g} {} are stable by its mass, and the hand's damping takes what "
                          "sampling adds",
                          gains.stiffness[i], kUnit[i], gains.damping[i], kDamping[i])
            : fmt::format(
                  "a coupler of {:.4g} {} and {:.4g} {} is not passive with this device (at most {:.4g} {}): "
                  "it may feed the hand",
                  gains.stiffness[i], kUnit[i], gains.damping[i], kDamping[i], bound, kUnit[i]));
  }
  return gains;
}

/// Those that were asked for; or all that the device has, along the directions of them that the port can move.
control::PrescribedGains prescribed_axes(const HapticRequest& request, const device::Specification& s) {
  constexpr std::array<std::string_view, 6> kNames{"rx", "ry", "rz", "x", "y", "z"};
  control::PrescribedGains gains;
  for (const std::string& name : request.prescribe)
    gains.axes |=
        static_cast<std::uint8_t>(1u << (std::find(kNames.begin(), kNames.end(), name) - kNames.begin()));
  gains.every_axis = gains.axes != 0;
  if (gains.axes == 0) gains.axes = s.sensed & s.actuated;
  return gains;
}

/// As fast a pole as the masses bear, of the directions that a hand's speed is slow enough for; the coupler has the others. Throws InputError where
/// there is none.
control::PrescribedGains prescription(const HapticRequest& request, HapticSession& session) {
  const device::Specification& s = session.specification;
  const control::PrescribedGains asked = prescribed_axes(request, s);
  if (s.kind == device::Kind::admittance || asked.axes == device::kNoAxes ||
      (asked.axes & ~(s.sensed & s.actuated)) != 0)
    return asked;  // the loop says why not
  control::Matrix6 L;
  session.mechanism->mobility(session.grasp.port, L);
  if (control::Vector6 probe{}; asked.every_axis && !control::solve_at_port(L, asked.axes, probe))
    return asked;
  constexpr double kHand = 3.0;  // [rad/s] of unhurried strokes
  control::PrescribedGains gains;
  double ratio = 0.0;
  int left = 0;  // directions that move, and are too heavy
  for (const double heavier : control::mass_ratios(L, control::inertia_of(s), asked.axes)) {
    if (ratio > 0.0 && !asked.every_axis && std::isinf(heavier)) break;
    const control::PrescribedGains slower = control::design_prescribed(s, heavier, asked.axes);
    if (!(slower.bandwidth >= kHand) && ratio > 0.0 && !asked.every_axis) {
      ++left;
      continue;
    }
    ratio = heavier;
    gains = slower;
  }
  gains.every_axis = asked.every_axis;
  if (!(gains.bandwidth >= kHand))
    refuse(fmt::format(
               "the port is up to {:.3g} times as heavy as the handle: its inertia comes back a tick late, "
               "and that "
               "is stable only below {:.2g} rad/s, slower than a hand",
               ratio, gains.bandwidth),
           "take --controller coupler, prescribe fewer axes, or take a heavier device or a faster --rate");
  if (left > 0)
    session.notes.push_back(
        fmt::format("along {} direction{} the port is more than {:.3g} times as heavy as the handle: the "
                    "coupler holds it "
                    "there",
                    left, left == 1 ? "" : "s", 0.5 * gains.heaviest));
  if (gains.bandwidth < control::PrescribedGains{}.bandwidth)
    session.notes.push_back(
        fmt::format("the port is up to {:.3g} times as heavy as the handle: inertia is felt below {:.3g} "
                    "rad/s, instead of {:g}",
                    ratio, gains.bandwidth, control::PrescribedGains{}.bandwidth));
  return gains;
}

/// The four channels of [Constantinescu2005]: `impedance` is (11), `penalties` (18).
control::FourChannelGains four_channels(const HapticRequest& request, HapticSession& session,
                                        const Grasp& grasp) {
  const device::Specification& s = session.device->specification();
  control::FourChannelGains gains;
  // Weak, as the paper asks: with the mass that the port has where it moves most easily, a period of 0.6 s.
  constexpr double kFrequency = 10.0;  // [rad/s]
  for (std::size_t k = 0; k < 2; ++k) {
    // What cannot move is not kept in its place by a spring to it: the handle is kept there.
    const double inertia = grasp.inertia[k] < kWall ? grasp.inertia[k] : s.inertia[k];
    gains.coordination.stiffness[k] = inertia * kFrequency * kFrequency;
    gains.coordination.damping[k] = 2.0 * inertia * kFrequency;
  }
  gains.by_coordination = !s.force_sensor && s.kind == device::Kind::impedance;
  if (gains.by_coordination) {
    // In front of a wall, whatever is behind the port: what is lighter than the handle keeps as much of its inertia as makes both equal.
    const double share = request.coupling == "soft" ? 0.1 : request.coupling == "stiff" ? 0.9 : 0.5;
    const std::array<double, 2> wall{1e12, 1e12};
    const int age = age_of(request, session.rate);
    control::CouplerGains held = control::design(s, wall, share, age);
    const control::CouplerGains by_mass = control::design_by_mass(s, wall, share, age);
    for (std::size_t k = 0; k < 2; ++k)
      if (!(held.stiffness[k] > 0.0)) {
        held.stiffness[k] = by_mass.stiffness[k];
        held.damping[k] = by_mass.damping[k];
      }
    gains.coordination = held;
  }
  gains.penalties = request.controller == "penalties";
  gains.joint_stiffness = request.joint_stiffness;
  gains.joint_damping = request.joint_damping;
  gains.damping_growth = request.damping_growth;
  gains.turning = !request.no_turning;
  gains.fade = !request.no_fading;
  gains.rank = request.rank == "jacobian" ? control::Rank::jacobian : control::Rank::mobility;
  if (request.rank_tolerance > 0.0) gains.tolerance = request.rank_tolerance;
  gains.force_scale = request.force_scale;
  gains.motion_scale = request.motion_scale;
  if (request.kept >= 0.0) {
    gains.kept = {request.kept, request.kept};
  } else {
    // Of the handle's inertia, what port and kept part have together: less is unstable with hands of 5 N s/m and a period of 1 ms, or with a force that is observed.
    const double least = s.force_sensor ? 0.2 : 1.0;
    double lightest = kWall;
    for (const std::size_t k : {0u, 1u}) {
      const auto axes =
          static_cast<std::uint8_t>(s.actuated & (k == 0 ? ~device::kTranslation : device::kTranslation));
      if (axes == device::kNoAxes) continue;
      const double scale = request.force_scale * (k == 0 ? request.motion_scale : 1.0 / request.motion_scale);
      const double lighter =
          scale * control::mass_ratios(grasp.mobility, control::inertia_of(s), axes).front();
      gains.kept[k] = std::clamp(least - lighter, 0.0, 1.0);
      lightest = std::min(lightest, lighter);
    }
    constexpr double kNotable = 0.1;  // of the handle's inertia
    if (gains.kept[0] > kNotable || gains.kept[1] > kNotable)
      session.notes.push_back(fmt::format(
          "the port is up to {:.3g} times as light as the handle: {:.0f} % of the handle's own mass and "
          "{:.0f} % of its "
          "moments of inertia stay felt (--kept-inertia){}",
          1.0 / lightest, 100.0 * gains.kept[1], 100.0 * gains.kept[0],
          s.force_sensor ? "" : "; a device with a force sensor masks more of it"));
  }
  if (gains.by_coordination)
    gains.coordination = control::softened(
        s, gains.coordination,
        control::mobility_with(control::kept_inertia(gains, control::inertia_of(s), s.actuated),
                               grasp.mobility));
  return gains;
}

/// What an admittance device shows is no lighter than it bears.
void keep_inertia(const HapticRequest& request, HapticSession& session) {
  const device::Specification& s = session.specification;
  const std::array<double, 2> least = least_shown(s, session.grasp),
                              bolted = bolted_on(request, s, session.grasp);
  session.loop->keep_inertia(least, request.kept);
  constexpr double kNotable = 0.1;  // of what is borne
  if (request.kept < 0.0 && (bolted[0] > kNotable * least[0] || bolted[1] > kNotable * least[1]))
    session.notes.push_back(fmt::format(
        "{} ({:.3g} kg, {:.3g} kg m^2): it moves as if {:.3g} kg and {:.3g} kg m^2 were bolted to it "
        "(--kept-inertia)",
        session.grasp.tamed == std::array<double, 2>{}
            ? "the port is lighter than this device bears"
            : "by itself the port goes faster than hands do, and is lighter than what they would hold",
        least[1], least[0], bolted[1], bolted[0]));
}

/// A limit may be lowered, never raised. 0: there is none.
void lower(double& limit, double asked, const char* option, const char* unit) {
  if (!(asked > 0.0)) return;
  if (limit > 0.0 && asked > limit)
    refuse(fmt::format("{} {:g}: the device's own limit is {:g} {}", option, asked, limit, unit),
           "limits may be lowered, not raised");
  limit = asked;
}

/// Whether the port can be moved at all along or about an axis that the device has.
bool moves_with(const device::Specification& s, simulate::Mechanism& mechanism, int port) {
  control::Matrix6 L;
  mechanism.mobility(port, L);
  constexpr double kStands = 1e-9;  // [1/kg], [1/(kg m^2)]
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(s.actuated, i) && L[7 * i] > kStands) return true;
  return false;
}

/// Two rates are whole numbers of ticks. The request gets what they are, and a note says where that is not what was asked for.
void tell_rounding(HapticRequest& request, HapticSession& session, double every, double late) {
  const double rate = session.rate / every, transport = 1e3 * late / session.rate;
  constexpr double kSame = 1e-3;
  const std::string asked =
      fmt::format("--simulation-rate {:g}{}", request.local_rate,
                  request.transport > 0.0 ? fmt::format(" --transport {:g}", request.transport) : "");
  if (every == 1.0 && late == 0.0 && !request.realtime)
    session.notes.push_back(
        fmt::format("{}: in whole ticks that is the loop's own rate of {:g} Hz, so that there is one rate, "
                    "and no local model",
                    asked, session.rate));
  else if (std::abs(rate - request.local_rate) > kSame * request.local_rate ||
           (!request.realtime && std::abs(transport - request.transport) > kSame * request.transport))
    session.notes.push_back(fmt::format("{}: in whole ticks that is {:.4g} Hz, {:.4g} ms late", asked, rate,
                                        request.realtime ? request.transport : transport));
  request.local_rate = rate;
  request.transport = transport;
  request.update_every = static_cast<int>(every);
}

/// A simulated device that shows any force, by a coupler: nothing of its own clamps what a port does that goes far in a tick.
bool shows_any_force(const HapticRequest& request) {
  if (request.controller != "coupler" || request.local_rate > 0.0) return false;
  for (const device::Specification& s : device::devices())
    if (s.name == request.device)
      return s.kind == device::Kind::impedance && !(s.continuous[1] > 0.0) && !only_turns(s);
  return false;
}

}  // namespace

HapticSession open_session(HapticRequest& request, describe::Model model,
                           std::unique_ptr<device::Device> given) {
  HapticSession session;
  session.model = std::move(model);
  if (request.weightless) session.model.gravity = {0.0, 0.0, 0.0};
  // The device is chosen by how the port can move, which the mechanism tells; its step is the device's period.
  const auto open_at = [&](double rate) {
    contact::OpenOptions options;
    options.step = 1.0 / rate;
    options.budget = simulate::Budget::haptic();
    options.hand_over = true;
    options.integrator = *simulate::integrator_of(request.integrator);
    options.constraints.formulation = *simulate::formulation_of(request.formulation);
    options.constraints.holding = *simulate::holding_of(request.holding);
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
  const auto open_device = [&] {
    session.hand = std::make_shared<device::HandPointer>();
    session.device = about({"device"}, [&] {
      return control::open_device(request.device, std::make_unique<LaterHand>(session.hand),
                                  {.rate = request.rate, .seed = request.hand.seed, .tool = request.tool},
                                  request.arm.options());
    });
  };
  // Also where --max-force and --max-torque clamp it: a clamp above what it takes to hold the port keeps nothing small.
  if (given == nullptr && request.rate == 0.0 && shows_any_force(request)) {
    const double turn = own_motion(*open_at(kUsualRate), 0).turn, rate = calm_rate(turn, kUsualRate);
    if (rate > kUsualRate) {
      session.notes.push_back(fmt::format(
          "by itself the mechanism turns by up to {:.2g} rad in a tick of {:g} Hz: the loop has {:g} Hz, "
          "unless --rate is given",
          turn / kUsualRate, kUsualRate, rate));
      request.rate = rate;
    }
  }
  if (given != nullptr)
    session.device = std::move(given);
  else if (!request.device.empty())
    open_device();  // once: hardware is not opened to be looked at
  session.rate = session.device != nullptr ? session.device->specification().rate
                 : request.rate > 0.0      ? request.rate
                                           : kUsualRate;
  session.mechanism = open_at(session.rate);
  session.grasp = grasp_of(request, *session.mechanism);
  const Grasp& grasp = session.grasp;
  if (session.device == nullptr) {
    request.device = grasp.planar ? "simulated:planar" : "simulated:spatial";
    if (request.rate == 0.0) request.rate = kUsualRate;
    open_device();
    // What is too heavy for it falls: a stronger device where the controller lets one be, otherwise without weight.
    constexpr double kRoom = 0.9;  // of the force: something is left to move it with
    constexpr const char* kStrong = "simulated:admittance";
    if (grasp.weight > kRoom * session.device->specification().continuous[1]) {
      double most = 0.0;
      for (const device::Specification& s : device::devices())
        if (s.name == kStrong) most = s.continuous[1];
      if (request.controller == "coupler" && request.local_rate == 0.0 && grasp.weight <= kRoom * most) {
        session.notes.push_back(
            fmt::format("it takes {:.3g} N to hold the mechanism up, more than {} gives: {} holds it",
                        grasp.weight, request.device, kStrong));
        request.device = kStrong;
        open_device();
      } else if (!request.weightless) {  // otherwise springs push it, which a note after the run says
        session.notes.push_back(
            fmt::format("it takes {:.3g} N to hold the mechanism up, more than {} gives: it has no weight in "
                        "this run, unless --device is given",
                        grasp.weight, request.device));
        session.weight_left_out = true;
        session.model.gravity = {0.0, 0.0, 0.0};
        session.mechanism = open_at(session.rate);
        session.grasp = grasp_of(request, *session.mechanism);
      }
    }
  }
  if (const device::Specification& s = session.device->specification();
      s.kind == device::Kind::admittance && request.kept < 0.0 && request.local_rate == 0.0 &&
      session.mechanism->kind() == simulate::EngineKind::smooth)
    session.grasp.tamed =
        taming_inertia(own_motion(*open_at(session.rate), grasp.port), control::limits_for(s).speed);
  if (session.hand != nullptr) {
    std::vector<std::string> none;
    choose_hand(request, session.device->specification(), grasp,
                std::isfinite(session.device->hand_work()) ? session.notes : none);
    *session.hand = about({"hand"}, [&] { return hand_of(request.hand); });
    if (const std::string file = device::file_of_hand(request.hand.name); !file.empty()) {
      const double end = device::end_of_hand(file);
      const bool held = request.hand.let_go < 0.0 || request.hand.let_go > end;
      if (std::isfinite(session.device->hand_work()) && held && end < request.duration - 2.0 / session.rate)
        session.notes.push_back(fmt::format(
            "the hand's file ends after {:g} s, and the run after {:g} s: its last values go on until then",
            end, request.duration));
    }
    constexpr double kNotable = 1.0;  // [N]
    const device::Vector6& F = request.hand.carried;
    if (const double force = std::hypot(F[3], F[4], F[5]); force > kNotable)
      session.notes.push_back(
          fmt::format("the hand carries the {:.3g} N that hold the mechanism up where it begins", force));
  }
  const device::Specification& s = session.specification = session.device->specification();
  session.grasp.shown = shown_by(s, session.grasp);
  if (s.owns_clock) request.realtime = true;  // it is in the world, and so is whoever holds it
  if (!(grasp.inertia[1] < kWall) && (s.actuated & device::kTranslation) != 0)
    session.notes.push_back(fmt::format(
        "the port `{}` cannot move where the motion begins{}: it is a wall; another --port can be held",
        session.mechanism->ports()[static_cast<std::size_t>(grasp.port)].name,
        session.mechanism->contact_report().contacts > 0 ? ", while its contacts hold" : ""));
  else if (!moves_with(s, *session.mechanism, grasp.port))
    session.notes.push_back(
        "the port cannot move along or about any axis of this device: it is felt as a wall");
  if (given == nullptr && request.device.starts_with(kRecording)) {
    const double end = device::length_of_recording(request.device.substr(kRecording.size()));
    if (end < request.duration - 2.0 / session.rate)
      session.notes.push_back(fmt::format(
          "the device's recording ends after {:g} s, and the run after {:g} s: the handle stands still until "
          "then",
          end, request.duration));
  }
  if (s.name.starts_with("file:") && (s.sensed & ~device::kTranslation) == 0)
    session.notes.push_back("the recording has no orientation: its handle does not turn");
  if (request.controller == "coupler")
    session.gains = gains_of(request, s, grasp, age_of(request, session.rate), session.notes);
  if (request.controller == "proxy" ||
      (request.controller == "prescribed" && s.kind == device::Kind::impedance)) {
    Grasp wall = grasp;  // it does not move
    wall.inertia = {1e12, 1e12};
    wall.mobility = {};
    session.gains = gains_of(request, s, wall, 0, session.notes);
  }
  control::SafetyLimits limits = control::limits_for(s);
  if (s.kind == device::Kind::admittance) {
    // What is cut of a sensed wrench makes energy where it yields: nothing is below the sensor's end, and an arm's transducer ends the run there.
    limits.force = s.peak;
    limits.force_rate = {};
    if (request.most_force > 0.0 || request.most_torque > 0.0)
      refuse(
          fmt::format("device `{}` is moved: the force on its handle is the hand's own, and no clamp of "
                      "--max-force or --max-torque holds it back",
                      s.name),
          "leave them out; --max-speed limits the motion; devices of the impedance kind clamp their force");
  }
  if (request.late > 0.0) limits.late = 1e-3 * request.late;
  lower(limits.force[1], request.most_force, "--max-force", "N");
  lower(limits.force[0], request.most_torque, "--max-torque", "N m");
  lower(limits.speed[1], request.most_speed, "--max-speed", "m/s");
  if (request.ramp > 0.0) limits.ramp = request.ramp;

  session.loop = std::make_unique<display::HapticLoop>(*session.mechanism, *session.device, grasp.port,
                                                       session.gains, limits);
  if (request.tool > 0.0) {
    if (s.name != "simulated:admittance")
      refuse(fmt::format("no tool can be hung on device `{}`", s.name),
             control::is_arm(request.device) ? "an arm's gripper is --arm-gripper"
                                             : "--device simulated:admittance has a force sensor before it");
    constexpr double kShare = 0.5,
                     kFall = 9.81;  // of what the sensor reads: the rest is for the hand; [m/s^2]
    if (const double heaviest = kShare * s.peak[1] / kFall; request.tool > heaviest)
      refuse(fmt::format("--tool {:g}: its weight takes more than half of the {:g} N that the sensor reads",
                         request.tool, s.peak[1]),
             fmt::format("hang {:.3g} kg on it at most", heaviest));
    session.loop->compensate({.mass = request.tool, .centre = {}, .inertia = {}});
  }
  if (s.kind == device::Kind::admittance && request.kept != 0.0) keep_inertia(request, session);
  if (request.controller == "coupler") session.follows = session.loop->follow_port();
  if (request.controller == "prescribed")
    about({"prescribe", "controller"}, [&] { session.loop->use(prescription(request, session)); });
  else if (request.controller == "proxy")
    about({"controller"},
          [&] { session.loop->use(control::ProxyGains{.stiffness = session.gains.stiffness[1]}); });
  else if (request.controller != "coupler")
    about({"joint-stiffness", "joint-damping", "damping-growth", "controller"},
          [&] { session.loop->use(four_channels(request, session, grasp)); });
  if (request.internal_damping > 0.0)
    about({"internal-damping"}, [&] { session.loop->damp_inside(request.internal_damping); });
  // Four channels mask the device's inertia, friction and damping, which elsewhere takes what sampling adds. What that would feed is taken back.
  const bool four = four_channeled(request, s);
  if (four && !s.force_sensor && !request.passivity)
    session.notes.push_back(
        "the device has no force sensor, and what the hand gives is what a stiff coordination holds: a mass "
        "is "
        "felt with that spring in series, and the passivity controller is on");
  // A display by motion leads or lags a little, by frequencies and by what is shown, and that feeds the hand or the mechanism some millijoules.
  session.loop->guard_passivity(request.passivity || four || s.kind == device::Kind::admittance);
  if (request.local_rate > 0.0) {
    const auto [every, late] = updates_of(request, session.rate);
    constexpr double kMost = static_cast<double>(display::TwoRateOptions::kMostTicks);
    if (every + late > kMost)
      refuse(fmt::format("--simulation-rate {:g}: an update every {:g} ticks of the loop, {:g} late",
                         request.local_rate, every, late),
             late < kMost ? fmt::format("with a loop of {:g} Hz and this --transport give at least {:g} Hz",
                                        session.rate, std::ceil(session.rate / (kMost - late)))
                          : "give a shorter --transport");
    session.loop->use(display::TwoRateOptions{static_cast<int>(std::clamp(every, 1.0, 1e6)),
                                              static_cast<int>(std::clamp(late, 0.0, 1e6)),
                                              request.realtime});
    tell_rounding(request, session, std::max(every, 1.0), late);
  }
  return session;
}

}  // namespace tactus::apps
