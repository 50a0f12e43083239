// Formulas in the shortest form that is found, to be read.
#pragma once

#include <string>
#include <vector>

#include <tactus/algebra/trig_form.h>
#include <tactus/derive/readable/sheet_parts.h>

namespace tactus::derive {

/// Formulas of one graph: as derived, or as trigonometric polynomials.
class ShortestForm {
 public:
  explicit ShortestForm(const algebra::Graph& graph, int digits = 6);

  /// Sets both notations; false where the result is too long to be read.
  bool write(Expr formula, WrittenEquation& equation);

 private:
  const algebra::Graph& graph_;
  int digits_;
  algebra::TrigVariables variables_;
  algebra::TrigConverter convert_;
};

/// The block entry by entry, zeros left out; false where a formula is too long.
bool add_readable(SheetSection& section, const algebra::Block& block, ShortestForm& form,
                  bool upper_triangle = false);

/// Values of the symbols of a function's inputs: the initial state, parameters as the file has them.
std::vector<double> values_at_start(const describe::Model& model, const Function& function,
                                    const std::vector<Expr>& roots, double away);

/// Formulas made plain: roots of squares of sines and cosines taken, fractions reduced, what vanishes identically zero. `notes`
/// says where the roots hold.
void make_plain(const describe::Model& model, const Function& function, std::vector<algebra::Block*> blocks,
                std::vector<std::string>& notes);

}  // namespace tactus::derive
