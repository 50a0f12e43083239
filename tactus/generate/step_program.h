// A whole step of the integrator as source text: a short program around straight-line functions.
//
//   k1..k4 = f(t, z), ...   z = [q; u]                           Runge-Kutta of order 4
//   q <- q - W dq,  dq = M^-1 A^T (A M^-1 A^T)^-1 Phi            repeated: Newton, with halving
//   u <- u - du,    du = M^-1 A^T (A M^-1 A^T)^-1 (A u + c)
//
// It is what simulate::Simulation does with `rk4`, operation by operation, for plain coordinates and regular positions: the
// same bits. Where the rows of the constraints come close to depending on each other it stops and says so; the library
// would go on by its rank-revealing road.
#pragma once

#include <string>

#include <tactus/generate/source.h>

namespace tactus::generate {

/// How a language writes the program: what stands before its name ("inline int "), before names of this file, before those of
/// the standard library, and the comment around its explanation.
struct StepWords {
  std::string begin, own, std;
  std::string doc_open, doc_line, doc_close;
};

/// The text of `step`, after the functions.
std::string step_text(const StepProgram& program, const StepWords& words);

}  // namespace tactus::generate
