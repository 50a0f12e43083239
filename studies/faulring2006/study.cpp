#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study faulring2006() {
  study::Study study{"faulring2006",
                     "Faulring, Lynch, Colgate, Peshkin: Haptic display of constrained dynamic systems via "
                     "admittance displays",
                     faulring::state_cases()};
  for (std::vector<study::Case> more :
       {faulring::body_cases(), faulring::disk_cases(), faulring::arm_cases(), faulring::cobot_disk_cases(),
        faulring::cobot_sphere_cases(), faulring::cobot_arm_cases(), faulring::cobot_lines_cases(),
        faulring::stability_cases()})
    for (study::Case& one : more) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
