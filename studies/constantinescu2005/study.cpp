#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study constantinescu2005() {
  study::Study study{
      "constantinescu2005",
      "Constantinescu, Salcudean, Croft: Haptic manipulation of serial-chain virtual mechanisms",
      constantinescu::mechanism_cases()};
  for (const auto& group :
       {constantinescu::misprint_cases, constantinescu::pose_cases, constantinescu::free_motion_cases,
        constantinescu::intermittent_cases, constantinescu::contact_cases, constantinescu::felt_cases,
        constantinescu::enclosure_cases, constantinescu::two_rates_cases, constantinescu::stability_cases,
        constantinescu::coupler_map_cases})
    for (study::Case& one : group()) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
