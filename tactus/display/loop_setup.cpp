// What a haptic loop is made of: device, mechanism, controller, and what is chosen before it runs.
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

namespace tactus::display {

namespace {

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
  require_own_mechanism("a proxy");
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
  // What is on is switched off first: what is chosen begins with the next enable().
  if (safety_.memory().stage == control::Stage::ramping || safety_.memory().stage == control::Stage::on)
    disable();
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
      two_rates_ != nullptr && (two_rates_->every != 1 || two_rates_->delay != 0 || two_rates_->thread ||
                                two_rates_->told || two_rates_->even_if_equal);
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

}  // namespace tactus::display
