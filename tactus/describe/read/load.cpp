#include <tactus/describe/read/load.h>

#include <array>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/include.h>
#include <tactus/describe/read/initial_formulas.h>
#include <tactus/describe/read/yaml.h>
#include <tactus/describe/urdf/urdf.h>

namespace tactus::describe {

namespace {

constexpr std::array<std::pair<std::string_view, Reading::Angles>, 3> kAngles{
    {{"near", Reading::Angles::near},
     {"meant", Reading::Angles::meant},
     {"written", Reading::Angles::written}}};

}  // namespace

std::string_view name_of(Reading::Angles angles) {
  for (const auto& [name, known] : kAngles)
    if (known == angles) return name;
  return kAngles[0].first;
}

std::optional<Reading::Angles> angles_of(std::string_view name) {
  for (const auto& [known, angles] : kAngles)
    if (known == name) return angles;
  return std::nullopt;
}

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

InitialFormulas initial_formulas(const std::string& path, const Settings& settings, const Reading& reading) {
  const std::string text = read_source(path);
  require_text(text, path);
  InitialFormulas formulas;
  if (!is_xml(text)) read_yaml(text, path, settings, reading, &formulas);
  return formulas;
}

std::vector<std::string> included_files(const std::string& path) {
  const std::string text = read_source(path);
  require_text(text, path);
  if (is_xml(text)) return {};
  Value document = read_document(text, path);
  Reader reader(path);
  Reading reading;
  resolve_include(reader, document, reading);
  return reader.included();
}

}  // namespace tactus::describe
