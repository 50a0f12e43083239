// A mechanism as the page draws it: the `scene` message of docs/protocol.md, and the parts of it that change with parameters.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <tactus/serve/live/work.h>
#include <tactus/serve/page/gallery.h>

namespace tactus::serve {

using Json = nlohmann::ordered_json;

struct SceneLabel {
  std::string name, title, sentence, paper, file;
  bool own = false, edited = false;
  std::string path{};  // of the file, beside which its meshes lie; "": a page sent it
};

/// Triangles of the shapes that have a file, each as docs/protocol.md says, and their bounds in the shapes' axes.
struct MeshData {
  std::string bytes;
  Vec3 low{}, high{};
};
/// Of every body and shape, in the order of the scene's: an index into `data`, or -1.
struct Meshes {
  std::vector<std::vector<int>> of;
  std::vector<MeshData> data;
  std::vector<std::string> notes;  // of files that could not be read
};
Meshes meshes_of(const describe::Model& model);

/// The whole message but `id` and `why`. Asks the mechanism for poses: before it lies on the bench.
Json scene_of(Work& work, const SceneLabel& label, const GalleryEntry* entry, const Meshes& meshes = {});

/// Bodies' shapes and mass centres, joints, frames and constraints of a model with other values of parameters (by name).
struct ParameterValue {
  std::string name;
  double value = 0.0;
};
Json shapes_of(const describe::Model& model, const std::vector<simulate::ConstraintOutline>& constraints,
               const std::vector<char>& active, const std::vector<ParameterValue>& values,
               const Meshes& meshes = {});

/// What laws there are and what they would lead; or why none can.
Json control_of(const Work& work);

/// Words of what can be chosen.
Json choices_of(const Work& work);
Json chosen_of(const Choice& choice);

Json pose_json(const math::Pose<double>& X);

}  // namespace tactus::serve
