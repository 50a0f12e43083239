#include <tactus/derive/readable/budget.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include <tactus/algebra/trig_shared.h>
#include <tactus/base/check.h>

namespace tactus::derive {
namespace {

/// One coefficient that might be dropped.
struct Candidate {
  std::size_t joint = 0, term = 0;
  bool sine = false;
  double weight = 0.0;  // what dropping it can change tau_joint by
};

/// Which of the candidates are dropped.
using Selection = std::vector<bool>;

class Dropper {
 public:
  Dropper(const CanonicalModel& full, const TorqueBudget& budget) : full_(full), budget_(budget) {
    for (std::size_t i = 0; i < full.torques.size(); ++i) {
      const auto& terms = full.torques[i].terms();
      for (std::size_t t = 0; t < terms.size(); ++t) {
        for (const bool sine : {false, true}) {
          const double value = sine ? terms[t].s : terms[t].c;
          if (value == 0.0 || joins_rotor(i, terms[t].key)) continue;
          algebra::TrigTerm one = terms[t];
          (sine ? one.c : one.s) = 0.0;
          const double weight = bound(full, TrigPolynomial::from_terms({one}), budget.bounds);
          if (weight <= budget.torque[i]) {
            candidates_.push_back({i, t, sine, weight});
          } else {
            smallest_kept_ = std::min(smallest_kept_, std::fabs(value));
          }
        }
      }
    }
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& x, const Candidate& y) { return x.weight < y.weight; });
  }

  using Grouping = std::function<std::string(const Candidate&)>;

  /// Without what fits into the budget: groups first (each whole or not at all, the one that takes the
  /// smallest part of any joint's allowance first), then single coefficients, smallest effect first.
  Selection drop(const Grouping& group) const {
    std::vector<double> left = budget_.torque;
    Selection dropped(candidates_.size(), false);
    if (group) {
      std::map<std::string, std::vector<std::size_t>> groups;
      for (std::size_t n = 0; n < candidates_.size(); ++n) groups[group(candidates_[n])].push_back(n);
      std::vector<std::pair<double, const std::vector<std::size_t>*>> ranked;
      for (const auto& [name, members] : groups) ranked.emplace_back(share(members), &members);
      std::stable_sort(ranked.begin(), ranked.end(),
                       [](const auto& x, const auto& y) { return x.first < y.first; });
      for (const auto& [part, members] : ranked) {
        std::vector<double> after = left;
        for (const std::size_t n : *members) after[candidates_[n].joint] -= candidates_[n].weight;
        if (std::any_of(after.begin(), after.end(), [](double x) { return x < 0.0; })) continue;
        left = after;
        for (const std::size_t n : *members) dropped[n] = true;
      }
    }
    for (std::size_t n = 0; n < candidates_.size(); ++n) take(n, left, dropped);
    return dropped;
  }

  /// Without the smallest coefficients, whatever their effect, up to the largest common threshold that the
  /// budget allows. Elements that are related (D_21 and B_1(12), say) then stay related, and can share their
  /// sums.
  Selection drop_by_threshold() const {
    std::vector<std::size_t> by_size(candidates_.size());
    for (std::size_t n = 0; n < by_size.size(); ++n) by_size[n] = n;
    std::stable_sort(by_size.begin(), by_size.end(),
                     [&](std::size_t x, std::size_t y) { return size(x) < size(y); });
    std::vector<double> left = budget_.torque;
    Selection dropped(candidates_.size(), false);
    // The smallest coefficient that no budget can lose ends the sequence, too.
    for (const std::size_t n : by_size) {
      if (size(n) >= smallest_kept_ || !take(n, left, dropped)) break;
    }
    return dropped;
  }

  /// Dropped coefficients of which the model still holds another occurrence, one list per number. M, B and D
  /// hold each number of the mechanism many times, up to powers of two from derivatives and halves; a sum
  /// that is complete can be shared, so that putting a coefficient back may save operations.
  std::vector<std::vector<std::size_t>> incomplete(const Selection& dropped) const {
    std::map<long long, std::vector<std::size_t>> by_number;
    for (std::size_t n = 0; n < candidates_.size(); ++n) {
      if (dropped[n]) by_number[number(size(n))].push_back(n);
    }
    const CanonicalModel kept = without(dropped);
    std::map<long long, std::vector<std::size_t>> found;
    for (const TrigPolynomial& torque : kept.torques) {
      for (const algebra::TrigTerm& term : torque.terms()) {
        for (const double value : {term.c, term.s}) {
          if (const auto it = by_number.find(number(std::fabs(value)));
              value != 0.0 && it != by_number.end()) {
            found.emplace(*it);
          }
        }
      }
    }
    std::vector<std::vector<std::size_t>> result;
    for (auto& [value, members] : found) result.push_back(std::move(members));
    return result;
  }

  CanonicalModel without(const Selection& dropped) const {
    std::vector<std::vector<algebra::TrigTerm>> terms;
    for (const TrigPolynomial& torque : full_.torques) terms.push_back(torque.terms());
    for (std::size_t n = 0; n < candidates_.size(); ++n) {
      const Candidate& c = candidates_[n];
      if (dropped[n]) (c.sine ? terms[c.joint][c.term].s : terms[c.joint][c.term].c) = 0.0;
    }
    CanonicalModel shorter = full_;
    for (std::size_t i = 0; i < terms.size(); ++i)
      shorter.torques[i] = TrigPolynomial::from_terms(std::move(terms[i]));
    return shorter;
  }

  const algebra::TrigKey& key(const Candidate& c) const { return full_.torques[c.joint].terms()[c.term].key; }

 private:
  double size(std::size_t n) const {
    const algebra::TrigTerm& term = full_.torques[candidates_[n].joint].terms()[candidates_[n].term];
    return std::fabs(candidates_[n].sine ? term.s : term.c);
  }

  /// The number's digits without its power of two.
  static long long number(double size) {
    int exponent = 0;
    return std::llround(std::frexp(size, &exponent) * 1e9);
  }

  bool take(std::size_t n, std::vector<double>& left, Selection& dropped) const {
    const Candidate& c = candidates_[n];
    if (dropped[n]) return true;
    // Sums of weights are compared with a hair of tolerance, for allowances that are themselves such sums.
    if (c.weight > left[c.joint] + 1e-12 * budget_.torque[c.joint]) return false;
    left[c.joint] = std::max(0.0, left[c.joint] - c.weight);
    dropped[n] = true;
    return true;
  }

  /// The largest part of a joint's allowance that the members take.
  double share(const std::vector<std::size_t>& members) const {
    std::vector<double> sum(budget_.torque.size(), 0.0);
    for (const std::size_t n : members) sum[candidates_[n].joint] += candidates_[n].weight;
    double largest = 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (sum[i] > 0.0) largest = std::max(largest, sum[i] / budget_.torque[i]);
    }
    return largest;
  }

  /// A constant of M_ii where a rotor stands: dropping it would save nothing.
  bool joins_rotor(std::size_t i, const algebra::TrigKey& key) const {
    const auto& others = full_.variables.variables();
    algebra::TrigKey constant;
    const auto it = std::find(others.begin(), others.end(), full_.udot[i]);
    constant.e[static_cast<std::size_t>(it - others.begin())] = 1;
    return key == constant && !full_.rotors[i].is_zero();
  }

  const CanonicalModel& full_;
  const TorqueBudget& budget_;
  std::vector<Candidate> candidates_;
  double smallest_kept_ = std::numeric_limits<double>::infinity();
};

/// A few searches tell which model is cheaper; all of them are for the one that is kept.
constexpr int kTrialSearches = 5;

algebra::OperationCount operations(const CanonicalModel& model, const algebra::SharedFormOptions& options) {
  return algebra::count_operations(inverse_dynamics(model, false, options).roots());
}

int weight(const algebra::OperationCount& n) { return n.mul + n.add + 4 * n.trig; }

}  // namespace

BudgetedModel abbreviate_to_budget(const CanonicalModel& full, const TorqueBudget& budget, int samples) {
  TACTUS_CHECK(budget.torque.size() == full.torques.size());
  const Dropper dropper(full, budget);
  const auto bytes = [](const auto& array) {
    return std::string(reinterpret_cast<const char*>(array.data()), array.size());
  };
  const auto harmonic = [&](const Candidate& c) { return bytes(dropper.key(c).k); };
  const auto product = [&](const Candidate& c) { return std::to_string(c.joint) + bytes(dropper.key(c).e); };
  const std::pair<const char*, std::function<Selection()>> orders[] = {
      {"smallest effects first", [&] { return dropper.drop(nullptr); }},
      {"whole harmonics first", [&] { return dropper.drop(harmonic); }},
      {"whole products of speeds and accelerations first", [&] { return dropper.drop(product); }},
      {"smallest coefficients first", [&] { return dropper.drop_by_threshold(); }},
  };
  BudgetedModel best;
  Selection selection;
  const auto cheaper = [&](const Selection& dropped) {
    CanonicalModel model = dropper.without(dropped);
    const algebra::OperationCount count = operations(model, {.searches = kTrialSearches});
    if (!selection.empty() && weight(count) >= weight(best.operations)) return false;
    best.model = std::move(model);
    best.operations = count;
    selection = dropped;
    return true;
  };
  for (const auto& [name, dropped] : orders) {
    if (cheaper(dropped())) best.order = name;
  }
  for (const std::vector<std::size_t>& members : dropper.incomplete(selection)) {
    Selection restored = selection;
    for (const std::size_t n : members) restored[n] = false;
    cheaper(restored);
  }
  best.operations = operations(best.model, {});
  best.allowed = budget.torque;
  best.proven = torque_error_bounds(full, best.model, budget.bounds);
  best.sampled = sampled_torque_errors(full, best.model, budget.bounds, samples);
  best.full_coefficients = full.coefficient_count();
  best.kept_coefficients = best.model.coefficient_count();
  return best;
}

}  // namespace tactus::derive
