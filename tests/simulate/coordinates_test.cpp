#include <gtest/gtest.h>

#include <cmath>

#include <tactus/math/rotation.h>
#include <tactus/simulate/motion/coordinates.h>

namespace tactus::simulate {
namespace {

const Coordinates kBody({{Segment::Kind::plain, 0, 0, 3}, {Segment::Kind::quaternion, 3, 3, 3}});
const double kPlace[7] = {1.0, -2.0, 0.5, 0.5, -0.5, 0.5, 0.5};

TEST(Coordinates, CountQuaternionsAsFourNumbersAndThreeDirections) {
  EXPECT_EQ(kBody.nq(), 7);
  EXPECT_EQ(kBody.nv(), 6);
}

TEST(Coordinates, StayUnitQuaternionsHoweverFarTheyAreDisplaced) {
  const double theta[6] = {0.1, 0.2, 0.3, 40.0, -20.0, 7.0};
  double q[7];
  kBody.displace(kPlace, theta, q);
  EXPECT_DOUBLE_EQ(q[1], -1.8);
  EXPECT_NEAR(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6], 1.0, 4e-16);
}

// theta' must be the rate at which theta moves when the body turns with omega: q(theta + h theta') and
// q(theta) turned on by h omega agree to second order in h.
TEST(Coordinates, ChartRateFollowsTheTurningBody) {
  constexpr double kStep = 1e-5;
  constexpr double kSecondOrder = 1e-9;  // about 10 h^2
  for (const double size : {0.0, 1e-6, 5e-3, 0.3, 2.0, 5.0}) {
    const double theta[6] = {0, 0, 0, 0.6 * size, -0.64 * size, 0.48 * size};
    const math::Vec3<double> omega{0.7, -0.4, 1.1};
    double q[7];
    kBody.displace(kPlace, theta, q);
    const math::Quaternion<double> rate = math::Quaternion<double>{q[3], q[4], q[5], q[6]} *
                                          math::Quaternion<double>{0, omega.x, omega.y, omega.z};
    const double qdot[7] = {0, 0, 0, 0.5 * rate.w, 0.5 * rate.x, 0.5 * rate.y, 0.5 * rate.z};
    double theta_rate[6], later[6];
    kBody.chart_rate(q, theta, qdot, theta_rate);
    for (int i = 0; i < 6; ++i) later[i] = theta[i] + kStep * theta_rate[i];
    double q_later[7];
    kBody.displace(kPlace, later, q_later);
    const math::Quaternion<double> turned =
        math::Quaternion<double>{q[3], q[4], q[5], q[6]} *
        math::exponential({kStep * omega.x, kStep * omega.y, kStep * omega.z});
    EXPECT_NEAR(q_later[3], turned.w, kSecondOrder) << size;
    EXPECT_NEAR(q_later[4], turned.x, kSecondOrder) << size;
    EXPECT_NEAR(q_later[5], turned.y, kSecondOrder) << size;
    EXPECT_NEAR(q_later[6], turned.z, kSecondOrder) << size;
  }
}

TEST(Coordinates, RefuseToNormalizeNothing) {
  double zero[7] = {};
  EXPECT_FALSE(kBody.normalize(zero));
  double twice[7] = {1, 2, 3, 2, 0, 0, 0};
  EXPECT_TRUE(kBody.normalize(twice));
  EXPECT_EQ(twice[3], 1.0);
  EXPECT_EQ(twice[2], 3.0);
}

}  // namespace
}  // namespace tactus::simulate
