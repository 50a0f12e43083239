#include "fakes/fakes_dir.h"

namespace tactus::support {

const std::string& fakes_dir() {
  static const std::string path = TACTUS_FAKES_DIR;
  return path;
}

}  // namespace tactus::support
