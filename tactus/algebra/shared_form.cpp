#include <tactus/algebra/shared_form.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <unordered_map>

#include <tactus/base/check.h>

namespace tactus::algebra {
namespace {

/// Two coefficients are the same number when they differ by rounding only.
constexpr double kSameCoefficient = 1e-11;

bool same(double x, double y) {
  return std::fabs(x - y) <= kSameCoefficient * std::max(std::fabs(x), std::fabs(y));
}
bool is_unit(double x) { return same(std::fabs(x), 1.0); }

using Literals = std::vector<int>;  // sorted, with repetitions: x^2 y = {x, x, y}

struct Term {
  double c = 0.0;
  Literals l;
};
using Sum = std::vector<Term>;

/// Products in a term: between its literals, and by its coefficient.
int products(double c, std::size_t literals) {
  if (literals == 0) return 0;
  return static_cast<int>(literals) - 1 + (is_unit(c) ? 0 : 1);
}

Literals without(const Literals& l, const Literals& m) {
  Literals rest;
  std::set_difference(l.begin(), l.end(), m.begin(), m.end(), std::back_inserter(rest));
  return rest;
}

/// One state of the search: outputs first, then the definitions of the atoms found.
class Search {
 public:
  Search(std::vector<Sum> outputs, int atoms, unsigned seed)
      : sums_(std::move(outputs)),
        outputs_(sums_.size()),
        atoms_(atoms),
        random_(seed),
        disturbed_(seed != 0) {}

  void run() {
    while (step()) {
    }
  }

  int cost() const {
    int total = 0;
    for (const Sum& sum : sums_) {
      if (!sum.empty()) total += static_cast<int>(sum.size()) - 1;
      for (const Term& term : sum) total += products(term.c, term.l.size());
    }
    return total;
  }

  std::vector<Expr> expressions(std::span<const Expr> atoms) const {
    std::vector<std::optional<Expr>> made(sums_.size());
    std::vector<Expr> result;
    for (std::size_t i = 0; i < outputs_; ++i) result.push_back(make(i, atoms, made));
    return result;
  }

 private:
  struct Occurrence {
    std::size_t sum = 0, first = 0, second = 0;
    double scale = 0.0;      // coefficient of L1
    std::size_t common = 0;  // number of literals in m
  };
  struct Pattern {
    Literals l1, l2;
    double ratio = 0.0;  // c2 / c1
    std::vector<Occurrence> occurrences;
  };
  struct Choice {
    double gain = 0.0;  // disturbed
    int saving = 0;
    // A sum pattern:
    const Pattern* pattern = nullptr;
    double scale = 1.0;
    // or a product of two literals, or of a coefficient (literal -1) and a literal:
    int a = -2, b = -2;
    double coefficient = 1.0;
  };

  double disturb(int saving) {
    if (!disturbed_) return saving;
    return saving * std::uniform_real_distribution<double>(0.7, 1.3)(random_);
  }

  Expr make(std::size_t index, std::span<const Expr> atoms, std::vector<std::optional<Expr>>& made) const {
    if (made[index]) return *made[index];
    const auto literal = [&](int l) {
      return l < atoms_ ? atoms[static_cast<std::size_t>(l)]
                        : make(outputs_ + static_cast<std::size_t>(l - atoms_), atoms, made);
    };
    Expr sum = 0.0;
    for (const Term& term : sums_[index]) {
      Expr product = 1.0;
      for (const int l : term.l) product *= literal(l);
      sum += Expr(term.c) * product;
    }
    made[index] = sum;
    return sum;
  }

  void collect_patterns() {
    patterns_.clear();
    index_.clear();
    for (std::size_t s = 0; s < sums_.size(); ++s) {
      const Sum& sum = sums_[s];
      for (std::size_t i = 0; i + 1 < sum.size(); ++i) {
        for (std::size_t j = i + 1; j < sum.size(); ++j) {
          Literals common;
          std::set_intersection(sum[i].l.begin(), sum[i].l.end(), sum[j].l.begin(), sum[j].l.end(),
                                std::back_inserter(common));
          Literals l1 = without(sum[i].l, common), l2 = without(sum[j].l, common);
          std::size_t first = i, second = j;
          if (l2 < l1) {
            std::swap(l1, l2);
            std::swap(first, second);
          }
          const double ratio = sum[second].c / sum[first].c;
          pattern_of(std::move(l1), std::move(l2), ratio)
              .occurrences.push_back({s, first, second, sum[first].c, common.size()});
        }
      }
    }
  }

  Pattern& pattern_of(Literals l1, Literals l2, double ratio) {
    auto& same_literals = index_[{l1, l2}];
    for (const std::size_t p : same_literals) {
      if (same(patterns_[p].ratio, ratio)) return patterns_[p];
    }
    same_literals.push_back(patterns_.size());
    patterns_.push_back({std::move(l1), std::move(l2), ratio, {}});
    return patterns_.back();
  }

  /// What one occurrence saves when the pattern has the given scale.
  int occurrence_saving(const Occurrence& o, double scale) const {
    const Sum& sum = sums_[o.sum];
    return products(sum[o.first].c, sum[o.first].l.size()) +
           products(sum[o.second].c, sum[o.second].l.size()) + 1 - products(o.scale / scale, o.common + 1);
  }
  int definition_cost(const Pattern& p, double scale) const {
    return products(scale, p.l1.size()) + products(scale * p.ratio, p.l2.size()) + 1;
  }

  /// Disjoint occurrences, and their saving with that scale.
  int select(const Pattern& p, double scale, std::vector<const Occurrence*>* chosen) const {
    int saving = -definition_cost(p, scale);
    std::vector<std::pair<std::size_t, std::size_t>> used;
    for (const Occurrence& o : p.occurrences) {
      const auto taken = [&](std::size_t term) {
        return std::find(used.begin(), used.end(), std::pair(o.sum, term)) != used.end();
      };
      if (taken(o.first) || taken(o.second)) continue;
      const int one = occurrence_saving(o, scale);
      if (one <= 0) continue;
      used.emplace_back(o.sum, o.first);
      used.emplace_back(o.sum, o.second);
      saving += one;
      if (chosen != nullptr) chosen->push_back(&o);
    }
    return saving;
  }

  void consider(Choice choice, Choice& best) {
    if (choice.saving <= 0) return;
    choice.gain = disturb(choice.saving);
    if (choice.gain > best.gain) best = choice;
  }

  bool step() {
    Choice best;
    collect_patterns();
    for (const Pattern& p : patterns_) {
      std::vector<double> scales{1.0, 1.0 / p.ratio};
      for (const Occurrence& o : p.occurrences) {
        if (std::none_of(scales.begin(), scales.end(),
                         [&](double s) { return same(std::fabs(s), std::fabs(o.scale)); })) {
          scales.push_back(o.scale);
        }
      }
      Choice here;
      for (const double scale : scales) {
        const int saving = select(p, scale, nullptr);
        if (saving > here.saving) here = {0.0, saving, &p, scale};
      }
      consider(here, best);
    }
    consider_products(best);
    if (best.saving <= 0) return false;
    if (best.pattern != nullptr) {
      extract(*best.pattern, best.scale);
    } else {
      extract_product(best);
    }
    return true;
  }

  void consider_products(Choice& best) {
    std::map<std::pair<int, int>, int> pairs;
    std::map<int, std::vector<std::pair<double, int>>> scaled;
    for (const Sum& sum : sums_) {
      for (const Term& term : sum) {
        for (std::size_t i = 0; i < term.l.size(); ++i) {
          if (i > 0 && term.l[i] == term.l[i - 1]) {
            if (i == 1 || term.l[i] != term.l[i - 2]) ++pairs[{term.l[i], term.l[i]}];
            continue;
          }
          for (std::size_t j = i + 1; j < term.l.size(); ++j) {
            if (term.l[j] != term.l[i] && term.l[j] != term.l[j - 1]) ++pairs[{term.l[i], term.l[j]}];
          }
          if (is_unit(term.c)) continue;
          auto& list = scaled[term.l[i]];
          const auto it = std::find_if(list.begin(), list.end(), [&](const auto& entry) {
            return same(entry.first, std::fabs(term.c));
          });
          if (it == list.end()) {
            list.emplace_back(std::fabs(term.c), 1);
          } else {
            ++it->second;
          }
        }
      }
    }
    for (const auto& [pair, count] : pairs) {
      Choice choice;
      choice.saving = count - 1;
      choice.a = pair.first;
      choice.b = pair.second;
      consider(choice, best);
    }
    for (const auto& [literal, list] : scaled) {
      for (const auto& [coefficient, count] : list) {
        Choice choice;
        choice.saving = count - 1;
        choice.a = -1;
        choice.b = literal;
        choice.coefficient = coefficient;
        consider(choice, best);
      }
    }
  }

  int new_literal(Sum definition) {
    sums_.push_back(std::move(definition));
    return atoms_ + static_cast<int>(sums_.size() - outputs_) - 1;
  }

  void extract(const Pattern& p, double scale) {
    std::vector<const Occurrence*> chosen;
    select(p, scale, &chosen);
    const int literal = new_literal({{scale, p.l1}, {scale * p.ratio, p.l2}});
    std::vector<std::pair<std::size_t, std::size_t>> dead;
    for (const Occurrence* o : chosen) {
      Sum& sum = sums_[o->sum];
      Term& term = sum[o->first];
      double factor = o->scale / scale;
      if (is_unit(factor)) factor = factor < 0.0 ? -1.0 : 1.0;
      term.l = without(term.l, p.l1);
      term.l.insert(std::upper_bound(term.l.begin(), term.l.end(), literal), literal);
      term.c = factor;
      dead.emplace_back(o->sum, o->second);
    }
    std::sort(dead.rbegin(), dead.rend());
    for (const auto& [sum, term] : dead) {
      sums_[sum].erase(sums_[sum].begin() + static_cast<std::ptrdiff_t>(term));
    }
  }

  void extract_product(const Choice& choice) {
    const bool scaled = choice.a == -1;
    const int literal = atoms_ + static_cast<int>(sums_.size() - outputs_);
    for (Sum& sum : sums_) {
      for (Term& term : sum) {
        const Literals wanted = scaled ? Literals{choice.b} : Literals{choice.a, choice.b};
        if (!std::includes(term.l.begin(), term.l.end(), wanted.begin(), wanted.end())) continue;
        if (scaled) {
          if (!same(std::fabs(term.c), choice.coefficient)) continue;
          term.c = term.c < 0.0 ? -1.0 : 1.0;
        }
        term.l = without(term.l, wanted);
        term.l.insert(std::upper_bound(term.l.begin(), term.l.end(), literal), literal);
      }
    }
    Term definition;
    definition.c = scaled ? choice.coefficient : 1.0;
    definition.l = scaled ? Literals{choice.b} : Literals{choice.a, choice.b};
    new_literal({definition});
  }

  std::vector<Sum> sums_;
  std::size_t outputs_;
  int atoms_;
  std::minstd_rand random_;
  bool disturbed_;
  std::vector<Pattern> patterns_;
  std::map<std::pair<Literals, Literals>, std::vector<std::size_t>> index_;
};

std::vector<Sum> sums_of(std::span<const AtomPolynomial> polynomials) {
  std::vector<Sum> sums;
  std::vector<double> known;  // so that numbers equal but for rounding become equal
  for (const AtomPolynomial& polynomial : polynomials) {
    Sum sum;
    for (const auto& [powers, coefficient] : polynomial) {
      if (coefficient == 0.0) continue;
      Term term;
      const double size = std::fabs(coefficient);
      const auto it = std::find_if(known.begin(), known.end(), [&](double k) { return same(k, size); });
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
  const int searches = terms > options.small_problem ? 1 : options.searches;
  std::optional<Search> best;
  for (int n = 0; n < searches; ++n) {
    Search search(sums, static_cast<int>(atoms.size()), static_cast<unsigned>(n));
    search.run();
    if (!best || search.cost() < best->cost()) best = std::move(search);
  }
  return best->expressions(atoms);
}

}  // namespace tactus::algebra
