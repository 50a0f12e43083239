// Algorithm 1: integrate in the parametric coordinates z of the constraint, x = psi(z).
//
//   qdd = M^-1 (tau + A^T lambda ...)          (11)-(13): our constrained forward dynamics
//   xdd = J_phi qdd + Jd_phi qd                (14)
//   zdd = J_psi^+ (xdd - Jd_psi zd)            (16)
//   z += zd T + zdd T^2/2,  zd += zdd T;   x = psi(z),  xd = J_psi zd;   q = phi^-1(x),  qd = J_phi^-1 xd
//
// Holonomic constraints are kept exactly, because x = psi(z). Rows that exist at velocity level only
// (rolling) drift: zd is integrated without them. The remedy is a projection of the velocity after the step.
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/simulate/constraint_solver.h>
#include <tactus/simulate/simulation.h>
#include "cases.h"

namespace tactus::studies::faulring {

namespace {

using study::Context;
using study::Result;
using study::Verdict;

/// udot of the constrained mechanism, and the errors of its constraints.
class Plant {
 public:
  Plant(const describe::Model& model)
      : equations_(model),
        dynamics_(simulate::compile(equations_)),
        solver_(dynamics_),
        energy_(generate::compile(equations_.energy())) {}

  std::vector<double> accelerations(double t, const std::vector<double>& q, const std::vector<double>& u,
                                    const std::vector<double>& tau) {
    std::vector<double> arguments{t};
    for (const auto* part : {&q, &u, &tau}) arguments.insert(arguments.end(), part->begin(), part->end());
    std::vector<double> udot(u.size()), qdot(q.size());
    solver_.accelerate(arguments.data(), udot.data(), qdot.data());
    return udot;
  }
  void project_velocity(double t, const std::vector<double>& q, std::vector<double>& u) {
    solver_.hold_velocity(t, q.data(), u.data());
  }
  /// Largest position and velocity error.
  std::pair<double, double> errors(double t, const std::vector<double>& q, const std::vector<double>& u) {
    const double *position = nullptr, *velocity = nullptr;
    solver_.errors(t, q.data(), u.data(), position, velocity);
    std::pair<double, double> worst{0.0, 0.0};
    for (std::size_t k = 0; k < dynamics_.constraints->size(); ++k) {
      worst.first = std::max(worst.first, std::fabs(position[k]));
      worst.second = std::max(worst.second, std::fabs(velocity[k]));
    }
    return worst;
  }
  double kinetic(const std::vector<double>& q, const std::vector<double>& u) {
    std::copy(q.begin(), q.end(), energy_.input("q").begin());
    std::copy(u.begin(), u.end(), energy_.input("u").begin());
    energy_.run();
    return energy_.output("kinetic")[0];
  }

 private:
  derive::Equations equations_;
  simulate::Dynamics dynamics_;
  simulate::ConstraintSolver solver_;
  generate::Evaluator energy_;
};

// --- Example A: the upright disk. z = (x, y, heading, spin), the tree's order is q1 q2 q3 q4 q6 q5
// -----------------------

struct DiskRun {
  double position = 0.0, velocity = 0.0;
};

/// Ten seconds under a hand's force that turns and pushes; the paper does not print its own.
DiskRun roll(const Context& context, double step, bool project) {
  Plant plant(load(context, "rolling_disk"));
  const double r = 0.03;
  std::array<double, 4> z{0.0, 0.0, 0.0, 0.0}, zd{0.0, 0.0, 0.0, 0.0};
  DiskRun run;
  const auto q_of = [&] { return std::vector<double>{z[0], z[1], r, z[2], std::numbers::pi / 2, z[3]}; };
  const auto u_of = [&] { return std::vector<double>{zd[0], zd[1], 0.0, zd[2], 0.0, zd[3]}; };
  for (long k = 0; k < std::lround(10.0 / step); ++k) {
    const double t = static_cast<double>(k) * step;
    const std::vector<double> f{2.0 * std::sin(2.0 * t), 1.5 * std::cos(3.0 * t), 0.0, 0.1 * std::sin(t), 0.0,
                                0.02 * std::cos(5.0 * t)};
    const std::vector<double> a = plant.accelerations(t, q_of(), u_of(), f);
    const std::array<double, 4> zdd{a[0], a[1], a[3], a[5]};
    for (std::size_t i = 0; i < 4; ++i) {
      z[i] += zd[i] * step + 0.5 * zdd[i] * step * step;
      zd[i] += zdd[i] * step;
    }
    if (project) {
      std::vector<double> u = u_of();
      plant.project_velocity(t + step, q_of(), u);
      zd = {u[0], u[1], u[3], u[5]};
    }
    const auto [position, velocity] = plant.errors(t + step, q_of(), u_of());
    run.position = std::max(run.position, position);
    run.velocity = std::max(run.velocity, velocity);
  }
  return run;
}

Result rolling_drift(const Context& context) {
  const DiskRun coarse = roll(context, 2e-3, false), fine = roll(context, 1e-3, false),
                mended = roll(context, 1e-3, true);
  const double order = std::log2(coarse.velocity / fine.velocity);
  return {"Algorithm 1 satisfies the constraints exactly (Fig. 9)",
          fmt::format("holonomic rows {:.1g} m; rolling drifts {:.2g} m/s at 1 ms, order {:.2f} in the step; "
                      "with the velocity projection {:.1g} m/s",
                      fine.position, fine.velocity, order, mended.velocity),
          judged(fine.position < 1e-15 && order > 0.9 && order < 1.1 && mended.velocity < 1e-12,
                 Verdict::corrected),
          "true for holonomic constraints only; the mended step projects qd onto A qd = 0 in the metric of "
          "M. The factor 0.01 in "
          "the percent error of IV-A must be 100",
          {}};
}

// --- Example B: the disk on the sphere. z = (q4, q5, q6)
// ----------------------------------------------------------------

Result sphere_drift(const Context& context) {
  Plant plant(load(context, "disk_on_sphere"));
  const double r = 0.05, step = 1e-3;
  std::array<double, 3> z{0.3, 0.7, 1.1}, zd{0.8, -1.5, 0.6};  // (q4, q5, q6)
  const auto q_of = [&] {
    const double s1 = std::sin(z[0]), c1 = std::cos(z[0]), s3 = std::sin(z[2]), c3 = std::cos(z[2]);
    return std::vector<double>{r * s1 * s3, -r * c1 * s3, r * c3, z[0], z[2], z[1]};
  };
  const auto u_of = [&] {
    const double s1 = std::sin(z[0]), c1 = std::cos(z[0]), s3 = std::sin(z[2]), c3 = std::cos(z[2]);
    return std::vector<double>{r * (c1 * s3 * zd[0] + s1 * c3 * zd[2]),
                               r * (s1 * s3 * zd[0] - c1 * c3 * zd[2]),
                               -r * s3 * zd[2],
                               zd[0],
                               zd[2],
                               zd[1]};
  };
  double position = 0.0, velocity = 0.0;
  for (long k = 0; k < 10000; ++k) {
    const double t = static_cast<double>(k) * step;
    const std::vector<double> f{std::sin(t), 0.5 * std::cos(2.0 * t), 0.3, 0.01 * std::sin(3.0 * t), 0.0,
                                0.01};
    // With J_psi = [.; 1] the pseudo-inverse of consistent accelerations is their angular part.
    const std::vector<double> a = plant.accelerations(t, q_of(), u_of(), f);
    const std::array<double, 3> zdd{a[3], a[5], a[4]};
    for (std::size_t i = 0; i < 3; ++i) {
      z[i] += zd[i] * step + 0.5 * zdd[i] * step * step;
      zd[i] += zdd[i] * step;
    }
    const auto [p, v] = plant.errors(t + step, q_of(), u_of());
    position = std::max(position, p);
    velocity = std::max(velocity, v);
  }
  return {"Algorithm 1 satisfies the constraints exactly (Fig. 11)",
          fmt::format("position error {:.1g} m, velocity error {:.1g} m/s over 10 s", position, velocity),
          judged(position < 1e-15 && velocity < 1e-14),
          "with psi corrected as in example-b-state; the operator's force is chosen here",
          {}};
}

// --- Example C: two links, end point on a circle: z is the angle on the circle
// ------------------------------------------

class CircleArm {
 public:
  explicit CircleArm(const Context& context, double damping)
      : plant_(load(context, "two_link_on_circle", {{"b", damping}})) {}

  /// Elbow q2 > 0; base at (-s, 0).
  std::vector<double> q_of(double z) const {
    const double x = kRadius * std::cos(z) + kBase, y = kRadius * std::sin(z);
    const double c2 = (x * x + y * y) / (2.0 * kLink * kLink) - 1.0, q2 = std::acos(c2);
    return {std::atan2(y, x) - 0.5 * q2, q2};
  }
  std::vector<double> u_of(const std::vector<double>& q, double z, double zd) const {
    const double vx = -kRadius * std::sin(z) * zd, vy = kRadius * std::cos(z) * zd;
    const double s1 = std::sin(q[0]), c1 = std::cos(q[0]), s12 = std::sin(q[0] + q[1]),
                 c12 = std::cos(q[0] + q[1]);
    const double a = -kLink * (s1 + s12), b = -kLink * s12, c = kLink * (c1 + c12), d = kLink * c12;
    const double det = a * d - b * c;
    return {(d * vx - b * vy) / det, (a * vy - c * vx) / det};
  }
  /// zdd = J_psi^+ (J_phi qdd + Jd_phi qd - Jd_psi zd)
  double acceleration(double z, double zd) {
    const std::vector<double> q = q_of(z), u = u_of(q, z, zd),
                              a = plant_.accelerations(0.0, q, u, {0.0, 0.0});
    const double s1 = std::sin(q[0]), c1 = std::cos(q[0]), s12 = std::sin(q[0] + q[1]),
                 c12 = std::cos(q[0] + q[1]);
    const double w1 = u[0], w12 = u[0] + u[1];
    const double ax = -kLink * (s1 * a[0] + s12 * (a[0] + a[1])) - kLink * (c1 * w1 * w1 + c12 * w12 * w12);
    const double ay = kLink * (c1 * a[0] + c12 * (a[0] + a[1])) - kLink * (s1 * w1 * w1 + s12 * w12 * w12);
    // Tangent (-sin z, cos z): the centripetal part is normal to it.
    return (-std::sin(z) * ax + std::cos(z) * ay) / kRadius;
  }
  double kinetic(double z, double zd) {
    const std::vector<double> q = q_of(z);
    return plant_.kinetic(q, u_of(q, z, zd));
  }
  std::pair<double, double> errors(double z, double zd) {
    const std::vector<double> q = q_of(z);
    return plant_.errors(0.0, q, u_of(q, z, zd));
  }

  void euler(double& z, double& zd, double h) {
    const double zdd = acceleration(z, zd);
    z += zd * h + 0.5 * zdd * h * h;
    zd += zdd * h;
  }
  void rk4(double& z, double& zd, double h) {
    const double k1 = acceleration(z, zd), l1 = zd;
    const double k2 = acceleration(z + h / 2 * l1, zd + h / 2 * k1), l2 = zd + h / 2 * k1;
    const double k3 = acceleration(z + h / 2 * l2, zd + h / 2 * k2), l3 = zd + h / 2 * k2;
    const double k4 = acceleration(z + h * l3, zd + h * k3), l4 = zd + h * k3;
    z += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    zd += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }

 private:
  static constexpr double kLink = 0.15, kRadius = 0.05, kBase = 0.21;
  Plant plant_;
};

Result energy_of_two_links(const Context& context) {
  CircleArm arm(context, 0.0);
  const double start = arm.kinetic(0.0, 5.0);
  double z = 0.0, zd = 5.0, y = 0.0, yd = 5.0, radial = 0.0;
  for (int k = 0; k < 10000; ++k) {
    arm.euler(z, zd, 1e-3);
    arm.rk4(y, yd, 1e-3);
    radial = std::max(radial, arm.errors(z, zd).first);
  }
  const double euler_loss = 1.0 - arm.kinetic(z, zd) / start,
               rk4_change = std::fabs(arm.kinetic(y, yd) / start - 1.0);
  return {"Algorithm 1 on the undamped arm: the energy should stay",
          fmt::format(
              "as printed it loses {:.1f} % in 10 s, Runge-Kutta in z {:.1g}; the circle is kept to {:.1g} m",
              100.0 * euler_loss, rk4_change, radial),
          judged(euler_loss > 0.06 && euler_loss < 0.07 && rk4_change < 1e-9 && radial < 1e-15,
                 Verdict::corrected),
          "the velocity step of Algorithm 1 is of first order: it damps where nothing does; 6.5 % in an "
          "independent computation",
          {}};
}

Result figure_12(const Context& context) {
  // Thrown and left alone, with the paper's damping: where the energy goes.
  CircleArm arm(context, 0.01);
  Record record({"t", "z", "z_dot", "kinetic", "link_1_rate", "link_2_rate"});
  double z = 1.0, zd = 12.0, before = 1e9;
  bool falls = true, speed_rises = false;
  double slowest_link_1 = 1e9;
  for (int k = 0; k <= 6000; ++k) {
    const std::vector<double> q = arm.q_of(z), u = arm.u_of(q, z, zd);
    const double kinetic = arm.kinetic(z, zd);
    falls = falls && kinetic <= before;
    record.add({k * 1e-3, z, zd, kinetic, u[0], u[0] + u[1]});
    slowest_link_1 = std::min(slowest_link_1, std::fabs(u[0]));
    const double old_speed = std::fabs(zd);
    arm.rk4(z, zd, 1e-3);
    speed_rises = speed_rises || std::fabs(zd) > old_speed;
    before = kinetic;
  }
  record.write_csv(context, "faulring2006-figure-12.csv");
  record.write_svg(context, "faulring2006-figure-12.svg", "Two links on a circle, released",
                   {{"z [rad]", {"z"}},
                    {"rate [rad/s]", {"z_dot"}},
                    {"kinetic energy [J]", {"kinetic"}},
                    {"link rates [rad/s]", {"link_1_rate", "link_2_rate"}}});
  return {
      "Fig. 12: kinetic energy falls throughout, link 1 comes to rest again and again, the speed rises while "
      "the energy falls",
      fmt::format("energy falls: {}, link 1 slows to {:.2g} rad/s, speed rises at times: {}",
                  falls ? "yes" : "no", slowest_link_1, speed_rises ? "yes" : "no"),
      judged(falls && speed_rises && slowest_link_1 < 0.05),
      "all statements; the times 4.7 s and 6.2 s depend on a force that is not printed",
      {"faulring2006-figure-12.csv", "faulring2006-figure-12.svg"}};
}

}  // namespace

std::vector<study::Case> algorithm_1_cases() {
  return {{"algorithm-1-rolling", "drift of the rolling disk (Figs. 8, 9)", rolling_drift},
          {"algorithm-1-sphere", "drift of the disk on the sphere (Figs. 10, 11)", sphere_drift},
          {"algorithm-1-energy", "energy of the undamped arm", energy_of_two_links},
          {"fig-12", "the arm let go", figure_12}};
}

}  // namespace tactus::studies::faulring
