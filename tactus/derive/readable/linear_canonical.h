// The linear model about a point of a motion, from the canonical form, exact or abbreviated.
//
//   delta tau = M delta udot + C delta u + K delta q,  C = d tau/d u,  K = d tau/d q   [Clover1996, II (39)]
//
// Differentiation comes first and abbreviation after it: the factors of u_m in C, and of 1, udot_m and u_m
// u_n in K, are trigonometric sums of their own. So K may hold a term whose origin fell below the threshold
// in D: differentiation multiplies it by its harmonic. Friction adds the viscous slope of its branch (at rest
// the one of u >= 0) to C.
#pragma once

#include <optional>
#include <vector>

#include <tactus/derive/readable/abbreviate.h>
#include <tactus/derive/readable/canonical.h>
#include <tactus/derive/readable/state_space.h>

namespace tactus::derive {

class LinearCanonical {
 public:
  /// Exact without a rule.
  explicit LinearCanonical(const CanonicalModel& full, std::optional<Abbreviation> rule = std::nullopt);

  int size() const { return model_.size(); }
  /// The elements, without rotors (M) and friction (C).
  const TrigPolynomial& M(int i, int j) const { return M_[index(i, j)]; }
  const TrigPolynomial& C(int i, int j) const { return C_[index(i, j)]; }
  const TrigPolynomial& K(int i, int j) const { return K_[index(i, j)]; }
  Expr friction_slope(int i) const { return slopes_[static_cast<std::size_t>(i)]; }
  const CanonicalModel& model() const { return model_; }

  /// The matrices at a point, with rotors and (as the model's options say) friction.
  LinearMatrices evaluate(const MotionPoint& at) const;

  /// M, C, K as a function of t q u udot, written with few operations.
  Function function() const;

 private:
  std::size_t index(int i, int j) const { return static_cast<std::size_t>(i * model_.size() + j); }

  CanonicalModel model_;
  std::vector<TrigPolynomial> M_, C_, K_;
  std::vector<Expr> slopes_;  // of friction
};

}  // namespace tactus::derive
