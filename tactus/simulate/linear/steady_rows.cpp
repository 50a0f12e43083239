#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/linear/steady_search.h>

namespace tactus::simulate {

namespace {

/// The slopes need no more than steer the steps: the residual is exact.
constexpr double kDifference = 1e-6;
/// By the largest slope of all accelerations: smaller ones are rounding.
constexpr double kSymmetry = 1e-9;

template <typename Names, typename Name>
Eigen::Index among(const Names& all, const Name& one) {
  return static_cast<Eigen::Index>(std::find(all.begin(), all.end(), one) - all.begin());
}

}  // namespace

Linearization::Implementation::Search::Search(Implementation& of, const Instant& from,
                                              const SteadySearch& asked, Rows which)
    : self(of), rows(which), start(from) {
  const std::vector<double> weight_q = self.weight_q, weight_u = self.weight_u;
  for (const std::string& name : asked.held) self.demand(name, self.weight_q, self.weight_u);
  self.chosen = false;
  const auto is_held = [&](const std::string& name) {
    return std::find(asked.held.begin(), asked.held.end(), name) != asked.held.end();
  };
  const auto speed_is_held = [&](const std::string& name) {
    return is_held(name) || is_held(describe::rate_name(name));
  };
  if (rows == Rows::at_rest) std::fill(start.u.begin(), start.u.end(), 0.0);
  start = self.here(start).at;
  self.weight_q = weight_q;
  self.weight_u = weight_u;
  for (const int k : self.parts_q.independent)
    if (!is_held(self.tangent.names()[static_cast<std::size_t>(k)])) free_q.push_back(k);
  for (const int k : self.parts_u.independent)
    if (rows != Rows::at_rest && !speed_is_held(self.speed_names[static_cast<std::size_t>(k)]))
      free_u.push_back(k);
  for (const std::string& name : asked.efforts) {
    const Index k = among(self.efforts, name);
    if (k == static_cast<Index>(self.efforts.size()))
      throw InputError({self.model.file}, fmt::format("`{}` is no actuator of this model", name),
                       fmt::format("there are {}", fmt::join(self.efforts, ", ")));
    free_tau.push_back(static_cast<int>(k));
  }
  if (!free_tau.empty() && !start.tau) start.tau.emplace(static_cast<std::size_t>(self.nv), 0.0);
  size = static_cast<Index>(free_q.size() + free_u.size() + free_tau.size());
  p_u = static_cast<Index>(self.parts_u.independent.size());
  fastest = fastest_of(start.u);
  if (rows != Rows::shape || p_u == 0) return;
  // Of no common ratio and both signs: fractional parts of multiples of the golden section. Rows enough to see every coordinate.
  constexpr double kGolden = 0.6180339887498949;
  const auto p_q = static_cast<Index>(self.parts_q.independent.size());
  const Index count = (p_q + p_u - 1) / p_u;
  for (Index k = 0; k < count; ++k) {
    VectorXd v(p_u);
    for (Index i = 0; i < p_u; ++i) {
      const double x = kGolden * static_cast<double>(1 + i + k * p_u), part = x - std::floor(x);
      v[i] = fastest * (part < 0.5 ? -0.5 - part : part);
    }
    others.push_back(v);
  }
}

Linearization::Implementation::Search::Place Linearization::Implementation::Search::at_start() {
  return {start, VectorXd::Zero(size), residual(start), false};
}

Instant Linearization::Implementation::Search::moved(const Instant& from, const VectorXd& y) const {
  Instant to = from;
  VectorXd xi = VectorXd::Zero(self.nv);
  Index k = 0;
  for (const int i : free_q) xi[i] = y[k++];
  self.tangent.displace(to.q, xi);
  for (const int i : free_u) to.u[static_cast<std::size_t>(i)] += y[k++];
  for (const int i : free_tau) (*to.tau)[static_cast<std::size_t>(i)] += y[k++];
  return to;
}

Eigen::VectorXd Linearization::Implementation::Search::rates_of_shape(const Instant& from) {
  const VectorXd moving = VectorXd(self.output("qd"))(self.parts_q.independent);
  const Index p_q = moving.size();
  MatrixXd all(static_cast<Index>(others.size()) * p_u, p_q);
  for (std::size_t k = 0; k < others.size(); ++k) {
    Instant other = from;
    for (Index i = 0; i < p_u; ++i)
      other.u[static_cast<std::size_t>(self.parts_u.independent[static_cast<std::size_t>(i)])] = others[k][i];
    all.middleRows(static_cast<Index>(k) * p_u, p_u) = self.here(other).full.A.bottomLeftCorner(p_u, p_q);
  }
  const Eigen::JacobiSVD<MatrixXd> svd(all, Eigen::ComputeThinV);
  VectorXd along = VectorXd::Zero(p_q);
  for (Index k = 0; k < svd.singularValues().size(); ++k)
    if (svd.singularValues()[k] > kSymmetry * svd.singularValues()[0])
      along += svd.matrixV().col(k) * svd.matrixV().col(k).dot(moving);
  return along;
}

Eigen::VectorXd Linearization::Implementation::Search::residual(const Instant& from) {
  const LinearModel here = self.here(from);
  const VectorXd udot = VectorXd::Map(here.acceleration.data(), p_u);
  if (rows == Rows::at_rest) return udot;
  const VectorXd rates =
      rows == Rows::own ? VectorXd(VectorXd::Map(here.jerk.data(), p_u)) : rates_of_shape(here.at);
  VectorXd r(p_u + rates.size());
  r << udot, rates;
  return r;
}

// Of accelerations those of the linear model itself, P, D and B; of their own rates at rest, P qd, P H; and otherwise differences.
Eigen::MatrixXd Linearization::Implementation::Search::slopes(const Instant& from) {
  const LinearModel here = self.here(from);
  const bool rests = largest(VectorXd(self.output("qd"))) == 0.0;
  const auto p_q = static_cast<Index>(here.coordinates.size());
  const MatrixXd H = here.full.A.topRightCorner(p_q, p_u), P = here.full.A.bottomLeftCorner(p_u, p_q),
                 D = here.full.A.bottomRightCorner(p_u, p_u), B = here.full.B.bottomRows(p_u);
  const Index more = rows == Rows::at_rest ? 0 : rows == Rows::own ? p_u : p_q;
  MatrixXd J = MatrixXd::Zero(p_u + more, size);
  Index k = 0;
  for (const int i : free_q) J.col(k++).head(p_u) = P.col(among(self.parts_q.independent, i));
  for (const int i : free_u) {
    const Index u = among(self.parts_u.independent, i);
    J.col(k).head(p_u) = D.col(u);
    if (rests && rows == Rows::own) J.col(k).tail(p_u) = P * H.col(u);
    ++k;
  }
  for (const int i : free_tau) {
    const Index input = among(here.inputs, self.efforts[static_cast<std::size_t>(i)]);
    if (input < B.cols()) J.col(k).head(p_u) = B.col(input);
    ++k;
  }
  if (rows == Rows::at_rest || (rests && rows == Rows::own)) return J;
  for (k = 0; k < size; ++k) {
    const VectorXd y = kDifference * VectorXd::Unit(size, k);
    J.col(k).tail(more) =
        (residual(moved(from, y)) - residual(moved(from, -y))).tail(more) / (2.0 * kDifference);
  }
  return J;
}

bool Linearization::Implementation::Search::accelerations_vanish(const VectorXd& r, const Instant& at) const {
  return largest(VectorXd(r.head(p_u))) <= kAtRest * fastest_of(at.u) * 1e-2;
}

bool Linearization::Implementation::Search::vanishes(const VectorXd& r, const Instant& at) const {
  // Rates are differences of larger terms; at() looks along the motion.
  const double speed = fastest_of(at.u);
  return accelerations_vanish(r, at) && largest(VectorXd(r.tail(r.size() - p_u))) <= kAtRest * speed * speed;
}

std::string Linearization::Implementation::Search::what_is_left(const Place& place) {
  const bool by_rates = accelerations_vanish(place.r, place.at);
  const LinearModel last = self.here(place.at);
  std::vector<std::string> left;
  for (std::size_t k = 0; k < last.speeds.size(); ++k)
    left.push_back(fmt::format("{} {:.3g}", last.speeds[k], by_rates ? last.jerk[k] : last.acceleration[k]));
  self.chosen = false;
  return fmt::format("{} left: {}", by_rates ? "rates of the accelerations" : "accelerations",
                     fmt::join(left, ", "));
}

std::vector<std::string> Linearization::Implementation::Search::names() const {
  std::vector<std::string> result;
  for (const int i : free_q) result.push_back(self.tangent.names()[static_cast<std::size_t>(i)]);
  const std::vector<std::string> coordinates = self.model.coordinate_names();
  for (const int i : free_u) {
    const std::string& speed = self.speed_names[static_cast<std::size_t>(i)];
    const bool is_rate = std::find(coordinates.begin(), coordinates.end(), speed) != coordinates.end();
    result.push_back(is_rate ? describe::rate_name(speed) : speed);
  }
  for (const int i : free_tau) result.push_back("tau_" + self.efforts[static_cast<std::size_t>(i)]);
  return result;
}

}  // namespace tactus::simulate
