#include "haptic.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/control/coupler_design.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "haptic_ticks.h"

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

/// A row's loop, with what it stands on.
struct CaseLoop final : OpenLoop {
  CaseLoop(const describe::Model& model, const Case& which, double rate)
      // Code for sets of contacts is made before: what is looked at is the loop.
      : mechanism(contact::open(model, {.step = 1.0 / rate,
                                        .rederive = contact::Rederivation::before,
                                        .budget = simulate::Budget::haptic()})),
        handle(device::open(which.device, device::following(device::strokes({0.02, 0.01, 0.0}, 0.7)),
                            {.rate = rate, .seed = 1})) {
    mechanism->set_state({0.0, mechanism->state().q, std::vector<double>(mechanism->nv(), 0.0), {}});
    const int port = which.port[0] == 0 ? 0 : mechanism->port(which.port);
    const device::Specification& s = handle->specification();
    std::array<double, 36> mobility{};
    mechanism->mobility(port, mobility);
    const double easiest = std::max({mobility[21], mobility[28], mobility[35], 1e-3});
    const control::CouplerGains gains = s.kind == device::Kind::impedance
                                            ? control::design(s, {0.1, 1.0 / easiest}, 0.3)
                                            : control::CouplerGains{};
    haptic = std::make_unique<display::HapticLoop>(*mechanism, *handle, port, gains, control::limits_for(s));
    if (which.controller == Case::Controller::penalties) haptic->use(control::FourChannelGains{});
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

TickFigures run(const Case& which, double rate, long ticks, int repetitions) {
  describe::Model model = describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + which.model + ".yaml");
  if (which.weightless) model.gravity = {0.0, 0.0, 0.0};
  constexpr int kMostRuns = 8;
  return measure_ticks([&] { return std::make_unique<CaseLoop>(model, which, rate); }, rate, ticks,
                       repetitions, kMostRuns);
}

}  // namespace

bool measure_haptic(bool quick, const std::string& only) {
  const long ticks = quick ? 20'000 : 2'500'000;  // of each of four rates: ten million of each mechanism
  const int repetitions = quick ? 3 : 2;
  fmt::print(
      "\nTicks of the haptic loop in simulated time, {} each: reading, controller, mechanism, limits, "
      "command; the simulated device itself and reading the clock ({:.0f} ns) not counted.\nOf each tick the "
      "least of {} runs or more with the same bits: what it takes, without what the machine adds; beside "
      "that all ticks of all runs. us\n",
      ticks, clock_cost(), repetitions);
  print_tick_head();
  bool found = false;
  for (const Case& which : kCases) {
    if (!only.empty() && only != which.model) continue;
    found = true;
    for (const double rate : {1e3, 4e3, 1e4, 2e4})
      print_ticks(which.model, which.what, rate, run(which, rate, ticks, repetitions));
  }
  return found;
}

}  // namespace tactus::bench
