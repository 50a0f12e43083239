#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study aghili2005() {
  study::Study study{
      "aghili2005",
      "Aghili: A unified approach for inverse and direct dynamics of constrained multibody systems based on "
      "linear projection operator (2005)",
      aghili::particle_cases()};
  for (auto cases : {aghili::unit_cases, aghili::inertia_cases, aghili::misprint_cases,
                     aghili::inertia_cost_cases, aghili::decoupling_cases, aghili::slider_crank_cases,
                     aghili::control_cases, aghili::experiment_cases})
    for (study::Case& one : cases()) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
