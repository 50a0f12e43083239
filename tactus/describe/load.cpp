#include <tactus/describe/load.h>

#include <tactus/describe/source.h>
#include <tactus/describe/urdf.h>
#include <tactus/describe/yaml.h>

namespace tactus::describe {

namespace {

/// XML begins with <; no YAML model does.
bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

}  // namespace

Model load(const std::string& path) { return load_text(read_source(path), path); }

Model load_text(const std::string& text, const std::string& file) {
  require_text(text, file);
  return is_xml(text) ? read_urdf(text, file) : read_yaml(text, file);
}

}  // namespace tactus::describe
