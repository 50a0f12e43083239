// The models that the page offers: those of a folder, in the order and with the words of its `gallery/index.yaml`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <tactus/describe/read/load.h>
#include <tactus/math/vec3.h>

namespace tactus::serve {

struct GalleryEntry {
  std::string name;                           // by which the page asks for it
  std::string path;                           // of the file
  std::string title, group, sentence, paper;  // words
  bool featured = false, weightless = false;
  std::optional<bool> planar;
  std::optional<math::Vec3<double>> direction;
  std::string follow, script;
  describe::Settings settings;  // parameters' values instead of the file's
  bool floating = false;        // like `angles`: how the file is read (describe::Reading)
  describe::Reading::Angles angles = describe::Reading::Angles::near;
  double step = 0.0, rate = 1.0;  // 0: the usual one
  int bodies = -1, freedoms = -1;
  bool in_a_plane = false;
  std::string problem;  // in words, where it cannot be read
};

class Gallery {
 public:
  /// Of a folder; `first` is a file that comes besides, at the top. Throws InputError where there is no such folder or the index is
  /// not well.
  Gallery(const std::string& folder, const std::string& first);

  const std::vector<GalleryEntry>& entries() const { return entries_; }
  const GalleryEntry* find(std::string_view name) const;
  /// These settings besides the gallery's own, and another way to read the file, of the entry of that name.
  void read_with(std::string_view name, const describe::Settings& settings, const describe::Reading& reading);
  const std::vector<std::string>& groups() const { return groups_; }
  /// The `gallery` message.
  std::string message() const;

 private:
  std::vector<std::string> groups_;
  std::vector<GalleryEntry> entries_;
};

/// The name of a model by its file: "models/four_bar.yaml" is `four_bar`.
std::string name_of_file(std::string_view path);

}  // namespace tactus::serve
