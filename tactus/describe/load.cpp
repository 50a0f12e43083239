#include <tactus/describe/load.h>

#include <tactus/describe/source.h>
#include <tactus/describe/yaml.h>

namespace tactus::describe {

Model load(const std::string& path) { return load_text(read_source(path), path); }

Model load_text(const std::string& text, const std::string& file) {
  require_text(text, file);
  return read_yaml(text, file);
}

}  // namespace tactus::describe
