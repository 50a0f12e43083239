// Section VI: "since the user holds a link with 3 DOFs, the penalties are applied only intermittently, when
// the user moves through a singularity". Held at the distal link the hand's Jacobian has
//
//   det J = l1 l2 sin q2        smallest singular value  sigma = l1 l2 |sin q2| / (sigma_1 sigma_2)
//
// so that one direction is resisted while the first two links are nearly in line. Rank is judged by sigma <
// tolerance; the tolerance is not printed. Held at the middle link J has rank 2 always, and the penalties act
// all the time.
#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include "cases.h"
#include "free_loop.h"
#include "free_together.h"

namespace tactus::studies::constantinescu {

namespace {

using study::Context;
using study::Result;

/// Smallest singular value of (9) at any q, with metres and radians mixed as the paper does.
double smallest_singular_value(const std::array<double, 3>& q) {
  constexpr double kL1 = 0.042, kL2 = 0.042, kHalf3 = 0.015;  // [m]
  const double a = q[0], b = a + q[1], c = b + q[2];
  Eigen::Matrix3d J;
  J << -kL1 * std::sin(a) - kL2 * std::sin(b) - kHalf3 * std::sin(c),
      -kL2 * std::sin(b) - kHalf3 * std::sin(c), -kHalf3 * std::sin(c),
      kL1 * std::cos(a) + kL2 * std::cos(b) + kHalf3 * std::cos(c), kL2 * std::cos(b) + kHalf3 * std::cos(c),
      kHalf3 * std::cos(c), 1.0, 1.0, 1.0;
  return Eigen::JacobiSVD<Eigen::Matrix3d>(J).singularValues()[2];
}

/// When penalties act, and when they should.
struct Acting {
  int switches = 0, passages = 0;  // passages: q2 through zero
  double share = 0.0;              // of the time
  bool where_singular = true;      // at every sample they act exactly where sigma < tolerance
  bool at_passages = true;         // they act whenever q2 goes through zero
  bool comes_and_goes() const {
    return switches > 0 && share > 0.0 && share < 1.0 && passages > 0 && where_singular && at_passages;
  }
};

Acting acting_of(const Run& run, double tolerance) {
  // Both computations of sigma differ by rounding.
  constexpr double kRounding = 1e-9;
  Acting acting{run.switches(), 0, run.share_on()};
  for (std::size_t k = 0; k < run.t.size(); ++k) {
    const double sigma = smallest_singular_value(run.q[k]);
    const bool on = run.resisted[k] > 0;
    if (!(std::fabs(sigma - tolerance) < kRounding))
      acting.where_singular = acting.where_singular && on == (sigma < tolerance);
    if (k > 0 && run.q[k][1] * run.q[k - 1][1] < 0.0) {
      ++acting.passages;
      acting.at_passages = acting.at_passages && on;
    }
  }
  return acting;
}

Result intermittent(const Context& context) {
  constexpr double kMost = 0.5e-3;  // [m]
  const describe::Model model = load(context, "three_link_chain");
  const auto with = [](double tolerance) {
    Settings settings = section_vi(Law::penalties, true);
    settings.tolerance = tolerance;
    return settings;
  };
  bool below = true, come_and_go = true;
  std::string table =
      "  tolerance   apart after 3 s [mm]   switches   on [%]   q2 through 0   loop: apart [mm]   switches   "
      "on [%]\n";
  std::string here;
  std::vector<Run> runs;
  for (const double tolerance : {5e-4, 1e-3, 2e-3, 5e-3}) {
    runs.push_back(run_together(context, "distal", kSectionVI, with(tolerance), kSectionVIDuration));
    const Run loop = run_in_loop(model, "distal", kSectionVI, with(tolerance), kSectionVIDuration);
    const Run& run = runs.back();
    const Acting together = acting_of(run, tolerance), in_loop = acting_of(loop, tolerance);
    below = below && run.apart.back() < kMost && loop.apart.back() < kMost;
    come_and_go = come_and_go && together.comes_and_goes() && in_loop.comes_and_goes();
    table += fmt::format("  {:<9g} {:22.3f} {:10} {:8.1f} {:14} {:18.3f} {:10} {:8.1f}\n", tolerance,
                         1e3 * run.apart.back(), together.switches, 1e2 * together.share, together.passages,
                         1e3 * loop.apart.back(), in_loop.switches, 1e2 * in_loop.share);
    here += fmt::format("{}{:g}: {} switches, on {:.1f} % of the time, {:.3f} mm", here.empty() ? "" : "; ",
                        tolerance, together.switches, 1e2 * together.share, 1e3 * run.apart.back());
  }
  const Run middle = run_together(context, "middle", kSectionVI, with(1e-3), kSectionVIDuration);
  const bool always = middle.switches() == 0 && middle.share_on() == 1.0;
  Record record({"t", "q2", "sigma", "0.0005", "0.001", "0.002", "0.005", "middle link at 0.001"});
  for (std::size_t k = 0; k < middle.t.size(); ++k) {
    std::vector<double> row{middle.t[k], runs[1].q[k][1], smallest_singular_value(runs[1].q[k])};
    for (const Run& run : runs) row.push_back(run.resisted[k] > 0 ? 1.0 : 0.0);
    row.push_back(middle.resisted[k] > 0 ? 1.0 : 0.0);
    record.add(row);
  }
  const std::string file = "constantinescu2005-rank-tolerance";
  record.write_csv(context, file + ".csv");
  record.write_svg(context, file + ".svg", "Penalties come and go, held at the distal link",
                   {{"q2 [rad], tolerance 0.001", {"q2"}},
                    {"smallest singular value [m and rad]", {"sigma"}},
                    {"penalties, by tolerance",
                     {"0.0005", "0.001", "0.002", "0.005", "middle link at 0.001"},
                     {"off", "on"}}});
  return {"section VI: penalties act intermittently where the chain is held at its distal link",
          here + fmt::format("; at the middle link on {:.0f} % of the time", 1e2 * middle.share_on()),
          not_reproducible(
              below && come_and_go && always,
              "for four tolerances, by both roads: penalties switch, are on at some times and not at "
              "all, exactly where the Jacobian's smallest singular value is below the tolerance, and "
              "whenever q2 goes through zero; apart less than 0.5 mm; always on at the middle link"),
          "the tolerance is not printed and decides the result: all is required of each of the four",
          {file + ".csv", file + ".svg"},
          table};
}

}  // namespace

std::vector<study::Case> intermittent_cases() {
  return {{"rank-tolerance", "where penalties act: the rank of the hand's Jacobian", intermittent}};
}

}  // namespace tactus::studies::constantinescu
