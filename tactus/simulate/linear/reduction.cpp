#include <cmath>

#include <fmt/format.h>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/linear/ignorable.h>
#include <tactus/simulate/linear/linearization.h>

namespace tactus::simulate {

using derive::part_of;
using derive::Partition;

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// Of terms that cancel, this part is rounding.
constexpr double kDust = 1e-13;

/// dq' = E dq + H du, du' = P dq + D du + B d(input)
derive::StateSpace system_of(const MatrixXd& E, const MatrixXd& H, const MatrixXd& P, const MatrixXd& D,
                             const MatrixXd& B) {
  const Index k = E.rows(), p_u = D.rows();
  derive::StateSpace s{MatrixXd::Zero(k + p_u, k + p_u), MatrixXd::Zero(k + p_u, B.cols())};
  s.A.topLeftCorner(k, k) = E;
  s.A.topRightCorner(k, p_u) = H;
  s.A.bottomLeftCorner(p_u, k) = P;
  s.A.bottomRightCorner(p_u, p_u) = D;
  s.B.bottomRows(p_u) = B;
  return s;
}

}  // namespace

void Linearization::Implementation::accelerate(VectorXd& udot, VectorXd& lambda) const {
  const auto rank = static_cast<Index>(parts_u.rows.size());
  const MatrixXd A = output("A"), M = output("M");
  const VectorXd F = output("F"), G = output("G");
  MatrixXd saddle = MatrixXd::Zero(nv + rank, nv + rank);
  VectorXd right(nv + rank);
  saddle.topLeftCorner(nv, nv) = M;
  right.head(nv) = -F;
  for (Index k = 0; k < rank; ++k) {
    const int row = parts_u.rows[static_cast<std::size_t>(k)];
    saddle.row(nv + k).head(nv) = A.row(row);
    saddle.col(nv + k).head(nv) = -A.row(row).transpose();
    right[nv + k] = -G[row];
  }
  const VectorXd solution = saddle.fullPivLu().solve(right);
  udot = solution.head(nv);
  lambda = VectorXd::Zero(m);
  for (Index k = 0; k < rank; ++k) lambda[parts_u.rows[static_cast<std::size_t>(k)]] = solution[nv + k];
}

LinearModel Linearization::Implementation::here(Instant at) {
  complete(at);
  if (!output("M").allFinite() || !output("A").allFinite()) require_numbers();
  VectorXd udot, lambda;
  const auto p_q = static_cast<Index>(parts_q.independent.size());
  const auto p_u = static_cast<Index>(parts_u.independent.size());
  const auto whole = [&](const Partition& parts, bool with_one, const MatrixXd& dependent, Index columns) {
    MatrixXd T = MatrixXd::Zero(nv, columns);
    for (std::size_t k = 0; with_one && k < parts.independent.size(); ++k)
      T(parts.independent[k], static_cast<Index>(k)) = 1.0;
    for (std::size_t k = 0; k < parts.dependent.size(); ++k)
      T.row(parts.dependent[k]) = dependent.row(static_cast<Index>(k));
    return T;
  };
  const MatrixXd T_u = whole(parts_u, true, derive::solved_for_dependent(by_axes(output("A")), parts_u), p_u);
  require_inertia(T_u.transpose() * in_axes(by_axes(output("M"))) * T_u);
  accelerate(udot, lambda);
  evaluate(at, udot, lambda);
  require_numbers();
  // In the axes: columns by S^T, rows by S; and d(udot_B) = S^T (d(udot) - [eta] du).
  const MatrixXd N = by_axes(tangent.map(at.q)), A = by_axes(output("A")), M = in_axes(by_axes(output("M"))),
                 qd_u = in_axes(by_axes(output("qd_u")));
  MatrixXd F_u = in_axes(by_axes(output("F_u"))), G_u = by_axes(output("G_u"));
  MatrixXd F_q = in_axes(output("F_q") * N), G_q = output("G_q") * N, V_q = output("V_q") * N;
  const MatrixXd Phi_q = output("Phi_q") * N;
  const VectorXd qd = in_axes(output("qd"));
  MatrixXd xi_q = in_axes(output("qd_q") * N) - tangent.ad(qd);  // xi' = xi_q xi + qd_u du
  // du of the point a moment later, by that moment, where nothing accelerates
  VectorXd later = VectorXd::Zero(nv);
  double cancelled = 0.0;  // the size of what the axes' terms in K cancel
  if (turned) {
    const VectorXd u = S * VectorXd::Map(at.u.data(), nv), turning_back = axes.spin() * u;
    F_u -= M * axes.spin();
    G_u -= A * axes.spin();
    xi_q += axes.spin();
    udot = S * udot + turning_back;
    later = -turning_back;
    cancelled = largest(F_q) + largest(M) * std::pow(largest(axes.spin()) + largest(u), 2);
    if (apart) {  // du_C = du + Y xi, d(udot_C) = d(udot) + Y xi'
      const MatrixXd Y = axes.apart(u);
      xi_q += qd_u * Y;
      F_q += F_u * Y + M * Y * xi_q;
      G_q += G_u * Y + A * Y * xi_q;
      V_q += A * Y;
      F_u += M * Y * qd_u;
      G_u += A * Y * qd_u;
      later -= Y * qd;
    }
  }
  // -A_d^-1 X, in the rows of the dependent speeds
  const MatrixXd A_d = part_of(A, parts_u.rows, parts_u.dependent);
  const auto by_rows = [&](const MatrixXd& X) {
    MatrixXd dependent = MatrixXd::Zero(0, X.cols());
    if (A_d.size() > 0) dependent = -A_d.partialPivLu().solve(MatrixXd(X(parts_u.rows, Eigen::all)));
    return whole(parts_u, false, dependent, X.cols());
  };
  const MatrixXd T_q = whole(parts_q, true, derive::solved_for_dependent(Phi_q, parts_q), p_q);
  const MatrixXd R = by_rows(V_q * T_q);
  const MatrixXd udot_q = by_rows(G_q * T_q + G_u * R), udot_u = by_rows(G_u * T_u);

  LinearModel result;
  result.M = T_u.transpose() * M * T_u;
  result.C = T_u.transpose() * (M * udot_u + F_u * T_u);
  result.K = T_u.transpose() * (M * udot_q + F_q * T_q + F_u * R);
  if (turned)
    result.K = result.K.unaryExpr([&](double x) { return std::abs(x) <= kDust * cancelled ? 0.0 : x; });
  add_inputs(T_u, result);
  result.coordinates = named(tangent.names(), parts_q.independent);
  result.dependent_coordinates = named(tangent.names(), parts_q.dependent);
  result.speeds = named(speed_names, parts_u.independent);
  result.dependent_speeds = named(speed_names, parts_u.dependent);

  const MatrixXd rate_q = xi_q * T_q + qd_u * R;
  const MatrixXd rate_u = qd_u * T_u;
  const MatrixXd E = rate_q(parts_q.independent, Eigen::all), H = rate_u(parts_q.independent, Eigen::all);
  MatrixXd P = MatrixXd::Zero(p_u, p_q), D = MatrixXd::Zero(p_u, p_u),
           B = MatrixXd::Zero(p_u, result.F.cols());
  if (p_u > 0) {
    const Eigen::LDLT<MatrixXd> mass(result.M);
    P = -mass.solve(result.K);
    D = -mass.solve(result.C);
    B = mass.solve(result.F);
  }
  result.full = system_of(E, H, P, D, B);
  if (!result.full.A.allFinite())
    throw InputError({model.file}, "the linear model is not finite at this point", "take another point");

  const VectorXd moving = qd(parts_q.independent);
  const VectorXd jerk = P * moving + D * VectorXd(later(parts_u.independent));
  for (const int k : parts_u.independent) result.acceleration.push_back(udot[k]);
  result.jerk.assign(jerk.data(), jerk.data() + jerk.size());
  result.largest_acceleration = largest(VectorXd(udot(parts_u.independent)));
  result.largest_jerk = largest(jerk);
  result.is_equilibrium = largest(qd) <= kAtRest && result.largest_acceleration <= kAtRest;
  result.at = std::move(at);
  return result;
}

void Linearization::Implementation::add_inputs(const MatrixXd& T_u, LinearModel& result) const {
  const MatrixXd F_tau = in_axes(output("F_tau")), F_wrench = in_axes(output("F_wrench"));
  std::vector<VectorXd> columns;
  for (Index j = 0; j < F_tau.cols(); ++j) {
    if (largest(VectorXd(F_tau.col(j))) == 0.0) continue;  // no actuator
    columns.push_back(-T_u.transpose() * F_tau.col(j));
    result.inputs.push_back(efforts[static_cast<std::size_t>(j)]);
  }
  for (Index j = 0; j < F_wrench.cols(); ++j) {
    columns.push_back(-T_u.transpose() * F_wrench.col(j));
    result.inputs.push_back(wrench_names[static_cast<std::size_t>(j)]);
  }
  result.F.resize(T_u.cols(), static_cast<Index>(columns.size()));
  for (std::size_t j = 0; j < columns.size(); ++j) result.F.col(static_cast<Index>(j)) = columns[j];
}

void Linearization::Implementation::add_eigenvalues(LinearModel& result) const {
  const auto p_q = static_cast<Index>(result.coordinates.size()),
             p_u = static_cast<Index>(result.speeds.size());
  const MatrixXd E = result.full.A.topLeftCorner(p_q, p_q), H = result.full.A.topRightCorner(p_q, p_u),
                 P = result.full.A.bottomLeftCorner(p_u, p_q), D = result.full.A.bottomRightCorner(p_u, p_u),
                 B = result.full.B.bottomRows(p_u);
  const Ignorable ignorable = find_ignorable(E, result.K);
  const auto k_kept = static_cast<Index>(ignorable.kept.size()),
             k_out = static_cast<Index>(ignorable.eliminated.size());
  MatrixXd sees = MatrixXd::Zero(k_kept, p_q);  // y = sees dq_i
  for (Index i = 0; i < k_kept; ++i) {
    sees(i, ignorable.kept[static_cast<std::size_t>(i)]) = 1.0;
    for (Index j = 0; j < k_out; ++j)
      sees(i, ignorable.eliminated[static_cast<std::size_t>(j)]) = -ignorable.along(i, j);
  }
  result.ignorable = named(result.coordinates, ignorable.eliminated);
  result.kept = named(result.coordinates, ignorable.kept);
  result.along = ignorable.along;
  result.reduced =
      system_of((sees * E)(Eigen::all, ignorable.kept), sees * H, P(Eigen::all, ignorable.kept), D, B);
  result.eigenvalues = derive::eigenvalues(result.reduced);
  // On S, in the eliminated coordinates: E (1; along).
  const MatrixXd E_s = MatrixXd(E(ignorable.eliminated, ignorable.eliminated)) +
                       MatrixXd(E(ignorable.eliminated, ignorable.kept)) * ignorable.along;
  result.ignorable_eigenvalues = derive::eigenvalues({E_s, {}});
}

}  // namespace tactus::simulate
