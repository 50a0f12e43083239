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
using study::Verdict;

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
  return {"m qdd = f_parallel",
          d.to_string() + " with the centripetal term",
          judged(d.within == d.count, Verdict::corrected),
          "the last display of V-D lacks - m |qd|^2 / rho along the normal",
          {}};
}

}  // namespace

std::vector<study::Case> particle_cases() { return {{"v-d", "particle on a circle", particle}}; }

}  // namespace tactus::studies::aghili
