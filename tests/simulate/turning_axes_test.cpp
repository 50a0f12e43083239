// Steady motions of bodies on spherical and free joints whose own axes turn along: closed forms, and the same bodies on Euler angles.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include <tactus/describe/read/load.h>
#include <tactus/simulate/linear/linear_model.h>

#include "support/compare.h"
#include "support/paths.h"

namespace tactus::simulate {
namespace {

using support::larger;
using Complex = std::complex<double>;
using Eigen::AngleAxisd;
using Eigen::Quaterniond;
using Eigen::Vector3d;

constexpr double m = 8e-3, R = 13e-3, g = 9.81, C = m * R * R / 2.0, D = m * R * R / 4.0;

describe::Model ball() {
  return describe::load_text(
      "name: ball\nbodies: {a: {mass: 2, inertia: [0.2, 0.2, 0.2]}}\n"
      "joints: {j: {type: free, parent: world, child: a}}\nframes: {c: {body: a}}\n"
      "constraints: {roll: {type: rolling, kind: sphere_on_plane, b: c, radius: 0.5}}\n"
      "initial: {q: {j.z: 0.5}}\n",
      "model.yaml");
}

describe::Model coin() {
  return describe::load_text(
      "name: coin\nparameters: {m: 8 g, R: 13 mm}\n"
      "bodies: {coin: {mass: m, inertia: [m*R^2/4, m*R^2/4, m*R^2/2]}}\n"
      "joints: {j: {type: free, parent: world, child: coin}}\n"
      "constraints: {roll: {type: rolling, kind: disk_on_plane, b: coin, radius: R}}\n"
      "initial: {q: {j.z: R, j.qw: cos(45 deg), j.qx: sin(45 deg)}}\n",
      "model.yaml");
}

Instant initial(const describe::Model& model) { return read_instant(derive::Equations(model), "{}", ""); }

/// A free body: where it is, how it stands, its velocities in the world's axes.
Instant placed(const describe::Model& model, const Vector3d& p, const Quaterniond& turn, const Vector3d& w_W,
               const Vector3d& v_W) {
  Instant at = initial(model);
  at.q = {p.x(), p.y(), p.z(), turn.w(), turn.x(), turn.y(), turn.z()};
  const Vector3d w = turn.conjugate() * w_W, v = turn.conjugate() * v_W;
  at.u = {w.x(), w.y(), w.z(), v.x(), v.y(), v.z()};
  return at;
}

/// Distance from the nearest one here, each used once, by the largest.
double distance(const std::vector<Complex>& wanted, std::vector<Complex> here) {
  double size = 0.0, worst = 0.0;
  for (const Complex& one : wanted) size = larger(size, std::abs(one));
  for (const Complex& one : wanted) {
    if (here.empty()) return std::numeric_limits<double>::infinity();
    const auto nearest = std::min_element(here.begin(), here.end(), [&](const Complex& a, const Complex& b) {
      return std::abs(a - one) < std::abs(b - one);
    });
    worst = larger(worst, std::abs(*nearest - one) / size);
    here.erase(nearest);
  }
  return worst;
}

// Its angular velocity in the world is constant, whatever it is: three zeros. How it stands means nothing; two attitudes of one spinning
// ball turn about each other at its rate.
TEST(TurningAxes, AHomogeneousBallThatRollsHasNoEigenvalueButZero) {
  const describe::Model model = ball();
  Linearization linearization(model, {});
  const Quaterniond some(AngleAxisd(0.7, Vector3d(1.0, -2.0, 0.5).normalized()));
  for (const Vector3d& w : {Vector3d(2.0, 0.0, 0.0), Vector3d(-1.0, 3.0, 0.0), Vector3d(0.5, -4.0, 2.5)})
    for (const Quaterniond& turn : {Quaterniond::Identity(), some}) {
      const Vector3d v = w.cross(Vector3d(0.0, 0.0, 0.5));
      const LinearModel linear = linearization.at(placed(model, Vector3d(0.3, -0.2, 0.5), turn, w, v));
      EXPECT_TRUE(linear.is_steady) << linear.later_acceleration << " " << linear.later_change;
      ASSERT_EQ(linear.axes.size(), 1u);
      EXPECT_TRUE(linear.axes[0].keep_direction);
      EXPECT_EQ(linear.kept.size(), 0u);
      ASSERT_EQ(linear.eigenvalues.size(), 3u);
      // Zeros of one block each: rounding leaves what it is.
      for (const Complex& value : linear.eigenvalues) EXPECT_LT(std::abs(value), 1e-12);
      const Complex turning(0.0, w.norm());
      EXPECT_LT(distance({turning, -turning, 0.0, 0.0, 0.0}, linear.ignorable_eigenvalues), 1e-12);
    }
}

// Routh's disk (linear_model_test.cpp), with a heading and a turn about its axis of its own.
TEST(TurningAxes, ACoinOnAFreeJointThatRollsStraightHasTheClosedForm) {
  const describe::Model model = coin();
  Linearization linearization(model, {});
  for (const double spin : {12.0, -14.0, 25.0, 60.0})
    for (const double heading : {0.0, 0.8}) {
      SCOPED_TRACE(spin);
      const Quaterniond turn = AngleAxisd(heading, Vector3d::UnitZ()) *
                               AngleAxisd(M_PI / 2.0, Vector3d::UnitX()) * AngleAxisd(0.4, Vector3d::UnitZ());
      const Vector3d w = turn * Vector3d(0.0, 0.0, spin), v = w.cross(Vector3d(0.0, 0.0, R));
      const LinearModel linear = linearization.at(placed(model, Vector3d(0.0, 0.0, R), turn, w, v));
      EXPECT_TRUE(linear.is_steady) << linear.later_acceleration << " " << linear.later_change;
      ASSERT_EQ(linear.axes.size(), 1u);
      EXPECT_TRUE(linear.axes[0].keep_direction);
      const Complex root =
          std::sqrt(Complex((m * g * R - C * (C + m * R * R) * spin * spin / D) / (D + m * R * R)));
      // Beside them two zeros: any spin and any turning circle that is wide enough.
      EXPECT_LT(distance({root, -root}, linear.eigenvalues), 1e-9);
    }
}

// The coin's own coordinates find the circle; the same motion on a free joint is steady in axes that turn back with the spin alone.
TEST(TurningAxes, ACoinInACircleOnAFreeJointAgreesWithItsOwnCoordinates) {
  const describe::Model euler = describe::load(support::source_dir() + "/models/rolling_coin.yaml");
  Linearization by_angles(euler, {}, {"lean", "yaw", "spin"});
  const Instant found = by_angles.steady(initial(euler), {{"lean", "spin_dot", "lean_dot"}, {}});
  const LinearModel wanted = by_angles.at(found);
  ASSERT_TRUE(wanted.is_steady);
  // x, y, z, yaw, lean, spin; the axes z, x, -y; the coin's frame turned by 90 deg about x.
  const std::vector<double>&q = found.q, &u = found.u;
  const Quaterniond yaw(AngleAxisd(q[3], Vector3d::UnitZ())), lean(AngleAxisd(q[4], Vector3d::UnitX())),
      spin(AngleAxisd(q[5], -Vector3d::UnitY()));
  const Quaterniond turn = yaw * lean * spin * Quaterniond(AngleAxisd(M_PI / 2.0, Vector3d::UnitX()));
  const Vector3d w =
      u[3] * Vector3d::UnitZ() + yaw * Vector3d(u[4], 0.0, 0.0) + (yaw * lean) * Vector3d(0.0, -u[5], 0.0);
  const describe::Model model = coin();
  Linearization linearization(model, {});
  const LinearModel linear =
      linearization.at(placed(model, Vector3d(q[0], q[1], q[2]), turn, w, Vector3d(u[0], u[1], u[2])));
  EXPECT_TRUE(linear.is_steady) << linear.largest_acceleration << " " << linear.later_acceleration << " "
                                << linear.later_change;
  ASSERT_EQ(linear.axes.size(), 1u);
  EXPECT_FALSE(linear.axes[0].keep_direction);
  EXPECT_NEAR(std::abs(linear.axes[0].back[2]), std::abs(u[5]), 1e-6 * std::abs(u[5]));
  // The zeros stand in blocks, of which rounding leaves its root.
  EXPECT_LT(distance(wanted.eigenvalues, linear.eigenvalues), 1e-6);
}

// A heavy symmetric top with moments A about its pivot and C about its axis, inclined by theta, precesses steadily at Omega where
//   m g l = Omega (C n - A Omega cos theta),      n the whole spin about its axis,
// and nods at A^2 omega^2 = (A Omega sin theta)^2 + (C n - 2 A Omega cos theta)^2. [the second derivative of its effective potential]
TEST(TurningAxes, ATopOnASphericalJointPrecessesAndNodsByTheClosedForm) {
  constexpr double mass = 0.3, l = 0.05, axial = 2e-4, across = 5e-4, A = across + mass * l * l;
  const describe::Model model = describe::load_text(
      "name: top\nbodies: {top: {mass: 0.3, com: [0, 0, 0.05], inertia: [5e-4, 5e-4, 2e-4]}}\n"
      "joints: {j: {type: spherical, parent: world, child: top}}\n",
      "model.yaml");
  Linearization linearization(model, {});
  for (const double theta : {0.3, 1.1})
    for (const double Omega : {3.0, 12.0}) {
      SCOPED_TRACE(Omega);
      const double n = (mass * g * l / Omega + A * Omega * std::cos(theta)) / axial;
      const Quaterniond turn(AngleAxisd(theta, Vector3d::UnitY()));
      const Vector3d along = turn * Vector3d::UnitZ();
      // w = Omega z + s along, with n = s + Omega cos theta
      const Vector3d w =
          turn.conjugate() * (Omega * Vector3d::UnitZ() + (n - Omega * std::cos(theta)) * along);
      Instant at = initial(model);
      at.q = {turn.w(), turn.x(), turn.y(), turn.z()};
      at.u = {w.x(), w.y(), w.z()};
      const LinearModel linear = linearization.at(at);
      EXPECT_TRUE(linear.is_steady) << linear.largest_acceleration << " " << linear.later_acceleration << " "
                                    << linear.later_change;
      const double nodding =
          std::hypot(A * Omega * std::sin(theta), axial * n - 2.0 * A * Omega * std::cos(theta)) / A;
      EXPECT_LT(distance({Complex(0.0, nodding), Complex(0.0, -nodding)}, linear.eigenvalues), 1e-9);
    }
}

TEST(TurningAxes, ABodyWithoutSymmetryIsNotCalledSteady) {
  const describe::Model model = describe::load_text(
      "name: ball\nbodies: {a: {mass: 2, com: [0.1, 0, 0], inertia: [0.2, 0.21, 0.22]}}\n"
      "joints: {j: {type: free, parent: world, child: a}}\nframes: {c: {body: a}}\n"
      "constraints: {roll: {type: rolling, kind: sphere_on_plane, b: c, radius: 0.5}}\n"
      "initial: {q: {j.z: 0.5}}\n",
      "model.yaml");
  Linearization linearization(model, {});
  const Vector3d w(2.0, 1.0, 0.0);
  const LinearModel linear = linearization.at(
      placed(model, Vector3d(0.0, 0.0, 0.5), Quaterniond::Identity(), w, w.cross(Vector3d(0.0, 0.0, 0.5))));
  EXPECT_FALSE(linear.is_steady);
  EXPECT_TRUE(linear.axes.empty());
}

}  // namespace
}  // namespace tactus::simulate
