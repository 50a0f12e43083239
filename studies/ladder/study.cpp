#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study iftomm_a02() {
  return {"iftomm-a02",
          "IFToMM benchmark A02: ladders of parallelogram linkages through their singular positions, 10 s",
          ladder::convergence_cases()};
}

}  // namespace tactus::studies
