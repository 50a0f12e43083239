#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study clover1996() {
  study::Study study{
      "clover1996",
      "Clover: Control system design for robots used in simulating dynamic force and moment interaction "
      "in virtual reality applications (1996), chapter II",
      clover::abbreviation_cases()};
  for (study::Case& one : clover::linear_model_cases()) study.cases.push_back(std::move(one));
  return study;
}

}  // namespace tactus::studies
