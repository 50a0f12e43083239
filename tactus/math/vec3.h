// Three-vectors and 3x3 matrices over any scalar: double, or the expression graph's Expr.
//
// Small on purpose: with Expr every product by a structural zero must fold away as it is written, and with
// double the compiler unrolls all of it. Larger numerical work (decompositions, eigenvalues) is Eigen's.
#pragma once

#include <array>
#include <cstddef>

namespace tactus::math {

template <class S>
struct Vec3 {
  S x{}, y{}, z{};

  S& operator[](std::size_t i) { return i == 0 ? x : i == 1 ? y : z; }
  const S& operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }

  static Vec3 zero() { return {S(0.0), S(0.0), S(0.0)}; }
  static Vec3 unit(std::size_t i) {
    return {S(i == 0 ? 1.0 : 0.0), S(i == 1 ? 1.0 : 0.0), S(i == 2 ? 1.0 : 0.0)};
  }
};

template <class S>
Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
Vec3<S> operator-(const Vec3<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class S>
Vec3<S> operator*(const S& k, const Vec3<S>& a) {
  return {k * a.x, k * a.y, k * a.z};
}
template <class S>
S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A 3x3 matrix by rows: m[row][col].
template <class S>
struct Mat3 {
  std::array<std::array<S, 3>, 3> m{};

  S& operator()(std::size_t row, std::size_t col) { return m[row][col]; }
  const S& operator()(std::size_t row, std::size_t col) const { return m[row][col]; }

  Vec3<S> row(std::size_t i) const { return {m[i][0], m[i][1], m[i][2]}; }
  Vec3<S> col(std::size_t j) const { return {m[0][j], m[1][j], m[2][j]}; }

  Mat3 transposed() const {
    Mat3 t;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) t.m[i][j] = m[j][i];
    return t;
  }

  static Mat3 identity() { return diagonal(S(1.0), S(1.0), S(1.0)); }
  static Mat3 diagonal(const S& x, const S& y, const S& z) {
    Mat3 d;
    for (auto& row : d.m) row = {S(0.0), S(0.0), S(0.0)};
    d.m[0][0] = x;
    d.m[1][1] = y;
    d.m[2][2] = z;
    return d;
  }
  static Mat3 zero() { return diagonal(S(0.0), S(0.0), S(0.0)); }
  static Mat3 from_columns(const Vec3<S>& a, const Vec3<S>& b, const Vec3<S>& c) {
    Mat3 r;
    for (std::size_t i = 0; i < 3; ++i) r.m[i] = {a[i], b[i], c[i]};
    return r;
  }
};

template <class S>
Mat3<S> operator+(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c.m[i][j] = a.m[i][j] + b.m[i][j];
  return c;
}
template <class S>
Mat3<S> operator-(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c.m[i][j] = a.m[i][j] - b.m[i][j];
  return c;
}
template <class S>
Mat3<S> operator*(const S& k, const Mat3<S>& a) {
  Mat3<S> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) c.m[i][j] = k * a.m[i][j];
  return c;
}
template <class S>
Mat3<S> operator*(const Mat3<S>& a, const Mat3<S>& b) {
  Mat3<S> c;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
template <class S>
Vec3<S> operator*(const Mat3<S>& a, const Vec3<S>& v) {
  return {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
          a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
          a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
/// a^T v, without forming the transpose.
template <class S>
Vec3<S> transpose_times(const Mat3<S>& a, const Vec3<S>& v) {
  return {a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
          a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
          a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
/// The matrix of the cross product: skew(a) b = a x b.
template <class S>
Mat3<S> skew(const Vec3<S>& a) {
  Mat3<S> c = Mat3<S>::zero();
  c.m[0][1] = -a.z;
  c.m[0][2] = a.y;
  c.m[1][0] = a.z;
  c.m[1][2] = -a.x;
  c.m[2][0] = -a.y;
  c.m[2][1] = a.x;
  return c;
}

/// A rigid placement X_AB: orientation R_AB (columns: B's axes in A) and position p_AoBo_A.
template <class S>
struct Pose {
  Mat3<S> R = Mat3<S>::identity();
  Vec3<S> p = Vec3<S>::zero();
};

/// X_AC = X_AB X_BC
template <class S>
Pose<S> operator*(const Pose<S>& X_AB, const Pose<S>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}
template <class S>
Pose<S> inverse(const Pose<S>& X_AB) {
  return {X_AB.R.transposed(), -transpose_times(X_AB.R, X_AB.p)};
}

}  // namespace tactus::math
