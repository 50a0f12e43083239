#include <tactus/describe/read/load.h>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/yaml.h>
#include <tactus/describe/urdf/urdf.h>

namespace tactus::describe {

namespace {

/// XML begins with <; no YAML model does.
bool is_xml(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '<';
}

}  // namespace

Model load(const std::string& path, const Settings& settings) {
  return load_text(read_source(path), path, settings);
}

Model load_text(const std::string& text, const std::string& file, const Settings& settings) {
  require_text(text, file);
  if (!is_xml(text)) return read_yaml(text, file, settings);
  if (!settings.empty()) {
    throw InputError({file},
                     fmt::format("a URDF has no parameters, so `{}` cannot be set", settings[0].first),
                     "models in YAML have them");
  }
  return read_urdf(text, file);
}

}  // namespace tactus::describe
