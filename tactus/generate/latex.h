// Functions as LaTeX: the temporaries line by line, then the results as matrices (or entry by entry where the
// formulas are too long for a matrix).
#pragma once

#include <span>
#include <string>

#include <tactus/algebra/function.h>
#include <tactus/algebra/print.h>

namespace tactus::generate {

struct LatexOptions {
  bool document = false;  // a whole document; otherwise a fragment that needs amsmath
  std::string title = {};
  std::string symbols = {};  // a list of them, in LaTeX
  algebra::PrintOptions print{.digits = 6, .longest = 24};
};

std::string write_latex(std::span<const algebra::Function> functions, const LatexOptions& options = {});

}  // namespace tactus::generate
