#include <tactus/device/simulated_impedance.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/axis_flow.h>
#include <tactus/device/hand_limits.h>
#include <tactus/device/saturation.h>

namespace tactus::device {

namespace {

/// Of a period: with a hand of 1000 N/m at 0.1 kg and 1 kHz the error of a substep is below 1e-6 of its way.
constexpr int kSubsteps = 8;

Specification checked(Specification s) {
  if (!(s.rate > 0.0 && std::isfinite(s.rate)))
    throw InputError({}, fmt::format("device `{}`: the rate must be above 0", s.name),
                     "1000 Hz is what most devices have");
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(s.sensed, i) && !(s.inertia[i / 3] > 0.0))
      throw InputError({}, fmt::format("device `{}`: an axis that moves has no inertia", s.name),
                       "give `inertia` for rotation [kg m^2] and translation [kg]");
  if (!CommandDelay::bears(s.latency, s.rate))
    throw InputError({},
                     fmt::format("device `{}`: a latency of {:g} s at {:g} Hz", s.name, s.latency, s.rate),
                     fmt::format("between 0 and {} periods", CommandDelay::kMost));
  return s;
}

}  // namespace

SimulatedImpedance::SimulatedImpedance(Specification specification, HandPointer hand, const Vector6& bias,
                                       std::uint64_t seed)
    : specification_(checked(std::move(specification))),
      hand_(std::move(hand)),
      sensing_(specification_.resolution, specification_.rate, specification_.velocity_bandwidth),
      sensor_(specification_, {}, bias, seed),
      coming_(specification_.latency, specification_.rate) {}

bool SimulatedImpedance::enable() noexcept {
  stopped_.store(false, std::memory_order_relaxed);
  state_ = State::enabled;
  return true;
}

void SimulatedImpedance::disable() noexcept {
  state_ = State::off;
  coming_.forget();
}

bool SimulatedImpedance::wait() noexcept {
  if (stopped_.load(std::memory_order_acquire)) disable();
  if (sample_.number > 0) {
    const double period = 1.0 / specification_.rate, h = period / kSubsteps;
    const Vector6 motors = coming_.due();
    for (int i = 0; i < kSubsteps; ++i) advance(motors, sample_.t + i * h, h);
    coming_.next();
  }
  sample_.t = static_cast<double>(sample_.number) / specification_.rate;
  ++sample_.number;
  sensing_.read(handle_, sample_);
  if (specification_.force_sensor) sense_force();
  return true;
}

HandLimits SimulatedImpedance::hand_limits() const noexcept {
  const double h = 1.0 / (specification_.rate * kSubsteps);
  HandLimits most;
  for (std::size_t k = 0; k < 2; ++k)
    if (specification_.inertia[k] > 0.0)
      most.stiffness[k] = kMostOfAStep * specification_.inertia[k] / (h * h);
  return most;
}

void SimulatedImpedance::sense_force() noexcept {
  const math::Pose<double> X_WH = handle_.pose();
  const Grip grip = hand_->grip(sample_.t, X_WH);
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i) F[i] = grip.wrench[i] - grip.damping[i / 3] * handle_.V[i];
  sample_.F_H_W = sensor_.read(F, X_WH.R, sample_.X_WH.R);
}

void SimulatedImpedance::advance(const Vector6& motors, double t, double h) noexcept {
  Vector6 half = handle_.V;
  for (double& way : half) way *= 0.5 * h;
  Handle middle = handle_;
  middle.move(half);
  const Grip grip = hand_->grip(t + 0.5 * h, middle.pose());

  Vector6 way{};
  math::Vec3<double> at_end{};  // [m] where the workspace ends; 0: not there
  for (std::size_t i = 0; i < 6; ++i) {
    if (!has_axis(specification_.sensed, i)) continue;
    const std::size_t k = i / 3;
    const Axis axis{specification_.inertia[k], specification_.damping[k] + grip.damping[k],
                    specification_.friction[k]};
    const double all = motors[i] + grip.wrench[i];
    const double end = i < 3 ? 0.0 : specification_.workspace[i - 3];
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    if (end > 0.0) {
      low = std::min(-end - handle_.p[i - 3], 0.0);
      high = std::max(end - handle_.p[i - 3], 0.0);
    }
    const AxisMotion motion = flow_between(axis, all, handle_.V[i], h, low, high);
    if (end > 0.0 && motion.way == low) at_end[i - 3] = -end;
    if (end > 0.0 && motion.way == high) at_end[i - 3] = end;
    way[i] = motion.way;
    hand_work_ += grip.wrench[i] * way[i];
    // The hand's damping takes its part of what viscous friction burns.
    if (grip.damping[k] > 0.0)
      hand_work_ -= grip.damping[k] / axis.damping * viscous_loss(axis, all, handle_.V[i], motion);
    handle_.V[i] = motion.speed;
  }
  handle_.move(way);
  for (std::size_t i = 0; i < 3; ++i)
    if (at_end[i] != 0.0) handle_.p[i] = at_end[i];
}

bool SimulatedImpedance::read(Sample& sample) noexcept {
  if (sample_.number == 0) return false;
  sample = sample_;
  return true;
}

bool SimulatedImpedance::command(const Command& command) noexcept {
  const bool does = state_ == State::enabled && finite(command.wrench);
  if (does)
    coming_.give(saturated(specification_, command.wrench));
  else
    coming_.forget();
  return does;
}

}  // namespace tactus::device
