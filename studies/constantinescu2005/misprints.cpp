// (16), (18) and (23), as printed and as they must be read, on the chain of Table I.
//
//   (16)  I - Jbar J, Jbar = D^-1 J^T Lambda, has as many rows as the chain has joints: printed with the identity of the hand's space. It
//         gives the torques that the hand does not feel; directions of N(Lambda^-1) it cannot give, J having full row rank there, so that
//         Lambda^-1 = J D^-1 J^T has no null space. Shown on the distal link's place (x, y) alone, for which the chain has a joint too many.
//   (18)  a parenthesis closes before the damper: the spring's number stands beside a vector. (17) has it right.
//   (23)  J D^-1 J for J D^-1 J^T.
#include <array>
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/SVD>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/algebra/calculus.h>
#include <tactus/derive/equations.h>
#include "cases.h"
#include "manipulation.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

constexpr double kPi = 3.14159265358979323846;
const std::vector<double> kStart{-kPi / 4, kPi / 6, -kPi / 6};
constexpr double kWrong = 0.1;  // what a misprint does is no rounding

Eigen::Matrix3d inertia(const Context& context) {
  const algebra::Function function = derive::Equations(load(context, "three_link_chain")).mass_matrix();
  const std::map<std::string, double> values{
      {"t", 0.0}, {"q1", kStart[0]}, {"q2", kStart[1]}, {"q3", kStart[2]}};
  const std::vector<double> D = algebra::evaluate(function.outputs.front().entries, [&](algebra::Expr s) {
    return values.at(function.graph->symbol_name(s));
  });
  return Eigen::Map<const Eigen::Matrix3d>(D.data());  // symmetric
}

/// Rows x, y and turn of a port's Jacobian.
Eigen::Matrix3d jacobian(simulate::Mechanism& chain, int port) {
  const std::span<const double> J6 = chain.jacobian(port);
  Eigen::Matrix3d J;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J(i, j) = J6[3 * Manipulation::kAxis[i] + static_cast<std::size_t>(j)];
  return J;
}

Result misprints(const Context& context) {
  const auto chain = contact::open(load(context, "three_link_chain"));
  chain->set_state({.t = 0.0, .q = kStart, .u = {0.0, 0.0, 0.0}, .momentum = {}});
  const Eigen::Matrix3d D = inertia(context), Dinv = D.inverse();
  const int distal = chain->port("distal"), middle = chain->port("middle");
  Deviation d;

  // (16): torques N^T tau, applied to the chain, leave the held point where it is, and move the joints.
  const Eigen::Matrix<double, 2, 3> J = jacobian(*chain, distal).topRows<2>();
  const Eigen::Matrix2d mobility = J * Dinv * J.transpose();
  const Eigen::Matrix<double, 3, 2> Jbar = Dinv * J.transpose() * mobility.inverse();
  const Eigen::Matrix3d N = Eigen::Matrix3d::Identity() - Jbar * J;
  const Eigen::Vector3d torque = N.transpose() * Eigen::Vector3d(0.02, -0.01, 0.03);
  const std::vector<double> tau{torque[0], torque[1], torque[2]};
  chain->hold({.tau = tau, .ports = {}, .wrench = {}});
  const std::array<double, 6> a = chain->acceleration(distal);
  double moving = 0.0;
  for (const double x : chain->accelerations()) moving = larger(moving, std::fabs(x));
  d.add(a[3], 0.0, 1e-12);
  d.add(a[4], 0.0, 1e-12);
  const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(mobility).eigenvalues()(0);
  const bool no_directions = least > 1e-3 && moving > kWrong && (Jbar * J).rows() != mobility.rows();
  chain->hold({});

  // (18): the hand beside the middle link, and moving; what the controller adds, and what (17) says.
  Settings settings;
  settings.offset = {0.005, 0.003, 0.0};
  Manipulation hand(*chain, middle, settings);
  Manipulation::Device device = hand.begin();
  device.v = {0.02, -0.05, 0.0};
  const Manipulation::Answer answer = hand.look(device);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(jacobian(*chain, middle).transpose(), Eigen::ComputeFullV);
  const Eigen::Vector3d n = svd.matrixV().col(2);
  const Eigen::Vector3d away(-0.005, -0.003, 0.0), rate(-0.02, 0.05, 0.0);
  const double k = 200.0, b = 50.0;  // as printed
  const Eigen::Vector3d by_17 = (k * n.dot(away) + b * n.dot(rate)) * n;
  // A number beside a vector has no meaning; added to every component it leaves the direction n.
  const Eigen::Vector3d by_18 = Eigen::Vector3d::Constant(k * n.dot(away)) + b * n.dot(rate) * n;
  for (int i = 0; i < 3; ++i) d.add(answer.penalty[Manipulation::kAxis[i]], by_17[i], 1e-12);
  const double astray = (by_18 - n.dot(by_18) * n).norm();

  // (23): the mobility that the mechanism has.
  std::array<double, 36> L{};
  chain->mobility(distal, L);
  const Eigen::Matrix3d J3 = jacobian(*chain, distal), right = J3 * Dinv * J3.transpose(),
                        printed = J3 * Dinv * J3;
  double off = 0.0, size = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double own = L[6 * Manipulation::kAxis[i] + Manipulation::kAxis[j]];
      d.add(right(i, j), own, 1e-9);  // of entries up to 192
      off = larger(off, std::fabs(printed(i, j) - own));
      size = larger(size, std::fabs(own));
    }
  return {
      "(16): directions from I_6 - Jbar J; (18): penalties, as the sum of a number and a vector; (23): J "
      "D^-1 J",
      fmt::format("(16) with the identity of the joints moves them by {:.2f} rad/s^2 and the hand not; the "
                  "mobility's least eigenvalue is {:.2g} 1/kg; (18) read by components leaves the resisted "
                  "direction by {:.2f} m/s^2; (23) is off by {:.0f} of {:.0f}; mended {}",
                  moving, least, astray, off, size, d.to_string()),
      corrected(all_within(d) && no_directions && astray > kWrong && off > kWrong * size,
                "(16), (18) and (23) as printed and as mended, with the chain's own accelerations, the "
                "controller's penalty and the mechanism's mobility"),
      "(16) has the identity of the hand's space, 6 x 6, where Jbar J has as many rows as there are joints; "
      "and where J has full row rank N(Lambda^-1) is empty: what it gives is motion that the hand does not "
      "feel. (18) closes a parenthesis before the damper: (17) is right. (23) lacks the transposition of "
      "its last factor",
      {}};
}

}  // namespace

std::vector<study::Case> misprint_cases() {
  return {{"eq-16-18-23", "redundant joints, the whole law, the local mobility", misprints}};
}

}  // namespace tactus::studies::constantinescu
