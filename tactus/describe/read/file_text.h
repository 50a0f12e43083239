// The bytes of a model file, before anybody looks for meaning in them.
#pragma once

#include <string>
#include <string_view>

namespace tactus::describe {

/// Largest file that is read [bytes].
inline constexpr std::size_t kLargestFile = 16u << 20;

/// The file's text. Throws InputError where the file is missing, a directory, unreadable or too large.
std::string read_source(const std::string& path);

/// Throws InputError where the text is empty, too large, or not text at all (control bytes, broken UTF-8).
void require_text(std::string_view text, const std::string& file);

/// XML begins with <; no YAML model does.
bool is_xml(std::string_view text);

}  // namespace tactus::describe
