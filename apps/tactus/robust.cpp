// tactus robust MODEL: what errors of the model do to an arm's law. At a point of a motion: roots, root loci and limits of stability; with
// --trials: simulated loops along a path with payload, friction, inertias, delay and encoders drawn at random.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/base/output_file.h>
#include <tactus/control/arm/robustness.h>
#include <tactus/control/arm/trial.h>
#include <tactus/derive/equations.h>
#include <tactus/simulate/files/instant.h>

#include "options.h"
#include "progress.h"
#include "robust_output.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

struct Request {
  ModelChoice model;
  std::string law = "pole-placement", poles = "-12,45";
  double rate = 500.0;
  // The point.
  std::string state, q, qd, qdd;
  double time = 0.0;
  // The path.
  std::vector<std::string> points;
  std::string times, rate_limits, acceleration_limits;
  double duration = 1.5;
  bool standard = false;
  // The trials.
  std::uint64_t trials = 0, seed = 1;
  int threads = 0, steps = 4;
  std::string payload = "0:2", friction = "0.8:1.2", inertia = "0.9:1.1", delay, encoder = "10000", frame;
  double assume = 0.0, hold = 0.5;
  std::string plot, out;
  bool json = false;
  const CLI::App* verb = nullptr;

  bool given(const char* option) const { return verb->count(option) > 0; }
};

/// RE,IM for all joints, or a pair for each.
std::vector<control::PolePair> poles_of(const Request& request) {
  const std::vector<double> numbers = listed_numbers("--poles", request.poles, 0, ListedUnit::none);
  if (numbers.size() % 2 != 0)
    throw InputError({}, fmt::format("--poles {}: {} numbers", request.poles, numbers.size()),
                     "give RE,IM for all joints, such as -12,45, or a pair for each");
  std::vector<control::PolePair> pairs;
  for (std::size_t i = 0; i < numbers.size(); i += 2)
    pairs.push_back(control::PolePair::complex(numbers[i], numbers[i + 1]));
  return pairs;
}

std::string poles_in_words(const Request& request) {
  const std::vector<double> numbers = listed_numbers("--poles", request.poles, 0, ListedUnit::none);
  std::string words;
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2)
    words += fmt::format("{}{:g}+-{:g}i", words.empty() ? "" : ", ", numbers[i], std::abs(numbers[i + 1]));
  return words;
}

/// LOW:HIGH, or one number.
control::Between between(const char* option, const std::string& text) {
  const std::size_t colon = text.find(':');
  const double low = number_of(text.substr(0, colon)),
               high = colon == std::string::npos ? low : number_of(text.substr(colon + 1));
  if (std::isnan(low) || std::isnan(high))
    throw InputError({}, fmt::format("{} {}: no range", option, text),
                     "write LOW:HIGH, such as 0:2, or one number");
  if (low > high)
    throw InputError({}, fmt::format("{} {}: its ends are exchanged", option, text),
                     "give the smaller number first");
  return {low, high};
}

/// One number for all joints, or one for each.
std::vector<double> for_each(const char* option, const std::string& text, std::size_t joints) {
  std::vector<double> numbers = listed_numbers(option, text, 0, ListedUnit::none);
  if (numbers.size() == 1) numbers.resize(joints, numbers.front());
  if (numbers.size() != joints)
    throw InputError({}, fmt::format("{} {}: {} numbers for {} joints", option, text, numbers.size(), joints),
                     "give one for all joints, or one for each");
  return numbers;
}

control::JointPath path_of(const Request& request, const describe::Model& model, std::size_t joints) {
  if (request.standard && !request.points.empty())
    throw InputError({}, "--standard and --point both say where the path leads", "give one of them");
  if (request.standard) {
    if (joints != 6)
      throw InputError({model.file},
                       fmt::format("--standard is a move of six joints, `{}` has {}", model.name, joints),
                       "give --point, twice or more");
    return control::standard_move(request.duration);
  }
  if (request.points.empty()) return control::middle_move(model, request.duration);
  std::vector<std::vector<double>> points;
  for (const std::string& text : request.points)
    points.push_back(listed_numbers("--point", text, joints, ListedUnit::angle));
  if (!request.times.empty())
    return control::JointPath(points,
                              listed_numbers("--times", request.times, points.size(), ListedUnit::none));
  if (!request.rate_limits.empty() || !request.acceleration_limits.empty()) {
    if (request.rate_limits.empty() || request.acceleration_limits.empty())
      throw InputError({}, "a path by limits needs those of rates and of accelerations",
                       "give --rate-limit and --acceleration-limit");
    return control::JointPath(
        points,
        control::JointPath::Limits{for_each("--rate-limit", request.rate_limits, joints),
                                   for_each("--acceleration-limit", request.acceleration_limits, joints)});
  }
  std::vector<double> times;
  for (std::size_t i = 0; i < points.size(); ++i)
    times.push_back(request.duration * static_cast<double>(i) /
                    static_cast<double>(std::max<std::size_t>(1, points.size() - 1)));
  return control::JointPath(points, times);
}

struct Point {
  double t = 0.0;
  std::vector<double> q, qd, qdd;
};

Point point_of(const Request& request, const describe::Model& model, std::size_t joints) {
  const bool listed = !request.q.empty() || !request.qd.empty() || !request.qdd.empty();
  if ((listed ? 1 : 0) + (request.state.empty() ? 0 : 1) + (request.given("--time") ? 1 : 0) > 1)
    throw InputError({}, "--at, --q and --time each say where the arm is", "give one of them");
  Point point;
  if (request.given("--time")) {
    const control::JointPath path = path_of(request, model, joints);
    if (request.time > path.duration())
      throw InputError({}, fmt::format("--time {:g}: the path ends at {:g} s", request.time, path.duration()),
                       "give a time on the path");
    point.t = request.time;
    for (std::vector<double>* own : {&point.q, &point.qd, &point.qdd}) own->resize(joints);
    path.at(point.t, point.q.data(), point.qd.data(), point.qdd.data());
    return point;
  }
  const derive::Equations equations(model);
  const simulate::Instant at = request.state.empty() ? simulate::read_instant(equations, "{}", "")
                                                     : simulate::load_instant(equations, request.state);
  point = {at.t, at.q, at.u, at.udot ? *at.udot : std::vector<double>(joints, 0.0)};
  if (listed) {
    const auto take = [&](const char* option, const std::string& text, ListedUnit unit,
                          std::vector<double>& into) {
      if (!text.empty()) into = listed_numbers(option, text, joints, unit);
    };
    take("--q", request.q, ListedUnit::angle, point.q);
    take("--qd", request.qd, ListedUnit::none, point.qd);
    take("--qdd", request.qdd, ListedUnit::none, point.qdd);
  }
  return point;
}

/// What of a locus is worth seeing: the stable range with a fifth of it on either side.
std::pair<double, double> shown(const control::StabilityRange& range, const control::ModelError& kind) {
  double low = range.lower ? *range.lower : -9.0, high = range.upper ? *range.upper : 11.0;
  if (!range.lower && range.upper) low = 2.0 - high;
  if (range.lower && !range.upper) high = std::max(2.0 - low, 5.0);
  const double room = 0.2 * (high - low);
  low -= room;
  high += room;
  // Without gains there is nothing to see, and below even less.
  constexpr double kLeast = 0.01;
  return {kind.factor == &control::ModelErrors::gamma ? kLeast : low, high};
}

/// The roots that are on the border where the limits are; none where the gains vanish.
std::vector<PointReport::Loop::Crossing> crossings(const control::LawAnalysis& analysis,
                                                   const control::ModelError& kind,
                                                   const control::StabilityRange& range, bool sampled) {
  std::vector<PointReport::Loop::Crossing> all;
  for (const auto& limit : {range.lower, range.upper}) {
    if (!limit || (range.marginal && limit == range.lower)) continue;
    control::ModelErrors errors;
    errors.*kind.factor = *limit;
    const std::vector<control::Complex> roots = analysis.poles(errors, sampled);
    double least = HUGE_VAL;
    for (const control::Complex& root : roots) least = std::min(least, std::abs(root.real()));
    // The limit is known to its last digits, the roots of the pair there to a few more.
    constexpr double kSame = 1e-6;  // [1/s]
    for (const control::Complex& root : roots)
      if (std::abs(root.real()) <= least + kSame) all.push_back({*limit, root});
  }
  return all;
}

void analyse(const Request& request, const describe::Model& model, const control::ArmControl& control) {
  const double h = 1.0 / request.rate;
  control::LawAnalysis analysis(model, control, h);
  const Point point = point_of(request, model, analysis.joints());
  analysis.at(point.t, point.q, point.qd, point.qdd);
  PointReport report{model.name,   request.law, poles_in_words(request),
                     request.rate, point.t,     {},
                     point.q,      point.qd,    point.qdd,
                     {},           {}};
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) report.joints.push_back(axis.name);
  report.open = control::open_loop_poles(analysis.arm());
  const bool loci = !request.plot.empty() || !request.out.empty();
  for (const bool sampled : {false, true}) {
    PointReport::Loop loop;
    loop.sampled = sampled;
    loop.poles = analysis.poles({}, sampled);
    for (const control::ModelError& kind : control::model_errors()) {
      loop.ranges.push_back(analysis.range(kind, sampled));
      if (!loci) continue;
      const auto [from, to] = shown(loop.ranges.back(), kind);
      constexpr int kLooks = 1000;
      loop.loci.push_back(analysis.locus(kind, from, to, kLooks, sampled));
      loop.crossings.push_back(crossings(analysis, kind, loop.ranges.back(), sampled));
    }
    report.loops.push_back(std::move(loop));
  }
  if (!request.plot.empty()) write_file(request.plot, as_picture(report));
  if (!request.out.empty()) write_file(request.out, as_csv(report));
  std::fputs((request.json ? as_json(report) : as_text(report)).c_str(), stdout);
}

void try_out(const Request& request, const describe::Model& model, const control::ArmControl& control) {
  control::TrialOptions options;
  options.control = control;
  options.period = 1.0 / request.rate;
  options.steps = request.steps;
  options.frame = request.frame;
  options.assumed = request.assume;
  options.hold = request.hold;
  options.seed = request.seed;
  options.ranges.payload = between("--payload", request.payload);
  options.ranges.friction = between("--friction", request.friction);
  options.ranges.inertia = between("--inertia", request.inertia);
  options.ranges.delay =
      request.delay.empty() ? control::Between{0.0, options.period} : between("--delay", request.delay);
  options.ranges.encoder = between("--encoder", request.encoder);
  std::size_t joints = 0;
  for (const describe::Joint& joint : model.joints) joints += joint.axes.size();
  // What no law can lead is refused before its path.
  const control::ArmController check(model, control);
  const control::JointPath path = path_of(request, model, joints);
  const control::TrialArm arm(model, path, options);
  const int threads = request.threads > 0
                          ? request.threads
                          : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  Progress progress;
  TrialReport report{model.name, request.law, poles_in_words(request), request.rate, path.duration(),
                     &arm,       {}};
  report.trials = control::run_trials(arm, request.trials, threads, [&](std::uint64_t done) {
    progress.show(static_cast<double>(done) / static_cast<double>(request.trials));
  });
  progress.clear();
  if (!request.out.empty()) write_file(request.out, as_csv(report));
  if (!request.plot.empty()) write_file(request.plot, as_picture(report));
  std::fputs((request.json ? as_json(report) : as_text(report)).c_str(), stdout);
}

void run(const Request& request) {
  const describe::Model model = request.model.load();
  std::vector<NamedFile> inputs = request.model.files(model);
  inputs.push_back({"--at", request.state});
  require_distinct_files(inputs, {{"--plot", request.plot}, {"--out", request.out}});
  const control::ArmControl control{*control::arm_law(request.law), poles_of(request), 1.0 / request.rate,
                                    true};
  if (request.trials > 0) {
    for (const char* option : {"--at", "--q", "--qd", "--qdd", "--time"})
      if (request.given(option))
        throw InputError(
            {}, fmt::format("{} says where the linear model is looked at, not where trials lead", option),
            "leave out --trials, or give the path by --point");
    try_out(request, model, control);
    return;
  }
  for (const char* option : {"--seed", "--threads", "--payload", "--friction", "--inertia", "--delay",
                             "--encoder", "--assume", "--hold", "--frame"})
    if (request.given(option))
      throw InputError({}, fmt::format("{} is of trials", option), "give --trials, such as --trials 200");
  analyse(request, model, control);
}

}  // namespace

void add_robust(CLI::App& program) {
  auto request = std::make_shared<Request>();
  CLI::App* verb = program.add_subcommand(
      "robust", "What errors of the model do to an arm's control: roots, limits of stability, random trials");
  request->verb = verb;
  request->model.add_to(*verb);
  verb->add_option("--law", request->law, "by which the motors follow")
      ->capture_default_str()
      ->check(CLI::IsMember({"pole-placement", "sampled-pole-placement", "computed-torque", "diagonal",
                             "gravity", "inverse-dynamics"}));
  verb->add_option("--poles", request->poles,
                   "RE,IM of the joints' errors [1/s], for all joints or a pair for each")
      ->capture_default_str();
  verb->add_option("--rate", request->rate, "of the sampled loop [Hz]")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  const char* at = "The point of a motion";
  verb->add_option("--at", request->state,
                   "state file (YAML) as for `eval`, with qdd; the model's initial state unless given")
      ->group(at);
  verb->add_option("--q", request->q, "coordinates instead: 0,-30 deg,0.5")->group(at);
  verb->add_option("--qd", request->qd, "rates [rad/s, m/s]")->group(at);
  verb->add_option("--qdd", request->qdd, "accelerations [rad/s^2, m/s^2]")->group(at);
  verb->add_option("--time", request->time, "of the path [s]")
      ->check(numbers(Range::not_negative()))
      ->group(at);
  const char* path = "The path (every joint through the middle of its range unless given)";
  verb->add_option("--point", request->points,
                   "coordinates that it leads through, twice or more: 0,-30 deg,0.5")
      ->type_name("Q1,Q2,...")
      ->allow_extra_args(false)
      ->group(path);
  verb->add_option("--times", request->times, "when it is there [s], the first 0")->group(path);
  verb->add_option("--rate-limit", request->rate_limits, "as fast as rates allow, of all joints or of each")
      ->group(path);
  verb->add_option("--acceleration-limit", request->acceleration_limits, "and accelerations")->group(path);
  verb->add_option("--duration", request->duration, "in all, where nothing else says when [s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()))
      ->group(path);
  verb->add_flag("--standard", request->standard,
                 "the standard move of six-joint arms [Clover1996, III Figure 7]")
      ->group(path);
  const char* trials = "Trials, LOW:HIGH drawn evenly";
  verb->add_option("--trials", request->trials, "how many loops along the path are simulated")
      ->check(whole_numbers(Range::between(1, 1e9)))
      ->group(trials);
  verb->add_option("--seed", request->seed, "the same seed gives the same trials")
      ->capture_default_str()
      ->check(whole_numbers(Range::not_negative()))
      ->group(trials);
  verb->add_option("--threads", request->threads,
                   "at the same time; as many as there are processors unless given")
      ->check(whole_numbers(Range::between(1, 4096)))
      ->group(trials);
  verb->add_option("--payload", request->payload, "at the tool [kg]")->capture_default_str()->group(trials);
  verb->add_option("--assume", request->assume, "payload that the law believes in [kg]")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()))
      ->group(trials);
  verb->add_option("--friction", request->friction, "of each joint, by the model's")
      ->capture_default_str()
      ->group(trials);
  verb->add_option("--inertia", request->inertia, "mass and moments of each body, by the model's")
      ->capture_default_str()
      ->group(trials);
  verb->add_option("--delay", request->delay, "from encoders to motors [s]; 0 to one period unless given")
      ->group(trials);
  verb->add_option("--encoder", request->encoder, "steps in a radian or metre; 0: none")
      ->capture_default_str()
      ->group(trials);
  verb->add_option("--frame", request->frame, "of the tool; the first marked `grasp`, otherwise the last")
      ->group(trials);
  verb->add_option("--hold", request->hold, "at the end of the path [s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()))
      ->group(trials);
  verb->add_option("--steps", request->steps, "of the arm in a period")
      ->capture_default_str()
      ->check(whole_numbers(Range::between(1, 1000)))
      ->group(trials);
  verb->add_option("--out", request->out, "root loci, or trials, as a table (CSV)");
  verb->add_option("--plot", request->plot, "root loci, or how errors are spread, as a picture (SVG)");
  verb->add_flag("--json", request->json, "print JSON");
  verb->footer(
      "For arms without constraints whose speeds are the joint rates. The law's model has alpha K, beta C, "
      "gamma M: see docs/control.md.");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
