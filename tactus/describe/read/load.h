// Where a description comes in: describe::load("models/puma560.yaml").
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tactus/describe/model/model.h>

namespace tactus::describe {

/// Values for parameters by name, instead of those in the file: numbers with units, or formulas, as there.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// The model in a file. The format is found from the content. Throws InputError with file, line, column, what
/// is wrong and how to mend it.
Model load(const std::string& path, const Settings& settings = {});

/// The model in a text; `file` is the name that messages use.
Model load_text(const std::string& text, const std::string& file, const Settings& settings = {});

}  // namespace tactus::describe
