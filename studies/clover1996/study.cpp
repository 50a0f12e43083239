#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study clover1996() {
  study::Study study{
      "clover1996",
      "Clover: Control system design for robots used in simulating dynamic force and moment interaction "
      "in virtual reality applications (1996), chapters II to IV",
      clover::appendix_cases()};
  for (auto cases :
       {clover::abbreviation_cases, clover::linear_model_cases, clover::jerk_cases, clover::recursion_cases,
        clover::appendix_b_cases, clover::other_arm_cases, clover::pole_placement_cases,
        clover::control_cases, clover::generated_control_cases, clover::tracking_cases, clover::payload_cases,
        clover::direct_drive_cases, clover::virtual_object_cases, clover::inverse_kinematics_cases,
        clover::felt_cases, clover::filter_cases, clover::wall_cases, clover::wall_by_arm_cases})
    for (study::Case& one : cases()) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
