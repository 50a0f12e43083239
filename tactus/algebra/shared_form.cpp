#include <tactus/algebra/shared_form.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tactus/algebra/common_sums.h>

namespace tactus::algebra {
namespace {

std::vector<Sum> sums_of(std::span<const AtomPolynomial> polynomials) {
  std::vector<Sum> sums;
  std::vector<double> known;  // so that numbers equal but for rounding become equal
  for (const AtomPolynomial& polynomial : polynomials) {
    Sum sum;
    for (const auto& [powers, coefficient] : polynomial) {
      if (coefficient == 0.0) continue;
      SumTerm term;
      const double size = std::fabs(coefficient);
      const auto it =
          std::find_if(known.begin(), known.end(), [&](double k) { return same_coefficient(k, size); });
      term.c = std::copysign(it == known.end() ? size : *it, coefficient);
      if (it == known.end()) known.push_back(size);
      for (std::size_t i = 0; i < powers.size(); ++i) {
        term.l.insert(term.l.end(), static_cast<std::size_t>(powers[i]), static_cast<int>(i));
      }
      sum.push_back(std::move(term));
    }
    sums.push_back(std::move(sum));
  }
  return sums;
}

}  // namespace

std::vector<Expr> shared_forms(std::span<const AtomPolynomial> polynomials, std::span<const Expr> atoms,
                               const SharedFormOptions& options) {
  std::size_t terms = 0;
  for (const AtomPolynomial& p : polynomials) terms += p.size();
  if (terms > options.large_problem) {
    std::vector<Expr> result;
    for (const AtomPolynomial& p : polynomials) result.push_back(nested_form(p, atoms));
    return result;
  }
  const std::vector<Sum> sums = sums_of(polynomials);
  const auto affordable = static_cast<int>(options.all_terms / std::max<std::size_t>(terms, 1));
  const int searches = std::max(1, std::min(options.searches, affordable));
  std::optional<KernelSearch> best;
  for (int n = 0; n < searches; ++n) {
    KernelSearch search(sums, static_cast<int>(atoms.size()), static_cast<unsigned>(n));
    search.run();
    if (!best || search.cost() < best->cost()) best = std::move(search);
  }
  return best->expressions(atoms);
}

}  // namespace tactus::algebra
