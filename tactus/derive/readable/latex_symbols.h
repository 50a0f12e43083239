// The names that a model's equations print, so that different ones stay different symbols in LaTeX.
#pragma once

#include <tactus/algebra/latex_names.h>
#include <tactus/describe/model/model.h>

namespace tactus::derive {

/// Coordinates, speeds, their rates, forces, parameters, definitions.
algebra::LatexNames latex_symbols(const describe::Model& model);

}  // namespace tactus::derive
