// Functions as source text: one self-contained header in C++17 or C99 that needs nothing but the standard
// library.
//
// The text follows the tape line by line, carries the sine and cosine of math/sincos.h with it, and switches
// off, for itself, the compiler's freedom to fuse and reorder: it gives the bits that the kernels give, by GCC
// and Clang with any -O, -march and with -ffast-math. (It is fast only where the target has FMA, as with -march=native or
// -mfma.)
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <tactus/algebra/function.h>

namespace tactus::generate {

enum class Language { cpp, c };  // what they write differently: dialect.h

struct SourceOptions {
  Language language = Language::cpp;
  std::string name = "mechanism";  // namespace in C++, prefix of all names in C; made an identifier
  std::string about;               // what the functions belong to, one line for the head of the file
};

/// The text of the header. Blocks of a function become one pointer each, inputs first; outputs are written
/// last, so that they may be the same arrays as inputs.
std::string write_source(std::span<const algebra::Function> functions, const SourceOptions& options);

/// Suffix of the file's name: ".hpp" or ".h".
std::string_view suffix_of(Language language);

/// The text with every character that an identifier cannot hold replaced, and not a word of C or C++.
std::string identifier(std::string_view text);

}  // namespace tactus::generate
