#include <tactus/device/simulated_cobot.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>

namespace tactus::device {

namespace {

constexpr int kSubsteps = 4;  // of a period: the hand's force is held over one

Specification checked(Specification s) {
  if (!(s.rate > 0.0 && std::isfinite(s.rate)))
    throw InputError({}, fmt::format("device `{}`: the rate must be above 0", s.name),
                     "1000 Hz is what most devices have");
  return s;
}

}  // namespace

SimulatedCobot::SimulatedCobot(Specification specification, HandPointer hand, const CobotOptions& options)
    : specification_(checked(std::move(specification))),
      hand_(std::move(hand)),
      drive_(options.drive),
      servo_{options.servo, 1.0 / specification_.rate},
      noise_(options.noise),
      sensing_(specification_.resolution, specification_.rate, 0.0),
      velocity_pole_(specification_.velocity_bandwidth > 0.0
                         ? std::exp(-specification_.velocity_bandwidth / specification_.rate)
                         : 0.0),
      random_(options.seed) {}

bool SimulatedCobot::enable() noexcept {
  stopped_.store(false, std::memory_order_relaxed);
  hold_still();
  state_ = State::enabled;
  return true;
}

void SimulatedCobot::disable() noexcept {
  hold_still();
  state_ = State::off;
}

void SimulatedCobot::hold_still() noexcept {
  drive_.stand();
  handle_.V = {};
  now_ = next_ = {};
  memory_ = {};
}

Vector6 SimulatedCobot::hand_force(double t) const noexcept {
  const Grip grip = hand_->grip(t, handle_.pose());
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(specification_.sensed, i)) F[i] = grip.wrench[i] - grip.damping[i / 3] * handle_.V[i];
  return F;
}

void SimulatedCobot::sense_motion() noexcept {
  sensing_.read(handle_, sample_);
  for (std::size_t i = 0; i < 6; ++i)
    sample_.V_WH[i] = V_seen_[i] = sample_.V_WH[i] + velocity_pole_ * (V_seen_[i] - sample_.V_WH[i]);
}

bool SimulatedCobot::wait() noexcept {
  if (stopped_.load(std::memory_order_acquire)) disable();
  if (sample_.number > 0) {
    const double h = servo_.period / kSubsteps;
    for (int k = 0; k < kSubsteps && state_ == State::enabled; ++k) {
      const Vector6 F = hand_force(sample_.t + k * h);
      Vector6 way = drive_.follow(now_, F, h);
      for (std::size_t i = 3; i < 6; ++i)
        if (const double end = specification_.workspace[i - 3]; end > 0.0)
          way[i] = std::clamp(handle_.p[i - 3] + way[i], -end, end) - handle_.p[i - 3];
      for (std::size_t i = 0; i < 6; ++i) hand_work_ += F[i] * way[i];
      handle_.move(way);
      handle_.V = drive_.V();
    }
    now_ = next_;
  }
  sample_.t = static_cast<double>(sample_.number) / specification_.rate;
  ++sample_.number;
  sense_motion();
  const Vector6 F = hand_force(sample_.t);
  for (std::size_t i = 0; i < 6; ++i) {
    const double read = F[i] + noise_[i / 3] * random_.normal(), most = specification_.peak[i / 3];
    sample_.F_H_W[i] =
        quantised(most > 0.0 ? std::clamp(read, -most, most) : read, specification_.force_resolution[i / 3]);
  }
  return true;
}

bool SimulatedCobot::read(Sample& sample) noexcept {
  if (sample_.number == 0) return false;
  sample = sample_;
  return true;
}

bool SimulatedCobot::command(const Command& command) noexcept {
  if (state_ != State::enabled || !finite(command.X_WH) || !finite(command.V_WH)) {
    hold_still();
    return false;
  }
  next_ = servo_.acceleration(memory_, sample_, command);
  return true;
}

}  // namespace tactus::device
