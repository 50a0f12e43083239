#include "setup_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <tactus/base/error.h>
#include <tactus/device/registry.h>

#include "setting_error.h"

namespace tactus::apps {

namespace {

/// Options that are no settings: where results go, and this file itself.
constexpr std::array<std::string_view, 8> kNotSettings{"help", "setup", "save-setup", "json",
                                                       "out",  "plot",  "log",        "histogram"};

bool is_setting(const CLI::Option& option) {
  return !option.get_lnames().empty() &&
         std::find(kNotSettings.begin(), kNotSettings.end(), option.get_lnames()[0]) == kNotSettings.end();
}

std::vector<std::string> names_of(const CLI::App& verb) {
  std::vector<std::string> names{"model"};
  for (const CLI::Option* option : verb.get_options())
    if (is_setting(*option)) names.push_back(option->get_lnames()[0]);
  return names;
}

Place place_of(const std::string& file, const YAML::Mark& mark) {
  return {file, mark.line + 1, mark.column + 1};
}

/// Text that YAML reads back as itself.
std::string quoted(const std::string& text) {
  const bool plain = !text.empty() &&
                     text.find_first_of(":#{}[],&*?|<>=!%@`'\" \n\t\\") == std::string::npos &&
                     text.front() != '-';
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '\n' || c == '\t') {
      result += c == '\n' ? "\\n" : "\\t";
      continue;
    }
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// A device's or a hand's name with another way to its file, where it has one: model:FILE[:PORT], arm:FILE[:FRAME], file:PATH, FILE.yaml.
template <class Change>
std::string with_file(const std::string& device, const Change& change) {
  if (device::is_device_file(device)) return change(std::filesystem::path(device)).string();
  for (const std::string_view kind : {"model:", "arm:", "file:"}) {
    if (!device.starts_with(kind)) continue;
    const std::string rest = device.substr(kind.size());
    const std::size_t end = kind == "file:" ? rest.size() : std::min(rest.rfind(':'), rest.size());
    if (end == 0) return device;  // no file: said where it is opened
    return std::string(kind) + change(std::filesystem::path(rest.substr(0, end))).string() + rest.substr(end);
  }
  return device;
}

/// Whether a message has `--key` as a whole word.
bool names_option(const std::string& message, const std::string& key) {
  const std::string option = "--" + key;
  for (std::size_t at = message.find(option); at != std::string::npos; at = message.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (end == message.size() ||
        (message[end] != '-' && std::isalnum(static_cast<unsigned char>(message[end])) == 0))
      return true;
  }
  return false;
}

}  // namespace

void SetupFile::add_to(CLI::App& verb) {
  verb.add_option("--setup", read, "YAML file with values for these options, by their names, and `model`")
      ->check(CLI::ExistingFile);
  verb.add_option("--save-setup", write, "writes the settings of this run as such a file");
  verb.get_option("MODEL")->required(false);
}

void SetupFile::apply(CLI::App& verb) {
  if (!read.empty()) {
    // May be a pipe; what never ends is none.
    constexpr std::size_t kMost = 1u << 20;
    std::ifstream file(read);
    std::string text(kMost + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMost)
      throw InputError({read}, "is too long for a set-up: more than 1 MiB", "write `name: value` lines");
    apply_text(verb, text, read);
  }
  if (verb.get_option("MODEL")->count() == 0)
    throw InputError({}, "MODEL is required", "give a model file, or a set-up with `model:`");
}

void SetupFile::apply_text(CLI::App& verb, const std::string& text, const std::string& file) {
  CLI::Option& model = *verb.get_option("MODEL");
  YAML::Node setup;
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1)
      throw InputError({file}, "has more than one document", "write one map: no line `---` within it");
    if (!documents.empty()) setup = documents.front();
  } catch (const YAML::Exception& error) {
    throw InputError(place_of(file, error.mark), error.msg, "write `name: value` lines");
  }
  if (!setup.IsMap())
    throw InputError({file}, "a set-up is a map of options",
                     "write `name: value` lines, such as `rate: 2000`");
  const std::vector<std::string> names = names_of(verb);
  std::vector<std::string> seen;
  for (const auto& entry : setup) {
    const Place place = place_of(file, entry.first.Mark());
    if (!entry.first.IsScalar())
      throw InputError(place, "the name of a setting is one word", "write `name: value` lines");
    const std::string key = entry.first.Scalar();
    if (std::find(names.begin(), names.end(), key) == names.end())
      throw InputError(place, fmt::format("`{}` is no setting of {}", key, verb.get_name()),
                       suggestion(key, names));
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      throw InputError(place, fmt::format("`{}` is given twice", key), "keep one of them");
    seen.push_back(key);
    CLI::Option& option = key == "model" ? model : *verb.get_option("--" + key);
    std::vector<std::string> values;
    if (entry.second.IsScalar()) values.push_back(entry.second.Scalar());
    if (entry.second.IsSequence())
      for (const auto& item : entry.second) {
        if (!item.IsScalar())
          throw InputError(place_of(file, item.Mark()), "a single value is expected", "write `name: [a, b]`");
        values.push_back(item.Scalar());
      }
    const bool one = option.get_items_expected_max() <= 1;
    if (values.empty() || (one && entry.second.IsSequence()))
      throw InputError(place,
                       fmt::format("`{}` needs {}", key, values.empty() ? "a value" : "one value, no list"),
                       "write `name: value`");
    if (option.count() > 0) continue;  // given on the command line
    // Of `name=value` the name is what messages quote.
    for (const std::string& value : values) taken_.push_back({key, value.substr(0, value.find('=')), place});
    if (key == "model" && std::filesystem::path(values[0]).is_relative())
      values[0] = (std::filesystem::path(file).parent_path() / values[0]).string();
    if (key == "device" || key == "hand")
      values[0] = with_file(values[0], [&](const std::filesystem::path& path) {
        const std::filesystem::path beside = std::filesystem::path(file).parent_path() / path;
        return path.is_relative() && std::filesystem::exists(beside) ? beside : path;
      });
    try {
      for (const std::string& value : values) option.add_result(value);
      option.run_callback();
    } catch (const CLI::ParseError& error) {
      throw InputError(place, error.what(), verb.get_name() + " --help says what is expected");
    }
  }
}

void SetupFile::place(const InputError& error) const {
  if (error.where().line > 0) return;
  const std::string& wrong = error.wrong();
  // A file without a line stays in the message.
  if (const std::string& file = error.where().file; !file.empty()) {
    for (const Taken& taken : taken_)  // "--set L=nan"
      if (names_option(file, taken.key))
        throw InputError(taken.place, fmt::format("{}: {}", file, wrong), error.remedy());
    if (const Taken* taken = first_about(error))
      throw InputError(taken->place, fmt::format("{}: {}", file, wrong), error.remedy());
    return;
  }
  for (const Taken& taken : taken_)
    if (names_option(wrong, taken.key)) throw InputError(taken.place, wrong, error.remedy());
  for (const Taken& taken : taken_)
    for (const char quote : {'`', '\''})
      if (!taken.value.empty() && wrong.find(quote + taken.value + quote) != std::string::npos)
        throw InputError(taken.place, wrong, error.remedy());
  if (const Taken* taken = first_about(error)) throw InputError(taken->place, wrong, error.remedy());
}

const SetupFile::Taken* SetupFile::first_about(const InputError& error) const {
  if (const auto* const known = dynamic_cast<const SettingError*>(&error))
    for (const std::string& setting : known->settings())
      for (const Taken& taken : taken_)
        if (taken.key == setting) return &taken;
  return nullptr;
}

std::string setup_text(const CLI::App& verb) {
  std::string text =
      fmt::format("# tactus {} --setup THIS_FILE\nmodel: {}\n", verb.get_name(),
                  quoted(std::filesystem::absolute(verb.get_option("MODEL")->as<std::string>()).string()));
  for (const CLI::Option* option : verb.get_options()) {
    if (!is_setting(*option)) continue;
    const std::string& name = option->get_lnames()[0];
    if (option->get_expected_max() == 0) {  // a flag
      text += fmt::format("{}: {}\n", name, option->count() > 0 && option->as<bool>());
      continue;
    }
    if (option->count() == 0) continue;  // its default, which depends on others
    if (option->count() == 1) {
      const std::string given = option->results()[0];
      const std::string value =
          name == "device" || name == "hand"
              ? with_file(given,
                          [](const std::filesystem::path& path) { return std::filesystem::absolute(path); })
              : given;
      text += fmt::format("{}: {}\n", name, quoted(value));
      continue;
    }
    text += name + ":\n";
    for (const std::string& value : option->results()) text += fmt::format("  - {}\n", quoted(value));
  }
  return text;
}

}  // namespace tactus::apps
