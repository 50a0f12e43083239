// The three-link chain of Table I at the initial position of section VI: inertia, velocity products, and what
// a hand feels at the middle and at the distal link, near singularities of its Jacobian.
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

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

constexpr double kDigits = 1e-10;  // the golden values have ten or more

constexpr double kPi = 3.14159265358979323846;
constexpr std::array<double, 3> kStart{-kPi / 4, kPi / 6, -kPi / 6};

std::vector<double> at(const algebra::Function& function, const std::string& output,
                       const std::vector<double>& u, const std::array<double, 3>& q = kStart) {
  const std::map<std::string, double> values{
      {"t", 0.0},       {"q1", q[0]},     {"q2", q[1]},     {"q3", q[2]},     {"q1_dot", u[0]},
      {"q2_dot", u[1]}, {"q3_dot", u[2]}, {"q1_ddot", 0.0}, {"q2_ddot", 0.0}, {"q3_ddot", 0.0}};
  for (const algebra::Block& block : function.outputs) {
    if (block.name != output) continue;
    return algebra::evaluate(block.entries,
                             [&](algebra::Expr s) { return values.at(function.graph->symbol_name(s)); });
  }
  return {};
}

Result dynamics(const Context& context) {
  const derive::Equations equations(load(context, "three_link_chain"));
  const std::vector<double> D = at(equations.mass_matrix(), "M", {0, 0, 0});
  const std::vector<double> B = at(equations.bias(), "h", {1, -0.5, 0.25});
  const double D_golden[] = {0.056680536070147, 0.028852364039458, 0.006400596004384,
                             0.028852364039458, 0.024403192008768, 0.005770596004384,
                             0.006400596004384, 0.005770596004384, 0.005225};
  const double B_golden[] = {1.7521875e-3, 2.3034375e-3, -7.875e-5};
  Deviation d;
  for (std::size_t k = 0; k < 9; ++k) d.add(D[k], D_golden[k], 1e-14);
  for (std::size_t k = 0; k < 3; ++k) d.add(B[k], B_golden[k], 1e-14);
  return {"Table I: lengths, masses, inertias",
          d.to_string() + ": D and B at the initial position",
          closed_form(all_within(d), "an independent computation of D and B"),
          "the paper prints no matrices, and not the centres of mass: halfway is chosen; against an "
          "independent computation",
          {}};
}

/// The hand's Jacobian (x, y, turn) and the inertia D.
struct Held {
  Eigen::Matrix3d J, D;
};

Held held(const Context& context, const std::string& frame, const std::array<double, 3>& q = kStart) {
  const describe::Model model = load(context, "three_link_chain");
  const derive::Equations equations(model);
  const std::vector<double> J6 = at(equations.frame_motion(model.frame_index(frame)), "J", {0, 0, 0}, q);
  const std::vector<double> D3 = at(equations.mass_matrix(), "M", {0, 0, 0}, q);
  Held result;
  for (int j = 0; j < 3; ++j) {
    result.J(0, j) = J6[static_cast<std::size_t>(9 + j)];   // x
    result.J(1, j) = J6[static_cast<std::size_t>(12 + j)];  // y
    result.J(2, j) = J6[static_cast<std::size_t>(6 + j)];   // turn about z
    for (int i = 0; i < 3; ++i) result.D(i, j) = D3[static_cast<std::size_t>(3 * i + j)];
  }
  return result;
}

/// (8), as printed.
Eigen::Matrix3d equation_8(const std::array<double, 3>& q) {
  const double l1 = 0.042, lc2 = 0.021, s1 = std::sin(q[0]), c1 = std::cos(q[0]), s12 = std::sin(q[0] + q[1]),
               c12 = std::cos(q[0] + q[1]);
  Eigen::Matrix3d J;
  J << -l1 * s1 - lc2 * s12, -lc2 * s12, 0, l1 * c1 + lc2 * c12, lc2 * c12, 0, 1, 1, 0;
  return J;
}

/// (9), as printed: the first two links in line.
Eigen::Matrix3d equation_9(const std::array<double, 3>& q) {
  const double l1 = 0.042, l2 = 0.042, lc3 = 0.015, s1 = std::sin(q[0]), c1 = std::cos(q[0]),
               s13 = std::sin(q[0] + q[2]), c13 = std::cos(q[0] + q[2]);
  Eigen::Matrix3d J;
  J << -(l1 + l2) * s1 - lc3 * s13, -l2 * s1 - lc3 * s13, -lc3 * s13, (l1 + l2) * c1 + lc3 * c13,
      l2 * c1 + lc3 * c13, lc3 * c13, 1, 1, 1;
  return J;
}

Result hand(const Context& context, const std::string& frame, const std::vector<double>& sigma_golden,
            const std::vector<double>& mobility_golden) {
  const auto [J, D] = held(context, frame);
  const Eigen::Vector3d sigma = J.jacobiSvd().singularValues();
  const Eigen::Matrix3d mobility = J * D.inverse() * J.transpose();
  Deviation d;
  for (int k = 0; k < 3; ++k) d.add(sigma(k), sigma_golden[static_cast<std::size_t>(k)], kDigits);
  const int at_row[] = {0, 0, 0, 1, 1, 2}, at_col[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k)
    d.add(mobility(at_row[k], at_col[k]), mobility_golden[static_cast<std::size_t>(k)], 1e-9);
  // The printed Jacobian: (8) anywhere, (9) with the first two links in line. Both have rank 2.
  const bool middle = frame == "middle";
  const std::array<double, 3> place = middle ? kStart : std::array<double, 3>{0.4, 0.0, -0.9};
  const Eigen::Matrix3d here = held(context, frame, place).J,
                        printed = middle ? equation_8(place) : equation_9(place);
  d.add((here - printed).norm(), 0.0, 1e-14);
  d.add(here.jacobiSvd().singularValues()(2), 0.0, 1e-14);
  return {
      fmt::format("the hand's Jacobian {} at the {} link, of rank 2, and its mobility J D^-1 J^T",
                  middle ? "(8)" : "(9)", frame),
      fmt::format("singular values {:.6f}, {:.6f}, {:.6f}; {}", sigma(0), sigma(1), sigma(2), d.to_string()),
      closed_form(
          all_within(d),
          fmt::format("{}, evaluated as printed; an independent computation of singular values and mobility",
                      middle ? "(8)" : "(9)")),
      "the paper prints no numbers. Singular values and mobility at the initial position of section VI",
      {}};
}

Result appendix(const Context& context) {
  double off = 0.0, diagonal = 0.0;
  Deviation d;
  for (const char* frame : {"middle", "distal"}) {
    const auto [J, D] = held(context, frame);
    const Eigen::JacobiSVD<Eigen::Matrix3d> svd(J.transpose(), Eigen::ComputeFullU | Eigen::ComputeFullV);
    // (24): J^T = V S U^T. (28): V^T D^-1 V = A, the diagonal form of D^-1.
    const Eigen::Matrix3d V = svd.matrixU(), product = V.transpose() * D.inverse() * V;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        (i == j ? diagonal : off) = larger(i == j ? diagonal : off, std::fabs(product(i, j)));
    // (14): the null spaces are equal all the same, D^-1 being positive definite.
    const Eigen::Matrix3d mobility = J * D.inverse() * J.transpose();
    const double least = mobility.selfadjointView<Eigen::Lower>().eigenvalues()(0);
    const Eigen::Vector3d n = svd.matrixV().col(2);
    if (std::string(frame) == "middle") {
      d.add((J.transpose() * n).norm(), 0.0, 1e-14);
      d.add((mobility * n).norm(), 0.0, 1e-12);
      d.add(least, 0.0, 1e-12);
    } else {
      d.add(least > 0.0 ? 1.0 : 0.0, 1.0, 0.0);
    }
  }
  return {
      "(24)-(31): V^T D^-1 V is diagonal, so that J D^-1 J^T and J^T have the same null space and singular "
      "directions",
      fmt::format("V^T D^-1 V has entries up to {:.1f} beside a diagonal of up to {:.1f}; the null spaces "
                  "are equal: {}",
                  off, diagonal, d.to_string()),
      corrected(all_within(d) && off > 0.01 * diagonal,
                "(28), evaluated as printed; the null vector of J^T in both"),
      "(28) is false, and with it (29)-(31) and \"the same singular directions\"; (14) holds because D^-1 is "
      "positive definite",
      {}};
}

}  // namespace

std::vector<study::Case> mechanism_cases() {
  return {
      {"table-i", "the three-link chain", dynamics},
      {"held-middle", "held at the middle link",
       [](const Context& c) {
         return hand(c, "middle", {1.4153773425, 0.0296757013, 0.0},
                     {0.0378735154, 0.0384288723, 0.0373996795, 0.0516381160, 0.8895567419, 57.3872416643});
       }},
      {"appendix", "the null spaces of J^T and of the mobility", appendix},
      {"held-distal", "held at the distal link", [](const Context& c) {
         return hand(c, "distal", {1.7346769828, 0.0572862102, 0.0088756440},
                     {0.0577337133, 0.0665711794, 1.8576298457, 0.1260241926, 1.7127638627, 192.4260511917});
       }}};
}

}  // namespace tactus::studies::constantinescu
