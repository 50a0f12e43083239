// A model that includes a robot's file may call links and joints as that file does: `shoulder-pan`, which is `shoulder_pan` in formulas and in
// code. Names in formulas are not looked at: `shoulder-pan` is a difference there.
#pragma once

#include <tactus/describe/read/reader.h>
#include <tactus/describe/urdf/urdf_names.h>

namespace tactus::describe {

/// Wherever the document names a body, a frame, a joint or a coordinate: the name of the model in place of that of the robot's file.
/// Throws where both are given.
void use_model_names(const Reader& reader, Value& document, const NameMap& links, const NameMap& joints);

}  // namespace tactus::describe
