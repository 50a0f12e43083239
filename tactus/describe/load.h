// Where a description comes in: describe::load("models/puma560.yaml").
#pragma once

#include <string>

#include <tactus/describe/model.h>

namespace tactus::describe {

/// The model in a file. The format is found from the content. Throws InputError with file, line, column, what
/// is wrong and how to mend it.
Model load(const std::string& path);

/// The model in a text; `file` is the name that messages use.
Model load_text(const std::string& text, const std::string& file);

}  // namespace tactus::describe
