// Expressions as text and as LaTeX: few parentheses, signs and powers as a reader would write them.
//
// A graph shares its parts; written out, an expression can be exponentially longer than its graph. Where it
// would be longer than PrintOptions::longest, the shared parts get names of their own (z1, z2, ...).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

enum class Notation {
  text,   // 2*cos(q1)*q2_dot^2: what the reader of model files understands
  latex,  // 2\,\dot{q}_{2}^{2}\,\cos q_{1}
};

struct PrintOptions {
  int digits = 0;             // significant digits of numbers; 0: as few as read back to the same number
  std::size_t longest = 200;  // operations that one formula may hold before parts get names
};

/// Formulas of several expressions that share their temporaries.
struct Formulas {
  struct Definition {
    std::string name;
    std::string formula;
  };
  std::vector<Definition> temporaries;  // each uses only those before it
  std::vector<std::string> roots;
};

Formulas print(std::span<const Expr> roots, const Graph& graph, Notation notation, PrintOptions options = {});

/// One expression; where it needs temporaries, "..., where z1 = ..., z2 = ...".
std::string to_text(Expr root, const Graph& graph = Graph::current(), PrintOptions options = {});
std::string to_latex(Expr root, const Graph& graph = Graph::current(), PrintOptions options = {});

/// A number in the given notation (digits as in PrintOptions).
std::string print_number(double value, Notation notation, int digits = 0);

/// A symbol's name in LaTeX: q1 -> q_{1}, theta_2 -> \theta_{2}, q1_dot -> \dot{q}_{1}, tau_elbow ->
/// \tau_{\mathrm{elbow}}, mass -> \mathrm{mass}.
std::string latex_name(std::string_view name);

}  // namespace tactus::algebra
