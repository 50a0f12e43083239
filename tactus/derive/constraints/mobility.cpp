#include <tactus/derive/constraints/mobility.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <unordered_map>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/math/decompositions.h>

namespace tactus::derive {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A row whose part across the rows before it is smaller than this fraction of its size depends on them: far
/// above the rounding of initial values that are written with sixteen digits, far below what a mechanism can
/// mean.
constexpr double kDependent = 1e-8;
/// Errors of a state [m, rad, m/s, rad/s] below this are rounding.
constexpr double kHolds = 1e-9;
/// Size of the small motion, in the unit of the coordinates [m, rad].
constexpr double kNearby = 0.05;
constexpr int kNewtonSteps = 30;
constexpr double kNewtonDone = 1e-12;

/// Functions of t, q, u, evaluated on plain numbers.
class Terms {
 public:
  explicit Terms(const Equations& equations)
      : constraints_(equations.constraint_terms()),
        mass_(equations.mass_matrix()),
        rates_(equations.coordinate_rates()) {
    for (const ConstraintRow& row : equations.constraint_rows())
      active_.push_back(equations.model().constraints[static_cast<std::size_t>(row.constraint)].active);
    const std::vector<std::string> kept = Numbers(equations.model(), equations.options()).kept();
    for (const describe::Parameter& parameter : equations.model().parameters)
      if (std::find(kept.begin(), kept.end(), parameter.name) != kept.end())
        parameters_.push_back(parameter.value);
  }

  struct Values {
    VectorXd phi, velocity, c;
    MatrixXd A, M;
  };
  Values at(double t, const VectorXd& q, const VectorXd& u) const {
    Values values;
    values.phi = active_rows(evaluate(constraints_, "Phi", t, q, u));
    values.velocity = active_rows(evaluate(constraints_, "velocity", t, q, u));
    values.c = active_rows(evaluate(constraints_, "c", t, q, u));
    values.A = active_rows(evaluate(constraints_, "A", t, q, u));
    values.M = evaluate(mass_, "M", t, q, u);
    return values;
  }
  VectorXd rates(double t, const VectorXd& q, const VectorXd& u) const {
    return evaluate(rates_, "qdot", t, q, u);
  }
  const std::vector<bool>& active() const { return active_; }

 private:
  MatrixXd evaluate(const Function& function, const char* output, double t, const VectorXd& q,
                    const VectorXd& u) const {
    std::unordered_map<std::uint32_t, double> values;
    for (const algebra::Block& block : function.inputs) {
      for (std::size_t i = 0; i < block.entries.size(); ++i) {
        const auto at = static_cast<Eigen::Index>(i);
        double value = 0.0;
        if (block.name == "t") value = t;
        if (block.name == "q") value = q[at];
        if (block.name == "u") value = u[at];
        if (block.name == "parameters") value = parameters_[i];
        values[block.entries[i].id()] = value;
      }
    }
    for (const algebra::Block& block : function.outputs) {
      if (block.name != output) continue;
      const std::vector<double> numbers =
          algebra::evaluate(block.entries, [&](Expr symbol) { return values[symbol.id()]; });
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      return Eigen::Map<const RowMajor>(numbers.data(), block.rows, block.cols);
    }
    TACTUS_CHECK(!"the function has that output");
    return {};
  }

  MatrixXd active_rows(const MatrixXd& all) const {
    MatrixXd some(std::count(active_.begin(), active_.end(), true), all.cols());
    Eigen::Index at = 0;
    for (Eigen::Index k = 0; k < all.rows(); ++k)
      if (active_[static_cast<std::size_t>(k)]) some.row(at++) = all.row(k);
    return some;
  }

  Function constraints_, mass_, rates_;
  std::vector<bool> active_;
  std::vector<double> parameters_;
};

/// G = A L^-T.
MatrixXd scaled_by_mass(const Terms::Values& values) {
  const Eigen::LLT<MatrixXd> llt(values.M);
  return llt.matrixL().solve(values.A.transpose()).transpose();
}

/// Which rows depend on the rows before them: Gram-Schmidt, twice for the rounding's sake.
std::vector<bool> dependent_rows(const MatrixXd& G, const VectorXd& sizes) {
  std::vector<bool> dependent(static_cast<std::size_t>(G.rows()), true);
  std::vector<VectorXd> basis;
  for (Eigen::Index k = 0; k < G.rows(); ++k) {
    if (!(sizes[k] > 0.0)) continue;
    VectorXd rest = G.row(k).transpose() / sizes[k];
    for (int pass = 0; pass < 2; ++pass)
      for (const VectorXd& e : basis) rest -= e.dot(rest) * e;
    if (!(rest.norm() > kDependent)) continue;
    basis.push_back(rest.normalized());
    dependent[static_cast<std::size_t>(k)] = false;
  }
  return dependent;
}

VectorXd solve_least(const MatrixXd& A, const VectorXd& b) {
  Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  svd.setThreshold(kDependent);
  return svd.solve(b);
}

void normalise_quaternions(const describe::Model& model, VectorXd& q) {
  Eigen::Index at = 0;
  for (const describe::Joint& joint : model.joints) {
    const int count = describe::coordinate_count(joint.type);
    if (describe::has_quaternion(joint.type)) q.segment(at + count - 4, 4).normalize();
    at += count;
  }
}

/// The configuration that the constraints allow and Newton's method finds from q, or nothing.
std::optional<VectorXd> closed(const Equations& equations, const Terms& terms, double t, VectorXd q) {
  const VectorXd still = VectorXd::Zero(equations.nv());
  for (int step = 0; step < kNewtonSteps; ++step) {
    const Terms::Values values = terms.at(t, q, still);
    if (!values.phi.allFinite() || !values.A.allFinite()) return std::nullopt;
    if (values.phi.lpNorm<Eigen::Infinity>() < kNewtonDone) return q;
    const VectorXd correction = solve_least(values.A, values.phi);
    q -= terms.rates(t, q, correction) - terms.rates(t, q, still);
    normalise_quaternions(equations.model(), q);
  }
  return std::nullopt;
}

/// q moved by a velocity of that size.
VectorXd moved(const Equations& equations, const Terms& terms, double t, const VectorXd& q, const VectorXd& v,
               double size) {
  const VectorXd still = VectorXd::Zero(v.size());
  VectorXd result = q + size * (terms.rates(t, q, v.normalized()) - terms.rates(t, q, still));
  normalise_quaternions(equations.model(), result);
  return result;
}

class Directions {
 public:
  VectorXd next(Eigen::Index size) {
    VectorXd v(size);
    for (Eigen::Index i = 0; i < size; ++i) v[i] = uniform_(generator_);
    return v;
  }

 private:
  std::mt19937 generator_{1};  // the same for every call: a report is the same every time
  std::uniform_real_distribution<double> uniform_{-1.0, 1.0};
};

/// From q itself, or from some places around it: at q the constraints may be singular.
std::optional<VectorXd> assembled(const Equations& equations, const Terms& terms, double t,
                                  const VectorXd& q) {
  std::optional<VectorXd> found = closed(equations, terms, t, q);
  Directions directions;
  for (double size = kNearby; !found && size < 1.0; size *= 2.0)
    found = closed(equations, terms, t, moved(equations, terms, t, q, directions.next(equations.nv()), size));
  return found;
}

/// Another configuration that the constraints allow: a step along a velocity that they allow, then Newton's
/// method.
std::optional<VectorXd> nearby(const Equations& equations, const Terms& terms, double t, const VectorXd& q,
                               const MatrixXd& A) {
  Directions directions;
  VectorXd v = directions.next(A.cols());
  v -= solve_least(A, A * v);
  if (!(v.norm() > kDependent)) return q;  // nothing can move
  return closed(equations, terms, t, moved(equations, terms, t, q, v, kNearby));
}

}  // namespace

Mobility mobility(const Equations& equations, double t, const std::vector<double>& q_given,
                  const std::vector<double>& u_given) {
  Mobility result;
  result.speeds = equations.nv();
  if (equations.constraint_rows().empty()) return result;
  const Terms terms(equations);
  const VectorXd q_state =
                     Eigen::Map<const VectorXd>(q_given.data(), static_cast<Eigen::Index>(q_given.size())),
                 u = Eigen::Map<const VectorXd>(u_given.data(), static_cast<Eigen::Index>(u_given.size()));
  std::vector<std::string> labels;
  for (std::size_t k = 0; k < terms.active().size(); ++k)
    if (terms.active()[k]) labels.push_back(equations.constraint_rows()[k].label);
  Terms::Values here = terms.at(t, q_state, u);
  result.rows = static_cast<int>(labels.size());
  result.driven = is_driven(equations);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    const bool holds = std::fabs(here.phi[at]) <= kHolds && std::fabs(here.velocity[at]) <= kHolds;
    if (!holds) result.errors.push_back({labels[k], here.phi[at], here.velocity[at]});
  }
  if (labels.empty()) return result;
  VectorXd q = q_state;
  if (!(here.phi.lpNorm<Eigen::Infinity>() <= kHolds)) {
    const std::optional<VectorXd> found = assembled(equations, terms, t, q);
    result.assembled = found.has_value();
    if (!found) return result;
    q = *found;
    here = terms.at(t, q, VectorXd::Zero(u.size()));
  }
  if (!here.A.allFinite()) {
    result.assembled = false;
    return result;
  }
  const MatrixXd G = scaled_by_mass(here);
  const std::optional<VectorXd> other = nearby(equations, terms, t, q, here.A);
  const MatrixXd G_nearby = other ? scaled_by_mass(terms.at(t, *other, VectorXd::Zero(u.size()))) : G;
  // A row that vanishes here is measured by its size nearby.
  const VectorXd sizes = G.rowwise().norm().cwiseMax(G_nearby.rowwise().norm());
  // A u + c = 0 cannot be met where the part of c across the columns of A is not zero.
  const VectorXd missing = here.A * solve_least(here.A, here.c) - here.c;
  for (std::size_t k = 0; k < labels.size(); ++k)
    if (std::fabs(missing[static_cast<Eigen::Index>(k)]) > kHolds) result.impossible.push_back(labels[k]);
  const std::vector<bool> depends = dependent_rows(G, sizes),
                          depends_nearby = dependent_rows(G_nearby, sizes);
  for (std::size_t k = 0; k < labels.size(); ++k) {
    result.rank += depends[k] ? 0 : 1;
    result.rank_nearby += depends_nearby[k] ? 0 : 1;
    if (depends_nearby[k])
      result.redundant.push_back(labels[k]);
    else if (depends[k])
      result.singular.push_back(labels[k]);
  }
  return result;
}

Mobility mobility(const Equations& equations) {
  return mobility(equations, 0.0, equations.model().initial_q, equations.model().initial_u);
}

bool is_driven(const Equations& equations) {
  const std::vector<ConstraintRow>& rows = equations.constraint_rows();
  if (rows.empty()) return false;
  for (const algebra::Block& block : equations.constraint_terms().outputs) {
    if (block.name != "c") continue;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (equations.model().constraints[static_cast<std::size_t>(rows[k].constraint)].active &&
          !algebra::is_zero(block.entries[k]))
        return true;
  }
  return false;
}

std::string mobility_text(const Mobility& m) {
  std::string text = "  the constraints cannot be met at or near this state\n";
  if (m.assembled) {
    text = fmt::format("  {} speed{}, {} constraint row{} of rank {}: {} of freedom\n", m.speeds,
                       m.speeds == 1 ? "" : "s", m.rows, m.rows == 1 ? "" : "s", m.rank_nearby,
                       m.freedoms() == 1 ? "1 degree" : fmt::format("{} degrees", m.freedoms()));
  }
  if (!m.redundant.empty())
    text +=
        fmt::format("  redundant (they follow from rows before them): {}\n", fmt::join(m.redundant, ", "));
  if (m.is_singular()) {
    text += fmt::format("  singular configuration: rank {} here, {} nearby; lost: {}\n", m.rank,
                        m.rank_nearby, fmt::join(m.singular, ", "));
  }
  if (m.assembled && m.freedoms() == 0)
    text += m.driven ? "  nothing can move but as prescribed\n" : "  nothing can move\n";
  if (!m.impossible.empty())
    text += fmt::format("  contradictory velocities: {}\n", fmt::join(m.impossible, ", "));
  for (const Mobility::Error& error : m.errors) {
    if (!std::isfinite(error.position) || !std::isfinite(error.velocity)) {
      text += fmt::format(
          "  has no value as it stands: {} (a contact point that cannot be found, or a formula without "
          "value)\n",
          error.row);
      continue;
    }
    text += fmt::format("  does not hold as it stands: {} (position off by {:.3g}, velocity by {:.3g})\n",
                        error.row, error.position + 0.0, error.velocity + 0.0);  // + 0.0: no -0
  }
  return text;
}

}  // namespace tactus::derive
