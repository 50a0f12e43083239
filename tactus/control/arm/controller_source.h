// Controllers as source text: a header for a microcontroller or for a real-time loop of others, that needs nothing but the standard
// library and gives the bits of the library's own controllers.
//
//   controller:LAW                       arms along a path (arm_controller.h): control_LAW()
//   controller:inverse-kinematics:FRAME  of six-joint arms with a spherical wrist (wrist_arm.h): inverse_kinematics_FRAME()
//   controller:pidc, hybrid, passive     of constrained mechanisms (projected.h): control_pidc(), ...
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/projected.h>
#include <tactus/generate/requests.h>
#include <tactus/generate/source.h>

namespace tactus::control {

struct ControllerSettings {
  ArmControl arm{
      ArmLaw::pole_placement, {PolePair::complex(-12.0, 45.0)}, 2e-3, true};  // its law is the word's
  ProjectedControl projected;  // how it shares forces is the word's
};

/// What may be asked for, with its meaning.
const std::vector<generate::Word>& controller_words();
bool is_controller(std::string_view word);
/// Throws InputError: no such law, a model that it is not for, settings that cannot be.
generate::SourceProgram controller_program(const describe::Model& model, std::string_view word,
                                           const ControllerSettings& settings);

}  // namespace tactus::control
