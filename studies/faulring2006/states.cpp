// Accelerations and multipliers of the three examples at one state each.
//
// The paper writes M qdd + C qd + ... = tau + A^T lambda with its own rows; ours may have other signs and
// sizes, so the constraint force A^T lambda is what is compared.
#include <cmath>
#include <numbers>

#include <studies/compare.h>
#include <studies/models.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::faulring {

namespace {

using study::Context;
using study::Result;
using study::Verdict;

constexpr double kGolden = 1e-11;  // the golden values have 13 digits or more

/// The trees' joints are q1 q2 q3 q4 q6 q5: the paper's order, and back.
std::vector<double> in_tree_order(const std::vector<double>& q) {
  return {q[0], q[1], q[2], q[3], q[5], q[4]};
}

Result disk(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(load(context, "rolling_disk"));
  const double r = 0.03, q4 = 0.3, w4 = 0.8, w5 = -1.5;
  disk->set_state({0.0,
                   in_tree_order({0.02, -0.01, r, q4, 0.7, std::numbers::pi / 2}),
                   in_tree_order({-r * w5 * std::cos(q4), -r * w5 * std::sin(q4), 0.0, w4, w5, 0.0}),
                   {}});
  const std::vector<double> f = in_tree_order({2.0, -1.0, 5.0, 0.05, -0.04, 0.02});
  disk->hold({.tau = f});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  const std::vector<double> golden =
      in_tree_order({-0.6721391316721537, -0.1702339405519617, 0.0, -12.0, 23.08088691827664, 0.0});
  Deviation d;
  for (std::size_t k = 0; k < 6; ++k) d.add(udot[k], golden[k], kGolden * 30.0);
  return {"example A: (20), (25), (11)-(13)",
          d.to_string(),
          judged(d.within == d.count, Verdict::corrected),
          "the damping (41) is a wrench on the body and must be mapped to the coordinates, which the paper "
          "leaves out",
          {}};
}

Result sphere(const Context& context) {
  const describe::Model model = load(context, "disk_on_sphere");
  const std::unique_ptr<simulate::Mechanism> disk = contact::open(model);
  disk->set_state({0.0, model.initial_q, model.initial_u, {}});
  const std::vector<double> f = in_tree_order({2.0, -1.0, 5.0, 0.05, -0.04, 0.02});
  disk->hold({.tau = f});
  const std::vector<double> udot(disk->accelerations().begin(), disk->accelerations().end());
  const std::vector<double> golden =
      in_tree_order({0.76132687699138, 2.002036035097691, 3.220073377333915, 29.110909377130312,
                     16.70810806257324, -72.44639692600913});
  Deviation d;
  for (std::size_t k = 0; k < 6; ++k) d.add(udot[k], golden[k], kGolden * 80.0);
  return {"example B: (27)-(32)",
          d.to_string(),
          judged(d.within == d.count, Verdict::corrected),
          "(27)-(32) use R^T where III-A's R is meant: the disk would lean by 102.9 deg at these angles; "
          "with equal moments of "
          "inertia M does not show it",
          {}};
}

Result two_links(const Context& context) {
  const std::unique_ptr<simulate::Mechanism> arm = contact::open(load(context, "two_link_on_circle"));
  const double q1 = -0.4638035914986337, q12 = q1 + 1.2789754108442462, l = 0.15;
  arm->set_state({0.0, {q1, 1.2789754108442462}, {-0.1918904667584164, 1.2300645493802411}, {}});
  // The force (1, 2) at the end point.
  const double tau2 = l * (-std::sin(q12) + 2.0 * std::cos(q12));
  const double tau1 = tau2 + l * (-std::sin(q1) + 2.0 * std::cos(q1));
  const std::vector<double> tau{tau1, tau2};
  arm->hold({.tau = tau});
  const std::vector<double> udot(arm->accelerations().begin(), arm->accelerations().end());
  const simulate::ConstraintReport c = arm->constraint_report(true);
  // The paper's row is A = (0.01767, 0.00276), its multiplier -32.95: the force on the joints is their
  // product.
  Deviation d;
  d.add(udot[0], -2.0176622897612604, kGolden);
  d.add(udot[1], 2.3958639242784274, kGolden);
  d.add(c.force[0], 0.017670890680965834 * -32.95287723301679, kGolden);
  d.add(c.force[1], 0.002756664650254304 * -32.95287723301679, kGolden);
  return {"example C: (33)-(39)",
          d.to_string(),
          judged(d.within == d.count),
          "base direction and elbow are chosen here; (36) and (38) lack an entry",
          {}};
}

}  // namespace

std::vector<study::Case> state_cases() {
  return {{"example-a-state", "upright rolling disk", disk},
          {"example-b-state", "disk on a sphere", sphere},
          {"example-c-state", "two links, end point on a circle", two_links}};
}

}  // namespace tactus::studies::faulring
