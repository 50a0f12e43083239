#include <tactus/generate/dialect.h>

#include <cstddef>
#include <iterator>

namespace tactus::generate {

namespace {

constexpr Dialect kDialects[] = {
    {.language = Language::cpp,
     .suffix = ".hpp",
     .std = "std::",
     .head_first = "//",
     .head_line = "//",
     .doc_line = "/// ",
     .remark_open = "/// ",
     .begin_file = "#pragma once\n\n#include <cmath>\n#include <cstdint>\n#include <cstring>\n\n",
     .begin_names = "namespace {name} {\n\n",
     .end_names = "}  // namespace {name}\n\n",
     .begin_function = "inline void "},
    {.language = Language::c,
     .suffix = ".h",
     .head_first = "/*",
     .head_line = " *",
     .head_end = " */",
     .doc_open = "/**\n",
     .doc_line = " * ",
     .doc_close = " */\n",
     .remark_open = "/* ",
     .remark_close = " */",
     .begin_file = "#ifndef {name}_H\n#define {name}_H\n\n"
                   "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n",
     .end_file = "\n#endif\n",
     .begin_function = "static inline void {name}_",
     .own_name = "{name}_"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kDialects); ++i)
    if (static_cast<std::size_t>(kDialects[i].language) != i) return false;
  return true;
}
static_assert(in_order(), "one row for each Language, in the order of the enumeration");

}  // namespace

const Dialect& dialect_of(Language language) { return kDialects[static_cast<std::size_t>(language)]; }

}  // namespace tactus::generate
