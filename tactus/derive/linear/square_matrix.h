// Square matrices of expressions, by rows: what derivatives of the motion and Christoffel's symbols are put together from.
#pragma once

#include <cstddef>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::derive {

using SquareMatrix = std::vector<algebra::Expr>;  // n x n by rows

/// A B, without the products that are zero.
inline SquareMatrix times(const SquareMatrix& A, const SquareMatrix& B, std::size_t n) {
  SquareMatrix C(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) {
      if (algebra::is_zero(A[i * n + k])) continue;
      for (std::size_t j = 0; j < n; ++j) C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
  return C;
}

}  // namespace tactus::derive
