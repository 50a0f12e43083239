#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <tactus/simulate/linear/linearization.h>

namespace tactus::simulate {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Instant Linearization::steady(const Instant& point, const SteadySearch& search) {
  Implementation& self = *implementation_;
  const std::vector<double> weight_q = self.weight_q, weight_u = self.weight_u;
  for (const std::string& name : search.held) self.demand(name, self.weight_q, self.weight_u);
  self.chosen = false;
  const auto is_held = [&](const std::string& name) {
    return std::find(search.held.begin(), search.held.end(), name) != search.held.end();
  };
  const auto speed_is_held = [&](const std::string& name) {
    return is_held(name) || is_held(describe::rate_name(name));
  };
  Instant at = point;
  if (search.at_rest) std::fill(at.u.begin(), at.u.end(), 0.0);
  LinearModel model = self.here(at);
  at = model.at;
  // Unknowns: displacements of independent coordinates, independent speeds, efforts.
  std::vector<int> free_q, free_u, free_tau;
  for (const int k : self.parts_q.independent)
    if (!is_held(self.tangent.names()[static_cast<std::size_t>(k)])) free_q.push_back(k);
  for (const int k : self.parts_u.independent)
    if (!search.at_rest && !speed_is_held(self.speed_names[static_cast<std::size_t>(k)])) free_u.push_back(k);
  for (const std::string& name : search.efforts) {
    const auto found = std::find(self.efforts.begin(), self.efforts.end(), name);
    if (found == self.efforts.end())
      throw InputError({self.model.file}, fmt::format("`{}` is no actuator of this model", name),
                       fmt::format("there are {}", fmt::join(self.efforts, ", ")));
    free_tau.push_back(static_cast<int>(found - self.efforts.begin()));
  }
  if (!free_tau.empty() && !at.tau) at.tau.emplace(static_cast<std::size_t>(self.nv), 0.0);
  const auto moved = [&](const Instant& from, const VectorXd& y) {
    Instant to = from;
    VectorXd xi = VectorXd::Zero(self.nv);
    Index k = 0;
    for (const int i : free_q) xi[i] = y[k++];
    self.tangent.displace(to.q, xi);
    for (const int i : free_u) to.u[static_cast<std::size_t>(i)] += y[k++];
    for (const int i : free_tau) (*to.tau)[static_cast<std::size_t>(i)] += y[k++];
    return to;
  };
  const auto residual = [&](const Instant& from) {
    const LinearModel here = self.here(from);
    VectorXd r(static_cast<Index>(here.acceleration.size() + (search.at_rest ? 0 : here.jerk.size())));
    Index k = 0;
    for (const double x : here.acceleration) r[k++] = x;
    if (!search.at_rest)
      for (const double x : here.jerk) r[k++] = x;
    return r;
  };
  const auto size = static_cast<Index>(free_q.size() + free_u.size() + free_tau.size());
  constexpr double kDifference = 1e-6;  // the slopes need no more than steer the steps: the residual is exact
  constexpr double kFound = 1e-11;
  // Slopes of the residual: of accelerations those of the linear model itself, P, D and B; of their rates, jerk = P qd, at rest P H, and
  // otherwise differences.
  const auto slopes = [&](const Instant& from) {
    const LinearModel here = self.here(from);
    const bool rests = largest(VectorXd(self.output("qd"))) == 0.0;
    const auto p_q = static_cast<Index>(here.coordinates.size()),
               p_u = static_cast<Index>(here.speeds.size());
    const MatrixXd H = here.full.A.topRightCorner(p_q, p_u), P = here.full.A.bottomLeftCorner(p_u, p_q),
                   D = here.full.A.bottomRightCorner(p_u, p_u), B = here.full.B.bottomRows(p_u);
    const auto among = [](const auto& all, const auto& one) {
      return static_cast<Index>(std::find(all.begin(), all.end(), one) - all.begin());
    };
    MatrixXd J = MatrixXd::Zero(search.at_rest ? p_u : 2 * p_u, size);
    Index k = 0;
    for (const int i : free_q) J.col(k++).head(p_u) = P.col(among(self.parts_q.independent, i));
    for (const int i : free_u) {
      const Index u = among(self.parts_u.independent, i);
      J.col(k).head(p_u) = D.col(u);
      if (rests) J.col(k).tail(p_u) = P * H.col(u);
      ++k;
    }
    for (const int i : free_tau) {
      const Index input = among(here.inputs, self.efforts[static_cast<std::size_t>(i)]);
      if (input < B.cols()) J.col(k).head(p_u) = B.col(input);
      ++k;
    }
    for (k = 0; !search.at_rest && !rests && k < size; ++k) {
      const VectorXd y = kDifference * VectorXd::Unit(size, k);
      J.col(k).tail(p_u) =
          (residual(moved(from, y)) - residual(moved(from, -y))).tail(p_u) / (2.0 * kDifference);
    }
    return J;
  };
  // At rest, accelerations lead downhill to where a pendulum hangs from wherever it is; Newton's method alone is for what is near, and
  // goes uphill as well. Steps of length h along what the accelerations will be at their end,
  //   y = h (udot + P y)
  // as long as h is below what would turn them round, 1/h above every eigenvalue of P.
  if (search.at_rest && !free_q.empty()) {
    constexpr double kNear = 1e-2;  // [rad/s^2, m/s^2]
    constexpr int kMostDownhill = 400;
    double length = 1e-3;              // [s^2]
    std::vector<Index> columns, rows;  // coordinates whose rates are independent speeds
    for (std::size_t k = 0; k < free_q.size(); ++k)
      for (std::size_t u = 0; u < self.parts_u.independent.size(); ++u)
        if (self.parts_u.independent[u] == free_q[k]) {
          columns.push_back(static_cast<Index>(k));
          rows.push_back(static_cast<Index>(u));
        }
    VectorXd force = residual(at);
    MatrixXd P;
    double steepest = 0.0;
    for (int step = 0; !rows.empty() && step < kMostDownhill && largest(force) > kNear; ++step) {
      if (P.size() == 0) {
        P = slopes(at)(rows, columns);
        steepest = Eigen::EigenSolver<MatrixXd>(P, false).eigenvalues().real().maxCoeff();
      }
      if (steepest > 0.0) length = std::min(length, 0.5 / steepest);
      MatrixXd implicit = -P;
      implicit.diagonal().array() += 1.0 / length;
      VectorXd y = VectorXd::Zero(size);
      const VectorXd along = implicit.partialPivLu().solve(VectorXd(force(rows)));
      for (std::size_t k = 0; k < columns.size(); ++k) y[columns[k]] = along[static_cast<Index>(k)];
      if (const double most = largest(y); most > 0.2) y *= 0.2 / most;  // [rad, m]
      try {
        const Instant next = self.here(moved(at, y)).at;
        const VectorXd there = residual(next);
        if (there.dot(force) > 0.0 || there.norm() < force.norm()) {
          length *= there.dot(force) > 0.0 ? 2.0 : 0.7;
          at = next;
          force = there;
          P.resize(0, 0);
          continue;
        }
      } catch (const InputError&) {
      }
      length *= 0.3;
      if (length < 1e-9) break;
    }
  }
  VectorXd r = residual(at);
  double before = largest(r);
  for (int step = 0; step < kMostSteps && before > kFound; ++step) {
    const MatrixXd J = slopes(at);
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver(J.rows(), J.cols());
    solver.setThreshold(1e-7);
    solver.compute(J);
    const VectorXd y = -solver.solve(r);
    double part = 1.0, after = before;
    Instant next = at;
    for (int halving = 0; halving < 12; ++halving, part *= 0.5) {
      try {
        next = moved(at, part * y);
        const VectorXd trial = residual(next);
        after = largest(trial);
        if (after < before) {
          r = trial;
          break;
        }
      } catch (const InputError&) {
        after = std::numeric_limits<double>::infinity();  // the constraints cannot be met there
      }
    }
    if (!(after < before)) break;
    at = self.here(next).at;
    before = after;
  }
  const double fastest = fastest_of(at.u);
  // What Newton's method leaves of accelerations, and of their rates, which are differences of larger terms; at() looks along the motion.
  const auto count_u = static_cast<Index>(self.parts_u.independent.size());
  const VectorXd accelerations = r.head(count_u), rates = r.tail(r.size() - count_u);
  const bool found =
      largest(accelerations) <= kAtRest * fastest * 1e-2 && largest(rates) <= kAtRest * fastest * fastest;
  self.weight_q = weight_q;
  self.weight_u = weight_u;
  if (!found) {
    const LinearModel last = self.here(at);
    std::string left;
    const bool by_rates = largest(accelerations) <= kAtRest * fastest * 1e-2;
    for (std::size_t k = 0; k < last.speeds.size(); ++k)
      left += fmt::format("{}{} {:.3g}", left.empty() ? "" : ", ", last.speeds[k],
                          by_rates ? last.jerk[k] : last.acceleration[k]);
    self.chosen = false;
    throw InputError({self.model.file},
                     fmt::format("no {} was found near the state; {} left: {} (held: {})",
                                 search.at_rest ? "equilibrium" : "steady motion",
                                 by_rates ? "rates of the accelerations" : "accelerations", left,
                                 search.at_rest        ? "all speeds, at zero"
                                 : search.held.empty() ? "nothing"
                                                       : fmt::format("{}", fmt::join(search.held, ", "))),
                     "start nearer to one, hold fewer values, or let actuator forces change");
  }
  self.chosen = false;
  return at;
}

}  // namespace tactus::simulate
