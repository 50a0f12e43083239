// Formulas in LaTeX that fit a page: how wide they are when set, and where they may be broken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus::algebra {

/// [pt] Of a line of 17 cm, what formulas in 10 pt may take: the widths below are good to a few percent.
inline constexpr double kLatexLine = 400.0;

/// [pt] How wide a formula is in 10 pt, about: what print() and latex_name() write, in the letters of Computer Modern.
double latex_width(std::string_view formula);

/// The formula in lines: `first` [pt] of room for the first one, `room` for the others. Broken before signs, outside of parentheses
/// where that is possible, then inside, then between factors; parentheses around a break get a fixed size. Fractions, roots and cases
/// are never broken: those that are wider than a line become products, powers, and cases whose values have lines of their own.
std::vector<std::string> latex_lines(const std::string& formula, double first, double room);

/// Lines of an align* environment: left side, right side broken so that it fits, for each. `\\` stands between them.
struct LatexEquation {
  std::string left, right;
};
std::string latex_align(const std::vector<LatexEquation>& equations);

/// The head of a document, up to where its own settings follow. T1 fonts only where there are scalable ones: without them pdflatex makes bitmaps by a
/// program that small installations do not have.
inline constexpr std::string_view kLatexHead =
    "\\documentclass{article}\n"
    "\\IfFileExists{lmodern.sty}{\\usepackage[T1]{fontenc}\\usepackage{lmodern}}"
    "{\\IfFileExists{type1ec.sty}{\\usepackage[T1]{fontenc}}{}}\n"
    "\\usepackage[margin=2cm]{geometry}\n\\usepackage{amsmath}\n";

/// Plain text for LaTeX: what would be a command or a sign of its own is not, and what pdflatex has no letter for is its number, "[U+5173]".
std::string latex_text(std::string_view text);

}  // namespace tactus::algebra
