// `include: FILE`: a model that says only what another file leaves out.
#pragma once

#include <optional>
#include <string>

#include <tactus/describe/read/load.h>
#include <tactus/describe/read/reader.h>

namespace tactus::describe {

/// A robot's file that a model includes, not read yet.
struct IncludedRobot {
  std::string text;
  int source = 0;
};

/// Brings in what the document includes. A YAML file becomes part of the document: maps are joined, anything else that both give
/// is the document's. The text of a URDF file is returned. `reading` takes what the document says about it.
std::optional<IncludedRobot> resolve_include(Reader& reader, Value& document, Reading& reading);

}  // namespace tactus::describe
