// Tables of convergence (docs/singular-positions.md): errors by integrator, formulation and fineness, the spread of starts that differ
// in the last place, and what a step through a singular position costs.
#include <algorithm>
#include <cmath>

#include <studies/compare.h>
#include <tactus/base/output_file.h>
#include "cases.h"
#include "convergence.h"

namespace tactus::studies::ladder {

namespace {

using simulate::Formulation;
using simulate::Integrator;
using study::Context;
using study::Result;

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
          {Integrator::stiff, 0.0, {1e-6, 1e-8, 1e-10}},
          {Integrator::passive, 2.0, {4e-3, 2e-3, 1e-3}}};
}

/// [rad] Errors below this are not asked to fall on: the rounding of 10,000 steps, and of the closed form's parameters.
constexpr double kRounding = 3e-11;
/// Times the spread: one start beside another is a sample of it.
constexpr double kSpreads = 10.0;
/// Of an order, what terms of higher order may take.
constexpr double kShort = 0.3;

// [s] Some 12 crossings; the first two, which is what a minute is enough for; the first one.
constexpr double kLong = 10.0, kShortly = 1.5, kOnce = 0.8;

bool is_dense(Formulation formulation) {
  return formulation != Formulation::automatic && formulation != Formulation::parametric;
}

/// Jacobians by differences: a column costs a slope, and a slope of the dense factors 40^3 times that of one loop.
bool has_jacobians(Integrator integrator) {
  return integrator == Integrator::implicit || integrator == Integrator::stiff ||
         integrator == Integrator::passive;
}

/// Half a minute to some minutes each motion: one is enough. The spread of the others holds for them, too.
bool is_dearest(int loops, const Line& line, Formulation formulation) {
  return loops == 40 && is_dense(formulation) && has_jacobians(line.integrator);
}

/// How long a motion is followed; 0: the combination does not exist, or is left to a full run.
double duration_of(const Context& context, int loops, const Line& line, Formulation formulation) {
  if (line.integrator == Integrator::passive && formulation == Formulation::parametric) return 0.0;
  const bool jacobians = has_jacobians(line.integrator);
  if (context.full && loops == 40 && is_dense(formulation)) return kOnce;
  if (context.full) return loops == 40 && jacobians ? kShortly : kLong;
  if (loops == 40 && jacobians && is_dense(formulation)) return 0.0;
  if (loops == 40 && (is_dense(formulation) || jacobians)) return kOnce;
  if (loops == 10 && is_dense(formulation) && jacobians) return kOnce;
  return loops <= 2 ? kLong : kShortly;
}

/// Those of the line, but for a Jacobian of dense factors in each of hundreds of steps.
std::vector<double> finenesses_of(int loops, const Line& line, Formulation formulation) {
  std::vector<double> all = line.finenesses;
  if (loops == 40 && line.integrator == Integrator::stiff && is_dense(formulation)) all.pop_back();
  return all;
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

std::string name_of_ladder(int loops) { return fmt::format("{} loop{}", loops, loops == 1 ? "" : "s"); }

/// The lines of one integrator, all formulations; whether all fall. The error of the finest cells is added to `worst`.
bool convergence(const Context& context, int loops, const Line& line, std::string& text, double& worst) {
  std::string rows;
  bool all = true;
  for (const Formulation formulation : kFormulations) {
    const double duration = duration_of(context, loops, line, formulation);
    if (duration == 0.0) continue;
    std::vector<Cell> cells;
    rows += fmt::format("| {} | {:g} |", simulate::name_of(formulation), duration);
    const std::vector<double> finenesses = finenesses_of(loops, line, formulation);
    for (const double fineness : finenesses) {
      if (context.progress)
        context.progress(fmt::format("{}: {} {} {:g}", name_of_ladder(loops),
                                     simulate::name_of(line.integrator), simulate::name_of(formulation),
                                     fineness));
      const bool with_spread = !is_dearest(loops, line, formulation);
      cells.push_back(
          converge(context, loops, {line.integrator, formulation, fineness}, duration, with_spread));
      const Cell& cell = cells.back();
      rows += !cell.finished ? " stops |"
              : with_spread  ? fmt::format(" {:.1e} ({:.0e}) |", cell.error, cell.spread)
                             : fmt::format(" {:.1e} |", cell.error);
    }
    for (std::size_t k = finenesses.size(); k < line.finenesses.size(); ++k) rows += " |";
    const bool good = falls(line, cells);
    all = all && good;
    worst = std::max(worst, cells.back().error);
    rows += fmt::format(" {} | {:.2g} |\n", good ? "yes" : "**no**", cells.back().seconds);
  }
  if (rows.empty()) return true;
  text += fmt::format("| {}, {}, by the {} | over s |", name_of_ladder(loops),
                      simulate::name_of(line.integrator), line.order > 0.0 ? "step in s" : "tolerance");
  for (const double fineness : line.finenesses) text += fmt::format(" {:g} |", fineness);
  text += " falls | finest takes s |\n|---|--:|";
  for (std::size_t k = 0; k < line.finenesses.size(); ++k) text += "--:|";
  text += "---|--:|\n" + rows + "\n";
  return all;
}

Result table(const Context& context, int loops) {
  const std::string file = fmt::format("ladder-{}.md", loops);
  std::string text;
  bool all = true;
  double precise = 0.0, others = 0.0;
  for (const Line& line : lines()) {
    const bool is_precise = line.integrator == Integrator::rk4 || line.integrator == Integrator::adaptive;
    all = convergence(context, loops, line, text, is_precise ? precise : others) && all;
  }
  text += fmt::format("| {}, rk4 | dearest step by the median |\n|---|--:|\n", name_of_ladder(loops));
  for (const Formulation formulation : kFormulations) {
    if (context.progress)
      context.progress(
          fmt::format("{}: dearest step, {}", name_of_ladder(loops), simulate::name_of(formulation)));
    const double dearest = dearest_step(context, loops, {Integrator::rk4, formulation, 0.0});
    text += fmt::format("| {} | {:.1f} |\n", simulate::name_of(formulation), dearest);
  }
  write_file((context.out / file).string(), text);
  Result result{
      "one pendulum, in closed form",
      fmt::format("all integrators and formulations converge{}: rk4 and adaptive to {:.1e} rad or better",
                  all ? "" : " but for those that do not fall", precise),
      closed_form(all, "the closed form of one pendulum, every 0.1 s"),
      fmt::format("errors [rad] (spread [rad]), down to {:.0e} rad and {:g} times the spread; orders within "
                  "{:g}{}",
                  kRounding, kSpreads, kShort,
                  context.full ? "" : "; --full has all combinations and longer runs"),
      {file}};
  result.table = std::move(text);
  return result;
}

}  // namespace

std::vector<study::Case> convergence_cases() {
  std::vector<study::Case> cases;
  for (const int loops : {1, 2, 10, 40})
    cases.push_back({fmt::format("loops-{}", loops),
                     fmt::format("{}: errors against the closed form, spread, costs", name_of_ladder(loops)),
                     [loops](const Context& context) { return table(context, loops); }});
  return cases;
}

}  // namespace tactus::studies::ladder
