#include "convergence.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include <studies/models.h>
#include <tactus/contact/open.h>
#include "pendulum.h"

namespace tactus::studies::ladder {

namespace {

constexpr double kSample = 0.1;                   // [s] between comparisons
constexpr double kGravity = 9.81, kLength = 1.0;  // of the model
constexpr double kFirstCrossings = 1.5;           // [s] the rods are level at some 0.7 and 1.2 s
constexpr double kStepOfCosts = 1e-3;             // [s]
constexpr int kFewestMotions = 5;                 // to find the least time of each step
constexpr double kTimeForMotions = 1.0;           // [s] as many as this allows, where a busy machine disturbs

double processor_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::unique_ptr<simulate::Mechanism> open(const study::Context& context, int loops, const Setting& setting) {
  contact::OpenOptions options;
  options.integrator = setting.integrator;
  options.constraints.formulation = setting.formulation;
  if (simulate::is_adaptive(setting.integrator)) {
    options.step = kSample;
    options.tolerances = {setting.fineness, setting.fineness};
  } else {
    options.step = setting.fineness;
  }
  return contact::open(load(context, "four_bar_ladder", {{"N", loops}}), options);
}

/// The angles at the samples, one after the other; shorter where the motion stops.
std::vector<double> sampled(simulate::Mechanism& ladder, const simulate::State& start, double duration) {
  std::vector<double> angles;
  ladder.set_state(start);
  const long each = std::lround(kSample / ladder.step_length());
  const long steps = std::lround(duration / ladder.step_length());
  for (long k = 1; k <= steps; ++k) {
    if (!ladder.step().ok()) return angles;
    if (k % each == 0) angles.insert(angles.end(), ladder.state().q.begin(), ladder.state().q.end());
  }
  return angles;
}

double largest_difference(double so_far, double a, double b) {
  const double difference = std::abs(a - b);
  return difference <= so_far ? so_far : difference;  // keeps a NaN
}

}  // namespace

Cell converge(const study::Context& context, int loops, const Setting& setting, double duration,
              bool with_spread) {
  const std::unique_ptr<simulate::Mechanism> ladder = open(context, loops, setting);
  const simulate::State start = ladder->state();
  const std::size_t n = ladder->nq();
  const auto samples = static_cast<std::size_t>(std::lround(duration / kSample));
  Cell cell;
  const double begin = processor_time();
  const std::vector<double> angles = sampled(*ladder, start, duration);
  cell.seconds = processor_time() - begin;
  cell.finished = angles.size() == samples * n;
  const Pendulum pendulum(loops, start.u[0], kGravity, kLength);
  for (std::size_t s = 0; s * n < angles.size(); ++s) {
    const double theta = pendulum.angle(static_cast<double>(s + 1) * kSample);
    for (std::size_t i = 0; i < n; ++i) {
      const bool coupler = ladder->coordinate_names()[i].rfind("phi", 0) == 0;
      cell.error = largest_difference(cell.error, angles[s * n + i], coupler ? -theta : theta);
    }
  }
  if (!cell.finished || !with_spread) return cell;
  for (const double towards : {2.0, 0.5}) {
    simulate::State beside = start;
    for (double& q : beside.q) q = std::nextafter(q, towards * q);
    for (double& u : beside.u) u = std::nextafter(u, towards * u);
    const std::vector<double> others = sampled(*ladder, beside, duration);
    for (std::size_t k = 0; k < others.size(); ++k)
      cell.spread = largest_difference(cell.spread, angles[k], others[k]);
  }
  return cell;
}

double dearest_step(const study::Context& context, int loops, const Setting& setting) {
  Setting with_step = setting;
  with_step.fineness = kStepOfCosts;
  const std::unique_ptr<simulate::Mechanism> ladder = open(context, loops, with_step);
  const simulate::State start = ladder->state();
  const auto steps = static_cast<std::size_t>(std::lround(kFirstCrossings / kStepOfCosts));
  std::vector<double> costs(steps, HUGE_VAL);
  const double all = processor_time();
  for (int motion = 0; motion < kFewestMotions || processor_time() - all < kTimeForMotions; ++motion) {
    ladder->set_state(start);
    for (double& cost : costs) {
      const double begin = processor_time();
      if (!ladder->step().ok()) return std::nan("");
      cost = std::min(cost, processor_time() - begin);
    }
  }
  const double dearest = *std::max_element(costs.begin(), costs.end());
  const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(steps / 2);
  std::nth_element(costs.begin(), middle, costs.end());
  return dearest / *middle;
}

}  // namespace tactus::studies::ladder
