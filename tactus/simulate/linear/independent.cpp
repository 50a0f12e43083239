#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/linear/linearization.h>

namespace tactus::simulate {

using derive::part_of;

namespace {

/// [m, rad; of speeds by the fastest] Constraints are met to this by Newton's method, whose last step leaves rounding.
constexpr double kMet = 1e-11;
/// The way on which it is looked whether a motion is steady [rad or m of the fastest speed], and its steps.
constexpr double kWay = 1.7;
constexpr int kWaySteps = 100;

}  // namespace

void Linearization::Implementation::choose(const Instant& at) {
  const MatrixXd Phi_q = by_axes(output("Phi_q") * tangent.map(at.q));
  MatrixXd positions(static_cast<Index>(holonomic.size()), nv);
  for (std::size_t k = 0; k < holonomic.size(); ++k)
    positions.row(static_cast<Index>(k)) = Phi_q.row(holonomic[k]);
  parts_q = derive::partition(positions, weight_q);
  for (int& row : parts_q.rows) row = holonomic[static_cast<std::size_t>(row)];
  parts_u = derive::partition(by_axes(output("A")), weight_u);
  const auto refuse = [&](int row, const char* what) {
    throw InputError(
        place_of(row),
        fmt::format("the {} named cannot be independent: `{}` ties them to each other", what, label(row)),
        "name fewer of them, or others");
  };
  if (parts_q.stuck >= 0) refuse(holonomic[static_cast<std::size_t>(parts_q.stuck)], "coordinates");
  if (parts_u.stuck >= 0) refuse(parts_u.stuck, "speeds");
  chosen = true;
}

void Linearization::Implementation::complete(Instant& at) {
  for (int step = 0;; ++step) {
    evaluate(at);
    if (!chosen) choose(at);
    const VectorXd Phi = output("Phi");
    if (!Phi.allFinite()) require_numbers();
    const double error = largest(Phi);
    if (error <= kMet * 0.01 || (step > 0 && error <= kMet)) break;
    if (step == kMostSteps || !std::isfinite(error)) {
      Index worst = 0;
      Phi.cwiseAbs().maxCoeff(&worst);
      throw InputError(
          place_of(static_cast<int>(worst)),
          fmt::format("the constraints cannot be met with these independent coordinates: `{}` is off "
                      "by {:.3g} ({})",
                      label(static_cast<int>(worst)), std::abs(Phi[worst]),
                      fmt::join(named(tangent.names(), parts_q.independent), ", ")),
          "give a state nearer to the constraints; `tactus eval --assemble` finds one");
    }
    const MatrixXd Phi_q = by_axes(output("Phi_q") * tangent.map(at.q));
    const VectorXd change =
        part_of(Phi_q, parts_q.rows, parts_q.dependent).partialPivLu().solve(VectorXd(Phi(parts_q.rows)));
    VectorXd xi = VectorXd::Zero(nv);
    for (std::size_t k = 0; k < parts_q.dependent.size(); ++k)
      xi[parts_q.dependent[k]] = -change[static_cast<Index>(k)];
    // No more than half a radian or metre at once.
    const double size = largest(xi);
    if (size > 0.5) xi *= 0.5 / size;
    tangent.displace(at.q, turned ? VectorXd(S.transpose() * xi) : xi);
  }
  if (m == 0) return;
  for (int pass = 0; pass < 2; ++pass) {  // the second one refines
    const VectorXd V = output("V");
    const VectorXd change = part_of(by_axes(output("A")), parts_u.rows, parts_u.dependent)
                                .partialPivLu()
                                .solve(VectorXd(V(parts_u.rows)));
    VectorXd du = VectorXd::Zero(nv);
    for (std::size_t k = 0; k < parts_u.dependent.size(); ++k)
      du[parts_u.dependent[k]] = -change[static_cast<Index>(k)];
    VectorXd::Map(at.u.data(), nv) += turned ? VectorXd(S.transpose() * du) : du;
    evaluate(at);
  }
  const VectorXd V = output("V");
  const double fastest = fastest_of(at.u);
  Index worst = 0;
  if (!(V.cwiseAbs().maxCoeff(&worst) <= 1e-8 * fastest))
    throw InputError(place_of(static_cast<int>(worst)),
                     fmt::format("the speeds cannot meet the constraints: `{}` is off by {:.3g}",
                                 label(static_cast<int>(worst)), std::abs(V[worst])),
                     "the position is singular there, or constraints contradict each other");
}

Instant Linearization::Implementation::further(Instant at, double rate) {
  const double dt = kWay / (rate * kWaySteps);
  // Speeds are constant in the axes, S u, which turn.
  const auto with_speeds = [&](Instant& to, double t, const VectorXd& in_axes_before) {
    turn_axes(t);
    VectorXd::Map(to.u.data(), nv) = S.transpose() * in_axes_before;
  };
  for (int step = 0; step < kWaySteps; ++step) {
    // Midpoint rule; dependent speeds follow.
    const double t = static_cast<double>(step) * dt;
    Instant middle = at;
    tangent.displace(middle.q, 0.5 * dt * VectorXd(output("qd")));
    middle.t += 0.5 * dt;
    if (turned) with_speeds(middle, t + 0.5 * dt, S * VectorXd::Map(at.u.data(), nv));
    complete(middle);
    tangent.displace(at.q, dt * VectorXd(output("qd")));
    at.t += dt;
    at.u = middle.u;
    if (turned) with_speeds(at, t + dt, S * VectorXd::Map(middle.u.data(), nv));
    complete(at);
  }
  return at;
}

void Linearization::Implementation::turn_axes(double t) {
  turned = axes.turn();
  if (turned) S = axes.matrix(t);
}

}  // namespace tactus::simulate
