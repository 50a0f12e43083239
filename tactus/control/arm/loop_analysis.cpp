#include <tactus/control/arm/loop_analysis.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/derive/equations.h>

namespace tactus::control {

namespace {

generate::Kernel linear_model(const describe::Model& model, bool friction) {
  if (!model.constraints.empty())
    throw InputError({model.file}, fmt::format("model `{}` has constraints", model.name),
                     "a constrained mechanism is controlled by projection: see docs/control.md");
  derive::Options options;
  options.friction = friction;
  return generate::compile(derive::Equations(model, std::move(options)).linear_model());
}

ModelErrors errors_of(ErrorKind kind, double value) {
  ModelErrors errors;
  (kind == ErrorKind::alpha ? errors.alpha : kind == ErrorKind::beta ? errors.beta : errors.gamma) = value;
  return errors;
}

}  // namespace

LinearArm::LinearArm(const describe::Model& model)
    : whole_(linear_model(model, true)), frictionless_(linear_model(model, false)) {
  n_ = static_cast<std::size_t>(whole_.output("M")->rows);
  in_.resize(1 + 3 * n_);
  out_.resize(std::max(whole_.output_size(), frictionless_.output_size()));
  work_.resize(std::max(whole_.work_size(), frictionless_.work_size()));
}

LinearPoint LinearArm::evaluate(const generate::Kernel& kernel, const MotionPoint& point, bool at_rest) {
  if (point.q.size() != n_ || point.qd.size() != n_ || point.qdd.size() != n_)
    throw InputError({}, fmt::format("a point of {} joints for an arm of {}", point.q.size(), n_),
                     "give angles, rates and accelerations of all joints");
  in_[0] = point.t;
  for (std::size_t i = 0; i < n_; ++i) {
    in_[1 + i] = point.q[i];
    in_[1 + n_ + i] = at_rest ? 0.0 : point.qd[i];
    in_[1 + 2 * n_ + i] = at_rest ? 0.0 : point.qdd[i];
  }
  kernel(in_.data(), out_.data(), work_.data());
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto n = static_cast<Eigen::Index>(n_);
  const auto matrix = [&](const char* name) -> Matrix {
    return Eigen::Map<const Rows>(out_.data() + kernel.output(name)->offset, n, n);
  };
  return {matrix("M"), matrix("C"), matrix("K")};
}

LinearPoint LinearArm::at(const MotionPoint& point) { return evaluate(whole_, point, false); }

LinearPoint LinearArm::known_to(ArmLaw law, const MotionPoint& point) {
  LinearPoint known = at(point);
  const Matrix none = Matrix::Zero(known.M.rows(), known.M.cols());
  switch (law) {
    case ArmLaw::pole_placement:
    case ArmLaw::sampled:
      break;
    case ArmLaw::inverse_dynamics:
      known = evaluate(frictionless_, point, false);
      break;
    case ArmLaw::computed_torque:
      known.C = known.K = none;
      break;
    case ArmLaw::diagonal:
      known = {known.M.diagonal().asDiagonal(), none, none};
      break;
    case ArmLaw::gravity:
      known = {known.M.diagonal().asDiagonal(), none, evaluate(frictionless_, point, true).K};
      break;
  }
  return known;
}

PoleGains LawLoop::gains(const ModelErrors& errors) const {
  return pole_gains(known, errors, poles, law == ArmLaw::sampled ? period : 0.0);
}

std::vector<Complex> LawLoop::closed(bool sampled, const ModelErrors& errors) const {
  return closed_loop_poles(arm, gains(errors), sampled ? period : 0.0);
}

std::string_view name_of(ErrorKind kind) {
  return kind == ErrorKind::alpha ? "alpha" : kind == ErrorKind::beta ? "beta" : "gamma";
}

bool is_used(ArmLaw law, ErrorKind kind) {
  if (kind == ErrorKind::gamma) return true;
  switch (law) {
    case ArmLaw::pole_placement:
    case ArmLaw::sampled:
    case ArmLaw::inverse_dynamics:
      return true;
    case ArmLaw::gravity:
      return kind == ErrorKind::alpha;
    case ArmLaw::computed_torque:
    case ArmLaw::diagonal:
      return false;
  }
  return false;
}

// A limit may be near or far: the first of ranges that grow tenfold in which there is one, each looked at finely enough that a narrow
// island of instability near the right model is not stepped over. A mass matrix of no size or of the wrong sign is no model.
ErrorLocus error_locus(const LawLoop& loop, ErrorKind kind, bool sampled, int looks) {
  constexpr double kRanges[] = {4.0, 40.0, 400.0};
  constexpr int kLooks = 160;
  constexpr double kLeastMass = 1e-6;  // gamma
  const auto poles = [&](double error) { return loop.closed(sampled, errors_of(kind, error)); };
  const bool mass = kind == ErrorKind::gamma;
  ErrorLocus result;
  result.kind = kind;
  result.stable = stability(poles(1.0)) < 0.0;
  if (result.stable)
    for (const double way : {-1.0, 1.0}) {
      std::optional<double>& limit = way < 0.0 ? result.lower : result.upper;
      double& farthest = result.farthest[way < 0.0 ? 0 : 1];
      for (const double range : kRanges) {
        farthest = mass && way < 0.0 ? kLeastMass : 1.0 + way * range;
        limit = stability_limit(poles, 1.0, farthest, kLooks);
        if (limit || (mass && way < 0.0)) break;
      }
    }
  // To be looked at: a little beyond the limits, where they are near; otherwise what a model may be wrong by.
  constexpr double kNear = 60.0, kBeyond = 1.15, kUsual = 3.0;
  double from = mass ? 0.05 : 1.0 - kUsual, to = 1.0 + kUsual;
  if (result.lower && 1.0 - *result.lower < kNear) from = 1.0 - kBeyond * (1.0 - *result.lower);
  if (result.upper && *result.upper - 1.0 < kNear) to = 1.0 + kBeyond * (*result.upper - 1.0);
  if (mass) from = std::max(from, kLeastMass);
  result.locus = root_locus(poles, from, to, looks);
  return result;
}

}  // namespace tactus::control
