// What the source languages of source.h write differently. A language that computes as C does is a row here and
// a name in `Language`; one that does not (a document, say) is a writer of its own and a row in forms.cpp.
#pragma once

#include <string_view>

#include <tactus/generate/source.h>

namespace tactus::generate {

/// Pieces of text. {name} stands for the file's name, made an identifier.
struct Dialect {
  Language language = Language::cpp;
  std::string_view suffix = {};  // of the file's name
  std::string_view std = {};     // before names of the standard library
  // The comment at the head of the file: before the first line, before the others, after the last.
  std::string_view head_first = {}, head_line = {}, head_end = {};
  // The comment above a function: lines around it, and what stands before each of its own.
  std::string_view doc_open = {}, doc_line = {}, doc_close = {};
  std::string_view remark_open = {}, remark_close = {};  // a comment of one line
  std::string_view begin_file = {}, end_file = {};       // guard and includes; the end of the guard
  std::string_view begin_names = {}, end_names = {};     // a namespace, where there is one
  std::string_view begin_function = {};                  // before a function's own name
  std::string_view own_name = {};                        // before a call of a function of this file
};

const Dialect& dialect_of(Language language);

}  // namespace tactus::generate
