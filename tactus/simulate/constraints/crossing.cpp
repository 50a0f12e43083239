#include <tactus/simulate/constraints/crossing.h>

#include <cmath>

namespace tactus::simulate {

namespace {

constexpr double kNodes[Crossing::kPlaces] = {1.0, -1.0, 2.0, -2.0, 3.0, -3.0};

/// Lagrange's polynomial of the j-th of the first `count` nodes, at x.
double lagrange(std::size_t j, std::size_t count, double x) {
  double value = 1.0;
  for (std::size_t k = 0; k < count; ++k)
    if (k != j) value *= (x - kNodes[k]) / (kNodes[j] - kNodes[k]);
  return value;
}

}  // namespace

bool Crossing::place(double part) {
  constexpr std::size_t kInner = 4;
  width_ = part * full_width_;
  const double at = -until_ / width_;
  if (!(std::abs(at) <= 1.0)) return false;
  for (std::size_t j = 0; j < kPlaces; ++j) {
    shift_[j] = until_ + kNodes[j] * width_;
    weight_[j] = lagrange(j, kPlaces, at);
    inner_weight_[j] = j < kInner ? lagrange(j, kInner, at) : 0.0;
  }
  return true;
}

}  // namespace tactus::simulate
