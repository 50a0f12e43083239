#include "haptic_grasp.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <Eigen/Dense>

#include "refuse.h"

namespace tactus::apps {

namespace {

using Vec3 = math::Vec3<double>;

int port_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  if (!request.port.empty()) return mechanism.port(request.port);
  // The first frame that is marked to be held; otherwise the last body whose origin can move: where a chain has its tip, and not on a pivot of the ground.
  if (mechanism.ports().front().frame >= 0) return 0;
  const int last = static_cast<int>(mechanism.ports().size()) - 1;
  for (int port = last; port >= 0; --port) {
    std::array<double, 36> L{};
    mechanism.mobility(port, L);
    if (L[6 * 3 + 3] + L[6 * 4 + 4] + L[6 * 5 + 5] > 1.0 / kWall) return port;
  }
  return last;
}

/// The least force F at the port with which it does not begin to move, A + L F = 0 in the directions that can move.
double weight_of(simulate::Mechanism& mechanism, int port, const std::array<double, 36>& mobility) {
  const std::array<double, 6> A = mechanism.acceleration(port);
  Eigen::Matrix3d L;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      L(static_cast<int>(i), static_cast<int>(j)) = mobility[6 * (3 + i) + 3 + j];
  // What is a million times as heavy as the easiest direction, or heavier than a thousand tons, is held by joints and contacts: its mobility and its acceleration are
  // rounding, and their quotient is no weight. A box at rest on others is so in every direction.
  constexpr double kHeld = 1e-6, kLeast = 1e-6;  // [1], [1/kg]
  const double most = L.norm();
  if (!(most > kLeast)) return 0.0;
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix3d> factors;
  factors.setThreshold(std::max(kHeld, kLeast / most));
  factors.compute(L);
  return factors.solve(Eigen::Vector3d(A[3], A[4], A[5])).norm();
}

/// The least wrench with which the port does not begin to move, along the directions in which it can, lengths by that of a handle.
std::array<double, 6> support_of(simulate::Mechanism& mechanism, int port,
                                 const std::array<double, 36>& mobility) {
  constexpr double kHandle = 0.1;                // [m]
  constexpr double kHeld = 1e-6, kLeast = 1e-6;  // as of a weight
  const std::array<double, 6> A = mechanism.acceleration(port);
  const auto size = [](int i) { return i < 3 ? kHandle : 1.0; };
  Eigen::Matrix<double, 6, 6> L;
  Eigen::Matrix<double, 6, 1> a;
  for (int i = 0; i < 6; ++i) {
    a[i] = -size(i) * A[static_cast<std::size_t>(i)];
    for (int j = 0; j < 6; ++j) L(i, j) = size(i) * size(j) * mobility[static_cast<std::size_t>(6 * i + j)];
  }
  std::array<double, 6> support{};
  const double most = L.norm();
  if (!(most > kLeast) || !a.allFinite()) return support;
  Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<double, 6, 6>> factors;
  factors.setThreshold(std::max(kHeld, kLeast / most));
  factors.compute(L);
  const Eigen::Matrix<double, 6, 1> F = factors.solve(a);
  for (int i = 0; i < 6; ++i) support[static_cast<std::size_t>(i)] = size(i) * F[i];
  return support;
}
}  // namespace

Grasp grasp_of(const HapticRequest& request, simulate::Mechanism& mechanism) {
  Grasp grasp;
  grasp.port = port_of(request, mechanism);
  const std::span<const double> J = mechanism.jacobian(grasp.port);
  const std::size_t nv = mechanism.nv();
  grasp.planar = true;
  for (const std::size_t row : {0u, 1u, 5u})
    for (std::size_t j = 0; j < nv; ++j) grasp.planar &= J[row * nv + j] == 0.0;
  std::array<double, 36>& mobility = grasp.mobility;
  mechanism.mobility(grasp.port, mobility);
  if (!std::all_of(mobility.begin(), mobility.end(), [](double x) { return std::isfinite(x); }))
    refuse("the equations are singular where the motion begins: nothing can be felt there",
           "give another `initial` state in the model");
  for (std::size_t k = 0; k < 2; ++k) {
    Eigen::Matrix3d A;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        A(static_cast<int>(i), static_cast<int>(j)) = mobility[6 * (3 * k + i) + 3 * k + j];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> modes(0.5 * (A + A.transpose()));
    grasp.inertia[k] = 1.0 / std::max(modes.eigenvalues()[2], 1e-12);  // a port that cannot move is a wall
    if (k == 0) {
      for (std::size_t i = 0; i < 3; ++i) grasp.axis[i] = modes.eigenvectors()(static_cast<int>(i), 2);
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      grasp.ahead[i] = modes.eigenvectors()(static_cast<int>(i), 2);
      grasp.aside[i] = modes.eigenvectors()(static_cast<int>(i), 1);
    }
    // Of the two senses of an axis, the one whose largest component is positive.
    for (Vec3* axis : {&grasp.ahead, &grasp.aside}) {
      const double largest = std::max({axis->x, axis->y, axis->z}),
                   least = std::min({axis->x, axis->y, axis->z});
      if (-least > largest) *axis = -*axis;
    }
  }
  if (request.moving) {
    // What dampers and turning take while it moves is no weight.
    const auto moving = mechanism.make_snapshot();
    mechanism.set_state(
        {.t = 0.0, .q = mechanism.state().q, .u = std::vector<double>(mechanism.nv(), 0.0), .momentum = {}});
    grasp.weight = weight_of(mechanism, grasp.port, mobility);
    grasp.support = support_of(mechanism, grasp.port, mobility);
    mechanism.load(*moving);
  } else {
    grasp.weight = weight_of(mechanism, grasp.port, mobility);
    grasp.support = support_of(mechanism, grasp.port, mobility);
  }
  return grasp;
}
bool only_turns(const device::Specification& s) { return (s.actuated & device::kTranslation) == 0; }

Vec3 shown_by(const device::Specification& s, const Grasp& grasp) {
  const std::size_t k = only_turns(s) ? 0 : 3;  // its handle goes nowhere: it turns
  const Vec3& easiest = k == 0 ? grasp.axis : grasp.ahead;
  Eigen::Matrix3d own = Eigen::Matrix3d::Zero(), L;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = static_cast<int>(i);
    if (device::has_axis(s.actuated, k + i)) own(row, row) = 1.0;
    for (std::size_t j = 0; j < 3; ++j) L(row, static_cast<int>(j)) = grasp.mobility[6 * (k + i) + k + j];
  }
  if (own.isIdentity()) return easiest;  // to the bit
  constexpr double kLeast = 0.1;         // of it: a direction of the rest would be chance
  Eigen::Vector3d way = own * Eigen::Vector3d(easiest.x, easiest.y, easiest.z);
  if (!(way.norm() > kLeast))
    way = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(own * (0.5 * (L + L.transpose()) + own) * own)
              .eigenvectors()
              .col(2);
  way.normalize();
  if (k == 0 && -way.minCoeff() > way.maxCoeff()) way = -way;
  return {way[0], way[1], way[2]};
}

bool moves_with(const device::Specification& s, const Grasp& grasp) {
  constexpr double kStands = 1e-9;  // [1/kg], [1/(kg m^2)]
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(s.actuated, i) && grasp.mobility[7 * i] > kStands) return true;
  return false;
}

}  // namespace tactus::apps
