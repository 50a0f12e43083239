// Where a description comes in: describe::load("models/puma560.yaml").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Values for parameters by name, instead of those in the file: numbers with units, or formulas, as there.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// How a file is read beyond what it says itself: robots' files seldom say all.
struct Reading {
  bool floating = false;  // the root is free instead of welded to the ground
  /// Angles of a URDF that are multiples of 15 degrees within their digits: taken as these multiples where that changes them
  /// by less than 1e-9 rad, always, or never (docs/urdf.md).
  enum class Angles { near, meant, written };
  Angles angles = Angles::near;
  bool files = true;     // other files may be looked at: those that a model includes, and a robot's meshes
  std::string folder{};  // from which they are looked at; "": that of the model's file
};

/// "near", "meant", "written".
std::string_view name_of(Reading::Angles angles);
std::optional<Reading::Angles> angles_of(std::string_view name);

/// The model in a file. The format is found from the content. Throws InputError with file, line, column, what
/// is wrong and how to mend it.
Model load(const std::string& path, const Settings& settings = {});
Model load(const std::string& path, const Settings& settings, const Reading& reading);

/// The model in a text; `file` is the name that messages use.
Model load_text(const std::string& text, const std::string& file, const Settings& settings = {});
Model load_text(const std::string& text, const std::string& file, const Settings& settings,
                const Reading& reading);

/// The files that a model's file includes, directly or through others, in the order in which they are read. Throws InputError as
/// load() does.
std::vector<std::string> included_files(const std::string& path);

/// Why forces do not determine accelerations: a joint that moves nothing with inertia. Robots' files often describe shapes and
/// joints alone. Poses, velocities, Jacobians and the forces of given accelerations need no more than they say.
struct MissingInertia {
  Place where;
  std::string wrong, remedy;
};
std::optional<MissingInertia> missing_inertia(const Model& model);

/// Throws InputError where the model has too little inertia for `what` ("a motion").
void require_inertia(const Model& model, std::string_view what);

}  // namespace tactus::describe
