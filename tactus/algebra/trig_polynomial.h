// Trigonometric polynomials: the canonical form of a mechanism's equations.
//
//   p(q, x) = sum over terms of  x^e ( c cos(k.q) + s sin(k.q) )
//
// q are angles, k integer harmonics, x other symbols (speeds, lengths, parameters) with powers e >= 0. Two
// expressions of this class are equal if and only if their polynomials are: sin^2 + cos^2 = 1 and all
// addition theorems hold by construction. With z_j = exp(i q_j) this is the ring of real Laurent polynomials,
// so exact division is possible too.
//
// Of k and -k only one is stored: the one whose first non-zero entry is positive.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// A polynomial can have so many angles, and so many other variables.
inline constexpr std::size_t kMaxTrigVariables = 32;

/// Harmonics and powers stay below this.
inline constexpr int kMaxTrigDegree = 100;

/// A coefficient is rounding dust when it is smaller than this part of what it was summed from: double
/// products and sums of a few hundred terms leave some 1e-15.
inline constexpr double kTrigDust = 1e-14;

/// Harmonics k over the angles and powers e over the other variables.
struct TrigKey {
  std::array<std::int8_t, kMaxTrigVariables> k{};
  std::array<std::uint8_t, kMaxTrigVariables> e{};

  bool has_angle() const;
  /// Order of storage; any total order would do.
  friend bool operator<(const TrigKey& x, const TrigKey& y);
  friend bool operator==(const TrigKey& x, const TrigKey& y) = default;
};

struct TrigTerm {
  TrigKey key;
  double c = 0.0;  // of cos(k.q); of 1 where k = 0
  double s = 0.0;  // of sin(k.q)
};

class TrigPolynomial {
 public:
  TrigPolynomial() = default;       // zero
  TrigPolynomial(double constant);  // NOLINT: constants convert, as they do for double
  /// c cos(n q) + s sin(n q) of one angle.
  static TrigPolynomial harmonic(std::size_t angle, int n, double c, double s);
  /// A variable that is not an angle.
  static TrigPolynomial variable(std::size_t index);
  /// From terms in any order, with harmonics of any sign; equal keys are added.
  static TrigPolynomial from_terms(std::vector<TrigTerm> terms);

  const std::vector<TrigTerm>& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  /// The value of a polynomial without variables.
  std::optional<double> constant() const;
  /// How many coefficients are not zero.
  std::size_t coefficient_count() const;
  /// The largest |harmonic| or power.
  int degree() const;
  /// Sum of |c| + |s|: a bound of |p| where all other variables are within [-1, 1].
  double norm() const;

  TrigPolynomial& operator+=(const TrigPolynomial& y);
  TrigPolynomial& operator-=(const TrigPolynomial& y);
  TrigPolynomial& operator*=(const TrigPolynomial& y);
  friend TrigPolynomial operator+(const TrigPolynomial& x, const TrigPolynomial& y);
  friend TrigPolynomial operator-(const TrigPolynomial& x, const TrigPolynomial& y);
  friend TrigPolynomial operator*(const TrigPolynomial& x, const TrigPolynomial& y);
  friend TrigPolynomial operator-(const TrigPolynomial& x);

  /// Derivatives by an angle and by another variable.
  TrigPolynomial angle_derivative(std::size_t angle) const;
  TrigPolynomial variable_derivative(std::size_t index) const;

  double evaluate(std::span<const double> angles, std::span<const double> variables) const;

  /// Without coefficients of magnitude below `threshold`.
  TrigPolynomial without_below(double threshold) const;
  /// Without rounding dust: coefficients below kTrigDust of the norm.
  TrigPolynomial cleaned() const { return without_below(kTrigDust * norm()); }

 private:
  std::vector<TrigTerm> terms_;  // sorted by key, none with c = s = 0
};

inline bool is_zero(const TrigPolynomial& p) { return p.is_zero(); }

/// numerator / denominator where that is a polynomial again (up to rounding); nothing otherwise.
std::optional<TrigPolynomial> divide(const TrigPolynomial& numerator, const TrigPolynomial& denominator);

/// Which symbols the slots of the polynomials stand for. A symbol may be both: in q sin(q) it is a variable
/// and an angle.
class TrigVariables {
 public:
  /// The slot of a symbol, given out at the first call; nothing when all kMaxTrigVariables are taken.
  std::optional<std::size_t> angle_slot(Expr symbol);
  std::optional<std::size_t> variable_slot(Expr symbol);
  const std::vector<Expr>& angles() const { return angles_; }
  const std::vector<Expr>& variables() const { return variables_; }

 private:
  std::vector<Expr> angles_, variables_;
};

/// How far conversion may go before it gives up: the harmonics of a general arm multiply with every
/// joint.
struct TrigLimits {
  std::size_t terms = 20'000;        // of one polynomial
  std::size_t products = 3'000'000;  // of terms, in all conversions together: about a second
};

}  // namespace tactus::algebra
