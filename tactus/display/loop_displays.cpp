// The ways in which a tick shows the mechanism to the hand: by a coupler, by a port that is led, by a proxy, by four channels, by motion.
#include <bit>
#include <cmath>

#include <tactus/control/fixture.h>
#include <tactus/control/passivity.h>
#include <tactus/display/loop_parts.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

namespace {

using control::Entry;
using control::Fault;
using control::Stage;

/// Of what goes to and fro. A mass that is swung takes and gives back the same: by the trapezium's rule it gives up to a thousandth more, and a damper that took these would be felt as blows.
constexpr double kRounded = 0.001;

}  // namespace

Vector6 HapticLoop::guard_wrench() noexcept {
  if (!(guarded_ || gave_up()) || safety_.memory().stage == Stage::off) return {};
  const device::HandleDynamics* const own = own_dynamics();
  const double slack = teleoperation_ != nullptr ? kRounded * books_->turned() : 0.0;
  return control::passivity_wrench(credit() + slack, sample_.V_WH,
                                   own != nullptr ? own->M : control::inertia_of(device_.specification()),
                                   period_, guard_share_);
}

namespace {

/// Whether a port goes faster along these axes than a handle may: it is not where its motion is prescribed.
bool faster_than(const std::array<double, 2>& speed, const Vector6& V, std::uint8_t axes) noexcept {
  for (std::size_t k = 0; k < 2; ++k) {
    double squared = 0.0;
    for (std::size_t i = 3 * k; i < 3 * k + 3; ++i)
      if (device::has_axis(axes, i)) squared += V[i] * V[i];
    if (speed[k] > 0.0 && !(squared <= speed[k] * speed[k])) return true;
  }
  return false;
}

}  // namespace

/// What the coupler is in this tick: as soft as the port asks for, and in the place in which it gives no more than may be given yet.
void HapticLoop::fit_coupler(const simulate::PortMotion& port) noexcept {
  // What went into the coupler, and did not come out again.
  const double paid = -books_->made_by_display();
  if (follower_ != nullptr) {
    if (follower_->due()) {
      control::Matrix6 L;
      view_->mobility(L);
      follower_->look(L);
    }
    if (follower_->wants(memory_.softness))
      memory_.softness = follower_->next(memory_.softness, coupler_.energy(memory_, sample_, port), paid);
    record_.softness = memory_.softness;
  }
  coupler_.come_on(memory_, sample_, port, safety_.next_share(), safety_.limits().force, period_, paid);
}

void HapticLoop::display_impedance() noexcept {
  book_handle();
  const simulate::PortMotion& port = view_->motion();
  if (memory_.engaged) fit_coupler(port);
  give(coupler_.wrench(memory_, sample_, port, safety_.next_share()), guard_wrench(), Entry::by_itself);
}

void HapticLoop::display_prescribed() noexcept {
  Prescribed& own = *prescribed_;
  if (own.given_up) {
    record_.resisted = std::popcount(coupler_.axes);
    return display_impedance();
  }
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  // The weld goes by estimates that are late. Where the books show that it makes energy, a coupler takes over, from where handle and port are, and a damper takes back what was made.
  constexpr double kShare =
      0.5;  // of what would end the run: below that encoder steps shake the handle, and the device burns it
  if (const control::SafetyLimits& limits = safety_.limits();
      (limits.made > 0.0 &&
       books_->made_by_display() > kShare * (limits.made + limits.made_share * books_->turned())) ||
      faster_than(limits.speed, view_->motion().V_WP, own.law.gains.axes)) {
    own.given_up = true;
    coupler_ = {own.instead, own.coupler.axes};
    coupler_.engage(memory_, sample_, view_->motion());
    record_.resisted = std::popcount(coupler_.axes);
    return give({}, guard_wrench(), Entry::by_itself);
  }
  view_->look({}, own.port, own.directions);
  if (!control::finite(own.port)) return no_number();
  const Vector6 wanted = own.law.wanted(own.memory, sample_, own.port.motion);
  // The reaction comes on by a share of itself, the coupler along the rest by slipping: its springs have their whole stiffness.
  own.coupler.come_on(own.memory.place, sample_, own.port.motion, safety_.next_share(),
                      safety_.limits().force, period_, -books_->made_by_display());
  const double share = safety_.next_share();
  Vector6 held = own.coupler.wrench(own.memory.place, sample_, own.port.motion, share);
  for (double& f : held) f /= share;
  for (const double weight : own.directions.weight)
    record_.resisted += weight > 0.5;  // more coupler than weld
  // A singular position, and nothing that holds the handle in it: no force is right.
  const control::CouplerGains& by = own.coupler.gains;
  if (by.stiffness[0] + by.stiffness[1] == 0.0 && !own.law.follows(own.directions))
    return safety_.trip(Fault::singular);
  Vector6 F = own.law.reaction(own.port, wanted, own.directions, own.M_d, held);
  for (double& f : F) f *= share;
  // A force that may shrink no faster than it grows pushes what has turned round already, and makes energy: it shrinks at once, as a coupler's.
  give(F, guard_wrench(), Entry::by_itself);
}

void HapticLoop::display_proxy() noexcept {
  book_handle();
  const Vector6 guard = guard_wrench();
  step_mechanism({});
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  const control::Proxy proxy{proxy_->stiffness, proxy_->faces};
  proxy.follow(proxy_->memory, sample_.X_WH.p + memory_.d);
  // Its spring is a coupler's between the handle and the proxy: it comes on by slipping, and yields to the clamps, as that does.
  const auto axes = static_cast<std::uint8_t>(device_.specification().actuated & device::kTranslation);
  const control::Coupler spring{{{0.0, proxy_->stiffness}, {}}, axes};
  simulate::PortMotion held;
  held.X_WP.p = proxy_->memory.p;
  spring.come_on(memory_, sample_, held, safety_.next_share(), safety_.limits().force, period_,
                 -books_->made_by_display());
  const math::Vec3<double> F = proxy.force(proxy_->memory, sample_.X_WH.p + memory_.d);
  Vector6 wanted{};
  for (std::size_t i = 0; i < 3; ++i)
    if (device::has_axis(axes, 3 + i)) wanted[3 + i] = F[i];
  const Vector6 on_handle = safety_.limited(wanted, guard, Entry::by_itself);
  if (safety_.faulted()) return;
  if (Vector6 taken = safety_.memory().taken; taken != Vector6{}) {
    for (double& f : taken) f = -f;
    spring.yield(memory_, sample_, held, taken);
  }
  record_.on_handle = on_handle;
  record_.p_P = proxy_->memory.p;
  command({.wrench = on_handle, .X_WH = {}});
}

/// F goes to the port and its opposite to the handle, as far as the limits let it; the guard's damper, which stands on the ground, to the handle alone, within
/// what they leave.
void HapticLoop::give(const Vector6& F, const Vector6& guard, Entry entry) noexcept {
  Vector6 wanted{};
  for (std::size_t i = 0; i < 6; ++i) wanted[i] = -F[i];
  const Vector6 on_handle = safety_.limited(wanted, guard, entry);
  Vector6 on_port{}, taken{};
  for (std::size_t i = 0; i < 6; ++i) {
    on_port[i] = -safety_.memory().own[i];
    taken[i] = -safety_.memory().taken[i];
  }
  if (entry == Entry::by_itself && taken != Vector6{}) {
    if (prescribed_ != nullptr && !prescribed_->given_up)
      prescribed_->coupler.yield(prescribed_->memory.place, sample_, view_->motion(), taken);
    else
      coupler_.yield(memory_, sample_, view_->motion(), taken);
  }
  step_mechanism(on_port);
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::teleoperate() noexcept {
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  // What went into the mechanism and no hand gave is taken back where it is. A little of it comes and goes: handle and port are apart by what the hand's wrench changes within a period.
  constexpr double kShare = 0.1;  // of what would end the run by another controller
  const control::SafetyLimits& limits = safety_.limits();
  // Where the hand is sensed its work is known to what a trapezium's rule rounds.
  const double slack = teleoperation_->senses_force()
                           ? kRounded * books_->turned()
                           : kShare * (limits.made + limits.made_share * books_->turned());
  const bool by_itself = teleoperation_->by_coordination();  // a coupler's spring
  double surplus = books_->made_by_display();
  if (surplus > 0.0) surplus = guarded_ ? std::max(0.0, surplus - slack) : 0.0;
  teleoperation_->look(*view_, sample_, own_dynamics(), safety_.memory().wrench,
                       by_itself ? safety_.next_share() : safety_.share(),
                       surplus / teleoperation_->power_scale(), limits.force);
  if (!control::finite(teleoperation_->port_state())) return no_number();
  if (teleoperation_->senses_force()) book_hand(teleoperation_->hand());
  step_mechanism(teleoperation_->on_port());
  if (safety_.faulted()) return;
  teleoperation_->stepped(*view_);
  // Where the hand is sensed the port is braked alone, and the handle follows it: a damper on the handle would hold it where the port goes on with the hand's wrench, which gives no work there, and the port
  // is fed by all of it. What makes energy at the handle alone, penalties that are too stiff, no brake of the port takes back: for that the handle has to be asked for.
  const Vector6 guard = teleoperation_->senses_force() && !handle_guarded_ ? Vector6{} : guard_wrench();
  const Vector6 on_handle = safety_.limited(teleoperation_->on_handle(safety_.limits().force), guard,
                                            by_itself ? Entry::by_itself : Entry::ramped);
  if (safety_.faulted()) return;
  record_.resisted = teleoperation_->resisted().count;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

/// What went into the mechanism and the hand did not give, nor will for the way that the servo is behind, a damper on the port takes back.
Vector6 HapticLoop::admittance_brake(const Vector6& F_h) noexcept {
  if (!memory_.engaged || safety_.memory().stage == Stage::off) return {};
  const simulate::PortMotion& port = view_->motion();
  const math::Pose<double> to{port.X_WP.R * memory_.R_HP.transposed(), port.X_WP.p - memory_.d};
  const double surplus = books_->made_by_display() - std::max(0.0, work_along(F_h, sample_.X_WH, to)) -
                         kRounded * books_->turned();
  if (!(surplus > 0.0)) return {};
  control::Matrix6 L, M = control::inertia_of(device_.specification());
  view_->mobility(L);
  for (std::size_t i = 0; i < 6 && kept_ != nullptr; ++i) M[7 * i] = kept_->least[i / 3];
  Vector6 F = control::port_brake(surplus, port.V_WP, M, L, period_);
  for (std::size_t i = 0; i < 6; ++i)
    if (!device::has_axis(device_.specification().actuated, i)) F[i] = 0.0;
  return F;
}

void HapticLoop::display_admittance() noexcept {
  // The hand's part of what is sensed.
  Vector6 F_h = sample_.F_H_W;
  if (fixture_ != nullptr) {
    const Vector6 own = control::fixture_wrench(*fixture_, sample_.X_WH.R, sample_.V_WH, A_commanded_);
    for (std::size_t i = 0; i < 6; ++i) F_h[i] -= own[i];
    record_.F_H = F_h;
  }
  A_commanded_ = {};
  const double before = books_->hand();
  book_hand(F_h);
  record_.out_of_handle += books_->hand() - before;
  // What the hand gives acts at once: with a share of it the hand would work with F_h where the mechanism gets less, and the rest would come from nowhere. What
  // ramps up is what the mechanism gives: its weight.
  Vector6 on_port = safety_.limited(F_h, {}, Entry::sensed);
  if (guarded_) {
    const Vector6 brake = admittance_brake(F_h);
    for (std::size_t i = 0; i < 6; ++i) on_port[i] += brake[i];
  }
  step_mechanism(on_port);
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  // Handle and port stand to each other as they did when the display began.
  const simulate::PortMotion& port = view_->motion();
  const math::Mat3<double> R_to = port.X_WP.R * memory_.R_HP.transposed();
  // A servo comes after the port: what the hand has still to give for the way between them is no energy from nowhere. Angles have a bound that costs no arc,
  // angle <= pi sin(angle/2) with 4 sin^2(angle/2) = 3 - trace: only where that is more than there was already is it found.
  const math::Vec3<double> behind = port.X_WP.p - memory_.d - sample_.X_WH.p,
                           F{on_port[3], on_port[4], on_port[5]}, M{on_port[0], on_port[1], on_port[2]};
  double trace = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) trace += R_to(i, j) * sample_.X_WH.R(i, j);
  constexpr double kHalfPi = 1.5707963267948966;
  const double pushed = std::sqrt(dot(F, F) * dot(behind, behind)), turning = std::sqrt(dot(M, M));
  if (!(pushed + turning * kHalfPi * std::sqrt(std::max(0.0, 3.0 - trace)) <= books_->most_stored())) {
    const math::Vec3<double> twisted = math::rotation_vector(R_to * sample_.X_WH.R.transposed());
    books_->stored(pushed + turning * std::sqrt(dot(twisted, twisted)));
  }
  // The wrench of this tick is sensed where it began, and the motion is shown where it ends: one period later.
  device::Command to;
  to.X_WH = {R_to, port.X_WP.p - memory_.d};
  to.V_WH = port.V_WP;
  for (std::size_t i = 0; i < 6; ++i) A_commanded_[i] = (port.V_WP[i] - record_.V_P[i]) / period_;
  if (guarded_) {
    // A period until the motion is there, and one until it is sensed.
    const control::Yielding yielding{.periods = 2.0 + device_.specification().latency / period_};
    const Vector6& more = control::passivity_motion(sent_->yield, yielding, credit(), F_h, period_);
    for (std::size_t i = 0; i < 6; ++i) {
      to.V_WH[i] += more[i];
      record_.guarded += period_ * F_h[i] * more[i];
    }
    // The handle stays where it yielded to.
    const math::Vec3<double> way{period_ * more[3], period_ * more[4], period_ * more[5]};
    memory_.d = memory_.d - way;
    const math::Mat3<double> back =
        math::rotation_of(math::exponential({-period_ * more[0], -period_ * more[1], -period_ * more[2]}));
    memory_.R_HP = memory_.R_HP * port.X_WP.R.transposed() * back * port.X_WP.R;
  }
  safety_.observe_motion(to.X_WH, to.V_WH);
  if (!safety_.faulted()) command(to);
}

}  // namespace tactus::display
