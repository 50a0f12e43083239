// Moving mass moments between frames.
#pragma once

#include <tactus/derive/tree/tree.h>

namespace tactus::derive {

template <class S>
Mat3<S> matrix_of(const SecondMoments<S>& I) {
  Mat3<S> A;
  A.m[0] = {I.xx, I.xy, I.xz};
  A.m[1] = {I.xy, I.yy, I.yz};
  A.m[2] = {I.xz, I.yz, I.zz};
  return A;
}

template <class S>
SecondMoments<S> moments_of(const Mat3<S>& A) {
  return {A(0, 0), A(1, 1), A(2, 2), A(0, 1), A(0, 2), A(1, 2)};
}

template <class S>
SecondMoments<S> operator+(const SecondMoments<S>& a, const SecondMoments<S>& b) {
  return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
}

/// Mass moments (m, h, Sigma) about a frame's origin.
template <class S>
struct MassMoments {
  S m{};
  Vec3<S> h = Vec3<S>::zero();
  SecondMoments<S> sigma;
};

/// The same mass seen from frame A, when B stands at X_AB:
///   h_A = m p + R h,   Sigma_A = m p p^T + p (R h)^T + (R h) p^T + R Sigma R^T
template <class S>
MassMoments<S> seen_from(const Pose<S>& X_AB, const MassMoments<S>& B) {
  const Vec3<S>& p = X_AB.p;
  const Vec3<S> Rh = X_AB.R * B.h;
  Mat3<S> A = X_AB.R * matrix_of(B.sigma) * X_AB.R.transposed();
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      A(i, j) = A(i, j) + (B.m * p[i] * p[j] + (p[i] * Rh[j] + Rh[i] * p[j]));
  return {B.m, B.m * p + Rh, moments_of(A)};
}

template <class S>
void add_mass(Link<S>& link, const MassMoments<S>& mass) {
  link.m = link.m + mass.m;
  link.h = link.h + mass.h;
  link.sigma = link.sigma + mass.sigma;
}

/// Sigma about the centre of mass from the inertia matrix there: 1/2 trace(I) 1 - I.
template <class S>
SecondMoments<S> second_moments_from_inertia(const Mat3<S>& I) {
  const S half = S(0.5) * (I(0, 0) + I(1, 1) + I(2, 2));
  return {half - I(0, 0), half - I(1, 1), half - I(2, 2), -I(0, 1), -I(0, 2), -I(1, 2)};
}

}  // namespace tactus::derive
