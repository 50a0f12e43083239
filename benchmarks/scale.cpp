#include "scale.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/derive/equations.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/files/recording.h>
#include "support/tree_model.h"

namespace tactus::bench {

namespace {

/// What is measured of one size, in the order in which it comes.
enum Measure { kRead, kDerive, kCompile, kCall, kReady, kStep, kRow, kMeasures };
constexpr std::array<const char*, kMeasures> kNames{"read",  "derive", "compile", "call",
                                                    "ready", "step",   "row"};
/// The exponents that are aimed at; 0: none.
constexpr std::array<double, kMeasures> kAims{1.3, 1.3, 1.3, 1.2, 1.3, 1.2, 1.2};
/// [s] Calls, steps and rows are repeated in rounds that take so long, and so long in all: the fastest round counts, in which nothing else ran.
constexpr double kRound = 5e-4, kRounds = 0.06;
/// [s] What is done once is repeated for so long in all.
constexpr double kOnce = 5e-3;
/// All sizes are measured so many times, one after the other, and the least of each figure counts: a machine that is slow for some seconds slows down
/// one size of one pass, and not the same figure of all.
constexpr int kPasses = 5;
/// [s] The fastest motion of a hanging chain of n rods, by which their angles alternate, has about 10 n rad/s, and Runge-Kutta's steps are stable up
/// to 2.8 of its radians: of 10,000 links by up to 28 us.
constexpr double kStepLength = 1e-5;

using Seconds = std::array<double, kMeasures>;

struct Family {
  const char* name;
  const char* what;
  std::vector<int> sizes;
  std::function<describe::Model(int)> model;
};

std::string chain_text(int links, bool spatial) {
  // The joints' angles and rates are no special ones; links hang from each other.
  return fmt::format(
      "name: chain\nparameters: {{L: 1/{0}, m: 1/{0}}}\nbodies:\n"
      "  link_1: &rod\n    mass: m\n    com: [L/2, 0, 0]\n    inertia: [m*L^2/50, m*L^2/12, m*L^2/12]\n"
      "joints:\n  q1: {{type: revolute, parent: world, child: link_1, axis: y}}\ninitial: {{q: {{q1: 1}}, u: "
      "{{q1: 0.1}}}}\n"
      "repeat:\n  count: {1}\n  from: 2\n  bodies:\n    link_{{i}}: *rod\n  joints:\n    q{{i}}: {{type: "
      "revolute, "
      "parent: \"link_{{i-1}}\", child: \"link_{{i}}\", axis: y, placement: {{xyz: [L, 0, 0]{2}}}}}\n",
      links, links - 1, spatial ? ", rpy: [90 deg, 0, 0]" : "");
}

std::string free_text(int count) {
  return fmt::format(
      "name: free\nrepeat:\n  count: {}\n  bodies: {{'b{{i}}': {{mass: 1, com: [0.1, 0.02, 0.03], inertia: "
      "[1, "
      "2, 2.5]}}}}\n  joints: {{'j{{i}}': {{type: free, parent: world, child: 'b{{i}}'}}}}\n",
      count);
}

std::vector<Family> families() {
  const std::vector<int> to_1000{10, 30, 100, 300, 1000}, to_10000{10, 30, 100, 300, 1000, 3000, 10000};
  return {
      {"chain", "links in a plane", to_10000,
       [](int n) { return describe::load_text(chain_text(n, false), "chain"); }},
      {"spatial", "links, each hinge turned by 90 degrees", to_1000,
       [](int n) { return describe::load_text(chain_text(n, true), "chain"); }},
      {"ladder", "closed loops", to_1000,
       [](int n) {
         return describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/four_bar_ladder.yaml",
                               {{"N", std::to_string(n)}});
       }},
      {"tree", "bodies on a free base, by spherical joints", to_1000,
       [](int n) { return describe::load_text(support::tree_text(n), "tree"); }},
      {"free", "bodies that fly", to_1000, [](int n) { return describe::load_text(free_text(n), "free"); }},
  };
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_of(const std::function<void()>& once) {
  const double start = processor_seconds();
  once();
  return processor_seconds() - start;
}

/// Of one call; so many are made that they take `least` together: the clock of processor time may tick in milliseconds.
double mean_seconds(const std::function<void()>& once, double least) {
  for (int calls = 1;; calls *= 4) {
    const double taken = seconds_of([&] {
      for (int i = 0; i < calls; ++i) once();
    });
    if (taken >= least) return taken / calls;
  }
}

double repeated_seconds(const std::function<void()>& once) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_of_calls = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) once();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  once();
  int calls = 1;
  double taken = seconds_of_calls(calls);
  for (; taken < kRound; taken = seconds_of_calls(calls)) calls *= 2;
  double best = taken;
  for (double all = taken; all < kRounds; all += taken) {
    taken = seconds_of_calls(calls);
    best = std::min(best, taken);
  }
  return best / calls;
}

/// Says each time as soon as it is known.
void measure_size(const Family& family, int size, const std::function<void(Measure, double)>& say) {
  std::optional<describe::Model> model;
  say(kRead, mean_seconds([&] { model.emplace(family.model(size)); }, kOnce));
  {
    std::optional<algebra::Function> function;
    say(kDerive, mean_seconds(
                     [&] {
                       const derive::Equations equations(*model);
                       function.emplace(model->constraints.empty() ? equations.forward_dynamics()
                                                                   : equations.constrained_dynamics());
                     },
                     kOnce));
    std::optional<generate::Kernel> kernel;
    say(kCompile, mean_seconds([&] { kernel.emplace(generate::compile(*function)); }, kOnce));
    std::vector<double> in(kernel->input_size()), out(kernel->output_size()), work(kernel->work_size());
    std::copy(model->initial_q.begin(), model->initial_q.end(), in.begin() + 1);
    std::copy(model->initial_u.begin(), model->initial_u.end(),
              in.begin() + 1 + static_cast<std::ptrdiff_t>(model->initial_q.size()));
    say(kCall, repeated_seconds([&] { (*kernel)(in.data(), out.data(), work.data()); }));
  }
  std::unique_ptr<simulate::Mechanism> mechanism;
  say(kReady, mean_seconds([&] { mechanism = contact::open(*model, {.step = kStepLength}); }, kOnce));
  const simulate::State start = mechanism->state();
  say(kStep, repeated_seconds([&] {
        if (mechanism->state().t > 0.1) mechanism->set_state(start);  // far from what is singular
        const simulate::Status status = mechanism->step().status;
        if (!status.ok()) throw InputError({}, "a step failed: " + mechanism->explain(status));
      }));
  simulate::Recorder recorder(*mechanism, {});
  std::vector<double> row;
  say(kRow, repeated_seconds([&] { recorder.record(row); }));
}

struct Outcome {
  Seconds seconds{};
  int known = 0;  // of the measures: the others were not reached
  double megabytes = 0.0;
  bool ended = false;
};

/// In a process of its own: its memory is its own, and it can be given up.
Outcome measure_apart(const Family& family, int size, double time_limit) {
  int ends[2];
  if (::pipe(ends) != 0) return {};
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const auto whole = static_cast<rlim_t>(time_limit);
    const rlimit limit{whole, whole};
    ::setrlimit(RLIMIT_CPU, &limit);
    int failed = 0;
    try {
      measure_size(family, size, [&](Measure, double seconds) {
        if (::write(ends[1], &seconds, sizeof seconds) != sizeof seconds) ::_exit(1);
      });
    } catch (const InputError& error) {
      fmt::print(stderr, "{} of {}: {}\n", family.name, size, error.what());
      failed = 1;
    }
    std::fflush(nullptr);
    ::_exit(failed);
  }
  ::close(ends[1]);
  Outcome outcome;
  double seconds = 0.0;
  while (outcome.known < kMeasures && ::read(ends[0], &seconds, sizeof seconds) == sizeof seconds)
    outcome.seconds[static_cast<std::size_t>(outcome.known++)] = seconds;
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  if (child > 0 && ::wait4(child, &status, 0, &usage) == child) {
    outcome.megabytes = static_cast<double>(usage.ru_maxrss) / 1024.0;
    outcome.ended = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return outcome;
}

/// Of each figure, where both know it.
Outcome least_of(const Outcome& a, const Outcome& b) {
  if (a.known == 0) return b;
  Outcome least = a.known >= b.known ? a : b;
  for (std::size_t i = 0; i < static_cast<std::size_t>(std::min(a.known, b.known)); ++i)
    least.seconds[i] = std::min(a.seconds[i], b.seconds[i]);
  least.megabytes = std::min(a.megabytes, b.megabytes);
  least.ended = a.ended && b.ended;
  return least;
}

std::string time_text(double seconds) {
  if (seconds >= 1.0) return fmt::format("{:.2f} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} us", 1e6 * seconds);
}

/// The slope of log(time) over log(size), by least squares.
double exponent_of(const std::vector<std::pair<double, double>>& points) {
  double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
  const auto n = static_cast<double>(points.size());
  for (const auto& [size, time] : points) {
    const double lx = std::log(size), ly = std::log(time);
    x += lx;
    y += ly;
    xx += lx * lx;
    xy += lx * ly;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

constexpr std::size_t kFitted = 3;  // the largest sizes: a range of ten

void measure_family(const Family& family, const ScaleOptions& options) {
  fmt::print("\n{}: {}\n{:>8}", family.name, family.what, "");
  for (const char* name : kNames) fmt::print(" {:>9}", name);
  fmt::print(" {:>8} {:>9}\n", "MB", "step/4call");
  std::vector<std::pair<int, Outcome>> outcomes;
  for (const int size : family.sizes)
    if (!options.quick || size <= 100) outcomes.emplace_back(size, Outcome{});
  for (int pass = 0; pass < kPasses; ++pass)
    for (auto& [size, outcome] : outcomes) {
      if (pass > 0 && !outcome.ended) continue;  // given up
      outcome = least_of(outcome, measure_apart(family, size, options.time_limit));
    }
  for (const auto& [size, outcome] : outcomes) {
    fmt::print("{:>8}", size);
    for (int i = 0; i < kMeasures; ++i)
      fmt::print(" {:>9}", i < outcome.known ? time_text(outcome.seconds[static_cast<std::size_t>(i)]) : "-");
    fmt::print(" {:>8.0f}", outcome.megabytes);
    if (outcome.known > kStep)
      fmt::print(" {:>9.2f}", outcome.seconds[kStep] / (4.0 * outcome.seconds[kCall]));
    fmt::print("\n");
    if (!outcome.ended && outcome.known < kMeasures && outcome.known > 0)
      fmt::print("{:>8} not reached within {:.0f} s of processor time: {}\n", "", options.time_limit,
                 kNames[static_cast<std::size_t>(outcome.known)]);
    std::fflush(stdout);
  }
  fmt::print("{:>8}", "exponent");
  std::string missed;
  for (std::size_t i = 0; i <= kMeasures; ++i) {  // the last one is memory
    std::vector<std::pair<double, double>> points;
    for (const auto& [size, outcome] : outcomes)
      if (i < kMeasures ? static_cast<int>(i) < outcome.known : outcome.ended)
        points.emplace_back(size, i < kMeasures ? outcome.seconds[i] : outcome.megabytes);
    if (points.size() > kFitted) points.erase(points.begin(), points.end() - kFitted);
    if (points.size() < 2) {
      fmt::print(" {:>9}", "-");
      continue;
    }
    const double exponent = exponent_of(points);
    fmt::print(" {:>{}.2f}", exponent, i < kMeasures ? 9 : 8);
    if (i < kMeasures && exponent > kAims[i])
      missed += fmt::format(" {} ({:.2f} for {:.1f})", kNames[i], exponent, kAims[i]);
  }
  fmt::print("\n{:>8} {}\n", "aims", missed.empty() ? "met where measured" : "missed by" + missed);
}

}  // namespace

bool measure_scale(const ScaleOptions& options) {
  bool any = false;
  fmt::print(
      "Processor time; of calls, steps and rows the time of the fastest round. read: from the text to the "
      "model; derive, compile, call: forward dynamics (with "
      "constraints: constrained); ready: from the "
      "model to a motion that can begin; step: Runge-Kutta, 0.01 ms; row: recorded, with everything.\n"
      "The least of {} passes over all sizes. Exponents of the {} largest sizes, by least squares of the "
      "logarithms.\n",
      kPasses, kFitted);
  for (const Family& family : families()) {
    if (!options.only.empty() && options.only != family.name) continue;
    any = true;
    measure_family(family, options);
  }
  return any;
}

}  // namespace tactus::bench
