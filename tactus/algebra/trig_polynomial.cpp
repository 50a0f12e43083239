#include <tactus/algebra/trig_polynomial.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include <tactus/base/check.h>

namespace tactus::algebra {

bool TrigKey::has_angle() const {
  return std::any_of(k.begin(), k.end(), [](std::int8_t n) { return n != 0; });
}

bool operator<(const TrigKey& x, const TrigKey& y) {
  const int by_powers = std::memcmp(x.e.data(), y.e.data(), x.e.size());
  if (by_powers != 0) return by_powers < 0;
  return std::memcmp(x.k.data(), y.k.data(), x.k.size()) < 0;
}

namespace {

/// cos(k.q) = cos(-k.q), sin(k.q) = -sin(-k.q): the harmonic whose first non-zero entry is positive.
void make_sign_canonical(TrigTerm& term) {
  for (const std::int8_t n : term.key.k) {
    if (n > 0) return;
    if (n < 0) {
      for (std::int8_t& m : term.key.k) m = static_cast<std::int8_t>(-m);
      term.s = -term.s;
      return;
    }
  }
  term.s = 0.0;
}

/// Sorts, adds up equal keys, and drops what cancelled but for rounding.
void collect(std::vector<TrigTerm>& terms) {
  std::sort(terms.begin(), terms.end(), [](const TrigTerm& x, const TrigTerm& y) { return x.key < y.key; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < terms.size();) {
    TrigTerm sum = terms[i];
    double size_c = std::fabs(sum.c), size_s = std::fabs(sum.s);
    std::size_t j = i + 1;
    for (; j < terms.size() && terms[j].key == sum.key; ++j) {
      sum.c += terms[j].c;
      sum.s += terms[j].s;
      size_c += std::fabs(terms[j].c);
      size_s += std::fabs(terms[j].s);
    }
    if (std::fabs(sum.c) <= kTrigDust * size_c) sum.c = 0.0;
    if (std::fabs(sum.s) <= kTrigDust * size_s) sum.s = 0.0;
    if (sum.c != 0.0 || sum.s != 0.0) terms[kept++] = sum;
    i = j;
  }
  terms.resize(kept);
}

}  // namespace

TrigPolynomial::TrigPolynomial(double constant) {
  if (constant != 0.0) terms_.push_back({TrigKey{}, constant, 0.0});
}

TrigPolynomial TrigPolynomial::harmonic(std::size_t angle, int n, double c, double s) {
  TACTUS_CHECK(angle < kMaxTrigVariables && std::abs(n) <= kMaxTrigDegree);
  TrigTerm term{TrigKey{}, c, s};
  term.key.k[angle] = static_cast<std::int8_t>(n);
  return from_terms({term});
}

TrigPolynomial TrigPolynomial::variable(std::size_t index) {
  TACTUS_CHECK(index < kMaxTrigVariables);
  TrigTerm term{TrigKey{}, 1.0, 0.0};
  term.key.e[index] = 1;
  return from_terms({term});
}

TrigPolynomial TrigPolynomial::from_terms(std::vector<TrigTerm> terms) {
  TrigPolynomial p;
  for (TrigTerm& term : terms) make_sign_canonical(term);
  collect(terms);
  p.terms_ = std::move(terms);
  return p;
}

std::optional<double> TrigPolynomial::constant() const {
  if (terms_.empty()) return 0.0;
  if (terms_.size() == 1 && terms_[0].key == TrigKey{}) return terms_[0].c;
  return std::nullopt;
}

std::size_t TrigPolynomial::coefficient_count() const {
  std::size_t count = 0;
  for (const TrigTerm& term : terms_) count += (term.c != 0.0 ? 1u : 0u) + (term.s != 0.0 ? 1u : 0u);
  return count;
}

int TrigPolynomial::degree() const {
  int degree = 0;
  for (const TrigTerm& term : terms_) {
    for (const std::int8_t n : term.key.k) degree = std::max(degree, std::abs(static_cast<int>(n)));
    for (const std::uint8_t n : term.key.e) degree = std::max(degree, static_cast<int>(n));
  }
  return degree;
}

double TrigPolynomial::norm() const {
  double sum = 0.0;
  for (const TrigTerm& term : terms_) sum += std::fabs(term.c) + std::fabs(term.s);
  return sum;
}

TrigPolynomial operator+(const TrigPolynomial& x, const TrigPolynomial& y) {
  TrigPolynomial sum;
  sum.terms_.reserve(x.terms_.size() + y.terms_.size());
  auto a = x.terms_.begin();
  auto b = y.terms_.begin();
  while (a != x.terms_.end() || b != y.terms_.end()) {
    if (b == y.terms_.end() || (a != x.terms_.end() && a->key < b->key)) {
      sum.terms_.push_back(*a++);
    } else if (a == x.terms_.end() || b->key < a->key) {
      sum.terms_.push_back(*b++);
    } else {
      TrigTerm term{a->key, a->c + b->c, a->s + b->s};
      if (std::fabs(term.c) <= kTrigDust * (std::fabs(a->c) + std::fabs(b->c))) term.c = 0.0;
      if (std::fabs(term.s) <= kTrigDust * (std::fabs(a->s) + std::fabs(b->s))) term.s = 0.0;
      if (term.c != 0.0 || term.s != 0.0) sum.terms_.push_back(term);
      ++a;
      ++b;
    }
  }
  return sum;
}

TrigPolynomial operator-(const TrigPolynomial& x) {
  TrigPolynomial negative = x;
  for (TrigTerm& term : negative.terms_) {
    term.c = -term.c;
    term.s = -term.s;
  }
  return negative;
}

TrigPolynomial operator-(const TrigPolynomial& x, const TrigPolynomial& y) { return x + (-y); }

// With K = k.q and L = l.q:
//   (c cos K + s sin K)(d cos L + t sin L) = 1/2 [ (cd - st) cos(K+L) + (sd + ct) sin(K+L)
//                                                + (cd + st) cos(K-L) + (sd - ct) sin(K-L) ]
TrigPolynomial operator*(const TrigPolynomial& x, const TrigPolynomial& y) {
  TACTUS_CHECK(x.degree() + y.degree() <= kMaxTrigDegree);
  std::vector<TrigTerm> products;
  products.reserve(2 * x.terms_.size() * y.terms_.size());
  for (const TrigTerm& a : x.terms_) {
    const bool a_turns = a.key.has_angle();
    for (const TrigTerm& b : y.terms_) {
      TrigTerm plus;
      for (std::size_t i = 0; i < kMaxTrigVariables; ++i) {
        plus.key.e[i] = static_cast<std::uint8_t>(a.key.e[i] + b.key.e[i]);
        plus.key.k[i] = static_cast<std::int8_t>(a.key.k[i] + b.key.k[i]);
      }
      if (!a_turns || !b.key.has_angle()) {
        // One factor is free of angles (its s is zero).
        plus.c = a.c * b.c;
        plus.s = a_turns ? a.s * b.c : a.c * b.s;
        products.push_back(plus);
        continue;
      }
      TrigTerm minus;
      minus.key.e = plus.key.e;
      for (std::size_t i = 0; i < kMaxTrigVariables; ++i) {
        minus.key.k[i] = static_cast<std::int8_t>(a.key.k[i] - b.key.k[i]);
      }
      plus.c = 0.5 * (a.c * b.c - a.s * b.s);
      plus.s = 0.5 * (a.s * b.c + a.c * b.s);
      minus.c = 0.5 * (a.c * b.c + a.s * b.s);
      minus.s = 0.5 * (a.s * b.c - a.c * b.s);
      make_sign_canonical(plus);
      make_sign_canonical(minus);
      products.push_back(plus);
      products.push_back(minus);
    }
  }
  collect(products);
  TrigPolynomial product;
  product.terms_ = std::move(products);
  return product;
}

TrigPolynomial& TrigPolynomial::operator+=(const TrigPolynomial& y) { return *this = *this + y; }
TrigPolynomial& TrigPolynomial::operator-=(const TrigPolynomial& y) { return *this = *this - y; }
TrigPolynomial& TrigPolynomial::operator*=(const TrigPolynomial& y) { return *this = *this * y; }

TrigPolynomial TrigPolynomial::angle_derivative(std::size_t angle) const {
  TrigPolynomial d;
  for (const TrigTerm& term : terms_) {
    const double n = term.key.k[angle];
    if (n != 0.0) d.terms_.push_back({term.key, n * term.s, -n * term.c});
  }
  return d;
}

TrigPolynomial TrigPolynomial::variable_derivative(std::size_t index) const {
  std::vector<TrigTerm> d;
  for (TrigTerm term : terms_) {
    const double n = term.key.e[index];
    if (n == 0.0) continue;
    --term.key.e[index];
    term.c *= n;
    term.s *= n;
    d.push_back(term);
  }
  return from_terms(std::move(d));
}

double TrigPolynomial::evaluate(std::span<const double> angles, std::span<const double> variables) const {
  double sum = 0.0;
  for (const TrigTerm& term : terms_) {
    double phase = 0.0, product = 1.0;
    for (std::size_t i = 0; i < angles.size(); ++i) phase += term.key.k[i] * angles[i];
    for (std::size_t i = 0; i < variables.size(); ++i) {
      for (int n = 0; n < term.key.e[i]; ++n) product *= variables[i];
    }
    sum += product * (term.c * std::cos(phase) + (term.s != 0.0 ? term.s * std::sin(phase) : 0.0));
  }
  return sum;
}

TrigPolynomial TrigPolynomial::without_below(double threshold) const {
  TrigPolynomial kept;
  for (TrigTerm term : terms_) {
    if (std::fabs(term.c) < threshold) term.c = 0.0;
    if (std::fabs(term.s) < threshold) term.s = 0.0;
    if (term.c != 0.0 || term.s != 0.0) kept.terms_.push_back(term);
  }
  return kept;
}

}  // namespace tactus::algebra
