#include <tactus/algebra/factor.h>

#include <algorithm>

namespace tactus::algebra {

Expr nested_form(const AtomPolynomial& polynomial, std::span<const Expr> atoms) {
  if (polynomial.empty()) return 0.0;
  std::vector<int> uses(atoms.size(), 0);
  for (const auto& [powers, coefficient] : polynomial) {
    for (std::size_t i = 0; i < powers.size(); ++i) uses[i] += powers[i] > 0 ? 1 : 0;
  }
  const auto most = std::max_element(uses.begin(), uses.end());
  if (most == uses.end() || *most == 0) return polynomial.begin()->second;
  const auto atom = static_cast<std::size_t>(most - uses.begin());
  if (*most == 1) {
    // Nothing is shared: a plain sum of products, constants gathered outside.
    Expr sum = 0.0;
    for (const auto& [powers, coefficient] : polynomial) {
      Expr product = 1.0;
      for (std::size_t i = 0; i < powers.size(); ++i) product *= pow(atoms[i], powers[i]);
      sum += coefficient * product;
    }
    return sum;
  }
  AtomPolynomial inside, outside;
  for (const auto& [powers, coefficient] : polynomial) {
    if (powers[atom] > 0) {
      AtomPowers fewer = powers;
      --fewer[atom];
      inside.emplace(std::move(fewer), coefficient);
    } else {
      outside.emplace(powers, coefficient);
    }
  }
  return atoms[atom] * nested_form(inside, atoms) + nested_form(outside, atoms);
}

}  // namespace tactus::algebra
