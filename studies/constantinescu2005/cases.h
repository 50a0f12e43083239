// [Constantinescu2005]: D. Constantinescu, S. E. Salcudean, E. A. Croft, Haptic manipulation of serial-chain
// virtual mechanisms: the mechanism, its controllers, its contacts, and what is felt of them.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::constantinescu {

std::vector<study::Case> mechanism_cases();     // Table I, and what a hand feels of the chain
std::vector<study::Case> misprint_cases();      // (16), (18), (23)
std::vector<study::Case> free_motion_cases();   // section VI, and section VIII without contact
std::vector<study::Case> pose_cases();          // section VI, Figure 4
std::vector<study::Case> intermittent_cases();  // section VI, where penalties act
std::vector<study::Case> contact_cases();       // section VIII, the mechanism's own contact
std::vector<study::Case> felt_cases();          // section VIII, what the hand feels of it
std::vector<study::Case> enclosure_cases();     // the same among boxes
std::vector<study::Case> two_rates_cases();     // section VII
std::vector<study::Case> stability_cases();     // how stiff penalties and couplers may be
std::vector<study::Case> coupler_map_cases();   // the same of couplers, by loops that run

}  // namespace tactus::studies::constantinescu
