// Functions as source text: one self-contained header in C++17 or C99 that needs nothing but the standard
// library.
//
// The text follows the tape line by line, carries the sine and cosine of math/sincos.h with it, and switches
// off, for itself, the compiler's freedom to fuse and reorder: it gives the bits that the kernels give, by GCC
// and Clang with any -O, -march and with -ffast-math. (It is fast only where the target has FMA, as with -march=native or
// -mfma.)
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/calculus.h>
#include <tactus/algebra/function.h>

namespace tactus::generate {

enum class Language { cpp, c };  // what they write differently: dialect.h

/// What the loops of a StepProgram need to know, besides the functions.
struct StepLimits {
  double healthy_pivot = 0.0;  // of distances by the rows' sizes, and of pivots
  double held = 0.0;           // [m, rad; of speeds by the fastest] errors below this are left alone
  double follows = 0.0;    // errors of rows that are set aside, by their sizes; beyond, they do not follow
  double amplified = 0.0;  // or this many times the errors of the held ones
  double constraint_limit = 0.0;  // [m, rad] a constraint held no better than this is lost
  double speed_limit = 0.0;       // [rad/s, m/s] a motion that is faster has diverged
  int newton_steps = 0, halvings = 0, velocity_steps = 0;
};

/// A whole step of the integrator: a short program around straight-line functions (step_program.h).
struct StepProgram {
  algebra::Function dynamics;               // t q u tau [wrench] -> udot qdot [lambda distances pivots]
  algebra::Function rates;                  // t q u -> qdot
  std::optional<algebra::Function> errors;  // t q u -> Phi velocity: of all rows
  std::optional<algebra::Function> position_step;                // t q error -> du distances pivots
  std::optional<algebra::Function> velocity_step;                // the same
  std::size_t rows = 0;                                          // of the model's constraints
  std::vector<std::size_t> active, held, held_positions, aside;  // indices of rows
  std::vector<double> sizes;                                     // [rows] natural ones
  StepLimits limits;

  /// The functions, in the order in which they must be written.
  std::vector<algebra::Function> functions() const;
};

/// How a language writes a program: what stands before a function's type ("static inline "), before names of this file, before
/// those of the standard library, and the comment above a function.
struct SourceWords {
  std::string qualifier, own, std;
  std::string doc_open, doc_line, doc_close;
};

/// Code with loops and branches around straight-line functions: a controller, say.
struct SourceProgram {
  std::string name;                          // of what is called from outside
  std::vector<algebra::Function> functions;  // that it calls, by their names
  std::vector<std::string_view> kernels;     // texts in C that it calls, each written once (pasted_text())
  bool sines = false;                        // it calls sincos_of()
  std::function<std::string(const SourceWords&)> text;
};

/// Functions that are compiled into the library too, as a language writes them: what stands between the marks `// kernel begins` and
/// `// kernel ends` of a header, in what C++ and C share. Its functions' names stand alone at the beginning of their definitions.
std::string pasted_text(std::string_view header, const SourceWords& words);

struct SourceOptions {
  Language language = Language::cpp;
  std::string name = "mechanism";     // namespace in C++, prefix of all names in C; made an identifier
  std::string about;                  // what the functions belong to, one line for the head of the file
  const StepProgram* step = nullptr;  // its functions, and `step` itself, are written after the others
  std::span<const SourceProgram> programs = {};  // and these after them
};

/// The text of the header. Blocks of a function become one pointer each, inputs first; outputs are written
/// last, so that they may be the same arrays as inputs.
std::string write_source(std::span<const algebra::Function> functions, const SourceOptions& options);

/// Suffix of the file's name: ".hpp" or ".h".
std::string_view suffix_of(Language language);

/// The text with every character that an identifier cannot hold replaced, and not a word of C or C++.
std::string identifier(std::string_view text);

/// The operations of a function's code: a fused one is a product and a sum.
algebra::OperationCount operations_of(const algebra::Function& function);

}  // namespace tactus::generate
