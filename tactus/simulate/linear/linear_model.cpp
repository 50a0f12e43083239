#include <tactus/simulate/linear/linear_model.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <tactus/simulate/linear/linearization.h>

namespace tactus::simulate {

namespace {

using Eigen::MatrixXd;

/// Further along a steady motion the linear model changes by less than this, by its size: the way there is integrated.
constexpr double kSame = 1e-5;
/// [s] Later moments at which an equilibrium under forces that depend on time is looked at again.
constexpr double kMoments[] = {0.00137, 0.0173, 0.119, 0.43, 1.07, 2.9, 7.3, 19.1};

/// Of M, C, K, by their size. Where everything is prescribed there is nothing that could change.
double change_of(const LinearModel& later, const LinearModel& now) {
  const double size = largest(now.M) + largest(now.C) + largest(now.K);
  const double change = std::max({largest(MatrixXd(later.M - now.M)), largest(MatrixXd(later.C - now.C)),
                                  largest(MatrixXd(later.K - now.K))});
  return change == 0.0 ? 0.0 : change / size;
}

}  // namespace

Linearization::Linearization(const describe::Model& model, const derive::Options& options,
                             std::vector<std::string> independent)
    : implementation_(std::make_unique<Implementation>(model, options, std::move(independent))) {}
Linearization::~Linearization() = default;
Linearization::Linearization(Linearization&&) noexcept = default;
Linearization& Linearization::operator=(Linearization&&) noexcept = default;

const derive::Equations& Linearization::equations() const { return implementation_->equations; }
void Linearization::set_parameters(const std::vector<double>& values) {
  implementation_->parameters = values;
}

LinearModel Linearization::Implementation::examined(const Instant& point) {
  turn_axes(0.0);
  LinearModel result = here(point);
  add_eigenvalues(result);
  result.axes = axes.turned(apart);
  const double rate = fastest_rate(result.at);
  const double allowed = kAtRest * fastest_of(result.at.u);
  if (rate > kAtRest && result.largest_acceleration <= allowed) {
    const LinearModel later = here(further(result.at, rate));
    result.later_acceleration = later.largest_acceleration;
    result.later_change = change_of(later, result);
  }
  if (terms.depends_on_time && rate <= kAtRest && result.largest_acceleration <= allowed) {
    // At rest the place stays; what else changes with time is looked at, at moments of no common period.
    for (const double later_by : kMoments) {
      Instant then = result.at;
      then.t += later_by;
      const LinearModel later = here(then);
      result.later_acceleration = std::max(result.later_acceleration, later.largest_acceleration);
      result.later_change = std::max(result.later_change, change_of(later, result));
    }
    result.is_equilibrium = result.is_equilibrium && result.later_acceleration <= 10.0 * allowed;
  }
  result.is_uniform = result.largest_acceleration <= allowed && result.later_acceleration <= 10.0 * allowed;
  result.is_steady = result.is_uniform && result.later_change <= kSame;
  return result;
}

LinearModel Linearization::at(const Instant& point) {
  Implementation& self = *implementation_;
  if (self.parameters.empty()) self.refuse_singular(point);
  using Choice = TurningAxes::Choice;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(self.nv);
  self.axes.choose(Choice::own, point.q, point.u, none);
  LinearModel result = self.examined(point);
  self.turn_axes(0.0);
  self.refuse_kinks(result.at);
  if (result.is_steady) return result;
  // In other axes the motion may be steady (axes.h): in those that take part in small turns or, where as many coordinates are ignorable,
  // in those that do not. A way that the constraints end is no reason to refuse the point.
  const std::vector<double> q = result.at.q, u = result.at.u;
  self.turn_axes(0.0);
  self.evaluate(result.at);
  Eigen::VectorXd udot, lambda;
  self.accelerate(udot, lambda);
  for (const Choice choice : {Choice::smallest, Choice::upright}) {
    if (!self.axes.choose(choice, q, u, udot) || !self.axes.turn()) continue;
    for (const bool apart : {false, true}) {
      self.apart = apart;
      try {
        LinearModel other = self.examined(result.at);
        if (other.is_steady && (!result.is_steady || other.ignorable.size() >= result.ignorable.size()))
          result = std::move(other);
      } catch (const InputError&) {
      }
    }
    if (result.is_steady) break;
  }
  self.apart = false;
  self.axes.choose(Choice::own, q, u, none);
  self.turn_axes(0.0);
  return result;
}

bool Linearization::depends_on_time() const { return implementation_->terms.depends_on_time; }

std::vector<std::string> Linearization::notes() const {
  const Implementation& self = *implementation_;
  std::vector<std::string> notes;
  if (!self.dry.empty())
    notes.push_back(
        fmt::format("dry friction is left out ({}): at rest it holds and has no slope, in motion it is a "
                    "constant force",
                    fmt::join(self.dry, ", ")));
  std::vector<std::string> by_direction;
  for (const describe::Joint& joint : self.model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      if (!(axis.friction.viscous_negative == axis.friction.viscous_positive))
        by_direction.push_back(axis.name);
  if (!by_direction.empty())
    notes.push_back(fmt::format(
        "viscous friction differs by direction ({}): at rest the slope is that of the positive one",
        fmt::join(by_direction, ", ")));
  if (!self.model.contact.pairs.empty()) notes.push_back("contact is left out");
  if (!self.model.contact.stops.empty())
    notes.push_back(
        "stops at joints' limits are left out: at one that is touched, only motions away from it");
  if (self.terms.depends_on_time)
    notes.push_back("the equations depend on time: this is their linear model at t");
  return notes;
}

}  // namespace tactus::simulate
