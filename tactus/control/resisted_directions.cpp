#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <tactus/control/four_channel.h>

namespace tactus::control {

namespace {

/// Rows count as orthogonal below this cosine, which is some roundings of six products.
constexpr double kOrthogonal = 4e-16;
/// From the rotations of another instant three sweeps do; from none, seven. More means numbers that are no numbers.
constexpr int kMostSweeps = 30;

// The loops below are templates on their sizes, which for planar and spatial devices are constants: the same operations in the same
// order, unrolled. 0: the size is what is given.

/// V S with S = R^T L R, L made symmetric; R lower triangular.
template <std::size_t kSize>
void turned_mobility(std::size_t size, const Matrix6& L, const std::size_t* axis, const double* R,
                     const double* V, double* rows) noexcept {
  const std::size_t m = kSize > 0 ? kSize : size;
  double LR[36] = {}, S[36] = {};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t k = 0; k < m; ++k) {
      const double both = 0.5 * (L[6 * axis[i] + axis[k]] + L[6 * axis[k] + axis[i]]);
      for (std::size_t j = 0; j <= k; ++j) LR[i * m + j] += both * R[k * m + j];
    }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = i; k < m; ++k) S[i * m + j] += R[k * m + i] * LR[k * m + j];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t c = 0; c < m; ++c) {
      double sum = 0.0;
      for (std::size_t k = 0; k < m; ++k) sum += V[i * m + k] * S[k * m + c];
      rows[i * m + c] = sum;
    }
}

/// Pairs of the m rows of n numbers are turned, and those of V with them, until all are orthogonal.
template <std::size_t kRows, std::size_t kColumns>
void turn_rows(std::size_t rows_given, std::size_t columns, double* rows, double* V) noexcept {
  const std::size_t m = kRows > 0 ? kRows : rows_given, n = kColumns > 0 ? kColumns : columns;
  double largest = 0.0;
  for (std::size_t i = 0; i < m * n; ++i) largest = std::max(largest, rows[i] * rows[i]);
  // What is below the rounding of the largest row has no direction of its own.
  const double nothing =
      largest * std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (std::size_t i = 0; i + 1 < m; ++i)
      for (std::size_t j = i + 1; j < m; ++j) {
        double aa = 0.0, bb = 0.0, ab = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
          const double a = rows[i * n + c], b = rows[j * n + c];
          aa += a * a;
          bb += b * b;
          ab += a * b;
        }
        if (!(std::abs(ab) > kOrthogonal * std::sqrt(aa * bb)) || std::min(aa, bb) <= nothing) continue;
        turned = true;
        const double zeta = (bb - aa) / (2.0 * ab);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
        const double cosine = 1.0 / std::sqrt(1.0 + t * t), sine = cosine * t;
        const auto turn = [&](double& a, double& b) {
          const double before = a;
          a = cosine * before - sine * b;
          b = sine * before + cosine * b;
        };
        for (std::size_t c = 0; c < n; ++c) turn(rows[i * n + c], rows[j * n + c]);
        for (std::size_t c = 0; c < m; ++c) turn(V[i * m + c], V[j * m + c]);
      }
    if (!turned) break;
  }
}

/// The directions are carried from call to call: they are made orthonormal again, once each.
template <std::size_t kSize>
void make_orthonormal(std::size_t given, double* V) noexcept {
  const std::size_t m = kSize > 0 ? kSize : given;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double along = 0.0;
      for (std::size_t c = 0; c < m; ++c) along += V[i * m + c] * V[k * m + c];
      for (std::size_t c = 0; c < m; ++c) V[i * m + c] -= along * V[k * m + c];
    }
    double size = 0.0;
    for (std::size_t c = 0; c < m; ++c) size += V[i * m + c] * V[i * m + c];
    // Numbers that were none: begin anew.
    if (!(size > 0.5 && size < 2.0)) {
      for (std::size_t k = 0; k < m * m; ++k) V[k] = k % (m + 1) == 0 ? 1.0 : 0.0;
      break;
    }
    size = std::sqrt(size);
    for (std::size_t c = 0; c < m; ++c) V[i * m + c] /= size;
  }
}

}  // namespace

ResistedDirections::ResistedDirections(std::uint8_t axes, std::size_t columns) {
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) axis_[axes_++] = i;
  rows_.resize(axes_ * std::max(columns, axes_));
  for (std::size_t i = 0; i < axes_; ++i) v_[i * axes_ + i] = 1.0;
}

// M_d = R R^T, R lower triangular.
void ResistedDirections::factor(const Matrix6& M_d) noexcept {
  if (std::memcmp(factored_.data(), M_d.data(), sizeof factored_) == 0) return;
  factored_ = M_d;
  const std::size_t m = axes_;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = M_d[6 * axis_[i] + axis_[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= R_[i * m + k] * R_[j * m + k];
      R_[i * m + j] = i == j ? std::sqrt(sum) : sum / R_[j * m + j];
    }
    for (std::size_t j = i + 1; j < m; ++j) R_[i * m + j] = 0.0;
  }
}

const Resisted& ResistedDirections::by_jacobian(std::span<const double> J, const Matrix6& M_d,
                                                double tolerance, bool fade) noexcept {
  factor(M_d);
  const std::size_t m = axes_, n = std::min(J.size() / 6, rows_.size() / std::max<std::size_t>(m, 1));
  // Rows of V R^T J, with the directions V of the call before.
  Matrix6 VR{};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k <= j; ++k) sum += v_[i * m + k] * R_[j * m + k];
      VR[i * m + j] = sum;
    }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t c = 0; c < n; ++c) {
      double sum = 0.0;
      for (std::size_t j = 0; j < m; ++j) sum += VR[i * m + j] * J[axis_[j] * (J.size() / 6) + c];
      rows_[i * n + c] = sum;
    }
  rotate(n);
  judge(tolerance, fade);
  return result_;
}

const Resisted& ResistedDirections::by_mobility(const Matrix6& L, const Matrix6& M_d, double tolerance,
                                                bool fade) noexcept {
  factor(M_d);
  const std::size_t m = axes_;
  const auto turned = m == 3 ? &turned_mobility<3> : m == 6 ? &turned_mobility<6> : &turned_mobility<0>;
  turned(m, L, axis_.data(), R_.data(), v_.data(), rows_.data());
  rotate(m);
  judge(tolerance, fade);
  return result_;
}

// Pairs of rows are turned until all are orthogonal: their lengths are then the singular values, and the rotations' rows the left
// singular vectors. Small singular values come out as exact as the rows are.
void ResistedDirections::rotate(std::size_t n) noexcept {
  const std::size_t m = axes_;
  const auto turn = m == 3 && n == 3   ? &turn_rows<3, 3>
                    : m == 6 && n == 6 ? &turn_rows<6, 6>
                                       : &turn_rows<0, 0>;
  turn(m, n, rows_.data(), v_.data());
  const auto orthonormalise = m == 3   ? &make_orthonormal<3>
                              : m == 6 ? &make_orthonormal<6>
                                       : &make_orthonormal<0>;
  orthonormalise(m, v_.data());
  for (std::size_t i = 0; i < m; ++i) {
    double size = 0.0;
    for (std::size_t c = 0; c < n; ++c) size += rows_[i * n + c] * rows_[i * n + c];
    result_.s[i] = std::sqrt(size);
  }
}

// n = R^-T v, and its weight.
void ResistedDirections::judge(double tolerance, bool fade) noexcept {
  const std::size_t m = axes_;
  std::array<std::size_t, 6> order{0, 1, 2, 3, 4, 5};
  for (std::size_t i = 1; i < m; ++i)
    for (std::size_t k = i; k > 0 && result_.s[order[k]] < result_.s[order[k - 1]]; --k)
      std::swap(order[k], order[k - 1]);
  const Vector6 s = result_.s;
  result_ = {};
  for (std::size_t place = 0; place < m; ++place) {
    const std::size_t i = order[place];
    result_.s[place] = s[i];
    const double fading = 2.0 - s[i] / tolerance;
    const double weight = fade ? std::clamp(fading, 0.0, 1.0) : s[i] <= tolerance ? 1.0 : 0.0;
    result_.weight[place] = weight;
    if (weight > 0.0) ++result_.count;
    Vector6 n{};
    for (std::size_t row = m; row-- > 0;) {
      double sum = v_[i * m + row];
      for (std::size_t k = row + 1; k < m; ++k) sum -= R_[k * m + row] * n[k];
      n[row] = sum / R_[row * m + row];
    }
    for (std::size_t row = 0; row < m; ++row) result_.n[place][axis_[row]] = n[row];
  }
}

}  // namespace tactus::control
