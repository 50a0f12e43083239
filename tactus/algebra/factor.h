// Sums of products over atoms, written with few operations.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// A polynomial over atoms (any expressions): powers of the atoms -> coefficient.
using AtomPowers = std::vector<int>;
using AtomPolynomial = std::map<AtomPowers, double>;

/// The polynomial in nested form (Horner's scheme for several variables): the atom that occurs in most
/// products is factored out, and so on in both parts.
Expr nested_form(const AtomPolynomial& polynomial, std::span<const Expr> atoms);

}  // namespace tactus::algebra
