// [Faulring2006]: E. L. Faulring, K. M. Lynch, J. E. Colgate, M. A. Peshkin, Haptic display of constrained
// dynamic systems via admittance displays.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::faulring {

std::vector<study::Case> state_cases();        // accelerations and multipliers at one state, examples A to C
std::vector<study::Case> algorithm_1_cases();  // drift and energy of Algorithm 1, as printed and mended

}  // namespace tactus::studies::faulring
