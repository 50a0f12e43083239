#include <tactus/describe/model/frame_word.h>

namespace tactus::describe {

namespace {

using Kind = FrameWord::Kind;

/// 0, 1, 2 for x, y, z; nothing for other letters.
std::optional<std::size_t> axis_of(char letter) {
  if (letter < 'x' || letter > 'z') return std::nullopt;
  return static_cast<std::size_t>(letter - 'x');
}

std::optional<FrameWord> find_word(std::string_view word) {
  FrameWord found;
  if (word == "roll" || word == "pitch" || word == "yaw") {
    found.kind = word == "roll" ? Kind::roll : word == "pitch" ? Kind::pitch : Kind::yaw;
    return found;
  }
  if (word.size() == 3 && word[0] == 'R') {
    const auto i = axis_of(word[1]), j = axis_of(word[2]);
    if (!i || !j) return std::nullopt;
    found.kind = Kind::rotation;
    found.i = *i;
    found.j = *j;
    return found;
  }
  if (word.size() != 2) return std::nullopt;
  const auto i = axis_of(word[1]);
  if (!i) return std::nullopt;
  found.i = *i;
  switch (word[0]) {
    case 'p':
      found.kind = Kind::position;
      return found;
    case 'w':
      found.kind = Kind::angular_velocity;
      return found;
    case 'v':
      found.kind = Kind::velocity;
      return found;
    default:
      return std::nullopt;
  }
}

}  // namespace

algebra::Dimension FrameWord::dimension() const {
  switch (kind) {
    case Kind::position:
      return algebra::dimension::kLength;
    case Kind::angular_velocity:
      return algebra::dimension::kAngularSpeed;
    case Kind::velocity:
      return algebra::dimension::kSpeed;
    default:
      return algebra::dimension::kNumber;
  }
}

std::optional<FrameWord> find_frame_word(const Model& model, std::string_view name) {
  constexpr std::string_view kOwnAxes = ".body";
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  std::optional<FrameWord> found = find_word(name.substr(dot + 1));
  if (!found) return std::nullopt;
  std::string_view frame = name.substr(0, dot);
  found->frame = model.frame_index(frame);
  if (found->frame < 0 && found->is_velocity() && frame.ends_with(kOwnAxes)) {
    frame.remove_suffix(kOwnAxes.size());
    found->own_axes = true;
    found->frame = model.frame_index(frame);
  }
  // In guards `force.` begins the force of a constraint's row.
  if (found->frame < 0 || frame == "force") return std::nullopt;
  return found;
}

std::vector<std::string> words_of_frame(const std::string& frame) {
  std::vector<std::string> words;
  for (const char* kind : {".p", ".w", ".v", ".body.w", ".body.v", ".Rx", ".Ry", ".Rz"})
    for (const char* axis : {"x", "y", "z"}) words.push_back(frame + kind + axis);
  for (const char* angle : {".roll", ".pitch", ".yaw"}) words.push_back(frame + angle);
  return words;
}

}  // namespace tactus::describe
