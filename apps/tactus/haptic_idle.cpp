#include "haptic_idle.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>

#include <fmt/format.h>

#include <tactus/device/hand_file.h>

namespace tactus::apps {

std::vector<std::string> idle_options(const HapticRequest& request, const HapticSession& session,
                                      const CLI::App& verb) {
  std::vector<std::string> notes;
  // A saved set-up has `no-turning: false`: a flag that is down is not given.
  const auto given = [&](const char* name) {
    const CLI::Option& option = *verb.get_option(name);
    return option.count() > 0 && (option.get_expected_max() > 0 || option.as<bool>());
  };
  std::set<std::string> told;  // one reason is enough
  const auto needs = [&](bool there, std::initializer_list<const char*> options, const char* what) {
    for (const char* option : options)
      if (!there && given(option) && told.insert(option).second)
        notes.push_back(fmt::format("{} does nothing here: it is for {}", option, what));
  };
  const device::Specification& s = session.specification;
  const bool impedance = s.kind == device::Kind::impedance;
  const bool turns = (s.actuated & static_cast<std::uint8_t>(~device::kTranslation)) != 0;
  const std::string& c = request.controller;
  const bool four = c == "impedance" || c == "penalties";
  needs(four && impedance, {"--handle-stiffness", "--handle-damping"},
        "four channels, --controller impedance or penalties");
  needs(four, {"--force-scale", "--motion-scale"}, "four channels, --controller impedance or penalties");
  needs(four || (!impedance && request.local_rate == 0.0), {"--kept-inertia"},
        "four channels and, at one rate, admittance devices");
  needs(c == "penalties", {"--joint-stiffness", "--joint-damping", "--damping-growth"},
        "--controller penalties");
  needs(four && impedance, {"--no-turning"}, "four channels, --controller impedance or penalties");
  needs(c == "penalties", {"--rank", "--rank-tolerance", "--no-fading"}, "--controller penalties");
  needs(!session.model.constraints.empty(), {"--formulation", "--holding"}, "models with constraints");
  // Coordinates z satisfy what is said of places by themselves; what is said of speeds alone is left to be held.
  const bool of_speeds = std::any_of(session.model.constraints.begin(), session.model.constraints.end(),
                                     [](const describe::Constraint& constraint) {
                                       return constraint.type == describe::ConstraintType::rolling ||
                                              constraint.type == describe::ConstraintType::rates;
                                     });
  needs(request.formulation != "parametric" || of_speeds || session.model.constraints.empty(), {"--holding"},
        "other formulations than parametric, whose coordinates z meet these constraints by themselves");
  needs(c == "prescribed", {"--prescribe"}, "--controller prescribed");
  const bool pushes = (s.actuated & device::kTranslation) != 0;
  needs(pushes, {"--max-force", "--max-force-rate", "--workspace", "--max-speed"},
        "devices that push their handle");
  needs(turns, {"--max-torque", "--max-torque-rate"}, "devices whose motors turn the handle");
  needs(((s.sensed | s.actuated) & ~device::kTranslation) != 0, {"--max-turn-speed", "--workspace-angle"},
        "devices whose handle turns");
  if (!impedance) {
    needs(false, {"--coupling", "--stiffness", "--damping", "--rotational-stiffness", "--rotational-damping"},
          "impedance devices: an admittance device has no coupler");
    needs(false, {"--passivity"}, "impedance devices: an admittance device has it on");
  } else {
    const bool coupled = c == "coupler" || c == "prescribed";
    needs(coupled || c == "proxy", {"--stiffness"}, "--controller coupler, prescribed or proxy");
    needs(coupled || c == "proxy" || !s.force_sensor, {"--coupling"},
          "--controller coupler, prescribed or proxy, and four channels without a force sensor");
    needs(coupled, {"--damping"}, "--controller coupler or prescribed");
    needs(coupled, {"--rotational-stiffness", "--rotational-damping"}, "--controller coupler or prescribed");
    needs(turns, {"--rotational-stiffness", "--rotational-damping"}, "devices that turn their handle");
    if (only_turns(s)) {
      needs(!(request.rotational_stiffness > 0.0), {"--stiffness"},
            "what --rotational-stiffness leaves open");
      needs(!(request.rotational_damping >= 0.0), {"--damping"}, "what --rotational-damping leaves open");
    }
    needs(c == "proxy" || !(request.stiffness > 0.0) || !(request.damping >= 0.0), {"--coupling"},
          "what --stiffness and --damping leave open");
  }

  // The hand, where it is ours.
  const bool ours = std::isfinite(session.device->hand_work());
  const std::string& hand = request.hand.name;
  constexpr const char* kHands = "simulated hands, and this device has none";
  if (!ours) {
    needs(false,
          {"--hand", "--size", "--force", "--wrench", "--tremor", "--let-go-at", "--hand-stiffness",
           "--hand-damping", "--hand-rotational-stiffness", "--hand-rotational-damping"},
          kHands);
  } else {
    needs(has_size(hand), {"--size"}, "hands that move by themselves");
    needs(hand == "constant", {"--wrench"}, "--hand constant");
    needs(has_arm(hand),
          {"--hand-stiffness", "--hand-damping", "--hand-rotational-stiffness", "--hand-rotational-damping"},
          "hands with an arm");
    if (has_arm(hand)) {
      needs(turns, {"--hand-rotational-stiffness", "--hand-rotational-damping"},
            "devices that turn their handle");
      if (only_turns(s)) {
        needs(!(request.hand.rotational_stiffness > 0.0), {"--hand-stiffness"},
              "what --hand-rotational-stiffness leaves open");
        needs(!(request.hand.rotational_damping >= 0.0), {"--hand-damping"},
              "what --hand-rotational-damping leaves open");
      }
    }
    needs(hand != "none" || request.hand.tremor > 0.0, {"--let-go-at"}, "hands that hold something");
    // Three numbers are a force.
    needs(pushes || request.hand.wrench.size() > 3, {"--wrench"},
          "devices that are pushed, or with a torque after the force");
    needs(hand == "push" || hand == "tremble", {"--force"}, "--hand push and tremble");
  }
  // Arms and admittance devices have noise in their sensors.
  const bool random = hand == "tremble" || hand == "random" || !device::file_of_hand(hand).empty() ||
                      request.hand.tremor > 0.0;
  const bool noisy = !impedance || s.force_noise != std::array<double, 2>{};
  needs(ours && (random || noisy), {"--seed"}, "hands that are random or tremble and sensors with noise");

  needs(request.local_rate > 0.0, {"--transport"}, "two rates, --simulation-rate");
  needs(request.realtime, {"--watchdog", "--cpu", "--late"}, "--realtime");
  return notes;
}

}  // namespace tactus::apps
