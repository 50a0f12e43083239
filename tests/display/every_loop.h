// Every simulated device with every controller that goes with it: what the laws of faults are held to.
#pragma once

#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"

namespace tactus::display {

enum class Control {
  coupler,
  impedance,
  penalties,
  two_rates,
  guarded,
  prescribed,
  proxy,
  local_penalties,
  guarded_penalties,
  guarded_two_rates,
  guarded_prescribed,
  guarded_proxy,
  damped_inside,  // --internal-damping
  passive,        // integrator: passive
  fixture,        // a tool beyond the force sensor
  kept_inertia,
};
constexpr const char* kControlNames[] = {"coupler",
                                         "impedance",
                                         "penalties",
                                         "two_rates",
                                         "guarded",
                                         "prescribed",
                                         "proxy",
                                         "local_penalties",
                                         "guarded_penalties",
                                         "guarded_two_rates",
                                         "guarded_prescribed",
                                         "guarded_proxy",
                                         "damped_inside",
                                         "passive",
                                         "fixture",
                                         "kept_inertia"};
constexpr std::size_t kControls = std::size(kControlNames);

/// A tool that hangs beyond the sensor.
inline const device::Fixture kTool{.mass = 0.3, .centre = {0, 0, 0.05}, .inertia = {1e-4, 1e-4, 1e-4}};

constexpr double kRamp = 0.01;  // [s] ten ticks

class EveryLoop : public ::testing::TestWithParam<std::tuple<std::string, Control>> {
 protected:
  std::string name_ = std::get<0>(GetParam());
  Control control_ = std::get<1>(GetParam());
  /// A wheel only turns: so does what it holds, and the hand.
  bool turns_ = (device::open(name_, device::none())->specification().actuated & device::kTranslation) == 0;
  double step_ = 1.0 / device::open(name_, device::none())->specification().rate;
  std::unique_ptr<simulate::Mechanism> mechanism_ = held(turns_);

  /// What the device holds.
  std::unique_ptr<simulate::Mechanism> held(bool turns) const {
    if (control_ == Control::damped_inside) return with_inner_load(step_, turns);
    const simulate::Integrator integrator =
        control_ == Control::passive ? simulate::Integrator::passive : simulate::Integrator::rk4;
    return turns ? disk_on_spring(step_, integrator) : mass_on_spring(step_, integrator);
  }
  /// At rest, that far along its first coordinate.
  simulate::State at(double q) const {
    simulate::State state{.t = 0.0,
                          .q = std::vector<double>(mechanism_->nq()),
                          .u = std::vector<double>(mechanism_->nv()),
                          .momentum = {}};
    state.q[0] = q;
    return state;
  }
  std::unique_ptr<Faulty> faulty(Injected what, std::uint64_t at) const {
    const device::Path path = device::strokes({0.05, 0, 0}, 0.2);
    device::HandPointer hand = turns_ ? device::following([path](double t) {
      return device::Intention{{}, {0, 0, 10.0 * path(t).p.x}};
    })
                                      : device::following(path);
    device::DeviceOptions options;
    if (control_ == Control::fixture) options.fixture = kTool;
    return std::make_unique<Faulty>(device::open(name_, std::move(hand), options), what, at);
  }
  double angle_ = 0.0;  // [rad] of the workspace
  std::optional<control::CouplerGains> designed_;
  /// From the start, with the mechanism where it began.
  std::unique_ptr<HapticLoop> loop(device::Device& device) {
    mechanism_->set_state(at(0.0));
    const device::Specification& s = device.specification();
    control::CouplerGains gains;
    if (s.kind == device::Kind::impedance) {
      // For all loops of the test: it takes longer than a run.
      if (!designed_) designed_ = control::design(s, {turns_ ? kDisk : 1e12, kMass});
      gains = *designed_;
    }
    const std::size_t still = turns_ ? 1 : 0;  // the block does not turn, and the disk does nothing else
    gains.stiffness[still] = gains.damping[still] = 0.0;
    control::SafetyLimits limits = control::limits_for(s);
    limits.ramp = kRamp;
    limits.workspace_angle = angle_;
    auto made = std::make_unique<HapticLoop>(*mechanism_, device, mechanism_->port(turns_ ? "disk" : "block"),
                                             gains, limits);
    if (is_four()) {
      control::FourChannelGains four;
      four.penalties = control_ != Control::impedance;
      made->use(four);
    }
    if (has_two_rates()) made->use(TwoRateOptions{.every = 7, .delay = 3});
    // The block outweighs the handle: a slow pole keeps what comes back a tick late below it.
    if (is_prescribed())
      made->use(control::PrescribedGains{
          .axes = static_cast<std::uint8_t>(turns_ ? 1 << 2 : 1 << 3), .drift_rate = 5.0, .bandwidth = 10.0});
    if (is_proxy()) made->use(control::ProxyGains{.stiffness = gains.stiffness[1]});
    if (control_ == Control::damped_inside) made->damp_inside(0.5);
    if (control_ == Control::fixture) made->compensate(kTool);
    // More than block and disk have.
    if (control_ == Control::kept_inertia) made->keep_inertia({1.5 * kDisk, 1.5 * kMass});
    made->guard_passivity(is_guarded());
    if (control_ == Control::guarded) made->follow_port();
    EXPECT_TRUE(made->enable());
    return made;
  }
  bool is_four() const {
    return control_ == Control::impedance || control_ == Control::penalties ||
           control_ == Control::local_penalties || control_ == Control::guarded_penalties;
  }
  bool has_two_rates() const {
    return control_ == Control::two_rates || control_ == Control::local_penalties ||
           control_ == Control::guarded_two_rates;
  }
  bool is_prescribed() const {
    return control_ == Control::prescribed || control_ == Control::guarded_prescribed;
  }
  bool is_proxy() const { return control_ == Control::proxy || control_ == Control::guarded_proxy; }
  bool is_guarded() const {
    return control_ == Control::guarded || control_ == Control::guarded_penalties ||
           control_ == Control::guarded_two_rates || control_ == Control::guarded_prescribed ||
           control_ == Control::guarded_proxy;
  }
};

/// Whether a device of that kind has this controller.
inline bool goes_with(Control control, const device::Specification& s) {
  switch (control) {
    case Control::coupler:
    case Control::two_rates:
    case Control::guarded:
    case Control::guarded_two_rates:
    case Control::damped_inside:
    case Control::passive:
      return true;
    case Control::fixture:  // the simulated device that it hangs on
      return s.name == "simulated:admittance";
    case Control::kept_inertia:
      return s.kind == device::Kind::admittance;
    case Control::proxy:
    case Control::guarded_proxy:  // a wheel pushes no point
      return s.kind == device::Kind::impedance && (s.actuated & device::kTranslation) != 0;
    default:
      return s.kind == device::Kind::impedance;
  }
}

inline std::vector<std::tuple<std::string, Control>> every_loop() {
  std::vector<std::tuple<std::string, Control>> every;
  for (const device::Specification& s : device::devices())
    for (std::size_t i = 0; i < kControls; ++i)
      if (const auto control = static_cast<Control>(i); goes_with(control, s))
        every.emplace_back(s.name, control);
  return every;
}

constexpr auto kLoopName = [](const auto& info) {
  std::string name =
      std::get<0>(info.param) + "_" + kControlNames[static_cast<std::size_t>(std::get<1>(info.param))];
  for (char& c : name)
    if (c == ':' || c == '-') c = '_';
  return name;
};

}  // namespace tactus::display
