// Which files a model or a script reads tables from, for whoever must not overwrite them.
#pragma once

#include <string>
#include <vector>

namespace tactus::describe {

/// Nothing where the file cannot be read: whoever reads it says why.
std::vector<std::string> table_files(const std::string& path);

/// The names of its tables in order; nothing where it cannot be read or includes another file.
std::vector<std::string> table_names(const std::string& path);

}  // namespace tactus::describe
