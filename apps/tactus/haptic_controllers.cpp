#include "haptic_controllers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <tactus/control/admittance_design.h>
#include <tactus/control/coupler_by_mass.h>
#include <tactus/control/kept_inertia.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/device/registry.h>

#include "refuse.h"

namespace tactus::apps {

bool four_channeled(const HapticRequest& request, const device::Specification& s) {
  return s.kind == device::Kind::impedance &&
         (request.controller == "impedance" || request.controller == "penalties");
}

namespace {

/// [kg m^2], [kg] that an admittance device shows at least: what it bears, and hands hold.
std::array<double, 2> least_shown(const device::Specification& s, const Grasp& grasp) {
  std::array<double, 2> least = control::least_inertia(s);
  for (std::size_t k = 0; k < 2; ++k) least[k] = std::max({least[k], grasp.tamed[k], grasp.beyond[k]});
  return least;
}

}  // namespace

std::array<double, 2> bolted_on(const HapticRequest& request, const device::Specification& s,
                                const Grasp& grasp) {
  if (s.kind != device::Kind::admittance || request.local_rate > 0.0) return {};
  const std::array<double, 2> least = least_shown(s, grasp);
  if (request.kept >= 0.0) return {request.kept * least[0], request.kept * least[1]};
  return control::missing_inertia(least, grasp.mobility, s.actuated);
}

Updates updates_of(const HapticRequest& request, double rate) {
  if (!(request.local_rate > 0.0)) return {};
  return {std::max(1.0, std::round(rate / request.local_rate)), std::round(1e-3 * request.transport * rate)};
}

// Springs between the handle and the local model answer at once: A = L F + A_0 [Constantinescu2005, section
// VII]. What comes with the updates, `every` ticks apart and `late`, is how the mechanism leaves that model: as L
// and A_0 change while it turns. Were all of it late, a spring would have to be as soft as an age of every + late
// asks for (4 kN/m become 60 N/m at 30 Hz). Were nothing late but the transport, six runs of some 50 shipped models
// make energy or fail that otherwise do not (3 s by coupler and penalties, 30 and 125 Hz). So an eighth of `every`
// counts where nothing turns further than kHardly between two updates; 424 runs, at 30 to 250 Hz, with a transport
// of 8 ms and without, then fail as rarely as before, but for a chain that falls like a whip, for which kHardly was
// halved. What turns further asks for all of it.
int age_of(const HapticRequest& request, double rate, double turn) {
  const auto [every, late] = updates_of(request, rate);
  if (!(every + late > 1.0)) return 0;
  constexpr double kShare = 0.125, kHardly = 0.25;  // [rad]
  const bool hardly_turns = turn * every / rate <= kHardly;
  constexpr double kMost = display::TwoRateOptions::kMostTicks;  // more is refused
  return static_cast<int>(std::min(late + std::ceil(hardly_turns ? kShare * every : every), kMost));
}

double coupling_share(std::string_view coupling) {
  return coupling == "soft" ? 0.1 : coupling == "stiff" ? 0.9 : 0.5;
}

namespace {

constexpr std::array<const char*, 2> kUnit{"N m/rad", "N/m"};

/// What two rates cost; `why_else`: what could be done besides.
void note_softer(double at_one_rate, double stiffness, const char* unit, const char* what,
                 const char* why_else, std::vector<std::string>& notes) {
  constexpr double kNotable = 0.9;
  if (!(stiffness < kNotable * at_one_rate)) return;
  notes.push_back(fmt::format(
      "two rates: {} was softened from {:.4g} to {:.4g} {}, because the updates are late; a faster "
      "--simulation-rate{}",
      what, at_one_rate, stiffness, unit, why_else));
}

/// As stiff as the device bears, by its damping or else by its mass.
control::CouplerGains designed(const device::Specification& s, const std::array<double, 2>& inertia,
                               double share, int age, bool& by_its_mass) {
  control::CouplerGains gains = control::design(s, inertia, share, age);
  const control::CouplerGains by_mass = control::design_by_mass(s, inertia, share, age);
  for (std::size_t i = 0; i < 2; ++i)
    if (!(gains.stiffness[i] > 0.0) && by_mass.stiffness[i] > 0.0) {
      gains.stiffness[i] = by_mass.stiffness[i];
      gains.damping[i] = by_mass.damping[i];
      by_its_mass = true;
    }
  return gains;
}

}  // namespace

control::CouplerGains gains_of(const HapticRequest& request, const device::Specification& s,
                               const Grasp& grasp, int age, std::vector<std::string>& notes) {
  if (s.kind == device::Kind::admittance) return {};
  const std::size_t k = only_turns(s) ? 0 : 1;  // what --stiffness and --damping are about
  bool chosen_by_mass = false;
  const auto gains_for = [&](int late) {
    return control::softened(
        s, designed(s, grasp.inertia, coupling_share(request.coupling), late, chosen_by_mass),
        grasp.mobility);
  };
  control::CouplerGains gains = gains_for(age);
  if (age > 0 && !(request.stiffness > 0.0))
    note_softer(gains_for(0).stiffness[k], gains.stiffness[k], kUnit[k], "the coupler", " or --stiffness",
                notes);
  if (request.stiffness > 0.0) gains.stiffness[k] = request.stiffness;
  if (request.damping >= 0.0) gains.damping[k] = request.damping;
  if (request.rotational_stiffness > 0.0) gains.stiffness[0] = request.rotational_stiffness;
  if (request.rotational_damping >= 0.0) gains.damping[0] = request.rotational_damping;
  if (!(gains.stiffness[k] > 0.0))
    refuse(s.inertia[k] > 0.0 || s.damping[k] > 0.0
               ? fmt::format("no gains were found with which device `{}` is stable in front of a wall and "
                             "with this port, by its damping of {:.3g} {} or by its inertia of {:.3g} {}",
                             s.name, s.damping[k], k == 0 ? "N m s/rad" : "N s/m", s.inertia[k],
                             k == 0 ? "kg m^2" : "kg")
               : "device `" + s.name + "` has neither damping nor mass: no stiffness is stable with it",
           "give --stiffness, or take another device or --rate");
  const bool proxy = request.controller == "proxy";  // a spring to a point
  if (proxy) gains = {{0.0, gains.stiffness[1]}, {}};
  constexpr std::array<const char*, 2> kDamping{"N m s/rad", "N s/m"};
  for (std::size_t i = 0; i < 2; ++i) {
    if (control::is_passive(s, gains, i, age)) continue;
    const double bound = i == 0 ? device::largest_rotational_stiffness(s) : device::largest_stiffness(s);
    if (proxy) {
      notes.push_back(
          fmt::format("a proxy's spring of {:.4g} N/m is not passive with this device (at most {:.4g} N/m): "
                      "it may feed the hand",
                      gains.stiffness[i], bound));
      continue;
    }
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

namespace {

/// Those that were asked for; or all that the device has, along the directions of them that the port can move.
control::PrescribedGains prescribed_axes(const HapticRequest& request, const device::Specification& s) {
  control::PrescribedGains gains;
  for (std::size_t i = 0; i < device::kAxisNames.size(); ++i)
    if (std::find(request.prescribe.begin(), request.prescribe.end(), device::kAxisNames[i]) !=
        request.prescribe.end())
      gains.axes |= static_cast<std::uint8_t>(1u << i);
  gains.every_axis = gains.axes != 0;
  if (gains.axes == 0) gains.axes = s.sensed & s.actuated;
  return gains;
}

}  // namespace

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
  if (std::isinf(ratio))
    refuse("the port cannot move along or about any axis that is prescribed: there is no motion to prescribe",
           "take --controller coupler, which shows it as a wall, another --port, or a device with axes that "
           "the port can move along");
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

namespace {

/// Along what is resisted the handle stands before a wall. Dry friction may hold what this says is unstable: it is noted, and not refused.
void note_penalties(const HapticRequest& request, const device::Specification& s,
                    const control::FourChannelGains& gains, std::vector<std::string>& notes) {
  const device::Arm arm = has_arm(request.hand.name) ? arm_of(request.hand) : device::Arm{{}, {}};
  for (std::size_t k = 2; k-- > 0;) {
    if ((s.actuated >> (3 * k) & 0b111) == 0) continue;
    // As it begins, and as damped as it becomes.
    for (const double b_j : {gains.joint_damping, gains.damping_growth * gains.joint_damping}) {
      if (control::penalty_radius(s, gains, k, gains.joint_stiffness, b_j, arm.damping[k]) < 1.0) continue;
      const double most = control::stiffest_penalty(s, gains, k, b_j, arm.damping[k]);
      notes.push_back(fmt::format(
          "penalties of {:g} 1/s^2 and {:g} 1/s swing up through {} at {:g} Hz, along what the joints "
          "resist: "
          "{}",
          gains.joint_stiffness, b_j, s.name, s.rate,
          most > 0.0 ? fmt::format("with this damping they are stable up to --joint-stiffness {:.3g}", most)
                     : "no stiffness is stable with this --joint-damping, give less"));
      return;
    }
  }
}

/// F_d = b_d xd + k_d x of the handle's own acts late by tau: half a period that it is held, what the motors
/// and the estimate of the velocity add. A spring that is late by tau is a damper of -k_d tau, which feeds
/// the hand; a damper on a mass m swings up from b_d tau = (pi/2) m on.
void note_own(const device::Specification& s, const control::FourChannelGains& gains, std::size_t k,
              const control::Matrix6& L, std::vector<std::string>& notes) {
  const double T = 1.0 / s.rate, held = 0.5 * T + s.latency,
               seen = s.velocity_bandwidth > 0.0 ? 2.0 / s.velocity_bandwidth : 0.5 * T;
  const char* const unit = k == 0 ? "N m s/rad" : "N s/m";
  const double k_d = gains.stiffness[k], b_d = gains.damping[k];
  if (k_d * held > b_d)
    notes.push_back(fmt::format(
        "the handle's own spring of {:g} {} is {:.3g} ms late and feeds the hand, which has to damp it: "
        "--handle-damping {:.2g} and more takes that back",
        k_d, kUnit[k], 1e3 * held, 1.1 * k_d * held));
  const auto axes =
      static_cast<std::uint8_t>(s.actuated & (k == 0 ? ~device::kTranslation : device::kTranslation));
  const control::Matrix6 M_d = control::inertia_of(s);
  const double lightest = control::mass_ratios(L, M_d, axes).front() * M_d[21 * k];
  if (std::isfinite(lightest) && b_d * (held + seen) > lightest)
    notes.push_back(fmt::format(
        "the handle's own damping of {:g} {} is {:.3g} ms late and may swing up a port of {:.3g} {}: "
        "--handle-damping {:.2g} at most",
        b_d, unit, 1e3 * (held + seen), lightest, k == 0 ? "kg m^2" : "kg", lightest / (held + seen)));
}

}  // namespace

control::FourChannelGains four_channels(const HapticRequest& request, HapticSession& session) {
  const Grasp& grasp = session.grasp;
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
    const std::array<double, 2> wall{1e12, 1e12};
    const int age = age_of(request, session.rate, session.turn);
    bool by_mass = false;
    gains.coordination = designed(s, wall, coupling_share(request.coupling), age, by_mass);
    const std::size_t k = only_turns(s) ? 0 : 1;
    if (age > 0)
      note_softer(designed(s, wall, coupling_share(request.coupling), 0, by_mass).stiffness[k],
                  gains.coordination.stiffness[k], kUnit[k], "the coordination of handle and port",
                  " or a device with a force sensor", session.notes);
  }
  gains.penalties = request.controller == "penalties";
  gains.joint_stiffness = request.joint_stiffness;
  gains.joint_damping = request.joint_damping;
  gains.damping_growth = request.damping_growth;
  gains.turning = !request.no_turning;
  gains.fade = !request.no_fading;
  gains.rank = request.rank == "jacobian" ? control::Rank::jacobian : control::Rank::mobility;
  if (request.rank_tolerance > 0.0) gains.tolerance = request.rank_tolerance;
  const std::size_t own = only_turns(s) ? 0 : 1;  // what --handle-stiffness and --handle-damping are about
  gains.stiffness[own] = request.handle_stiffness;
  gains.damping[own] = request.handle_damping;
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
  if (gains.stiffness[own] > 0.0 || gains.damping[own] > 0.0)
    note_own(s, gains, own,
             control::mobility_with(control::kept_inertia(gains, control::inertia_of(s), s.actuated),
                                    grasp.mobility),
             session.notes);
  if (gains.penalties) note_penalties(request, s, gains, session.notes);
  return gains;
}

void keep_inertia(const HapticRequest& request, HapticSession& session) {
  const device::Specification& s = session.specification;
  const std::array<double, 2> least = least_shown(s, session.grasp),
                              bolted = bolted_on(request, s, session.grasp);
  session.loop->keep_inertia(least, request.kept);
  constexpr double kNotable = 0.1;  // of what is borne
  if (request.kept < 0.0 && (bolted[0] > kNotable * least[0] || bolted[1] > kNotable * least[1]))
    session.notes.push_back(fmt::format(
        "{}{} ({:.3g} kg, {:.3g} kg m^2): it moves as if {:.3g} kg and {:.3g} kg m^2 were bolted to it "
        "(--kept-inertia)",
        session.grasp.tamed == std::array<double, 2>{}
            ? "the port is lighter than this device bears"
            : "by itself the port goes faster than hands do, and is lighter than what they would hold",
        session.grasp.beyond == std::array<double, 2>{} ? "" : " with this tool", least[1], least[0],
        bolted[1], bolted[0]));
}

}  // namespace tactus::apps
