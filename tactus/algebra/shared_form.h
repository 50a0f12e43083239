// Several sums of products, written together with few operations.
//
// Input: polynomials over common atoms. Output: expressions in which factors are taken out (a b + a c = a (b
// + c)) and sub-sums and products that occur more than once, also with another factor, are computed once. The
// method is the greedy extraction of kernels known from logic synthesis, with real coefficients: a pattern is
// a sum of two products
//
//   p = c1 L1 + c2 L2          (L1, L2 without a common factor)
//
// and it occurs wherever a polynomial holds two terms  f m c1 L1 + f m c2 L2  with one number f and one
// product m. The pattern that saves most becomes a new atom, and so on; larger common sub-sums grow out of
// pairs. Greedy choices are short-sighted, so the search is repeated with disturbed choices (always the same
// ones) and the best result is kept.
#pragma once

#include <span>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/algebra/factor.h>

namespace tactus::algebra {

struct SharedFormOptions {
  int searches = 40;                // repetitions with disturbed choices
  std::size_t all_terms = 6000;     // of all repetitions together: large problems get fewer, at least one
  std::size_t large_problem = 300;  // terms; above, each polynomial in nested form on its own
};

std::vector<Expr> shared_forms(std::span<const AtomPolynomial> polynomials, std::span<const Expr> atoms,
                               const SharedFormOptions& options = {});

}  // namespace tactus::algebra
