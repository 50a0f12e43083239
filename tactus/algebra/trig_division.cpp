// Exact division of trigonometric polynomials, as Laurent polynomials in z_j = exp(i q_j):
//
//   c cos(k.q) + s sin(k.q) = (c - i s)/2 z^k + (c + i s)/2 z^-k
//
// The exponents, compared lexicographically, are totally ordered, and the order survives multiplication by a
// monomial. So the leading term of a product is the product of the leading terms, and long division finds the
// quotient term by term from the top. It is exact if and only if every exponent found lies in the box that
// the extreme exponents of numerator and denominator leave for the quotient, and nothing remains.
#include <tactus/algebra/trig_polynomial.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace tactus::algebra {
namespace {

using Exponents = std::array<std::int16_t, 2 * kMaxTrigVariables>;
using Complex = std::complex<double>;
using Laurent = std::map<Exponents, Complex>;

/// Coefficients below this part of the numerator's largest are taken for zero: the division's own rounding (a
/// few 1e-16 per step, some tens of steps) stays below, structural coefficients above.
constexpr double kRemainderDust = 1e-12;

Laurent laurent_of(const TrigPolynomial& p, int direction) {
  Laurent terms;
  for (const TrigTerm& term : p.terms()) {
    Exponents up{}, down{};
    for (std::size_t i = 0; i < kMaxTrigVariables; ++i) {
      up[i] = down[i] = static_cast<std::int16_t>(direction * term.key.e[i]);
      up[kMaxTrigVariables + i] = static_cast<std::int16_t>(direction * term.key.k[i]);
      down[kMaxTrigVariables + i] = static_cast<std::int16_t>(-up[kMaxTrigVariables + i]);
    }
    if (up == down) {
      terms[up] += term.c;
    } else {
      terms[up] += Complex(0.5 * term.c, -0.5 * term.s);
      terms[down] += Complex(0.5 * term.c, 0.5 * term.s);
    }
  }
  return terms;
}

struct Box {
  Exponents low{}, high{};
};

Box box_of(const Laurent& p) {
  Box box{p.begin()->first, p.begin()->first};
  for (const auto& [e, value] : p) {
    for (std::size_t i = 0; i < e.size(); ++i) {
      box.low[i] = std::min(box.low[i], e[i]);
      box.high[i] = std::max(box.high[i], e[i]);
    }
  }
  return box;
}

TrigPolynomial real_form(const Laurent& p, int direction) {
  std::vector<TrigTerm> terms;
  for (const auto& [e, value] : p) {
    TrigTerm term;
    for (std::size_t i = 0; i < kMaxTrigVariables; ++i) {
      term.key.e[i] = static_cast<std::uint8_t>(direction * e[i]);
      term.key.k[i] = static_cast<std::int8_t>(direction * e[kMaxTrigVariables + i]);
    }
    // z^k and z^-k both contribute: Re(v z^k) = Re v cos - Im v sin.
    term.c = value.real();
    term.s = -value.imag();
    terms.push_back(term);
  }
  return TrigPolynomial::from_terms(std::move(terms));
}

}  // namespace

std::optional<TrigPolynomial> divide(const TrigPolynomial& numerator, const TrigPolynomial& denominator) {
  if (denominator.is_zero()) return std::nullopt;
  if (numerator.is_zero()) return TrigPolynomial();
  if (const auto constant = denominator.constant()) return numerator * TrigPolynomial(1.0 / *constant);

  // From the top or from the bottom: whichever leading coefficient of the denominator is larger divides more
  // exactly. (Between z^k and z^-k they are equal; powers of other variables make the difference.)
  int direction = 1;
  Laurent d = laurent_of(denominator, direction);
  if (std::abs(d.begin()->second) > std::abs(d.rbegin()->second)) d = laurent_of(denominator, direction = -1);
  Laurent n = laurent_of(numerator, direction);

  const Box box_n = box_of(n), box_d = box_of(d);
  Box box_q;
  for (std::size_t i = 0; i < box_q.low.size(); ++i) {
    box_q.low[i] = static_cast<std::int16_t>(box_n.low[i] - box_d.low[i]);
    box_q.high[i] = static_cast<std::int16_t>(box_n.high[i] - box_d.high[i]);
    if (box_q.low[i] > box_q.high[i]) return std::nullopt;
    // Only angles have negative exponents.
    if (i < kMaxTrigVariables && std::min(direction * box_q.low[i], direction * box_q.high[i]) < 0)
      return std::nullopt;
  }
  double largest = 0.0;
  for (const auto& [e, value] : n) largest = std::max(largest, std::abs(value));

  Laurent quotient;
  const auto& [lead_e, lead_value] = *d.rbegin();
  while (!n.empty()) {
    const auto [top_e, top_value] = *n.rbegin();
    if (std::abs(top_value) <= kRemainderDust * largest) {
      n.erase(std::prev(n.end()));
      continue;
    }
    Exponents e{};
    for (std::size_t i = 0; i < e.size(); ++i) {
      e[i] = static_cast<std::int16_t>(top_e[i] - lead_e[i]);
      if (e[i] < box_q.low[i] || e[i] > box_q.high[i]) return std::nullopt;
    }
    const Complex value = top_value / lead_value;
    quotient.emplace(e, value);
    for (const auto& [ed, vd] : d) {
      Exponents at{};
      for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::int16_t>(ed[i] + e[i]);
      n[at] -= value * vd;
    }
    n.erase(top_e);
  }
  const TrigPolynomial result = real_form(quotient, direction).cleaned();
  // The quotient of real polynomials is real; what rounding left of an imaginary part, real_form() has
  // dropped.
  const TrigPolynomial remainder = result * denominator - numerator;
  if (remainder.norm() >
      kRemainderDust * static_cast<double>(numerator.terms().size() + 1) * numerator.norm()) {
    return std::nullopt;
  }
  return result;
}

}  // namespace tactus::algebra
