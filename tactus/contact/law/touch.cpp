#include <tactus/contact/law/touch.h>

#include <algorithm>
#include <cmath>

#include <tactus/contact/events/active_system.h>

namespace tactus::contact {

std::string_view name_of(Mode mode) {
  switch (mode) {
    case Mode::apart:
      return "apart";
    case Mode::sliding:
      return "sliding";
    case Mode::sticking:
      return "sticking";
  }
  return "";
}

Touch touch_of(const collide::Proximity& proximity, const describe::ContactLaw& law) {
  Touch touch;
  touch.pair = proximity.pair;
  touch.id = proximity.id;
  touch.body_a = proximity.body_a;
  touch.body_b = proximity.body_b;
  touch.form = {proximity.kind, proximity.a.kind != collide::FeatureKind::plane && proximity.a.radius < 0.0};
  touch.a = {proximity.a.p, proximity.a.axis, proximity.a.radius};
  touch.b = {proximity.b.p, proximity.b.axis, proximity.b.radius};
  touch.law = &law;
  return touch;
}

void evaluate(const Terms& terms, Touch& touch) {
  touch.motion = gap_motion(touch.form, terms.body(touch.body_a), touch.a, terms.body(touch.body_b), touch.b,
                            touch.tangent);
}

namespace {

/// The smallest slip that is possible along t2, compared with t1, for both to count.
constexpr double kPlanarSlip = 1e-8;

}  // namespace

void choose_tangents(const Terms& terms, const double* factors, double* scratch, Touch& touch) {
  const auto n = static_cast<std::size_t>(terms.kernel().nv);
  double* rows = scratch;
  double* image = scratch + 3 * n;
  // Any direction far from the normal.
  const BodyMotion<double> body_a = terms.body(touch.body_a);
  evaluate(terms, touch);
  const Vec3<double> normal = transpose_times(body_a.R, touch.motion.direction[0]);
  std::size_t least = 0;
  for (std::size_t i = 1; i < 3; ++i)
    if (std::abs(normal[i]) < std::abs(normal[least])) least = i;
  touch.tangent = Vec3<double>::unit(least);
  evaluate(terms, touch);
  contact_rows(terms, touch.body_a, touch.body_b, touch.motion, 3, rows);
  // The mobility of the two slips, W = T M^-1 T^T: its larger principal direction becomes t1.
  double W[2][2];
  for (std::size_t k = 0; k < 2; ++k) {
    std::copy_n(rows + (k + 1) * n, n, image);
    towards_ground(terms.kernel().parents, n, factors, image);
    from_ground(terms.kernel().parents, n, factors, image);
    for (std::size_t l = 0; l < 2; ++l) {
      W[k][l] = 0.0;
      for (std::size_t i = 0; i < n; ++i) W[k][l] += image[i] * rows[(l + 1) * n + i];
    }
  }
  const double mean = 0.5 * (W[0][0] + W[1][1]), half = 0.5 * (W[0][0] - W[1][1]);
  const double spread = std::hypot(half, W[0][1]);
  const double large = mean + spread, small = mean - spread;
  touch.tangents = !(large > 0.0) ? 0 : small > kPlanarSlip * large ? 2 : 1;
  if (touch.tangents != 1) return;
  const double angle = 0.5 * std::atan2(W[0][1], half);
  const Vec3<double> t1 =
      std::cos(angle) * touch.motion.direction[1] + std::sin(angle) * touch.motion.direction[2];
  touch.tangent = transpose_times(body_a.R, t1);
  evaluate(terms, touch);
}

}  // namespace tactus::contact
