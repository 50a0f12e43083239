#include <tactus/derive/constraints/parametric.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/describe/read/parametric.h>
#include <tactus/math/rotation.h>
#include <tactus/math/row_factor.h>

namespace tactus::derive {

using describe::Model;

namespace {

/// psi keeps a constraint if it does so to this [m, rad], at lengths of metres: some rounding of nested
/// functions.
constexpr double kMet = 1e-9;
/// Rows and columns of length 1 count as dependent within this distance of each other's span.
constexpr double kDependent = 1e-9;

/// Joint rates of given coordinates and their rates; for quaternions w = 2 q* qd, in the child's axes, and
/// v = R^T pd: the inverse of coordinate_rates().
std::vector<Expr> joint_rates(const Model& model, const std::vector<Expr>& q, const std::vector<Expr>& qdot) {
  std::vector<Expr> rates;
  std::size_t at = 0;
  for (const describe::Joint& joint : model.joints) {
    const describe::JointTraits& traits = describe::joint_traits(joint.type);
    if (!traits.has_quaternion()) {
      for (std::size_t k = 0; k < joint.axes.size(); ++k) rates.push_back(qdot[at++]);
      continue;
    }
    const std::size_t p = at;
    const bool is_free = traits.quaternion_at > 0;
    if (is_free) at += 3;
    const math::Quaternion<Expr> turn{q[at], q[at + 1], q[at + 2], q[at + 3]},
        back{q[at], -q[at + 1], -q[at + 2], -q[at + 3]},
        rate{qdot[at], qdot[at + 1], qdot[at + 2], qdot[at + 3]};
    const math::Quaternion<Expr> half_w = back * rate;
    for (const Expr& x : {half_w.x, half_w.y, half_w.z}) rates.push_back(Expr(2.0) * x);
    if (is_free) {
      const Vec3<Expr> v = transpose_times(rotation_of(turn), Vec3<Expr>{qdot[p], qdot[p + 1], qdot[p + 2]});
      for (std::size_t k = 0; k < 3; ++k) rates.push_back(v[k]);
    }
    at += 4;
  }
  return rates;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

/// An entry of A that is not known to be zero, and where its number stands.
struct Entry {
  std::size_t column, at;
};

/// Of the given rows, each by its own size.
std::size_t rank_of(const std::vector<std::size_t>& rows, const std::vector<std::vector<Entry>>& A,
                    const std::vector<double>& values, math::RowFactor& factor) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double square = 0.0;
    for (const Entry& entry : A[rows[k]]) square += values[entry.at] * values[entry.at];
    double* row = factor.zeroed_row(k);
    for (const Entry& entry : A[rows[k]])
      row[entry.column] = square > 0.0 ? values[entry.at] / std::sqrt(square) : 0.0;
  }
  factor.factor(rows.size(), kDependent);
  return factor.rank();
}

/// What psi does to the rows, at the places where it is tried out.
void inspect(const Model& model, const Symbols& symbols, const ConstraintEquations& constraints,
             ParametricMap& map) {
  const describe::Parametric& parametric = *model.parametric;
  const std::size_t m = constraints.rows.size(), n = symbols.u.size();
  std::vector<Expr> roots;
  for (const ConstraintRow& row : constraints.rows) roots.push_back(row.phi);
  for (const ConstraintRow& row : constraints.rows) roots.push_back(row.velocity);
  std::vector<std::vector<Entry>> A(m);
  for (std::size_t k = 0; k < m; ++k)
    for (const auto& entry : constraints.A.row(k)) {
      A[k].push_back({entry.column, roots.size()});
      roots.push_back(entry.value);
    }
  roots = map.in_parameters(roots, symbols);
  const auto constraint_of = [&](std::size_t k) -> const describe::Constraint& {
    return model.constraints[static_cast<std::size_t>(constraints.rows[k].constraint)];
  };
  std::mt19937 random(14);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<std::vector<double>> results;
  map.left.assign(m, 0);
  for (const auto& place : describe::trial_places(parametric)) {
    std::unordered_map<std::string, double> values = place;
    for (const describe::Parametric::Parameter& z : parametric.z)
      values[describe::rate_name(z.name)] = part(random);
    std::vector<double> result = algebra::evaluate(roots, [&](Expr symbol) {
      const std::string& name = algebra::Graph::current().symbol_name(symbol);
      const auto found = values.find(name);
      return found != values.end() ? found->second : describe::parameter_value(model, name);
    });
    if (!all_finite(result)) continue;
    for (std::size_t k = 0; k < m; ++k) {
      const bool must_hold = constraints.rows[k].holonomic && constraint_of(k).active;
      if (must_hold && !(std::fabs(result[k]) <= kMet)) {
        throw InputError(
            parametric.where,
            fmt::format("psi breaks the constraint `{}` (row `{}`) by {:.3g} at {}", constraint_of(k).name,
                        constraints.rows[k].label, result[k], describe::place_text(parametric, place)),
            "the formulas under `q` must satisfy every constraint on positions, whatever z is");
      }
      if (!(std::fabs(result[m + k]) <= kMet)) map.left[k] = 1;
    }
    results.push_back(std::move(result));
  }

  // Every freedom that is left by the rows that psi satisfies must be one of z.
  std::vector<std::size_t> satisfied;
  for (std::size_t k = 0; k < m; ++k)
    if (constraint_of(k).active && !map.left[k]) satisfied.push_back(k);
  std::size_t rank = 0;
  math::RowFactor factor(satisfied.size(), n);
  for (const std::vector<double>& result : results) {
    if (rank == std::min(satisfied.size(), n)) break;  // it cannot grow
    rank = std::max(rank, rank_of(satisfied, A, result, factor));
  }
  const std::size_t freedoms = n - rank;
  if (map.z.size() == freedoms) return;
  const auto counted = [](std::size_t count, const char* what) {
    return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
  };
  throw InputError(parametric.where,
                   fmt::format("psi has {}, but the constraints that it satisfies leave {}",
                               counted(map.z.size(), "parameter"), counted(freedoms, "freedom")),
                   "give `z` one parameter for each freedom: psi must reach every motion that is left");
}

}  // namespace

std::vector<Expr> ParametricMap::in_parameters(const std::vector<Expr>& roots, const Symbols& symbols) const {
  std::vector<Expr> from = symbols.q, to = q;
  from.insert(from.end(), symbols.u.begin(), symbols.u.end());
  to.insert(to.end(), u.begin(), u.end());
  return algebra::substitute(roots, algebra::Graph::current(), from, to);
}

ParametricMap derive_parametric(const Model& model, const Symbols& symbols, const SpeedMap& speeds,
                                const ConstraintEquations& constraints, const Numbers& numbers) {
  const describe::Parametric& parametric = *model.parametric;
  if (constraints.rows.empty()) {
    throw InputError(parametric.where, "there are no constraints that psi could satisfy",
                     "leave out `parametric`: the joints' coordinates are free already");
  }
  ParametricMap map;
  for (const describe::Parametric::Parameter& z : parametric.z) {
    map.z.push_back(algebra::symbol(z.name));
    map.zd.push_back(algebra::symbol(describe::rate_name(z.name)));
  }
  map.q = numbers.formulas(parametric.psi);
  std::vector<Expr> moving = map.z, rates = map.zd;
  moving.push_back(symbols.t);
  rates.emplace_back(1.0);
  const std::vector<Expr> qd =
      joint_rates(model, map.q, algebra::directional_derivative(map.q, moving, rates));
  map.u = qd;
  if (!speeds.identity) {
    // u = Y(q, t) qd + Z(q, t) with psi in place of q.
    const std::size_t n = qd.size();
    const auto at_psi = [&](const std::vector<Expr>& x) {
      return algebra::substitute(x, algebra::Graph::current(), symbols.q, map.q);
    };
    const std::vector<Expr> Y = at_psi(speeds.Y);
    map.u = at_psi(speeds.Z);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) map.u[i] += Y[i * n + j] * qd[j];
  }
  map.T = algebra::jacobian(map.u, map.zd);
  map.b = algebra::directional_derivative(map.u, moving, rates);
  inspect(model, symbols, constraints, map);
  return map;
}

ParametricProblem reduce(const ParametricMap& map, const Symbols& symbols, const algebra::SparseRows& M,
                         const std::vector<Expr>& Q, const algebra::SparseRows& A,
                         const std::vector<Expr>& gamma) {
  const std::size_t n = Q.size(), nz = map.z.size(), m = gamma.size();
  std::vector<Expr> all;
  for (std::size_t i = 0; i < n; ++i)
    for (const auto& entry : M.row(i)) all.push_back(entry.value);
  all.insert(all.end(), Q.begin(), Q.end());
  for (std::size_t k = 0; k < m; ++k)
    for (const auto& entry : A.row(k)) all.push_back(entry.value);
  all.insert(all.end(), gamma.begin(), gamma.end());
  all = map.in_parameters(all, symbols);
  const Expr *M_z = all.data(), *Q_z = M_z + M.entry_count(), *A_z = Q_z + n,
             *gamma_z = A_z + A.entry_count();
  ParametricProblem result{std::vector<Expr>(nz * nz), std::vector<Expr>(nz), std::vector<Expr>(m * nz),
                           std::vector<Expr>(gamma_z, gamma_z + m)};
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Expr> MT(nz);  // row i of M T
    Expr rest = Q_z[i];        // of Q - M b
    for (const auto& entry : M.row(i)) {
      const Expr M_ij = *M_z++;
      rest -= M_ij * map.b[entry.column];
      for (std::size_t c = 0; c < nz; ++c) MT[c] += M_ij * map.T[entry.column * nz + c];
    }
    for (std::size_t c = 0; c < nz; ++c) {
      result.Q[c] += map.T[i * nz + c] * rest;
      for (std::size_t d = 0; d <= c; ++d) result.M[c * nz + d] += map.T[i * nz + c] * MT[d];
    }
  }
  for (std::size_t c = 0; c < nz; ++c)
    for (std::size_t d = 0; d < c; ++d) result.M[d * nz + c] = result.M[c * nz + d];
  for (std::size_t k = 0; k < m; ++k) {
    for (const auto& entry : A.row(k)) {
      const Expr A_ki = *A_z++;
      result.gamma[k] -= A_ki * map.b[entry.column];
      for (std::size_t c = 0; c < nz; ++c) result.A[k * nz + c] += A_ki * map.T[entry.column * nz + c];
    }
  }
  return result;
}

}  // namespace tactus::derive
