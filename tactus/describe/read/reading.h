// How a file is read beyond what it says itself, and what a model that was read may lack: robots' files seldom say all.
#pragma once

#include <optional>
#include <string>

#include <tactus/describe/read/load.h>

namespace tactus::describe {

struct Reading {
  bool floating = false;  // the root is free instead of welded to the ground
  /// Angles of a URDF that are multiples of 15 degrees within their digits: taken as these multiples where that changes them
  /// by less than 1e-9 rad, always, or never (docs/urdf.md).
  enum class Angles { near, meant, written };
  Angles angles = Angles::near;
  bool files = true;     // other files may be looked at: those that a model includes, and a robot's meshes
  std::string folder{};  // from which they are looked at; "": that of the model's file
};

/// load() and load_text() with more to say.
Model load(const std::string& path, const Settings& settings, const Reading& reading);
Model load_text(const std::string& text, const std::string& file, const Settings& settings,
                const Reading& reading);

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
