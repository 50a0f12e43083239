#include "support/paths.h"

namespace tactus::support {

const std::string& source_dir() {
  static const std::string path = TACTUS_SOURCE_DIR;
  return path;
}

const std::string& program() {
  static const std::string path = TACTUS_PROGRAM;
  return path;
}

}  // namespace tactus::support
