// The tick of a haptic loop, and how it is switched on and off.
#include <tactus/display/loop.h>

#include <cmath>

#include <tactus/control/coupler_follow.h>
#include <tactus/display/loop_parts.h>
#include <tactus/math/decompositions.h>

namespace tactus::display {

using control::Fault;
using control::Stage;

bool HapticLoop::gave_up() const noexcept { return prescribed_ != nullptr && prescribed_->given_up; }

/// Faulted or off, the device is off already. One that is on would keep its last wrench: nothing is commanded
/// while the loop is off.
void HapticLoop::clear() noexcept {
  if (safety_.faulted())
    recovered_ = view_->recover();
  else if (safety_.memory().stage != Stage::off)
    disable();
  safety_.clear();
}

bool HapticLoop::enable() noexcept {
  if (safety_.faulted()) return false;
  if (safety_.memory().stage != Stage::off) return true;  // coupled anew it would jump
  if (!recovered_) recovered_ = view_->wake() && view_->recover();
  if (!recovered_ || !device_.enable()) return false;
  // The mechanism is a thread's again where nothing else refuses.
  if (!view_->wake()) {
    device_.disable();
    return false;
  }
  memory_.engaged = false;
  sent_->yield = {};
  before_ = hand_before_ = false;
  sent_->count = 0;
  return safety_.enable();
}

void HapticLoop::disable() noexcept {
  safety_.disable();
  memory_.engaged = false;
  device_.disable();
}

bool HapticLoop::rest(double patience) noexcept {
  disable();
  return view_->rest(patience);
}

void HapticLoop::beside(std::span<const simulate::PortWrench> wrenches) noexcept {
  if (!wrenches.empty()) share_mechanism();
  view_->beside(wrenches);
}

bool HapticLoop::tick(double elapsed) noexcept {
  record_.events = record_.resisted = 0;
  record_.status = {};
  record_.on_handle = record_.on_port = {};
  asked_ = Asked::not_yet;
  answers_.count = 0;
  if (!device_.read(sample_))
    safety_.trip(or_watchdog(Fault::no_sample));
  else
    safety_.observe(sample_, elapsed);

  if (!safety_.faulted()) {
    const simulate::PortMotion port = view_->begin();
    if (const SimulationAnswers* const came = view_->answers()) answers_ = *came;
    record_.age = static_cast<int>(view_->age());
    record_.left_out = view_->left_out();
    record_.t = sample_.t;
    record_.p_H = sample_.X_WH.p;
    record_.R_H = sample_.X_WH.R;
    record_.V_H = sample_.V_WH;
    record_.F_H = sample_.F_H_W;
    record_.R_P = port.X_WP.R;
    record_.p_P = port.X_WP.p;
    record_.V_P = port.V_WP;
    if (safety_.memory().stage != Stage::off && !memory_.engaged) {
      coupler_.engage(memory_, sample_, port);
      books_->begin();
      made_in_ramp_ = 0.0;
      sent_->work_begun = std::isfinite(view_->work()) ? view_->work() : 0.0;
      if (closed_) books_->mechanism(felt_energy(*view_, teleoperation_.get()), 0);
      find_support(port);
      if (teleoperation_ != nullptr) teleoperation_->engage(sample_, port);
      if (prescribed_ != nullptr) {
        prescribed_->law.engage(prescribed_->memory, sample_, port);
        prescribed_->given_up = false;
      }
      if (proxy_ != nullptr) proxy_->memory = {.p = sample_.X_WH.p + memory_.d, .held = 0};
    }
    observe_distance(port);
    if (!safety_.faulted()) display();
    if (!safety_.faulted()) audit();
  }
  if (safety_.faulted()) safe_state();
  record_.stage = safety_.memory().stage;
  record_.fault = safety_.memory().fault;
  return !safety_.faulted();
}

const SimulationAnswers* HapticLoop::answers() const noexcept {
  return view_->answers() != nullptr ? &answers_ : nullptr;
}

void HapticLoop::answer(const SimulationAnswers& answers) noexcept { view_->answer(answers); }

void HapticLoop::rehearse() noexcept {
  if (!safety_.faulted()) view_->rehearse(record_.on_port);
}

void HapticLoop::display() noexcept {
  if (admittance_)
    display_admittance();
  else if (teleoperation_ != nullptr)
    teleoperate();
  else if (prescribed_ != nullptr)
    display_prescribed();
  else if (proxy_ != nullptr)
    display_proxy();
  else
    display_impedance();
}

/// Since they were coupled; a proxy's mechanism goes its own way.
void HapticLoop::observe_distance(const simulate::PortMotion& port) noexcept {
  if (!memory_.engaged || safety_.memory().stage == Stage::off || proxy_ != nullptr) return;
  if (teleoperation_ != nullptr) return safety_.observe_distance(teleoperation_->apart(sample_, port));
  const math::Vec3<double> e = port.X_WP.p - (sample_.X_WH.p + memory_.d);
  safety_.observe_distance(std::sqrt(dot(e, e)));
}

void HapticLoop::fail(Fault fault) noexcept {
  safety_.trip(fault);
  record_.on_handle = record_.on_port = {};
  safe_state();
  record_.stage = safety_.memory().stage;
  record_.fault = safety_.memory().fault;
}

/// Once in a tick: asked twice, a device may answer with other bits, and a log would hold others than were used.
const device::HandleDynamics* HapticLoop::own_dynamics() noexcept {
  if (asked_ == Asked::not_yet) asked_ = device_.dynamics(dynamics_) ? Asked::known : Asked::unknown;
  return dynamics_used();
}

// L F = -A along the axes that are coupled, in the directions that can move: what the hand will have to hold. Only of a mechanism at rest; of one that moves
// the velocity's products are in A, which no hand holds.
void HapticLoop::find_support(const simulate::PortMotion& port) noexcept {
  support_ = {};
  constexpr double kStill = 1e-3;  // [rad/s], [m/s]
  constexpr double kLength = 0.1;  // [m] of a handle: metres and radians are compared by it
  constexpr double kHeavy = 1e-6;  // of the easiest direction
  constexpr double kLeast = 1e-6;  // [1/kg]
  if (proxy_ != nullptr || !(safety_.limits().ramp > 0.0)) return;
  for (const double v : port.V_WP)
    if (!(std::abs(v) < kStill)) return;
  control::PortState state;
  control::Resisted resisted;
  view_->look({}, state, resisted);
  using Matrix = Eigen::Matrix<double, 6, 6>;
  using Vector = Eigen::Matrix<double, 6, 1>;
  Matrix L = Matrix::Zero();
  Vector A = Vector::Zero();
  const std::uint8_t axes = device_.specification().actuated;
  const auto size = [](std::size_t i) { return i < 3 ? kLength : 1.0; };
  for (std::size_t i = 0; i < 6; ++i) {
    if (!device::has_axis(axes, i)) continue;
    A[static_cast<int>(i)] = size(i) * state.acceleration[i];
    for (std::size_t j = 0; j < 6; ++j)
      if (device::has_axis(axes, j))
        L(static_cast<int>(i), static_cast<int>(j)) =
            0.5 * size(i) * size(j) * (state.L[6 * i + j] + state.L[6 * j + i]);
  }
  if (!L.allFinite() || !A.allFinite()) return;
  const Eigen::SelfAdjointEigenSolver<Matrix> modes(L);
  const double most = modes.eigenvalues()[5];
  for (int m = 0; m < 6; ++m) {
    const double s = modes.eigenvalues()[m];
    if (!(s > kHeavy * most && s > kLeast)) continue;
    const double F = -modes.eigenvectors().col(m).dot(A) / s;
    for (std::size_t i = 0; i < 6; ++i)
      support_[i] += size(i) * F * modes.eigenvectors()(static_cast<int>(i), m);
  }
}

void HapticLoop::step_mechanism(const Vector6& on_port) noexcept {
  Vector6 by_hand = on_port;
  if (teleoperation_ != nullptr)
    for (double& f : by_hand) f *= teleoperation_->force_scale();
  safety_.observe_port(by_hand);
  if (safety_.faulted()) return;
  const math::Pose<double> from = view_->motion().X_WP;
  Vector6 carried{}, all = on_port;             // what the ramp keeps from the hand's wrench holds the port
  const double felt = safety_.memory().ramped;  // by the hand, of the weight
  if (safety_.memory().stage == Stage::ramping)
    for (std::size_t i = 0; i < 6; ++i) {
      carried[i] = (1.0 - felt) * support_[i];
      all[i] += carried[i];
    }
  const simulate::Tick tick = view_->step(all);
  record_.status = tick.status;
  record_.events = tick.events;
  if (tick.events > 0 && follower_ != nullptr) follower_->hurry();
  if (!tick.ok()) {
    safety_.trip(Fault::mechanism);
    return;
  }
  if (view_->late()) return safety_.trip(Fault::simulation_late);
  // What says that all is well and is no number is not booked; nor is a place where no port can be.
  const simulate::PortMotion& moved = view_->motion();
  if (!device::finite(moved.X_WP) || !device::finite(moved.V_WP)) return no_number();
  observe_distance(moved);
  if (safety_.faulted()) return;
  const math::Pose<double>& to = moved.X_WP;
  const double given = work_along(on_port, from, to);
  record_.into_port += given;
  record_.on_port = on_port;
  if (safety_.memory().stage == Stage::off) return;
  const double scale = teleoperation_ != nullptr ? teleoperation_->power_scale() : 1.0;
  // A local model's motion is not the mechanism's: what went into that, the simulation says.
  if (const double all = view_->work(); std::isfinite(all)) {
    record_.into_port = all;
    books_->port_so_far(scale * (all - sent_->work_begun), view_->age() + 1);
  } else {
    books_->into_port(scale * given);
  }
  if (safety_.memory().stage == Stage::ramping) books_->given(work_along(carried, from, to));
}

/// Of a mechanism that says that all is well.
void HapticLoop::no_number() noexcept {
  record_.status |= simulate::Status::not_finite;
  safety_.trip(Fault::mechanism);
}

void HapticLoop::command(const device::Command& command) noexcept {
  if (!device::finite(command.wrench) || !device::finite(command.X_WH) || !device::finite(command.V_WH))
    return safety_.trip(Fault::bad_force);
  commanded_ = command;
  if (!device_.command(command)) safety_.trip(or_watchdog(Fault::refused));
}

void HapticLoop::safe_state() noexcept {
  record_.on_handle = record_.on_port = {};
  memory_.engaged = before_ = hand_before_ = false;
  sent_->yield = {};
  // The last place that was believed, at rest: what an admittance device holds. Where none was, no place is right: it is told nothing, and switched off where it stands.
  commanded_ = {.wrench = {}, .X_WH = safety_.memory().last.X_WH, .V_WH = {}};
  if (!admittance_ || safety_.memory().seen) device_.command(commanded_);
  device_.disable();
}

}  // namespace tactus::display
