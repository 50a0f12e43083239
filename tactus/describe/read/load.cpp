#include <tactus/describe/read/load.h>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/yaml.h>
#include <tactus/describe/urdf/urdf.h>

namespace tactus::describe {

Model load(const std::string& path, const Settings& settings) { return load(path, settings, {}); }

Model load_text(const std::string& text, const std::string& file, const Settings& settings) {
  return load_text(text, file, settings, {});
}

Model load(const std::string& path, const Settings& settings, const Reading& reading) {
  return load_text(read_source(path), path, settings, reading);
}

Model load_text(const std::string& text, const std::string& file, const Settings& settings,
                const Reading& reading) {
  require_text(text, file);
  if (!is_xml(text)) return read_yaml(text, file, settings, reading);
  if (!settings.empty()) {
    throw InputError({file},
                     fmt::format("a URDF has no parameters, so `{}` cannot be set", settings[0].first),
                     "a model in YAML that includes it may have them");
  }
  return read_urdf(text, file, reading);
}

}  // namespace tactus::describe
