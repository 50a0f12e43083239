// What goes to and fro, tick by tick: the work of hand and handle, and whether the loop makes energy.
#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/display/loop_parts.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

using control::Stage;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// As work_along(), of several wrenches along one way: the rotation vector and the way.
double work_of(const Vector6& F, const math::Vec3<double>& turned, const math::Vec3<double>& way) noexcept {
  return F[0] * turned.x + F[1] * turned.y + F[2] * turned.z + F[3] * way.x + F[4] * way.y + F[5] * way.z;
}

/// [W] By the device's own damping at V.
double burnt_by(const device::Specification& s, const Vector6& V) noexcept {
  double power = 0.0;
  for (std::size_t i = 0; i < 6; ++i)
    if (device::has_axis(s.sensed, i)) power += s.damping[i / 3] * V[i] * V[i];
  return power;
}

}  // namespace

void HapticLoop::book_handle() noexcept {
  // Held on the handle since the tick before: the last command, or an older one where the motors are late.
  sent_->push(safety_.memory().wrench, safety_.memory().own,
              teleoperation_ != nullptr ? teleoperation_->carried() : Vector6{});
  const auto late = static_cast<std::size_t>(std::lround(device_.specification().latency / period_));
  if (before_ && late < std::min(sent_->count, Sent::kMost)) {
    const math::Vec3<double> turned = math::rotation_vector(sample_.X_WH.R * R_before_.transposed()),
                             way = sample_.X_WH.p - p_before_;
    const std::size_t at = sent_->index(late);
    const double given = -work_of(sent_->wrench[at], turned, way);
    record_.out_of_handle += given;
    record_.guarded -= work_of(sent_->guard[at], turned, way);
    if (teleoperation_ == nullptr) {
      books_->from_hand(given);
      books_->burnt(period_ * burnt_by(device_.specification(), sample_.V_WH));
    }
    // Nobody senses the hand: its work is what the handle holds, burns and hands on, with what its motors did for itself left out.
    if (teleoperation_ != nullptr && !teleoperation_->senses_force())
      books_->from_hand(given + work_of(sent_->carried[at], turned, way) +
                        period_ * teleoperation_->burnt(sample_.V_WH) +
                        teleoperation_->kinetic(sample_.V_WH) - sent_->kinetic);
  }
  if (teleoperation_ != nullptr) sent_->kinetic = teleoperation_->kinetic(sample_.V_WH);
  p_before_ = sample_.X_WH.p;
  R_before_ = sample_.X_WH.R;
  before_ = true;
}

double HapticLoop::credit() noexcept {
  if (closed_) books_->mechanism(felt_energy(*view_, teleoperation_.get()), view_->age());
  // Four channels mask the handle's inertia and friction: their motors give and take what the hand does not. Where its wrench is sensed its own work is known.
  // Where a stiff coordination holds the handle it is reckoned by what the handle holds, burns and hands on.
  const bool known = teleoperation_ != nullptr &&
                     (device_.specification().force_sensor || teleoperation_->by_coordination());
  return (known ? books_->hand() : record_.out_of_handle) + books_->gift();
}

/// The work of the hand where its wrench is sensed or observed, by the rule of the trapezium along the sensed way.
void HapticLoop::book_hand(const Vector6& F_h) noexcept {
  if (hand_before_) {
    Vector6 mean{};
    for (std::size_t i = 0; i < 6; ++i) mean[i] = 0.5 * (F_before_[i] + F_h[i]);
    books_->from_hand(work_along(mean, {R_hand_, p_hand_}, sample_.X_WH));
  }
  p_hand_ = sample_.X_WH.p;
  R_hand_ = sample_.X_WH.R;
  F_before_ = F_h;
  hand_before_ = true;
}

void HapticLoop::audit() noexcept {
  if (!memory_.engaged || safety_.memory().stage == Stage::off) return;
  // Four channels let the hand's wrench and the motors' come on apart from each other: their books begin when both are there. Until then the most that any loop may make ends a run: a hand that
  // pushes through a clamp, or a ramp of minutes.
  if (teleoperation_ != nullptr && safety_.memory().stage == Stage::ramping) {
    made_in_ramp_ += books_->port() - books_->hand();
    record_.made = made_in_ramp_;
    safety_.observe_energy(made_in_ramp_, kInfinity, 0.0);
    books_->begin();
    sent_->work_begun = std::isfinite(view_->work()) ? view_->work() : 0.0;
    if (closed_) books_->mechanism(felt_energy(*view_, teleoperation_.get()), 0);
    return;
  }
  constexpr std::uint64_t kEvery =
      8;  // [ticks] the mechanism's energy is looked at: it costs as much as a small tick
  if (closed_ && sample_.number % kEvery == 0)
    books_->mechanism(felt_energy(*view_, teleoperation_.get()), view_->age());
  books_->close_tick();
  record_.made = books_->made();
  // A spring that stiffens while it is pressed, in the ramp of four channels and of a prescribed port, gives more than it got: what it holds at most. A coupler slips instead, and a proxy, and give no
  // more than they got: 30 N over the 60 N/m that two rates leave are 7 J, which would hide that a loop makes some.
  const bool stiffens = teleoperation_ != nullptr || prescribed_ != nullptr;
  for (std::size_t k = 0; k < 2 && stiffens; ++k) {
    const Vector6& F = record_.on_handle;
    const double squared = F[3 * k] * F[3 * k] + F[3 * k + 1] * F[3 * k + 1] + F[3 * k + 2] * F[3 * k + 2];
    if (const double K = coupler_.gains.stiffness[k]; K > 0.0) books_->stored(0.5 * squared / K);
  }
  // A hand that is observed is late, and takes what it does not know of dry friction for the hand's: its work is known to a few tenths. Where it is sensed, dry friction that is not masked moves handle and
  // port apart. However that is, no loop makes more than the most.
  constexpr double kObserved = 10.0;
  const bool observed = teleoperation_ != nullptr && !teleoperation_->exact();
  // The springs of a prescribed port slip by metres where it falls, and give back what they held: what they may have made by a moment has no most.
  const bool prescribed = prescribed_ != nullptr;
  const double held = prescribed ? safety_.limits().made_share * books_->turned() : 0.0;
  // What comes late makes energy that the device burns (energy_books.h). That has a most, too: a loop that
  // begins to swing after hours is found as soon.
  const double latency = device_.specification().latency, most = safety_.limits().made_most;
  const double by_latency = latency / (0.5 * period_ + latency) * books_->burnt();
  const double burnt = most > 0.0 ? std::min(by_latency, most) : by_latency;
  // The most is that of a minute; by what goes to and fro it is all that was made since forces came on.
  constexpr double kWindow = 60.0;  // [s]
  const double lately = books_->lately(static_cast<std::uint64_t>(std::lround(kWindow / period_)));
  const double room = observed ? kObserved : 1.0, stored = books_->most_stored() + held + burnt;
  const control::SafetyLimits& limits = safety_.limits();
  const double turned = prescribed ? 0.0 : books_->turned(),
               share = room * (limits.made + limits.made_share * turned + stored);
  if (limits.made > 0.0 && !(record_.made <= share))
    safety_.trip(control::Fault::unbalanced, {record_.made, share, "J"});
  safety_.observe_energy(lately, turned, stored, room);
  if (observed) safety_.observe_energy(lately, kInfinity, books_->most_stored());
}

}  // namespace tactus::display
