#include <studies/studies.h>

namespace tactus::studies {

std::vector<study::Study> all() {
  return {clover1996(), gillespie2003(), aghili2005(), constantinescu2005(), faulring2006(), iftomm_a02()};
}

}  // namespace tactus::studies
