#include "haptic.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/display/run_loop.h>

#include "haptic_ticks.h"

namespace tactus::bench {
namespace {

enum class Controller { coupler, penalties };

struct Case {
  const char* model;
  const char* device;
  const char* what;
  Controller controller = Controller::coupler;
  int every = 0;            // ticks from update to update of a local model; 0: none
  bool weightless = false;  // its weight is more than the device holds
  TickAim aim{};
};
// What a tick may take, of displays as [Faulring2006] and [Constantinescu2005] have them.
constexpr TickAim kAdmittance{.median = 1.0}, kLocal{.median = 2.0}, kFull{.median = 5.0, .worst = 50.0};
constexpr Case kCases[] = {
    {.model = "two_link_on_circle",
     .device = "simulated:admittance",
     .what = "S0: arm on a circle",
     .aim = kAdmittance},
    {.model = "rolling_disk",
     .device = "simulated:admittance",
     .what = "S0: disk that rolls",
     .aim = kAdmittance},
    {.model = "disk_on_sphere",
     .device = "simulated:admittance",
     .what = "S0: disk on a sphere",
     .aim = kAdmittance},
    {.model = "chain_in_enclosure",
     .device = "simulated:planar",
     .what = "S1: full model",
     .controller = Controller::penalties,
     .aim = kFull},
    {.model = "chain_in_enclosure_rigid",
     .device = "simulated:planar",
     .what = "S1: full, rigid walls",
     .controller = Controller::penalties,
     .aim = kFull},
    {.model = "chain_in_enclosure",
     .device = "simulated:planar",
     .what = "S1: local model",
     .controller = Controller::penalties,
     .every = 33,
     .aim = kLocal},
    {.model = "chain_in_enclosure_rigid", .device = "simulated:planar", .what = "rigid walls, coupler"},
    {.model = "shopping_cart", .device = "simulated:admittance", .what = "S2: admittance"},
    {.model = "shopping_cart", .device = "simulated:planar", .what = "S2: coupler"},
    {.model = "four_bar", .device = "simulated:planar", .what = "coupler"},
    {.model = "slider_crank", .device = "simulated:planar", .what = "coupler"},
    {.model = "puma560", .device = "simulated:spatial", .what = "coupler"},
    {.model = "stewart_platform",
     .device = "simulated:spatial",
     .what = "coupler, no weight",
     .weightless = true},
    {.model = "bricard", .device = "simulated:spatial", .what = "coupler"},
};
constexpr double kRates[] = {1e3, 4e3, 1e4, 2e4};  // [Hz]

/// A row's loop, with what it stands on.
struct CaseLoop final : OpenLoop {
  /// `late` [s]: how late a tick may be; 0: as usual.
  CaseLoop(const describe::Model& model, const Case& which, double rate, double late = 0.0)
      // Code for sets of contacts is made before: what is looked at is the loop.
      : mechanism(contact::open(model, {.step = 1.0 / rate,
                                        .rederive = contact::Rederivation::before,
                                        .budget = simulate::Budget::haptic()})),
        handle(device::open(which.device, device::following(device::strokes({0.02, 0.01, 0.0}, 0.7)),
                            {.rate = rate, .seed = 1})) {
    mechanism->set_state({0.0, mechanism->state().q, std::vector<double>(mechanism->nv(), 0.0), {}});
    constexpr int port = 0;
    const device::Specification& s = handle->specification();
    std::array<double, 36> mobility{};
    mechanism->mobility(port, mobility);
    const double easiest = std::max({mobility[21], mobility[28], mobility[35], 1e-3});
    const control::CouplerGains gains = s.kind == device::Kind::impedance
                                            ? control::design(s, {0.1, 1.0 / easiest}, 0.3)
                                            : control::CouplerGains{};
    control::SafetyLimits limits = control::limits_for(s);
    if (late > 0.0) limits.late = late;
    haptic = std::make_unique<display::HapticLoop>(*mechanism, *handle, port, gains, limits);
    if (which.controller == Controller::penalties) haptic->use(control::FourChannelGains{});
    if (which.every > 0)
      haptic->use(display::TwoRateOptions{.every = which.every, .delay = 0, .thread = false});
  }
  display::HapticLoop& loop() override { return *haptic; }
  device::Device& device() override { return *handle; }
  const simulate::Mechanism& moved() const override { return *mechanism; }

  std::unique_ptr<simulate::Mechanism> mechanism;
  std::unique_ptr<device::Device> handle;
  std::unique_ptr<display::HapticLoop> haptic;
};

describe::Model model_of(const Case& which) {
  describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + which.model + ".yaml");
  if (which.weightless) model.gravity = {0.0, 0.0, 0.0};
  return model;
}

TickFigures run(const Case& which, double rate, long ticks, int repetitions) {
  constexpr int kMostRuns = 8;
  return measure_ticks(
      [&, model = model_of(which)] { return std::make_unique<CaseLoop>(model, which, rate); }, rate, ticks,
      repetitions, kMostRuns);
}

}  // namespace

Outcome measure_haptic(bool quick, const std::string& only) {
  const long ticks = quick ? 20'000 : 2'500'000;  // of each of four rates: ten million of each mechanism
  const int repetitions = quick ? 3 : 2;
  fmt::print(
      "\nTicks of the haptic loop in simulated time, {} each: reading, controller, mechanism, limits, "
      "command; the simulated device itself and reading the clock ({:.0f} ns) not counted.\nOf each tick the "
      "least of {} runs or more with the same bits: what it takes, without what the machine adds; beside "
      "that all ticks of all runs. us\n",
      ticks, clock_cost(), repetitions);
  print_tick_head();
  Outcome outcome;
  for (const Case& which : kCases) {
    if (!only.empty() && only != which.model) continue;
    outcome.found = true;
    for (const double rate : kRates)
      outcome.add(
          print_ticks(which.model, which.what, rate, run(which, rate, ticks, repetitions), which.aim));
  }
  outcome.print();
  return outcome;
}

Outcome measure_haptic_by_the_clock(double seconds, const std::string& only) {
  fmt::print(
      "\nThe haptic loop in real time, {:g} s of each rate: how late the thread woke, how late ticks began, "
      "how "
      "long they took (us), with periods that were missed. A machine that others share adds to all of it.\n",
      seconds);
  fmt::print("{:<26} {:<22} {:>6} {:>9} {:>7} {:>25} {:>25} {:>25}\n", "mechanism", "", "Hz", "ticks",
             "missed", "woken late p50 99.9 max", "begun late p50 99.9 max", "a tick p50 99.9 max");
  const auto told = [](const display::Histogram& h) {
    const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
    return fmt::format("{:>8.2f} {:>7.1f} {:>8.0f}", us(h.percentile(0.5)), us(h.percentile(0.999)),
                       us(h.largest()));
  };
  Outcome outcome;
  bool first = true;
  for (const Case& which : kCases) {
    if (!only.empty() && only != which.model) continue;
    outcome.found = true;
    const describe::Model model = model_of(which);
    for (const double rate : kRates) {
      CaseLoop open(model, which, rate, seconds);  // what is late is counted here, and ends nothing
      if (!open.haptic->enable()) throw std::runtime_error("the device could not be enabled");
      const display::RunReport report =
          display::run_loop(*open.haptic, {.duration = seconds, .realtime = true, .watchdog = 0.0});
      const control::Fault fault = open.haptic->safety().fault;
      fmt::print("{:<26} {:<22} {:>6.0f} {:>9} {:>7} {:>25} {:>25} {:>25}{}\n", which.model, which.what, rate,
                 report.ticks, report.missed, told(report.woken), told(report.wake), told(report.compute),
                 fault == control::Fault::none ? "" : fmt::format("  stopped: {}", name_of(fault)));
      std::fflush(stdout);
      if (first)
        for (const std::string& note : report.notes) fmt::print("  {}\n", note);
      first = false;
      if (fault != control::Fault::none) outcome.add(Verdict::missed);
    }
  }
  return outcome;
}

}  // namespace tactus::bench
