#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study gillespie2003() {
  study::Study study{"gillespie2003",
                     "Gillespie: Kane's equations for haptic display of multibody systems (2003)",
                     gillespie::wrist_cases()};
  for (auto cases : {gillespie::disk_cases, gillespie::constraint_cases, gillespie::ramp_cases,
                     gillespie::caster_cases, gillespie::display_cases, gillespie::choice_cases})
    for (study::Case& one : cases()) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
