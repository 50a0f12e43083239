#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/linear/steady_search.h>

namespace tactus::simulate {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Accelerations, and their rates, at which the steps end.
constexpr double kFound = 1e-11;
/// By the largest singular value: slopes of rates are differences, good to some 1e-9 of their size.
constexpr double kRank = 1e-7;

/// [1/s, 1/s^2] Where no slope is larger there are none: differences leave 1e-10.
constexpr double kNoSlope = 1e-8;

Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposed(const MatrixXd& J) {
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> result(J.rows(), J.cols());
  result.setThreshold(kRank);
  result.compute(largest(J) > kNoSlope ? J : MatrixXd::Zero(J.rows(), J.cols()));
  return result;
}

/// An orthonormal basis of what changes nothing: J = Q (T 0; 0 0) Z P^T.
MatrixXd kernel_of(const MatrixXd& J) {
  if (J.cols() == 0 || J.rows() == 0) return MatrixXd::Identity(J.cols(), J.cols());
  const auto parts = decomposed(J);
  return parts.colsPermutation() * MatrixXd(parts.matrixZ().transpose().rightCols(J.cols() - parts.rank()));
}

}  // namespace

void Linearization::Implementation::Search::go_to_rest(Place& place) {
  go_downhill(place);
  go_by_newton(place);
}

bool Linearization::Implementation::Search::keep_moving(std::size_t k) {
  kept.assign(static_cast<std::size_t>(size), 0);
  if (k == 0) return true;
  std::vector<std::size_t> moving;  // among free_u
  const auto speed = [&](std::size_t i) { return std::abs(start.u[static_cast<std::size_t>(free_u[i])]); };
  for (std::size_t i = 0; i < free_u.size(); ++i)
    if (speed(i) > kAtRest) moving.push_back(i);
  if (k > moving.size()) return false;
  std::stable_sort(moving.begin(), moving.end(), [&](auto a, auto b) { return speed(a) > speed(b); });
  kept[free_q.size() + moving[k - 1]] = 1;
  return true;
}

void Linearization::Implementation::Search::go_to_family(Place& place) {
  go_regularised(place, kept);
  go_nearer(place);
}

void Linearization::Implementation::Search::go_alone(Place& place) {
  go_by_newton(place);
  go_nearer(place);
}

// Newton's method alone is for what is near, and goes uphill as well. At rest accelerations lead downhill to where a pendulum hangs from
// wherever it is: steps of length h along what the accelerations will be at their end,
//   y = h (udot + P y)
// as long as h is below what would turn them round, 1/h above every eigenvalue of P.
void Linearization::Implementation::Search::go_downhill(Place& place) {
  constexpr double kNear = 1e-2;  // [rad/s^2, m/s^2]
  constexpr int kMostDownhill = 400;
  double length = 1e-3;               // [s^2]
  std::vector<Index> columns, along;  // coordinates whose rates are independent speeds
  for (std::size_t k = 0; k < free_q.size(); ++k)
    for (std::size_t u = 0; u < self.parts_u.independent.size(); ++u)
      if (self.parts_u.independent[u] == free_q[k]) {
        columns.push_back(static_cast<Index>(k));
        along.push_back(static_cast<Index>(u));
      }
  MatrixXd P;
  double steepest = 0.0;
  for (int step = 0; !along.empty() && step < kMostDownhill && largest(place.r) > kNear; ++step) {
    if (P.size() == 0) {
      P = slopes(place.at)(along, columns);
      steepest = Eigen::EigenSolver<MatrixXd>(P, false).eigenvalues().real().maxCoeff();
    }
    if (steepest > 0.0) length = std::min(length, 0.5 / steepest);
    MatrixXd implicit = -P;
    implicit.diagonal().array() += 1.0 / length;
    VectorXd y = VectorXd::Zero(size);
    const VectorXd change = implicit.partialPivLu().solve(VectorXd(place.r(along)));
    for (std::size_t k = 0; k < columns.size(); ++k) y[columns[k]] = change[static_cast<Index>(k)];
    if (const double most = largest(y); most > 0.2) y *= 0.2 / most;  // [rad, m]
    try {
      const Instant next = self.here(moved(place.at, y)).at;
      const VectorXd there = residual(next);
      if (there.dot(place.r) > 0.0 || there.norm() < place.r.norm()) {
        length *= there.dot(place.r) > 0.0 ? 2.0 : 0.7;
        place = {next, place.y + y, there, false};
        P.resize(0, 0);
        continue;
      }
    } catch (const InputError&) {
    }
    length *= 0.3;
    if (length < 1e-9) break;
  }
}

void Linearization::Implementation::Search::go_by_newton(Place& place) {
  double before = largest(place.r);
  for (int step = 0; step < kMostSteps && before > kFound; ++step) {
    const VectorXd y = -decomposed(slopes(place.at)).solve(place.r);
    double part = 1.0, after = before;
    Instant next = place.at;
    for (int halving = 0; halving < 12; ++halving, part *= 0.5) {
      try {
        next = moved(place.at, part * y);
        const VectorXd trial = residual(next);
        after = largest(trial);
        if (after < before) {
          place.r = trial;
          place.y += part * y;
          break;
        }
      } catch (const InputError&) {
        after = std::numeric_limits<double>::infinity();  // the constraints cannot be met there
      }
    }
    if (!(after < before)) break;
    place.at = self.here(next).at;
    before = after;
  }
  place.found = vanishes(place.r, place.at);
}

void Linearization::Implementation::Search::go_regularised(Place& place, const std::vector<char>& staying) {
  constexpr int kMostRegularised = 100;
  constexpr double kLeast = 1.0, kMost = 1e12;  // times mu
  constexpr double kStuck = 1e-3;               // of the residual: what a step gains at least, now and then
  constexpr int kMostStuck = 5;
  double times = kLeast;
  int stuck = 0;
  for (int step = 0; step < kMostRegularised && stuck < kMostStuck && largest(place.r) > kFound; ++step) {
    const double before = place.r.norm();
    MatrixXd J = slopes(place.at);
    for (Index k = 0; k < size && !staying.empty(); ++k)
      if (staying[static_cast<std::size_t>(k)]) J.col(k).setZero();
    const double mu = J.norm() * place.r.norm() / fastest;
    if (!(mu > 0.0)) break;
    bool fell = false;
    for (; !fell && times < kMost; times *= fell ? 1.0 : 4.0) {
      // Least squares of (J; sqrt(mu) 1) y = (-r; 0): J^T J would lose half of the digits.
      MatrixXd tall(J.rows() + size, size);
      tall << J, std::sqrt(times * mu) * MatrixXd::Identity(size, size);
      VectorXd right = VectorXd::Zero(tall.rows());
      right.head(J.rows()) = -place.r;
      const VectorXd y = tall.householderQr().solve(right);
      try {
        const Instant next = moved(place.at, y);
        const VectorXd trial = residual(next);
        if (trial.norm() < place.r.norm()) {
          place = {self.here(next).at, place.y + y, trial, false};
          fell = true;
        }
      } catch (const InputError&) {  // the constraints cannot be met there
      }
    }
    times = std::max(kLeast, 0.1 * times);
    stuck = place.r.norm() < (1.0 - kStuck) * before ? 0 : stuck + 1;
  }
  place.found = vanishes(place.r, place.at);
}

void Linearization::Implementation::Search::go_nearer(Place& place) {
  constexpr int kMostPasses = 20;
  constexpr double kNearest = 1e-10;  // [rad, m, rad/s, m/s]
  for (int pass = 0; pass < kMostPasses && place.found; ++pass) {
    const MatrixXd N = kernel_of(slopes(place.at));
    const VectorXd towards = -N * (N.transpose() * place.y);
    if (largest(towards) <= kNearest * (1.0 + largest(place.y))) return;
    bool nearer = false;
    for (double part = 1.0; !nearer && part > 0.1; part *= 0.5) {
      try {
        Place next = {self.here(moved(place.at, part * towards)).at, place.y + part * towards, {}, false};
        next.r = residual(next.at);
        go_regularised(next);
        if (next.found && next.y.norm() < place.y.norm()) {
          place = next;
          nearer = true;
        }
      } catch (const InputError&) {
      }
    }
    if (!nearer) return;
  }
}

// A direction of the kernel belongs to a family if there is a steady motion a little way along it: that is tried, with the unknown that
// names it displaced and kept, and with those before it as they were.
std::vector<std::string> Linearization::Implementation::Search::family(
    const Place& place, const std::vector<std::string>& ignorable,
    const std::function<bool(const Instant&)>& is_steady) {
  constexpr double kSome = 1e-6;   // of a basis vector: more than differences leave
  constexpr double kAside = 1e-3;  // [rad, m, rad/s, m/s, N m, N] by the size of the speeds
  constexpr double kNearby =
      0.1;  // the motion found is no further from where the direction leads than this part of the way
  std::vector<std::string> result;
  MatrixXd N = kernel_of(slopes(place.at));
  kept.assign(static_cast<std::size_t>(size), 0);
  const std::vector<std::string> all = names();
  // The directions left keep the unknown k.
  const auto take_out = [&](Index k, Index by) {
    const VectorXd pivot = N.col(by) / N(k, by);
    for (Index j = 0; j < N.cols(); ++j)
      if (j != by) N.col(j) -= N(k, j) * pivot;
    N.col(by) = N.col(N.cols() - 1);
    N.conservativeResize(Eigen::NoChange, N.cols() - 1);
    kept[static_cast<std::size_t>(k)] = 1;
  };
  const auto largest_in = [&](Index k) {
    Index by = 0;
    const double most = N.cols() > 0 ? N.row(k).cwiseAbs().maxCoeff(&by) : 0.0;
    return std::pair(most, by);
  };
  const auto count_q = static_cast<Index>(free_q.size());
  for (Index k = 0; k < count_q; ++k)
    if (std::find(ignorable.begin(), ignorable.end(), all[static_cast<std::size_t>(k)]) != ignorable.end())
      if (const auto [most, by] = largest_in(k); most > kSome) take_out(k, by);
  // Speeds and forces tell a motion better than places.
  std::vector<Index> order;
  for (Index k = count_q; k < size; ++k) order.push_back(k);
  for (Index k = 0; k < count_q; ++k) order.push_back(k);
  for (const Index k : order) {
    const auto [most, by] = largest_in(k);
    if (kept[static_cast<std::size_t>(k)] || !(most > kSome)) continue;
    const VectorXd aside = N.col(by) * (kAside * fastest / N(k, by));
    kept[static_cast<std::size_t>(k)] = 1;
    bool is_one = false;
    try {
      Place next = {self.here(moved(place.at, aside)).at, VectorXd::Zero(size), {}, false};
      next.r = residual(next.at);
      go_regularised(next, kept);
      is_one = next.found && next.y.norm() <= kNearby * aside.norm() && is_steady(next.at);
    } catch (const InputError&) {
    }
    if (is_one) {
      result.push_back(all[static_cast<std::size_t>(k)]);
      take_out(k, by);
    } else {
      kept[static_cast<std::size_t>(k)] = 0;
    }
  }
  return result;
}

}  // namespace tactus::simulate
