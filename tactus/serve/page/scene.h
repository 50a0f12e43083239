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
};

/// The whole message but `id` and `why`. Asks the mechanism for poses: before it lies on the bench.
Json scene_of(Work& work, const SceneLabel& label, const GalleryEntry* entry);

/// Bodies' shapes and mass centres, joints, frames and constraints of a model with other values of parameters (by name).
struct ParameterValue {
  std::string name;
  double value = 0.0;
};
Json shapes_of(const describe::Model& model, const std::vector<simulate::ConstraintOutline>& constraints,
               const std::vector<char>& active, const std::vector<ParameterValue>& values);

/// Words of what can be chosen.
Json choices_of(const Work& work);
Json chosen_of(const Choice& choice);

Json pose_json(const math::Pose<double>& X);

}  // namespace tactus::serve
