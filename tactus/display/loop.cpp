#include <tactus/display/loop.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/control/fixture.h>
#include <tactus/control/passivity.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/control/prescribed_port.h>
#include <tactus/display/teleoperation.h>
#include <tactus/display/two_rates.h>
#include <tactus/display/world_faces.h>
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

}  // namespace

struct HapticLoop::Prescribed {
  control::PrescribedPort law;
  control::Matrix6 M_d;
  control::Coupler coupler;  // along what cannot be prescribed
  control::PrescribedMemory memory{};
  control::PortState port{};
  control::Resisted directions{};
};

struct HapticLoop::PointTool {
  std::vector<control::ProxyFace> faces;
  double stiffness = 0.0;  // [N/m]
  control::ProxyMemory memory{};
};

HapticLoop::HapticLoop(simulate::Mechanism& mechanism, device::Device& device, int port,
                       const control::CouplerGains& gains, const control::SafetyLimits& limits)
    : mechanism_(mechanism),
      device_(device),
      port_(port),
      period_(mechanism.step_length()),
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
  make_view();
}

HapticLoop::~HapticLoop() = default;

void HapticLoop::use(const control::FourChannelGains& gains) {
  teleoperation_ = std::make_unique<Teleoperation>(device_.specification(), gains);
  prescribed_ = nullptr;
  proxy_ = nullptr;
  make_view();
}

void HapticLoop::use(const control::PrescribedGains& gains) {
  const device::Specification& s = device_.specification();
  if (admittance_)
    throw InputError({}, "an admittance device is moved: its motion prescribes nothing",
                     "take an impedance device");
  if (gains.axes == device::kNoAxes || (gains.axes & ~(s.sensed & s.actuated)) != 0)
    throw InputError({}, fmt::format("device `{}` cannot prescribe these axes", s.name),
                     "prescribe axes that it senses and actuates");
  if (!(gains.drift_rate >= 0.0) || !(gains.bandwidth >= 0.0) || !(gains.drift_rate * period_ < 1.0))
    throw InputError({}, fmt::format("an error cannot be taken out at {:g} rad/s", gains.drift_rate),
                     fmt::format("give less than the loop's {:g} 1/s", 1.0 / period_));
  if (!(gains.heaviest >= 0.0))
    throw InputError({}, fmt::format("a port that may be {:g} times as heavy as the handle", gains.heaviest),
                     "give a ratio above 0, or 0 for what the loop bears");
  control::PrescribedGains chosen = gains;
  if (chosen.heaviest == 0.0) chosen.heaviest = control::heaviest_borne(s, gains);
  control::Matrix6 L;
  mechanism_.mobility(port_, L);
  const char* const port = mechanism_.ports()[static_cast<std::size_t>(port_)].name.c_str();
  if (Vector6 probe{}; gains.every_axis && !control::solve_at_port(L, gains.axes, probe))
    throw InputError({}, fmt::format("the port `{}` has fewer freedoms than are prescribed", port),
                     "prescribe fewer axes, those along which it can move");
  const double lightest = control::mass_ratios(L, control::inertia_of(s), gains.axes).front();
  if (!(lightest <= chosen.heaviest))
    throw InputError({},
                     fmt::format("the port `{}` is at least {:.3g} times as heavy as the handle along every "
                                 "axis that is prescribed, and the loop bears {:.3g}",
                                 port, lightest, chosen.heaviest),
                     "prescribe axes along which it can move, or lower the gains");
  prescribed_ = std::make_unique<Prescribed>(Prescribed{
      .law = {chosen, period_}, .M_d = control::inertia_of(s), .coupler = {coupler_.gains, gains.axes}});
  teleoperation_ = nullptr;
  proxy_ = nullptr;
  make_view();
}

void HapticLoop::use(const control::ProxyGains& gains) {
  const device::Specification& s = device_.specification();
  if (admittance_ || (s.actuated & s.sensed & device::kTranslation) == 0)
    throw InputError({}, fmt::format("device `{}` does not push a point", s.name),
                     "take an impedance device that moves in space");
  if (!(gains.stiffness > 0.0) || !std::isfinite(gains.stiffness))
    throw InputError({}, fmt::format("a proxy's spring of {:g} N/m", gains.stiffness), "give a positive one");
  proxy_ = std::make_unique<PointTool>(
      PointTool{.faces = world_faces(mechanism_.model()), .stiffness = gains.stiffness});
  teleoperation_ = nullptr;
  prescribed_ = nullptr;
  make_view();
}

void HapticLoop::use(const TwoRateOptions& options) {
  two_rates_ = std::make_unique<TwoRateOptions>(options);
  make_view();
}

void HapticLoop::compensate(const control::Fixture& fixture) {
  if (!admittance_)
    throw InputError({}, "nothing hangs beyond a sensor that the device's motors do not feel",
                     "a fixture is for admittance devices");
  fixture_ = std::make_unique<control::Fixture>(fixture);
}

void HapticLoop::make_view() {
  ResistanceRule rule;
  if (teleoperation_ != nullptr) rule = teleoperation_->rule();
  if (prescribed_ != nullptr) {
    const control::PrescribedGains& gains = prescribed_->law.gains;
    rule.wanted = true;
    rule.M_d = prescribed_->M_d;
    rule.tolerance = 1.0 / gains.heaviest;
    rule.axes = gains.axes;
  }
  view_.reset();  // a thread ends before another begins
  // Rates that are equal are one rate: the loop then has the mechanism itself.
  const bool two =
      two_rates_ != nullptr && (two_rates_->every != 1 || two_rates_->delay != 0 || two_rates_->thread);
  if (two)
    view_ = std::make_unique<LocalPort>(mechanism_, port_, rule, *two_rates_);
  else
    view_ = std::make_unique<FullPort>(mechanism_, port_, rule);
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

void HapticLoop::beside(std::span<const simulate::PortWrench> wrenches) noexcept { view_->beside(wrenches); }

bool HapticLoop::tick(double elapsed) noexcept {
  record_.events = record_.resisted = 0;
  record_.status = {};
  record_.on_handle = record_.on_port = {};
  if (!device_.read(sample_))
    safety_.trip(Fault::no_sample);
  else
    safety_.observe(sample_, elapsed);

  if (!safety_.faulted()) {
    const simulate::PortMotion port = view_->begin();
    record_.age = static_cast<int>(view_->age());
    record_.t = sample_.t;
    record_.p_H = sample_.X_WH.p;
    record_.V_H = sample_.V_WH;
    record_.p_P = port.X_WP.p;
    record_.V_P = port.V_WP;
    if (safety_.memory().stage != Stage::off && !memory_.engaged) {
      coupler_.engage(memory_, sample_, port);
      if (teleoperation_ != nullptr) teleoperation_->engage(sample_, port);
      if (prescribed_ != nullptr) prescribed_->law.engage(prescribed_->memory, sample_, port);
      if (proxy_ != nullptr) proxy_->memory = {.p = sample_.X_WH.p + memory_.d, .held = 0};
    }
    observe_distance(port);
    if (!safety_.faulted()) display();
  }
  if (safety_.faulted()) safe_state();
  record_.stage = safety_.memory().stage;
  record_.fault = safety_.memory().fault;
  return !safety_.faulted();
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

void HapticLoop::book_handle() noexcept {
  const Vector6 last = safety_.memory().wrench;  // held on the handle since the tick before
  if (before_) {
    const math::Vec3<double> way = sample_.X_WH.p - p_before_;
    record_.out_of_handle -= work(last, R_before_, sample_.X_WH.R, way);
    record_.guarded -= work(guard_, R_before_, sample_.X_WH.R, way);
  }
  p_before_ = sample_.X_WH.p;
  R_before_ = sample_.X_WH.R;
  before_ = true;
}

Vector6 HapticLoop::guard_wrench() noexcept {
  guard_ = {};
  if (!guarded_ || safety_.memory().stage == Stage::off) return guard_;
  device::HandleDynamics own;
  const bool known = device_.dynamics(own);
  guard_ = control::passivity_wrench(record_.out_of_handle, sample_.V_WH,
                                     known ? own.M : control::inertia_of(device_.specification()), period_);
  return guard_;
}

void HapticLoop::display_impedance() noexcept {
  book_handle();
  give(coupler_.wrench(memory_, sample_, view_->motion()), guard_wrench());
}

void HapticLoop::display_prescribed() noexcept {
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  Prescribed& own = *prescribed_;
  view_->look({}, own.port, own.directions);
  const Vector6 wanted = own.law.wanted(own.memory, sample_, own.port.motion);
  const Vector6 held = own.coupler.wrench(own.memory.place, sample_, own.port.motion);
  for (const double weight : own.directions.weight)
    record_.resisted += weight > 0.5;  // more coupler than weld
  // A singular position, and nothing that holds the handle in it: no force is right.
  const control::CouplerGains& by = own.coupler.gains;
  if (by.stiffness[0] + by.stiffness[1] == 0.0 && !own.law.follows(own.directions))
    return safety_.trip(Fault::singular);
  give(own.law.reaction(own.port, wanted, own.directions, own.M_d, held), guard_wrench());
}

void HapticLoop::display_proxy() noexcept {
  book_handle();
  const Vector6 guard = guard_wrench();
  step_mechanism({});
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  const math::Vec3<double> point = sample_.X_WH.p + memory_.d;
  const control::Proxy proxy{proxy_->stiffness, proxy_->faces};
  proxy.follow(proxy_->memory, point);
  const math::Vec3<double> F = proxy.force(proxy_->memory, point);
  Vector6 wanted = guard;
  for (std::size_t i = 0; i < 3; ++i) wanted[3 + i] += F[i];
  for (std::size_t i = 0; i < 6; ++i)
    if (!device::has_axis(device_.specification().actuated, i)) wanted[i] = 0.0;
  const Vector6 on_handle = safety_.limited(wanted);
  if (safety_.faulted()) return;
  record_.on_handle = on_handle;
  record_.p_P = proxy_->memory.p;
  command({.wrench = on_handle, .X_WH = {}});
}

/// F goes to the port and its opposite, with the guard's damper, to the handle, as far as the limits let it.
void HapticLoop::give(const Vector6& F, const Vector6& guard) noexcept {
  Vector6 wanted{};
  for (std::size_t i = 0; i < 6; ++i) wanted[i] = guard[i] - F[i];
  const Vector6 on_handle = safety_.limited(wanted);
  // The guard's damper stands on the ground.
  Vector6 on_port{};
  for (std::size_t i = 0; i < 6; ++i) on_port[i] = guard[i] - on_handle[i];
  step_mechanism(on_port);
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::teleoperate() noexcept {
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  device::HandleDynamics own;
  const bool known = device_.dynamics(own);
  teleoperation_->look(*view_, sample_, known ? &own : nullptr, safety_.memory().wrench, safety_.share());
  step_mechanism(teleoperation_->on_port());
  if (safety_.faulted()) return;
  teleoperation_->stepped(*view_);
  Vector6 wanted = teleoperation_->on_handle(safety_.limits().force);
  const Vector6 guard = guard_wrench();
  for (std::size_t i = 0; i < 6; ++i) wanted[i] += guard[i];
  const Vector6 on_handle = safety_.limited(wanted);
  if (safety_.faulted()) return;
  record_.resisted = teleoperation_->resisted().count;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::display_admittance() noexcept {
  // The hand's part of what is sensed.
  Vector6 F_h = sample_.F_H_W;
  if (fixture_ != nullptr) {
    const Vector6 own = control::fixture_wrench(*fixture_, sample_.X_WH.R, sample_.V_WH, A_commanded_);
    for (std::size_t i = 0; i < 6; ++i) F_h[i] -= own[i];
  }
  A_commanded_ = {};
  // The work of the sensed wrench along the sensed way, by the rule of the trapezium.
  if (before_) {
    Vector6 mean{};
    for (std::size_t i = 0; i < 6; ++i) mean[i] = 0.5 * (F_before_[i] + F_h[i]);
    record_.out_of_handle += work(mean, R_before_, sample_.X_WH.R, sample_.X_WH.p - p_before_);
  }
  p_before_ = sample_.X_WH.p;
  R_before_ = sample_.X_WH.R;
  F_before_ = F_h;
  before_ = true;
  step_mechanism(safety_.limited(F_h));
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  // Handle and port stand to each other as they did when the display began.
  const simulate::PortMotion& port = view_->motion();
  const double v2 = port.V_WP[3] * port.V_WP[3] + port.V_WP[4] * port.V_WP[4] + port.V_WP[5] * port.V_WP[5];
  if (const double most = safety_.limits().speed[1]; most > 0.0 && v2 > most * most) {
    safety_.trip(Fault::too_fast);
    return;
  }
  // The wrench of this tick is sensed where it began, and the motion is shown where it ends: one period later.
  device::Command to;
  to.X_WH = {port.X_WP.R * memory_.R_HP.transposed(), port.X_WP.p - memory_.d};
  to.V_WH = port.V_WP;
  for (std::size_t i = 0; i < 6; ++i) A_commanded_[i] = (port.V_WP[i] - record_.V_P[i]) / period_;
  if (guarded_) {
    // [rad/s/(N m)], [m/s/N] as fast as a hand leads a light handle.
    constexpr std::array<double, 2> kYield{0.5, 0.02};
    const Vector6 more = control::passivity_motion(record_.out_of_handle, F_h, kYield, period_);
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
  command(to);
}

void HapticLoop::step_mechanism(const Vector6& on_port) noexcept {
  Vector6 by_hand = on_port;
  if (teleoperation_ != nullptr)
    for (double& f : by_hand) f *= teleoperation_->force_scale();
  safety_.observe_port(by_hand);
  if (safety_.faulted()) return;
  const simulate::PortMotion from = view_->motion();
  const simulate::Tick tick = view_->step(on_port);
  record_.status = tick.status;
  record_.events = tick.events;
  if (!tick.ok()) {
    safety_.trip(Fault::mechanism);
    return;
  }
  if (view_->late()) return safety_.trip(Fault::simulation_late);
  const simulate::PortMotion& to = view_->motion();
  record_.into_port += work(on_port, from.X_WP.R, to.X_WP.R, to.X_WP.p - from.X_WP.p);
  record_.on_port = on_port;
}

void HapticLoop::command(const device::Command& command) noexcept {
  commanded_ = command;
  if (!device_.command(command)) safety_.trip(Fault::refused);
}

void HapticLoop::safe_state() noexcept {
  record_.on_handle = record_.on_port = {};
  memory_.engaged = before_ = false;
  guard_ = {};
  // The last place that was believed, at rest: what an admittance device holds.
  commanded_ = {.wrench = {}, .X_WH = safety_.memory().last.X_WH, .V_WH = {}};
  device_.command(commanded_);
  device_.disable();
}

}  // namespace tactus::display
