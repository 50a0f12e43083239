#include <tactus/display/loop.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/display/teleoperation.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

namespace {

using control::Fault;
using control::Stage;

/// The work of a held wrench along a displacement.
double work(const Vector6& F, const math::Mat3<double>& R_from, const math::Mat3<double>& R_to,
            const math::Vec3<double>& way) {
  const math::Vec3<double> turned = math::rotation_vector(R_to * R_from.transposed());
  return F[0] * turned.x + F[1] * turned.y + F[2] * turned.z + F[3] * way.x + F[4] * way.y + F[5] * way.z;
}

Vector6 opposite(Vector6 F) {
  for (double& f : F) f = -f;
  return F;
}

}  // namespace

HapticLoop::HapticLoop(simulate::Mechanism& mechanism, device::Device& device, int port,
                       const control::CouplerGains& gains, const control::SafetyLimits& limits)
    : mechanism_(mechanism),
      device_(device),
      port_(port),
      admittance_(device.specification().kind == device::Kind::admittance),
      coupler_{gains, device.specification().actuated},
      safety_(limits, mechanism.step_length()) {
  const double period = 1.0 / device.specification().rate;
  constexpr double kSame = 1e-9;  // of the period: steps are given in decimals
  if (!(std::abs(period - mechanism.step_length()) <= kSame * period))
    throw InputError({},
                     fmt::format("the mechanism's step is {:g} s, the device's period {:g} s",
                                 mechanism.step_length(), period),
                     fmt::format("open the mechanism with .step = {:g}", period));
}

HapticLoop::~HapticLoop() = default;

void HapticLoop::use(const control::FourChannelGains& gains) {
  teleoperation_ = std::make_unique<Teleoperation>(mechanism_, device_.specification(), port_, gains);
}

bool HapticLoop::enable() noexcept {
  if (safety_.faulted() || !device_.enable()) return false;
  memory_.engaged = false;
  return safety_.enable();
}

void HapticLoop::disable() noexcept {
  safety_.disable();
  memory_.engaged = false;
  device_.disable();
}

bool HapticLoop::tick(double elapsed) noexcept {
  record_.events = record_.resisted = 0;
  record_.status = {};
  record_.on_handle = record_.on_port = {};
  if (!device_.read(sample_))
    safety_.trip(Fault::no_sample);
  else
    safety_.observe(sample_, elapsed);

  if (!safety_.faulted()) {
    const simulate::PortMotion& port = mechanism_.motion(port_);
    record_.t = sample_.t;
    record_.p_H = sample_.X_WH.p;
    record_.V_H = sample_.V_WH;
    record_.p_P = port.X_WP.p;
    record_.V_P = port.V_WP;
    if (safety_.memory().stage != Stage::off && !memory_.engaged) {
      coupler_.engage(memory_, sample_, port);
      if (teleoperation_ != nullptr) teleoperation_->engage(sample_);
    }
    if (admittance_)
      display_admittance();
    else if (teleoperation_ != nullptr)
      teleoperate();
    else
      display_impedance();
  }
  if (safety_.faulted()) safe_state();
  record_.stage = safety_.memory().stage;
  record_.fault = safety_.memory().fault;
  return !safety_.faulted();
}

void HapticLoop::lost() noexcept {
  safety_.trip(Fault::no_sample);
  record_.on_handle = record_.on_port = {};
  safe_state();
  record_.stage = safety_.memory().stage;
  record_.fault = safety_.memory().fault;
}

void HapticLoop::book_handle() noexcept {
  const Vector6 last = safety_.memory().wrench;  // held on the handle since the tick before
  if (before_) record_.out_of_handle -= work(last, R_before_, sample_.X_WH.R, sample_.X_WH.p - p_before_);
  p_before_ = sample_.X_WH.p;
  R_before_ = sample_.X_WH.R;
  before_ = true;
}

void HapticLoop::display_impedance() noexcept {
  book_handle();
  const Vector6 F = coupler_.wrench(memory_, sample_, mechanism_.motion(port_));
  const Vector6 on_handle = safety_.limited(opposite(F));
  step_mechanism(opposite(on_handle));
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::teleoperate() noexcept {
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  teleoperation_->look(sample_, safety_.memory().wrench, safety_.share());
  const Vector6 on_handle = safety_.limited(teleoperation_->on_handle(safety_.limits().force));
  step_mechanism(teleoperation_->on_port());
  if (safety_.faulted()) return;
  teleoperation_->stepped();
  record_.resisted = teleoperation_->resisted().count;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::display_admittance() noexcept {
  step_mechanism(safety_.limited(sample_.F_H_W));
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  // Handle and port stand to each other as they did when the display began.
  const simulate::PortMotion& port = mechanism_.motion(port_);
  const double v2 = port.V_WP[3] * port.V_WP[3] + port.V_WP[4] * port.V_WP[4] + port.V_WP[5] * port.V_WP[5];
  if (const double most = safety_.limits().speed[1]; most > 0.0 && v2 > most * most) {
    safety_.trip(Fault::too_fast);
    return;
  }
  // The wrench of this tick is sensed where it began, and the motion is shown where it ends: one period later.
  device::Command to;
  to.X_WH = {port.X_WP.R * memory_.R_HP.transposed(), port.X_WP.p - memory_.d};
  to.V_WH = port.V_WP;
  command(to);
}

void HapticLoop::step_mechanism(const Vector6& on_port) noexcept {
  if (safety_.faulted()) return;
  const simulate::PortMotion from = mechanism_.motion(port_);
  const simulate::PortWrench wrench{port_, on_port};
  const simulate::TickInput input{.tau = {}, .ports = {&wrench, 1}, .wrench = {}};
  const simulate::Tick tick = mechanism_.step(input);
  record_.status = tick.status;
  record_.events = tick.events;
  if (!tick.ok()) {
    safety_.trip(Fault::mechanism);
    return;
  }
  const simulate::PortMotion& to = mechanism_.motion(port_);
  record_.into_port += work(on_port, from.X_WP.R, to.X_WP.R, to.X_WP.p - from.X_WP.p);
  record_.on_port = on_port;
}

void HapticLoop::command(const device::Command& command) noexcept {
  if (!device_.command(command)) safety_.trip(Fault::refused);
}

void HapticLoop::safe_state() noexcept {
  record_.on_handle = record_.on_port = {};
  memory_.engaged = before_ = false;
  // The last place that was believed, at rest: what an admittance device holds.
  device_.command({.wrench = {}, .X_WH = safety_.memory().last.X_WH, .V_WH = {}});
  device_.disable();
}

}  // namespace tactus::display
