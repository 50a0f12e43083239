#include <tactus/algebra/common_sums.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace tactus::algebra {

bool same_coefficient(double x, double y) {
  constexpr double kRounding = 1e-11;
  return std::fabs(x - y) <= kRounding * std::max(std::fabs(x), std::fabs(y));
}

namespace {

bool is_unit(double x) { return same_coefficient(std::fabs(x), 1.0); }

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

}  // namespace

KernelSearch::KernelSearch(std::vector<Sum> outputs, int atoms, unsigned seed)
    : sums_(std::move(outputs)),
      outputs_(sums_.size()),
      atoms_(atoms),
      random_(seed),
      disturbed_(seed != 0) {}

void KernelSearch::run() {
  while (step()) {
  }
}

int KernelSearch::cost() const {
  int total = 0;
  for (const Sum& sum : sums_) {
    if (!sum.empty()) total += static_cast<int>(sum.size()) - 1;
    for (const SumTerm& term : sum) total += products(term.c, term.l.size());
  }
  return total;
}

std::vector<Expr> KernelSearch::expressions(std::span<const Expr> atoms) const {
  std::vector<std::optional<Expr>> made(sums_.size());
  std::vector<Expr> result;
  for (std::size_t i = 0; i < outputs_; ++i) result.push_back(make(i, atoms, made));
  return result;
}

double KernelSearch::disturb(int saving) {
  if (!disturbed_) return saving;
  return saving * std::uniform_real_distribution<double>(0.7, 1.3)(random_);
}

Expr KernelSearch::make(std::size_t index, std::span<const Expr> atoms,
                        std::vector<std::optional<Expr>>& made) const {
  if (made[index]) return *made[index];
  const auto literal = [&](int l) {
    return l < atoms_ ? atoms[static_cast<std::size_t>(l)]
                      : make(outputs_ + static_cast<std::size_t>(l - atoms_), atoms, made);
  };
  Expr sum = 0.0;
  for (const SumTerm& term : sums_[index]) {
    Expr product = 1.0;
    for (const int l : term.l) product *= literal(l);
    sum += Expr(term.c) * product;
  }
  made[index] = sum;
  return sum;
}

std::pair<Literals, Literals> KernelSearch::pattern_of(const Occurrence& o) const {
  const Sum& sum = sums_[o.sum];
  const Literals &a = sum[o.first].l, &b = sum[o.second].l;
  return {without(a, b), without(b, a)};
}

void KernelSearch::find_pairs(std::size_t s) {
  const Sum& sum = sums_[s];
  std::vector<Occurrence>& pairs = pairs_[s];
  pairs.clear();
  for (std::size_t i = 0; i + 1 < sum.size(); ++i) {
    for (std::size_t j = i + 1; j < sum.size(); ++j) {
      std::uint64_t of_i = 1, of_j = 1;
      std::size_t common = 0;
      auto a = sum[i].l.begin(), b = sum[j].l.begin();
      const auto a_end = sum[i].l.end(), b_end = sum[j].l.end();
      while (a != a_end || b != b_end) {
        if (b == b_end || (a != a_end && *a < *b)) {
          of_i = mixed(of_i, static_cast<std::uint64_t>(*a++));
        } else if (a == a_end || *b < *a) {
          of_j = mixed(of_j, static_cast<std::uint64_t>(*b++));
        } else {
          ++common, ++a, ++b;
        }
      }
      Occurrence o;
      o.sum = s;
      o.first = of_i < of_j ? i : j;
      o.second = of_i < of_j ? j : i;
      o.common = common;
      o.scale = sum[o.first].c;
      o.ratio = sum[o.second].c / o.scale;
      // Ratios that agree but for rounding have the same key (or, rarely, are missed).
      int exponent = 0;
      const double mantissa = std::frexp(o.ratio, &exponent);
      const auto digits = static_cast<std::int64_t>(std::llround(mantissa * 17179869184.0));  // 2^34
      o.key =
          mixed(mixed(mixed(std::min(of_i, of_j), std::max(of_i, of_j)), static_cast<std::uint64_t>(digits)),
                static_cast<std::uint64_t>(exponent + 4096));
      pairs.push_back(o);
    }
  }
}

std::uint64_t KernelSearch::mixed(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdull;
  return h ^ (h >> 32);
}

void KernelSearch::collect_patterns() {
  pairs_.resize(sums_.size());
  changed_.resize(sums_.size(), true);
  std::size_t count = 0;
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    if (changed_[s]) find_pairs(s);
    changed_[s] = false;
    count += pairs_[s].size();
  }
  // Pairs with equal keys, chained in the order in which they were met.
  std::size_t slots = 64;
  while (slots < 2 * count) slots *= 2;
  table_.assign(slots, 0);
  next_.assign(count, 0);
  all_.clear();
  groups_.clear();
  for (const std::vector<Occurrence>& pairs : pairs_) {
    for (const Occurrence& o : pairs) {
      const auto index = static_cast<std::uint32_t>(all_.size());
      all_.push_back(&o);
      std::size_t slot = o.key & (slots - 1);
      while (table_[slot] != 0 && all_[groups_[table_[slot] - 1].first]->key != o.key)
        slot = (slot + 1) & (slots - 1);
      if (table_[slot] == 0) {
        groups_.push_back({index, index, 1});
        table_[slot] = static_cast<std::uint32_t>(groups_.size());
      } else {
        Group& group = groups_[table_[slot] - 1];
        next_[group.last] = index;
        group.last = index;
        ++group.size;
      }
    }
  }
}

void KernelSearch::gather(const Group& group, Occurrences& found) const {
  found.clear();
  std::uint32_t index = group.first;
  for (std::uint32_t n = 0; n < group.size; ++n, index = next_[index]) found.push_back(all_[index]);
}

int KernelSearch::occurrence_saving(const Occurrence& o, double scale) const {
  const Sum& sum = sums_[o.sum];
  return products(sum[o.first].c, sum[o.first].l.size()) + products(sum[o.second].c, sum[o.second].l.size()) +
         1 - products(o.scale / scale, o.common + 1);
}

int KernelSearch::definition_cost(const Occurrence& o, double scale) const {
  const Sum& sum = sums_[o.sum];
  return products(scale, sum[o.first].l.size() - o.common) +
         products(scale * o.ratio, sum[o.second].l.size() - o.common) + 1;
}

int KernelSearch::select(const Occurrences& all, double scale, Occurrences* chosen) const {
  int saving = -definition_cost(*all.front(), scale);
  std::vector<std::pair<std::size_t, std::size_t>> used;
  for (const Occurrence* o : all) {
    const auto taken = [&](std::size_t term) {
      return std::find(used.begin(), used.end(), std::pair(o->sum, term)) != used.end();
    };
    if (taken(o->first) || taken(o->second)) continue;
    const int one = occurrence_saving(*o, scale);
    if (one <= 0) continue;
    if (all.size() > 1) {
      used.emplace_back(o->sum, o->first);
      used.emplace_back(o->sum, o->second);
    }
    saving += one;
    if (chosen != nullptr) chosen->push_back(o);
  }
  return saving;
}

void KernelSearch::consider(Choice choice, Choice& best) {
  if (choice.saving <= 0) return;
  choice.gain = disturb(choice.saving);
  if (choice.gain > best.gain) best = choice;
}

bool KernelSearch::step() {
  Choice best;
  collect_patterns();
  Occurrences all;
  std::vector<double> scales;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Occurrence& o = *all_[groups_[g].first];
    // Alone, without a common factor or number, a pair saves nothing.
    if (groups_[g].size == 1 && o.common == 0 && !is_unit(o.ratio)) continue;
    gather(groups_[g], all);
    scales = {1.0, 1.0 / o.ratio};
    for (const Occurrence* other : all) {
      if (std::none_of(scales.begin(), scales.end(),
                       [&](double s) { return same_coefficient(std::fabs(s), std::fabs(other->scale)); })) {
        scales.push_back(other->scale);
      }
    }
    Choice here;
    for (const double scale : scales) {
      const int saving = select(all, scale, nullptr);
      if (saving > here.saving) here = {0.0, saving, static_cast<int>(g), scale};
    }
    consider(here, best);
  }
  consider_products(best);
  if (best.saving <= 0) return false;
  if (best.group >= 0) {
    gather(groups_[static_cast<std::size_t>(best.group)], all);
    extract(all, best.scale);
  } else {
    extract_product(best);
  }
  return true;
}

void KernelSearch::consider_products(Choice& best) {
  std::map<std::pair<int, int>, int> pairs;
  std::map<int, std::vector<std::pair<double, int>>> scaled;
  for (const Sum& sum : sums_) {
    for (const SumTerm& term : sum) {
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
          return same_coefficient(entry.first, std::fabs(term.c));
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

int KernelSearch::new_literal(Sum definition) {
  sums_.push_back(std::move(definition));
  return atoms_ + static_cast<int>(sums_.size() - outputs_) - 1;
}

void KernelSearch::extract(const Occurrences& all, double scale) {
  Occurrences selected;
  select(all, scale, &selected);
  std::vector<Occurrence> chosen;
  const auto [l1, l2] = pattern_of(*selected.front());
  for (const Occurrence* o : selected) {
    if (pattern_of(*o) == std::pair(l1, l2)) chosen.push_back(*o);  // unless two keys collided
  }
  const int literal = new_literal({{scale, l1}, {scale * chosen.front().ratio, l2}});
  std::vector<std::pair<std::size_t, std::size_t>> dead;
  for (const Occurrence& o : chosen) {
    SumTerm& term = sums_[o.sum][o.first];
    double factor = o.scale / scale;
    if (is_unit(factor)) factor = factor < 0.0 ? -1.0 : 1.0;
    term.l = without(term.l, l1);
    term.l.insert(std::upper_bound(term.l.begin(), term.l.end(), literal), literal);
    term.c = factor;
    dead.emplace_back(o.sum, o.second);
    changed_[o.sum] = true;
  }
  std::sort(dead.rbegin(), dead.rend());
  for (const auto& [sum, term] : dead) {
    sums_[sum].erase(sums_[sum].begin() + static_cast<std::ptrdiff_t>(term));
  }
}

void KernelSearch::extract_product(const Choice& choice) {
  const bool scaled = choice.a == -1;
  const int literal = atoms_ + static_cast<int>(sums_.size() - outputs_);
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    for (SumTerm& term : sums_[s]) {
      const Literals wanted = scaled ? Literals{choice.b} : Literals{choice.a, choice.b};
      if (!std::includes(term.l.begin(), term.l.end(), wanted.begin(), wanted.end())) continue;
      if (scaled) {
        if (!same_coefficient(std::fabs(term.c), choice.coefficient)) continue;
        term.c = term.c < 0.0 ? -1.0 : 1.0;
      }
      changed_[s] = true;
      term.l = without(term.l, wanted);
      term.l.insert(std::upper_bound(term.l.begin(), term.l.end(), literal), literal);
    }
  }
  SumTerm definition;
  definition.c = scaled ? choice.coefficient : 1.0;
  definition.l = scaled ? Literals{choice.b} : Literals{choice.a, choice.b};
  new_literal({definition});
}

}  // namespace tactus::algebra
