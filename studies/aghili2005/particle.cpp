// Section V-D: a particle on a circle; the projected force does not give the whole acceleration.
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using study::Context;
using study::Result;

Result particle(const Context& context) {
  const double m = 1.0, rho = 1.0, angle = 0.5, speed = 1.3, fx = 0.4, fy = -0.7;
  const std::unique_ptr<simulate::Mechanism> particle = contact::open(load(context, "particle_on_circle"));
  const double c = std::cos(angle), s = std::sin(angle);
  particle->set_state({0.0, {rho * c, rho * s}, {-speed * s, speed * c}, {}});
  const std::vector<double> tau{fx, fy};
  particle->hold({.tau = tau});
  const std::span<const double> udot = particle->accelerations();
  // Tangential: f. e / m; normal: -speed^2 / rho towards the centre.
  const double along = (-s * fx + c * fy) / m, inwards = speed * speed / rho;
  Deviation d;
  d.add(udot[0], -s * along - c * inwards, 1e-12);
  d.add(udot[1], c * along - s * inwards, 1e-12);
  // As printed: the tangential part alone.
  const double off = std::hypot(udot[0] + s * along, udot[1] - c * along);
  d.add(off, inwards, 1e-12);
  const simulate::ConstraintReport report = particle->constraint_report(true);
  // F = f_normal + m |qd|^2/rho along the normal; our force on the coordinates is -F.
  const double normal = c * fx + s * fy + m * inwards;
  d.add(-report.force[0], normal * c, 1e-12);
  d.add(-report.force[1], normal * s, 1e-12);
  return {"m qdd = f_parallel, F = f_normal + m |qd|^2 / rho",
          fmt::format("as printed the acceleration is off by {:.4f} m/s^2; {} with the centripetal term", off,
                      d.to_string()),
          corrected(all_within(d) && off > 1.0,
                    "the last displays of V-D, evaluated as printed and with |qd|^2 / rho"),
          "the last display of V-D lacks - m |qd|^2 / rho along the normal; that of F is right",
          {}};
}

Result geometry(const Context&) {
  // P by (15) and C qd by (16), of the row A = (q1, q2)/rho, whose pseudoinverse is its transpose.
  const double rho = 1.0, angle = 0.5, speed = 1.3, c = std::cos(angle), s = std::sin(angle);
  const double A[] = {c, s}, Adot[] = {-speed * s / rho, speed * c / rho}, qd[] = {-speed * s, speed * c};
  const double along = Adot[0] * qd[0] + Adot[1] * qd[1];
  const double printed[2][2] = {{s * s, -s * c}, {-s * c, c * c}};  // (33)
  Deviation d;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) d.add((i == j ? 1.0 : 0.0) - A[i] * A[j], printed[i][j], 1e-15);
    const double q = rho * A[i];
    d.add(-A[i] * along, -q * speed * speed / (rho * rho), 1e-14);  // (34)
    d.add(-A[i] * along, -speed * speed / rho * A[i], 1e-14);       // (35)
  }
  return {"(33)-(35): projection and centripetal acceleration of a particle on a circle",
          d.to_string(),
          closed_form(all_within(d), "(33)-(35), evaluated as printed, with (15) and (16)"),
          "no numbers are printed",
          {}};
}

}  // namespace

std::vector<study::Case> particle_cases() {
  return {{"eq-33-35", "geometry of a particle on a circle", geometry},
          {"v-d", "particle on a circle", particle}};
}

}  // namespace tactus::studies::aghili
