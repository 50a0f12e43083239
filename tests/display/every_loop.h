// Every simulated device with every controller that goes with it: what the laws of faults are held to.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <tactus/control/coupler_design.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>

#include "display/faulty.h"
#include "display/mass_on_spring.h"

namespace tactus::display {

enum class Control { coupler, impedance, penalties, two_rates, guarded, prescribed, proxy, local_penalties };
constexpr const char* kControlNames[] = {"coupler", "impedance",  "penalties", "two_rates",
                                         "guarded", "prescribed", "proxy",     "local_penalties"};

constexpr double kRamp = 0.01;  // [s] ten ticks

class EveryLoop : public ::testing::TestWithParam<std::tuple<std::string, Control>> {
 protected:
  std::string name_ = std::get<0>(GetParam());
  Control control_ = std::get<1>(GetParam());
  /// A wheel only turns: so does what it holds, and the hand.
  bool turns_ = (device::open(name_, device::none())->specification().actuated & device::kTranslation) == 0;
  double step_ = 1.0 / device::open(name_, device::none())->specification().rate;
  std::unique_ptr<simulate::Mechanism> mechanism_ = turns_ ? disk_on_spring(step_) : mass_on_spring(step_);

  std::unique_ptr<Faulty> faulty(Injected what, std::uint64_t at) const {
    const device::Path path = device::strokes({0.05, 0, 0}, 0.2);
    device::HandPointer hand = turns_ ? device::following([path](double t) {
      return device::Intention{{}, {0, 0, 10.0 * path(t).p.x}};
    })
                                      : device::following(path);
    return std::make_unique<Faulty>(device::open(name_, std::move(hand)), what, at);
  }
  double angle_ = 0.0;  // [rad] of the workspace
  /// From the start, with the mechanism where it began.
  std::unique_ptr<HapticLoop> loop(device::Device& device) {
    mechanism_->set_state({.t = 0.0, .q = {0.0}, .u = {0.0}, .momentum = {}});
    const device::Specification& s = device.specification();
    control::CouplerGains gains;
    if (s.kind == device::Kind::impedance) gains = control::design(s, {turns_ ? kDisk : 1e12, kMass});
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
    if (control_ == Control::prescribed)
      made->use(control::PrescribedGains{
          .axes = static_cast<std::uint8_t>(turns_ ? 1 << 2 : 1 << 3), .drift_rate = 5.0, .bandwidth = 10.0});
    if (control_ == Control::proxy) made->use(control::ProxyGains{.stiffness = gains.stiffness[1]});
    made->guard_passivity(control_ == Control::guarded);
    if (control_ == Control::guarded) made->follow_port();
    EXPECT_TRUE(made->enable());
    return made;
  }
  bool is_four() const {
    return control_ == Control::impedance || control_ == Control::penalties ||
           control_ == Control::local_penalties;
  }
  bool has_two_rates() const {
    return control_ == Control::two_rates || control_ == Control::local_penalties;
  }
};

inline std::vector<std::tuple<std::string, Control>> every_loop() {
  std::vector<std::tuple<std::string, Control>> every;
  for (const device::Specification& s : device::devices()) {
    for (const Control control :
         {Control::coupler, Control::impedance, Control::penalties, Control::two_rates, Control::guarded,
          Control::prescribed, Control::proxy, Control::local_penalties}) {
      const bool either =
          control == Control::coupler || control == Control::two_rates || control == Control::guarded;
      if (!either && s.kind == device::Kind::admittance) continue;
      if (control == Control::proxy && (s.actuated & device::kTranslation) == 0)
        continue;  // it pushes no point
      every.emplace_back(s.name, control);
    }
  }
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
