// Chapter IV, section IV and its appendix: the PUMA's inverse kinematics from position to acceleration, and its Jacobian, as printed and as mended,
// against the mechanism's own kinematics.
//
// Misprints, each of them switched on alone in `misprints`:
//
//   (15), (17)   entry (1, 2) is -sin theta_i+1, printed -s theta_i
//   (24)         the right side ends in - a3^2 - d4^2 - a2^2, printed - a3^2 + d4^2 + a2^2
//   (25)         alone it has a false root: theta_2 is taken from both equations
//   (40)         first row  w_z - cos t5 w_x/sin t5, printed with sine and cosine exchanged
//   (41)         its left side is A - w x V, the rate of the velocity in the body's axes; A of (3) and (8) is the inertial acceleration
//   (42)         first row: all terms have the minus, printed + from a2 cos t3 t2d^2 on
//   (44)         A_3 of (43) and the rate of J_3, printed A and J_3
//   (46)         omega_3 in the cross product has -cos(t2 + t3) t1d, printed +cos
//   appendix     the terms in a3 of J11 to J33 have the other sign; in J11 "c6 s5 s3 s2" is c6 s5 s3 c2, and the last term in d4 is too much
#include <array>
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include <tactus/control/arm/arm_device.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using study::Context;
using study::Result;
using Vec = math::Vec3<double>;
using Mat = math::Mat3<double>;
using Joints = std::array<double, 6>;

constexpr double d2 = 0.2435, a2 = 0.4318, d3 = -0.0934, a3 = -0.0203, d4 = 0.4331;  // [m] as printed

/// The misprint that is left in; none: all are mended.
enum class Misprint { none, e24, e25, e40, e42, e44, e46 };

/// R_1 to R_6 of the appendix.
std::array<Mat, 6> rotations(const Joints& t) {
  std::array<Mat, 6> R;
  for (std::size_t i = 0; i < 6; ++i) {
    const double c = std::cos(t[i]), s = std::sin(t[i]);
    switch (i) {
      case 0:
      case 2:
        R[i] = Mat::from_columns({c, s, 0}, {-s, c, 0}, {0, 0, 1});
        break;
      case 1:
      case 4:
        R[i] = Mat::from_columns({c, 0, -s}, {-s, 0, -c}, {0, 1, 0});
        break;
      default:
        R[i] = Mat::from_columns({c, 0, s}, {-s, 0, c}, {0, -1, 0});
    }
  }
  return R;
}

/// (15), the rotation of link i + 1 in link i, of the twist alpha_i; also the upper left of (17). `printed`: entry (1, 2) has theta_i.
Mat equation_15(double twist, double theta, double before, bool printed) {
  const double c = std::cos(theta), s = std::sin(theta), ca = std::cos(twist), sa = std::sin(twist);
  return Mat::from_columns({c, s * ca, s * sa}, {-std::sin(printed ? before : theta), c * ca, c * sa},
                           {0, -sa, ca});
}

/// T_1 ... T_6 of the appendix: (18).
math::Pose<double> forward(const Joints& t) {
  const std::array<Mat, 6> R = rotations(t);
  const Vec P[] = {{0, 0, 0}, {0, d2, 0}, {a2, 0, d3}, {a3, -d4, 0}, {0, 0, 0}, {0, 0, 0}};
  math::Pose<double> X;
  for (std::size_t i = 0; i < 6; ++i) X = {X.R * R[i], X.p + X.R * P[i]};
  return X;
}

double near(double angle, double to) { return to + std::remainder(angle - to, 2.0 * std::numbers::pi); }

/// (22), (23): the root nearer to `to`. An argument below zero is a border, at which the thesis keeps the angle.
double root(double A, double B, double C, double to) {
  const double square = A * A + B * B - C * C;
  if (square < 0.0) return to;
  const double one = near(2.0 * std::atan2(B + std::sqrt(square), A + C), to),
               two = near(2.0 * std::atan2(B - std::sqrt(square), A + C), to);
  return std::abs(one - to) < std::abs(two - to) ? one : two;
}

/// (18)-(33), near a solution.
Joints position(const math::Pose<double>& X, const Joints& t0, Misprint misprint) {
  Joints t{};
  t[0] = root(X.p.y, -X.p.x, d2 + d3, t0[0]);
  const double u = X.p.x * std::cos(t[0]) + X.p.y * std::sin(t[0]), z = X.p.z;
  const double more = misprint == Misprint::e24 ? d4 * d4 + a2 * a2 : -d4 * d4 - a2 * a2;
  t[2] = root(2 * a3 * a2, 2 * d4 * a2, u * u + z * z - a3 * a3 + more, t0[2]);
  const double k1 = -a3 * std::sin(t[2]) + d4 * std::cos(t[2]),
               k2 = -d4 * std::sin(t[2]) - a3 * std::cos(t[2]) - a2;
  // (25) alone, from a start that is off by half a radian, finds its other root now and then.
  t[1] = misprint == Misprint::e25 ? root(k1, k2, z, t0[1])
                                   : near(std::atan2(k1 * u + k2 * z, k1 * z - k2 * u), t0[1]);
  std::array<Mat, 6> R = rotations(t);
  const Mat Rw = (R[0] * R[1] * R[2]).transposed() * X.R;  // (26)
  double c4 = 0.0, s4 = 0.0;
  double best = 1e9;
  for (const double sign : {1.0, -1.0}) {  // (29), and the other branch of the wrist
    const double t4 = near(std::atan2(sign * Rw(2, 2), sign * Rw(0, 2)), t0[3]), c = std::cos(t4),
                 s = std::sin(t4);
    const double t5 = near(std::atan2(Rw(0, 2) * c + Rw(2, 2) * s, -Rw(1, 2)), t0[4]),             // (32)
        t6 = near(std::atan2(-Rw(0, 0) * s + Rw(2, 0) * c, -Rw(0, 1) * s + Rw(2, 1) * c), t0[5]);  // (33)
    const double away = std::hypot(t4 - t0[3], t5 - t0[4], t6 - t0[5]);
    if (away >= best) continue;
    best = away;
    t[3] = t4, t[4] = t5, t[5] = t6;
    c4 = c, s4 = s;
  }
  (void)c4, (void)s4;
  return t;
}

/// x of J x = b with J of (36), by Cramer's rule.
Vec arm_rates(const Joints& t, const Vec& b) {
  const double c23 = std::cos(t[1] + t[2]), s23 = std::sin(t[1] + t[2]);
  const Vec j1{-(d2 + d3) * c23, (d2 + d3) * s23, a3 * c23 + d4 * s23 + a2 * std::cos(t[1])},
      j2{d4 + a2 * std::sin(t[2]), a3 + a2 * std::cos(t[2]), 0.0}, j3{d4, a3, 0.0};
  const double det = dot(j1, cross(j2, j3));
  return {dot(b, cross(j2, j3)) / det, dot(j1, cross(b, j3)) / det, dot(j1, cross(j2, b)) / det};
}

/// (34)-(40): V and w in the axes of frame 6.
Joints velocity(const Joints& t, const Vec& V, const Vec& w, Misprint misprint) {
  const std::array<Mat, 6> R = rotations(t);
  const Vec first = arm_rates(t, R[3] * (R[4] * (R[5] * V)));  // (36), (37)
  const double c23 = std::cos(t[1] + t[2]), s23 = std::sin(t[1] + t[2]), s5 = std::sin(t[4]),
               c5 = std::cos(t[4]);
  const Vec rel =
      R[4] * (R[5] * w) - R[3].transposed() * Vec{-s23 * first.x, -c23 * first.x, first.y + first.z};  // (38)
  const double fourth = misprint == Misprint::e40 ? (c5 * rel.z - s5 * rel.x) / s5 : rel.z - c5 * rel.x / s5;
  return {first.x, first.y, first.z, fourth, rel.y, rel.x / s5};  // (40)
}

/// (41)-(48): A and alpha in the axes of frame 6, A the inertial acceleration.
Joints acceleration(const Joints& t, const Joints& q, const Vec& A, const Vec& alpha, Misprint misprint) {
  const std::array<Mat, 6> R = rotations(t);
  const double t2 = t[1], t3 = t[2], t23 = t2 + t3, s23 = std::sin(t23), c23 = std::cos(t23);
  const double s5 = std::sin(t[4]), c5 = std::cos(t[4]);
  const double rest =
      a2 * std::cos(t3) * q[1] * q[1] + a3 * q[1] * q[1] + a3 * q[2] * q[2] + 2 * a3 * q[1] * q[2];
  const Vec Jq{
      -(d4 * std::sin(2 * t23) + a2 * std::cos(2 * t2 + t3) + a2 * std::cos(t3) + a3 * std::cos(2 * t23) +
        a3) * q[0] *
              q[0] / 2 +
          (misprint == Misprint::e42 ? rest : -rest),
      (-d4 * std::cos(2 * t23) + a2 * std::sin(2 * t2 + t3) + a2 * std::sin(t3) + a3 * std::sin(2 * t23) +
       d4) * q[0] *
              q[0] / 2 +
          a2 * std::sin(t3) * q[1] * q[1] + d4 * q[1] * q[1] + d4 * q[2] * q[2] + 2 * d4 * q[1] * q[2],
      -(d2 + d3) * q[0] * q[0] + (2 * d4 * c23 - 2 * a3 * s23 - 2 * a2 * std::sin(t2)) * q[0] * q[1] +
          (2 * d4 * c23 - 2 * a3 * s23) * q[0] * q[2]};                        // (42)
  const Vec A_3 = R[3] * (R[4] * (R[5] * A));                                  // (43)
  const Vec first = arm_rates(t, (misprint == Misprint::e44 ? A : A_3) - Jq);  // (44)
  const Vec w_3{-s23 * q[0], (misprint == Misprint::e46 ? c23 : -c23) * q[0], q[1] + q[2]};
  const Vec wd_3{-s23 * first.x - c23 * q[0] * (q[1] + q[2]), -c23 * first.x + s23 * q[0] * (q[1] + q[2]),
                 first.y + first.z};
  const Vec rel{s5 * q[5], q[4], q[3] + c5 * q[5]};
  const Vec wd =
      R[4] * (R[5] * alpha) - R[3].transposed() * wd_3 - cross(R[3].transposed() * w_3, rel);  // (46)
  Joints qdd{first.x, first.y, first.z, 0, 0, 0};
  qdd[5] = (wd.x + q[3] * q[4] - c5 * q[4] * q[5]) / s5;  // (48)
  qdd[4] = wd.y - s5 * q[3] * q[5];
  qdd[3] = wd.z + s5 * q[4] * q[5] - c5 * qdd[5];
  return qdd;
}

/// The same states in every run.
class Draw {
 public:
  double operator()(double from, double to) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1996;
};

struct Errors {
  double pose = 0.0, rate = 0.0,
         acceleration = 0.0;  // [rad], by the largest rate, by the largest acceleration
};

/// The largest errors over random states that are regular, with one misprint left in.
Errors errors_with(const control::ArmDevice& arm, Misprint misprint) {
  Draw draw;
  Errors worst;
  for (int k = 0; k < 2000; ++k) {
    Joints q{}, qd{}, qdd{}, start{};
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = draw(-3.0, 3.0);
      qd[i] = draw(-2.0, 2.0);
      qdd[i] = draw(-10.0, 10.0);
      // (25)'s false root lies anywhere: its start is further off than a period would leave it.
      start[i] = q[i] + (misprint == Misprint::e25 ? draw(-0.5, 0.5) : draw(-0.05, 0.05));
    }
    // Bent: elbow, shoulder and wrist away from where two branches meet.
    const math::Pose<double> X = arm.pose(q);
    const double reach = std::hypot(X.p.x, X.p.y);
    const double bent = std::abs(std::cos(q[2]) * d4 - std::sin(q[2]) * a3);
    if (std::abs(std::sin(q[4])) < 0.3 || bent < 0.15 || reach < 0.35) continue;
    const Joints t = position(X, start, misprint);
    device::Vector6 V{}, A{};
    arm.motion(q, qd, qdd, V, A);
    const auto own = [&](const device::Vector6& v, std::size_t at) {
      return transpose_times(X.R, Vec{v[at], v[at + 1], v[at + 2]});
    };
    const Joints rate = velocity(q, own(V, 3), own(V, 0), misprint),
                 gain = acceleration(q, qd, own(A, 3), own(A, 0), misprint);
    double scale = 1.0;
    for (const double x : gain) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < 6; ++i) {
      worst.pose = std::max(worst.pose, std::abs(t[i] - q[i]));
      worst.rate = std::max(worst.rate, std::abs(rate[i] - qd[i]));
      worst.acceleration = std::max(worst.acceleration, std::abs(gain[i] - qdd[i]));
    }
  }
  return worst;
}

control::ArmDevice puma(const Context& context) {
  control::ArmDeviceOptions options;
  options.start = {0.0, -0.5, 1.0, 0.3, 1.0, 0.0};
  return control::ArmDevice(load(context, "puma560"), options, device::none());
}

Result inverse(const Context& context) {
  const control::ArmDevice arm = puma(context);
  // Rounding, by how near the states come to singular ones.
  constexpr double kAngle = 1e-11, kRate = 1e-11, kAcceleration = 1e-10;
  // What a misprint does is no rounding.
  constexpr double kWrong = 1e-3;
  const Errors mended = errors_with(arm, Misprint::none);
  Deviation d;
  d.add(mended.pose, 0.0, kAngle);
  d.add(mended.rate, 0.0, kRate);
  d.add(mended.acceleration, 0.0, kAcceleration);
  const std::pair<Misprint, double Errors::*> misprints[] = {
      {Misprint::e24, &Errors::pose},         {Misprint::e25, &Errors::pose},
      {Misprint::e40, &Errors::rate},         {Misprint::e42, &Errors::acceleration},
      {Misprint::e44, &Errors::acceleration}, {Misprint::e46, &Errors::acceleration}};
  bool each_matters = true;
  for (const auto& [misprint, what] : misprints)
    each_matters = each_matters && errors_with(arm, misprint).*what > kWrong;
  return {"(15)-(48): joint angles, rates and accelerations of the PUMA 560 in closed form",
          fmt::format("mended: angles to {:.1e} rad, rates to {:.1e} rad/s, accelerations to {:.1e} rad/s^2; "
                      "each of six misprints "
                      "alone breaks them",
                      mended.pose, mended.rate, mended.acceleration),
          corrected(all_within(d) && each_matters,
                    "the mechanism's own kinematics at 2000 random states, and each of the six misprints "
                    "left in alone"),
          "(24) has + d4^2 + a2^2 for minus; (25) alone has a false root; the first row of (40) exchanges "
          "sine and cosine; the first row "
          "of (42) has a plus; (44) has A for A_3 and J_3 for its rate; (46) has +cos for -cos in the cross "
          "product. (15), (17) and (41): iv-links",
          {}};
}

/// J^6 of the appendix, [linear; angular] in frame 6, by columns 1 to 6. `printed`: as it stands there.
std::array<std::array<double, 6>, 6> appendix(const Joints& t, bool printed) {
  std::array<double, 7> c{}, s{};
  for (std::size_t i = 1; i <= 6; ++i) {
    c[i] = std::cos(t[i - 1]);
    s[i] = std::sin(t[i - 1]);
  }
  const double a = printed ? a3 : -a3, d = d2 + d3;
  std::array<std::array<double, 6>, 6> J{};
  J[0][0] =
      d * (c[6] * c[5] * c[4] * s[3] * s[2] - c[6] * c[5] * c[4] * c[3] * c[2] +
           c[6] * s[5] * s[3] * (printed ? s[2] : c[2]) + c[6] * s[5] * c[3] * s[2] +
           s[6] * s[4] * c[3] * c[2] - s[6] * s[4] * s[3] * s[2]) +
      a2 * (s[6] * c[4] * c[2] + c[6] * c[5] * s[4] * c[2]) +
      a * (c[6] * c[5] * s[4] * s[3] * s[2] + s[6] * c[4] * s[3] * s[2] - s[6] * c[4] * c[3] * c[2] -
           c[6] * c[5] * s[4] * c[3] * c[2]) +
      d4 * (c[6] * c[5] * s[4] * c[3] * s[2] + c[6] * c[5] * s[4] * s[3] * c[2] + s[6] * c[4] * s[3] * c[2] +
            s[6] * c[4] * c[3] * s[2] + (printed ? c[6] * c[5] * s[4] * c[2] : 0.0));
  J[1][0] = d * (c[6] * s[4] * c[3] * c[2] + s[6] * c[5] * c[4] * c[3] * c[2] - s[6] * s[5] * s[3] * c[2] -
                 s[6] * s[5] * c[3] * s[2] - s[6] * c[5] * c[4] * s[3] * s[2] - c[6] * s[4] * s[3] * s[2]) +
            a2 * (c[6] * c[4] * c[2] - s[6] * c[5] * s[4] * c[2]) +
            a * (s[6] * c[5] * s[4] * c[3] * c[2] + c[6] * c[4] * s[3] * s[2] -
                 s[6] * c[5] * s[4] * s[3] * s[2] - c[6] * c[4] * c[3] * c[2]) +
            d4 * (-s[6] * c[5] * s[4] * c[3] * s[2] - s[6] * c[5] * s[4] * s[3] * c[2] +
                  c[6] * c[4] * s[3] * c[2] + c[6] * c[4] * c[3] * s[2]);
  J[2][0] =
      d * (s[5] * c[4] * s[3] * s[2] - s[5] * c[4] * c[3] * c[2] - c[5] * c[3] * s[2] - c[5] * s[3] * c[2]) +
      a2 * s[5] * s[4] * c[2] + a * (s[5] * s[4] * s[3] * s[2] - s[5] * s[4] * c[3] * c[2]) +
      d4 * (s[5] * s[4] * c[3] * s[2] + s[5] * s[4] * s[3] * c[2]);
  J[3][0] = c[6] * s[5] * s[3] * s[2] + s[6] * s[4] * s[3] * c[2] + s[6] * s[4] * c[3] * s[2] -
            c[6] * c[5] * c[4] * c[3] * s[2] - c[6] * c[5] * c[4] * s[3] * c[2] - c[6] * s[5] * c[3] * c[2];
  J[4][0] = s[6] * c[5] * c[4] * c[3] * s[2] + s[6] * c[5] * c[4] * s[3] * c[2] + s[6] * s[5] * c[3] * c[2] +
            c[6] * s[4] * s[3] * c[2] + c[6] * s[4] * c[3] * s[2] - s[6] * s[5] * s[3] * s[2];
  J[5][0] = c[5] * c[3] * c[2] - c[5] * s[3] * s[2] - s[5] * c[4] * c[3] * s[2] - s[5] * c[4] * s[3] * c[2];
  J[0][1] = a2 * (c[6] * c[5] * c[4] * s[3] + c[6] * s[5] * c[3] - s[6] * s[4] * s[3]) - a * c[6] * s[5] +
            d4 * (c[6] * c[5] * c[4] - s[6] * s[4]);
  J[1][1] = -a2 * (s[6] * c[5] * c[4] * s[3] + c[6] * s[4] * s[3] + s[6] * s[5] * c[3]) + a * s[6] * s[5] -
            d4 * (s[6] * c[5] * c[4] + c[6] * s[4]);
  J[2][1] = a2 * (s[5] * c[4] * s[3] - c[5] * c[3]) + a * c[5] + d4 * s[5] * c[4];
  J[0][2] = -a * c[6] * s[5] + d4 * (c[6] * c[5] * c[4] - s[6] * s[4]);
  J[1][2] = a * s[6] * s[5] - d4 * (s[6] * c[5] * c[4] + c[6] * s[4]);
  J[2][2] = a * c[5] + d4 * s[5] * c[4];
  for (const std::size_t k : {1u, 2u}) {
    J[3][k] = c[6] * c[5] * s[4] + s[6] * c[4];
    J[4][k] = c[6] * c[4] - s[6] * c[5] * s[4];
    J[5][k] = s[5] * s[4];
  }
  J[3][3] = -c[6] * s[5];
  J[4][3] = s[6] * s[5];
  J[5][3] = c[5];
  J[3][4] = s[6];
  J[4][4] = c[6];
  J[5][5] = 1.0;
  return J;
}

/// (15) and (17) with the appendix's matrices, (41) with the appendix's Jacobian as mended: each as printed and as mended.
Result links(const Context& context) {
  const control::ArmDevice arm = puma(context);
  Draw draw;
  constexpr double kRounding = 1e-14, kTwist = std::numbers::pi / 2.0;
  constexpr double kTwists[] = {0.0, -kTwist, 0.0, kTwist, -kTwist, kTwist};
  // Central differences of the Jacobian: their second order, and rounding over the step.
  constexpr double kStep = 1e-5, kDifferences = 1e-8;
  Deviation mended, accelerations;
  double e15 = 0.0, e41 = 0.0;
  for (int k = 0; k < 200; ++k) {
    Joints q{}, qd{}, qdd{};
    for (std::size_t i = 0; i < 6; ++i) {
      q[i] = draw(-3.0, 3.0);
      qd[i] = draw(-2.0, 2.0);
      qdd[i] = draw(-10.0, 10.0);
    }
    const std::array<Mat, 6> R = rotations(q);
    for (std::size_t i = 1; i < 6; ++i)  // theta_0 there is none
      for (std::size_t row = 0; row < 3; ++row)
        for (std::size_t col = 0; col < 3; ++col) {
          mended.add(equation_15(kTwists[i], q[i], q[i - 1], false)(row, col), R[i](row, col), kRounding);
          e15 = std::max(e15,
                         std::abs(equation_15(kTwists[i], q[i], q[i - 1], true)(row, col) - R[i](row, col)));
        }
    device::Vector6 V{}, A{};
    arm.motion(q, qd, qdd, V, A);
    const math::Pose<double> X = arm.pose(q);
    const auto own = [&](const device::Vector6& v, std::size_t at) {
      return transpose_times(X.R, Vec{v[at], v[at + 1], v[at + 2]});
    };
    Joints after = q, before = q;
    for (std::size_t i = 0; i < 6; ++i) {
      after[i] += kStep * qd[i];
      before[i] -= kStep * qd[i];
    }
    const auto J = appendix(q, false), J_after = appendix(after, false), J_before = appendix(before, false);
    const Vec linear = own(A, 3), turning = cross(own(V, 0), own(V, 3)), angular = own(A, 0);
    for (std::size_t row = 0; row < 6; ++row) {
      double right = 0.0;
      for (std::size_t col = 0; col < 6; ++col)
        right += J[row][col] * qdd[col] + (J_after[row][col] - J_before[row][col]) / (2.0 * kStep) * qd[col];
      const double inertial = row < 3 ? linear[row] : angular[row - 3],
                   in_body = row < 3 ? linear[row] - turning[row] : angular[row - 3];
      accelerations.add(right, in_body, kDifferences);
      e41 = std::max(e41, std::abs(right - inertial));
    }
  }
  return {
      "(15), (17): the links' transformations; (41): accelerations of the tool by the Jacobian and its rate",
      fmt::format(
          "(15), (17) mended {}, as printed off by up to {:.2f}; (41) {} with A - w x V, off by up to "
          "{:.2f} m/s^2 with A",
          mended.to_string(), e15, accelerations.to_string(), e41),
      corrected(all_within(mended) && all_within(accelerations) && e15 > 0.1 && e41 > 0.1,
                "(15) and (17) with the appendix's matrices, (41) with the mechanism's accelerations, at 200 "
                "random states, as printed and as mended"),
      "entry (1, 2) of (15) and (17) is -sin theta_i+1, printed theta_i. (41) gives the rate of the velocity "
      "in the body's axes, A - w x V, where A of (3) and (8) is the inertial acceleration; (42)-(48) are "
      "right with that",
      {}};
}

Result jacobian(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> arm = contact::open(load(context, "puma560"));
  const int tool = arm->port("tool");
  Draw draw;
  constexpr double kRounding = 1e-14;  // [m] and one
  Deviation mended, places;
  double printed = 0.0;
  for (int k = 0; k < 200; ++k) {
    Joints q{};
    for (double& x : q) x = draw(-3.0, 3.0);
    arm->set_state({0.0, {q.begin(), q.end()}, std::vector<double>(6, 0.0), {}});
    const math::Pose<double> X = arm->motion(tool).X_WP, own = forward(q);
    for (std::size_t i = 0; i < 3; ++i) {
      places.add(own.p[i], X.p[i], kRounding);
      for (std::size_t j = 0; j < 3; ++j) places.add(own.R(i, j), X.R(i, j), kRounding);
    }
    const std::span<const double> J = arm->jacobian(tool);
    const auto right = appendix(q, false), wrong = appendix(q, true);
    for (std::size_t col = 0; col < 6; ++col)
      for (std::size_t half = 0; half < 2; ++half) {
        // Here [angular; linear] in world axes.
        const std::size_t at = 3 * (1 - half);
        const Vec v =
            transpose_times(X.R, Vec{J[6 * at + col], J[6 * (at + 1) + col], J[6 * (at + 2) + col]});
        for (std::size_t i = 0; i < 3; ++i) {
          mended.add(right[3 * half + i][col], v[i], kRounding);
          printed = std::max(printed, std::abs(wrong[3 * half + i][col] - v[i]));
        }
      }
  }
  return {"appendix: the Jacobian in frame 6, and the links' transformation matrices",
          fmt::format("matrices: {}; mended Jacobian: {}; as printed off by up to {:.2g}", places.to_string(),
                      mended.to_string(), printed),
          corrected(all_within(mended) && all_within(places) && printed > 0.1,
                    "the mechanism's Jacobian at 200 random states"),
          "the terms in a3 of the first three rows have the other sign; J11 has c6 s5 s3 s2 for c6 s5 s3 c2, "
          "and a last term in d4 too "
          "many. Rows 4 to 6 and the transformation matrices are right",
          {}};
}

}  // namespace

std::vector<study::Case> inverse_kinematics_cases() {
  return {{"iv-inverse-kinematics", "angles, rates and accelerations of the PUMA 560, as printed and mended",
           inverse},
          {"iv-links", "the links' transformations, and the tool's accelerations", links},
          {"iv-jacobian", "the appendix: Jacobian and transformation matrices", jacobian}};
}

}  // namespace tactus::studies::clover
