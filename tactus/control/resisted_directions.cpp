#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <tactus/control/four_channel.h>

namespace tactus::control {

namespace {

/// Rows count as orthogonal below this cosine, which is some roundings of six products.
constexpr double kOrthogonal = 4e-16;
/// From the rotations of another instant three sweeps do; from none, seven. More means numbers that are no numbers.
constexpr int kMostSweeps = 30;

}  // namespace

ResistedDirections::ResistedDirections(std::uint8_t axes, std::size_t columns) {
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) axis_[axes_++] = i;
  rows_.resize(axes_ * std::max(columns, axes_));
  for (std::size_t i = 0; i < axes_; ++i) v_[i * axes_ + i] = 1.0;
}

// M_d = R R^T, R lower triangular.
void ResistedDirections::factor(const Matrix6& M_d) noexcept {
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
  Matrix6 LR{}, S{};
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = j; k < m; ++k) {
        const double both = 0.5 * (L[6 * axis_[i] + axis_[k]] + L[6 * axis_[k] + axis_[i]]);
        LR[i * m + j] += both * R_[k * m + j];
      }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t k = i; k < m; ++k) S[i * m + j] += R_[k * m + i] * LR[k * m + j];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t c = 0; c < m; ++c) {
      double sum = 0.0;
      for (std::size_t k = 0; k < m; ++k) sum += v_[i * m + k] * S[k * m + c];
      rows_[i * m + c] = sum;
    }
  rotate(m);
  judge(tolerance, fade);
  return result_;
}

// Pairs of rows are turned until all are orthogonal: their lengths are then the singular values, and the rotations' rows the left
// singular vectors. Small singular values come out as exact as the rows are.
void ResistedDirections::rotate(std::size_t n) noexcept {
  const std::size_t m = axes_;
  double largest = 0.0;
  for (std::size_t i = 0; i < m * n; ++i) largest = std::max(largest, rows_[i] * rows_[i]);
  // What is below the rounding of the largest row has no direction of its own.
  const double nothing =
      largest * std::numeric_limits<double>::epsilon() * std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    bool turned = false;
    for (std::size_t i = 0; i + 1 < m; ++i)
      for (std::size_t j = i + 1; j < m; ++j) {
        double aa = 0.0, bb = 0.0, ab = 0.0;
        for (std::size_t c = 0; c < n; ++c) {
          const double a = rows_[i * n + c], b = rows_[j * n + c];
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
        for (std::size_t c = 0; c < n; ++c) turn(rows_[i * n + c], rows_[j * n + c]);
        for (std::size_t c = 0; c < m; ++c) turn(v_[i * m + c], v_[j * m + c]);
      }
    if (!turned) break;
  }
  // The directions are carried from call to call: they are made orthonormal again, once each.
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      double along = 0.0;
      for (std::size_t c = 0; c < m; ++c) along += v_[i * m + c] * v_[k * m + c];
      for (std::size_t c = 0; c < m; ++c) v_[i * m + c] -= along * v_[k * m + c];
    }
    double size = 0.0;
    for (std::size_t c = 0; c < m; ++c) size += v_[i * m + c] * v_[i * m + c];
    // Numbers that were none: begin anew.
    if (!(size > 0.5 && size < 2.0)) {
      for (std::size_t k = 0; k < m * m; ++k) v_[k] = k % (m + 1) == 0 ? 1.0 : 0.0;
      break;
    }
    size = std::sqrt(size);
    for (std::size_t c = 0; c < m; ++c) v_[i * m + c] /= size;
  }
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
