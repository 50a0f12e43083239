// Settings of `tactus haptic` for arms as devices (--device arm:FILE).
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include <tactus/control/arm/arm_device.h>

namespace tactus::apps {

struct ArmSettings {
  std::string law = "pole-placement", rates = "difference";
  std::string poles, integral, start, encoders, noise, bias, gripper, no_load, elasticity;
  double friction = 1.0, force_cut_off = 0.0, rate_cut_off = 300.0;
  double torque = 1.0, backlash = 0.0, encoder_phase = 0.0;
  bool uncompensated = false, uncarried = false;

  void add_to(CLI::App& verb);
  /// Throws InputError.
  control::ArmDeviceOptions options() const;
  /// `--arm-...`: the first of them that was given; empty where none was.
  std::string first_given(const CLI::App& verb) const;
};

}  // namespace tactus::apps
