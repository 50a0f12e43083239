// Controllers of arms that follow a path, by the model: forces at the joints from where the arm is and where it should be.
//
// With x = q - q*, v = qd - qd*, r = S v - P x for desired poles (poles.h), tau* = M(q*) qdd* + h(q*, qd*):
//
//   pole placement     tau* + K x + C v + M r     M, C, K along the path       [Clover1996, III (9), (16)]: CT1
//   sampled            the same with S and P of a sampled loop                 (23)
//   computed torque    tau* + M(q*) r                                          (26): CT2
//   diagonal           diag M(q*) (qdd* + r) + gravity and friction            CT3
//   gravity            gravity(q) + diag M(q) r                                a weight that is carried, and springs
//   inverse dynamics   M(q) (qdd* + r) + h(q, qd)                              no error of linearising is left
//
// Friction is that of the model at the path's rates: a measured rate near zero would make it chatter. No law has a memory. Forces beyond the
// actuators' limits are cut there, joint by joint, and counted.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tactus/control/arm/poles.h>
#include <tactus/describe/model/model.h>
#include <tactus/generate/kernel.h>

namespace tactus::control {

enum class ArmLaw : std::uint8_t {
  pole_placement,
  sampled,
  computed_torque,
  diagonal,
  gravity,
  inverse_dynamics
};
std::string_view name_of(ArmLaw law);
/// None where there is no such law.
std::optional<ArmLaw> arm_law(std::string_view name);

struct ArmControl {
  ArmLaw law = ArmLaw::pole_placement;
  std::vector<PolePair> poles;  // one for all joints, or one for each
  double period = 0.0;          // [s] of the sampled law
  bool limits = true;           // of the model's actuators
  double abbreviate =
      0.0;  // coefficients of the links below this are left out, as [Clover1996, II 3.2] does; 0: none
};

struct ArmLawCode;  // arm_law.h: the law as one function

class ArmController {
 public:
  /// For models without constraints whose speeds are the joint rates. Throws InputError.
  ArmController(const describe::Model& model, const ArmControl& control);

  std::size_t joints() const noexcept { return n_; }
  const ArmControl& control() const noexcept { return control_; }
  /// [joints] each; `besides` is added before the limits. False where the result is no number, which is then zero.
  bool torque(double t, std::span<const double> q, std::span<const double> qd,
              std::span<const double> q_wanted, std::span<const double> qd_wanted,
              std::span<const double> qdd_wanted, std::span<double> tau,
              std::span<const double> besides = {}) noexcept;
  /// How many of the last were cut.
  int cut() const noexcept { return cut_; }
  std::span<const double> most() const noexcept { return most_; }
  /// M, C, K along the path, where the law was last asked: of pole placement only.
  LinearPoint point() const;

 private:
  ArmController(const describe::Model& model, ArmLawCode code);

  ArmControl control_;
  std::size_t n_ = 0;
  std::vector<double> most_;
  generate::Kernel law_;                    // arm_law.h
  std::optional<generate::Kernel> linear_;  // t q u udot -> M C K, for point()
  std::vector<double> in_, out_, work_;
  int cut_ = 0;
};

}  // namespace tactus::control
