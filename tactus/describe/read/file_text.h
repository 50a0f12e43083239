// The bytes of a model file, before anybody looks for meaning in them.
#pragma once

#include <string>
#include <string_view>

namespace tactus::describe {

/// Largest file that is read [bytes].
inline constexpr std::size_t kLargestFile = 16u << 20;

/// The file's text. Throws InputError where the file is missing, a directory, unreadable or too large.
std::string read_source(const std::string& path);

/// Throws InputError where the text is empty, too large, or not text at all (control bytes, broken UTF-8). XML may have bytes of other
/// encodings, in comments as a rule: who reads it takes them for Latin-1.
void require_text(std::string_view text, const std::string& file);

/// Where the text is not UTF-8: the place of the first byte that is not; npos where it is.
std::size_t first_latin_1(std::string_view text);
/// Every byte of ISO 8859-1 as the character it stands for.
std::string utf8_of_latin_1(std::string_view text);

/// XML begins with <; no YAML model does.
bool is_xml(std::string_view text);

}  // namespace tactus::describe
