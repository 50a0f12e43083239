#include <tactus/simulate/motion/chart.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/decompositions.h>
#include <tactus/simulate/motion/chart_kernels.h>
#include <tactus/simulate/motion/dry_friction.h>

namespace tactus::simulate {

namespace {

/// Whether no force stands where trees hang free.
bool roots_are_left_alone(const std::vector<MomentumRoot>& roots, const double* tau) {
  for (const MomentumRoot& root : roots)
    for (int k = root.speed; k < root.speed + root.size; ++k)
      if (tau[k] != 0.0) return false;
  return true;
}

}  // namespace

Chart::Chart(const Dynamics& dynamics, const ConstraintOptions& constraints) : dynamics_(dynamics) {
  if (dynamics.constraints) constraints_ = std::make_unique<ConstraintSolver>(dynamics, constraints);
  law_ = constraints_.get();
  allocate();
}

Chart::Chart(const Dynamics& dynamics, MotionLaw& law) : dynamics_(dynamics), law_(&law) { allocate(); }

Chart::~Chart() = default;

void Chart::allocate() {
  const Dynamics& dynamics = dynamics_;
  if (dynamics.dry_friction) friction_ = std::make_unique<FrictionLaw>(dynamics);
  const auto nq = static_cast<std::size_t>(dynamics.nq()), nv = static_cast<std::size_t>(dynamics.nv());
  const auto np = static_cast<std::size_t>(dynamics.np());
  const std::size_t wrench = 6 * static_cast<std::size_t>(dynamics.wrench_count);
  w_.arguments.assign(1 + nq + nv + nv + wrench + nv + nq + np, 0.0);
  w_.t = w_.arguments.data();
  w_.q = w_.t + 1;
  w_.u = w_.q + nq;
  w_.tau = w_.u + nv;
  w_.wrench = w_.tau + nv;
  w_.udot = w_.wrench + wrench;
  w_.qdot = w_.udot + nv;
  w_.P_rate = w_.qdot + nq;

  std::size_t scratch =
      std::max(dynamics.forward_dynamics.work_size(), dynamics.coordinate_rates.work_size());
  if (dynamics.loads) scratch = std::max(scratch, dynamics.loads->work_size());
  if (dynamics.momentum) {
    scratch = std::max({scratch, dynamics.momentum->work_size(), dynamics.momentum_rate->work_size()});
    w_.momentum.assign(dynamics.momentum->output_size(), 0.0);
    w_.u_before.assign(nv, 0.0);
  }
  w_.scratch.assign(scratch, 0.0);
  w_.held_tau.assign(nv, 0.0);
  w_.held_wrench.assign(wrench, 0.0);
  w_.efforts.assign(nv, 0.0);
  w_.q0.assign(nq, 0.0);
  if (!dynamics.in_chart || !dynamics.in_chart->flying) return;
  const FlyingBodies& flying = *dynamics.in_chart->flying;
  code_in_.assign(flying.input_size(), 0.0);
  code_out_.assign(flying.output_size(), 0.0);
  code_work_.assign(flying.work_size(), 0.0);
}

void Chart::begin(const State& state, std::span<double> z) {
  const auto nv = static_cast<std::ptrdiff_t>(dynamics_.nv());
  settled_ = false;
  std::copy(state.q.begin(), state.q.end(), w_.q0.begin());
  std::fill_n(z.begin(), nv, 0.0);
  std::copy(state.u.begin(), state.u.end(), z.begin() + nv);
  std::copy(state.momentum.begin(), state.momentum.end(), z.begin() + 2 * nv);
}

void Chart::evaluate_loads() {
  if (!dynamics_.loads) {
    std::copy(w_.held_tau.begin(), w_.held_tau.end(), w_.tau);
    std::copy(w_.held_wrench.begin(), w_.held_wrench.end(), w_.wrench);
  } else {
    (*dynamics_.loads)(w_.arguments.data(), w_.tau, w_.scratch.data());
    for (std::size_t i = 0; i < w_.held_tau.size(); ++i) w_.tau[i] += w_.held_tau[i];
    for (std::size_t i = 0; i < w_.held_wrench.size(); ++i) w_.wrench[i] += w_.held_wrench[i];
  }
  for (const int k : dynamics_.unactuated) w_.tau[k] = 0.0;
  if (outside_ == nullptr && friction_ == nullptr) return;
  std::copy_n(w_.tau, w_.efforts.size(), w_.efforts.begin());
  if (outside_ != nullptr && outside_->acts()) outside_->add(w_.arguments.data(), w_.tau);
}

void Chart::accelerate() {
  if (law_ != nullptr)
    law_->accelerate(w_.arguments.data(), w_.udot, w_.qdot);
  else
    dynamics_.forward_dynamics(w_.arguments.data(), w_.udot, w_.scratch.data());
}

bool Chart::turns_little(const double* z) const { return dynamics_.in_chart->flying->turn_little(z); }

/// Bodies each alone, on which nothing acts but weight and what is held at their joints.
bool Chart::flies() const {
  return dynamics_.in_chart && dynamics_.in_chart->flying && law_ == nullptr && friction_ == nullptr &&
         !dynamics_.loads && (outside_ == nullptr || !outside_->acts());
}

bool Chart::fly(double h, std::span<double> z) {
  if (!flies() ||
      std::any_of(w_.held_tau.begin(), w_.held_tau.end(), [](double force) { return force != 0.0; }))
    return false;
  settled_ = dynamics_.in_chart->flying->fly(h, w_.q0.data(), z.data(),
                                             {code_in_.data(), code_out_.data(), code_work_.data()});
  return settled_;
}

bool Chart::slope_by_code(double, const double* z, double* z_rate) {
  if (with_parts_ || !flies() || !turns_little(z)) return false;
  std::copy(w_.held_tau.begin(), w_.held_tau.end(), w_.tau);
  for (const int k : dynamics_.unactuated) w_.tau[k] = 0.0;
  dynamics_.in_chart->flying->slope(w_.q0.data(), z, w_.tau, z_rate,
                                    {code_in_.data(), code_out_.data(), code_work_.data()});
  return true;
}

bool Chart::settle_by_code(double, std::span<double> z) {
  if (settled_) {
    settled_ = false;
    return true;
  }
  if (!dynamics_.in_chart || !dynamics_.in_chart->flying || law_ != nullptr || !turns_little(z.data()))
    return false;
  dynamics_.in_chart->flying->settle(w_.q0.data(), z.data(),
                                     {code_in_.data(), code_out_.data(), code_work_.data()});
  return true;
}

void Chart::load(double t, const double* z) {
  *w_.t = in_sight(t);
  dynamics_.coordinates.displace(w_.q0.data(), z, w_.q);
  std::copy_n(z + dynamics_.nv(), dynamics_.nv(), w_.u);
  evaluate_loads();
}

void Chart::slope(double t, const double* z, double* z_rate) {
  if (dynamics_.in_chart && slope_by_code(t, z, z_rate)) return;
  const int nv = dynamics_.nv();
  load(t, z);
  if (friction_ != nullptr)
    friction_->act(w_.arguments.data(), w_.tau, w_.udot, probed(), law_ == nullptr, [this] { accelerate(); });
  else
    accelerate();
  dynamics_.coordinates.chart_rate(w_.q, z, w_.qdot, z_rate);
  std::copy_n(w_.udot, nv, z_rate + nv);
  if (dynamics_.momentum_rate) {
    if (dynamics_.in_chart && law_ == nullptr && friction_ == nullptr &&
        roots_are_left_alone(dynamics_.momentum_roots, w_.tau))
      std::copy(dynamics_.in_chart->weight.begin(), dynamics_.in_chart->weight.end(), w_.P_rate);
    else
      (*dynamics_.momentum_rate)(w_.arguments.data(), w_.P_rate, w_.scratch.data());
    std::copy_n(w_.P_rate, dynamics_.np(), z_rate + 2 * nv);
  }
}

void Chart::chart_rate_at_centre(double t, const double* u, double* theta_rate) {
  *w_.t = t;
  std::copy(w_.q0.begin(), w_.q0.end(), w_.q);
  std::copy_n(u, dynamics_.nv(), w_.u);
  dynamics_.coordinate_rates(w_.arguments.data(), w_.qdot, w_.scratch.data());
  std::fill_n(theta_rate, dynamics_.nv(), 0.0);
  dynamics_.coordinates.chart_rate(w_.q, theta_rate, w_.qdot, theta_rate);
}

Status Chart::settle(double t, std::span<double> z) {
  if (settle_by_code(t, z)) return {};
  dynamics_.coordinates.displace(w_.q0.data(), z.data(), w_.q0.data());
  std::fill_n(z.begin(), dynamics_.nv(), 0.0);
  if (law_ != nullptr) position_error_ = law_->settle_position(t, w_.q0.data(), z.data() + dynamics_.nv());
  if (dynamics_.momentum) correct_root_speeds(t, z);
  if (law_ != nullptr) settle_velocity(t, z);
  return {};
}

/// The speeds' part of it.
void Chart::settle_velocity(double t, std::span<double> z) {
  const int nv = dynamics_.nv();
  double* u = z.data() + nv;
  if (dynamics_.momentum) std::copy_n(u, nv, w_.u_before.begin());
  law_->settle_velocity(t, w_.q0.data(), u);
  if (dynamics_.momentum) follow_momentum(t, w_.q0.data(), w_.u_before.data(), u, z.data() + 2 * nv);
}

void Chart::follow_momentum(double t, const double* q, const double* u_before, const double* u, double* P) {
  const auto moved = [&](const MomentumRoot& root) {
    return std::any_of(root.speeds.begin(), root.speeds.end(), [&](int i) { return u[i] != u_before[i]; });
  };
  if (std::none_of(dynamics_.momentum_roots.begin(), dynamics_.momentum_roots.end(), moved)) return;
  *w_.t = t;
  std::copy_n(q, dynamics_.nq(), w_.q);
  std::copy_n(u, dynamics_.nv(), w_.u);
  (*dynamics_.momentum)(w_.arguments.data(), w_.momentum.data(), w_.scratch.data());
  for (const MomentumRoot& root : dynamics_.momentum_roots)
    if (moved(root)) std::copy_n(w_.momentum.begin() + root.offset, root.size, P + root.offset);
}

void Chart::correct_root_speeds(double t, std::span<double> z) {
  const int nv = dynamics_.nv();
  double* u = z.data() + nv;
  const double* P = z.data() + 2 * nv;
  *w_.t = t;
  std::copy(w_.q0.begin(), w_.q0.end(), w_.q);
  std::copy_n(u, nv, w_.u);
  (*dynamics_.momentum)(w_.arguments.data(), w_.momentum.data(), w_.scratch.data());
  const double* A = w_.momentum.data() + dynamics_.np();
  const auto correct = [&]<int n>(const MomentumRoot& root) {
    using Matrix = Eigen::Matrix<double, n, n, Eigen::RowMajor>;
    using Vector = Eigen::Matrix<double, n, 1>;
    const Vector missing = Eigen::Map<const Vector>(P + root.offset) -
                           Eigen::Map<const Vector>(w_.momentum.data() + root.offset);
    const Vector du = Eigen::Map<const Matrix>(A).partialPivLu().solve(missing);
    // A tree without inertia about some axis has a singular block; its speeds then stay as integrated.
    if (du.allFinite()) Eigen::Map<Vector>(u + root.speed) += du;
    A += n * n;
  };
  for (const MomentumRoot& root : dynamics_.momentum_roots) {
    if (root.size == 6)
      correct.operator()<6>(root);
    else
      correct.operator()<3>(root);
  }
}

void Chart::save_centre(double* centre) const { std::copy(w_.q0.begin(), w_.q0.end(), centre); }
void Chart::load_centre(const double* centre) { std::copy_n(centre, w_.q0.size(), w_.q0.begin()); }

void Chart::rates_of_axes(double t, std::span<const double> z, std::vector<double>& rates) {
  *w_.t = t;
  std::copy(w_.q0.begin(), w_.q0.end(), w_.q);
  std::copy_n(z.data() + dynamics_.nv(), dynamics_.nv(), w_.u);
  friction_->evaluate_rates(w_.arguments.data(), rates);
}

void Chart::adopt(State& state) {
  momentum_of(state.t, state.q, state.u, state.momentum);
  state.parameters.clear();
}

void Chart::end(double t, std::span<const double> z, State& state) {
  const auto nv = static_cast<std::ptrdiff_t>(dynamics_.nv());
  state.t = t;
  std::copy(w_.q0.begin(), w_.q0.end(), state.q.begin());
  std::copy_n(z.begin() + nv, nv, state.u.begin());
  std::copy(z.begin() + 2 * nv, z.end(), state.momentum.begin());
}

void Chart::momentum_of(double t, const std::vector<double>& q, const std::vector<double>& u,
                        std::vector<double>& P) {
  P.resize(static_cast<std::size_t>(dynamics_.np()));
  if (!dynamics_.momentum) return;
  *w_.t = t;
  std::copy(q.begin(), q.end(), w_.q);
  std::copy(u.begin(), u.end(), w_.u);
  (*dynamics_.momentum)(w_.arguments.data(), w_.momentum.data(), w_.scratch.data());
  std::copy_n(w_.momentum.begin(), dynamics_.np(), P.begin());
}

}  // namespace tactus::simulate
