// Names that generated source must not use: words of the languages, and what the headers of the C library define.
#pragma once

#include <string_view>

namespace tactus::generate {

/// No name at all: a word of C or C++, a macro.
bool is_word_or_macro(std::string_view name);

/// No name outside of namespaces: the C library has it there.
bool is_library_name(std::string_view name);

}  // namespace tactus::generate
