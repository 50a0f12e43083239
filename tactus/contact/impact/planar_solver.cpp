#include <tactus/contact/impact/planar_solver.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

namespace {

// The matrix is scaled to a diagonal of size 1: pivots below this are rounding.
constexpr double kNoPivot = 1e-11;
// How far the right sides are moved, by the largest velocity: above the rounding of some hundred pivots.
constexpr double kMoved = 1e-8;
// Row by row by another amount between one and two times that.
constexpr double kGoldenRatio = 0.6180339887498949;
// Pivots per unknown; two or three are usual.
constexpr std::size_t kMostPivots = 20;
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

bool rubs(const ConeProblem& problem, std::size_t contact) {
  return problem.size[contact] == 2 && problem.mu[contact] > 0.0;
}

}  // namespace

PlanarSolver::PlanarSolver(std::size_t most_contacts)
    : most_contacts_(std::min(most_contacts, kMostContacts)),
      tableau_(4 * most_contacts_ * (8 * most_contacts_ + 2)),
      given_(4 * most_contacts_),
      basis_(4 * most_contacts_),
      first_(most_contacts_ + 1),
      unknown_(most_contacts_ + 1),
      mass_(most_contacts_) {}

bool PlanarSolver::takes(const ConeProblem& problem) const {
  return problem.size.size() <= most_contacts_ &&
         std::all_of(problem.size.begin(), problem.size.end(), [](int size) { return size <= 2; });
}

/// w - M z - 1 z0 = q with slacks w, unknowns z = (p_n - o, f, g)/rho and s, and the artificial unknown z0.
void PlanarSolver::fill(const ConeProblem& problem) {
  const std::size_t contacts = problem.size.size();
  first_[0] = unknown_[0] = 0;
  for (std::size_t i = 0; i < contacts; ++i) {
    first_[i + 1] = first_[i] + static_cast<std::size_t>(problem.size[i]);
    unknown_[i + 1] = unknown_[i] + (rubs(problem, i) ? 4 : 1);
  }
  const std::size_t rows = first_[contacts];
  n_ = unknown_[contacts];
  columns_ = 2 * n_ + 2;
  std::fill_n(tableau_.data(), n_ * columns_, 0.0);
  for (std::size_t i = 0; i < contacts; ++i) {
    const double trace = problem.W[first_[i] * (rows + 1)] +
                         (rubs(problem, i) ? problem.W[(first_[i] + 1) * (rows + 1)] : 0.0);
    mass_[i] = trace > 0.0 ? (rubs(problem, i) ? 2.0 : 1.0) / trace : 1.0;
  }
  const auto least = [&](std::size_t i) { return problem.least.empty() ? 0.0 : problem.least[i]; };
  const std::size_t right = columns_ - 1;
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::size_t kinds = rubs(problem, i) ? 2 : 1;
    for (std::size_t r = 0; r < kinds; ++r) {
      const double* W = problem.W.data() + (first_[i] + r) * rows;
      double* here = line(unknown_[i] + r);
      here[right] = problem.b[first_[i] + r];
      for (std::size_t j = 0; j < contacts; ++j) {
        double* to = here + n_ + unknown_[j];
        here[right] += W[first_[j]] * least(j);
        to[0] = -W[first_[j]] * mass_[j];
        if (!rubs(problem, j)) continue;
        to[1] = -W[first_[j] + 1] * mass_[j];
        to[2] = -to[1];
      }
    }
    if (kinds == 2) {
      double* forward = line(unknown_[i] + 1);
      double* back = line(unknown_[i] + 2);
      for (std::size_t c = n_; c < columns_; ++c) back[c] = -forward[c];
      const std::size_t slip = n_ + unknown_[i] + 3;
      forward[slip] = back[slip] = -1.0;
      double* edge = line(unknown_[i] + 3);
      edge[n_ + unknown_[i]] = -problem.mu[i];
      edge[n_ + unknown_[i] + 1] = edge[n_ + unknown_[i] + 2] = 1.0;
      edge[right] = problem.mu[i] * least(i) / mass_[i];
    }
  }
  double size = 0.0;
  for (std::size_t row = 0; row < n_; ++row) size = std::max(size, std::abs(line(row)[right]));
  for (std::size_t row = 0; row < n_; ++row) {
    const double place = kGoldenRatio * static_cast<double>(row);
    given_[row] = line(row)[right];
    line(row)[right] += kMoved * size * (1.0 + place - std::floor(place));
    line(row)[row] = 1.0;
    line(row)[2 * n_] = -1.0;
    basis_[row] = row;
  }
}

/// The row whose unknown reaches zero first as the column's grows; the artificial one where it is among them.
std::size_t PlanarSolver::leaving(std::size_t column) const {
  std::size_t best = kNone;
  double least = 0.0;
  for (std::size_t row = 0; row < n_; ++row) {
    const double* here = line(row);
    if (!(here[column] > kNoPivot)) continue;
    const double ratio = here[columns_ - 1] / here[column];
    if (best != kNone && !(ratio < least) && !(ratio == least && basis_[row] == 2 * n_)) continue;
    best = row;
    least = ratio;
  }
  return best;
}

void PlanarSolver::pivot(std::size_t row, std::size_t column) {
  double* from = line(row);
  const double inverse = 1.0 / from[column];
  for (std::size_t c = 0; c < columns_; ++c) from[c] *= inverse;
  from[column] = 1.0;
  for (std::size_t other = 0; other < n_; ++other) {
    if (other == row) continue;
    double* to = line(other);
    const double part = to[column];
    if (part == 0.0) continue;
    for (std::size_t c = 0; c < columns_; ++c) to[c] -= part * from[c];
    to[column] = 0.0;
  }
  basis_[row] = column;
}

bool PlanarSolver::solve(const ConeProblem& problem, double* p) {
  fill(problem);
  const std::size_t right = columns_ - 1, artificial = 2 * n_;
  std::size_t worst = 0;
  for (std::size_t row = 1; row < n_; ++row)
    if (line(row)[right] <= line(worst)[right]) worst = row;
  if (n_ > 0 && line(worst)[right] < 0.0) {
    std::size_t left = basis_[worst];
    pivot(worst, artificial);
    for (std::size_t step = 0; left != artificial; ++step) {
      const std::size_t entering = left < n_ ? left + n_ : left - n_;
      const std::size_t row = step < kMostPivots * n_ ? leaving(entering) : kNone;
      if (row == kNone) return false;
      left = basis_[row];
      pivot(row, entering);
    }
  }
  for (std::size_t i = 0; i < problem.size.size(); ++i)
    for (std::size_t r = first_[i]; r < first_[i + 1]; ++r)
      p[r] = r == first_[i] && !problem.least.empty() ? problem.least[i] : 0.0;
  for (std::size_t row = 0; row < n_; ++row) {
    if (basis_[row] < n_) continue;
    double solution = 0.0;  // the slacks' columns hold the inverse of the basis
    for (std::size_t c = 0; c < n_; ++c) solution += line(row)[c] * given_[c];
    const std::size_t unknown = basis_[row] - n_;
    const std::size_t i = static_cast<std::size_t>(
        std::upper_bound(unknown_.begin() + 1,
                         unknown_.begin() + 1 + static_cast<std::ptrdiff_t>(problem.size.size()), unknown) -
        unknown_.begin() - 1);
    const double impulse = mass_[i] * solution;
    const std::size_t kind = unknown - unknown_[i];
    if (kind == 0) p[first_[i]] += impulse;
    if (kind == 1) p[first_[i] + 1] += impulse;
    if (kind == 2) p[first_[i] + 1] -= impulse;
  }
  return true;
}

}  // namespace tactus::contact
