// Least squares that see the rank, of matrices with a few rows and columns: the singular value decomposition by rotations of
// columns [Hestenes1958], in memory that the caller gives.
//
//   a = u diag(s) v^T,   u^T u = v^T v = I,   s_1 >= s_2 >= ...                as many as the lesser of rows and columns
//
// Columns i, j of W (at first a, or its transpose where that has more rows) are turned in their plane until they are orthogonal,
//
//   tan 2 phi = 2 w_i.w_j/(w_j.w_j - w_i.w_i),   the smaller angle
//
// all pairs in turn, until none is left; then the columns' lengths are s, their directions u, the product of the turns v. A column
// shorter than rounding of the whole is left alone: it is nothing.
//
// What stands between the two marks is compiled into the library, and pasted as it is into generated code, in C++ and in C
// (pasted_kernels.h): the same text, the same bits. It is written in what both languages share.
#pragma once

#include <cmath>

namespace tactus::control {

// kernel begins
/// Of two columns.
inline double rank_dot(int n, const double* a, const double* b) {
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/// Turns the columns of w [rows x cols, column by column] until they are orthogonal, and those of z [cols x cols] with them.
inline void rank_turn_columns(int rows, int cols, double* w, double* z) {
  const double rounding = 2.220446049250313e-16;
  const double nothing = rounding * rounding * rank_dot(rows * cols, w, w);
  for (int i = 0; i < cols; ++i)
    for (int j = 0; j < cols; ++j) z[i * cols + j] = i == j ? 1.0 : 0.0;
  for (int sweep = 0; sweep < 30; ++sweep) {
    int turned_any = 0;
    for (int i = 0; i + 1 < cols; ++i) {
      for (int j = i + 1; j < cols; ++j) {
        double* a = w + i * rows;
        double* b = w + j * rows;
        const double aa = rank_dot(rows, a, a), bb = rank_dot(rows, b, b), ab = rank_dot(rows, a, b);
        if (!(aa > nothing && bb > nothing && std::fabs(ab) > rounding * std::sqrt(aa * bb))) continue;
        const double zeta = (bb - aa) / (2.0 * ab);
        const double tangent = (zeta < 0.0 ? -1.0 : 1.0) / (std::fabs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent), sine = cosine * tangent;
        turned_any = 1;
        for (int k = 0; k < rows; ++k) {
          const double x = a[k], y = b[k];
          a[k] = cosine * x - sine * y;
          b[k] = sine * x + cosine * y;
        }
        for (int k = 0; k < cols; ++k) {
          const double x = z[i * cols + k], y = z[j * cols + k];
          z[i * cols + k] = cosine * x - sine * y;
          z[j * cols + k] = sine * x + cosine * y;
        }
      }
    }
    if (turned_any == 0) break;
  }
}

/// a [rows x cols] = u diag(s) v^T with u [rows x k], s [k], v [cols x k], k the lesser of rows and cols; all column by column.
inline void rank_decompose(int rows, int cols, const double* a, double* u, double* s, double* v) {
  const int tall = rows >= cols ? 1 : 0;
  const int k = tall ? cols : rows, n = tall ? rows : cols;
  double* w = tall ? u : v;
  double* z = tall ? v : u;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) w[tall ? j * rows + i : i * cols + j] = a[j * rows + i];
  rank_turn_columns(n, k, w, z);
  for (int i = 0; i < k; ++i) {
    s[i] = std::sqrt(rank_dot(n, w + i * n, w + i * n));
    for (int j = 0; j < n; ++j) w[i * n + j] = s[i] > 0.0 ? w[i * n + j] / s[i] : 0.0;
  }
  /* The largest first. */
  for (int i = 0; i + 1 < k; ++i) {
    int most = i;
    for (int j = i + 1; j < k; ++j)
      if (s[j] > s[most]) most = j;
    if (most == i) continue;
    const double value = s[i];
    s[i] = s[most];
    s[most] = value;
    for (int j = 0; j < n; ++j) {
      const double entry = w[i * n + j];
      w[i * n + j] = w[most * n + j];
      w[most * n + j] = entry;
    }
    for (int j = 0; j < k; ++j) {
      const double entry = z[i * k + j];
      z[i * k + j] = z[most * k + j];
      z[most * k + j] = entry;
    }
  }
}

/// x [cols] += the least with a x = r in the least squares, singular values up to `nothing` taken as none.
inline void rank_add_solution(int rows, int cols, const double* u, const double* s, const double* v,
                              const double* r, double nothing, double* x) {
  const int k = rows >= cols ? cols : rows;
  for (int i = 0; i < k; ++i) {
    if (!(s[i] > nothing)) continue;
    const double along = rank_dot(rows, u + i * rows, r) / s[i];
    for (int j = 0; j < cols; ++j) x[j] += along * v[i * cols + j];
  }
}

/// Takes out of the rows of b [rows x cols, column by column] what lies along the directions v of singular values above `nothing`.
inline void rank_take_out(int rows, int cols, int k, const double* s, const double* v, double nothing,
                          double* b) {
  for (int i = 0; i < k; ++i) {
    if (!(s[i] > nothing)) continue;
    for (int row = 0; row < rows; ++row) {
      double part = 0.0;
      for (int j = 0; j < cols; ++j) part += b[j * rows + row] * v[i * cols + j];
      for (int j = 0; j < cols; ++j) b[j * rows + row] -= part * v[i * cols + j];
    }
  }
}
// kernel ends

}  // namespace tactus::control
