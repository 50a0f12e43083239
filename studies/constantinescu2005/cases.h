// [Constantinescu2005]: D. Constantinescu, S. E. Salcudean, E. A. Croft, Haptic manipulation of serial-chain
// virtual mechanisms. The mechanism itself and its contacts; its controllers come with the control stage.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::constantinescu {

std::vector<study::Case> mechanism_cases();  // Table I, and what a hand feels of the chain
std::vector<study::Case> contact_cases();    // section VIII without its controllers

}  // namespace tactus::studies::constantinescu
