#include <tactus/contact/stepping/sweep_solver.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {
namespace {

// Slip below this part of the largest velocity counts as none.
constexpr double kStill = 1e-5;
// With the matrix: tighter, so that the steps after it find nothing to do.
constexpr double kDenseTolerance = 1e-2;
constexpr int kDenseSweeps = 60;
constexpr int kCheapDenseSweeps = 200;
// So few contacts may be solved with their matrix at any time.
constexpr std::size_t kCheap = 16;
constexpr int kMostDoublings = 6;
// Sweeps of the displacement that separates bodies; what they leave is taken up by the next step.
constexpr int kSeparationSweeps = 30;

}  // namespace

SweepSolver::SweepSolver(std::vector<std::size_t> block_sizes, std::size_t most_contacts,
                         SweepOptions options)
    : block_size_(std::move(block_sizes)),
      options_(options),
      contacts_(most_contacts),
      dense_(std::min(most_contacts, options.most_dense),
             {.tolerance = kDenseTolerance * options.tolerance, .most_sweeps = kDenseSweeps}) {
  std::size_t place = 0, largest = 0;
  for (const std::size_t size : block_size_) {
    offset_.push_back(place);
    place += size;
    largest = std::max(largest, size);
  }
  memory_.resize(most_contacts * 12 * largest);
  for (std::size_t i = 0; i < most_contacts; ++i) {
    double* from = memory_.data() + i * 12 * largest;
    for (int side = 0; side < 2; ++side) {
      contacts_[i].J[side] = from + (2 * side) * 3 * static_cast<std::ptrdiff_t>(largest);
      contacts_[i].Y[side] = from + (2 * side + 1) * 3 * static_cast<std::ptrdiff_t>(largest);
    }
  }
  const std::size_t rows = 3 * dense_.most_contacts();
  dense_size_.reserve(dense_.most_contacts());
  dense_mu_.reserve(dense_.most_contacts());
  dense_W_.resize(rows * rows);
  dense_b_.resize(rows);
  dense_p_.resize(rows);
  dense_w_.resize(rows);
}

SweepSolver::Contact* SweepSolver::add() {
  if (count_ == contacts_.size()) return nullptr;
  Contact& contact = contacts_[count_++];
  Contact fresh;
  std::copy_n(contact.J, 2, fresh.J);
  std::copy_n(contact.Y, 2, fresh.Y);
  contact = fresh;
  return &contact;
}

void SweepSolver::prepare(Contact& contact) const {
  contact.local = {};
  contact.local.size = contact.size;
  contact.local.mu = contact.size > 1 ? contact.mu : 0.0;
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t n = block_size(contact.block[side]);
    for (int r = 0; r < contact.size; ++r) {
      for (int c = 0; c < contact.size; ++c) {
        const double* J = contact.J[side] + static_cast<std::size_t>(r) * n;
        const double* Y = contact.Y[side] + static_cast<std::size_t>(c) * n;
        double sum = 0.0;
        for (std::size_t i = 0; i < n; ++i) sum += J[i] * Y[i];
        contact.local.W[3 * r + c] += sum;
      }
    }
  }
  contact.local.W[0] += contact.compliance;
  contact.rho = contact.local.mass();
}

double SweepSolver::velocity(const Contact& contact, int row, const double* u) const {
  double sum = 0.0;
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t n = block_size(contact.block[side]);
    const double* J = contact.J[side] + static_cast<std::size_t>(row) * n;
    const double* x = u + offset(contact.block[side]);
    for (std::size_t i = 0; i < n; ++i) sum += J[i] * x[i];
  }
  return sum;
}

void SweepSolver::velocities(Contact& contact, const double* u) const {
  for (int r = 0; r < contact.size; ++r) contact.w[r] = contact.bias[r] + velocity(contact, r, u);
  contact.w[0] += contact.compliance * contact.p[0];
}

void SweepSolver::apply(const Contact& contact, int row, double impulse, double* u) const {
  if (impulse == 0.0) return;
  for (int side = 0; side < 2; ++side) {
    if (contact.block[side] < 0) continue;
    const std::size_t n = block_size(contact.block[side]);
    const double* Y = contact.Y[side] + static_cast<std::size_t>(row) * n;
    double* x = u + offset(contact.block[side]);
    for (std::size_t i = 0; i < n; ++i) x[i] += impulse * Y[i];
  }
}

/// The largest natural map that the contacts had when their turn came.
double SweepSolver::sweep(bool forward, double* u) {
  double worst = 0.0;
  for (std::size_t step = 0; step < count_; ++step) {
    Contact& k = contacts_[forward ? step : count_ - 1 - step];
    velocities(k, u);
    if (k.p[0] == 0.0 && k.w[0] >= 0.0) continue;
    double f[3], q[3], p[3];
    worst = std::max(worst, natural_map(k.local, ConeLaw::coulomb, k.rho, k.p, k.w, f));
    for (int r = 0; r < k.size; ++r) {
      q[r] = k.w[r];
      for (int c = 0; c < k.size; ++c) q[r] -= k.local.W[3 * r + c] * k.p[c];
    }
    solve_contact(k.local, q, p);
    for (int r = 0; r < k.size; ++r) {
      apply(k, r, p[r] - k.p[r], u);
      k.p[r] = p[r];
    }
  }
  return worst;
}

ConeResult SweepSolver::solve(double* u) {
  ConeResult result;
  for (Contact& k : contacts()) {
    k.p[0] = k.rho > 0.0 ? k.p[0] : 0.0;
    clip_impulse(k.local, k.p);
    velocities(k, u);
    // Contacts that would stay open say nothing about the size of what is to be solved.
    if (k.w[0] - k.compliance * k.p[0] >= 0.0) continue;
    for (int r = 0; r < k.size; ++r) result.scale = std::max(result.scale, std::abs(k.w[r]));
  }
  for (const Contact& k : contacts())
    for (int r = 0; r < k.size; ++r) apply(k, r, k.p[r], u);
  const long visits = options_.most_visits / std::max(1L, static_cast<long>(count_));
  const int most = static_cast<int>(std::clamp(visits, 1L, static_cast<long>(options_.most_sweeps)));
  const auto sweep_until = [&](int end) {
    while (result.sweeps < end && !result.converged) {
      result.residual = sweep(result.sweeps % 2 == 0, u);
      ++result.sweeps;
      result.converged = result.residual <= options_.tolerance * result.scale;
    }
  };
  sweep_until(count_ <= dense_.most_contacts() ? std::min(most, options_.few_sweeps) : most);
  if (!result.converged && count_ <= dense_.most_contacts() && may_solve_dense()) {
    const int before = result.sweeps;
    solve_dense(result, u);
    history_.failures = result.converged ? 0 : history_.failures + 1;
    result.sweeps = before;
  }
  sweep_until(most);
  for (Contact& k : contacts()) {
    velocities(k, u);
    const double slip = k.size > 1 ? std::hypot(k.w[1], k.size > 2 ? k.w[2] : 0.0) : 0.0;
    k.mode = !(k.p[0] > 0.0)                               ? ConeMode::open
             : k.mu > 0.0 && slip <= kStill * result.scale ? ConeMode::sticking
                                                           : ConeMode::sliding;
  }
  return result;
}

/// Some contacts cannot be solved with their matrix either, and that is dear: after each failure twice as
/// many solutions go by before it is tried again.
bool SweepSolver::may_solve_dense() {
  if (count_ <= kCheap) return true;
  if (history_.pause > 0) {
    --history_.pause;
    return false;
  }
  history_.pause = (1 << std::min(history_.failures, kMostDoublings)) - 1;
  return true;
}

void SweepSolver::solve_dense(ConeResult& result, double* u) {
  dense_size_.clear();
  dense_mu_.clear();
  std::size_t rows = 0;
  for (const Contact& k : contacts()) {
    dense_size_.push_back(k.size);
    dense_mu_.push_back(k.mu);
    rows += static_cast<std::size_t>(k.size);
  }
  std::size_t i = 0;
  for (const Contact& k : contacts()) {
    for (int r = 0; r < k.size; ++r, ++i) {
      std::size_t j = 0;
      for (const Contact& other : contacts()) {
        for (int c = 0; c < other.size; ++c, ++j) {
          double sum = &k == &other && r == 0 && c == 0 ? k.compliance : 0.0;
          for (int side = 0; side < 4; ++side) {
            const int a = k.block[side % 2], b = other.block[side / 2];
            if (a < 0 || a != b) continue;
            const std::size_t n = block_size(a);
            const double* J = k.J[side % 2] + static_cast<std::size_t>(r) * n;
            const double* Y = other.Y[side / 2] + static_cast<std::size_t>(c) * n;
            for (std::size_t l = 0; l < n; ++l) sum += J[l] * Y[l];
          }
          dense_W_[i * rows + j] = sum;
        }
      }
      dense_p_[i] = k.p[r];
    }
  }
  i = 0;
  for (Contact& k : contacts()) {
    velocities(k, u);
    for (int r = 0; r < k.size; ++r, ++i) dense_b_[i] = k.w[r];
  }
  for (i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) dense_b_[i] -= dense_W_[i * rows + j] * dense_p_[j];
  const std::span<const double> W(dense_W_.data(), rows * rows), b(dense_b_.data(), rows);
  dense_.set_most_sweeps(count_ <= kCheap ? kCheapDenseSweeps : kDenseSweeps);
  const ConeResult exact = dense_.solve({dense_size_, dense_mu_, {}, W, b, result.scale},
                                        {dense_p_.data(), rows}, {dense_w_.data(), rows});
  result.newton_steps = exact.newton_steps;
  if (!exact.converged) return;
  result.converged = true;
  result.residual = exact.residual;
  i = 0;
  for (Contact& k : contacts()) {
    for (int r = 0; r < k.size; ++r, ++i) {
      apply(k, r, dense_p_[i] - k.p[r], u);
      k.p[r] = dense_p_[i];
    }
  }
}

void SweepSolver::separate(std::span<const double> slack, std::span<double> push, double* du) const {
  for (int sweep = 0; sweep < kSeparationSweeps; ++sweep) {
    double worst = 0.0, size = 0.0;
    for (std::size_t step = 0; step < count_; ++step) {
      const std::size_t i = sweep % 2 == 0 ? step : count_ - 1 - step;
      const Contact& k = contacts_[i];
      const double mobility = k.local.W[0] - k.compliance;
      if (!(mobility > 0.0) || k.compliance > 0.0) continue;
      const double w = slack[i] + velocity(k, 0, du);
      const double now = std::max(0.0, push[i] - w / mobility);
      worst = std::max(worst, std::abs(now - push[i]) * mobility);
      size = std::max(size, std::abs(slack[i]));
      apply(k, 0, now - push[i], du);
      push[i] = now;
    }
    if (worst <= options_.tolerance * size) break;
  }
}

}  // namespace tactus::contact
