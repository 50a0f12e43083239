// [Gillespie2003]: R. B. Gillespie, Kane's equations for haptic display of multibody systems.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::gillespie {

std::vector<study::Case> disk_cases();        // Example 1, term by term
std::vector<study::Case> wrist_cases();       // Example 2
std::vector<study::Case> constraint_cases();  // Examples 1 and 3

std::vector<study::Case> ramp_cases();     // Figure 2
std::vector<study::Case> caster_cases();   // Example 3 with friction
std::vector<study::Case> display_cases();  // the cart in the hand
std::vector<study::Case> choice_cases();   // (43)

}  // namespace tactus::studies::gillespie
