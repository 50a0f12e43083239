#include <tactus/device/simulated_cobot.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/device/fixture.h>
#include <tactus/device/hand_limits.h>

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
      off_(options.off),
      fixture_(options.fixture),
      sensing_(specification_.resolution, specification_.rate, 0.0),
      velocity_pole_(specification_.velocity_bandwidth > 0.0
                         ? std::exp(-specification_.velocity_bandwidth / specification_.rate)
                         : 0.0),
      sensor_(specification_, specification_.peak, {}, options.seed) {
  if (off_ == CobotOptions::Off::coasting) drive_.steer(options.steered, 0.0);
}

bool SimulatedCobot::enable() noexcept {
  stopped_.store(false, std::memory_order_relaxed);
  hold_still();
  state_ = State::enabled;
  return true;
}

void SimulatedCobot::disable() noexcept {
  if (state_ == State::off) return;
  if (off_ == CobotOptions::Off::locked) hold_still();
  now_ = next_ = {};
  state_ = State::off;
}

void SimulatedCobot::hold_still() noexcept {
  drive_.stand();
  handle_.V = {};
  now_ = next_ = {};
  memory_ = {};
}

Vector6 SimulatedCobot::hand_force(double t, const math::Pose<double>& X_WH) const noexcept {
  const Grip grip = hand_->grip(t, X_WH);
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(specification_.sensed, i)) F[i] = grip.wrench[i] - grip.damping[i / 3] * handle_.V[i];
  return F;
}

Vector6 SimulatedCobot::load(const Vector6& hand, const math::Pose<double>& X_WH,
                             const Vector6& A) const noexcept {
  const Vector6 hanging = fixture_wrench(fixture_, X_WH.R, handle_.V, A);
  Vector6 F{};
  for (std::size_t i = 0; i < 6; ++i)
    if (has_axis(specification_.sensed, i)) F[i] = hand[i] + hanging[i];
  return F;
}

void SimulatedCobot::sense_force() noexcept {
  const math::Pose<double> X_WH = handle_.pose();
  Vector6 A{};
  for (std::size_t i = 0; i < 6; ++i) A[i] = specification_.rate * (handle_.V[i] - V_before_[i]);
  sample_.F_H_W = sensor_.read(load(hand_force(sample_.t, X_WH), X_WH, A), X_WH.R, sample_.X_WH.R);
  V_before_ = handle_.V;
}

void SimulatedCobot::sense_motion() noexcept {
  sensing_.read(handle_, sample_);
  for (std::size_t i = 0; i < 6; ++i)
    sample_.V_WH[i] = V_seen_[i] = sample_.V_WH[i] + velocity_pole_ * (V_seen_[i] - sample_.V_WH[i]);
}

void SimulatedCobot::follow(double t, double h) noexcept {
  const math::Pose<double> X_WH = handle_.pose();
  const Vector6 F = hand_force(t, X_WH);
  Vector6 way = drive_.follow(now_, load(F, X_WH, {}), h);
  for (std::size_t i = 3; i < 6; ++i)
    if (const double end = specification_.workspace[i - 3]; end > 0.0)
      way[i] = std::clamp(handle_.p[i - 3] + way[i], -end, end) - handle_.p[i - 3];
  for (std::size_t i = 0; i < 6; ++i) hand_work_ += F[i] * way[i];
  handle_.move(way);
  handle_.V = drive_.V();
}

// The hand is asked for its force in the middle, as hand_limits.h has it. Where one axis is at its end, the
// drum stands, and all axes with it.
void SimulatedCobot::coast(double t, double h) noexcept {
  Vector6 half = handle_.V;
  for (double& x : half) x *= 0.5 * h;
  Handle middle = handle_;
  middle.move(half);
  const math::Pose<double> X_WH = middle.pose();
  const Vector6 F = hand_force(t + 0.5 * h, X_WH);
  double low = -std::numeric_limits<double>::infinity(), high = -low;  // [m] of the drum's surface
  const Vector6 along = drive_.direction();
  for (std::size_t i = 0; i < 3; ++i) {
    const double end = specification_.workspace[i], tangent = along[3 + i];
    if (!(end > 0.0) || tangent == 0.0) continue;
    const double up = (std::copysign(end, tangent) - handle_.p[i]) / tangent,
                 down = (-std::copysign(end, tangent) - handle_.p[i]) / tangent;
    low = std::max(low, std::min(down, 0.0));
    high = std::min(high, std::max(up, 0.0));
  }
  const Vector6 way = drive_.coast(load(F, X_WH, {}), h, low, high);
  for (std::size_t i = 0; i < 6; ++i) hand_work_ += F[i] * way[i];
  handle_.move(way);
  handle_.V = drive_.V();
}

// On, F moves what creeps, m_l, by (F/m_l) h in a substep, and the wheels' lag takes h/tau of it back: with
// s = K h^2/m_l and z = B h/m_l that is stable below s = 2 h/tau + 2 z and z = 2; half of the one is borne, six
// tenths of the other. Coasting, nothing is lighter than an axis, and the hand is asked in the middle.
HandLimits SimulatedCobot::hand_limits() const noexcept {
  constexpr double kDamped = 1.2;  // z
  const double h = servo_.period / kSubsteps;
  const CobotDriveOptions& o = drive_.options();
  HandLimits most;
  const std::array<double, 2> creeps = drive_.most_mobility(o.leak_mass),
                              coasts = drive_.most_mobility(o.axis_mass);
  for (std::size_t k = 0; k < 2; ++k) {
    if (o.leak_mass > 0.0) {
      most.stiffness[k] = 1.0 / (creeps[k] * h * o.lag);
      most.damping[k] = kDamped / (creeps[k] * h);
    }
    if (off_ == CobotOptions::Off::locked) continue;
    most.stiffness[k] = std::min(most.stiffness[k], kMostOfAStep / (coasts[k] * h * h));
    most.damping[k] = std::min(most.damping[k], kDamped / (coasts[k] * h));
  }
  return most;
}

bool SimulatedCobot::wait() noexcept {
  if (stopped_.load(std::memory_order_acquire)) disable();
  if (sample_.number > 0) {
    const double h = servo_.period / kSubsteps;
    for (int k = 0; k < kSubsteps; ++k) {
      if (state_ == State::enabled) follow(sample_.t + k * h, h);
      if (coasts()) coast(sample_.t + k * h, h);
    }
    now_ = next_;
  }
  sample_.t = static_cast<double>(sample_.number) / specification_.rate;
  ++sample_.number;
  sense_motion();
  sense_force();
  return true;
}

bool SimulatedCobot::read(Sample& sample) noexcept {
  if (sample_.number == 0) return false;
  sample = sample_;
  return true;
}

bool SimulatedCobot::command(const Command& command) noexcept {
  if (state_ == State::off) return false;
  if (!finite(command.X_WH) || !finite(command.V_WH)) {
    hold_still();
    return false;
  }
  next_ = servo_.acceleration(memory_, sample_, command);
  return true;
}

}  // namespace tactus::device
