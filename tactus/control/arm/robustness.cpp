#include <tactus/control/arm/robustness.h>

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>
#include <tactus/math/decompositions.h>

namespace tactus::control {

namespace {

constexpr std::array<ModelError, 3> kKinds{{{"alpha", "K", &ModelErrors::alpha},
                                            {"beta", "C", &ModelErrors::beta},
                                            {"gamma", "M", &ModelErrors::gamma}}};

}  // namespace

std::span<const ModelError> model_errors() { return kKinds; }

LawAnalysis::LawAnalysis(const describe::Model& model, const ArmControl& control, double period)
    // The controller refuses what cannot be.
    : control_(ArmController(model, control).control()),
      n_(control_.poles.size()),
      period_(period),
      law_period_(control.law == ArmLaw::sampled ? control.period : 0.0),
      file_(model.file),
      name_(model.name),
      linear_(model) {
  if (!(period > 0.0) || !std::isfinite(period))
    throw InputError({}, fmt::format("a sampled loop with a period of {:g} s", period),
                     "give a positive one");
}

void LawAnalysis::at(double t, std::span<const double> q, std::span<const double> qd,
                     std::span<const double> qdd) {
  const MotionPoint point{t, {q.begin(), q.end()}, {qd.begin(), qd.end()}, {qdd.begin(), qdd.end()}};
  arm_ = linear_.at(point);
  if (!arm_.M.allFinite() || !arm_.C.allFinite() || !arm_.K.allFinite())
    throw InputError({file_}, fmt::format("the linear model of `{}` at this point is not finite", name_),
                     "give angles, rates and accelerations that the arm can have");
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(arm_.M, Eigen::EigenvaluesOnly);
  constexpr double kSingular = 1e-12;  // by the largest eigenvalue
  const double least = eigen.eigenvalues().minCoeff(), most = eigen.eigenvalues().maxCoeff();
  if (!(least > kSingular * most))
    throw InputError(
        {file_},
        fmt::format("the mass matrix of `{}` is singular at this point (eigenvalues {:.3g} to {:.3g})", name_,
                    least, most),
        "give every joint something to move: a mass, an inertia or an `armature`");
  known_ = linear_.known_to(control_.law, point);
  sampled_ = sampled_arm(arm_, period_);
}

PoleGains LawAnalysis::gains(const ModelErrors& errors) const {
  return pole_gains(known_, errors, control_.poles, law_period_);
}

std::vector<Complex> LawAnalysis::poles(const ModelErrors& errors, bool sampled) const {
  return sampled ? closed_loop_poles(sampled_, gains(errors)) : closed_loop_poles(arm_, gains(errors));
}

StabilityRange LawAnalysis::range(const ModelError& kind, bool sampled) const {
  const auto holds = [&](double factor) {
    ModelErrors errors;
    errors.*kind.factor = factor;
    return stability(poles(errors, sampled)) < 0.0;
  };
  StabilityRange range;
  const Matrix& used = kind.factor == &ModelErrors::alpha  ? known_.K
                       : kind.factor == &ModelErrors::beta ? known_.C
                                                           : known_.M;
  range.matters = (used.array() != 0.0).any();
  range.stable = holds(1.0);
  if (!range.stable || !range.matters) return range;
  const auto limit = [&](double direction) -> std::optional<double> {
    constexpr double kNearest = 1e-4, kGrowth = 1.05;
    double inside = 0.0;
    for (double away = kNearest; away <= kFarthest; away *= kGrowth) {
      if (holds(1.0 + direction * away)) {
        inside = away;
        continue;
      }
      double outside = away;
      constexpr int kHalvings = 60;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = 0.5 * (inside + outside);
        (holds(1.0 + direction * middle) ? inside : outside) = middle;
      }
      return 1.0 + direction * 0.5 * (inside + outside);
    }
    return std::nullopt;
  };
  range.lower = limit(-1.0);
  range.upper = limit(1.0);
  // At gamma = 0 there are no gains, and twice as many roots at zero as joints: what rounding makes of them is of the size of its root.
  constexpr double kVanishing = 1e-6;
  if (range.lower && std::abs(*range.lower) < kVanishing) {
    range.lower = 0.0;
    range.marginal = true;
  }
  return range;
}

RootLocus LawAnalysis::locus(const ModelError& kind, double from, double to, int looks, bool sampled) const {
  return root_locus(
      [&](double factor) {
        ModelErrors errors;
        errors.*kind.factor = factor;
        return poles(errors, sampled);
      },
      from, to, looks);
}

}  // namespace tactus::control
