#include <tactus/control/arm/arm_controller.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::control {

namespace {

constexpr std::array<std::pair<ArmLaw, std::string_view>, 6> kNames{
    {{ArmLaw::pole_placement, "pole-placement"},
     {ArmLaw::sampled, "sampled-pole-placement"},
     {ArmLaw::computed_torque, "computed-torque"},
     {ArmLaw::diagonal, "diagonal"},
     {ArmLaw::gravity, "gravity"},
     {ArmLaw::inverse_dynamics, "inverse-dynamics"}}};

derive::Equations equations_of(const describe::Model& model, bool friction) {
  if (!model.constraints.empty())
    throw InputError({model.file}, fmt::format("model `{}` has constraints", model.name),
                     "a constrained mechanism is controlled by projection: see docs/control.md");
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    throw InputError({model.file}, fmt::format("model `{}` defines speeds of its own", model.name),
                     "leave out `speeds`");
  derive::Options options;
  options.friction = friction;
  derive::Equations equations(model, std::move(options));
  if (equations.nq() != equations.nv())
    throw InputError({model.file},
                     fmt::format("model `{}` has joints with more coordinates than speeds", model.name),
                     "describe spherical and free joints by revolute and prismatic ones");
  if (equations.nv() == 0)
    throw InputError({model.file}, fmt::format("model `{}` has no joints", model.name),
                     "nothing can be controlled");
  return equations;
}

}  // namespace

std::string_view name_of(ArmLaw law) {
  for (const auto& [own, name] : kNames)
    if (own == law) return name;
  return "";
}

std::optional<ArmLaw> arm_law(std::string_view name) {
  for (const auto& [law, own] : kNames)
    if (own == name) return law;
  return std::nullopt;
}

ArmController::ArmController(const describe::Model& model, const ArmControl& control)
    : control_(control), forces_(generate::compile(equations_of(model, true).inverse_dynamics())) {
  const derive::Equations equations = equations_of(model, true);
  n_ = static_cast<std::size_t>(equations.nv());
  if (control_.poles.size() == 1) control_.poles.resize(n_, control_.poles.front());
  if (control_.poles.size() != n_)
    throw InputError({model.file}, fmt::format("poles of {} joints for {}", control_.poles.size(), n_),
                     "give a pair for all, or one for each joint");
  const bool sampled = control_.law == ArmLaw::sampled;
  if (sampled && !(control_.period > 0.0 && std::isfinite(control_.period)))
    throw InputError({model.file}, fmt::format("a sampled loop with a period of {:g} s", control_.period),
                     "give its period");
  for (std::size_t i = 0; i < n_; ++i) {
    const PolePair& own = control_.poles[i];
    if (!own.stable() || !std::isfinite(own.sum + own.product))
      throw InputError(
          {model.file},
          fmt::format("the poles of joint {}, of sum {:g} 1/s and product {:g} 1/s^2, are not stable", i + 1,
                      own.sum, own.product),
          "give poles to the left of the axis, such as -12+-45j");
    const PolePair law = own.of_law(sampled ? control_.period : 0.0);
    S_.push_back(law.sum);
    P_.push_back(law.product);
  }
  most_.assign(n_, std::numeric_limits<double>::infinity());
  std::size_t axis_number = 0;
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (control_.limits && axis.effort_limit) {
        const double most = describe::value_of(model, *axis.effort_limit);
        if (!(most > 0.0))
          throw InputError({model.file},
                           fmt::format("joint `{}` has an actuator of {:g} N m at most", axis.name, most),
                           "give `effort` a value above zero, or leave it out");
        most_[axis_number] = most;
      }
      ++axis_number;
    }
  switch (control_.law) {
    case ArmLaw::pole_placement:
    case ArmLaw::sampled:
      linear_ = generate::compile(equations.linear_model());
      break;
    case ArmLaw::computed_torque:
      mass_ = generate::compile(equations.mass_matrix());
      break;
    case ArmLaw::diagonal:
    case ArmLaw::gravity: {
      mass_ = generate::compile(equations.mass_matrix());
      still_ = generate::compile(equations.gravity());
      frictionless_ = generate::compile(equations_of(model, false).inverse_dynamics());
      break;
    }
    case ArmLaw::inverse_dynamics:
      frictionless_ = generate::compile(equations_of(model, false).inverse_dynamics());
      break;
  }
  const generate::Kernel* const M_of = linear_ ? &*linear_ : mass_ ? &*mass_ : nullptr;
  if (M_of != nullptr) M_ = M_of->output("M")->offset;
  if (linear_) {
    C_ = linear_->output("C")->offset;
    K_ = linear_->output("K")->offset;
  }
  in_.resize(1 + 3 * n_);
  out_.resize(std::max(n_, M_of != nullptr ? M_of->output_size() : n_));
  more_.resize(n_);
  r_.resize(n_);
  std::size_t work = forces_.work_size();
  for (const std::optional<generate::Kernel>* kernel : {&linear_, &mass_, &still_, &frictionless_})
    if (*kernel) work = std::max(work, (*kernel)->work_size());
  work_.resize(work);
}

/// t q u udot.
double* ArmController::arguments(double t, std::span<const double> q, std::span<const double> qd,
                                 const double* qdd) noexcept {
  in_[0] = t;
  std::copy_n(q.begin(), n_, in_.begin() + 1);
  std::copy_n(qd.begin(), n_, in_.begin() + 1 + static_cast<std::ptrdiff_t>(n_));
  for (std::size_t i = 0; i < n_; ++i) in_[1 + 2 * n_ + i] = qdd != nullptr ? qdd[i] : 0.0;
  return in_.data();
}

bool ArmController::torque(double t, std::span<const double> q, std::span<const double> qd,
                           std::span<const double> q_wanted, std::span<const double> qd_wanted,
                           std::span<const double> qdd_wanted, std::span<double> tau,
                           std::span<const double> besides) noexcept {
  for (std::size_t i = 0; i < n_; ++i) r_[i] = S_[i] * (qd[i] - qd_wanted[i]) - P_[i] * (q[i] - q_wanted[i]);
  const auto M = [&](std::size_t i, std::size_t j) { return out_[M_ + i * n_ + j]; };
  switch (control_.law) {
    case ArmLaw::pole_placement:
    case ArmLaw::sampled: {
      const double* along = arguments(t, q_wanted, qd_wanted, qdd_wanted.data());
      forces_(along, tau.data(), work_.data());
      (*linear_)(along, out_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j)
          tau[i] += out_[K_ + i * n_ + j] * (q[j] - q_wanted[j]) +
                    out_[C_ + i * n_ + j] * (qd[j] - qd_wanted[j]) + M(i, j) * r_[j];
      break;
    }
    case ArmLaw::computed_torque: {
      const double* along = arguments(t, q_wanted, qd_wanted, qdd_wanted.data());
      forces_(along, tau.data(), work_.data());
      (*mass_)(along, out_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j) tau[i] += M(i, j) * r_[j];
      break;
    }
    case ArmLaw::diagonal: {
      const double* along = arguments(t, q_wanted, qd_wanted, nullptr);
      // Friction: what the forces are more than those without it.
      forces_(along, tau.data(), work_.data());
      (*frictionless_)(along, more_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) tau[i] -= more_[i];
      (*still_)(along, more_.data(), work_.data());
      (*mass_)(along, out_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) tau[i] += more_[i] + M(i, i) * (qdd_wanted[i] + r_[i]);
      break;
    }
    case ArmLaw::gravity: {
      const double* here = arguments(t, q, qd, nullptr);
      (*still_)(here, tau.data(), work_.data());
      (*mass_)(here, out_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) tau[i] += M(i, i) * r_[i];
      break;
    }
    case ArmLaw::inverse_dynamics: {
      const double* along = arguments(t, q_wanted, qd_wanted, nullptr);
      forces_(along, tau.data(), work_.data());
      (*frictionless_)(along, more_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) {
        tau[i] -= more_[i];
        r_[i] += qdd_wanted[i];
      }
      (*frictionless_)(arguments(t, q, qd, r_.data()), more_.data(), work_.data());
      for (std::size_t i = 0; i < n_; ++i) tau[i] += more_[i];
      break;
    }
  }
  for (std::size_t i = 0; i < besides.size() && i < n_; ++i) tau[i] += besides[i];
  cut_ = 0;
  bool finite = true;
  for (std::size_t i = 0; i < n_; ++i) {
    finite = finite && std::isfinite(tau[i]);
    if (std::abs(tau[i]) > most_[i]) {
      tau[i] = std::copysign(most_[i], tau[i]);
      ++cut_;
    }
  }
  if (!finite) std::fill_n(tau.begin(), n_, 0.0);
  return finite;
}

LinearPoint ArmController::point() const {
  const auto n = static_cast<Eigen::Index>(n_);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto matrix = [&](std::size_t at) -> Matrix {
    return Eigen::Map<const Rows>(out_.data() + at, n, n);
  };
  if (!linear_) return {};
  return {matrix(M_), matrix(C_), matrix(K_)};
}

}  // namespace tactus::control
