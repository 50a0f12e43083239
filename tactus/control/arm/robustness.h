// What errors of the model do to an arm's law at a point of a motion, for any arm [Clover1996, III (27)-(33)].
//
// M_l, C_l, K_l are what a law knows of the arm (loop_analysis.h).
//
// A model with errors has gamma M_l, beta C_l, alpha K_l (29). The loop is looked at as if it were continuous (13), and as it is sampled: the
// arm exactly over a period, forces held (33).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <tactus/control/arm/arm_controller.h>
#include <tactus/control/arm/loop_analysis.h>
#include <tactus/control/arm/poles.h>
#include <tactus/describe/model/model.h>

namespace tactus::control {

/// An error of the model: "alpha", of K; "beta", of C; "gamma", of M.
struct ModelError {
  std::string_view name, of;
  double ModelErrors::*factor;
};
std::span<const ModelError> model_errors();

/// For which values of one factor the loop is stable, the others being right: the range about 1.
struct StabilityRange {
  bool stable = false;                 // where the model is right
  bool matters = true;                 // false: the law does not use the matrix, or it is zero
  bool marginal = false;               // lower is zero, where the gains vanish
  std::optional<double> lower, upper;  // none: as far as was looked
};

class LawAnalysis {
 public:
  /// As ArmController; `period` [s] of the sampled loop, also for laws that are not made for one. Throws InputError.
  LawAnalysis(const describe::Model& model, const ArmControl& control, double period);

  std::size_t joints() const noexcept { return n_; }
  double period() const noexcept { return period_; }
  /// Throws InputError where the mass matrix is singular or something is no number.
  void at(double t, std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);

  const LinearPoint& arm() const noexcept { return arm_; }
  const LinearPoint& known() const noexcept { return known_; }
  PoleGains gains(const ModelErrors& errors) const;
  /// By real part; of the sampled loop s = ln(z)/h.
  std::vector<Complex> poles(const ModelErrors& errors, bool sampled) const;
  StabilityRange range(const ModelError& kind, bool sampled) const;
  RootLocus locus(const ModelError& kind, double from, double to, int looks, bool sampled) const;

  /// How far from 1 limits are sought: at distances that grow by a twentieth, from 1e-4.
  static constexpr double kFarthest = 1e5;

 private:
  ArmControl control_;
  std::size_t n_ = 0;
  double period_ = 0.0, law_period_ = 0.0;
  std::string file_, name_;
  LinearArm linear_;
  LinearPoint arm_, known_;
  SampledArm sampled_;
};

}  // namespace tactus::control
