#include <tactus/derive/readable/abbreviate.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace tactus::derive {

double rounded(double x, int digits) {
  if (digits <= 0 || x == 0.0) return x;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(x))));
  const int decimals = digits - 1 - magnitude;
  // Powers of ten up to 1e22 are exact; multiply or divide so that the result is the nearest double of the
  // decimal.
  const double power = std::pow(10.0, std::abs(decimals));
  return decimals >= 0 ? std::round(x * power) / power : std::round(x / power) * power;
}

TrigPolynomial abbreviated(const TrigPolynomial& p, const Abbreviation& rule) {
  std::vector<algebra::TrigTerm> kept = p.without_below(rule.threshold).terms();
  for (algebra::TrigTerm& term : kept) {
    term.c = rounded(term.c, rule.digits);
    term.s = rounded(term.s, rule.digits);
  }
  return TrigPolynomial::from_terms(std::move(kept));
}

namespace {

/// The constant of M_ii, times udot_i.
TrigPolynomial diagonal_constant(const CanonicalModel& model, std::size_t i) {
  const auto& others = model.variables.variables();
  const auto it = std::find(others.begin(), others.end(), model.udot[i]);
  algebra::TrigKey key;
  key.e[static_cast<std::size_t>(it - others.begin())] = 1;
  for (const algebra::TrigTerm& term : model.torques[i].terms()) {
    if (term.key == key) return TrigPolynomial::from_terms({term});
  }
  return {};
}

}  // namespace

CanonicalModel abbreviated(const CanonicalModel& model, const Abbreviation& rule) {
  CanonicalModel shorter = model;
  for (std::size_t i = 0; i < model.torques.size(); ++i) {
    shorter.torques[i] = abbreviated(model.torques[i], rule);
    const auto rotor = model.rotors[i].constant();
    if (rule.motors_apart || !rotor || *rotor == 0.0) continue;
    // A constant that a motor's inertia joins costs nothing.
    const TrigPolynomial constant = diagonal_constant(model, i);
    const double sum = constant.norm() + *rotor;
    if (constant.norm() < rule.threshold && sum >= rule.threshold) shorter.torques[i] += constant;
  }
  return shorter;
}

namespace {

/// The bound of each variable of the polynomials, by slot.
std::vector<double> variable_bounds(const CanonicalModel& model, const MotionBounds& bounds) {
  std::vector<double> result;
  for (const Expr symbol : model.variables.variables()) {
    double value = std::numeric_limits<double>::infinity();
    const auto look = [&](const std::vector<Expr>& symbols, const std::vector<double>& values) {
      const auto it = std::find(symbols.begin(), symbols.end(), symbol);
      const auto index = static_cast<std::size_t>(it - symbols.begin());
      if (it != symbols.end() && index < values.size()) value = std::fabs(values[index]);
    };
    look(model.q, bounds.q);
    look(model.u, bounds.u);
    look(model.udot, bounds.udot);
    result.push_back(value);
  }
  return result;
}

}  // namespace

double bound(const CanonicalModel& model, const TrigPolynomial& p, const MotionBounds& bounds) {
  const std::vector<double> limits = variable_bounds(model, bounds);
  double sum = 0.0;
  for (const algebra::TrigTerm& term : p.terms()) {
    double product = std::fabs(term.c) + std::fabs(term.s);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      for (int n = 0; n < term.key.e[i]; ++n) product *= limits[i];
    }
    sum += product;
  }
  return sum;
}

std::vector<double> torque_error_bounds(const CanonicalModel& full, const CanonicalModel& abbreviated,
                                        const MotionBounds& bounds) {
  std::vector<double> result;
  for (std::size_t i = 0; i < full.torques.size(); ++i) {
    result.push_back(bound(full, full.torques[i] - abbreviated.torques[i], bounds));
  }
  return result;
}

std::vector<double> sampled_torque_errors(const CanonicalModel& full, const CanonicalModel& abbreviated,
                                          const MotionBounds& bounds, int samples) {
  std::vector<TrigPolynomial> errors;
  for (std::size_t i = 0; i < full.torques.size(); ++i)
    errors.push_back(full.torques[i] - abbreviated.torques[i]);
  const auto& angles = full.variables.angles();
  const std::vector<double> limits = variable_bounds(full, bounds);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
  std::bernoulli_distribution coin;
  std::vector<double> q(angles.size()), others(limits.size()), largest(errors.size(), 0.0);
  for (int n = 0; n < samples; ++n) {
    for (double& value : q) value = angle(random);
    for (std::size_t k = 0; k < limits.size(); ++k) {
      others[k] = std::isfinite(limits[k]) ? (coin(random) ? limits[k] : -limits[k]) : 0.0;
    }
    for (std::size_t i = 0; i < errors.size(); ++i) {
      largest[i] = std::max(largest[i], std::fabs(errors[i].evaluate(q, others)));
    }
  }
  return largest;
}

}  // namespace tactus::derive
