// Which files a model or a script reads tables from, for whoever must not overwrite them.
#pragma once

#include <string>
#include <vector>

namespace tactus::describe {

/// Nothing where the file cannot be read: whoever reads it says why.
std::vector<std::string> table_files(const std::string& path);

/// The names of its tables and of those that it includes, in the order in which they are read; nothing where a file cannot be read.
std::vector<std::string> table_names(const std::string& path);

}  // namespace tactus::describe
