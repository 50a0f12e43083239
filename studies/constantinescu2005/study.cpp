#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study constantinescu2005() {
  return {"constantinescu2005",
          "Constantinescu, Salcudean, Croft: Haptic manipulation of serial-chain virtual mechanisms",
          constantinescu::mechanism_cases()};
}

}  // namespace tactus::studies
