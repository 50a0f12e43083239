#include <tactus/simulate/linear/linear_model.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

#include <tactus/base/error.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/derive/linear/linear_terms.h>
#include <tactus/derive/linear/partition.h>
#include <tactus/derive/linear/regular_mass.h>
#include <tactus/derive/linear/undefined_terms.h>
#include <tactus/describe/read/load.h>
#include <tactus/generate/kernel.h>
#include <tactus/simulate/linear/ignorable.h>
#include <tactus/simulate/linear/tangent.h>

namespace tactus::simulate {

namespace {

using derive::part_of;
using derive::Partition;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// [m, rad; of speeds by the fastest] Constraints are met to this by Newton's method, whose last step leaves rounding.
constexpr double kMet = 1e-11;
constexpr int kMostSteps = 50;
/// [rad/s^2, m/s^2] per speed of 1: what a state typed with seven digits leaves.
constexpr double kAtRest = 1e-6;
/// Further along a steady motion the linear model changes by less than this, by its size: the way there is integrated.
constexpr double kSame = 1e-5;
/// The way on which that is looked at [rad or m of the fastest speed], and its steps.
constexpr double kWay = 1.7;
constexpr int kWaySteps = 100;
/// [s] Later moments at which an equilibrium under forces that depend on time is looked at again.
constexpr double kMoments[] = {0.00137, 0.0173, 0.119, 0.43, 1.07, 2.9, 7.3, 19.1};
/// Speeds at most: eigenvalues of twice as many rows take seconds then, and minutes beyond.
constexpr int kMostSpeeds = 300;
/// Motors' speeds are natural independent ones.
constexpr double kActuated = 0.05;
/// Shifts depend sooner than turns: along a steady curve their speeds in the world's axes change, those of turns do not.
constexpr double kShift = 10.0;

double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }
double largest(const MatrixXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0.0; }

/// Of M, C, K, by their size.
double change_of(const LinearModel& later, const LinearModel& now) {
  const double size = largest(now.M) + largest(now.C) + largest(now.K);
  return std::max({largest(MatrixXd(later.M - now.M)), largest(MatrixXd(later.C - now.C)),
                   largest(MatrixXd(later.K - now.K))}) /
         size;
}

std::vector<std::string> named(const std::vector<std::string>& all, const std::vector<int>& which) {
  std::vector<std::string> names;
  for (const int k : which) names.push_back(all[static_cast<std::size_t>(k)]);
  return names;
}

/// Joints whose dry friction holds them where they do not move.
std::vector<std::string> dry_joints(const describe::Model& model) {
  std::vector<std::string> names;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      for (const algebra::Expr& bound : {axis.friction.coulomb_positive, axis.friction.coulomb_negative})
        if (describe::value_of(model, bound) != 0.0 && (names.empty() || names.back() != axis.name))
          names.push_back(axis.name);
  return names;
}

describe::Model without_dry_friction(describe::Model model) {
  for (describe::Joint& joint : model.joints)
    for (describe::JointAxis& axis : joint.axes)
      axis.friction.coulomb_positive = axis.friction.coulomb_negative = algebra::Expr();
  return model;
}

}  // namespace

struct Linearization::Implementation {
  Implementation(const describe::Model& given, const derive::Options& options,
                 std::vector<std::string> independent)
      : dry(dry_joints(given)),
        model(without_dry_friction(given)),
        equations(bounded(model), options),
        terms(derive::linear_terms(equations)),
        evaluator(generate::compile(terms.function)),
        tangent(model),
        speed_names(model.speed_names()),
        nv(equations.nv()),
        m(static_cast<Index>(terms.rows.size())) {
    if (nv == 0)
      throw InputError({model.file}, "nothing moves in this model: it has no linear model",
                       "give it a joint");
    describe::require_inertia(model, "a linear model");
    for (std::size_t k = 0; k < terms.rows.size(); ++k)
      if (equations.constraint_rows()[terms.rows[k]].holonomic) holonomic.push_back(static_cast<int>(k));
    weight_q = weight_u = weights();
    for (const std::string& name : independent) demand(name, weight_q, weight_u);
    for (const derive::WrenchInput& input : options.wrenches)
      for (const char* part : {".torque_x", ".torque_y", ".torque_z", ".force_x", ".force_y", ".force_z"})
        wrench_names.push_back(model.frames[static_cast<std::size_t>(input.frame)].name + part);
    efforts = describe::effort_names(model);
  }

  static const describe::Model& bounded(const describe::Model& given) {
    if (given.nv() > kMostSpeeds)
      throw InputError({given.file},
                       fmt::format("the model has {} speeds, and linear models of at most {} are made",
                                   given.nv(), kMostSpeeds),
                       "take a part of it");
    return given;
  }

  std::vector<double> weights() const {
    std::vector<double> weight;
    for (const describe::Joint& joint : model.joints)
      for (const describe::JointAxis& axis : joint.axes)
        weight.push_back((axis.passive || joint.axes.size() > 2 ? 1.0 : kActuated) *
                         (axis.is_rotation ? 1.0 : kShift));
    return weight;
  }

  /// Marks the coordinate and the speed of that name as independent.
  void demand(const std::string& name, std::vector<double>& of_q, std::vector<double>& of_u) const {
    bool known = false;
    for (std::size_t k = 0; k < of_q.size(); ++k) {
      const bool is_coordinate = tangent.names()[k] == name;
      const bool is_speed = speed_names[k] == name || describe::rate_name(speed_names[k]) == name;
      if (is_coordinate) of_q[k] = 0.0;
      if (is_speed) of_u[k] = 0.0;
      known |= is_coordinate || is_speed;
    }
    if (!known)
      throw InputError({model.file}, fmt::format("`{}` is no coordinate and no speed of this model", name),
                       fmt::format("coordinates: {}; speeds: {}", fmt::join(tangent.names(), ", "),
                                   fmt::join(speed_names, ", ")));
  }

  MatrixXd output(std::string_view name) const {
    const generate::Slot* slot = evaluator.kernel().output(name);
    if (slot == nullptr) return {};
    if (slot->size() == 0) return MatrixXd::Zero(slot->rows, slot->cols);
    return Eigen::Map<const RowMajor>(evaluator.output(name).data(), slot->rows, slot->cols);
  }

  void evaluate(const Instant& at, const VectorXd& udot, const VectorXd& lambda) {
    const auto fill = [&](std::string_view name, const double* values, std::size_t count) {
      const std::span<double> block = evaluator.input(name);
      std::copy_n(values, std::min(count, block.size()), block.begin());
    };
    const std::vector<double> none(static_cast<std::size_t>(nv), 0.0);
    const std::vector<double>& tau = at.tau ? *at.tau : none;
    fill("t", &at.t, 1);
    fill("q", at.q.data(), at.q.size());
    fill("u", at.u.data(), at.u.size());
    fill("udot", udot.data(), static_cast<std::size_t>(udot.size()));
    fill("tau", tau.data(), tau.size());
    fill("wrench", at.wrench.data(), at.wrench.size());
    fill("lambda", lambda.data(), static_cast<std::size_t>(lambda.size()));
    fill("parameters", parameters.data(), parameters.size());
    evaluator.run();
  }
  void evaluate(const Instant& at) { evaluate(at, VectorXd::Zero(nv), VectorXd::Zero(m)); }

  std::string label(int row) const {
    return equations.constraint_rows()[terms.rows[static_cast<std::size_t>(row)]].label;
  }
  Place place_of(int row) const {
    const derive::ConstraintRow& one = equations.constraint_rows()[terms.rows[static_cast<std::size_t>(row)]];
    return model.constraints[static_cast<std::size_t>(one.constraint)].where;
  }

  /// At the last evaluation everything is a number; else throws what is not.
  void require_numbers() {
    bool all = true;
    for (const algebra::Block& block : terms.function.outputs)
      for (const double x : evaluator.output(block.name)) all = all && std::isfinite(x);
    if (all) return;
    std::map<std::string, double> values;
    for (const algebra::Block& block : terms.function.inputs) {
      const std::span<const double> numbers = evaluator.input(block.name);
      for (std::size_t k = 0; k < block.entries.size() && k < numbers.size(); ++k)
        values[terms.function.graph->symbol_name(block.entries[k])] = numbers[k];
    }
    derive::require_defined(equations, terms, [&](const std::string& name) {
      const auto found = values.find(name);
      return found == values.end() ? 0.0 : found->second;
    });
    throw InputError({model.file}, "the linear model is not finite at this point", "take another point");
  }

  /// Forces determine the accelerations that the constraints leave; else throws what nothing resists.
  void require_inertia(const MatrixXd& M) const {
    const std::vector<int> none = derive::speeds_without_inertia(M);
    if (none.empty()) return;
    std::vector<std::string> names;
    for (const int k : none)
      names.push_back(
          speed_names[static_cast<std::size_t>(parts_u.independent[static_cast<std::size_t>(k)])]);
    throw InputError(
        {model.file},
        fmt::format(
            "a linear model needs inertia: the mass matrix is singular there, nothing resists a motion of {}",
            fmt::join(names, " and ")),
        "give every freedom that the constraints leave some mass or inertia, or joints an `armature`");
  }

  /// Chooses what is independent, at the last evaluation.
  void choose(const Instant& at) {
    const MatrixXd N = tangent.map(at.q);
    const MatrixXd Phi_q = output("Phi_q") * N;
    MatrixXd positions(static_cast<Index>(holonomic.size()), nv);
    for (std::size_t k = 0; k < holonomic.size(); ++k)
      positions.row(static_cast<Index>(k)) = Phi_q.row(holonomic[k]);
    parts_q = derive::partition(positions, weight_q);
    for (int& row : parts_q.rows) row = holonomic[static_cast<std::size_t>(row)];
    parts_u = derive::partition(output("A"), weight_u);
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

  /// Dependent coordinates and speeds from the independent ones.
  void complete(Instant& at) {
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
      const MatrixXd Phi_q = output("Phi_q") * tangent.map(at.q);
      const VectorXd change =
          part_of(Phi_q, parts_q.rows, parts_q.dependent).partialPivLu().solve(VectorXd(Phi(parts_q.rows)));
      VectorXd xi = VectorXd::Zero(nv);
      for (std::size_t k = 0; k < parts_q.dependent.size(); ++k)
        xi[parts_q.dependent[k]] = -change[static_cast<Index>(k)];
      // No more than half a radian or metre at once.
      const double size = largest(xi);
      if (size > 0.5) xi *= 0.5 / size;
      tangent.displace(at.q, xi);
    }
    if (m == 0) return;
    for (int pass = 0; pass < 2; ++pass) {  // the second one refines
      const VectorXd V = output("V");
      const VectorXd change = part_of(output("A"), parts_u.rows, parts_u.dependent)
                                  .partialPivLu()
                                  .solve(VectorXd(V(parts_u.rows)));
      for (std::size_t k = 0; k < parts_u.dependent.size(); ++k)
        at.u[static_cast<std::size_t>(parts_u.dependent[k])] -= change[static_cast<Index>(k)];
      evaluate(at);
    }
    const VectorXd V = output("V");
    double fastest = 1.0;
    for (const double x : at.u) fastest = std::max(fastest, std::abs(x));
    Index worst = 0;
    if (!(V.cwiseAbs().maxCoeff(&worst) <= 1e-8 * fastest))
      throw InputError(place_of(static_cast<int>(worst)),
                       fmt::format("the speeds cannot meet the constraints: `{}` is off by {:.3g}",
                                   label(static_cast<int>(worst)), std::abs(V[worst])),
                       "the position is singular there, or constraints contradict each other");
  }

  /// The accelerations and multipliers at the last evaluation, made without either.
  void accelerate(VectorXd& udot, VectorXd& lambda) const {
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

  /// Everything but what lies further along.
  LinearModel here(Instant at) {
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
    const MatrixXd T_u = whole(parts_u, true, derive::solved_for_dependent(output("A"), parts_u), p_u);
    require_inertia(T_u.transpose() * output("M") * T_u);
    accelerate(udot, lambda);
    evaluate(at, udot, lambda);
    require_numbers();
    const MatrixXd N = tangent.map(at.q), A = output("A"), M = output("M"), F_u = output("F_u"),
                   G_u = output("G_u"), qd_u = output("qd_u");
    const MatrixXd F_q = output("F_q") * N, G_q = output("G_q") * N, V_q = output("V_q") * N,
                   Phi_q = output("Phi_q") * N, qd_q = output("qd_q") * N;
    const VectorXd qd = output("qd");
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
    add_inputs(T_u, result);
    result.coordinates = named(tangent.names(), parts_q.independent);
    result.dependent_coordinates = named(tangent.names(), parts_q.dependent);
    result.speeds = named(speed_names, parts_u.independent);
    result.dependent_speeds = named(speed_names, parts_u.dependent);

    const MatrixXd rate_q = qd_q * T_q + qd_u * R - tangent.ad(qd) * T_q, rate_u = qd_u * T_u;
    const MatrixXd E = rate_q(parts_q.independent, Eigen::all), H = rate_u(parts_q.independent, Eigen::all);
    MatrixXd P = MatrixXd::Zero(p_u, p_q), D = MatrixXd::Zero(p_u, p_u),
             B = MatrixXd::Zero(p_u, result.F.cols());
    if (p_u > 0) {
      const Eigen::LDLT<MatrixXd> mass(result.M);
      P = -mass.solve(result.K);
      D = -mass.solve(result.C);
      B = mass.solve(result.F);
    }
    const auto system = [&](const MatrixXd& E_, const MatrixXd& H_, const MatrixXd& P_) {
      const Index k = E_.rows();
      derive::StateSpace s{MatrixXd::Zero(k + p_u, k + p_u), MatrixXd::Zero(k + p_u, B.cols())};
      s.A.topLeftCorner(k, k) = E_;
      s.A.topRightCorner(k, p_u) = H_;
      s.A.bottomLeftCorner(p_u, k) = P_;
      s.A.bottomRightCorner(p_u, p_u) = D;
      s.B.bottomRows(p_u) = B;
      return s;
    };
    result.full = system(E, H, P);
    if (!result.full.A.allFinite())
      throw InputError({model.file}, "the linear model is not finite at this point", "take another point");

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
    result.reduced = system((sees * E)(Eigen::all, ignorable.kept), sees * H, P(Eigen::all, ignorable.kept));
    result.eigenvalues = derive::eigenvalues(result.reduced);
    // On S, in the eliminated coordinates: E (1; along).
    const MatrixXd E_s = MatrixXd(E(ignorable.eliminated, ignorable.eliminated)) +
                         MatrixXd(E(ignorable.eliminated, ignorable.kept)) * ignorable.along;
    result.ignorable_eigenvalues = derive::eigenvalues({E_s, {}});

    const VectorXd moving = qd(parts_q.independent), jerk = P * moving;
    for (const int k : parts_u.independent) result.acceleration.push_back(udot[k]);
    result.jerk.assign(jerk.data(), jerk.data() + jerk.size());
    result.largest_acceleration = largest(VectorXd(udot(parts_u.independent)));
    result.largest_jerk = largest(jerk);
    result.is_equilibrium = largest(qd) <= kAtRest && result.largest_acceleration <= kAtRest;
    result.at = std::move(at);
    return result;
  }

  void add_inputs(const MatrixXd& T_u, LinearModel& result) const {
    const MatrixXd F_tau = output("F_tau"), F_wrench = output("F_wrench");
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

  double fastest_rate(const Instant& at) {
    evaluate(at);
    return largest(VectorXd(output("qd")));
  }

  /// The point where the motion arrives with constant independent speeds.
  Instant further(Instant at, double rate) {
    const double dt = kWay / (rate * kWaySteps);
    for (int step = 0; step < kWaySteps; ++step) {
      // Midpoint rule; dependent speeds follow.
      Instant middle = at;
      tangent.displace(middle.q, 0.5 * dt * VectorXd(output("qd")));
      middle.t += 0.5 * dt;
      complete(middle);
      tangent.displace(at.q, dt * VectorXd(output("qd")));
      at.t += dt;
      at.u = middle.u;
      complete(at);
    }
    return at;
  }

  void refuse_singular(const Instant& at) const {
    if (m == 0) return;
    const derive::Mobility mobility = derive::mobility(equations, at.t, at.q, at.u);
    if (!mobility.assembled || !mobility.is_singular()) return;
    Place where{model.file};
    for (int row = 0; row < static_cast<int>(m); ++row)
      if (!mobility.singular.empty() && label(row) == mobility.singular.front()) where = place_of(row);
    throw InputError(
        where,
        fmt::format("the position is singular (rows that depend on others here: {}): branches of the "
                    "motion meet, and no linear model holds",
                    fmt::join(mobility.singular, ", ")),
        "take another position");
  }

  std::vector<std::string> dry;
  describe::Model model;
  derive::Equations equations;
  derive::LinearTerms terms;
  generate::Evaluator evaluator;
  Tangent tangent;
  std::vector<std::string> speed_names, efforts, wrench_names;
  Index nv, m;
  std::vector<int> holonomic;  // rows with a position level
  std::vector<double> weight_q, weight_u, parameters;
  bool chosen = false;
  Partition parts_q, parts_u;
};

Linearization::Linearization(const describe::Model& model, const derive::Options& options,
                             std::vector<std::string> independent)
    : implementation_(std::make_unique<Implementation>(model, options, std::move(independent))) {}
Linearization::~Linearization() = default;
Linearization::Linearization(Linearization&&) noexcept = default;
Linearization& Linearization::operator=(Linearization&&) noexcept = default;

const derive::Equations& Linearization::equations() const { return implementation_->equations; }
void Linearization::set_parameters(const std::vector<double>& values) {
  implementation_->parameters = values;
}

LinearModel Linearization::at(const Instant& point) {
  Implementation& self = *implementation_;
  if (self.parameters.empty()) self.refuse_singular(point);
  LinearModel result = self.here(point);
  const double rate = self.fastest_rate(result.at);
  double fastest = 1.0;
  for (const double x : result.at.u) fastest = std::max(fastest, std::abs(x));
  const double allowed = kAtRest * fastest;
  if (rate > kAtRest && result.largest_acceleration <= allowed) {
    const LinearModel later = self.here(self.further(result.at, rate));
    result.later_acceleration = later.largest_acceleration;
    result.later_change = change_of(later, result);
  }
  if (self.terms.depends_on_time && rate <= kAtRest && result.largest_acceleration <= allowed) {
    // At rest the place stays; what else changes with time is looked at, at moments of no common period.
    for (const double later_by : kMoments) {
      Instant then = result.at;
      then.t += later_by;
      const LinearModel later = self.here(then);
      result.later_acceleration = std::max(result.later_acceleration, later.largest_acceleration);
      result.later_change = std::max(result.later_change, change_of(later, result));
    }
    result.is_equilibrium = result.is_equilibrium && result.later_acceleration <= 10.0 * allowed;
  }
  result.is_uniform = result.largest_acceleration <= allowed && result.later_acceleration <= 10.0 * allowed;
  result.is_steady = result.is_uniform && result.later_change <= kSame;
  return result;
}

bool Linearization::depends_on_time() const { return implementation_->terms.depends_on_time; }

std::vector<std::string> Linearization::notes() const {
  const Implementation& self = *implementation_;
  std::vector<std::string> notes;
  if (!self.dry.empty())
    notes.push_back(
        fmt::format("dry friction is left out ({}): at rest it holds and has no slope, in motion it is a "
                    "constant force",
                    fmt::join(self.dry, ", ")));
  if (!self.model.contact.pairs.empty()) notes.push_back("contact is left out");
  if (self.terms.depends_on_time)
    notes.push_back("the equations depend on time: this is their linear model at t");
  return notes;
}

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
  // At rest, accelerations lead downhill: steps along them, longer while they go on in the same direction, come near to where a pendulum
  // hangs from wherever it is. Newton's method alone is for what is near.
  if (search.at_rest && !free_q.empty()) {
    constexpr double kNear = 1e-2;  // [rad/s^2, m/s^2]
    constexpr int kMostDownhill = 400;
    double length = 1e-3;  // [s^2]
    VectorXd force = residual(at);
    for (int step = 0; step < kMostDownhill && largest(force) > kNear; ++step) {
      VectorXd y = VectorXd::Zero(size);
      Index k = 0;
      for (const int i : free_q) {
        for (std::size_t u = 0; u < self.parts_u.independent.size(); ++u)
          if (self.parts_u.independent[u] == i) y[k] = length * force[static_cast<Index>(u)];
        ++k;
      }
      if (const double most = largest(y); most > 0.2) y *= 0.2 / most;  // [rad, m]
      try {
        const Instant next = self.here(moved(at, y)).at;
        const VectorXd there = residual(next);
        if (there.dot(force) > 0.0 || there.norm() < force.norm()) {
          length *= there.dot(force) > 0.0 ? 1.5 : 0.7;
          at = next;
          force = there;
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
    MatrixXd J(r.size(), size);
    for (Index k = 0; k < size; ++k) {
      const VectorXd y = kDifference * VectorXd::Unit(size, k);
      J.col(k) = (residual(moved(at, y)) - residual(moved(at, -y))) / (2.0 * kDifference);
    }
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
  double fastest = 1.0;
  for (const double x : at.u) fastest = std::max(fastest, std::abs(x));
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

std::vector<Mode> modes(const LinearModel& model) {
  std::vector<Mode> result;
  if (model.reduced.A.size() == 0) return result;
  const Eigen::EigenSolver<MatrixXd> solver(model.reduced.A);
  const auto coordinates = static_cast<Index>(model.kept.size());
  std::vector<char> used(static_cast<std::size_t>(solver.eigenvalues().size()), 0);
  for (const std::complex<double>& wanted : model.eigenvalues) {
    if (wanted.imag() < 0.0) continue;
    Index best = -1;  // equal eigenvalues take their vectors in turn
    for (Index k = 0; k < solver.eigenvalues().size(); ++k) {
      if (used[static_cast<std::size_t>(k)]) continue;
      if (best < 0 ||
          std::abs(solver.eigenvalues()[k] - wanted) < std::abs(solver.eigenvalues()[best] - wanted))
        best = k;
    }
    used[static_cast<std::size_t>(best)] = 1;
    Eigen::VectorXcd shape = solver.eigenvectors().col(best);
    Index largest_at = 0;
    const double of_coordinates =
        coordinates > 0 ? shape.head(coordinates).cwiseAbs().maxCoeff(&largest_at) : 0.0;
    if (!(of_coordinates > 1e-9 * shape.cwiseAbs().maxCoeff())) shape.cwiseAbs().maxCoeff(&largest_at);
    shape /= shape[largest_at];
    result.push_back({wanted, {shape.data(), shape.data() + shape.size()}});
  }
  return result;
}

}  // namespace tactus::simulate
