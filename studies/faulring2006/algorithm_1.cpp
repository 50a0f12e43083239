#include "algorithm_1.h"

#include <algorithm>
#include <cmath>

#include <Eigen/QR>

#include <tactus/base/check.h>

namespace tactus::studies::faulring {

void Drift::add(const Drift& other) {
  position = std::max(position, other.position);
  velocity = std::max(velocity, other.velocity);
}

Algorithm1::Algorithm1(const describe::Model& model, Scheme scheme, std::vector<double> z,
                       std::vector<double> zd)
    : equations_(model),
      dynamics_(simulate::compile(equations_)),
      solver_(dynamics_),
      places_(dynamics_),
      energy_(generate::compile(equations_.energy())),
      scheme_(scheme),
      nv_(static_cast<std::size_t>(dynamics_.nv())),
      nz_(places_.parametric().size()),
      z_(std::move(z)),
      zd_(std::move(zd)),
      q_(model.initial_q),
      u_(model.initial_u),
      udot_(nv_),
      qdot_(nv_) {
  TACTUS_CHECK(dynamics_.nq() == dynamics_.nv());
  if (z_.empty()) {
    places_.require(0.0, q_.data(), u_.data());
    z_.assign(places_.z(), places_.z() + nz_);
    zd_.assign(places_.zd(), places_.zd() + nz_);
  }
  place();
}

void Algorithm1::place() {
  places_.place(t_, z_.data(), zd_.data());
  q_.assign(places_.q(), places_.q() + nv_);
  u_.assign(places_.u(), places_.u() + nv_);
}

const std::vector<double>& Algorithm1::accelerations(double t, const std::vector<double>& tau) {
  arguments_.assign(1, t);
  for (const std::vector<double>* part : std::initializer_list<const std::vector<double>*>{&q_, &u_, &tau})
    arguments_.insert(arguments_.end(), part->begin(), part->end());
  solver_.accelerate(arguments_.data(), udot_.data(), qdot_.data());
  return udot_;
}

std::vector<double> Algorithm1::parameter_accelerations(double t, const std::vector<double>& z,
                                                        const std::vector<double>& zd,
                                                        const std::vector<double>& tau) {
  places_.place(t, z.data(), zd.data());
  q_.assign(places_.q(), places_.q() + nv_);
  u_.assign(places_.u(), places_.u() + nv_);
  accelerations(t, tau);
  const auto rows = static_cast<Eigen::Index>(nv_), columns = static_cast<Eigen::Index>(nz_);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> T(places_.T(), rows, columns);
  const Eigen::VectorXd rest = Eigen::Map<const Eigen::VectorXd>(udot_.data(), rows) -
                               Eigen::Map<const Eigen::VectorXd>(places_.b(), rows);
  const Eigen::VectorXd zdd = T.colPivHouseholderQr().solve(rest);
  return {zdd.begin(), zdd.end()};
}

void Algorithm1::runge_kutta(double h, const std::vector<double>& tau) {
  std::vector<double> z = z_, zd = zd_, sum_z(nz_), sum_zd(nz_);
  constexpr double kWeights[] = {1.0, 2.0, 2.0, 1.0}, kAhead[] = {0.5, 0.5, 1.0, 0.0};
  double part = 0.0;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    const std::vector<double> zdd = parameter_accelerations(t_ + part * h, z, zd, tau);
    part = kAhead[stage];
    for (std::size_t i = 0; i < nz_; ++i) {
      sum_z[i] += kWeights[stage] / 6.0 * zd[i];
      sum_zd[i] += kWeights[stage] / 6.0 * zdd[i];
      z[i] = z_[i] + part * h * zd[i];
      zd[i] = zd_[i] + part * h * zdd[i];
    }
  }
  for (std::size_t i = 0; i < nz_; ++i) {
    z_[i] += h * sum_z[i];
    zd_[i] += h * sum_zd[i];
  }
}

void Algorithm1::step(double h, const std::vector<double>& tau) {
  if (scheme_ == Scheme::direct) {
    accelerations(t_, tau);
    for (std::size_t i = 0; i < nv_; ++i) {
      q_[i] += h * u_[i] + 0.5 * h * h * udot_[i];
      u_[i] += h * udot_[i];
    }
    t_ += h;
    return;
  }
  if (scheme_ == Scheme::runge_kutta) {
    runge_kutta(h, tau);
  } else {
    const std::vector<double> zdd = parameter_accelerations(t_, z_, zd_, tau);
    for (std::size_t i = 0; i < nz_; ++i) {
      z_[i] += h * zd_[i] + 0.5 * h * h * zdd[i];
      zd_[i] += h * zdd[i];
    }
  }
  t_ += h;
  place();
  if (scheme_ == Scheme::projected) {
    solver_.hold_velocity(t_, q_.data(), u_.data());
    places_.require(t_, q_.data(), u_.data());
    zd_.assign(places_.zd(), places_.zd() + nz_);
    place();
  }
}

Drift Algorithm1::drift() {
  const double *position = nullptr, *velocity = nullptr;
  solver_.errors(t_, q_.data(), u_.data(), position, velocity);
  Drift worst;
  for (std::size_t k = 0; k < dynamics_.constraints->size(); ++k)
    worst.add({std::fabs(position[k]), std::fabs(velocity[k])});
  return worst;
}

double Algorithm1::kinetic() {
  std::copy(q_.begin(), q_.end(), energy_.input("q").begin());
  std::copy(u_.begin(), u_.end(), energy_.input("u").begin());
  energy_.run();
  return energy_.output("kinetic")[0];
}

}  // namespace tactus::studies::faulring
