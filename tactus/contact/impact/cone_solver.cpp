#include <tactus/contact/impact/cone_solver.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/check.h>

namespace tactus::contact {
namespace {

// Sweeps before Newton's method is tried, and between its trials (growing).
/// Shares of the work of a problem: Coulomb's law gets half of it and, from where the associated law has led, a quarter; the
/// two that stand in an eighth each.
constexpr long kFirstShare = 2, kSecondShare = 4, kShareOfOthers = 8;
/// [multiplications] What a contact takes in a sweep, beside those with W.
constexpr long kWorkOfContact = 200;
constexpr int kFirstSweeps = 8;
constexpr double kSweepGrowth = 1.6;
constexpr double kMostSweepsBetween = 100.0;
// Pivots of Newton's matrix, whose diagonal is of size 1, below which a row depends on others: redundant
// contacts leave rounding, of some hundred rows and of masses that differ by 1e4.
constexpr double kRankTolerance = 1e-11;
// A step of Newton's method is halved at most so often where the residual grows.
constexpr int kMostHalvings = 6;
// Slip below this part of the terms in w is rounding.
constexpr double kStill = 1e-11;
// Impulses whose terms in w are so much larger than b are on their way to infinity (no motion meets the
// contacts): a small residual by their size says nothing.
constexpr double kJammed = 1e4;
// Newton's method is given up where the residual grows beyond this multiple of its start.
constexpr double kHopeless = 1e3;

}  // namespace

ConeSolver::ConeSolver(std::size_t most_contacts, ConeOptions options)
    : most_contacts_(most_contacts),
      options_(options),
      modes_(most_contacts),
      f_(3 * most_contacts),
      p_try_(3 * most_contacts),
      w_try_(3 * most_contacts),
      p_best_(3 * most_contacts),
      p_from_(3 * most_contacts),
      p_swept_(3 * most_contacts),
      step_(3 * most_contacts),
      elimination_(3 * most_contacts, 3 * most_contacts),
      planar_(most_contacts),
      places_(3 * most_contacts),
      owners_(3 * most_contacts) {
  contacts_.reserve(most_contacts);
}

void ConeSolver::begin(const ConeProblem& problem) {
  const std::size_t n = problem.size.size();
  TACTUS_CHECK(n <= most_contacts_);
  contacts_.clear();
  rows_ = 0;
  for (std::size_t i = 0; i < n; ++i) {
    Contact contact;
    contact.row = rows_;
    contact.local.size = problem.size[i];
    contact.local.mu = problem.size[i] > 1 ? problem.mu[i] : 0.0;
    contact.local.least = problem.least.empty() ? 0.0 : problem.least[i];
    for (int r = 0; r < problem.size[i]; ++r) owners_[rows_ + static_cast<std::size_t>(r)] = i;
    rows_ += static_cast<std::size_t>(problem.size[i]);
    contacts_.push_back(contact);
  }
  TACTUS_CHECK(problem.b.size() >= rows_ && problem.W.size() >= rows_ * rows_);
  for (Contact& contact : contacts_) {
    const auto size = static_cast<std::size_t>(contact.local.size);
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        contact.local.W[3 * r + c] = problem.W[(contact.row + r) * rows_ + contact.row + c];
    contact.rho = contact.local.mass();
  }
}

void ConeSolver::velocities(const ConeProblem& problem, const double* p, double* w) {
  scale_ = problem.scale;
  double given = problem.scale;
  for (std::size_t i = 0; i < rows_; ++i) {
    double sum = problem.b[i], size = std::abs(sum);
    given = std::max(given, size);
    const double* row = problem.W.data() + i * rows_;
    for (std::size_t j = 0; j < rows_; ++j) {
      const double term = row[j] * p[j];
      sum += term;
      size += std::abs(term);
    }
    w[i] = sum;
    scale_ = std::max(scale_, size);
  }
  scale_ = std::min(scale_, kJammed * given);
}

double ConeSolver::residual(ConeLaw law, const double* p, const double* w) {
  double largest = 0.0;
  for (const Contact& k : contacts_) {
    const double size = natural_map(k.local, law, k.rho, p + k.row, w + k.row, f_.data() + k.row);
    if (!(size <= largest)) largest = size;  // also takes what is no number
  }
  return largest;
}

void ConeSolver::sweep(const ConeProblem& problem, ConeLaw law, bool forward, double* p, double* w) {
  const std::size_t n = contacts_.size();
  for (std::size_t step = 0; step < n; ++step) {
    const Contact& k = contacts_[forward ? step : n - 1 - step];
    const auto size = static_cast<std::size_t>(k.local.size);
    double q[3], now[3];
    for (std::size_t r = 0; r < size; ++r) {
      q[r] = w[k.row + r];
      for (std::size_t c = 0; c < size; ++c) q[r] -= k.local.W[3 * r + c] * p[k.row + c];
    }
    if (law == ConeLaw::associated) {
      solve_associated_contact(k.local, q, now);
    } else {
      solve_contact(k.local, q, now);
    }
    for (std::size_t c = 0; c < size; ++c) {
      const double change = now[c] - p[k.row + c];
      if (change == 0.0) continue;
      p[k.row + c] = now[c];
      const double* column = problem.W.data() + (k.row + c) * rows_;  // W is symmetric
      for (std::size_t i = 0; i < rows_; ++i) w[i] += column[i] * change;
    }
  }
}

/// One step of Newton's method on f(p) = 0. In the variables x = p / rho of each contact the matrix
///
///   df = dx - P' (dx - dw),    dw_i = sum_j W_ij rho_j dx_j
///
/// has a diagonal of size 1. Contacts with P' = 0, the open ones, are put in their place at once.
bool ConeSolver::newton_step(const ConeProblem& problem, ConeLaw law, double* p, const double* w) {
  std::size_t count = 0;
  for (Contact& k : contacts_) {
    const auto size = static_cast<std::size_t>(k.local.size);
    if (!(k.rho > 0.0)) continue;
    double y[3], P[3];
    for (std::size_t r = 0; r < size; ++r) y[r] = p[k.row + r] - k.rho * w[k.row + r];
    project(k.local, law, y, P, k.slope);
    const bool fixed = std::all_of(k.slope, k.slope + 9, [](double x) { return x == 0.0; });
    for (std::size_t r = 0; r < size; ++r) {
      if (fixed) {
        p[k.row + r] = P[r];
      } else {
        places_[count++] = k.row + r;
      }
    }
  }
  if (count == 0) return true;
  velocities(problem, p, w_try_.data());  // the open contacts have moved
  residual(law, p, w_try_.data());
  for (std::size_t a = 0; a < count; ++a) {
    const std::size_t i = places_[a];
    const Contact& k = contacts_[owners_[i]];
    const auto size = static_cast<std::size_t>(k.local.size);
    const double* slope = k.slope + 3 * (i - k.row);
    double* line = elimination_.row(a, count);
    for (std::size_t b = 0; b < count; ++b) {
      const std::size_t j = places_[b];
      const double rho = contacts_[owners_[j]].rho;
      double value = 0.0;
      for (std::size_t c = 0; c < size; ++c)
        if (slope[c] != 0.0) value += slope[c] * problem.W[(k.row + c) * rows_ + j] * rho;
      if (owners_[j] == owners_[i]) value += (i == j ? 1.0 : 0.0) - slope[j - k.row];
      line[b] = value;
    }
    step_[a] = -f_[i];
  }
  elimination_.factor(count, count, kRankTolerance);
  elimination_.solve(step_.data(), f_.data());
  for (std::size_t a = 0; a < elimination_.rank(); ++a) {
    const std::size_t i = places_[elimination_.pivot_column(a)];
    p[i] += contacts_[owners_[i]].rho * f_[a];
    if (!std::isfinite(p[i])) return false;
  }
  return true;
}

bool ConeSolver::newton(const ConeProblem& problem, ConeLaw law, ConeResult& result, double* p, double* w) {
  std::copy_n(p, rows_, p_try_.data());
  std::copy_n(w, rows_, w_try_.data());
  const double start = result.residual;
  double before = start;
  for (int step = 0; step < options_.most_newton_steps; ++step) {
    if (result.work >= work_limit_) return false;
    ++result.newton_steps;
    result.work += static_cast<long>(rows_ * rows_ * (rows_ / 3 + 2));
    std::copy_n(p_try_.data(), rows_, p_from_.data());
    if (!newton_step(problem, law, p_try_.data(), w_try_.data())) return false;
    velocities(problem, p_try_.data(), w_try_.data());
    double now = residual(law, p_try_.data(), w_try_.data());
    for (int half = 0; half < kMostHalvings && !(now < before); ++half) {
      for (std::size_t i = 0; i < rows_; ++i) p_try_[i] = 0.5 * (p_try_[i] + p_from_[i]);
      velocities(problem, p_try_.data(), w_try_.data());
      now = residual(law, p_try_.data(), w_try_.data());
    }
    if (!(now <= kHopeless * start)) return false;
    before = now;
    if (now > options_.tolerance * scale_) continue;
    for (const Contact& k : contacts_) clip_impulse(k.local, p_try_.data() + k.row);
    std::copy_n(p_try_.data(), rows_, p);
    measure(problem, law, result, p, w);
    return result.residual <= 2.0 * options_.tolerance * result.scale;
  }
  return false;
}

/// By the velocities: redundant contacts that stick may well have impulses on the edge of their cones.
void ConeSolver::find_modes(const double* p, const double* w) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Contact& k = contacts_[i];
    double slip = 0.0;
    for (int r = 1; r < k.local.size; ++r) slip = std::hypot(slip, w[k.row + static_cast<std::size_t>(r)]);
    const bool sticks = k.local.size > 1 && k.local.mu > 0.0 && slip <= kStill * scale_;
    modes_[i] = !(p[k.row] > 0.0) ? ConeMode::open : sticks ? ConeMode::sticking : ConeMode::sliding;
  }
}

bool ConeSolver::measure(const ConeProblem& problem, ConeLaw law, ConeResult& result, double* p, double* w) {
  velocities(problem, p, w);
  result.residual = residual(law, p, w);
  result.scale = scale_;
  return result.residual <= options_.tolerance * scale_;
}

bool ConeSolver::solve_by(ConeLaw law, long share, const ConeProblem& problem, ConeResult& result, double* p,
                          double* w) {
  if (measure(problem, law, result, p, w)) return true;
  double sweeps = kFirstSweeps;
  bool pivoted = false;
  const int most = result.sweeps + options_.most_sweeps;
  const long most_work = result.work + most_work_ / share;
  work_limit_ = most_work;
  const long work_of_sweep =
      static_cast<long>(rows_ * rows_) + kWorkOfContact * static_cast<long>(contacts_.size());
  while (result.sweeps < most && result.work < most_work) {
    const int until = std::min(most, result.sweeps + static_cast<int>(sweeps));
    for (; result.sweeps < until && result.work < most_work; ++result.sweeps) {
      sweep(problem, law, result.sweeps % 2 == 0, p, w);
      result.work += work_of_sweep;
    }
    sweeps = std::min(kSweepGrowth * sweeps, kMostSweepsBetween);
    if (measure(problem, law, result, p, w) || newton(problem, law, result, p, w)) return true;
    if (!std::isfinite(result.residual)) return false;  // impulses that jam grow without bound
    if (law == ConeLaw::coulomb && !pivoted && planar_.takes(problem)) {
      pivoted = true;
      if (solve_planar(problem, result, p, w)) return true;
    }
  }
  return false;
}

/// The basis that pivoting ends at, and Newton's method from there: what is left are roundings of the pivots.
bool ConeSolver::solve_planar(const ConeProblem& problem, ConeResult& result, double* p, double* w) {
  std::copy_n(p, rows_, p_swept_.data());
  if (planar_.solve(problem, p)) {
    for (const Contact& k : contacts_) clip_impulse(k.local, p + k.row);
    if (measure(problem, ConeLaw::coulomb, result, p, w) || newton(problem, ConeLaw::coulomb, result, p, w))
      return true;
  }
  std::copy_n(p_swept_.data(), rows_, p);
  measure(problem, ConeLaw::coulomb, result, p, w);
  return false;
}

ConeResult ConeSolver::solve(const ConeProblem& problem, std::span<double> p, std::span<double> w) {
  begin(problem);
  TACTUS_CHECK(p.size() >= rows_ && w.size() >= rows_);
  for (const Contact& k : contacts_) clip_impulse(k.local, p.data() + k.row);
  ConeResult result;
  result.converged = solve_by(ConeLaw::coulomb, kFirstShare, problem, result, p.data(), w.data());
  if (!result.converged && problem.least.empty() && options_.fall_back)
    fall_back(problem, result, p.data(), w.data());
  find_modes(p.data(), w.data());
  return result;
}

/// Where the sweeps for Coulomb's law run in a circle: the associated law, and Coulomb's from there.
void ConeSolver::fall_back(const ConeProblem& problem, ConeResult& result, double* p, double* w) {
  std::fill_n(p, rows_, 0.0);
  const bool associated = solve_by(ConeLaw::associated, kShareOfOthers, problem, result, p, w);
  std::copy_n(p, rows_, p_best_.data());
  result.converged = solve_by(ConeLaw::coulomb, kSecondShare, problem, result, p, w);
  if (result.converged) return;
  if (associated) {
    result.law = ConeLaw::associated;
    std::copy_n(p_best_.data(), rows_, p);
    measure(problem, ConeLaw::associated, result, p, w);
    return;
  }
  result.law = ConeLaw::frictionless;
  for (Contact& k : contacts_) k.local.mu = 0.0;
  std::fill_n(p, rows_, 0.0);
  solve_by(ConeLaw::frictionless, kShareOfOthers, problem, result, p, w);
}

}  // namespace tactus::contact
