#include <tactus/serve/page/gallery.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>
#include <nlohmann/json.hpp>

#include <tactus/base/error.h>
#include <tactus/describe/read/load.h>

namespace tactus::serve {

namespace {

namespace fs = std::filesystem;

bool is_model(const fs::path& path) { return path.extension() == ".yaml" || path.extension() == ".urdf"; }

template <class T>
void take(const YAML::Node& node, const char* key, T& to) {
  if (node[key]) to = node[key].as<T>();
}

GalleryEntry entry_of(const std::string& name, const YAML::Node& node) {
  GalleryEntry entry;
  entry.name = name;
  take(node, "title", entry.title);
  take(node, "group", entry.group);
  take(node, "sentence", entry.sentence);
  take(node, "paper", entry.paper);
  take(node, "featured", entry.featured);
  take(node, "weightless", entry.weightless);
  take(node, "follow", entry.follow);
  take(node, "script", entry.script);
  take(node, "step", entry.step);
  take(node, "rate", entry.rate);
  for (const auto& setting : node["set"])
    entry.settings.emplace_back(setting.first.as<std::string>(), setting.second.as<std::string>());
  if (node["planar"]) entry.planar = node["planar"].as<bool>();
  if (const YAML::Node d = node["direction"])
    entry.direction = {d[0].as<double>(), d[1].as<double>(), d[2].as<double>()};
  return entry;
}

/// What the file itself says; a file that cannot be read stays in the gallery, with the reason.
void look_into(GalleryEntry& entry) {
  try {
    const describe::Model model =
        describe::load(entry.path, entry.settings, {.floating = entry.floating, .angles = entry.angles});
    if (entry.title.empty()) {
      entry.title = model.name.empty() ? entry.name : model.name;
      std::replace(entry.title.begin(), entry.title.end(), '_', ' ');
      entry.title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(entry.title[0])));
    }
    if (entry.sentence.empty()) entry.sentence = model.description;
    entry.bodies =
        static_cast<int>(std::count_if(model.bodies.begin() + 1, model.bodies.end(),
                                       [&](const auto& body) { return value_of(model, body.mass) > 0.0; }));
    entry.freedoms = model.nv();
    if (entry.group.empty())
      entry.group = !model.contact.pairs.empty() ? "contact"
                    : model.constraints.empty()  ? "robots"
                                                 : "linkages";
  } catch (const InputError& error) {
    entry.problem = error.what();
    if (entry.title.empty()) entry.title = entry.name;
    if (entry.group.empty()) entry.group = "linkages";
  }
}

}  // namespace

std::string name_of_file(std::string_view path) { return fs::path(path).stem().string(); }

Gallery::Gallery(const std::string& folder, const std::string& first)
    : groups_{"linkages", "rolling", "contact", "robots", "chains"} {
  std::map<std::string, std::string> files;  // by name
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_regular_file(error) && is_model(entry.path()))
      files.emplace(name_of_file(entry.path().string()), entry.path().string());
  if (files.empty() && first.empty())
    throw InputError({folder}, "there are no models in this folder",
                     "give --models a folder with model files");
  if (!first.empty()) {
    const std::string name = name_of_file(first);
    if (const auto same = files.find(name);
        same == files.end() || !fs::equivalent(same->second, first, error)) {
      GalleryEntry own;
      own.name = same == files.end() ? name : "own." + name;
      own.path = first;
      own.group = "";
      entries_.push_back(std::move(own));
    }
  }
  const std::string index = (fs::path(folder) / "gallery" / "index.yaml").string();
  if (fs::exists(index, error)) {
    try {
      const YAML::Node document = YAML::LoadFile(index);
      if (document["groups"]) groups_ = document["groups"].as<std::vector<std::string>>();
      for (const auto& item : document["models"]) {
        const auto name = item.first.as<std::string>();
        const auto file = files.find(name);
        if (file == files.end()) continue;
        entries_.push_back(entry_of(name, item.second));
        entries_.back().path = file->second;
        files.erase(file);
      }
    } catch (const YAML::Exception& wrong) {
      throw InputError({index, wrong.mark.line + 1, wrong.mark.column + 1}, wrong.msg,
                       "mend the gallery's index");
    }
  }
  for (const auto& [name, path] : files) {
    GalleryEntry entry;
    entry.name = name;
    entry.path = path;
    entries_.push_back(std::move(entry));
  }
  for (GalleryEntry& entry : entries_) look_into(entry);
}

const GalleryEntry* Gallery::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const GalleryEntry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

void Gallery::read_with(std::string_view name, const describe::Settings& settings,
                        const describe::Reading& reading) {
  for (GalleryEntry& entry : entries_) {
    if (entry.name != name) continue;
    entry.settings.insert(entry.settings.end(), settings.begin(), settings.end());
    entry.floating = reading.floating;
    entry.angles = reading.angles;
    entry.problem.clear();
    look_into(entry);
  }
}

std::string Gallery::message() const {
  using Json = nlohmann::ordered_json;
  const auto known = [](int n) { return n >= 0 ? Json(n) : Json(); };
  Json models = Json::array();
  for (const GalleryEntry& entry : entries_) {
    Json model = {{"name", entry.name},
                  {"title", entry.title},
                  {"group", entry.group},
                  {"sentence", entry.sentence},
                  {"paper", entry.paper.empty() ? Json() : Json(entry.paper)},
                  {"featured", entry.featured},
                  {"bodies", known(entry.bodies)},
                  {"freedoms", known(entry.freedoms)}};
    if (!entry.problem.empty()) model["problem"] = entry.problem;
    models.push_back(std::move(model));
  }
  return Json{{"type", "gallery"}, {"groups", groups_}, {"models", models}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace tactus::serve
