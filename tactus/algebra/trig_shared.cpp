#include <tactus/algebra/trig_shared.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <tactus/algebra/calculus.h>

namespace tactus::algebra {
namespace {

/// Weights of two harmonics count as equal when they differ by rounding only.
constexpr double kEqualWeight = 1e-11;

using Harmonics = std::array<std::int8_t, kMaxTrigVariables>;

/// coefficient * e * (cos or sin of k.q).
struct Wave {
  const TrigKey* key = nullptr;
  bool sine = false;
  double coefficient = 0.0;
  bool used = false;
};

class Builder {
 public:
  explicit Builder(const TrigVariables& variables) : variables_(variables), atoms_(variables.variables()) {}

  void add(const TrigPolynomial& p, bool pairing) {
    products_.emplace_back();
    std::vector<Wave> waves;
    for (const TrigTerm& term : p.terms()) {
      if (!term.key.has_angle()) {
        emit(term.key, term.c, std::nullopt, std::nullopt);
        continue;
      }
      if (term.c != 0.0) waves.push_back({&term.key, false, term.c, false});
      if (term.s != 0.0) waves.push_back({&term.key, true, term.s, false});
    }
    for (std::size_t i = 0; i < waves.size(); ++i) {
      if (waves[i].used) continue;
      if (pairing && emit_pair(waves, i)) continue;
      const auto [atom, sign] = wave_atom(waves[i].key->k, waves[i].sine);
      emit(*waves[i].key, sign * waves[i].coefficient, atom, std::nullopt);
    }
  }

  std::vector<Expr> expressions(const SharedFormOptions& options) const {
    std::vector<AtomPolynomial> polynomials;
    for (const auto& products : products_) {
      AtomPolynomial& sum = polynomials.emplace_back();
      for (const Product& product : products) {
        AtomPowers powers(atoms_.size(), 0);
        for (const auto& [atom, power] : product.powers) powers[atom] += power;
        sum[powers] += product.coefficient;
      }
    }
    return shared_forms(polynomials, atoms_, options);
  }

 private:
  struct Product {
    double coefficient;
    std::vector<std::pair<std::size_t, int>> powers;
  };

  /// The atom cos(k.q) or sin(k.q), and the sign that the sine of a turned phase brings.
  std::pair<std::size_t, double> wave_atom(const Harmonics& k, bool sine) {
    Expr phase = 0.0;
    for (std::size_t i = 0; i < variables_.angles().size(); ++i) {
      phase += static_cast<double>(k[i]) * variables_.angles()[i];
    }
    const bool turned = phase.op() == Op::neg;
    if (turned) phase = phase.a();
    const Expr atom = sine ? sin(phase) : cos(phase);
    const auto [it, is_new] = index_.try_emplace(atom.node(), atoms_.size());
    if (is_new) atoms_.push_back(atom);
    return {it->second, turned && sine ? -1.0 : 1.0};
  }

  bool emit_pair(std::vector<Wave>& waves, std::size_t i) {
    Wave& x = waves[i];
    for (std::size_t j = i + 1; j < waves.size(); ++j) {
      Wave& y = waves[j];
      if (y.used || y.sine != x.sine || y.key->e != x.key->e) continue;
      const double size = std::fabs(x.coefficient);
      if (std::fabs(std::fabs(y.coefficient) - size) > kEqualWeight * size) continue;
      Harmonics half_sum{}, half_difference{};
      bool even = true;
      for (std::size_t n = 0; n < kMaxTrigVariables && even; ++n) {
        even = (x.key->k[n] + y.key->k[n]) % 2 == 0;
        half_sum[n] = static_cast<std::int8_t>((x.key->k[n] + y.key->k[n]) / 2);
        half_difference[n] = static_cast<std::int8_t>((x.key->k[n] - y.key->k[n]) / 2);
      }
      if (!even) continue;
      const bool plus = (x.coefficient > 0.0) == (y.coefficient > 0.0);
      // cos + cos = 2 cc, cos - cos = -2 ss, sin + sin = 2 sc, sin - sin = 2 cs
      const bool first_sine = x.sine == plus, second_sine = !plus;
      const double factor = !x.sine && !plus ? -2.0 : 2.0;
      const auto [first, first_sign] = wave_atom(half_sum, first_sine);
      const auto [second, second_sign] = wave_atom(half_difference, second_sine);
      emit(*x.key, factor * first_sign * second_sign * x.coefficient, first, second);
      x.used = y.used = true;
      return true;
    }
    return false;
  }

  void emit(const TrigKey& key, double coefficient, std::optional<std::size_t> first,
            std::optional<std::size_t> second) {
    Product product{coefficient, {}};
    for (std::size_t i = 0; i < variables_.variables().size(); ++i) {
      if (key.e[i] > 0) product.powers.emplace_back(i, key.e[i]);
    }
    if (first) product.powers.emplace_back(*first, 1);
    if (second) product.powers.emplace_back(*second, 1);
    products_.back().push_back(std::move(product));
  }

  const TrigVariables& variables_;
  std::vector<Expr> atoms_;
  std::unordered_map<const Node*, std::size_t> index_;
  std::vector<std::vector<Product>> products_;
};

int weight(std::span<const Expr> roots) {
  const OperationCount n = count_operations(roots);
  return n.mul + n.add + 4 * n.trig;
}

}  // namespace

std::vector<Expr> shared_trig_forms(std::span<const TrigPolynomial> polynomials,
                                    const TrigVariables& variables, const SharedFormOptions& options) {
  std::vector<Expr> best;
  for (const bool pairing : {true, false}) {
    Builder builder(variables);
    for (const TrigPolynomial& p : polynomials) builder.add(p, pairing);
    std::vector<Expr> made = builder.expressions(options);
    if (best.empty() || weight(made) < weight(best)) best = std::move(made);
  }
  return best;
}

}  // namespace tactus::algebra
