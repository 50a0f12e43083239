// tactus linear MODEL: the linear model about an equilibrium or a steady motion, its eigenvalues and modes, at one point or over a
// range of a parameter, a coordinate or a speed.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/derive/equations.h>
#include <tactus/simulate/files/instant.h>
#include <tactus/simulate/linear/linear_model.h>

#include "linear_output.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

using simulate::Instant;
using simulate::Linearization;
using simulate::LinearModel;

struct Request {
  ModelChoice model;
  std::string state, sweep, plot;
  std::vector<std::string> independent, hold, efforts;
  bool steady = false, matrices = false, json = false;
};

/// NAME=FROM:TO:STEP
struct Sweep {
  std::string name;
  std::vector<double> values;
};

constexpr std::size_t kMostPoints = 100000;

Sweep sweep_of(const std::string& text) {
  const auto refuse = [&](const std::string& wrong) {
    throw InputError({}, fmt::format("--sweep {}: {}", text, wrong),
                     "write NAME=FROM:TO:STEP, such as v=0:10:0.5");
  };
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) refuse("a name and its range are expected");
  std::vector<double> numbers;
  std::string rest = text.substr(equals + 1);
  for (std::size_t from = 0; from <= rest.size();) {
    const std::size_t to = std::min(rest.find(':', from), rest.size());
    const std::string word = rest.substr(from, to - from);
    const char* first = word.data() + (word.starts_with('+') ? 1 : 0);
    double number = 0.0;
    const auto [end, error] = std::from_chars(first, word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(number))
      refuse(fmt::format("`{}` is no number", word));
    numbers.push_back(number);
    from = to + 1;
  }
  if (numbers.size() != 3) refuse("three numbers are expected");
  const double length = (numbers[1] - numbers[0]) / numbers[2];
  if (numbers[2] == 0.0 || !(length >= 0.0))
    refuse("the step does not lead from the first to the last value");
  if (length > static_cast<double>(kMostPoints)) refuse(fmt::format("more than {} points", kMostPoints));
  Sweep sweep{text.substr(0, equals), {}};
  // 0.1 counted ten times is 1 but for rounding.
  const auto count = static_cast<long>(std::floor(length * (1.0 + 1e-12) + 1e-9));
  for (long k = 0; k <= count; ++k) sweep.values.push_back(numbers[0] + static_cast<double>(k) * numbers[2]);
  return sweep;
}

int index_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

/// What a sweep changes.
struct Swept {
  enum class Kind { nothing, parameter, coordinate, speed, effort } kind = Kind::nothing;
  int index = 0;
};

/// Whether --set takes the name although the model has no such parameter: it counts repeats.
bool counts_repeats(ModelChoice choice, const std::string& name) {
  choice.settings.push_back(name + "=1");
  try {
    choice.load();
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Swept swept_by(const describe::Model& model, const ModelChoice& choice, const std::string& name) {
  using Kind = Swept::Kind;
  if (name.empty()) return {};
  std::vector<std::string> parameters, rates, efforts;
  for (const describe::Parameter& parameter : model.parameters) parameters.push_back(parameter.name);
  for (const std::string& speed : model.speed_names()) rates.push_back(describe::rate_name(speed));
  for (const std::string& effort : describe::effort_names(model)) efforts.push_back("tau_" + effort);
  if (const int k = index_of(parameters, name); k >= 0) return {Kind::parameter, k};
  if (const int k = index_of(model.coordinate_names(), name); k >= 0) return {Kind::coordinate, k};
  if (const int k = index_of(model.speed_names(), name); k >= 0) return {Kind::speed, k};
  if (const int k = index_of(rates, name); k >= 0) return {Kind::speed, k};
  if (const int k = index_of(efforts, name); k >= 0) return {Kind::effort, k};
  if (counts_repeats(choice, name))
    throw InputError(
        {model.file},
        fmt::format("--sweep: `{}` counts the repeats of the file, and each value makes another mechanism",
                    name),
        fmt::format("take one at a time: --set {}=2", name));
  std::vector<std::string> known = parameters;
  for (const auto& more : {model.coordinate_names(), rates, model.speed_names(), efforts})
    for (const std::string& one : more)  // coordinates and speeds share names
      if (index_of(known, one) < 0) known.push_back(one);
  throw InputError({model.file},
                   fmt::format("--sweep: `{}` is no parameter, coordinate, speed or force", name),
                   suggestion(name, known));
}

/// The values that the state file fixes, by name.
std::vector<std::string> fixed_names(const describe::Model& model, const Instant& at) {
  using Mark = describe::InitialMarks::Mark;
  std::vector<std::string> names;
  const std::vector<std::string> coordinates = model.coordinate_names(), speeds = model.speed_names();
  for (std::size_t k = 0; k < at.marks.q.size(); ++k)
    if (at.marks.q[k] == Mark::fixed) names.push_back(coordinates[k]);
  for (std::size_t k = 0; k < at.marks.u.size(); ++k)
    if (at.marks.u[k] == Mark::fixed) names.push_back(describe::rate_name(speeds[k]));
  return names;
}

Instant instant_of(const derive::Equations& equations, const std::string& path) {
  return path.empty() ? simulate::read_instant(equations, "{}", "") : simulate::load_instant(equations, path);
}

/// How fast the motion grows, and the eigenvalues' size. As many of the smallest as are given count for nothing: zeros that belong to a
/// family of motions.
struct Growth {
  double rate = 0.0, size = 0.0;
};
/// By the largest eigenvalue: below it a real part is zero.
constexpr double kNoGrowth = 1e-9;

std::vector<std::complex<double>> by_size(const LinearModel& model) {
  std::vector<std::complex<double>> values = model.eigenvalues;
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return std::abs(a) < std::abs(b); });
  return values;
}

std::size_t zeros_of(const LinearModel& model) {
  const std::vector<std::complex<double>> values = by_size(model);
  std::size_t count = 0;
  while (count < values.size() && std::abs(values[count]) <= kNoGrowth * std::abs(values.back())) ++count;
  return count;
}

Growth growth_of(const LinearModel& model, std::size_t zeros) {
  const std::vector<std::complex<double>> values = by_size(model);
  Growth growth{-std::numeric_limits<double>::infinity(), values.empty() ? 0.0 : std::abs(values.back())};
  for (std::size_t k = zeros; k < values.size(); ++k) growth.rate = std::max(growth.rate, values[k].real());
  return growth;
}

/// Where between two points a motion begins or ceases to grow; nothing where it does not.
std::optional<StabilityChange> change_between(const LinearPoint& from, const LinearPoint& to,
                                              const std::function<LinearModel(double)>& model_at) {
  if (!from.model.is_steady || !to.model.is_steady) return std::nullopt;
  const std::size_t zeros = std::min(zeros_of(from.model), zeros_of(to.model));
  const Growth first = growth_of(from.model, zeros), last = growth_of(to.model, zeros);
  const auto grows = [](const Growth& growth) { return growth.rate > kNoGrowth * growth.size; };
  if (grows(first) == grows(last)) return std::nullopt;
  // Where the other side decays, its rate passes through zero; where it only swings, it leaves zero.
  const Growth& calm = grows(first) ? last : first;
  const double limit = calm.rate < -kNoGrowth * calm.size ? 0.0 : kNoGrowth * calm.size;
  double a = from.value, b = to.value;
  constexpr int kHalvings = 48;
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = 0.5 * (a + b);
    if (middle == a || middle == b) break;
    ((growth_of(model_at(middle), zeros).rate > limit) == grows(first) ? a : b) = middle;
  }
  return StabilityChange{0.5 * (a + b), !grows(first)};
}

/// The steady motion next to a state; where there is none and no value must be kept, the equilibrium to which weight and springs lead.
LinearPoint searched(Linearization& linearization, double value, const Instant& at,
                     simulate::SteadySearch search) {
  const auto with_family = [&](LinearModel model) -> LinearPoint {
    LinearPoint point{value, std::move(model)};
    if (point.model.is_steady) point.family = linearization.family(point.model.at, search);
    return point;
  };
  const bool may_rest = search.held.empty();
  std::optional<LinearModel> first;
  try {
    first = linearization.at(linearization.steady(at, search));
    if (first->is_steady || !may_rest) return with_family(std::move(*first));
  } catch (const InputError&) {
    if (!may_rest) throw;
  }
  simulate::SteadySearch rest_search = search;
  rest_search.at_rest = true;
  try {
    LinearModel rest = linearization.at(linearization.steady(at, rest_search));
    if (rest.is_steady || !first) return with_family(std::move(rest));
  } catch (const InputError&) {
    if (!first) throw;
  }
  return with_family(std::move(*first));
}

/// What may help where a point is not steady.
std::string remedy_of(const Request& request, const LinearModel& linear, const Linearization& linearization) {
  if (linearization.depends_on_time() && linear.largest_acceleration <= 1e-6)
    return "forces or constraints depend on time: what balances at this moment does not later; take their "
           "time dependence out, for example with a parameter in place of t";
  if (linear.is_uniform)
    return "nothing is the same further along in any axes that were tried: the body has no symmetry there, "
           "or it "
           "stands on a joint that moves; put it on Euler angles (`type: euler` or `free_euler`)";
  if (!request.steady) return "--steady searches one nearby; --solve lets actuator forces change for it";
  if (linear.largest_acceleration <= 1e-6)
    return "the accelerations vanish at this moment only: hold other coordinates and speeds (--hold)";
  return "start nearer to one (--at), hold fewer values (--hold), or let actuator forces change (--solve)";
}

void run(const Request& request) {
  const describe::Model model = request.model.load();
  std::vector<NamedFile> inputs = request.model.files(model);
  inputs.push_back({"--at", request.state});
  require_distinct_files(inputs, {{"--plot", request.plot}});
  const Sweep sweep = request.sweep.empty() ? Sweep{"", {0.0}} : sweep_of(request.sweep);
  for (const auto& [name, value] : request.model.pairs())
    if (name == sweep.name)
      throw InputError({}, fmt::format("--set and --sweep both give `{}`", name), "leave out one of them");
  const Swept swept = swept_by(model, request.model, sweep.name);
  if (!request.plot.empty() && sweep.name.empty())
    throw InputError({}, "--plot draws eigenvalues over a range", "give --sweep NAME=FROM:TO:STEP");
  if (!request.steady && (!request.hold.empty() || !request.efforts.empty()))
    throw InputError({}, "--hold and --solve say what a search for a steady motion may change",
                     "add --steady");

  derive::Options options;
  options.wrenches = instant_of(derive::Equations(model), request.state).wrenches;
  if (swept.kind == Swept::Kind::parameter) {
    options.keep_parameters = true;
    options.kept = {sweep.name};
  }
  std::vector<std::string> independent = request.independent;
  const bool state_swept = swept.kind == Swept::Kind::coordinate || swept.kind == Swept::Kind::speed;
  const std::string swept_name =
      swept.kind == Swept::Kind::speed
          ? describe::rate_name(model.speed_names()[static_cast<std::size_t>(swept.index)])
          : sweep.name;
  if (state_swept) independent.push_back(swept_name);
  Linearization linearization(model, options, independent);

  const auto point_at = [&](double value) -> LinearPoint {
    Instant at;
    if (swept.kind == Swept::Kind::parameter) {
      ModelChoice choice = request.model;
      choice.settings.push_back(fmt::format("{}={}", sweep.name, value));
      const describe::Model changed = choice.load();
      at = instant_of(derive::Equations(changed), request.state);
      linearization.set_parameters({changed.parameters[static_cast<std::size_t>(swept.index)].value});
    } else {
      at = instant_of(linearization.equations(), request.state);
      const auto k = static_cast<std::size_t>(swept.index);
      if (swept.kind == Swept::Kind::coordinate) at.q[k] = value;
      if (swept.kind == Swept::Kind::speed) at.u[k] = value;
      if (swept.kind == Swept::Kind::effort) {
        if (!at.tau) at.tau.emplace(at.u.size(), 0.0);
        (*at.tau)[k] = value;
      }
    }
    if (request.steady) {
      simulate::SteadySearch search{request.hold, request.efforts};
      if (request.hold.empty()) search.held = fixed_names(model, at);
      if (state_swept) search.held.push_back(swept_name);
      return searched(linearization, value, at, search);
    }
    LinearPoint point{value, linearization.at(at)};
    const auto state_of = [](const Instant& of) { return simulate::State{of.t, of.q, of.u, {}}; };
    point.changes = simulate::changes_between(model, at.marks, state_of(at), state_of(point.model.at));
    return point;
  };
  const auto model_at = [&](double value) { return point_at(value).model; };
  std::vector<LinearPoint> points;
  for (const double value : sweep.values) points.push_back(point_at(value));
  std::vector<StabilityChange> changes;
  for (std::size_t k = 1; k < points.size(); ++k)
    if (const auto change = change_between(points[k - 1], points[k], model_at)) changes.push_back(*change);

  const LinearReport report{model.name,
                            sweep.name,
                            linearization.notes(),
                            request.matrices,
                            std::move(points),
                            std::move(changes),
                            request.steady,
                            model.coordinate_names(),
                            model.speed_names(),
                            describe::effort_names(model)};
  std::fputs((request.json ? as_json(report) : as_text(report)).c_str(), stdout);
  if (!request.plot.empty()) write_file(request.plot, as_picture(report));
  for (const LinearPoint& point : report.points) {
    const LinearModel& linear = point.model;
    if (linear.is_steady) continue;
    const std::string where =
        sweep.name.empty() ? "the state" : fmt::format("{} = {}", sweep.name, point.value);
    if (linear.is_uniform)
      throw Failed(
          fmt::format("{}: nothing accelerates, but the linear model differs by {:.3g} of its size further "
                      "along: the eigenvalues above belong to "
                      "no time-invariant system\n  help: {}",
                      where, linear.later_change, remedy_of(request, linear, linearization)));
    throw Failed(
        fmt::format("{} is no equilibrium and no steady motion (acceleration {:.3g}; further along {:.3g}, "
                    "where the linear "
                    "model differs by {:.3g} of its size): the eigenvalues above belong to no time-invariant "
                    "system\n  help: {}",
                    where, linear.largest_acceleration, linear.later_acceleration, linear.later_change,
                    remedy_of(request, linear, linearization)));
  }
}

}  // namespace

void add_linear(CLI::App& program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand(
      "linear", "Linear model about an equilibrium or a steady motion: eigenvalues, modes, matrices");
  request->model.add_to(*verb);
  verb->add_option("--at", request->state,
                   "state file (YAML) as for `eval`; the model's initial state unless given");
  verb->add_option(
      "--sweep", request->sweep,
      "NAME=FROM:TO:STEP: at every value of a parameter, a coordinate, a speed (NAME_dot) or a force "
      "(tau_NAME)");
  verb->add_option("--independent", request->independent,
                   "coordinates and speeds that must be among the independent ones (others are chosen)")
      ->delimiter(',');
  verb->add_flag("--steady", request->steady,
                 "first search the equilibrium or steady motion next to the state");
  verb->add_option(
          "--hold", request->hold,
          "with --steady: coordinates and speeds (NAME_dot) that stay as they are; by default those that the "
          "state file or the model calls `fixed`")
      ->delimiter(',');
  verb->add_option("--solve", request->efforts, "with --steady: joints whose actuator forces may change")
      ->delimiter(',');
  verb->add_flag("--matrices", request->matrices, "print M, C, K, A, B as well (--json always has them)");
  verb->add_option("--plot", request->plot, "with --sweep: picture of the eigenvalues (SVG)");
  verb->add_flag("--json", request->json, "print JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
