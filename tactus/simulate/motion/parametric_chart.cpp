#include <tactus/simulate/motion/parametric_chart.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::simulate {

namespace {

/// The inequality above holds for the sampled rates within this factor, and within this part of the speeds.
constexpr double kSampled = 10.0, kSlack = 1e-3;

std::size_t offset_of(const generate::Kernel& kernel, std::string_view name) {
  const generate::Slot* slot = kernel.output(name);
  TACTUS_CHECK(slot != nullptr);
  return slot->offset;
}

}  // namespace

ParametricChart::ParametricChart(const Dynamics& dynamics, const ConstraintOptions& constraints)
    : Chart(dynamics, constraints),
      places_(*constraints_->parametrization()),
      nz_(dynamics.parametric->size()),
      z0_(nz_),
      u0_(static_cast<std::size_t>(dynamics.nv())),
      most_udot_(u0_.size()) {
  const Parametric& parametric = *dynamics.parametric;
  if (constraints.holding == Holding::baumgarte)
    throw InputError({}, "in parametric coordinates there is no error that Baumgarte's method could work on",
                     "leave out the way of holding");
  compliances_ = offset_of(parametric.dynamics, "compliances");
  distances_ = offset_of(parametric.dynamics, "distances");
  pivots_ = offset_of(parametric.dynamics, "pivots");
  in_.resize(parametric.dynamics.input_size());
  out_.resize(parametric.dynamics.output_size());
  work_.resize(parametric.dynamics.work_size());
  for (std::size_t k = 0; k < parametric.rows.size(); ++k)
    if (parametric.rows[k]) row_sizes_.push_back(std::pow(dynamics.constraints->scale[k], 2));
}

void ParametricChart::adopt(State& state) {
  places_.require(state.t, state.q.data(), state.u.data());
  if (constraints_->options().holding == Holding::projection) places_.agree(constraints_->rows_left());
  state.parameters.resize(2 * nz_);
  std::copy_n(places_.z(), nz_, state.parameters.begin());
  std::copy_n(places_.zd(), nz_, state.parameters.begin() + static_cast<std::ptrdiff_t>(nz_));
  std::copy_n(places_.q(), state.q.size(), state.q.begin());
  std::copy_n(places_.u(), state.u.size(), state.u.begin());
  momentum_of(state.t, state.q, state.u, state.momentum);
}

void ParametricChart::begin(const State& state, std::span<double> y) {
  TACTUS_CHECK(state.parameters.size() == 2 * nz_);
  trouble_ = {};
  start_comparison(state.t, state.u.data());
  std::copy_n(state.parameters.begin(), nz_, z0_.begin());
  for (double& z : y.first(nz_)) z = 0.0;
  std::copy_n(state.parameters.begin() + static_cast<std::ptrdiff_t>(nz_), nz_,
              y.begin() + static_cast<std::ptrdiff_t>(nz_));
}

void ParametricChart::start_comparison(double t, const double* u) {
  t0_ = t;
  std::copy_n(u, u0_.size(), u0_.begin());
  std::fill(most_udot_.begin(), most_udot_.end(), 0.0);
}

bool ParametricChart::speeds_are_continuous(double t) const {
  double fastest = 1.0;
  for (std::size_t i = 0; i < u0_.size(); ++i)
    fastest = std::max({fastest, std::abs(u0_[i]), std::abs(places_.u()[i])});
  for (std::size_t i = 0; i < u0_.size(); ++i)
    if (!(std::abs(places_.u()[i] - u0_[i]) <= kSampled * (t - t0_) * most_udot_[i] + kSlack * fastest))
      return false;
  return true;
}

bool ParametricChart::inertia_is_healthy() const {
  const std::vector<double>& inertia = dynamics_.parametric->inertia;
  for (std::size_t c = 0; c < nz_; ++c) {
    const double compliance = out_[compliances_ + c] * inertia[c];
    if (!(compliance > kSingularParameter && compliance * kSingularParameter < 1.0)) return false;
  }
  return true;
}

bool ParametricChart::rows_are_healthy() const {
  for (std::size_t k = 0; k < row_sizes_.size(); ++k)
    if (!(out_[distances_ + k] > kHealthyPivot * row_sizes_[k] && out_[pivots_ + k] > kHealthyPivot))
      return false;
  return true;
}

void ParametricChart::slope(double t, const double* y, double* y_rate) {
  const auto nv = static_cast<std::size_t>(dynamics_.nv()), nq = static_cast<std::size_t>(dynamics_.nq());
  t = in_sight(t);
  in_[0] = t;
  double *z = in_.data() + 1, *zd = z + nz_;
  for (std::size_t c = 0; c < nz_; ++c) z[c] = z0_[c] + y[c];
  std::copy_n(y + nz_, nz_, zd);
  places_.place(t, z, zd);
  *w_.t = t;
  std::copy_n(places_.q(), nq, w_.q);
  std::copy_n(places_.u(), nv, w_.u);
  evaluate_loads();
  std::copy_n(zd, nz_, y_rate);
  if (friction_ != nullptr)
    friction_->act(w_.arguments.data(), w_.tau, w_.udot, probed(), false, [&] { accelerate(y_rate + nz_); });
  else
    accelerate(y_rate + nz_);
  for (std::size_t i = 0; i < nv; ++i) most_udot_[i] = std::max(most_udot_[i], std::abs(w_.udot[i]));
}

void ParametricChart::accelerate(double* zdd) {
  const auto nv = static_cast<std::size_t>(dynamics_.nv()), nq = static_cast<std::size_t>(dynamics_.nq());
  // tau and wrench stand side by side
  std::copy_n(w_.tau, in_.size() - 1 - 2 * nz_, in_.begin() + static_cast<std::ptrdiff_t>(1 + 2 * nz_));
  dynamics_.parametric->dynamics(in_.data(), out_.data(), work_.data());
  std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(nz_), nv, w_.udot);
  std::copy_n(out_.begin() + static_cast<std::ptrdiff_t>(nz_ + nv), nq, w_.qdot);
  if (!inertia_is_healthy()) {
    trouble_ = Status::parameters_singular;
    std::fill_n(zdd, nz_, std::numeric_limits<double>::quiet_NaN());
  } else if (constraints_->as_at_start() && rows_are_healthy()) {
    std::copy_n(out_.begin(), nz_, zdd);
  } else if (!constraints_->accelerate_in_parameters(w_.arguments.data(), zdd, w_.udot)) {
    std::fill_n(zdd, nz_, std::numeric_limits<double>::quiet_NaN());
  }
}

void ParametricChart::save_centre(double* centre) const {
  centre = std::copy(z0_.begin(), z0_.end(), centre);
  *centre++ = t0_;
  std::copy(u0_.begin(), u0_.end(), centre);
}

void ParametricChart::load_centre(const double* centre) {
  std::copy_n(centre, nz_, z0_.begin());
  start_comparison(centre[nz_], centre + nz_ + 1);
}

void ParametricChart::rates_of_axes(double t, std::span<const double> y, std::vector<double>& rates) {
  places_.place(t, z0_.data(), y.data() + nz_);
  *w_.t = t;
  std::copy_n(places_.q(), dynamics_.nq(), w_.q);
  std::copy_n(places_.u(), dynamics_.nv(), w_.u);
  friction_->evaluate_rates(w_.arguments.data(), rates);
}

void ParametricChart::chart_rate_at_centre(double, const double* zd, double* z_rate) {
  std::copy_n(zd, nz_, z_rate);
}

Status ParametricChart::settle(double t, std::span<double> y) {
  double* zd = y.data() + nz_;
  for (std::size_t c = 0; c < nz_; ++c) z0_[c] += y[c];
  for (double& z : y.first(nz_)) z = 0.0;
  places_.place(t, z0_.data(), zd);
  if (!speeds_are_continuous(t)) return Status::parameters_singular;
  const Holding holding = constraints_->options().holding;
  if ((holding == Holding::projection || holding == Holding::velocity_only) &&
      !constraints_->rows_left().empty() && places_.agree(constraints_->rows_left()))
    std::copy_n(places_.zd(), nz_, zd);
  position_error_ = constraints_->position_error(t, places_.q());
  start_comparison(t, places_.u());
  return {};
}

void ParametricChart::end(double t, std::span<const double> y, State& state) {
  const auto nz = static_cast<std::ptrdiff_t>(nz_);
  places_.place(t, z0_.data(), y.data() + nz_);
  state.t = t;
  std::copy_n(z0_.begin(), nz, state.parameters.begin());
  std::copy_n(y.begin() + nz, nz, state.parameters.begin() + nz);
  std::copy_n(places_.q(), state.q.size(), state.q.begin());
  std::copy_n(places_.u(), state.u.size(), state.u.begin());
  momentum_of(t, state.q, state.u, state.momentum);
}

std::unique_ptr<Chart> make_chart(const Dynamics& dynamics, const ConstraintOptions& constraints) {
  if (constraints.formulation != Formulation::parametric)
    return std::make_unique<Chart>(dynamics, constraints);
  require_parametric(dynamics);
  return std::make_unique<ParametricChart>(dynamics, constraints);
}

}  // namespace tactus::simulate
