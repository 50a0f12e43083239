#include "haptic.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/histogram.h>
#include <tactus/display/loop.h>

#include "support/allocations.h"
#include "support/locks.h"

namespace tactus::bench {
namespace {

struct Case {
  const char* model;
  const char* port;    // "": the first
  const char* device;  // impedance or admittance
  enum class Controller { coupler, penalties } controller = Controller::coupler;
  int every = 0;  // ticks from update to update of a local model; 0: none
  const char* what;
  bool weightless = false;  // its weight is more than the device holds
};
constexpr Case kCases[] = {
    {"shopping_cart", "", "simulated:admittance", Case::Controller::coupler, 0, "S0: admittance"},
    {"two_link_on_circle", "", "simulated:admittance", Case::Controller::coupler, 0, "S0: admittance"},
    {"shopping_cart", "", "simulated:planar", Case::Controller::coupler, 0, "coupler"},
    {"four_bar", "", "simulated:planar", Case::Controller::coupler, 0, "coupler"},
    {"slider_crank", "", "simulated:planar", Case::Controller::coupler, 0, "coupler"},
    {"puma560", "", "simulated:spatial", Case::Controller::coupler, 0, "coupler"},
    {"stewart_platform", "", "simulated:spatial", Case::Controller::coupler, 0, "coupler, no weight", true},
    {"bricard", "", "simulated:spatial", Case::Controller::coupler, 0, "coupler"},
    {"chain_in_enclosure", "", "simulated:planar", Case::Controller::penalties, 0, "S1: full model"},
    {"chain_in_enclosure", "", "simulated:planar", Case::Controller::penalties, 33, "S1: local model"},
    {"chain_in_enclosure_rigid", "", "simulated:planar", Case::Controller::coupler, 0, "S1: rigid, coupler"},
};

double now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

struct Figures {
  display::Histogram all;    // every tick of every run
  display::Histogram least;  // of each tick its least time in all runs
  long allocations = 0, locks = 0, done = 0;
  int runs = 0;
  std::string fault;
};

/// The same run several times over: it has the same bits each time, so that the least time of a tick is what it takes, and the
/// rest is the machine's. Among millions of ticks some are late in two runs by chance: they are made again for as long as the worst of them becomes shorter.
Figures run(const Case& which, double rate, long ticks, int repetitions) {
  constexpr int kMostRuns = 8;
  constexpr float kShorter = 0.9f;  // of what it was
  Figures figures;
  std::vector<float> least(static_cast<std::size_t>(ticks), 1e30f);
  describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + which.model + ".yaml");
  if (which.weightless) model.gravity = {0.0, 0.0, 0.0};
  float worst = 1e30f;
  for (bool shorter = true; figures.runs < kMostRuns && (figures.runs < repetitions || shorter);
       ++figures.runs) {
    // Code for sets of contacts is made before: what is looked at is the loop.
    const auto mechanism = contact::open(model, {.step = 1.0 / rate,
                                                 .rederive = contact::Rederivation::before,
                                                 .budget = simulate::Budget::haptic()});
    mechanism->set_state({0.0, mechanism->state().q, std::vector<double>(mechanism->nv(), 0.0), {}});
    const int port = which.port[0] == 0 ? 0 : mechanism->port(which.port);
    const auto hand = [] { return device::following(device::strokes({0.02, 0.01, 0.0}, 0.7)); };
    const auto device = device::open(which.device, hand(), {.rate = rate, .seed = 1});
    std::array<double, 36> mobility{};
    mechanism->mobility(port, mobility);
    const double easiest = std::max({mobility[21], mobility[28], mobility[35], 1e-3});
    const control::CouplerGains gains =
        device->specification().kind == device::Kind::impedance
            ? control::design(device->specification(), {0.1, 1.0 / easiest}, 0.3)
            : control::CouplerGains{};
    display::HapticLoop loop(*mechanism, *device, port, gains, control::limits_for(device->specification()));
    if (which.controller == Case::Controller::penalties) loop.use(control::FourChannelGains{});
    if (which.every > 0) loop.use(display::TwoRateOptions{.every = which.every, .delay = 0, .thread = false});
    if (!loop.enable()) throw std::runtime_error("the device could not be enabled");
    long k = 0;
    for (; k < ticks && device->wait(); ++k) {
      const long before = test::allocation_count(), locked = test::lock_count_of_this_thread();
      const double start = now();
      const bool well = loop.tick(1.0 / rate);
      const double took = now() - start;
      figures.allocations += test::allocation_count() - before;
      figures.locks += test::lock_count_of_this_thread() - locked;
      figures.all.add(static_cast<std::int64_t>(took));
      float& best = least[static_cast<std::size_t>(k)];
      best = std::min(best, static_cast<float>(took));
      if (!well) break;
    }
    figures.done = k;
    const float now_worst = *std::max_element(least.begin(), least.begin() + std::max(k, 1L));
    shorter = now_worst < kShorter * worst;
    worst = now_worst;
    if (loop.safety().fault != control::Fault::none)
      figures.fault = std::string(name_of(loop.safety().fault));
  }
  for (long k = 0; k < figures.done; ++k)
    figures.least.add(static_cast<std::int64_t>(least[static_cast<std::size_t>(k)]));
  return figures;
}

}  // namespace

bool measure_haptic(bool quick, const std::string& only) {
  const long ticks = quick ? 20'000 : 2'500'000;  // of each of four rates: ten million of each mechanism
  const int repetitions = quick ? 3 : 2;
  fmt::print(
      "\nTicks of the haptic loop in simulated time, {} each: reading, controller, mechanism, limits, "
      "command; the "
      "simulated device itself not counted.\nOf each tick the least of {} runs or more with the same bits: "
      "what it "
      "takes, "
      "without what the machine adds; beside that all ticks of all runs. us\n"
      "{:<26} {:<22} {:>6} {:>8} {:>9} {:>9} {:>5} {:>9} {:>9} {:>9} {:>12} {:>6}\n",
      ticks, repetitions, "mechanism", "", "Hz", "p50", "p99.9", "worst", "runs", "all p50", "p99.9", "max",
      "allocations", "locks");
  bool found = false;
  for (const Case& which : kCases) {
    if (!only.empty() && only != which.model) continue;
    found = true;
    for (const double rate : {1e3, 4e3, 1e4, 2e4}) {
      const Figures f = run(which, rate, ticks, repetitions);
      const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
      fmt::print(
          "{:<26} {:<22} {:>6.0f} {:>8.2f} {:>9.2f} {:>9.1f} {:>5} {:>9.2f} {:>9.2f} {:>9.1f} {:>12} "
          "{:>6}{}\n",
          which.model, which.what, rate, us(f.least.percentile(0.5)), us(f.least.percentile(0.999)),
          us(f.least.largest()), f.runs, us(f.all.percentile(0.5)), us(f.all.percentile(0.999)),
          us(f.all.largest()), f.allocations, f.locks,
          f.fault.empty() ? "" : fmt::format("  stopped at tick {}: {}", f.done, f.fault));
      std::fflush(stdout);  // a run takes minutes
    }
  }
  return found;
}

}  // namespace tactus::bench
