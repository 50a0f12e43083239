// Sections II-A.1 and VII-B: mixed units, on an arm that slides and turns, written in metres and in millimetres.
#include <algorithm>
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/control/arm/projected.h>
#include <tactus/control/arm/weights.h>
#include "cases.h"

namespace tactus::studies::aghili {

namespace {

using study::Context;
using study::Result;

/// Lengths in a unit of which a metre has so many: masses and times stay, forces and torques come out as numbers of that unit.
describe::Model arm(const Context& context, double metre) {
  return load(context, "sliding_arm",
              {{"l1", 0.4 * metre}, {"l2", 0.3 * metre}, {"rise", 0.1 * metre}, {"g", 9.81 * metre}});
}

struct Forces {
  double f[3] = {};    // [N], [N m], [N m] whatever the unit
  double kappa = 0.0;  // [m]
};

Forces least(const Context& context, double metre, bool weighted) {
  const describe::Model model = arm(context, metre);
  control::ProjectedControl control;
  control.led = {"x", "q1"};
  Forces result;
  if (weighted) {
    const double kappa = control::characteristic_length(model).length;
    control.weight = control::weights_by_length(model, kappa);
    result.kappa = kappa / metre;
  }
  control::ProjectedController controller(model, control);
  control::ProjectedMemory memory = controller.memory();
  const double q[] = {0.0, model.initial_q[1], model.initial_q[2]}, u[] = {0.2 * metre, -0.5, 0.9};
  const double x[] = {0.1 * metre, 1.0}, xd[] = {0.3 * metre, 0.2}, xdd[] = {1.5 * metre, -2.0};
  double f[3];
  if (controller.force(memory, 0.0, q, u, x, xd, xdd, nullptr, nullptr, f) != control::Led::well) f[0] = NAN;
  result.f[0] = f[0] / metre;
  for (int i : {1, 2}) result.f[i] = f[i] / (metre * metre);
  return result;
}

Result units(const Context& context) {
  const Forces metres = least(context, 1.0, true), millimetres = least(context, 1000.0, true),
               plain = least(context, 1.0, false), plain_mm = least(context, 1000.0, false);
  Deviation same;
  double size = 0.0, apart = 0.0;
  for (int i = 0; i < 3; ++i) {
    size = std::max(size, std::fabs(metres.f[i]));
    apart = std::max(apart, std::fabs(plain.f[i] - plain_mm.f[i]));
  }
  for (int i = 0; i < 3; ++i) same.add(millimetres.f[i], metres.f[i], 1e-12 * size);
  same.add(millimetres.kappa, metres.kappa, 1e-12 * metres.kappa);
  // (8)-(10) of rates: |x_W|^2 = x^T W x, and A_W x_W = 0 of a motion that A leaves, with A_W = A W^-1/2. W^1/2 = (1/kappa, 1, 1).
  const double root[] = {1.0 / metres.kappa, 1.0, 1.0}, A[] = {-0.5, 0.3, 0.2};
  const double x[] = {1.0, 1.0, (0.5 - 0.3) / 0.2};
  double square = 0.0, weighted = 0.0, printed = 0.0, mended = 0.0;
  for (int i = 0; i < 3; ++i) {
    const double x_W = root[i] * x[i];
    square += x_W * x_W;
    weighted += x[i] * root[i] * root[i] * x[i];
    printed += A[i] * root[i] * x_W;
    mended += A[i] / root[i] * x_W;
  }
  same.add(square, weighted, 1e-12 * weighted);
  same.add(mended, 0.0, 1e-14);
  return {"(8)-(10), (47), (48): norms of mixed units, by a weight; A_W = A W^1/2",
          fmt::format("an arm on a carriage: least forces by the characteristic length {:.4f} m are {:.4f} "
                      "N, {:.4f} and {:.4f} N m, "
                      "in metres and in millimetres; {}. Without weights they are {:.2f} apart. A_W x_W is "
                      "{:.2f} as printed, {:.1g} with "
                      "W^-1/2",
                      metres.kappa, metres.f[0], metres.f[1], metres.f[2], same.to_string(), apart, printed,
                      mended),
          corrected(all_within(same) && apart > 0.1 && std::fabs(printed) > 0.1,
                    "forces in two units, and A_W of the text after (10) as printed and as VII-B has it"),
          "the text after (10) has A W^1/2 where VII-B has A W^-1/2, which alone makes A_W x_W = 0. The "
          "length is chosen here: that with which "
          "the inertia W^-1/2 M W^-1/2 has the least condition number",
          {}};
}

}  // namespace

std::vector<study::Case> unit_cases() { return {{"eq-8-10", "mixed units", units}}; }

}  // namespace tactus::studies::aghili
