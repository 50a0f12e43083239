#include <tactus/serve/live/leader.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/arm/path.h>

namespace tactus::serve {

namespace {

constexpr double kTurn = 0.5, kSlide = 0.1;  // [rad], [m] of a slew
constexpr double kRest = 0.25;               // of a slew's time, at either end
constexpr double kFromTheEnd = 0.05;         // of its way, that a slew keeps from a joint's end

}  // namespace

std::string_view name_of(Target target) {
  return target == Target::stand ? "stand" : target == Target::slew ? "slew" : "hand";
}

std::optional<NotLed> not_led(const Work& work) {
  const describe::Model& model = work.model;
  if (!model.constraints.empty())
    return NotLed{"This mechanism has constraints: its joints cannot be led one by one.",
                  "Laws for it work by projection (docs/control.md); choose an open chain here."};
  if (model.speeds.definition != describe::Speeds::Definition::joint_rates)
    return NotLed{"This model defines speeds of its own: the laws lead joint rates.",
                  "Leave out `speeds` in its file."};
  const std::size_t nq = work.mechanism->nq(), nv = work.mechanism->nv();
  if (nv == 0) return NotLed{"Nothing moves here.", "Choose a model with joints."};
  if (nq != nv)
    return NotLed{"It has joints with more coordinates than speeds (free or spherical): no motor turns them.",
                  "Describe them by revolute and prismatic joints."};
  for (const describe::Joint& joint : model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      if (axis.passive)
        return NotLed{fmt::format("Joint `{}` has no motor.", axis.name),
                      "Leave out `passive` in its file, or choose an arm with a motor at every joint."};
  if (nv > Leader::kMost)
    return NotLed{fmt::format("It has {} joints; the laws are derived for {} at most.", nv, Leader::kMost),
                  "Choose a shorter chain."};
  if (work.rig != nullptr)
    return NotLed{"A device holds it, with a controller of its own.",
                  "Choose the mouse as the device (panel Motion)."};
  return std::nullopt;
}

Leader::Leader(const describe::Model& known, const LeadWish& wish, double period)
    : wish_(wish),
      law_(known, {.law = wish.law,
                   .poles = {control::PolePair::complex(wish.re, wish.im)},
                   .period = period,
                   .limits = true}),
      n_(law_.joints()) {
  if (n_ > kMost)
    throw InputError({known.file}, fmt::format("{} joints are too many to be led here", n_),
                     fmt::format("{} at most", kMost));
  constexpr double kFar = std::numeric_limits<double>::infinity();
  std::size_t i = 0;
  for (const describe::Joint& joint : known.joints)
    for (const describe::JointAxis& axis : joint.axes) {
      if (i == n_) break;
      lower_[i] = axis.lower ? describe::value_of(known, *axis.lower) : -kFar;
      upper_[i] = axis.upper ? describe::value_of(known, *axis.upper) : kFar;
      amplitude_[i] = axis.is_rotation ? kTurn : kSlide;
      dry_forward_[i] = describe::value_of(known, axis.friction.coulomb_positive);
      dry_back_[i] = describe::value_of(known, axis.friction.coulomb_negative);
      ++i;
    }
}

void Leader::begin(const simulate::State& state) noexcept {
  begun_ = true;
  begin_ = state.t;
  for (std::size_t i = 0; i < n_; ++i) {
    from_[i] = wanted_[i] = state.q[i];
    rate_[i] = acceleration_[i] = largest_[i] = 0.0;
    // The way on which it stays off the joint's ends; as much of it as there is room for.
    const double margin = kFromTheEnd * amplitude_[i];
    const double up = std::min(amplitude_[i], upper_[i] - margin - from_[i]);
    const double down = std::min(amplitude_[i], from_[i] - lower_[i] - margin);
    to_[i] =
        up >= amplitude_[i] || up >= down ? from_[i] + std::max(up, 0.0) : from_[i] - std::max(down, 0.0);
  }
}

void Leader::aim(Target target, double seconds, const simulate::State& state) noexcept {
  wish_.target = target;
  wish_.seconds = seconds;
  begin(state);
}

void Leader::want(const simulate::State& state, bool held) noexcept {
  if (!begun_) begin(state);
  if (wish_.target == Target::hand && held)
    for (std::size_t i = 0; i < n_; ++i) from_[i] = state.q[i];
  if (wish_.target != Target::slew) {
    for (std::size_t i = 0; i < n_; ++i) {
      wanted_[i] = from_[i];
      rate_[i] = acceleration_[i] = 0.0;
    }
    return;
  }
  const double way = wish_.seconds, half = (1.0 + kRest) * way;
  const double phase = std::fmod(state.t - begin_, 2.0 * half);
  const bool back = phase >= half;
  const control::Course course = control::least_jerk(back ? phase - half : phase, way);
  const double sign = back ? -1.0 : 1.0, x = back ? 1.0 - course.x : course.x;
  for (std::size_t i = 0; i < n_; ++i) {
    const double length = to_[i] - from_[i];
    wanted_[i] = from_[i] + x * length;
    rate_[i] = sign * course.rate * length;
    acceleration_[i] = sign * course.acceleration * length;
  }
}

/// The law takes Coulomb's friction whole, also of a joint that shall rest: it would stand where it just breaks away (as in
/// control/arm/arm_device.cpp).
double Leader::too_much_friction(std::size_t joint) const noexcept {
  constexpr double kSlow = 2e-3;  // [rad/s, m/s] from here on all of it
  const double rate = rate_[joint];
  if (wish_.law == control::ArmLaw::gravity || std::abs(rate) >= kSlow) return 0.0;
  return (1.0 - std::abs(rate) / kSlow) * (rate >= 0.0 ? dry_forward_[joint] : -dry_back_[joint]);
}

std::span<const double> Leader::forces(const simulate::State& state, bool held) noexcept {
  if (!on_) return {};
  want(state, held);
  for (std::size_t i = 0; i < n_; ++i) besides_[i] = -too_much_friction(i);
  const auto row = [&](const Row& values) { return std::span<const double>(values.data(), n_); };
  if (!law_.torque(state.t, {state.q.data(), n_}, {state.u.data(), n_}, row(wanted_), row(rate_),
                   row(acceleration_), {tau_.data(), n_}, row(besides_))) {
    on_ = false;
    return {};
  }
  for (std::size_t i = 0; i < n_; ++i) {
    error_[i] = state.q[i] - wanted_[i];
    largest_[i] = std::max(largest_[i], std::abs(error_[i]));
  }
  return row(tau_);
}

}  // namespace tactus::serve
