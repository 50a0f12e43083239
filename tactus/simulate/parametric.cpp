#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/check.h>
#include <tactus/base/error.h>
#include <tactus/math/cholesky.h>
#include <tactus/simulate/mass_metric.h>
#include <tactus/simulate/parametric.h>

namespace tactus::simulate {

namespace {

using algebra::Block;
using algebra::Expr;
using algebra::Function;

/// Directions of phi within this distance of each other's span have no inverse; x and q come in metres and
/// radians.
constexpr double kSingular = 1e-9;
constexpr int kMostNewtonSteps = 30;
/// phi(q) = psi(z) to this [m, rad].
constexpr double kPlaced = 1e-14, kPlacedEnough = 1e-11;

/// f(v) -> x, J = df/dv, J_rate = Jd vd, for a rate vd of the input.
Function with_derivatives(const Function& f) {
  TACTUS_CHECK(f.inputs.size() == 1 && f.outputs.size() == 1);
  algebra::Graph::Scope scope(*f.graph);
  const Block& v = f.inputs.front();
  const Block& x = f.outputs.front();
  Block rate{"rate", {}, v.rows, 1, {}};
  for (std::size_t i = 0; i < v.size(); ++i)
    rate.entries.push_back(algebra::symbol(fmt::format("rate_of_{}_{}", v.name, i)));
  const std::vector<Expr> velocity = algebra::directional_derivative(x.entries, v.entries, rate.entries);
  Block place = v;
  place.name = "place";
  Block value = x;
  value.name = "x";
  return {f.name,
          f.meaning,
          f.graph,
          {place, rate},
          {value,
           {"J", {}, x.rows, v.rows, algebra::jacobian(x.entries, v.entries)},
           {"J_rate", {}, x.rows, 1, algebra::directional_derivative(velocity, v.entries, rate.entries)}}};
}

}  // namespace

ParametricSolver::ParametricSolver(std::size_t n, std::size_t most_rows, std::size_t nz)
    : n_(n),
      nz_(nz),
      T_(n * nz),
      b_(n),
      M_(nz * nz),
      Q_(nz),
      A_(most_rows * nz),
      gamma_(most_rows),
      MT_(n * nz),
      f_(n),
      size_(n),
      reduced_(make_multipliers(nz, most_rows)),
      reduced_motion_(nz, most_rows),
      rows_(most_rows, n, true) {}

void ParametricSolver::set_tangent(const double* T, const double* b) {
  std::copy_n(T, n_ * nz_, T_.begin());
  std::copy_n(b, n_, b_.begin());
}

bool ParametricSolver::solve(const ConstrainedProblem& p, ConstrainedMotion& motion) {
  // The problem in z: T^T M T, T^T (Q - M b), A T, gamma - A b.
  for (std::size_t i = 0; i < n_; ++i) {
    f_[i] = p.Q[i];
    double* row = MT_.data() + i * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t j = 0; j < n_; ++j) {
      f_[i] -= p.M[i * n_ + j] * b_[j];
      for (std::size_t c = 0; c < nz_; ++c) row[c] += p.M[i * n_ + j] * T_[j * nz_ + c];
    }
  }
  std::fill(M_.begin(), M_.end(), 0.0);
  std::fill(Q_.begin(), Q_.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t c = 0; c < nz_; ++c) {
      Q_[c] += T_[i * nz_ + c] * f_[i];
      for (std::size_t d = 0; d < nz_; ++d) M_[c * nz_ + d] += T_[i * nz_ + c] * MT_[i * nz_ + d];
    }
  }
  for (std::size_t k = 0; k < p.m; ++k) {
    gamma_[k] = p.gamma[k];
    double* row = A_.data() + k * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      gamma_[k] -= p.A[k * n_ + i] * b_[i];
      for (std::size_t c = 0; c < nz_; ++c) row[c] += p.A[k * n_ + i] * T_[i * nz_ + c];
    }
  }
  const ConstrainedProblem reduced{nz_,       p.m,           M_.data(), Q_.data(),
                                   A_.data(), gamma_.data(), p.scale,   p.rank_tolerance};
  if (!reduced_->solve(reduced, reduced_motion_)) return false;
  for (std::size_t i = 0; i < n_; ++i) {
    motion.udot[i] = b_[i];
    for (std::size_t c = 0; c < nz_; ++c) motion.udot[i] += T_[i * nz_ + c] * reduced_motion_.udot[c];
  }
  // A^T lambda = M udot - Q, and the least multipliers that give it.
  for (std::size_t i = 0; i < n_; ++i) {
    size_[i] = std::sqrt(p.M[i * n_ + i]);
    if (!(size_[i] > 0.0)) return false;
    double f = -p.Q[i];
    for (std::size_t j = 0; j < n_; ++j) f += p.M[i * n_ + j] * motion.udot[j];
    motion.force[i] = f;
    f_[i] = f / size_[i];
  }
  for (std::size_t k = 0; k < p.m; ++k)
    for (std::size_t i = 0; i < n_; ++i) rows_.row(k)[i] = p.A[k * n_ + i] / (p.scale[k] * size_[i]);
  rows_.factor(p.m, p.rank_tolerance);
  rows_.times_q_transposed(f_.data());
  rows_.combine_shortest(f_.data(), motion.lambda.data());
  for (std::size_t k = 0; k < p.m; ++k) {
    motion.lambda[k] /= p.scale[k];
    motion.redundant[rows_.order(k)] = k >= rows_.rank();
  }
  motion.rank = rows_.rank();
  motion.used = Formulation::parametric;
  return true;
}

ParametricMotion::ParametricMotion(const Dynamics& dynamics, const Function& psi,
                                   const std::optional<Function>& phi)
    : dynamics_(dynamics),
      constraints_(*dynamics.constraints),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      nz_(psi.input_size()),
      nx_(psi.output_size()),
      psi_(generate::compile(with_derivatives(psi))),
      terms_(dynamics, constraints_),
      solver_(nv_, constraints_.size(), nz_),
      motion_(nv_, constraints_.size()),
      inverse_(nx_, nv_),
      z_(nz_),
      zd_(nz_),
      q_(nq_),
      u_(nv_),
      T_(nv_ * nz_),
      b_(nv_),
      arguments_(constraints_.terms.input_size()),
      A_(constraints_.size() * nv_),
      gamma_(constraints_.size()),
      scale_(constraints_.size()) {
  if (nq_ != nv_)
    throw InputError({}, "parametric coordinates need a mechanism without quaternions",
                     "describe orientations by revolute joints");
  if (phi) phi_.emplace(generate::compile(with_derivatives(*phi)));
  if (phi ? phi->input_size() != nq_ || phi->output_size() != nx_ : nx_ != nq_)
    throw InputError({}, fmt::format("psi gives {} numbers", nx_),
                     phi ? "phi must take the mechanism's coordinates to as many"
                         : fmt::format("without phi they must be the {} coordinates", nq_));
  for (std::size_t k = 0; k < constraints_.size(); ++k)
    if (constraints_.active[k]) {
      scale_[rows_.size()] = constraints_.scale[k];
      rows_.push_back(k);
    }
}

bool ParametricMotion::place() {
  std::copy(z_.begin(), z_.end(), psi_.input("place").begin());
  std::copy(zd_.begin(), zd_.end(), psi_.input("rate").begin());
  psi_.run();
  const auto x = psi_.output("x"), J = psi_.output("J"), J_rate = psi_.output("J_rate");
  if (!phi_) {
    std::copy(x.begin(), x.end(), q_.begin());
    std::copy(J.begin(), J.end(), T_.begin());
    std::copy(J_rate.begin(), J_rate.end(), b_.begin());
    std::fill(u_.begin(), u_.end(), 0.0);
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t c = 0; c < nz_; ++c) u_[i] += T_[i * nz_ + c] * zd_[c];
    return true;
  }
  std::vector<double> rhs(nx_), y(nv_);
  const auto factor = [&] {
    std::copy(q_.begin(), q_.end(), phi_->input("place").begin());
    std::copy(u_.begin(), u_.end(), phi_->input("rate").begin());
    phi_->run();
    const auto J_phi = phi_->output("J");
    for (std::size_t k = 0; k < nx_; ++k)
      std::copy_n(J_phi.begin() + static_cast<std::ptrdiff_t>(k * nv_), nv_, inverse_.row(k));
    inverse_.factor(nx_, kSingular);
  };
  const auto shortest = [&](double* result) {
    std::fill_n(result, nv_, 0.0);
    inverse_.solve(rhs.data(), result);
    inverse_.times_q(result);
  };
  double error = 0.0, before = HUGE_VAL;
  for (int iteration = 0; iteration < kMostNewtonSteps; ++iteration) {
    factor();
    error = 0.0;
    for (std::size_t k = 0; k < nx_; ++k) {
      rhs[k] = x[k] - phi_->output("x")[k];
      error = std::max(error, std::abs(rhs[k]));
    }
    if (error <= kPlaced || (error <= kPlacedEnough && error >= before)) break;
    before = error;
    shortest(y.data());
    for (std::size_t i = 0; i < nv_; ++i) q_[i] += y[i];
  }
  if (!(error <= kPlacedEnough)) return false;
  for (std::size_t c = 0; c < nz_; ++c) {
    for (std::size_t k = 0; k < nx_; ++k) rhs[k] = J[k * nz_ + c];
    shortest(y.data());
    for (std::size_t i = 0; i < nv_; ++i) T_[i * nz_ + c] = y[i];
  }
  std::fill(u_.begin(), u_.end(), 0.0);
  for (std::size_t i = 0; i < nv_; ++i)
    for (std::size_t c = 0; c < nz_; ++c) u_[i] += T_[i * nz_ + c] * zd_[c];
  factor();  // again, for Jd_phi u
  for (std::size_t k = 0; k < nx_; ++k) rhs[k] = J_rate[k] - phi_->output("J_rate")[k];
  shortest(b_.data());
  return true;
}

void ParametricMotion::set_state(double t, const std::vector<double>& z, const std::vector<double>& zd,
                                 const std::vector<double>& q_near) {
  TACTUS_CHECK(z.size() == nz_ && zd.size() == nz_ && q_near.size() == nq_);
  t_ = t;
  z_ = z;
  zd_ = zd;
  q_ = q_near;
  if (!place())
    throw InputError({}, "the mechanism cannot reach the place that z describes", "give a better guess of q");
}

bool ParametricMotion::accelerate(const std::vector<double>& tau) {
  arguments_[0] = t_;
  std::copy(q_.begin(), q_.end(), arguments_.begin() + 1);
  std::copy(u_.begin(), u_.end(), arguments_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_));
  std::copy(tau.begin(), tau.end(), arguments_.begin() + 1 + static_cast<std::ptrdiff_t>(nq_ + nv_));
  terms_.evaluate(arguments_.data());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    std::copy_n(terms_.A(rows_[k]), nv_, A_.begin() + static_cast<std::ptrdiff_t>(k * nv_));
    gamma_[k] = terms_.gamma()[rows_[k]];
  }
  solver_.set_tangent(T_.data(), b_.data());
  return solver_.solve({nv_, rows_.size(), terms_.M(), terms_.Q(), A_.data(), gamma_.data(), scale_.data()},
                       motion_);
}

bool ParametricMotion::step(double h, const std::vector<double>& tau) {
  const std::vector<double> z0 = z_, v0 = zd_;
  const double t0 = t_;
  std::vector<double> z_sum(nz_), v_sum(nz_), k(nz_), l(nz_);
  constexpr double kReach[] = {0.0, 0.5, 0.5, 1.0}, kWeight[] = {1.0, 2.0, 2.0, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    t_ = t0 + kReach[stage] * h;
    for (std::size_t c = 0; c < nz_; ++c) {
      z_[c] = z0[c] + kReach[stage] * h * l[c];
      zd_[c] = v0[c] + kReach[stage] * h * k[c];
    }
    if (!place() || !accelerate(tau)) return false;
    l = zd_;
    k = zdd();
    for (std::size_t c = 0; c < nz_; ++c) {
      z_sum[c] += kWeight[stage] * l[c];
      v_sum[c] += kWeight[stage] * k[c];
    }
  }
  for (std::size_t c = 0; c < nz_; ++c) {
    z_[c] = z0[c] + h / 6.0 * z_sum[c];
    zd_[c] = v0[c] + h / 6.0 * v_sum[c];
  }
  t_ = t0 + h;
  return place() && agree() && place();
}

bool ParametricMotion::step_as_printed(double h, const std::vector<double>& tau, bool project) {
  if (!accelerate(tau)) return false;
  for (std::size_t c = 0; c < nz_; ++c) {
    z_[c] += h * zd_[c] + 0.5 * h * h * zdd()[c];
    zd_[c] += h * zdd()[c];
  }
  t_ += h;
  if (!place()) return false;
  return !project || (agree() && place());
}

/// zd <- zd - (the smallest change, in the metric of T^T M T, that meets the rows that psi leaves).
bool ParametricMotion::agree() {
  terms_.evaluate(t_, q_.data(), u_.data());
  std::vector<double> M(nz_ * nz_), A(rows_.size() * nz_), error(rows_.size()), dz(nz_);
  for (std::size_t i = 0; i < nv_; ++i)
    for (std::size_t j = 0; j < nv_; ++j)
      for (std::size_t c = 0; c < nz_; ++c)
        for (std::size_t d = 0; d < nz_; ++d)
          M[c * nz_ + d] += T_[i * nz_ + c] * terms_.M()[i * nv_ + j] * T_[j * nz_ + d];
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    error[k] = terms_.velocity()[rows_[k]];
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t c = 0; c < nz_; ++c) A[k * nz_ + c] += terms_.A(rows_[k])[i] * T_[i * nz_ + c];
  }
  MassMetric metric(nz_, rows_.size());
  if (!metric.factor({nz_, rows_.size(), M.data(), nullptr, A.data(), nullptr, scale_.data()})) return false;
  metric.smallest_step(error.data(), dz.data());
  for (std::size_t c = 0; c < nz_; ++c) zd_[c] -= dz[c];
  return true;
}

}  // namespace tactus::simulate
