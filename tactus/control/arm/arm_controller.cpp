#include <tactus/control/arm/arm_controller.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include <tactus/control/arm/arm_law.h>
#include <tactus/derive/equations.h>

namespace tactus::control {

namespace {

constexpr std::array<std::pair<ArmLaw, std::string_view>, 6> kNames{
    {{ArmLaw::pole_placement, "pole-placement"},
     {ArmLaw::sampled, "sampled-pole-placement"},
     {ArmLaw::computed_torque, "computed-torque"},
     {ArmLaw::diagonal, "diagonal"},
     {ArmLaw::gravity, "gravity"},
     {ArmLaw::inverse_dynamics, "inverse-dynamics"}}};

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
    : ArmController(model, arm_law_code(model, control)) {}

ArmController::ArmController(const describe::Model& model, ArmLawCode code)
    : control_(std::move(code.control)),
      n_(code.most.size()),
      most_(std::move(code.most)),
      law_(generate::compile(code.law)),
      in_(law_.input_size()),
      out_(law_.output_size()),
      work_(law_.work_size()) {
  if (control_.law == ArmLaw::pole_placement || control_.law == ArmLaw::sampled)
    linear_ = generate::compile(derive::Equations(model).linear_model());
}

bool ArmController::torque(double t, std::span<const double> q, std::span<const double> qd,
                           std::span<const double> q_wanted, std::span<const double> qd_wanted,
                           std::span<const double> qdd_wanted, std::span<double> tau,
                           std::span<const double> besides) noexcept {
  in_[0] = t;
  double* to = in_.data() + 1;
  for (const std::span<const double> part : {q, qd, q_wanted, qd_wanted, qdd_wanted})
    to = std::copy_n(part.begin(), n_, to);
  law_(in_.data(), out_.data(), work_.data());
  std::copy_n(out_.begin(), n_, tau.begin());
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
  if (!linear_) return {};
  // t, and where it should be.
  generate::Evaluator linear(*linear_);
  linear.input("t")[0] = in_[0];
  const char* const blocks[] = {"q", "u", "udot"};
  for (std::size_t k = 0; k < 3; ++k)
    std::copy_n(in_.begin() + static_cast<std::ptrdiff_t>(1 + (2 + k) * n_), n_,
                linear.input(blocks[k]).begin());
  linear.run();
  const auto n = static_cast<Eigen::Index>(n_);
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto matrix = [&](const char* name) -> Matrix {
    return Eigen::Map<const Rows>(linear.output(name).data(), n, n);
  };
  return {matrix("M"), matrix("C"), matrix("K")};
}

}  // namespace tactus::control
