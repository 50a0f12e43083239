// [Constantinescu2005]: D. Constantinescu, S. E. Salcudean, E. A. Croft, Haptic manipulation of serial-chain
// virtual mechanisms. The mechanism itself; its controllers come with the control stage.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::constantinescu {

std::vector<study::Case> mechanism_cases();

}  // namespace tactus::studies::constantinescu
