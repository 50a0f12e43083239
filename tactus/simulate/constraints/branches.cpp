#include <tactus/simulate/constraints/branches.h>

#include <algorithm>
#include <cmath>

#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

/// Accelerations that contradict each other by less than this part of the squared speeds do not: rows that
/// depend on each other within kRankTolerance bring errors of that size.
constexpr double kOnBranch = 1e-8;
/// [rad/s, m/s] Slower is rest: the rounding of speeds that constraints take away.
constexpr double kRest = 1e-9;
/// Where rest is the only solution each step halves the speeds.
constexpr int kMostSteps = 60;

double largest(const double* v, std::size_t n) {
  double result = 0.0;
  for (std::size_t i = 0; i < n; ++i) result = std::max(result, std::abs(v[i]));
  return result;
}

}  // namespace

Branches::Branches(const Dynamics& dynamics, const Constraints& constraints)
    : nv_(static_cast<std::size_t>(dynamics.nv())),
      constraints_(constraints),
      terms_(dynamics, constraints),
      first_(nv_, constraints.size()),
      both_(nv_, constraints.size()),
      M_(nv_ * nv_),
      A_(constraints.size() * nv_),
      both_A_(A_.size()),
      scale_(constraints.size()),
      gamma_(constraints.size()),
      y_(nv_),
      both_scale_(constraints.size()),
      error_(constraints.size()),
      g_(constraints.size()),
      above_(constraints.size()),
      below_(constraints.size()),
      near_(nv_),
      best_(nv_),
      before_(nv_),
      du_(nv_) {
  placed_.reserve(constraints.size());
}

bool Branches::place(double t, const double* q, const double* u, const std::vector<std::size_t>& rows,
                     const char* kept) {
  terms_.evaluate(t, q, u);
  for (const Constraints::Entry& e : constraints_.M_entries) {
    const std::size_t at = e.row * nv_ + e.column;
    M_[at] = terms_.M()[at];
  }
  const auto each_entry = [&](std::size_t row, const auto& action) {
    for (std::size_t e = constraints_.A_begin[row]; e < constraints_.A_begin[row + 1]; ++e)
      action(static_cast<std::size_t>(constraints_.A_entries[e].column));
  };
  for (std::size_t k = 0; k < placed_.size(); ++k)
    each_entry(placed_[k], [&](std::size_t i) { A_[k * nv_ + i] = 0.0; });
  placed_ = rows;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double* a = terms_.A(rows[k]);
    each_entry(rows[k], [&](std::size_t i) { A_[k * nv_ + i] = kept != nullptr && kept[i] ? 0.0 : a[i]; });
    scale_[k] = constraints_.scale[rows[k]];
  }
  for (std::size_t i = 0; kept != nullptr && i < nv_; ++i) {
    if (!kept[i]) continue;
    for (std::size_t j = 0; j < nv_; ++j)
      if (j != i) M_[i * nv_ + j] = M_[j * nv_ + i] = 0.0;
  }
  problem_ = {nv_,       rows.size(),   M_.data(),     terms_.Q(),
              A_.data(), gamma_.data(), scale_.data(), kRankTolerance};
  return first_.factor(problem_);
}

double Branches::contradiction(double t, const double* q, const double* u,
                               const std::vector<std::size_t>& rows, double* g) {
  terms_.evaluate(t, q, u);
  for (std::size_t k = 0; k < rows.size(); ++k) gamma_[k] = terms_.gamma()[rows[k]] / scale_[k];
  first_.rows().solve(gamma_.data(), y_.data());
  first_.rows().rest(gamma_.data(), y_.data(), g);
  return largest(g, rows.size() - first_.rows().rank());
}

Branches::Outcome Branches::settle(double t, const double* q, double* u, const std::vector<std::size_t>& rows,
                                   const char* kept) {
  if (rows.empty() || !place(t, q, u, rows, kept)) return {};
  const std::size_t rank = first_.rows().rank(), conditions = rows.size() - rank;
  const double fastest = largest(u, nv_), enough = kOnBranch * fastest * fastest;
  if (conditions == 0 || fastest < kRest) return {};
  double least = contradiction(t, q, u, rows, g_.data());
  if (least <= enough) return {};

  std::copy_n(u, nv_, before_.begin());
  std::copy_n(u, nv_, best_.begin());
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t row = first_.rows().order(k);
    std::copy_n(A_.data() + row * nv_, nv_, both_A_.data() + k * nv_);
    both_scale_[k] = scale_[row];
    error_[k] = 0.0;
  }
  for (int step = 0; step < kMostSteps && least > 0.0; ++step) {
    // Central differences of a quadratic function are exact.
    std::copy_n(u, nv_, near_.begin());
    for (std::size_t i = 0; i < nv_; ++i) {
      near_[i] = u[i] + fastest;
      contradiction(t, q, near_.data(), rows, above_.data());
      near_[i] = u[i] - fastest;
      contradiction(t, q, near_.data(), rows, below_.data());
      near_[i] = u[i];
      for (std::size_t k = 0; k < conditions; ++k)
        both_A_[(rank + k) * nv_ + i] =
            kept != nullptr && kept[i] ? 0.0 : (above_[k] - below_[k]) / (2.0 * fastest);
    }
    const double now = largest(u, nv_);
    for (std::size_t k = 0; k < conditions; ++k) {
      both_scale_[rank + k] = now;
      error_[rank + k] = g_[k];
    }
    ConstrainedProblem both = problem_;
    both.A = both_A_.data();
    both.scale = both_scale_.data();
    if (!both_.factor(both)) break;
    both_.smallest_step(error_.data(), du_.data());
    for (std::size_t i = 0; i < nv_; ++i)
      if (kept == nullptr || !kept[i]) u[i] -= du_[i];
    const double left = contradiction(t, q, u, rows, g_.data());
    if (!(left < least)) break;
    least = left;
    std::copy_n(u, nv_, best_.begin());
  }
  if (!(least <= enough)) {
    std::copy_n(before_.begin(), nv_, u);
    return {false, 0.0};
  }
  std::copy_n(best_.begin(), nv_, u);
  double energy = 0.0, change = 0.0;
  for (std::size_t i = 0; i < nv_; ++i)
    for (std::size_t j = 0; j < nv_; ++j) {
      const double M_ij = M_[i * nv_ + j];
      energy += before_[i] * M_ij * before_[j];
      change += (before_[i] - u[i]) * M_ij * (before_[j] - u[j]);
    }
  return {true, energy > 0.0 ? change / energy : 0.0};
}

}  // namespace tactus::simulate
