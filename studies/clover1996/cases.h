// [Clover1996]: C. L. Clover, Control system design for robots used in simulating dynamic force and moment
// interaction in virtual reality applications, Iowa State University, 1996. Chapter II: abbreviated and
// linear models of the PUMA 560; chapter III: its control; chapter IV: the arm as a force display.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::clover {

std::vector<study::Case> linear_model_cases();       // Tables V to VIII
std::vector<study::Case> appendix_cases();           // Appendix A
std::vector<study::Case> abbreviation_cases();       // Tables I, III, IV
std::vector<study::Case> jerk_cases();               // chapter II, (17)
std::vector<study::Case> recursion_cases();          // chapter II, (2)-(16) and (22)-(38)
std::vector<study::Case> appendix_b_cases();         // Appendix B and Figure 7
std::vector<study::Case> other_arm_cases();          // chapter II, 5: other robots
std::vector<study::Case> tracking_cases();           // chapter III, Figures 8 to 10
std::vector<study::Case> payload_cases();            // chapter III, IV-A
std::vector<study::Case> control_cases();            // chapter III
std::vector<study::Case> pole_placement_cases();     // chapter III, (9)-(33)
std::vector<study::Case> direct_drive_cases();       // chapter III: what it expects of direct drives
std::vector<study::Case> generated_control_cases();  // chapter III: its gains as formulas, and what they cost
std::vector<study::Case> inverse_kinematics_cases();  // chapter IV, (15)-(48) and the appendix
std::vector<study::Case> virtual_object_cases();      // chapter IV, (1)-(14)
std::vector<study::Case> felt_cases();                // chapter IV: what is felt through the arm
std::vector<study::Case> filter_cases();              // chapter IV: filters of the force
std::vector<study::Case> wall_by_arm_cases();         // the same through the arm
std::vector<study::Case> wall_cases();                // chapter IV's stiff wall

}  // namespace tactus::studies::clover
