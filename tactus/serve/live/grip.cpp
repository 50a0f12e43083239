#include <tactus/serve/live/grip.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/decompositions.h>

namespace tactus::serve {

namespace {

/// A direction whose mobility is below this part of the easiest one is held by the constraints.
constexpr double kHeld = 1e-6;

using Matrix3 = Eigen::Matrix3d;

Matrix3 skew(const Vec3& r) {
  Matrix3 S;
  S << 0.0, -r.z, r.y, r.z, 0.0, -r.x, -r.y, r.x, 0.0;
  return S;
}

std::array<double, 9> entries(const Matrix3& A) {
  std::array<double, 9> result{};
  for (std::size_t i = 0; i < 9; ++i) result[i] = A(static_cast<int>(i / 3), static_cast<int>(i % 3));
  return result;
}

Matrix3 block(const std::array<double, 36>& L, std::size_t row, std::size_t column) {
  Matrix3 B;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      B(static_cast<int>(i), static_cast<int>(j)) = L[6 * (3 * row + i) + 3 * column + j];
  return B;
}

}  // namespace

ApparentMass ApparentMass::of(const std::array<double, 9>& mobility, double heavy) noexcept {
  Matrix3 A;
  for (std::size_t i = 0; i < 9; ++i) A(static_cast<int>(i / 3), static_cast<int>(i % 3)) = mobility[i];
  A = 0.5 * (A + A.transpose()).eval();
  ApparentMass at;
  if (!A.allFinite()) A.setZero();
  const Eigen::SelfAdjointEigenSolver<Matrix3> modes(A);
  const double easiest = std::max(modes.eigenvalues()[2], 0.0);
  for (std::size_t k = 0; k < 3; ++k) {
    const int column = 2 - static_cast<int>(k);
    const double mobile = modes.eigenvalues()[column];
    at.mass[k] = mobile > kHeld * easiest && mobile > 0.0 ? std::min(1.0 / mobile, heavy) : heavy;
    for (std::size_t i = 0; i < 3; ++i)
      at.direction[k][i] = modes.eigenvectors()(static_cast<int>(i), column);
  }
  return at;
}

double ApparentMass::mean(double heavy) const noexcept {
  double sum = 0.0;
  int count = 0;
  for (const double m : mass)
    if (m < heavy) {
      sum += std::log(m);
      ++count;
    }
  return count == 0 ? heavy : std::exp(sum / count);
}

// A force F at the point is the wrench [r x F; F] at the origin, and the point's acceleration is a + alpha x r.
std::array<double, 9> mobility_of_point(const std::array<double, 36>& L, const Vec3& r) noexcept {
  const Matrix3 S = skew(r);
  return entries(-S * (block(L, 0, 0) * S + block(L, 0, 1)) + block(L, 1, 0) * S + block(L, 1, 1));
}

std::array<double, 9> mobility_of_turning(const std::array<double, 36>& L) noexcept {
  return entries(block(L, 0, 0));
}

std::array<double, 9> mobility_of_free_body(double mass, const Mat3& inertia_W, const Vec3& r) noexcept {
  Matrix3 I;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) I(static_cast<int>(i), static_cast<int>(j)) = inertia_W(i, j);
  const Matrix3 S = skew(r);
  Matrix3 A = Matrix3::Identity() / mass;
  if (I.determinant() > 0.0) A -= S * I.inverse() * S;
  return entries(A);
}

double passive_limit(const ApparentMass& at, double period) noexcept {
  const double root = kShare / period;
  return root * root * at.mass[0];
}

Vec3 spring_force(const Coupling& coupling, const ApparentMass& at, const Vec3& stretch, const Vec3& velocity,
                  double period, bool* clamped) noexcept {
  const double root = kShare / period;
  Vec3 force{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double K = std::min(coupling.stiffness, root * root * at.mass[k]);
    const double B = 2.0 * coupling.ratio * std::sqrt(K * at.mass[k]);
    const Vec3& d = at.direction[k];
    force = force + (K * dot(d, stretch) - B * dot(d, velocity)) * d;
  }
  const double size = std::sqrt(dot(force, force));
  const bool over = size > coupling.force;
  if (clamped != nullptr) *clamped = over;
  return over ? (coupling.force / size) * force : force;
}

Coupling design_coupling(const ApparentMass& at, double heavy, double radius, double gravity,
                         double period) noexcept {
  constexpr double kSlowest = 25.0, kFastest = 70.0;  // [rad/s] of what hangs on the spring: 4 to 11 Hz
  constexpr double kSag = 0.04;                       // of the radius
  const double wanted = std::sqrt(gravity / (kSag * radius));
  const double frequency = std::clamp(wanted, kSlowest, kFastest);
  const double m = at.mean(heavy);
  Coupling coupling;
  coupling.stiffness = std::min(m * frequency * frequency, heavy * kShare * kShare / (period * period));
  // Enough to hold it up, which takes m g at most, and to swing it briskly.
  constexpr double kBrisk = 50.0;  // [m/s^2]
  coupling.force = m * (gravity + kBrisk);
  return coupling;
}

}  // namespace tactus::serve
