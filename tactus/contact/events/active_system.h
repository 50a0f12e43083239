// Accelerations of a mechanism with rows that are on at the moment:
//
//   M udot = Q + B^T lambda,   A udot = gamma           M [n x n], A and B [m x n]
//
// B differs from A where a contact slides: its normal force brings friction with it,
// B_n = A_n - mu (slip direction).A_t. With M = L^T D L (derive/recursion/sparse_factor.h) and Z = L^-T
// applied to the rows,
//
//   S = Z_A D^-1 Z_B^T = G U
//   S lambda = gamma - Z_A D^-1 L^-T Q
//   udot = L^-1 D^-1 (L^-T Q + Z_B^T lambda)
//
// G unit lower triangular, U upper triangular, without exchange of rows. The order of the operations is
// fixed, and adding a structural zero changes no bit: the template run on numbers (the general path, for any
// set of rows) and the code generated from the template run on expressions (for one set) give the same bits.
//
// health_k = U_kk / (Z_A D^-1 Z_A^T)_kk tells how independent row k is of those before it: 1 at right angles,
// 0 where it depends on them; friction can make it negative (then the motion may have no solution, or
// several: Painleve's paradox). Rows of bilateral constraints have a natural size; they are measured by that
// where they have become smaller, so that a row that vanishes is seen too. They come first: their health is
// that of the constraints alone, whatever touches.
#pragma once

#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/derive/recursion/sparse_factor.h>

namespace tactus::contact {

/// What expressions have under another name, for numbers too.
inline double larger(double x, double y) { return x > y ? x : y; }
inline algebra::Expr larger(algebra::Expr x, algebra::Expr y) { return max(x, y); }

/// x <- L^-T x, with the factors of derive::factorise.
template <class S>
void towards_ground(const std::vector<int>& parents, std::size_t n, const S* factors, S* x) {
  for (std::size_t i = n; i-- > 0;)
    for (int j = parents[i]; j >= 0; j = parents[static_cast<std::size_t>(j)])
      x[j] = x[j] - factors[i * n + static_cast<std::size_t>(j)] * x[i];
}
/// x <- L^-1 D^-1 x.
template <class S>
void from_ground(const std::vector<int>& parents, std::size_t n, const S* factors, S* x) {
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = x[i] * factors[i * n + i];
    for (int j = parents[i]; j >= 0; j = parents[static_cast<std::size_t>(j)])
      x[i] = x[i] - factors[i * n + static_cast<std::size_t>(j)] * x[static_cast<std::size_t>(j)];
  }
}

/// The rows of a set, and what comes out. Memory for up to `most` rows; m of them are in use.
template <class S>
struct ActiveSystem {
  ActiveSystem(std::vector<int> speed_parents, std::size_t most)
      : parents(std::move(speed_parents)),
        n(parents.size()),
        M(n * n, S(0.0)),
        udot(n, S(0.0)),
        A(most * n, S(0.0)),
        B(most * n, S(0.0)),
        gamma(most, S(0.0)),
        lambda(most, S(0.0)),
        health(most, S(0.0)),
        size(most, 0.0),
        y(n, S(0.0)),
        GU(most * most, S(0.0)),
        inverse_of_U(most, S(0.0)) {}

  std::vector<int> parents;
  std::size_t n = 0, m = 0;
  std::vector<S> M;          // [n x n] in: the mass matrix; out: its factors
  std::vector<S> udot;       // [n] in: Q
  std::vector<S> A, B;       // [m x n] in: the rows; out: Z_A, Z_B
  std::vector<S> gamma;      // [m]
  std::vector<S> lambda;     // [m]
  std::vector<S> health;     // [m]
  std::vector<double> size;  // [m] in: natural size; 0 where a row has none
  std::vector<S> y, GU, inverse_of_U;

  void factor_mass() { derive::factorise(parents, static_cast<int>(n), M.data()); }

  /// The whole of it.
  void solve() {
    factor_mass();
    towards_ground(parents, n, M.data(), udot.data());
    for (std::size_t k = 0; k < m; ++k) {
      towards_ground(parents, n, M.data(), &A[k * n]);
      towards_ground(parents, n, M.data(), &B[k * n]);
    }
    for (std::size_t k = 0; k < m; ++k) eliminate_row(k);
    for (std::size_t k = m; k-- > 0;) {
      for (std::size_t l = k + 1; l < m; ++l) lambda[k] = lambda[k] - GU[k * m + l] * lambda[l];
      lambda[k] = lambda[k] * inverse_of_U[k];
    }
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < n; ++i) udot[i] = udot[i] + B[k * n + i] * lambda[k];
    from_ground(parents, n, M.data(), udot.data());
  }

  /// After solve(): `force` [n] becomes what it adds to udot, the rows held (A udot = 0), S lambda = -Z_A D^-1 L^-T force;
  /// `more` [m] gets lambda.
  void respond(S* force, S* more) const {
    towards_ground(parents, n, M.data(), force);
    for (std::size_t k = 0; k < m; ++k) {
      more[k] = S(0.0);
      for (std::size_t i = 0; i < n; ++i) more[k] = more[k] - A[k * n + i] * M[i * n + i] * force[i];
      for (std::size_t l = 0; l < k; ++l) more[k] = more[k] - GU[k * m + l] * more[l];
    }
    for (std::size_t k = m; k-- > 0;) {
      for (std::size_t l = k + 1; l < m; ++l) more[k] = more[k] - GU[k * m + l] * more[l];
      more[k] = more[k] * inverse_of_U[k];
    }
    for (std::size_t k = 0; k < m; ++k)
      for (std::size_t i = 0; i < n; ++i) force[i] = force[i] + B[k * n + i] * more[k];
    from_ground(parents, n, M.data(), force);
  }

 private:
  /// Row k of S = G U, and of the forward substitution.
  void eliminate_row(std::size_t k) {
    const S* a = &A[k * n];
    S right = gamma[k], square(0.0);
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = a[i] * M[i * n + i];
      square = square + y[i] * a[i];
      right = right - y[i] * udot[i];
    }
    for (std::size_t l = 0; l < m; ++l) {
      S s(0.0);
      for (std::size_t i = 0; i < n; ++i) s = s + y[i] * B[l * n + i];
      const std::size_t before = l < k ? l : k;
      for (std::size_t p = 0; p < before; ++p) s = s - GU[k * m + p] * GU[p * m + l];
      GU[k * m + l] = l < k ? s * inverse_of_U[l] : s;
    }
    for (std::size_t l = 0; l < k; ++l) right = right - GU[k * m + l] * lambda[l];
    lambda[k] = right;
    health[k] = GU[k * m + k] / (size[k] > 0.0 ? larger(square, S(size[k] * size[k])) : square);
    inverse_of_U[k] = S(1.0) / GU[k * m + k];
  }
};

}  // namespace tactus::contact
