#include <tactus/simulate/constraints/crossing.h>

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

void Crossing::place(double until, double width) {
  constexpr std::size_t kInner = 4;
  width_ = width;
  for (std::size_t j = 0; j < kPlaces; ++j) {
    shift_[j] = until + kNodes[j] * width;
    weight_[j] = lagrange(j, kPlaces, -until / width);
    inner_weight_[j] = j < kInner ? lagrange(j, kInner, -until / width) : 0.0;
  }
}

}  // namespace tactus::simulate
