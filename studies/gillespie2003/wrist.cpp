// Example 2: the spherical wrist, with joint rates and with well chosen generalised speeds.
#include <map>

#include <fmt/format.h>

#include <studies/compare.h>
#include <tactus/algebra/calculus.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include "cases.h"

namespace tactus::studies::gillespie {

namespace {

using study::Context;
using study::Result;
using study::Verdict;

derive::Equations wrist(const Context& context, const char* name) {
  const describe::Model model = describe::load((context.models / name).string());
  derive::Options options;
  options.wrenches = {{model.frame_index("C_o"), false}};
  return derive::Equations(model, options);
}

/// Values at the state chosen for the comparison (the paper gives no numbers).
std::vector<double> at_state(const algebra::Function& function, const std::vector<double>& u) {
  const std::map<std::string, double> values{{"t", 0.0},
                                             {"q1", 0.3},
                                             {"q2", 0.8},
                                             {"q3", -0.4},
                                             {"tau_q1", 0.0},
                                             {"tau_q2", 0.0},
                                             {"tau_q3", 0.0},
                                             {"C_o.torque_x", 0.1},
                                             {"C_o.torque_y", -0.2},
                                             {"C_o.torque_z", 0.05},
                                             {"C_o.force_x", 1.0},
                                             {"C_o.force_y", 2.0},
                                             {"C_o.force_z", -1.0},
                                             {"u1", u[0]},
                                             {"u2", u[1]},
                                             {"u3", u[2]},
                                             {"q1_dot", u[0]},
                                             {"q2_dot", u[1]},
                                             {"q3_dot", u[2]}};
  return algebra::evaluate(function.roots(),
                           [&](algebra::Expr s) { return values.at(function.graph->symbol_name(s)); });
}

/// (49) and (50), as printed.
std::vector<double> printed_equations(const std::vector<double>& u) {
  const double L = 0.2, M = 1.5, I1 = 0.02, I2 = 0.03, I3 = 0.01, G = 9.81;
  const double T1 = 0.1, T2 = -0.2, T3 = 0.05, F1 = 1.0, F2 = 2.0;
  const double s1 = std::sin(0.3), c1 = std::cos(0.3), s2 = std::sin(0.8), c2 = std::cos(0.8),
               s3 = std::sin(-0.4), c3 = std::cos(-0.4);
  const double u1 = u[0], u2 = u[1], u3 = u[2];
  return {
      (T1 - L * (F2 + G * M * (s1 * c3 + s3 * c1 * c2)) - (I3 - I2 - M * L * L) * u2 * u3) / (I1 + M * L * L),
      (T2 + L * (F1 + G * M * (s1 * s3 - c1 * c2 * c3)) + (I3 - I1 - M * L * L) * u1 * u3) / (I2 + M * L * L),
      (T3 + (I1 - I2) * u1 * u2) / I3,
      (s3 * u2 - c3 * u1) / s2,
      s3 * u1 + c3 * u2,
      u3 - c2 * (s3 * u2 - c3 * u1) / s2};
}

Result equations_49_50(const Context& context) {
  const std::vector<double> u{-0.3456845972039617, -0.4718644320350396, 0.9876946965430158};
  const std::vector<double> printed = printed_equations(u);
  Deviation d;
  for (const char* model : {"spherical_wrist.yaml", "spherical_wrist_rates.yaml"}) {
    const std::vector<double> here = at_state(wrist(context, model).forward_dynamics(), u);
    for (std::size_t k = 0; k < here.size(); ++k)
      d.add(here[k], printed[k], 1e-13 * std::max(1.0, std::fabs(printed[k])));
  }
  return {"(49) and (50): six equations",
          d.to_string() + " (speeds defined from the rates, and the rates from them)",
          judged(d.within == d.count),
          "as printed; compared at one state to 1e-13",
          {}};
}

Result customary_speeds(const Context& context) {
  // qdd must be the rate of W(q) u with the printed equations behind it.
  const std::vector<double> qdd =
      at_state(wrist(context, "spherical_wrist_joint_rates.yaml").forward_dynamics(), {0.7, -0.3, 0.5});
  const double golden[] = {18.80320495609367, -20.108749474902716, -8.414080095352142};
  Deviation d;
  for (std::size_t k = 0; k < 3; ++k) d.add(qdd[k], golden[k], 1e-12 * std::fabs(golden[k]));
  return {"(48): the equations of motion are \"so long as to preclude their inclusion\"",
          fmt::format("qdd = ({:.6f}, {:.6f}, {:.6f}), {}", qdd[0], qdd[1], qdd[2], d.to_string()),
          judged(d.within == d.count),
          "against an independent derivation of the same state",
          {}};
}

Result table_3_chosen_speeds(const Context& context) {
  const algebra::OperationCount n =
      algebra::count_operations(wrist(context, "spherical_wrist.yaml").forward_dynamics().roots());
  return {
      "(49) + (50): 39 products and quotients, 20 sums, 19 sines and cosines",
      fmt::format("{} products, {} divisions, {} sums, {} sines and cosines", n.mul, n.div, n.add, n.trig),
      judged(n.mul + n.div <= 27 && n.add <= 17, Verdict::corrected),
      "the printed counts are literal, without sharing: (49) is 29/16/10 exactly, (50) is 9/4/9 (printed 10)",
      {}};
}

Result table_3_customary_speeds(const Context& context) {
  const algebra::OperationCount n = algebra::count_operations(
      wrist(context, "spherical_wrist_joint_rates.yaml").forward_dynamics().roots());
  return {
      "790 products and quotients, 285 sums, 372 sines and cosines",
      fmt::format("{} products, {} divisions, {} sums, {} sines and cosines", n.mul, n.div, n.add, n.trig),
      judged(n.mul < 790, Verdict::not_reproducible),
      "the count of a form that is not shown, written out by a manipulator of 2003; only \"no more\" can be "
      "checked",
      {}};
}

}  // namespace

std::vector<study::Case> wrist_cases() {
  return {{"example-2-equations", "the wrist with u = omega . c", equations_49_50},
          {"example-2-joint-rates", "the wrist with u = qd", customary_speeds},
          {"table-3-chosen", "operations with u = omega . c", table_3_chosen_speeds},
          {"table-3-customary", "operations with u = qd", table_3_customary_speeds}};
}

}  // namespace tactus::studies::gillespie
