// [Faulring2006]: E. L. Faulring, K. M. Lynch, J. E. Colgate, M. A. Peshkin, Haptic display of constrained
// dynamic systems via admittance displays.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::faulring {

std::vector<study::Case> body_cases();       // (20), Appendices I and II
std::vector<study::Case> state_cases();      // accelerations and multipliers at one state, examples A to C
std::vector<study::Case> disk_cases();       // drift of Algorithm 1, as printed and mended; Figures 8 to 11
std::vector<study::Case> arm_cases();        // its energy; Figure 12
std::vector<study::Case> stability_cases();  // the stiffest hand

// Through a simulated cobot:
std::vector<study::Case> cobot_disk_cases();    // Figures 8 and 9
std::vector<study::Case> cobot_sphere_cases();  // Figures 10 and 11
std::vector<study::Case> cobot_arm_cases();     // Figure 12
std::vector<study::Case> cobot_lines_cases();   // Algorithm 1 line by line

}  // namespace tactus::studies::faulring
