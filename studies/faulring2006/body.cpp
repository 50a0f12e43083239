// A rigid body in the coordinates of section III-A: its inertia (20), the damping wrench of Appendix I and the spring's of Appendix II.
#include <array>
#include <cmath>
#include <complex>
#include <map>

#include <Eigen/Core>

#include <studies/compare.h>
#include <tactus/algebra/calculus.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include "cases.h"

namespace tactus::studies::faulring {

namespace {

using study::Context;
using study::Result;

// A place at which nothing vanishes, and three moments of inertia that differ: with equal ones an error hides.
constexpr double kQ4 = 0.3, kQ5 = 0.7, kQ6 = 1.1, kMass = 0.25, kJx = 0.001, kJy = 0.002, kJz = 0.0025;

constexpr const char* kBody = R"(
name: body_in_euler_angles
gravity: [0, 0, 0]
bodies:
  c1: {mass: 0}
  c2: {mass: 0}
  c3: {mass: 0}
  c4: {mass: 0}
  c6: {mass: 0}
  body: {mass: 0.25, inertia: [0.001, 0.002, 0.0025]}
joints:
  q1: {type: prismatic, parent: world, child: c1, axis: x}
  q2: {type: prismatic, parent: c1, child: c2, axis: y}
  q3: {type: prismatic, parent: c2, child: c3, axis: z}
  q4: {type: revolute, parent: c3, child: c4, axis: z}
  q6: {type: revolute, parent: c4, child: c6, axis: x}
  q5: {type: revolute, parent: c6, child: body, axis: z}
)";

Result inertia(const Context&) {
  const algebra::Function function =
      derive::Equations(describe::load_text(kBody, "body_in_euler_angles.yaml")).mass_matrix();
  const std::map<std::string, double> values{{"t", 0.0},  {"q1", 0.1}, {"q2", 0.2}, {"q3", 0.3},
                                             {"q4", kQ4}, {"q5", kQ5}, {"q6", kQ6}};
  const std::vector<double> M = algebra::evaluate(function.outputs.front().entries, [&](algebra::Expr s) {
    return values.at(function.graph->symbol_name(s));
  });
  // (20), as printed.
  const double s5 = std::sin(kQ5), c5 = std::cos(kQ5), s6 = std::sin(kQ6), c6 = std::cos(kQ6);
  Eigen::Matrix<double, 6, 6> printed = Eigen::Matrix<double, 6, 6>::Zero();
  printed.diagonal().head<3>().setConstant(kMass);
  printed(3, 3) = (kJx * s5 * s5 + kJy * c5 * c5) * s6 * s6 + kJz * c6 * c6;
  printed(3, 4) = printed(4, 3) = c6 * kJz;
  printed(3, 5) = printed(5, 3) = c5 * (kJx - kJy) * s5 * s6;
  printed(4, 4) = kJz;
  printed(5, 5) = c5 * c5 * kJx + s5 * s5 * kJy;
  constexpr std::size_t kTree[] = {0, 1, 2, 3, 5, 4};  // the tree's joints are q1 q2 q3 q4 q6 q5
  Deviation d;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      d.add(M[6 * i + j], printed(static_cast<Eigen::Index>(kTree[i]), static_cast<Eigen::Index>(kTree[j])),
            1e-15);
  return {"(19), (20): the inertia of a rigid body in these coordinates",
          d.to_string() + ", with three moments of inertia that differ",
          closed_form(all_within(d), "the formula (20), evaluated as printed at one place"),
          "no numbers are printed",
          {}};
}

using Complex = std::complex<double>;
using Matrix = Eigen::Matrix<Complex, 3, 3>;

Matrix about_z(Complex a) {
  Matrix R;
  R << std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a), 0, 0, 0, 1;
  return R;
}
Matrix about_x(Complex a) {
  Matrix R;
  R << 1, 0, 0, 0, std::cos(a), -std::sin(a), 0, std::sin(a), std::cos(a);
  return R;
}

/// R, and the body's angular velocity out of R^T dR/dt, (42), by a complex step along the rates.
std::pair<Eigen::Matrix3d, Eigen::Vector3d> turning(const Eigen::Vector3d& rates) {
  constexpr double kStep = 1e-30;
  const Matrix R =
      about_z({kQ4, kStep * rates[0]}) * about_x({kQ6, kStep * rates[2]}) * about_z({kQ5, kStep * rates[1]});
  const Eigen::Matrix3d turned = R.real(), hat = turned.transpose() * R.imag() / kStep;
  return {turned, {hat(2, 1), hat(0, 2), hat(1, 0)}};
}

Result damping(const Context&) {
  constexpr double b_t = 1.0, b_r = 0.1;  // the paper's
  const Eigen::Vector3d way(0.2, -0.1, 0.05), rates(0.8, -1.5, 0.6);
  const auto [R, omega] = turning(rates);
  const Eigen::Vector3d v = R.transpose() * way;  // (43)
  const double power = b_t * v.squaredNorm() + b_r * omega.squaredNorm();
  // Into the places of the coordinates as it is printed, and through the velocities' Jacobian.
  const double printed = b_t * v.dot(way) + b_r * omega.dot(rates);
  Eigen::Matrix3d W;
  for (int k = 0; k < 3; ++k) W.col(k) = turning(Eigen::Vector3d::Unit(k)).second;
  const double mapped = (R * (b_t * v)).dot(way) + (W.transpose() * (b_r * omega)).dot(rates);
  // The columns of W by hand: turning about z, then x, then z.
  const double s5 = std::sin(kQ5), c5 = std::cos(kQ5), s6 = std::sin(kQ6), c6 = std::cos(kQ6);
  Eigen::Matrix3d known;
  known << s5 * s6, 0, c5, c5 * s6, 0, -s5, c6, 1, 0;
  Deviation d;
  d.add(mapped, power, 1e-14);
  d.add((W - known).norm(), 0.0, 1e-14);
  return {
      "(41): the damping wrench, in the body's axes, as part of tau",
      fmt::format("it takes {:.4f} W; as forces on the coordinates it would take {:.4f} W, mapped to them "
                  "{:.4f} W; {}",
                  power, printed, mapped, d.to_string()),
      corrected(all_within(d) && std::fabs(printed - power) > 0.01,
                "the power of (41), with (42) and (43) as printed: of the wrench, of the coordinates' forces "
                "without and with a map"),
      "(41)-(43) are right, but their wrench is not yet a force on the coordinates: R and W^T are missing",
      {}};
}

/// (44)-(46) against the gradient of the energy k_t |p_o - p|^2/2 + k_r theta^2/2, by central differences.
Result spring(const Context&) {
  constexpr double k_t = 40.0, k_r = 0.8;
  const Eigen::Vector3d place(0.1, -0.2, 0.05), angles(kQ4, kQ5, kQ6), origin(0.03, 0.07, -0.04);
  const auto rotation = [](const Eigen::Vector3d& a) {
    return Eigen::Matrix3d((about_z(a[0]) * about_x(a[2]) * about_z(a[1])).real());
  };
  const Eigen::Matrix3d R_o = rotation({-0.4, 0.2, 0.5});
  const auto angle_to = [&](const Eigen::Vector3d& a) {
    return std::acos(0.5 * ((rotation(a).transpose() * R_o).trace() - 1.0));  // (45)
  };
  const auto energy = [&](const Eigen::Vector3d& p, const Eigen::Vector3d& a) {
    return 0.5 * k_t * (origin - p).squaredNorm() + 0.5 * k_r * std::pow(angle_to(a), 2);
  };
  const Eigen::Matrix3d R = rotation(angles), turn = R.transpose() * R_o;
  const double theta = angle_to(angles);
  const Eigen::Vector3d K =
      Eigen::Vector3d(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1)) /
      (2.0 * std::sin(theta));                                              // (46)
  const Eigen::Vector3d force = -k_t * (R.transpose() * (origin - place)),  // (44)
      moment = -k_r * theta * K;
  Eigen::Matrix3d W;
  for (int k = 0; k < 3; ++k) W.col(k) = turning(Eigen::Vector3d::Unit(k)).second;
  constexpr double kStep = 1e-5, kDifferences = 1e-8;  // rounding of the energy over the step, and its square
  Deviation mapped;
  double printed = 0.0;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d step = kStep * Eigen::Vector3d::Unit(k);
    const double by_place = (energy(place + step, angles) - energy(place - step, angles)) / (2.0 * kStep),
                 by_angle = (energy(place, angles + step) - energy(place, angles - step)) / (2.0 * kStep);
    mapped.add((R * force)[k], by_place, kDifferences);
    mapped.add((W.transpose() * moment)[k], by_angle, kDifferences);
    printed = std::max({printed, std::fabs(force[k] - by_place), std::fabs(moment[k] - by_angle)});
  }
  return {
      "(44): the spring's wrench, in the body's axes, as part of tau",
      fmt::format("mapped to the coordinates it is the gradient of the spring's energy, {}; as printed it "
                  "is off by up to {:.2f} N or N m",
                  mapped.to_string(), printed),
      corrected(all_within(mapped) && printed > 0.1,
                "the gradient of the spring's energy, with (44) as a force on the coordinates without and "
                "with a map, (45) and (46) as printed"),
      "(44)-(46) are right, but (44) is not yet a force on the coordinates: R and W^T are missing, as in "
      "(41)",
      {}};
}

}  // namespace

std::vector<study::Case> body_cases() {
  return {{"eq-20", "inertia of a rigid body in Euler's angles", inertia},
          {"eq-41", "damping of a rigid body", damping},
          {"eq-44", "a spring on a rigid body", spring}};
}

}  // namespace tactus::studies::faulring
