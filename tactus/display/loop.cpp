#include <tactus/display/loop.h>

#include <cmath>

#include <fmt/format.h>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/control/coupler_follow.h>
#include <tactus/control/passivity_design.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/display/loop_parts.h>
#include <tactus/display/two_rates.h>
#include <tactus/display/world_faces.h>
#include <tactus/math/decompositions.h>

namespace tactus::display {

namespace {

using control::Fault;
using control::Stage;

/// Whether something in the model may drive it: a law of force, which may be a motor's, or a constraint that moves by itself.
bool drives_itself(const describe::Model& model) {
  if (!model.force_laws.empty()) return true;
  const auto moves = [&](std::span<const algebra::Expr> roots) {
    for (const algebra::Expr symbol : algebra::symbols_in(roots))
      if (model.graph->symbol_name(symbol) == "t") return true;
    return false;
  };
  for (const describe::Constraint& constraint : model.constraints)
    if (moves(constraint.equations)) return true;
  return model.parametric && moves(model.parametric->psi);
}

}  // namespace

HapticLoop::HapticLoop(simulate::Mechanism& mechanism, device::Device& device, int port,
                       const control::CouplerGains& gains, const control::SafetyLimits& limits)
    : mechanism_(mechanism),
      device_(device),
      port_(port),
      period_(mechanism.step_length()),
      admittance_(device.specification().kind == device::Kind::admittance),
      coupler_{gains, device.specification().actuated},
      safety_(limits, mechanism.step_length()),
      books_(std::make_unique<EnergyBooks>()),
      closed_(!drives_itself(mechanism.model())),
      sent_(std::make_unique<Sent>()),
      guard_share_(control::guard_share(device.specification())) {
  const double period = 1.0 / device.specification().rate;
  constexpr double kSame = 1e-9;  // of the period: steps are given in decimals
  if (!(std::abs(period - mechanism.step_length()) <= kSame * period))
    throw InputError({},
                     fmt::format("the mechanism's step is {:g} s, the device's period {:g} s",
                                 mechanism.step_length(), period),
                     fmt::format("open the mechanism with .step = {:g}", period));
  record_.by_motion = admittance_;
  make_view();
}

HapticLoop::~HapticLoop() = default;

void HapticLoop::use(const control::FourChannelGains& gains) {
  teleoperation_ = std::make_unique<Teleoperation>(device_.specification(), gains);
  prescribed_ = nullptr;
  proxy_ = nullptr;
  make_view();
}

/// What a thread moves is not looked at from another.
void HapticLoop::require_own_mechanism(const char* what) const {
  if (two_rates_ != nullptr && two_rates_->thread)
    throw InputError({}, fmt::format("{}: the mechanism is a thread's already", what),
                     "ask for it before two rates with a thread");
}

void HapticLoop::use(const control::PrescribedGains& gains) {
  require_own_mechanism("a prescribed port");
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
  if (std::isinf(lightest))
    throw InputError(
        {}, fmt::format("the port `{}` cannot move along or about any axis that is prescribed", port),
        "prescribe axes along which it can move, or take another port");
  if (!(lightest <= chosen.heaviest))
    throw InputError({},
                     fmt::format("the port `{}` is at least {:.3g} times as heavy as the handle along every "
                                 "axis that is prescribed, and the loop bears {:.3g}",
                                 port, lightest, chosen.heaviest),
                     "prescribe axes along which it can move, or lower the gains");
  prescribed_ = std::make_unique<Prescribed>(Prescribed{.law = {chosen, period_},
                                                        .M_d = control::inertia_of(s),
                                                        .coupler = {coupler_.gains, gains.axes},
                                                        .instead = control::softened(s, coupler_.gains, L)});
  auto follower = std::make_unique<control::CouplerFollower>(s, prescribed_->instead, L);
  follower_ = follower->possible() ? std::move(follower) : nullptr;
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
  if (const std::string solid = solid_around(mechanism_.model(), mechanism_.motion(port_).X_WP.p);
      !solid.empty())
    throw InputError(
        mechanism_.model().bodies.front().where,
        fmt::format("the port `{}` begins inside {}: a proxy that begins in a solid feels nothing of it",
                    mechanism_.ports()[static_cast<std::size_t>(port_)].name, solid),
        "begin outside of it: give another `initial` state, hold another port, or move the shape");
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

void HapticLoop::compensate(const device::Fixture& fixture) {
  if (!admittance_)
    throw InputError({}, "nothing hangs beyond a sensor that the device's motors do not feel",
                     "a fixture is for admittance devices");
  fixture_ = std::make_unique<device::Fixture>(fixture);
}

void HapticLoop::keep_inertia(const std::array<double, 2>& least, double share) {
  require_own_mechanism("inertia at the port");
  if (!admittance_)
    throw InputError({}, "inertia is bolted to the port that an admittance device shows",
                     "four channels keep a share of the handle's own: FourChannelGains::kept");
  if (!(least[0] >= 0.0 && least[1] >= 0.0 && std::isfinite(least[0] + least[1]) && share <= 1.0))
    throw InputError({}, "the inertia that is bolted to a port must not be negative, its share from 0 to 1",
                     "control::least_inertia says what a device bears");
  KeptInertia kept{
      .least = least, .begins = {}, .grows = share < 0.0, .axes = device_.specification().actuated};
  control::Matrix6 L;
  mechanism_.mobility(port_, L);
  for (std::size_t k = 0; k < 2; ++k) kept.begins[k] = share * least[k];
  if (kept.grows) kept.begins = control::missing_inertia(least, L, kept.axes);
  kept_ = std::make_unique<KeptInertia>(kept);
  make_view();
}

void HapticLoop::damp_inside(double damping) {
  require_own_mechanism("damping inside");
  // Refused before anything changes.
  control::InternalDamper(mechanism_, port_, device_.specification().actuated, damping);
  internal_damping_ = damping;
  make_view();
}

std::array<double, 2> HapticLoop::kept_inertia() const noexcept {
  return kept_port_ != nullptr ? kept_port_->bolted() : std::array<double, 2>{};
}

bool HapticLoop::follow_port() {
  follower_ = nullptr;
  if (admittance_) return false;
  control::Matrix6 L{};
  view_->mobility(L);
  auto follower = std::make_unique<control::CouplerFollower>(device_.specification(), coupler_.gains, L);
  if (!follower->possible()) return false;
  follower_ = std::move(follower);
  return true;
}

void HapticLoop::make_view() {
  ResistanceRule rule;
  // A coupler pushes along its axes alone.
  if (!admittance_ && teleoperation_ == nullptr && prescribed_ == nullptr) rule.axes = coupler_.axes;
  if (teleoperation_ != nullptr) rule = teleoperation_->rule();
  if (prescribed_ != nullptr) {
    const control::PrescribedGains& gains = prescribed_->law.gains;
    rule.wanted = true;
    rule.M_d = prescribed_->M_d;
    rule.tolerance = 1.0 / gains.heaviest;
    rule.axes = gains.axes;
  }
  rule.internal_damping = internal_damping_;
  view_.reset();  // a thread ends before another begins
  // Rates that are equal are one rate: the loop then has the mechanism itself.
  const bool two =
      two_rates_ != nullptr && (two_rates_->every != 1 || two_rates_->delay != 0 || two_rates_->thread);
  if (two)
    view_ = std::make_unique<LocalPort>(mechanism_, port_, rule, *two_rates_);
  else
    view_ = std::make_unique<FullPort>(mechanism_, port_, rule);
  kept_port_ = nullptr;
  if (kept_ != nullptr && !two) {
    auto port = std::make_unique<KeptPort>(std::move(view_), *kept_, period_);
    kept_port_ = port.get();
    view_ = std::move(port);
  }
}

bool HapticLoop::gave_up() const noexcept { return prescribed_ != nullptr && prescribed_->given_up; }

/// Faulted or off, the device is off already. One that is on would keep its last wrench: nothing is commanded while the loop is off.
void HapticLoop::clear() noexcept {
  if (safety_.faulted())
    recovered_ = view_->recover();
  else if (safety_.memory().stage != Stage::off)
    disable();
  safety_.clear();
}

bool HapticLoop::enable() noexcept {
  if (safety_.faulted() || !view_->wake()) return false;
  if (!recovered_) recovered_ = view_->recover();
  if (!recovered_ || !device_.enable()) return false;
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

void HapticLoop::rest() noexcept {
  disable();
  view_->rest();
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
  if (!device_.read(sample_))
    safety_.trip(or_watchdog(Fault::no_sample));
  else
    safety_.observe(sample_, elapsed);

  if (!safety_.faulted()) {
    const simulate::PortMotion port = view_->begin();
    record_.age = static_cast<int>(view_->age());
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
