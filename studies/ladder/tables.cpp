// Tables of convergence (docs/singular-positions.md): errors at 10 s by integrator, formulation and fineness, the spread of starts that
// differ in the last place, and what a step through a singular position costs.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <studies/compare.h>
#include "cases.h"
#include "convergence.h"

namespace tactus::studies::ladder {

namespace {

using simulate::Formulation;
using simulate::Integrator;
using study::Context;
using study::Result;
using study::Verdict;

constexpr double kDuration = 10.0;  // [s]
constexpr Formulation kFormulations[] = {Formulation::automatic, Formulation::multipliers,
                                         Formulation::embedding, Formulation::projection,
                                         Formulation::parametric};

/// An integrator, the order of its error in the step (0: it goes to a tolerance), and what is tried.
struct Line {
  Integrator integrator;
  double order;
  std::vector<double> finenesses;
};

std::vector<Line> lines() {
  return {{Integrator::euler, 1.0, {4e-3, 2e-3, 1e-3}},
          {Integrator::rk4, 4.0, {4e-3, 2e-3, 1e-3, 5e-4}},
          {Integrator::implicit, 3.0, {4e-3, 2e-3, 1e-3}},
          {Integrator::adaptive, 0.0, {1e-8, 1e-10, 1e-12, 1e-13}},
          {Integrator::stiff, 0.0, {1e-6, 1e-8, 1e-10}}};
}

/// [rad] Errors below this are not asked to fall on: the rounding of 10,000 steps, and of the closed form's parameters.
constexpr double kRounding = 3e-11;
/// Times the spread: one start beside another is a sample of it.
constexpr double kSpreads = 10.0;
/// Of an order, what terms of higher order may take.
constexpr double kShort = 0.3;

/// Dense factors of 80 rows for each column of a Jacobian: an hour.
bool takes_too_long(int loops, const Line& line, Formulation formulation) {
  const bool dense = formulation != Formulation::automatic && formulation != Formulation::parametric;
  const bool jacobians = line.integrator == Integrator::implicit || line.integrator == Integrator::stiff;
  return loops == 40 && dense && jacobians;
}

/// Whether the errors fall as they should: by the order, or at all, down to rounding and spread.
bool falls(const Line& line, const std::vector<Cell>& cells) {
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (!cells[k].finished || !std::isfinite(cells[k].error)) return false;
    if (k == 0) continue;
    const double part =
        line.order > 0.0 ? std::pow(line.finenesses[k] / line.finenesses[k - 1], line.order - kShort) : 1.0;
    const double floor = kRounding + kSpreads * std::max(cells[k].spread, cells[k - 1].spread);
    if (!(cells[k].error <= part * cells[k - 1].error + floor)) return false;
  }
  return true;
}

Result table(const Context& context, int loops) {
  const std::string file = fmt::format("ladder-{}.md", loops);
  std::string text = fmt::format(
      "| {} loop{} | formulation | errors [rad] | spread | processor time s |\n|---|---|---|--:|--:|\n",
      loops, loops == 1 ? "" : "s");
  bool all = true;
  double worst_finest = 0.0;
  for (const Line& line : lines()) {
    for (const Formulation formulation : kFormulations) {
      if (takes_too_long(loops, line, formulation)) continue;
      std::vector<Cell> cells;
      std::string errors;
      double spread = 0.0;
      for (const double fineness : line.finenesses) {
        cells.push_back(converge(context, loops, {line.integrator, formulation, fineness}, kDuration));
        errors += fmt::format("{}{:g}: {:.1e}", errors.empty() ? "" : ", ", fineness, cells.back().error);
        spread = std::max(spread, cells.back().spread);
      }
      const bool good = falls(line, cells);
      all = all && good;
      if (line.integrator == Integrator::rk4 || line.integrator == Integrator::adaptive)
        worst_finest = std::max(worst_finest, cells.back().error);
      text += fmt::format("| {} | {} | {}{} | {:.0e} | {:.2g} |\n", simulate::name_of(line.integrator),
                          simulate::name_of(formulation), errors, good ? "" : " (!)", spread,
                          cells.back().seconds);
    }
  }
  text +=
      fmt::format("\n| {} loop{} | dearest step by the median |\n|---|--:|\n", loops, loops == 1 ? "" : "s");
  for (const Formulation formulation : kFormulations) {
    const double dearest = dearest_step(context, loops, {Integrator::rk4, formulation, 0.0});
    text += fmt::format("| rk4, {} | {:.1f} |\n", simulate::name_of(formulation), dearest);
  }
  std::ofstream(context.out / file) << text;
  Result result{
      "one pendulum, in closed form",
      fmt::format("all integrators and formulations converge{}: rk4 and adaptive to {:.1e} rad or better",
                  all ? "" : " but for those marked (!)", worst_finest),
      judged(all),
      fmt::format("down to {:.0e} rad and {:g} times the spread; orders within {:g}", kRounding, kSpreads,
                  kShort),
      {file}};
  result.table = std::move(text);
  return result;
}

}  // namespace

std::vector<study::Case> convergence_cases() {
  std::vector<study::Case> cases;
  for (const int loops : {1, 2, 10, 40})
    cases.push_back({fmt::format("loops-{}", loops),
                     fmt::format("{} loop{}: errors against the closed form, spread, costs", loops,
                                 loops == 1 ? "" : "s"),
                     [loops](const Context& context) { return table(context, loops); }});
  return cases;
}

}  // namespace tactus::studies::ladder
