// A model as `tactus check` shows it.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Tree, degrees of freedom, coordinates and speeds with meaning and unit, parameters, frames, springs, total
/// mass, warnings: for people.
std::string report_text(const Model& model);

/// The same as JSON, for programs.
std::string report_json(const Model& model);

}  // namespace tactus::describe
