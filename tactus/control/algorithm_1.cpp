#include <tactus/control/algorithm_1.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tactus/base/check.h>
#include <tactus/generate/kernel.h>
#include <tactus/math/decompositions.h>
#include <tactus/simulate/constraints/constraint_solver.h>
#include <tactus/simulate/constraints/parametric.h>
#include <tactus/simulate/motion/dynamics.h>
#include <tactus/simulate/motion/ports.h>

namespace tactus::control {

namespace {

/// What is no number stays: an error that nobody knows is not a small one.
double larger(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

}  // namespace

void Drift::add(const Drift& other) {
  position = larger(position, other.position);
  velocity = larger(velocity, other.velocity);
}

struct Algorithm1::Equations {
  explicit Equations(const describe::Model& model)
      : equations(model),
        dynamics(simulate::compile(equations)),
        energy(generate::compile(equations.energy())) {
    if (dynamics.constraints != nullptr) solver.emplace(dynamics);
    if (dynamics.parametric != nullptr) places.emplace(dynamics);
    work.resize(dynamics.forward_dynamics.work_size());
    out.resize(dynamics.forward_dynamics.output_size());
  }

  derive::Equations equations;
  simulate::Dynamics dynamics;
  std::optional<simulate::ConstraintSolver> solver;  // where there are constraints
  std::optional<simulate::Parametrization> places;   // where the model gives psi
  std::vector<double> work, out;
  generate::Evaluator energy;
  std::unique_ptr<simulate::PortKernels> kernels;  // null: no port was asked for
  std::unique_ptr<simulate::Ports> ports;          // by those
};

Algorithm1::~Algorithm1() = default;

Algorithm1::Algorithm1(const describe::Model& model, Scheme scheme, std::vector<double> z,
                       std::vector<double> zd)
    : own_(std::make_unique<Equations>(model)),
      scheme_(scheme),
      nv_(static_cast<std::size_t>(own_->dynamics.nv())),
      nz_(own_->places ? own_->places->parametric().size() : nv_),
      z_(std::move(z)),
      zd_(std::move(zd)),
      q_(model.initial_q),
      u_(model.initial_u),
      udot_(nv_),
      qdot_(nv_) {
  TACTUS_CHECK(own_->dynamics.nq() == own_->dynamics.nv());
  if (z_.empty() && !own_->places) {
    z_ = q_;
    zd_ = u_;
  } else if (z_.empty()) {
    own_->places->require(0.0, q_.data(), u_.data());
    z_.assign(own_->places->z(), own_->places->z() + nz_);
    zd_.assign(own_->places->zd(), own_->places->zd() + nz_);
  }
  place();
}

void Algorithm1::place() { place(t_, z_, zd_); }

void Algorithm1::place(double t, const std::vector<double>& z, const std::vector<double>& zd) {
  if (!own_->places) {
    q_ = z;
    u_ = zd;
    return;
  }
  own_->places->place(t, z.data(), zd.data());
  q_.assign(own_->places->q(), own_->places->q() + nv_);
  u_.assign(own_->places->u(), own_->places->u() + nv_);
}

const std::vector<double>& Algorithm1::accelerations(double t, const std::vector<double>& tau) {
  arguments_.assign(1, t);
  for (const std::vector<double>* part : std::initializer_list<const std::vector<double>*>{&q_, &u_, &tau})
    arguments_.insert(arguments_.end(), part->begin(), part->end());
  if (own_->ports != nullptr && own_->ports->acts())
    own_->ports->add(arguments_.data(), arguments_.data() + 1 + q_.size() + u_.size());
  if (own_->solver) {
    own_->solver->accelerate(arguments_.data(), udot_.data(), qdot_.data());
  } else {
    own_->dynamics.forward_dynamics(arguments_.data(), own_->out.data(), own_->work.data());
    std::copy_n(own_->out.begin(), nv_, udot_.begin());
  }
  return udot_;
}

std::vector<double> Algorithm1::parameter_accelerations(double t, const std::vector<double>& z,
                                                        const std::vector<double>& zd,
                                                        const std::vector<double>& tau) {
  place(t, z, zd);
  accelerations(t, tau);
  if (!own_->places) return udot_;
  const auto rows = static_cast<Eigen::Index>(nv_), columns = static_cast<Eigen::Index>(nz_);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> T(own_->places->T(), rows, columns);
  const Eigen::VectorXd rest = Eigen::Map<const Eigen::VectorXd>(udot_.data(), rows) -
                               Eigen::Map<const Eigen::VectorXd>(own_->places->b(), rows);
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

int Algorithm1::port(std::string_view name) {
  if (own_->kernels == nullptr) {
    own_->kernels = std::make_unique<simulate::PortKernels>(own_->equations, std::vector<int>{});
    own_->ports = std::make_unique<simulate::Ports>(*own_->kernels);
  }
  return simulate::find_port(own_->kernels->ports, name);
}

void Algorithm1::step(double h, const std::array<double, 6>& wrench, int port) {
  const simulate::PortWrench held{port, wrench};
  TACTUS_CHECK(own_->ports != nullptr && own_->ports->hold({&held, 1}));
  step(h, std::vector<double>(nv_, 0.0));
  own_->ports->release();
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
  if (scheme_ == Scheme::projected && own_->solver) {
    own_->solver->hold_velocity(t_, q_.data(), u_.data());
    if (!own_->places) {
      zd_ = u_;
      return;
    }
    own_->places->require(t_, q_.data(), u_.data());
    zd_.assign(own_->places->zd(), own_->places->zd() + nz_);
    place();
  }
}

Drift Algorithm1::drift() {
  if (!own_->solver) return {};
  const double *position = nullptr, *velocity = nullptr;
  own_->solver->errors(t_, q_.data(), u_.data(), position, velocity);
  Drift worst;
  for (std::size_t k = 0; k < own_->dynamics.constraints->size(); ++k)
    worst.add({std::fabs(position[k]), std::fabs(velocity[k])});
  return worst;
}

double Algorithm1::kinetic() {
  std::copy(q_.begin(), q_.end(), own_->energy.input("q").begin());
  std::copy(u_.begin(), u_.end(), own_->energy.input("u").begin());
  own_->energy.run();
  return own_->energy.output("kinetic")[0];
}

}  // namespace tactus::control
