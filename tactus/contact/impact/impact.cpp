#include <tactus/contact/impact/impact.h>

#include <algorithm>
#include <cmath>

#include <tactus/base/check.h>

namespace tactus::contact {
namespace {

constexpr int kAll = -1;  // the group of all contacts
// Strikes in sequence per contact before everything is stopped together. A row of n balls needs n - 1 for
// each wave that runs through it, and e.g. e = 0.9 about ten waves.
constexpr int kMostStrikesPerContact = 16;
// Closing speeds below this part of the largest velocity are rounding of the strikes before.
constexpr double kStopped = 1e-12;
// An energy that grows by less than this part of its terms has not grown: the cone solver's tolerance.
constexpr double kEnergyRounding = 1e-13;
// Halvings of the interval of s; those that end without a solution are dear.
constexpr int kMostHalvings = 40;
constexpr int kMostFailures = 3;
// Restitutions that no motion has are found out by impulses that do not settle.
constexpr int kMostRestitutionSweeps = 60;
// The part of the work that the last strikes may take beyond it.
constexpr long kLastShare = 4;

}  // namespace

ImpactSolver::ImpactSolver(std::size_t most_contacts, ConeOptions options)
    : cone_(most_contacts, options),
      most_sweeps_(options.most_sweeps),
      first_(most_contacts + 1),
      members_(most_contacts),
      rows_(3 * most_contacts),
      size_(most_contacts),
      mu_(most_contacts),
      least_(most_contacts),
      closing_(most_contacts),
      e_(most_contacts),
      poisson_(most_contacts),
      W_(9 * most_contacts * most_contacts),
      v_before_(3 * most_contacts),
      b_(3 * most_contacts),
      p_(3 * most_contacts),
      phase_(3 * most_contacts),
      v_end_(3 * most_contacts),
      p_kept_(3 * most_contacts) {}

void ImpactSolver::gather(const ImpactProblem& problem, int pair) {
  const std::size_t all_rows = first_[problem.contacts.size()];
  members_.clear();
  rows_.clear();
  size_.clear();
  mu_.clear();
  closing_.clear();
  e_.clear();
  poisson_.clear();
  for (std::size_t i = 0; i < problem.contacts.size(); ++i) {
    const ImpactContact& contact = problem.contacts[i];
    if (pair != kAll && contact.pair != pair) continue;
    members_.push_back(i);
    size_.push_back(contact.size);
    mu_.push_back(contact.mu);
    for (std::size_t row = first_[i]; row < first_[i + 1]; ++row) rows_.push_back(row);
  }
  const std::size_t n = rows_.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) W_[i * n + j] = problem.W[rows_[i] * all_rows + rows_[j]];
}

double ImpactSolver::friction_work(const double* p, const double* v_end) const {
  const std::size_t n = rows_.size();
  double work = 0.0;
  std::size_t i = 0;
  for (const int size : size_) {
    for (int r = 0; r < size; ++r, ++i) {
      if (r == 0 || p[i] == 0.0) continue;
      double back = 0.0;
      std::size_t j = 0;
      for (const int other : size_)
        for (int c = 0; c < other; ++c, ++j)
          if (c > 0) back += W_[i * n + j] * p[j];
      work += p[i] * (v_end[i] - 0.5 * back);
    }
  }
  return work;
}

/// With what is left of the work, and a share of it where nothing is left.
ConeResult ImpactSolver::solve_cones(const ConeProblem& problem, double* p) {
  const std::size_t n = rows_.size();
  cone_.set_most_work(std::max(most_work_ - work_, most_work_ / kLastShare));
  const ConeResult result = cone_.solve(problem, {p, n}, {v_end_.data(), n});
  work_ += result.work;
  return result;
}

/// The group's strike with restitutions s e: its impulses in p_, its velocities after in v_end_.
ImpactSolver::Outcome ImpactSolver::attempt(double s) {
  const std::size_t n = rows_.size(), count = members_.size();
  const std::span<const int> size(size_.data(), count);
  const std::span<const double> mu(mu_.data(), count), W(W_.data(), n * n), b(b_.data(), n);
  const bool restitutes = s > 0.0 && std::any_of(e_.begin(), e_.end(), [](double e) { return e > 0.0; });
  const bool two_phases =
      restitutes && std::any_of(poisson_.begin(), poisson_.end(), [](char yes) { return yes != 0; });
  Outcome outcome;
  std::copy_n(v_before_.data(), n, b_.data());
  std::fill_n(p_.data(), n, 0.0);
  std::fill_n(phase_.data(), n, 0.0);
  std::fill_n(least_.data(), count, 0.0);
  if (!restitutes || two_phases) {  // compression
    cone_.set_most_sweeps(most_sweeps_);
    const ConeResult end = solve_cones({size, mu, {}, W, b, scale_}, p_.data());
    outcome.converged = end.converged;
    outcome.friction_work += friction_work(p_.data(), v_end_.data());
    std::copy_n(v_end_.data(), n, b_.data());
  }
  if (restitutes) {
    for (std::size_t i = 0, row = 0; i < count; row += static_cast<std::size_t>(size_[i]), ++i) {
      if (poisson_[i] == 0) {
        b_[row] -= s * e_[i] * closing_[i];
      } else {
        phase_[row] = least_[i] = s * e_[i] * p_[row];
      }
    }
    cone_.set_most_sweeps(std::min(most_sweeps_, kMostRestitutionSweeps));
    const ConeResult end = solve_cones({size, mu, {least_.data(), count}, W, b, scale_}, phase_.data());
    outcome.converged = outcome.converged && end.converged;
    for (std::size_t i = 0, row = 0; i < count; row += static_cast<std::size_t>(size_[i]), ++i)
      if (poisson_[i] == 0) v_end_[row] += s * e_[i] * closing_[i];
    outcome.friction_work += friction_work(phase_.data(), v_end_.data());
  }
  for (std::size_t i = 0; i < n; ++i) {
    p_[i] += phase_[i];
    outcome.energy_change += 0.5 * p_[i] * (v_before_[i] + v_end_[i]);
    outcome.size += 0.5 * std::abs(p_[i]) * (std::abs(v_before_[i]) + std::abs(v_end_[i]));
  }
  return outcome;
}

/// The group's strike with the largest part s of its restitution that can be had: motions that give every
/// contact its e c may not exist (a body between two walls), or may need energy.
ImpactSolver::Outcome ImpactSolver::strike_group(double& s) {
  s = 1.0;
  Outcome outcome = attempt(s);
  if (outcome.converged && outcome.energy_change <= kEnergyRounding * outcome.size) return outcome;
  double low = 0.0, high = 1.0;
  int failures = outcome.converged ? 0 : 1;
  for (int i = 0; i < kMostHalvings && failures < kMostFailures && work_ < most_work_; ++i) {
    s = 0.5 * (low + high);
    outcome = attempt(s);
    failures += !outcome.converged;
    (outcome.converged && outcome.energy_change <= 0.0 ? low : high) = s;
  }
  if (s != low) outcome = attempt(s = low);
  return outcome;
}

void ImpactSolver::strike(const ImpactProblem& problem, int pair, bool plastic, std::span<double> p,
                          std::span<double> v, ImpactResult& result) {
  gather(problem, pair);
  const std::size_t n = rows_.size(), all_rows = first_[problem.contacts.size()];
  for (std::size_t i = 0; i < n; ++i) v_before_[i] = v[rows_[i]];
  double fastest = 0.0;
  for (const std::size_t member : members_) {
    closing_.push_back(std::max(0.0, -v[first_[member]]));
    fastest = std::max(fastest, closing_.back());
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const ImpactContact& contact = problem.contacts[members_[i]];
    const bool poisson = contact.law == describe::RestitutionLaw::poisson;
    poisson_.push_back(poisson);
    // Poisson's restitution gives back what compression took, also at contacts that only lie in between.
    const double speed = poisson ? fastest : closing_[i];
    e_.push_back(plastic || speed < contact.rest_speed ? 0.0 : contact.restitution);
  }
  double s = 1.0;
  const Outcome outcome = strike_group(s);
  for (std::size_t i = 0; i < n; ++i) {
    if (p_[i] == 0.0) continue;
    p[rows_[i]] += p_[i];
    const double* column = problem.W.data() + rows_[i] * all_rows;  // W is symmetric
    for (std::size_t row = 0; row < all_rows; ++row) v[row] += column[row] * p_[i];
  }
  result.friction_work += outcome.friction_work;
  result.converged = result.converged && outcome.converged;
  result.restitution_kept = std::min(result.restitution_kept, s);
  ++result.strikes;
}

ImpactResult ImpactSolver::solve(const ImpactProblem& problem, std::span<double> p, std::span<double> v) {
  const std::size_t count = problem.contacts.size();
  TACTUS_CHECK(count <= cone_.most_contacts());
  first_[0] = 0;
  for (std::size_t i = 0; i < count; ++i)
    first_[i + 1] = first_[i] + static_cast<std::size_t>(problem.contacts[i].size);
  const std::size_t n = first_[count];
  TACTUS_CHECK(problem.W.size() >= n * n && problem.v.size() >= n && p.size() >= n && v.size() >= n);
  scale_ = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = 0.0;
    v[i] = problem.v[i];
    scale_ = std::max(scale_, std::abs(v[i]));
  }
  work_ = 0;
  ImpactResult result;
  if (problem.simultaneous && count > 0) {
    strike(problem, kAll, false, p, v, result);
  } else {
    const int most = kMostStrikesPerContact * static_cast<int>(count);
    while (result.strikes < most && work_ < most_work_) {
      double fastest = kStopped * scale_;
      int pair = kAll;
      for (std::size_t i = 0; i < count; ++i) {
        const double closing = -v[first_[i]];
        if (closing <= fastest || closing < problem.contacts[i].rest_speed) continue;
        fastest = closing;
        pair = problem.contacts[i].pair;
      }
      if (pair == kAll) break;
      strike(problem, pair, false, p, v, result);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (v[first_[i]] >= -kStopped * scale_) continue;
    strike(problem, kAll, true, p, v, result);
    break;
  }
  for (std::size_t i = 0; i < n; ++i) {
    v[i] = problem.v[i];
    for (std::size_t j = 0; j < n; ++j) v[i] += problem.W[i * n + j] * p[j];
    result.energy_change += 0.5 * p[i] * (problem.v[i] + v[i]);
  }
  result.work = work_;
  result.normal_work = result.energy_change - result.friction_work;
  return result;
}

}  // namespace tactus::contact
