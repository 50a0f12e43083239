#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include <tactus/base/error.h>

#include "input_files.h"
#include "verbs.h"

namespace tactus::apps {

void ModelChoice::add_to(CLI::App& verb) {
  verb.add_option("MODEL", path, "model file (YAML or URDF)")->required();
  verb.add_option("--set", settings,
                  "a parameter's value instead of the file's: NAME=VALUE, as often as needed")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_flag("--floating", floating,
                "the root of the mechanism floats instead of being welded to the ground");
  verb.add_option("--angles", angles,
                  "angles of a URDF that are multiples of 15 degrees within their digits: taken as these "
                  "multiples within "
                  "1e-9 rad (near), always (meant), never (written)")
      ->capture_default_str()
      ->check(CLI::IsMember({"near", "meant", "written"}));
}

describe::Model ModelChoice::load() const { return describe::load(path, pairs(), reading()); }

describe::Reading ModelChoice::reading() const {
  return {.floating = floating, .angles = describe::angles_of(angles).value()};
}

std::string ModelChoice::text() const {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

describe::Model ModelChoice::load_text(const std::string& text) const {
  return describe::load_text(text, path, pairs(), reading());
}

std::vector<NamedFile> ModelChoice::files(const describe::Model& model) const {
  std::vector<NamedFile> files = files_of_model(path);
  for (const describe::Body& body : model.bodies)
    for (const describe::Geometry& geometry : body.geometry)
      if (!geometry.file.empty())
        files.push_back({"a mesh of the model",
                         (std::filesystem::path(model.file).parent_path() / geometry.file).string()});
  return files;
}

describe::Settings ModelChoice::pairs() const {
  describe::Settings pairs;
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == setting.size()) {
      throw InputError({}, fmt::format("--set {}: a parameter and its value are expected", setting),
                       "write --set NAME=VALUE, such as --set L=0.5 or --set \"L=50 cm\"");
    }
    for (const auto& [name, value] : pairs)
      if (name == setting.substr(0, equals))
        throw InputError(
            {}, fmt::format("--set gives `{}` twice: {} and {}", name, value, setting.substr(equals + 1)),
            "give it once");
    pairs.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
  }
  return pairs;
}

}  // namespace tactus::apps
