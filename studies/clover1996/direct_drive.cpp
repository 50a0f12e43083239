// Chapter III, sections V-B and VI: the thesis expects pole placement along the path (CT1) to be better than computed torque (CT2) for direct drives and
// higher speeds. The same arm without rotors, gears' friction and limits, along the same path faster.
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/path.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using control::ArmLaw;
using study::Context;
using study::Result;

constexpr double kDegree = std::numbers::pi / 180.0;

/// Without rotors and friction, and without limits; a payload of `carried` kg at the wrist, which no law knows.
describe::Model puma(const Context& context, bool direct, double carried) {
  std::ifstream file(context.models / "puma560.yaml");
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const auto has = [&](const char* key) { return line.find(key) != std::string::npos; };
    if (has("effort_limit:") || (direct && (has("armature:") || has("friction: {")))) continue;
    if (has("mass: 0.09")) line = fmt::format("      mass: {}", 0.09 + carried);
    text += line + "\n";
  }
  return describe::load_text(text, "puma560.yaml");
}

/// [m] rms of the tool from its path, sampled with 500 Hz and true rates.
double error(const Context& context, ArmLaw law, bool direct, double duration,
             control::PolePair poles = control::PolePair::complex(-12.0, 45.0)) {
  const control::JointPath path(
      {{-45 * kDegree, -135 * kDegree, 135 * kDegree, -45 * kDegree, 0.0, 135 * kDegree},
       {45 * kDegree, -85 * kDegree, 30 * kDegree, 45 * kDegree, 50 * kDegree, 30 * kDegree}},
      std::vector<double>{0.0, duration});
  constexpr double kPeriod = 0.002, kCarried = 0.1;
  constexpr int kSteps = 8;
  control::ArmController controller(puma(context, direct, 0.0), {law, {poles}, kPeriod, false});
  contact::OpenOptions options;
  options.step = kPeriod / kSteps;
  const std::unique_ptr<simulate::Mechanism> plant = contact::open(puma(context, direct, kCarried), options),
                                             wanted = contact::open(puma(context, direct, 0.0), options);
  const int tool = plant->port("tool");
  std::vector<double> q(6), qd(6), qdd(6), tau(6);
  path.at(0.0, q.data(), qd.data(), qdd.data());
  plant->set_state({0.0, q, qd, {}});
  double sum = 0.0;
  const int ticks = static_cast<int>(std::lround(duration / kPeriod));
  for (int k = 0; k < ticks; ++k) {
    path.at(kPeriod * k, q.data(), qd.data(), qdd.data());
    const simulate::State& s = plant->state();
    wanted->set_state({0.0, q, qd, {}});
    const math::Vec3<double> e = plant->motion(tool).X_WP.p - wanted->motion(tool).X_WP.p;
    sum += dot(e, e) / ticks;
    if (!controller.torque(s.t, s.q, s.u, q, qd, qdd, tau)) return NAN;
    for (int part = 0; part < kSteps; ++part)
      if (!plant->step({.tau = tau, .ports = {}, .wrench = {}}).ok()) return NAN;
  }
  return std::sqrt(sum);
}

Result direct_drive(const Context& context) {
  std::string words;
  std::array<double, 2> slow{}, fast{};  // CT2 over CT1, geared and direct
  for (const double duration : {1.5, 1.0, 0.75, 0.5}) {
    std::vector<double> row{duration};  // errors after it
    for (const bool direct : {false, true}) {
      const double ct1 = error(context, ArmLaw::pole_placement, direct, duration),
                   ct2 = error(context, ArmLaw::computed_torque, direct, duration);
      row.insert(row.end(), {ct1, ct2});
      (duration == 1.5 ? slow : fast)[direct ? 1 : 0] = ct2 / ct1;
    }
    words += fmt::format("{}{} s: {:.3f} and {:.3f}, {:.3f} and {:.3f}", words.empty() ? "" : "; ", duration,
                         1e3 * row[1], 1e3 * row[2], 1e3 * row[3], 1e3 * row[4]);
  }
  const control::PolePair soft = control::PolePair::complex(-4.5, 4.5);
  const double softly = error(context, ArmLaw::computed_torque, true, 0.5, soft) /
                        error(context, ArmLaw::pole_placement, true, 0.5, soft);
  return {
      "direct drives and higher speeds favour pole placement along the path (CT1) over computed torque (CT2)",
      fmt::format("rms error of the tool, CT1 and CT2, with gears and without, in mm, the move in {}. CT2 "
                  "over CT1: {:.3f} and {:.3f} in 1.5 s, {:.3f} and {:.3f} in 0.5 s; with poles of -4.5 +- "
                  "4.5j {:.2f} without gears in 0.5 s",
                  words, slow[0], slow[1], fast[0], fast[1], softly),
      closed_form(
          fast[1] > 1.0 && fast[1] > fast[0] && fast[1] > slow[1] && std::isfinite(slow[0] + softly),
          "CT2's error over CT1's: above 1 for direct drives at speed, more than with gears or slowly"),
      "an expectation of the thesis, without numbers; 0.1 kg at the wrist that no law knows make the errors, "
      "rates are true, no limits; poles -12 +- 45j unless said. It is a matter of a percent, and of the "
      "poles: slow ones turn it round",
      {}};
}

}  // namespace

std::vector<study::Case> direct_drive_cases() {
  return {{"iii-direct-drive", "direct drives at speed", direct_drive}};
}

}  // namespace tactus::studies::clover
