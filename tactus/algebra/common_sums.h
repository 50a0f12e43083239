// The greedy extraction of kernels behind shared_form.h: one search, from flat sums of products to sums over
// extracted patterns.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <tactus/algebra/expr.h>

namespace tactus::algebra {

/// Factors of a product by index, sorted, with repetitions: x^2 y = {x, x, y}.
using Literals = std::vector<int>;

struct SumTerm {
  double c = 0.0;
  Literals l;
};
using Sum = std::vector<SumTerm>;

/// Whether two coefficients are the same number: they differ by rounding only.
bool same_coefficient(double x, double y);

class KernelSearch {
 public:
  /// Seed 0 takes the best step every time; any other seed disturbs the choices.
  KernelSearch(std::vector<Sum> outputs, int atoms, unsigned seed);

  void run();
  /// Additions and products of what has been found.
  int cost() const;
  /// The outputs, over the given atoms.
  std::vector<Expr> expressions(std::span<const Expr> atoms) const;

 private:
  /// Two terms of one sum: f m c1 L1 + f m c2 L2.
  struct Occurrence {
    std::uint64_t key = 0;  // of L1, L2 and the ratio c2 / c1
    std::size_t sum = 0, first = 0, second = 0;
    std::size_t common = 0;  // number of literals in m
    double scale = 0.0;      // coefficient of L1
    double ratio = 0.0;
  };
  using Occurrences = std::vector<const Occurrence*>;
  struct Group {
    std::uint32_t first = 0, last = 0, size = 0;  // into all_
  };
  struct Choice {
    double gain = 0.0;  // disturbed
    int saving = 0;
    // A sum pattern:
    int group = -1;
    double scale = 1.0;
    // or a product of two literals, or of a coefficient (literal -1) and a literal:
    int a = -2, b = -2;
    double coefficient = 1.0;
  };

  double disturb(int saving);
  /// The expression of one sum; those it uses are made on the way.
  Expr make(std::size_t index, std::span<const Expr> atoms, std::vector<std::optional<Expr>>& made) const;
  /// L1 and L2 of a pair of terms.
  std::pair<Literals, Literals> pattern_of(const Occurrence& o) const;
  /// The pairs of one sum.
  void find_pairs(std::size_t s);
  static std::uint64_t mixed(std::uint64_t h, std::uint64_t v);
  /// All pairs of all sums, grouped by pattern.
  void collect_patterns();
  void gather(const Group& group, Occurrences& found) const;
  /// What one occurrence saves when the pattern has the given scale.
  int occurrence_saving(const Occurrence& o, double scale) const;
  int definition_cost(const Occurrence& o, double scale) const;
  /// Disjoint occurrences, and their saving with that scale.
  int select(const Occurrences& all, double scale, Occurrences* chosen) const;
  void consider(Choice choice, Choice& best);
  /// Extracts the pattern or product that saves most; false where nothing saves.
  bool step();
  void consider_products(Choice& best);
  int new_literal(Sum definition);
  void extract(const Occurrences& all, double scale);
  void extract_product(const Choice& choice);

  std::vector<Sum> sums_;  // outputs first, then the definitions of the literals found
  std::size_t outputs_;
  int atoms_;
  std::minstd_rand random_;
  bool disturbed_;
  std::vector<std::vector<Occurrence>> pairs_;  // of each sum
  std::vector<bool> changed_;                   // sums whose pairs must be found again
  Occurrences all_;                             // of all sums
  std::vector<Group> groups_;                   // of equal keys
  std::vector<std::uint32_t> table_, next_;     // hash table of the groups; the chain within each
};

}  // namespace tactus::algebra
