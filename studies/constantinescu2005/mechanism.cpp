// The three-link chain of Table I at the initial position of section VI: inertia, velocity products, and what
// a hand feels at the middle and at the distal link, near singularities of its Jacobian.
#include <map>

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
using study::Verdict;

constexpr double kDigits = 1e-10;  // the golden values have ten or more

std::vector<double> at(const algebra::Function& function, const std::string& output,
                       const std::vector<double>& u) {
  const double pi = 3.14159265358979323846;
  const std::map<std::string, double> values{
      {"t", 0.0},       {"q1", -pi / 4},  {"q2", pi / 6},   {"q3", -pi / 6},  {"q1_dot", u[0]},
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
          judged(d.within == d.count, Verdict::not_reproducible),
          "the paper prints no matrices, and not the centres of mass: halfway is chosen; against an "
          "independent computation",
          {}};
}

Result hand(const Context& context, const std::string& frame, const std::vector<double>& sigma_golden,
            const std::vector<double>& mobility_golden) {
  const describe::Model model = load(context, "three_link_chain");
  const derive::Equations equations(model);
  const std::vector<double> J6 = at(equations.frame_motion(model.frame_index(frame)), "J", {0, 0, 0});
  const std::vector<double> D3 = at(equations.mass_matrix(), "M", {0, 0, 0});
  Eigen::Matrix3d J, D;
  for (int j = 0; j < 3; ++j) {
    J(0, j) = J6[static_cast<std::size_t>(9 + j)];   // x
    J(1, j) = J6[static_cast<std::size_t>(12 + j)];  // y
    J(2, j) = J6[static_cast<std::size_t>(6 + j)];   // turn about z
    for (int i = 0; i < 3; ++i) D(i, j) = D3[static_cast<std::size_t>(3 * i + j)];
  }
  const Eigen::Vector3d sigma = J.jacobiSvd().singularValues();
  const Eigen::Matrix3d mobility = J * D.inverse() * J.transpose();
  Deviation d;
  for (int k = 0; k < 3; ++k) d.add(sigma(k), sigma_golden[static_cast<std::size_t>(k)], kDigits);
  const int at_row[] = {0, 0, 0, 1, 1, 2}, at_col[] = {0, 1, 2, 1, 2, 2};
  for (int k = 0; k < 6; ++k)
    d.add(mobility(at_row[k], at_col[k]), mobility_golden[static_cast<std::size_t>(k)], 1e-9);
  return {
      "the hand's Jacobian at the " + frame + " link, and its mobility J D^-1 J^T",
      fmt::format("singular values {:.6f}, {:.6f}, {:.6f}; {}", sigma(0), sigma(1), sigma(2), d.to_string()),
      judged(d.within == d.count, Verdict::not_reproducible),
      "the paper prints no numbers; its (28) is false (V^T D^-1 V is not diagonal), but N(J D^-1 J^T) = "
      "N(J^T) holds",
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
      {"held-distal", "held at the distal link", [](const Context& c) {
         return hand(c, "distal", {1.7346769828, 0.0572862102, 0.0088756440},
                     {0.0577337133, 0.0665711794, 1.8576298457, 0.1260241926, 1.7127638627, 192.4260511917});
       }}};
}

}  // namespace tactus::studies::constantinescu
