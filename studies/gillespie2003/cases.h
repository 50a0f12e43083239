// [Gillespie2003]: R. B. Gillespie, Kane's equations for haptic display of multibody systems.
#pragma once

#include <vector>

#include <tactus/study/study.h>

namespace tactus::studies::gillespie {

std::vector<study::Case> wrist_cases();

}  // namespace tactus::studies::gillespie
