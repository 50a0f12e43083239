#include <tactus/simulate/motion/dry_friction.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <tactus/derive/tree/build_tree.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

/// [rad/s or m/s] Slower joints are at rest. Rates at an event are right to about 1e-13.
constexpr double kStill = 1e-10;
/// A force beyond its bound by this part of it is beyond it.
constexpr double kBeyond = 1e-10;
/// An acceleration of this part of what the bound's force alone would give is none.
constexpr double kNoAcceleration = 1e-12;
/// A row of G nearer than this to the span of others, by natural sizes, depends on them.
constexpr double kDependent = 1e-9;

/// Speeds: a dense mass matrix of more costs more than some evaluations.
constexpr int kMostByInertia = 16;

/// By F+ F- S+ S- of the model, where S may be left out, or be less than F by an adjusted parameter.
void set_bounds(DryAxis& axis, const double* given) {
  axis.slide_forward = std::max(0.0, given[0]);
  axis.slide_back = std::max(0.0, given[1]);
  axis.stick_forward = std::max(axis.slide_forward, given[2]);
  axis.stick_back = std::max(axis.slide_back, given[3]);
}

}  // namespace

bool has_dry_friction(const describe::Model& model) {
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      for (const describe::Expr& bound : {axis.friction.coulomb_positive, axis.friction.coulomb_negative,
                                          axis.friction.breakaway_positive, axis.friction.breakaway_negative})
        if (!algebra::is_zero(bound)) return true;
  return false;
}

describe::Model without_dry_friction(const describe::Model& model) {
  describe::Model rest = model;
  for (describe::Joint& joint : rest.joints)
    for (describe::JointAxis& axis : joint.axes)
      axis.friction.coulomb_positive = axis.friction.coulomb_negative = axis.friction.breakaway_positive =
          axis.friction.breakaway_negative = describe::Expr();
  return rest;
}

std::shared_ptr<const DryFriction> dry_friction_of(const describe::Model& model,
                                                   const derive::Equations& equations,
                                                   generate::Backend backend) {
  if (!has_dry_friction(model)) return nullptr;
  DryFriction friction;
  const auto graph = std::make_shared<algebra::Graph>();
  const algebra::Graph::Scope scope(*graph);
  graph->set_cells(equations.options().cells);
  const derive::Numbers numbers(model, equations.options());
  algebra::Block bounds{"bounds", "of dry friction, forward and back", 0, 1, {}};
  bool adjustable = false;
  int rate = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      const std::array<describe::Expr, DryFriction::kBounds> given{
          axis.friction.coulomb_positive, axis.friction.coulomb_negative, axis.friction.breakaway_positive,
          axis.friction.breakaway_negative};
      std::array<double, DryFriction::kBounds> now{};
      bool varies = false;
      for (std::size_t k = 0; k < now.size(); ++k) {
        now[k] = describe::value_of(model, given[k]);
        bounds.entries.push_back(numbers(given[k]));
        varies = varies || !bounds.entries.back().is_constant();
      }
      if (varies || std::any_of(now.begin(), now.end(), [](double bound) { return bound > 0.0; })) {
        friction.axes.emplace_back().rate = rate;
        set_bounds(friction.axes.back(), now.data());
        adjustable = adjustable || varies;
      } else {
        bounds.entries.resize(bounds.entries.size() - now.size());
      }
      ++rate;
    }
  if (friction.axes.empty()) return nullptr;
  if (adjustable && equations.options().cells) {
    bounds.rows = static_cast<int>(bounds.entries.size());
    friction.bounds = generate::compile({"friction_bounds", {}, graph, {}, {std::move(bounds)}}, backend);
  }
  const algebra::Function rates = equations.joint_rates();
  if (rates.outputs.size() > 1)
    friction.rates = generate::compile(rates, backend);
  else if (equations.constraint_rows().empty() && equations.nv() <= kMostByInertia)
    friction.inertia = generate::compile(equations.mass_matrix(), backend);
  return std::make_shared<const DryFriction>(std::move(friction));
}

void DryFriction::update(std::vector<DryAxis>& now, std::vector<double>& numbers) const {
  if (!bounds) return;
  (*bounds)(nullptr, numbers.data(), numbers.data() + kBounds * axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) set_bounds(now[i], numbers.data() + kBounds * i);
}

FrictionLaw::FrictionLaw(const Dynamics& dynamics)
    : dynamics_(dynamics),
      friction_(*dynamics.dry_friction),
      axes_(friction_.axes),
      numbers_(friction_.numbers_size()),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      mode_(axes_.size()),
      rate_(axes_.size()),
      lambda_(axes_.size()),
      compliance_(axes_.size()),
      base_(nv_),
      columns_(nv_ * axes_.size()),
      G_(axes_.size() * axes_.size()),
      a_(axes_.size()),
      x_(axes_.size()),
      lower_(axes_.size()),
      upper_(axes_.size()),
      residual_(axes_.size()),
      bound_(axes_.size()),
      L_(axes_.size() * axes_.size()),
      y_(axes_.size()),
      forward_(axes_.size()),
      order_(axes_.size()) {
  rest_.reserve(axes_.size());
  if (friction_.inertia) {
    M_.resize(nv_ * nv_);
    factor_.resize(nv_ * nv_);
    inertia_work_.resize(friction_.inertia->work_size());
    free_.reserve(nv_);
  }
  if (friction_.rates) {
    out_.resize(friction_.rates->output_size());
    work_.resize(friction_.rates->work_size());
  }
  // Natural sizes: of the open tree, where all coordinates are at their rest.
  const generate::Kernel& kernel = dynamics.forward_dynamics;
  std::vector<double> in(kernel.input_size()), free(kernel.output_size()), pushed(free.size()),
      work(kernel.work_size());
  const std::vector<double> q = dynamics.coordinates.rest();
  std::copy(q.begin(), q.end(), in.begin() + 1);
  kernel(in.data(), free.data(), work.data());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    double& force = in[1 + q.size() + nv_ + static_cast<std::size_t>(axes_[i].rate)];
    force = 1.0;
    kernel(in.data(), pushed.data(), work.data());
    force = 0.0;
    for (std::size_t k = 0; k < nv_; ++k)
      compliance_[i] = std::max(compliance_[i], std::abs(pushed[k] - free[k]));
  }
}

void FrictionLaw::evaluate_rates(const double* arguments, std::vector<double>& rates) {
  const double* u = arguments + 1 + dynamics_.nq();
  if (friction_.rates) {
    (*friction_.rates)(arguments, out_.data(), work_.data());
    for (std::size_t i = 0; i < axes_.size(); ++i) rates[i] = out_[static_cast<std::size_t>(axes_[i].rate)];
  } else {
    for (std::size_t i = 0; i < axes_.size(); ++i) rates[i] = u[axes_[i].rate];
  }
}

bool FrictionLaw::modes_by(const std::vector<double>& rates) {
  bool rests = false;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    mode_[i] = rates[i] > kStill ? 1 : rates[i] < -kStill ? -1 : 0;
    rests = rests || mode_[i] == 0;
  }
  return rests;
}

/// J v of the joint at rest number j.
double FrictionLaw::row_times(std::size_t j, const double* v) const {
  const auto rate = static_cast<std::size_t>(axes_[rest_[j]].rate);
  if (!friction_.rates) return v[rate];
  const double* W = out_.data() + friction_.rates->output("W")->offset + rate * nv_;
  double sum = 0.0;
  for (std::size_t k = 0; k < nv_; ++k) sum += W[k] * v[k];
  return sum;
}

// Friction of what slides; of what rests, in a piece with given modes, the force it had last.
void FrictionLaw::begin(const double* arguments, double* tau) {
  friction_.update(axes_, numbers_);
  evaluate_rates(arguments, rate_);
  if (!given_) modes_by(rate_);
  rest_.clear();
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (mode_[i] == 0) {
      rest_.push_back(i);
      if (!given_) lambda_[i] = 0.0;
    } else {
      lambda_[i] = mode_[i] > 0 ? -axes_[i].slide_forward : axes_[i].slide_back;
    }
    tau[axes_[i].rate] += lambda_[i];
  }
}

/// Of the size of the forces that are looked for, so that rounding counts for as little as it does in them.
double FrictionLaw::probe(std::size_t j) const {
  const DryAxis& axis = axes_[rest_[j]];
  const double bound = std::max(axis.stick_forward, axis.stick_back);
  return bound > 0.0 ? bound : 1.0;
}

void FrictionLaw::note_base(const double* udot) {
  std::copy_n(udot, nv_, base_.begin());
  const double* bias = friction_.rates ? out_.data() + friction_.rates->output("qdd_bias")->offset : nullptr;
  for (std::size_t j = 0; j < rest_.size(); ++j)
    a_[j] = row_times(j, udot) + (bias != nullptr ? bias[axes_[rest_[j]].rate] : 0.0);
}

void FrictionLaw::note_column(std::size_t j, const double* udot, double force) {
  double* column = columns_.data() + j * nv_;
  for (std::size_t k = 0; k < nv_; ++k) column[k] = (udot[k] - base_[k]) / force;
  for (std::size_t i = 0; i < rest_.size(); ++i) G_[i * rest_.size() + j] = row_times(i, column);
}

void FrictionLaw::finish(double* tau) {
  for (std::size_t j = 0; j < rest_.size(); ++j) x_[j] = lambda_[rest_[j]];
  // a_ is the acceleration with those forces; from here on b = a - G x.
  const std::size_t n = rest_.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) a_[i] -= G_[i * n + j] * x_[j];
  if (given_)
    hold();
  else
    choose();
  for (std::size_t j = 0; j < n; ++j) {
    tau[axes_[rest_[j]].rate] += x_[j] - lambda_[rest_[j]];
    lambda_[rest_[j]] = x_[j];
  }
}

/// All joints at rest stay so, whatever it takes: the change of their forces from the last ones.
void FrictionLaw::hold() {
  const std::size_t n = rest_.size();
  std::fill_n(bound_.begin(), n, 0);
  std::copy_n(x_.begin(), n, y_.begin());
  for (std::size_t i = 0; i < n; ++i) {
    residual_[i] = a_[i];
    for (std::size_t j = 0; j < n; ++j) residual_[i] += G_[i * n + j] * x_[j];
  }
  std::fill_n(x_.begin(), n, 0.0);
  solve_free(residual_.data(), x_.data());
  for (std::size_t i = 0; i < n; ++i) x_[i] += y_[i];
}

/// The same where nothing but M answers. False where M_FF has no factor: numbers that are no numbers.
bool FrictionLaw::hold_by_inertia(const double* arguments, double* tau, double* udot) {
  (*friction_.inertia)(arguments, M_.data(), inertia_work_.data());
  for (std::size_t i = 0; i < nv_; ++i) {
    base_[i] = 0.0;
    for (std::size_t k = 0; k < nv_; ++k) base_[i] += M_[i * nv_ + k] * udot[k];
  }
  free_.clear();
  std::size_t next = 0;
  for (std::size_t i = 0; i < nv_; ++i) {
    if (next < rest_.size() && static_cast<std::size_t>(axes_[rest_[next]].rate) == i)
      ++next;
    else
      free_.push_back(i);
  }
  // M_FF = L L^T; the reciprocals of its diagonal stand on it.
  const std::size_t m = free_.size();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = M_[free_[i] * nv_ + free_[j]];
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * m + k] * factor_[j * m + k];
      if (i == j && !(sum > 0.0)) return false;
      factor_[i * m + j] = i == j ? 1.0 / std::sqrt(sum) : sum * factor_[j * m + j];
    }
  std::fill_n(udot, nv_, 0.0);
  for (std::size_t i = 0; i < m; ++i) {
    double sum = base_[free_[i]];
    for (std::size_t k = 0; k < i; ++k) sum -= factor_[i * m + k] * udot[free_[k]];
    udot[free_[i]] = sum * factor_[i * m + i];
  }
  for (std::size_t i = m; i-- > 0;) {
    double sum = udot[free_[i]];
    for (std::size_t k = i + 1; k < m; ++k) sum -= factor_[k * m + i] * udot[free_[k]];
    udot[free_[i]] = sum * factor_[i * m + i];
  }
  for (const std::size_t axis : rest_) {
    const auto rate = static_cast<std::size_t>(axes_[axis].rate);
    double force = -base_[rate];
    for (const std::size_t k : free_) force += M_[rate * nv_ + k] * udot[k];
    lambda_[axis] += force;
    tau[rate] += force;
  }
  return true;
}

/// Which joints at rest stick and which begin to slide: the law above. What slides has the friction of sliding, which may
/// be less; what has stuck with more may slide then, too.
void FrictionLaw::choose() {
  const std::size_t n = rest_.size();
  for (std::size_t j = 0; j < n; ++j) {
    lower_[j] = -axes_[rest_[j]].stick_forward;
    upper_[j] = axes_[rest_[j]].stick_back;
    bound_[j] = 0;
    x_[j] = 0.0;
  }
  for (std::size_t round = 0; round <= n; ++round) {
    pivot();
    bool more = false;
    for (std::size_t j = 0; j < n; ++j) {
      if (bound_[j] == 0 || mode_[rest_[j]] != 0) continue;
      double a = a_[j];
      for (std::size_t k = 0; k < n; ++k) a += G_[j * n + k] * x_[k];
      const DryAxis& axis = axes_[rest_[j]];
      if (!(std::abs(a) > kNoAcceleration * G_[j * n + j] * probe(j))) continue;  // others hold it
      mode_[rest_[j]] = bound_[j] < 0 ? 1 : -1;
      // From here on its force is given.
      const double force = bound_[j] < 0 ? -axis.slide_forward : axis.slide_back;
      more = more || force != x_[j];
      x_[j] = lower_[j] = upper_[j] = force;
    }
    if (!more) break;
  }
}

/// Block principal pivoting [JudicePires1994]: entries out of their bounds go to them, entries at a bound with an acceleration
/// that leads away from it are freed; all at once while that helps, otherwise the last one alone, which comes to an end.
bool FrictionLaw::pivot() {
  const std::size_t n = rest_.size();
  constexpr int kBlockTries = 5;
  const long most = 50 + 20 * static_cast<long>(n);
  std::size_t fewest = n + 1;
  int tries = kBlockTries;
  for (long round = 0; round < most; ++round) {
    for (std::size_t j = 0; j < n; ++j) {
      if (bound_[j] != 0)
        x_[j] = bound_[j] < 0 ? lower_[j] : upper_[j];
      else
        x_[j] = 0.0;
    }
    for (std::size_t i = 0; i < n; ++i) {
      residual_[i] = a_[i];
      for (std::size_t j = 0; j < n; ++j) residual_[i] += G_[i * n + j] * x_[j];
    }
    solve_free(residual_.data(), x_.data());
    std::size_t wrong = 0, last = n;
    const auto next_bound = [&](std::size_t j) -> signed char {
      if (mode_[rest_[j]] != 0) return bound_[j];  // its force is given
      const double allowed = kBeyond * probe(j);
      if (bound_[j] == 0) return x_[j] < lower_[j] - allowed ? -1 : x_[j] > upper_[j] + allowed ? 1 : 0;
      double a = a_[j];
      for (std::size_t k = 0; k < n; ++k) a += G_[j * n + k] * x_[k];
      const double none = kNoAcceleration * G_[j * n + j] * probe(j);
      return (bound_[j] < 0 && a < -none) || (bound_[j] > 0 && a > none) ? 0 : bound_[j];
    };
    for (std::size_t j = 0; j < n; ++j)
      if (next_bound(j) != bound_[j]) {
        ++wrong;
        last = j;
      }
    if (wrong == 0) return true;
    if (wrong < fewest) {
      fewest = wrong;
      tries = kBlockTries;
    } else {
      --tries;
    }
    if (tries > 0) {
      for (std::size_t j = 0; j < n; ++j) y_[j] = next_bound(j);
      for (std::size_t j = 0; j < n; ++j) bound_[j] = static_cast<signed char>(y_[j]);
    } else {
      bound_[last] = next_bound(last);
    }
  }
  for (std::size_t j = 0; j < n; ++j) x_[j] = std::clamp(x_[j], lower_[j], upper_[j]);
  return false;
}

// L D L^T with the largest pivot first, by natural sizes; rows that depend on those before them are left out.
void FrictionLaw::solve_free(const double* rhs, double* x) {
  const std::size_t n = rest_.size();
  std::size_t m = 0;
  for (std::size_t j = 0; j < n; ++j)
    if (bound_[j] == 0) order_[m++] = j;
  const auto G = [&](std::size_t i, std::size_t j) { return G_[i * n + j]; };
  // Row k of L_: l_k0 .. l_k(k-1), d_k; of the k-th in order.
  std::size_t rank = 0;
  for (; rank < m; ++rank) {
    std::size_t best = m;
    double largest = kDependent;
    for (std::size_t k = rank; k < m; ++k) {
      const std::size_t j = order_[k];
      double d = G(j, j);
      for (std::size_t r = 0; r < rank; ++r) d -= L_[j * n + r] * L_[j * n + r] * L_[order_[r] * n + r];
      const double relative = d / compliance_[rest_[j]];
      if (relative > largest) {
        largest = relative;
        best = k;
      }
    }
    if (best == m) break;
    std::swap(order_[rank], order_[best]);
    const std::size_t p = order_[rank];
    double d = G(p, p);
    for (std::size_t r = 0; r < rank; ++r) d -= L_[p * n + r] * L_[p * n + r] * L_[order_[r] * n + r];
    L_[p * n + rank] = d;
    for (std::size_t k = rank + 1; k < m; ++k) {
      const std::size_t j = order_[k];
      double sum = 0.5 * (G(j, p) + G(p, j));
      for (std::size_t r = 0; r < rank; ++r) sum -= L_[j * n + r] * L_[p * n + r] * L_[order_[r] * n + r];
      L_[j * n + rank] = sum / d;
    }
  }
  // y = D^-1 L^-1 (-rhs), then x = L^-T y.
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t j = order_[k];
    double sum = -rhs[j];
    for (std::size_t r = 0; r < k; ++r) sum -= L_[j * n + r] * L_[order_[r] * n + r] * forward_[r];
    forward_[k] = sum / L_[j * n + k];
  }
  for (std::size_t k = rank; k-- > 0;) {
    double sum = forward_[k];
    for (std::size_t r = k + 1; r < rank; ++r) sum -= L_[order_[r] * n + k] * x[order_[r]];
    x[order_[k]] = sum;
  }
  for (std::size_t k = rank; k < m; ++k) x[order_[k]] = 0.0;
}

double FrictionLaw::excess() const {
  double worst = -HUGE_VAL;
  for (const std::size_t i : rest_) {
    if (mode_[i] != 0) continue;
    const DryAxis& axis = axes_[i];
    const double bound = std::max(axis.stick_forward, axis.stick_back);
    worst =
        std::max({worst, (-axis.stick_forward - lambda_[i]) / bound, (lambda_[i] - axis.stick_back) / bound});
  }
  return worst;
}

void FrictionLaw::stop(double* u) {
  const std::size_t n = rest_.size();
  bool moves = false;
  for (std::size_t j = 0; j < n; ++j) {
    const bool sticks = mode_[rest_[j]] == 0;
    bound_[j] = sticks ? 0 : 1;
    x_[j] = 0.0;
    residual_[j] = sticks ? rate_[rest_[j]] : 0.0;
    moves = moves || residual_[j] != 0.0;
  }
  if (!moves) return;
  solve_free(residual_.data(), x_.data());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < nv_; ++k) u[k] += x_[j] * columns_[j * nv_ + k];
  // What rounding leaves would be taken out again and again.
  if (!friction_.rates)
    for (std::size_t j = 0; j < n; ++j)
      if (bound_[j] == 0 && dynamics_.constraints == nullptr) u[axes_[rest_[j]].rate] = 0.0;
}

}  // namespace tactus::simulate
