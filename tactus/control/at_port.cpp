#include <algorithm>
#include <cmath>

#include <tactus/control/four_channel.h>

namespace tactus::control {

namespace {

/// [1] Of a diagonal element, and of the largest (a radian counting as a metre): what is below is rounding of the mobility.
constexpr double kLeastMobility = 1e-9, kNoMobility = 1e-12;

}  // namespace

bool solve_at_port(const Matrix6& L, std::uint8_t axes, Vector6& rhs) noexcept {
  std::size_t axis[6] = {}, n = 0;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(axes, i)) axis[n++] = i;
  double R[36] = {}, x[6] = {}, largest = 0.0;
  for (std::size_t i = 0; i < 6; ++i) largest = std::max(largest, L[7 * i]);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.5 * (L[6 * axis[i] + axis[j]] + L[6 * axis[j] + axis[i]]);
      for (std::size_t k = 0; k < j; ++k) sum -= R[6 * i + k] * R[6 * j + k];
      if (i == j && !(sum > std::max(kLeastMobility * L[7 * axis[i]], kNoMobility * largest))) return false;
      R[6 * i + j] = i == j ? std::sqrt(sum) : sum / R[7 * j];
    }
  // L x = b by the factors; once more with what is left of b, so that the roundings of the factors are out of it.
  double b[6] = {}, sum[6] = {};
  for (std::size_t i = 0; i < n; ++i) b[i] = rhs[axis[i]];
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = b[i];
      for (std::size_t k = 0; k < n && round > 0; ++k)
        x[i] = std::fma(-L[6 * axis[i] + axis[k]], sum[k], x[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= R[6 * i + k] * x[k];
      x[i] /= R[7 * i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) x[i] -= R[6 * k + i] * x[k];
      x[i] /= R[7 * i];
    }
    for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
  }
  rhs = {};
  for (std::size_t i = 0; i < n; ++i) rhs[axis[i]] = sum[i];
  return true;
}

std::uint8_t movable_axes(const Matrix6& L, std::uint8_t axes) noexcept {
  std::uint8_t found = 0;
  for (const std::size_t i : {3, 4, 5, 0, 1, 2}) {
    const auto more = static_cast<std::uint8_t>(found | 1u << i);
    Vector6 probe{};
    if (device::has_axis(axes, i) && solve_at_port(L, more, probe)) found = more;
  }
  return found;
}

}  // namespace tactus::control
