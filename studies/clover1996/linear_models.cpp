// Tables V to VIII: the linear model of the PUMA 560 at three points, exact and abbreviated, and its
// eigenvalues.
#include <algorithm>

#include <studies/clover1996/tables.h>
#include <studies/compare.h>
#include <tactus/derive/readable/linear_canonical.h>
#include <tactus/describe/read/load.h>
#include "cases.h"

namespace tactus::studies::clover {

namespace {

using derive::LinearCanonical;
using derive::LinearMatrices;
using study::Context;
using study::Result;
using tactus::clover::kTables;
using tactus::clover::Table;

/// Half a unit of the last of four printed decimals, with the last bit of the sum.
constexpr double kPrintRounding = 5.05e-5;
/// Eleven entries of the un-abbreviated tables exceed print rounding by at most 0.8e-5.
constexpr double kUnabbreviated = 6e-5;
constexpr double kPrintedRoots = 8e-5;

LinearMatrices matrices(const Context& context, const Table& table, bool abbreviated) {
  const derive::CanonicalModel model =
      derive::canonical_form(describe::load((context.models / "puma560.yaml").string()));
  const LinearCanonical linear =
      abbreviated ? LinearCanonical(model, derive::Abbreviation::thesis(0.01)) : LinearCanonical(model);
  return linear.evaluate({{table.q.begin(), table.q.end()},
                          {table.qd.begin(), table.qd.end()},
                          {table.qdd.begin(), table.qdd.end()}});
}

Deviation compare(const LinearMatrices& here, const Table& table, bool abbreviated, double tolerance) {
  Deviation d;
  const auto add = [&](const Eigen::MatrixXd& found, const tactus::clover::Matrix& printed) {
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < 6; ++j) {
        d.add(found(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), printed[i][j], tolerance);
      }
  };
  add(here.M, abbreviated ? table.M_abbreviated : table.M);
  add(here.C, abbreviated ? table.C_abbreviated : table.C);
  add(here.K, abbreviated ? table.K_abbreviated : table.K);
  return d;
}

Result exact_table(const Context& context, const Table& table) {
  const LinearMatrices here = matrices(context, table, false);
  const Deviation d = compare(here, table, false, kUnabbreviated),
                  rounding = compare(here, table, false, kPrintRounding);
  return {"108 entries of M, C, K, four decimals",
          fmt::format("{}; {} within half a unit of the last digit", d.to_string(), rounding.within),
          reproduced(d, rounding.within >= 100),
          "allowed are 6e-5, for eleven entries of three tables that are beyond half a unit of the last "
          "digit by less than 1e-5. The points have "
          "more digits than printed: VI is the slew (18)-(20) at t = 0.53 s, the angles of VII were fitted "
          "within half a unit of their printed "
          "last digit",
          {}};
}

Result abbreviated_table(const Context& context, const Table& table) {
  const Deviation d = compare(matrices(context, table, true), table, true, kPrintRounding);
  return {"108 entries of M, C, K, four decimals",
          d.to_string(),
          reproduced(d),
          "the rule: coefficients below 0.01 dropped after differentiation, the rest rounded to 4 digits, "
          "motors added last",
          {}};
}

Result eigenvalues(const Context& context, const Table& table, bool abbreviated) {
  std::vector<std::complex<double>> here =
      derive::eigenvalues(derive::state_space(matrices(context, table, abbreviated)));
  const std::complex<double> largest = here.front();
  Deviation d;
  for (const std::complex<double>& root : abbreviated ? table.roots_abbreviated : table.roots) {
    const auto nearest = std::min_element(here.begin(), here.end(), [&](const auto& x, const auto& y) {
      return std::abs(x - root) < std::abs(y - root);
    });
    d.add(std::abs(*nearest - root), 0.0, kPrintedRoots);
    here.erase(nearest);
  }
  return {"12 roots, four decimals",
          fmt::format("{}; largest {:.4f}", d.to_string(), largest.real()),
          reproduced(d),
          "each printed root against one of ours of its own; allowed are 8e-5, of four printed decimals",
          {}};
}

}  // namespace

std::vector<study::Case> linear_model_cases() {
  const char* ids[] = {"table-v", "table-vi", "table-vii"};
  std::vector<study::Case> cases;
  for (std::size_t k = 0; k < 3; ++k) {
    const Table& table = kTables[k];
    const std::string id = ids[k];
    cases.push_back(
        {id, "linear model, un-abbreviated", [&table](const Context& c) { return exact_table(c, table); }});
    cases.push_back({id + "-abbreviated", "linear model, abbreviated",
                     [&table](const Context& c) { return abbreviated_table(c, table); }});
    cases.push_back({id + "-roots", "Table VIII, eigenvalues",
                     [&table](const Context& c) { return eigenvalues(c, table, false); }});
    cases.push_back({id + "-roots-abbreviated", "Table VIII, eigenvalues, abbreviated",
                     [&table](const Context& c) { return eigenvalues(c, table, true); }});
  }
  return cases;
}

}  // namespace tactus::studies::clover
