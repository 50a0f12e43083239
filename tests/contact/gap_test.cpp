// Closed forms of gaps against differences along motions.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include <tactus/contact/law/gap.h>
#include <tactus/math/rotation.h>

namespace tactus::contact {
namespace {

using collide::FeaturePair;

// Differences of fourth order with this step: their error, h^4 times the fifth derivative (up to 1e6 close to
// a singular place of the form), and the rounding of the values over h stay below the tolerance.
constexpr double kStep = 1e-4;
constexpr double kDifference = 1e-8;
constexpr double kRounding = 1e-12;

/// A body with constant acceleration of its origin, and a turn about a fixed axis with constant angular
/// acceleration about it.
struct Mover {
  Vec3<double> p0, v0, a, axis, offset;
  double w0 = 0.0, wd = 0.0;

  BodyMotion<double> at(double t) const {
    BodyMotion<double> m;
    const double angle = w0 * t + 0.5 * wd * t * t, c = std::cos(angle), s = std::sin(angle);
    for (std::size_t j = 0; j < 3; ++j) {
      const Vec3<double> e = Vec3<double>::unit(j);
      const Vec3<double> r = c * e + s * cross(axis, e) + ((1.0 - c) * dot(axis, e)) * axis;
      for (std::size_t i = 0; i < 3; ++i) m.R(i, j) = r[i];
    }
    m.p = p0 + t * v0 + (0.5 * t * t) * a;
    m.v = v0 + t * a;
    m.vd = a;
    m.w = (w0 + wd * t) * axis;
    m.wd = wd * axis;
    return m;
  }
};

class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double number(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  Vec3<double> vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vec3<double> unit() {
    const Vec3<double> v = vector(1.0);
    const double length = std::sqrt(dot(v, v));
    return length > 0.1 ? (1.0 / length) * v : unit();
  }
  Mover mover() { return {vector(1.0), vector(1.0), vector(1.0), unit(), {}, number(-2, 2), number(-2, 2)}; }

 private:
  std::mt19937 random_;
};

struct Case {
  FeaturePair kind;
  bool hollow;
};

class Gap : public testing::TestWithParam<Case> {};

TEST_P(Gap, RatesAndBiasesAreDerivativesAlongMotions) {
  Draw draw(7);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const Mover a = draw.mover(), b = draw.mover();
    const double radius_a = GetParam().hollow ? -5.0 : draw.number(0.0, 0.3);
    const FeatureNumbers<double> fa{draw.vector(0.5), draw.unit(), radius_a};
    const FeatureNumbers<double> fb{draw.vector(0.5), draw.unit(), draw.number(0.05, 0.3)};
    const Vec3<double> tangent = draw.unit();
    const GapForm form{GetParam().kind, GetParam().hollow};
    const auto at = [&](double t) { return gap_motion(form, a.at(t), fa, b.at(t), fb, tangent); };
    const GapMotion<double> m = at(0.0), before = at(-kStep), after = at(kStep);
    const GapMotion<double> long_before = at(-2 * kStep), long_after = at(2 * kStep);
    const auto slope = [](double f_2, double f_1, double f1, double f2) {
      return (8.0 * (f1 - f_1) - (f2 - f_2)) / (12.0 * kStep);
    };
    // Close to a singular place of the form (parallel lines, flat disks, centres) derivatives are large.
    const Vec3<double> m_ab = cross(fa.axis, fb.axis);
    const Vec3<double> reach = m.c_b + fb.radius * m.direction[0] - m.c_a + fa.radius * m.direction[0];
    if (dot(m_ab, m_ab) < 0.1 || dot(reach, reach) < 0.1 || std::abs(dot(tangent, m.direction[0])) > 0.9)
      continue;
    EXPECT_NEAR(m.rate[0], slope(long_before.gap, before.gap, after.gap, long_after.gap), kDifference);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(m.bias[k], slope(long_before.rate[k], before.rate[k], after.rate[k], long_after.rate[k]),
                  kDifference);
    const Vec3<double> across = m.c_b - m.c_a;
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(across[i], m.gap * m.direction[0][i], kRounding);
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        EXPECT_NEAR(dot(m.direction[k], m.direction[l]), k == l ? 1.0 : 0.0, kRounding);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, Gap,
    testing::Values(Case{FeaturePair::plane_point, false}, Case{FeaturePair::plane_circle, false},
                    Case{FeaturePair::point_point, false}, Case{FeaturePair::point_point, true},
                    Case{FeaturePair::line_point, false}, Case{FeaturePair::line_point, true},
                    Case{FeaturePair::line_line, false}));

}  // namespace
}  // namespace tactus::contact
