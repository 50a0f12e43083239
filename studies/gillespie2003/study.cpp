#include <studies/studies.h>
#include "cases.h"

namespace tactus::studies {

study::Study gillespie2003() {
  return {"gillespie2003", "Gillespie: Kane's equations for haptic display of multibody systems (2003)", gillespie::wrist_cases()};
}

}  // namespace tactus::studies
