// Accelerations and multipliers of the three examples at one state each.
//
// The paper writes M qdd + C qd + ... = tau + A^T lambda with its own rows; ours may have other signs and
// sizes, so the constraint force A^T lambda is what is compared.
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include "cases.h"
#include "reduced_arm.h"

namespace tactus::studies::faulring {

namespace {

using study::Context;
using study::Result;

constexpr double kGolden = 1e-11;  // the golden values have 13 digits or more

/// The trees' joints are q1 q2 q3 q4 q6 q5: the paper's order, and back.
std::vector<double> in_tree_order(const std::vector<double>& q) {
  return {q[0], q[1], q[2], q[3], q[5], q[4]};
}

Result disk(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(load(context, "rolling_disk"));
  const double r = 0.03, q4 = 0.3, w4 = 0.8, w5 = -1.5;
  disk->set_state({0.0,
                   in_tree_order({0.02, -0.01, r, q4, 0.7, std::numbers::pi / 2}),
                   in_tree_order({-r * w5 * std::cos(q4), -r * w5 * std::sin(q4), 0.0, w4, w5, 0.0}),
                   {}});
  const std::vector<double> f = in_tree_order({2.0, -1.0, 5.0, 0.05, -0.04, 0.02});
  disk->hold({.tau = f});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  // Heading and spin: two equations; the centre follows from rolling, (23) and (24).
  const double m = 0.25, J = 0.0025, b_t = 1.0, b_r = 0.1, c4 = std::cos(q4), s4 = std::sin(q4);
  const double a4 = (0.05 - b_r * w4) / J;
  const double a5 = (-0.04 - r * (2.0 * c4 - 1.0 * s4) - (b_r + b_t * r * r) * w5) / (J + m * r * r);
  const std::vector<double> known =
      in_tree_order({-r * (a5 * c4 - w5 * w4 * s4), -r * (a5 * s4 + w5 * w4 * c4), 0.0, a4, a5, 0.0});
  Deviation d;
  for (std::size_t k = 0; k < 6; ++k) d.add(udot[k], known[k], kGolden * 30.0);
  return {"example A: (11)-(13), (21)-(25)",
          d.to_string(),
          closed_form(all_within(d),
                      "the equations of heading and spin in closed form, and rolling by (23), (24)"),
          "no numbers are printed; the damping (41) is mapped to the coordinates (eq-41)",
          {}};
}

Result sphere(const Context& context) {
  const describe::Model model = load(context, "disk_on_sphere");
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(model);
  disk->set_state({0.0, model.initial_q, model.initial_u, {}});
  const std::vector<double> f = in_tree_order({2.0, -1.0, 5.0, 0.05, -0.04, 0.02});
  disk->hold({.tau = f});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  const std::vector<double> golden =
      in_tree_order({0.76132687699138, 2.002036035097691, 3.220073377333915, 29.110909377130312,
                     16.70810806257324, -72.44639692600913});
  Deviation d;
  for (std::size_t k = 0; k < 6; ++k) d.add(udot[k], golden[k], kGolden * 80.0);
  // The disk's axis R e3 by III-A's R = Rz(q4) Rx(q6) Rz(q5), and the direction from the sphere's centre that (28)-(30) print.
  const double q4 = model.initial_q[3], q6 = model.initial_q[4], q5 = model.initial_q[5], s6 = std::sin(q6);
  const double axis[] = {std::sin(q4) * s6, -std::cos(q4) * s6, std::cos(q6)};
  const double out[] = {std::sin(q5) * s6, std::cos(q5) * s6, std::cos(q6)};
  double aligned = 0.0, radial = 0.0;
  for (std::size_t k = 0; k < 3; ++k) {
    aligned += axis[k] * out[k];
    radial += std::pow(model.initial_q[k] - 0.05 * axis[k], 2);
  }
  const double lean = std::acos(aligned) * 180.0 / std::numbers::pi;
  return {
      "example B: (27)-(32)",
      fmt::format("{}; by (28)-(30) as printed the disk leans by {:.1f} deg against the sphere's tangent "
                  "plane, by R e3 its centre is "
                  "within {:.1g} m of the place",
                  d.to_string(), lean, std::sqrt(radial)),
      corrected(
          all_within(d) && std::fabs(lean - 102.908) < 1e-3 && radial < 1e-30,
          "an independent computation of the accelerations; (28)-(30), evaluated as printed and with R e3"),
      "(27)-(32) use R^T where III-A's R is meant; with equal moments of inertia M does not show it",
      {}};
}

Result two_links(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> arm = contact::open(load(context, "two_link_on_circle"));
  // The end point at z = 1 on the circle, at 3 rad/s, with the force (1, 2) there.
  const double z = 1.0, zd = 3.0, l = ReducedArm::kLength, r = ReducedArm::kRadius, b = 0.01;
  const double X = ReducedArm::kBase + r * std::cos(z), Y = r * std::sin(z);
  const ReducedArm::Rates<double> rates = ReducedArm::rates(z);
  const double q2 = std::acos(rates.c2), q1 = std::atan2(Y, X) - 0.5 * q2, q12 = q1 + q2;
  const double qd1 = rates.q1 * zd, qd2 = rates.q2 * zd;
  arm->set_state({0.0, {q1, q2}, {qd1, qd2}, {}});
  const double tau2 = l * (-std::sin(q12) + 2.0 * std::cos(q12));
  const double tau1 = tau2 + l * (-std::sin(q1) + 2.0 * std::cos(q1));
  const std::vector<double> tau{tau1, tau2};
  arm->hold({.tau = tau});
  const std::vector<double> udot(arm->accelerations().begin(), arm->accelerations().end());
  const simulate::ConstraintReport c = arm->constraint_report(true);
  // One angle: its force is that along the circle, its acceleration gives those of the joints.
  const double zdd = ReducedArm{b}.acceleration(z, zd, r * (-std::sin(z) + 2.0 * std::cos(z)));
  const double qdd1 = rates.q1 * zdd + ReducedArm::slope_1(z) * zd * zd,
               qdd2 = rates.q2 * zdd + ReducedArm::slope_2(z) * zd * zd;
  // The constraint force is what (3) leaves, by the printed (34) and (35).
  const double k = ReducedArm::kMass * l * l, s2 = std::sin(q2);
  const double M11 = k / 3 * (5 + 3 * rates.c2), M12 = k / 6 * (2 + 3 * rates.c2), M22 = k / 3;
  const double C11 = -k / 2 * s2 * qd2, C12 = -k / 2 * s2 * (qd1 + qd2), C21 = k / 2 * s2 * qd1;
  const double f1 = M11 * qdd1 + M12 * qdd2 + C11 * qd1 + C12 * qd2 + b * qd1 - tau1;
  const double f2 = M12 * qdd1 + M22 * qdd2 + C21 * qd1 + b * qd2 - tau2;
  // It is along the row (39), in which s1, s2 are the base's place (-s, 0).
  const double base = -ReducedArm::kBase;
  const double A1 = -2 * l * (std::sin(q12) + std::sin(q1)) * base,
               A2 = 2 * l * (-std::sin(q12) * base - l * s2);
  Deviation d;
  d.add(udot[0], qdd1, kGolden);
  d.add(udot[1], qdd2, kGolden);
  d.add(c.force[0], f1, kGolden);
  d.add(c.force[1], f2, kGolden);
  d.add((c.force[0] * A2 - c.force[1] * A1) / std::hypot(A1, A2), 0.0, kGolden);
  return {"example C: (33)-(39)",
          d.to_string(),
          closed_form(all_within(d), "the equation of one angle; (34), (35) and (39), evaluated as printed"),
          "base direction and elbow are chosen here; no numbers are printed",
          {}};
}

}  // namespace

std::vector<study::Case> state_cases() {
  return {{"example-a-state", "upright rolling disk", disk},
          {"example-b-state", "disk on a sphere", sphere},
          {"example-c-state", "two links, end point on a circle", two_links}};
}

}  // namespace tactus::studies::faulring
