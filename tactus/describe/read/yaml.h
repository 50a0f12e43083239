// Models in YAML: docs/model-format.md.
#pragma once

#include <string>

#include <tactus/describe/model/model.h>
#include <tactus/describe/read/initial_formulas.h>
#include <tactus/describe/read/load.h>

namespace tactus::describe {

/// The model that a text in the YAML format describes, and the formulas of its `initial`. Throws InputError.
Model read_yaml(const std::string& text, const std::string& file, const Settings& settings = {},
                const Reading& reading = {}, InitialFormulas* formulas = nullptr);

}  // namespace tactus::describe
