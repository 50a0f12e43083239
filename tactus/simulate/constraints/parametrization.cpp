#include <algorithm>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/base/error.h>
#include <tactus/math/cholesky.h>
#include <tactus/simulate/constraints/parametric.h>
#include <tactus/simulate/motion/dynamics.h>

namespace tactus::simulate {

namespace {

constexpr int kMostSteps = 60;
/// Levenberg's damping, as a part of the largest diagonal element; from there it falls or grows tenfold.
constexpr double kDamping = 1e-6, kMostDamping = 1e8;
/// Further starts of a search: around the model's own, ever farther away [rad, m].
constexpr int kMoreStarts = 60;
constexpr double kFarthestStart = 4.0;
/// A misfit at which the search ends: rounding of lengths of metres and of several turns.
constexpr double kExact = 1e-14;
/// Speeds that are as near to those of a motion that psi allows, relative to the fastest.
constexpr double kSameSpeeds = 1e-6;

}  // namespace

Parametrization::Parametrization(const Dynamics& dynamics)
    : dynamics_(dynamics),
      parametric_(*dynamics.parametric),
      nq_(static_cast<std::size_t>(dynamics.nq())),
      nv_(static_cast<std::size_t>(dynamics.nv())),
      nz_(parametric_.size()),
      z_(parametric_.start),
      zd_(nz_),
      in_(parametric_.motion.input_size()),
      out_(parametric_.motion.output_size()),
      work_(std::max(parametric_.motion.work_size(), parametric_.place.work_size())),
      place_in_(1 + nz_),
      place_out_(parametric_.place.output_size()),
      trial_(nz_),
      best_(nz_),
      rhs_(nz_),
      normal_(nz_ * nz_),
      residual_(nq_),
      best_residual_(nq_),
      terms_(dynamics, *dynamics.constraints),
      M_(nz_ * nz_),
      MT_(nv_ * nz_),
      A_(dynamics.constraints->size() * nz_),
      scale_(dynamics.constraints->size()),
      error_(dynamics.constraints->size()),
      metric_(nz_, dynamics.constraints->size()) {}

void Parametrization::place(double t, const double* z, const double* zd) {
  t_ = t;
  if (z != z_.data()) std::copy_n(z, nz_, z_.begin());
  if (zd != zd_.data()) std::copy_n(zd, nz_, zd_.begin());
  in_[0] = t;
  std::copy_n(z_.begin(), nz_, in_.begin() + 1);
  std::copy_n(zd_.begin(), nz_, in_.begin() + 1 + static_cast<std::ptrdiff_t>(nz_));
  parametric_.motion(in_.data(), out_.data(), work_.data());
  placed_ = true;
}

/// The largest |q - psi(z)|, and the differences in residual_. A quaternion and its negative are one
/// orientation. Infinite where psi is not defined.
double Parametrization::misfit(double t, const double* q, const double* z) {
  place_in_[0] = t;
  std::copy_n(z, nz_, place_in_.begin() + 1);
  parametric_.place(place_in_.data(), place_out_.data(), work_.data());
  double largest = 0.0;
  for (const Segment& segment : dynamics_.coordinates.segments()) {
    const bool turn = segment.kind == Segment::Kind::quaternion;
    const int count = turn ? 4 : segment.size;
    double along = 0.0;
    for (int i = segment.q; i < segment.q + count; ++i)
      along += q[i] * place_out_[static_cast<std::size_t>(i)];
    const double sign = turn && along < 0.0 ? -1.0 : 1.0;
    for (int i = segment.q; i < segment.q + count; ++i) {
      const auto k = static_cast<std::size_t>(i);
      residual_[k] = sign * q[i] - place_out_[k];
      if (!std::isfinite(residual_[k])) return HUGE_VAL;
      largest = std::max(largest, std::abs(residual_[k]));
    }
  }
  return largest;
}

// Levenberg's and Marquardt's method: (J^T J + mu) dz = J^T (q - psi(z)).
bool Parametrization::search(double t, const double* q, const double* from) {
  std::copy_n(from, nz_, z_.begin());
  const auto square = [&] {
    double sum = 0.0;
    for (const double r : residual_) sum += r * r;
    return sum;
  };
  double worst = misfit(t, q, z_.data()), sum = square(), damping = kDamping;
  for (int step = 0; step < kMostSteps && worst > kExact && std::isfinite(worst); ++step) {
    const double* J = place_out_.data() + nq_;
    double diagonal = 0.0;
    for (std::size_t c = 0; c < nz_; ++c) {
      rhs_[c] = 0.0;
      for (std::size_t i = 0; i < nq_; ++i) rhs_[c] += J[i * nz_ + c] * residual_[i];
      for (std::size_t d = 0; d <= c; ++d) {
        double entry = 0.0;
        for (std::size_t i = 0; i < nq_; ++i) entry += J[i * nz_ + c] * J[i * nz_ + d];
        normal_[c * nz_ + d] = entry;
      }
      diagonal = std::max(diagonal, normal_[c * nz_ + c]);
    }
    for (std::size_t c = 0; c < nz_; ++c) normal_[c * nz_ + c] += damping * diagonal;
    if (!math::cholesky(nz_, normal_.data())) break;
    math::solve_lower(nz_, normal_.data(), rhs_.data());
    math::solve_lower_transposed(nz_, normal_.data(), rhs_.data());
    for (std::size_t c = 0; c < nz_; ++c) trial_[c] = z_[c] + rhs_[c];
    const double next = misfit(t, q, trial_.data()), next_sum = std::isfinite(next) ? square() : HUGE_VAL;
    if (next_sum < sum) {
      z_ = trial_;
      worst = next;
      sum = next_sum;
      damping = std::max(1e-15, 0.1 * damping);
    } else {
      damping *= 10.0;
      worst = misfit(t, q, z_.data());  // J and residual of z again
      if (damping > kMostDamping || worst <= kLocated * 1e-6) break;
    }
  }
  if (worst < best_misfit_) {
    best_misfit_ = worst;
    best_ = z_;
    misfit(t, q, z_.data());
    best_residual_ = residual_;
  }
  return best_misfit_ <= kLocated;
}

void Parametrization::inertia_at_place() {
  for (std::size_t i = 0; i < nv_; ++i) {
    double* row = MT_.data() + i * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t j = 0; j < nv_; ++j)
      for (std::size_t c = 0; c < nz_; ++c) row[c] += terms_.M()[i * nv_ + j] * T()[j * nz_ + c];
  }
  std::fill(M_.begin(), M_.end(), 0.0);
  for (std::size_t i = 0; i < nv_; ++i)
    for (std::size_t c = 0; c < nz_; ++c)
      for (std::size_t d = 0; d < nz_; ++d) M_[c * nz_ + d] += T()[i * nz_ + c] * MT_[i * nz_ + d];
}

/// (T^T M T) zd = T^T M (u - s).
bool Parametrization::velocity(const double* u) {
  std::fill(zd_.begin(), zd_.end(), 0.0);
  place(t_, z_.data(), zd_.data());
  terms_.evaluate(t_, q(), this->u());
  inertia_at_place();
  for (std::size_t i = 0; i < nv_; ++i)
    for (std::size_t c = 0; c < nz_; ++c) zd_[c] += MT_[i * nz_ + c] * (u[i] - this->u()[i]);
  if (!math::cholesky(nz_, M_.data())) return false;
  for (std::size_t c = 0; c < nz_; ++c)
    if (!(std::pow(M_[c * nz_ + c], 2) > kSingularParameter * parametric_.inertia[c])) return false;
  math::solve_lower(nz_, M_.data(), zd_.data());
  math::solve_lower_transposed(nz_, M_.data(), zd_.data());
  place(t_, z_.data(), zd_.data());
  return true;
}

bool Parametrization::locate(double t, const double* q, const double* u) {
  t_ = t;
  best_misfit_ = HUGE_VAL;
  bool found = placed_ && search(t, q, z_.data());
  found = found || search(t, q, parametric_.start.data());
  if (!found) {
    std::mt19937 random(1996);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    for (int start = 1; start <= kMoreStarts && !found; ++start) {
      for (std::size_t c = 0; c < nz_; ++c)
        trial_[c] = parametric_.start[c] + kFarthestStart * start / kMoreStarts * part(random);
      found = search(t, q, trial_.data());
    }
    if (!found) return false;
  }
  z_ = best_;
  return velocity(u);
}

void Parametrization::require(double t, const double* q, const double* u) {
  if (locate(t, q, u)) return;
  if (best_misfit_ <= kLocated)
    throw InputError({},
                     fmt::format("the parametric coordinates are singular at {} = {:.6g}",
                                 fmt::join(parametric_.names, ", "), fmt::join(best_, ", ")),
                     "begin elsewhere, or choose another formulation");
  const auto worst = std::max_element(best_residual_.begin(), best_residual_.end(),
                                      [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                     best_residual_.begin();
  throw InputError(
      {},
      fmt::format("no values of the parametric coordinates give this configuration: at the nearest, "
                  "`{}` is off by {:.3g}",
                  dynamics_.coordinate_names[static_cast<std::size_t>(worst)],
                  best_residual_[static_cast<std::size_t>(worst)]),
      "psi may describe another branch, or other turns of the angles; begin on it, or choose another "
      "formulation");
}

void Parametrization::require_motion(double t, const double* q, const double* u) {
  require(t, q, u);
  double fastest = 1.0;
  for (std::size_t i = 0; i < nv_; ++i) fastest = std::max(fastest, std::abs(u[i]));
  for (std::size_t i = 0; i < nv_; ++i) {
    if (std::abs(u[i] - this->u()[i]) <= kSameSpeeds * fastest) continue;
    throw InputError(
        {},
        fmt::format("the speeds break the constraints: in the nearest motion that psi allows, `{}` has "
                    "{:.6g} instead of {:.6g}",
                    dynamics_.speed_names[i], this->u()[i], u[i]),
        "give speeds that the constraints allow, or choose another formulation");
  }
}

bool Parametrization::agree(const std::vector<std::size_t>& rows) {
  terms_.evaluate(t_, q(), u());
  inertia_at_place();
  for (std::size_t k = 0; k < rows.size(); ++k) {
    error_[k] = -terms_.velocity()[rows[k]];
    scale_[k] = dynamics_.constraints->scale[rows[k]];
    double* row = A_.data() + k * nz_;
    std::fill_n(row, nz_, 0.0);
    for (std::size_t i = 0; i < nv_; ++i)
      for (std::size_t c = 0; c < nz_; ++c) row[c] += terms_.A(rows[k])[i] * T()[i * nz_ + c];
  }
  if (!metric_.factor({nz_, rows.size(), M_.data(), nullptr, A_.data(), nullptr, scale_.data()}))
    return false;
  metric_.smallest_step(error_.data(), rhs_.data());
  for (std::size_t c = 0; c < nz_; ++c) zd_[c] += rhs_[c];
  place(t_, z_.data(), zd_.data());
  return true;
}

}  // namespace tactus::simulate
