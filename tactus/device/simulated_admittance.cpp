#include <tactus/device/simulated_admittance.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/fixture.h>

namespace tactus::device {

namespace {

constexpr int kSubsteps = 4;  // of a period: the hand's force is held over one

Specification checked(Specification s, const Servo& servo) {
  if (!(s.rate > 0.0 && std::isfinite(s.rate)))
    throw InputError({}, fmt::format("device `{}`: the rate must be above 0", s.name),
                     "1000 Hz is what most devices have");
  if (!(servo.bandwidth > 0.0 && std::isfinite(servo.bandwidth)))
    throw InputError({}, fmt::format("device `{}`: the servo's bandwidth must be above 0", s.name),
                     "some hundred rad/s is usual");
  return s;
}

math::Quaternion<double> conjugate(const math::Quaternion<double>& q) { return {q.w, -q.x, -q.y, -q.z}; }

}  // namespace

SimulatedAdmittance::SimulatedAdmittance(Specification specification, HandPointer hand, const Servo& servo)
    : specification_(checked(std::move(specification), servo)),
      hand_(std::move(hand)),
      servo_(servo),
      sensing_(specification_.resolution, specification_.rate, specification_.velocity_bandwidth),
      sensor_(specification_, specification_.peak, servo.bias, servo.seed) {}

bool SimulatedAdmittance::enable() noexcept {
  stopped_.store(false, std::memory_order_relaxed);
  hold_still();
  state_ = State::enabled;
  return true;
}

void SimulatedAdmittance::disable() noexcept {
  hold_still();
  state_ = State::off;
}

void SimulatedAdmittance::hold_still() noexcept {
  commanded_ = handle_;
  commanded_.V = {};
}

bool SimulatedAdmittance::wait() noexcept {
  if (stopped_.load(std::memory_order_acquire)) disable();
  if (sample_.number > 0) {
    const double period = 1.0 / specification_.rate, h = period / kSubsteps;
    for (int i = 0; i < kSubsteps; ++i) advance(sample_.t + i * h, i * h, h);
    commanded_ = target(period);  // goes on where no new command comes
  }
  sample_.t = static_cast<double>(sample_.number) / specification_.rate;
  ++sample_.number;
  sensing_.read(handle_, sample_);
  sense_force();
  return true;
}

HandLimits SimulatedAdmittance::hand_limits() const noexcept {
  const double h = 1.0 / (specification_.rate * kSubsteps), keep = std::exp(-servo_.bandwidth * h);
  HandLimits most;
  for (std::size_t k = 0; k < 2; ++k)
    if (const double yields = (1.0 - keep) * servo_.compliance[k]; yields > 0.0) {
      most.stiffness[k] = 0.25 * (1.0 + keep) / yields;
      most.damping[k] = 0.3 * (1.0 + keep) * h / yields;
    }
  return most;
}

Handle SimulatedAdmittance::target(double since) const noexcept {
  Handle at = commanded_;
  Vector6 way = commanded_.V;
  for (double& x : way) x *= since;
  at.move(way);
  return at;
}

void SimulatedAdmittance::advance(double t, double since, double h) noexcept {
  const Grip grip = hand_->grip(t, handle_.pose());
  const Handle from = target(since), to = target(since + h);
  const math::Vec3<double> theta = math::rotation_vector(handle_.orientation * conjugate(from.orientation)),
                           away = handle_.p - from.p;
  const double keep = std::exp(-servo_.bandwidth * h);
  Vector6 e{}, force{};
  for (std::size_t i = 0; i < 6; ++i) {
    if (!has_axis(specification_.sensed, i)) continue;
    force[i] = grip.wrench[i] - grip.damping[i / 3] * handle_.V[i];
    const double pushed = servo_.compliance[i / 3] * force[i];
    e[i] = pushed + ((i < 3 ? theta[i] : away[i - 3]) - pushed) * keep;
  }
  Handle next = to;
  next.move(e);
  const math::Vec3<double> turned = math::rotation_vector(next.orientation * conjugate(handle_.orientation)),
                           way = next.p - handle_.p;
  for (std::size_t i = 0; i < 6; ++i) {
    const double moved = i < 3 ? turned[i] : way[i - 3];
    next.V[i] = moved / h;
    hand_work_ += force[i] * moved;
  }
  handle_ = next;
}

void SimulatedAdmittance::sense_force() noexcept {
  const math::Pose<double> X_WH = handle_.pose();
  const Grip grip = hand_->grip(sample_.t, X_WH);
  Vector6 A{}, F{};
  for (std::size_t i = 0; i < 6; ++i) A[i] = specification_.rate * (handle_.V[i] - V_before_[i]);
  const Vector6 hanging = fixture_wrench(servo_.fixture, X_WH.R, handle_.V, A);
  for (std::size_t i = 0; i < 6; ++i) F[i] = grip.wrench[i] - grip.damping[i / 3] * handle_.V[i] + hanging[i];
  sample_.F_H_W = sensor_.read(F, X_WH.R, sample_.X_WH.R);
  V_before_ = handle_.V;
}

bool SimulatedAdmittance::read(Sample& sample) noexcept {
  if (sample_.number == 0) return false;
  sample = sample_;
  return true;
}

bool SimulatedAdmittance::command(const Command& command) noexcept {
  if (state_ != State::enabled || !finite(command.X_WH) || !finite(command.V_WH)) {
    hold_still();
    return false;
  }
  // Axes that it does not have stay where they are.
  math::Vec3<double> theta = math::rotation_vector(command.X_WH.R);
  const bool turns_freely = has_axis(specification_.actuated, 0) && has_axis(specification_.actuated, 1) &&
                            has_axis(specification_.actuated, 2);
  const math::Vec3<double> own =
      turns_freely ? math::Vec3<double>{} : math::rotation_vector(handle_.orientation);
  for (std::size_t i = 0; i < 6; ++i) {
    const bool has = has_axis(specification_.actuated, i);
    commanded_.V[i] = has && servo_.leads ? command.V_WH[i] : 0.0;
    if (i < 3) {
      if (!has) theta[i] = own[i];
      continue;
    }
    double& p = commanded_.p[i - 3];
    p = has ? command.X_WH.p[i - 3] : handle_.p[i - 3];
    if (const double end = specification_.workspace[i - 3]; end > 0.0) p = std::clamp(p, -end, end);
  }
  commanded_.orientation = math::exponential(theta);
  return true;
}

}  // namespace tactus::device
