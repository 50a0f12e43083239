#include <tactus/display/loop.h>

#include <bit>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <tactus/algebra/calculus.h>
#include <tactus/base/error.h>
#include <tactus/control/coupler_follow.h>
#include <tactus/control/fixture.h>
#include <tactus/control/passivity.h>
#include <tactus/control/prescribed_design.h>
#include <tactus/control/prescribed_port.h>
#include <tactus/display/energy_books.h>
#include <tactus/display/teleoperation.h>
#include <tactus/display/two_rates.h>
#include <tactus/display/world_faces.h>
#include <tactus/math/rotation_vector.h>

namespace tactus::display {

namespace {

using control::Entry;
using control::Fault;
using control::Stage;

/// The work of a held wrench along a displacement.
double work(const Vector6& F, const math::Mat3<double>& R_from, const math::Mat3<double>& R_to,
            const math::Vec3<double>& way) {
  const math::Vec3<double> turned = math::rotation_vector(R_to * R_from.transposed());
  return F[0] * turned.x + F[1] * turned.y + F[2] * turned.z + F[3] * way.x + F[4] * way.y + F[5] * way.z;
}

/// After enabling, a coupler slips where it would give more than may be given yet; afterwards it creeps back as far as that is paid for [J].
void come_on(const control::Coupler& coupler, control::CouplerMemory& memory, const device::Sample& sample,
             const simulate::PortMotion& port, const control::Safety& safety, double period,
             double paid) noexcept {
  constexpr std::array<double, 2> kUnlimited{10.0, 100.0};  // [N m], [N] where nothing limits the device
  constexpr double kCreep = 0.5;                            // [s]
  if (const double share = safety.next_share(); share < 1.0) {
    std::array<double, 2> most = safety.limits().force;
    for (std::size_t k = 0; k < 2; ++k) most[k] = share * (most[k] > 0.0 ? most[k] : kUnlimited[k]);
    coupler.slip(memory, sample, port, most);
  } else if (memory.slipped) {
    coupler.creep(memory, sample, port, period / kCreep, paid);
  }
}

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

struct HapticLoop::Prescribed {
  control::PrescribedPort law;
  control::Matrix6 M_d;
  control::Coupler coupler;  // along what cannot be prescribed
  control::PrescribedMemory memory{};
  control::PortState port{};
  control::Resisted directions{};
  control::CouplerGains instead{};  // of the coupler that stands in for the weld
  bool given_up = false;            // it makes energy: the coupler holds all directions
};

/// Commands of the last ticks: what motors with a latency hold now is one of them.
struct HapticLoop::Sent {
  static constexpr std::size_t kMost = 64;
  std::array<Vector6, kMost> wrench{}, guard{};
  std::size_t count = 0;
  double work_begun = 0.0;  // [J] into the port before the books

  void push(const Vector6& all, const Vector6& own) noexcept {
    const std::size_t at = count++ % kMost;
    wrench[at] = all;
    for (std::size_t i = 0; i < 6; ++i) guard[at][i] = all[i] - own[i];
  }
  /// Of the newest, or so many ticks before.
  std::size_t index(std::size_t late) const noexcept { return (count - 1 - late) % kMost; }
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
      safety_(limits, mechanism.step_length()),
      books_(std::make_unique<EnergyBooks>()),
      closed_(!drives_itself(mechanism.model())),
      sent_(std::make_unique<Sent>()) {
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
  view_.reset();  // a thread ends before another begins
  // Rates that are equal are one rate: the loop then has the mechanism itself.
  const bool two =
      two_rates_ != nullptr && (two_rates_->every != 1 || two_rates_->delay != 0 || two_rates_->thread);
  if (two)
    view_ = std::make_unique<LocalPort>(mechanism_, port_, rule, *two_rates_);
  else
    view_ = std::make_unique<FullPort>(mechanism_, port_, rule);
}

bool HapticLoop::gave_up() const noexcept { return prescribed_ != nullptr && prescribed_->given_up; }

bool HapticLoop::enable() noexcept {
  if (safety_.faulted() || !device_.enable()) return false;
  memory_.engaged = false;
  guard_ = {};
  before_ = hand_before_ = false;
  sent_->count = 0;
  return safety_.enable();
}

void HapticLoop::disable() noexcept {
  safety_.disable();
  memory_.engaged = false;
  device_.disable();
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
    safety_.trip(Fault::no_sample);
  else
    safety_.observe(sample_, elapsed);

  if (!safety_.faulted()) {
    const simulate::PortMotion port = view_->begin();
    record_.age = static_cast<int>(view_->age());
    record_.t = sample_.t;
    record_.p_H = sample_.X_WH.p;
    record_.V_H = sample_.V_WH;
    record_.F_H = sample_.F_H_W;
    record_.R_P = port.X_WP.R;
    record_.p_P = port.X_WP.p;
    record_.V_P = port.V_WP;
    if (safety_.memory().stage != Stage::off && !memory_.engaged) {
      coupler_.engage(memory_, sample_, port);
      books_->begin();
      sent_->work_begun = std::isfinite(view_->work()) ? view_->work() : 0.0;
      if (closed_) books_->mechanism(view_->energy(), 0);
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

void HapticLoop::book_handle() noexcept {
  // Held on the handle since the tick before: the last command, or an older one where the motors are late.
  sent_->push(safety_.memory().wrench, safety_.memory().own);
  const auto late = static_cast<std::size_t>(std::lround(device_.specification().latency / period_));
  if (before_ && late < std::min(sent_->count, Sent::kMost)) {
    const math::Vec3<double> way = sample_.X_WH.p - p_before_;
    const std::size_t at = sent_->index(late);
    const double given = -work(sent_->wrench[at], R_before_, sample_.X_WH.R, way);
    record_.out_of_handle += given;
    record_.guarded -= work(sent_->guard[at], R_before_, sample_.X_WH.R, way);
    if (teleoperation_ == nullptr) books_->from_hand(given);
  }
  p_before_ = sample_.X_WH.p;
  R_before_ = sample_.X_WH.R;
  before_ = true;
}

/// Once in a tick: asked twice, a device may answer with other bits, and a log would hold others than were used.
const device::HandleDynamics* HapticLoop::own_dynamics() noexcept {
  if (asked_ == Asked::not_yet) asked_ = device_.dynamics(dynamics_) ? Asked::known : Asked::unknown;
  return dynamics_used();
}

double HapticLoop::credit() noexcept {
  if (closed_) books_->mechanism(view_->energy(), view_->age());
  // Four channels mask the handle's inertia and friction: their motors give and take what the hand does not. Where its wrench is sensed its own work is known.
  const bool sensed = teleoperation_ != nullptr && device_.specification().force_sensor;
  return (sensed ? books_->hand() : record_.out_of_handle) + books_->gift();
}

/// The work of the hand where its wrench is sensed or observed, by the rule of the trapezium along the sensed way.
void HapticLoop::book_hand(const Vector6& F_h) noexcept {
  if (hand_before_) {
    Vector6 mean{};
    for (std::size_t i = 0; i < 6; ++i) mean[i] = 0.5 * (F_before_[i] + F_h[i]);
    books_->from_hand(work(mean, R_hand_, sample_.X_WH.R, sample_.X_WH.p - p_hand_));
  }
  p_hand_ = sample_.X_WH.p;
  R_hand_ = sample_.X_WH.R;
  F_before_ = F_h;
  hand_before_ = true;
}

void HapticLoop::audit() noexcept {
  if (!memory_.engaged || safety_.memory().stage == Stage::off) return;
  // Four channels let the hand's wrench and the motors' come on apart from each other: their books begin when both are there.
  if (teleoperation_ != nullptr && safety_.memory().stage == Stage::ramping) {
    books_->begin();
    sent_->work_begun = std::isfinite(view_->work()) ? view_->work() : 0.0;
    if (closed_) books_->mechanism(view_->energy(), 0);
    return;
  }
  constexpr std::uint64_t kEvery =
      8;  // [ticks] the mechanism's energy is looked at: it costs as much as a small tick
  if (closed_ && sample_.number % kEvery == 0) books_->mechanism(view_->energy(), view_->age());
  books_->close_tick();
  record_.made = books_->made();
  // A spring that stiffens while it is pressed, in the ramp, gives more than it got: what it holds at most.
  for (std::size_t k = 0; k < 2; ++k) {
    const Vector6& F = record_.on_handle;
    const double squared = F[3 * k] * F[3 * k] + F[3 * k + 1] * F[3 * k + 1] + F[3 * k + 2] * F[3 * k + 2];
    if (const double K = coupler_.gains.stiffness[k]; K > 0.0) books_->stored(0.5 * squared / K);
  }
  // Handle and port of four channels move apart by what the hand's wrench changes within a period; and one that is observed is late, and takes what it does not know of
  // dry friction for the hand's: their work is known to a few tenths.
  constexpr double kObserved = 0.1;
  const bool observed = teleoperation_ != nullptr;
  safety_.observe_energy((observed ? kObserved : 1.0) * record_.made, books_->turned(),
                         books_->most_stored());
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

Vector6 HapticLoop::guard_wrench() noexcept {
  guard_ = {};
  if (!(guarded_ || gave_up()) || safety_.memory().stage == Stage::off) return guard_;
  const device::HandleDynamics* const own = own_dynamics();
  guard_ = control::passivity_wrench(credit(), sample_.V_WH,
                                     own != nullptr ? own->M : control::inertia_of(device_.specification()),
                                     period_);
  return guard_;
}

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
  come_on(coupler_, memory_, sample_, port, safety_, period_, paid);
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
      limits.made > 0.0 &&
      books_->made_by_display() > kShare * (limits.made + limits.made_share * books_->turned())) {
    own.given_up = true;
    coupler_ = {own.instead, own.coupler.axes};
    coupler_.engage(memory_, sample_, view_->motion());
    record_.resisted = std::popcount(coupler_.axes);
    return give({}, guard_wrench(), Entry::by_itself);
  }
  view_->look({}, own.port, own.directions);
  const Vector6 wanted = own.law.wanted(own.memory, sample_, own.port.motion);
  // The reaction comes on by a share of itself, the coupler along the rest by slipping: its springs have their whole stiffness.
  come_on(own.coupler, own.memory.place, sample_, own.port.motion, safety_, period_,
          -books_->made_by_display());
  const double share = safety_.next_share();
  Vector6 held = own.coupler.wrench(own.memory.place, sample_, own.port.motion, share);
  for (double& f : held) f /= share;
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
  const control::Proxy proxy{proxy_->stiffness, proxy_->faces};
  proxy.follow(proxy_->memory, sample_.X_WH.p + memory_.d);
  // Its spring is a coupler's between the handle and the proxy: it comes on by slipping, and yields to the clamps, as that does.
  const auto axes = static_cast<std::uint8_t>(device_.specification().actuated & device::kTranslation);
  const control::Coupler spring{{{0.0, proxy_->stiffness}, {}}, axes};
  simulate::PortMotion held;
  held.X_WP.p = proxy_->memory.p;
  come_on(spring, memory_, sample_, held, safety_, period_, -books_->made_by_display());
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
  if (entry == Entry::by_itself && taken != Vector6{})
    coupler_.yield(memory_, sample_, view_->motion(), taken);
  step_mechanism(on_port);
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  record_.on_handle = on_handle;
  command({.wrench = on_handle, .X_WH = {}});
}

void HapticLoop::teleoperate() noexcept {
  book_handle();
  if (safety_.memory().stage == Stage::off) return step_mechanism({});
  teleoperation_->look(*view_, sample_, own_dynamics(), safety_.memory().wrench, safety_.share());
  book_hand(teleoperation_->hand());
  step_mechanism(teleoperation_->on_port());
  if (safety_.faulted()) return;
  teleoperation_->stepped(*view_);
  const Vector6 on_handle =
      safety_.limited(teleoperation_->on_handle(safety_.limits().force), guard_wrench());
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
  const double before = books_->hand();
  book_hand(F_h);
  record_.out_of_handle += books_->hand() - before;
  // What the hand gives acts at once: with a share of it the hand would work with F_h where the mechanism gets less, and the rest would come from nowhere. What
  // ramps up is what the mechanism gives: its weight.
  const Vector6 on_port = safety_.limited(F_h, {}, Entry::sensed);
  step_mechanism(on_port);
  if (safety_.faulted() || safety_.memory().stage == Stage::off) return;
  // Handle and port stand to each other as they did when the display began.
  const simulate::PortMotion& port = view_->motion();
  // A servo comes after the port: what the hand has still to give for the way between them is no energy from nowhere.
  const math::Vec3<double> behind = port.X_WP.p - memory_.d - sample_.X_WH.p,
                           twisted = math::rotation_vector(port.X_WP.R * memory_.R_HP.transposed() *
                                                           sample_.X_WH.R.transposed());
  books_->stored(std::hypot(on_port[3], on_port[4], on_port[5]) * std::sqrt(dot(behind, behind)) +
                 std::hypot(on_port[0], on_port[1], on_port[2]) * std::sqrt(dot(twisted, twisted)));
  // The wrench of this tick is sensed where it began, and the motion is shown where it ends: one period later.
  device::Command to;
  to.X_WH = {port.X_WP.R * memory_.R_HP.transposed(), port.X_WP.p - memory_.d};
  to.V_WH = port.V_WP;
  for (std::size_t i = 0; i < 6; ++i) A_commanded_[i] = (port.V_WP[i] - record_.V_P[i]) / period_;
  if (guarded_) {
    // A period until the motion is there, and one until it is sensed.
    const control::Yielding yielding{.periods = 2.0 + device_.specification().latency / period_};
    const Vector6 more = guard_ = control::passivity_motion(yielding, credit(), F_h, period_, guard_);
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

void HapticLoop::step_mechanism(const Vector6& on_port) noexcept {
  Vector6 by_hand = on_port;
  if (teleoperation_ != nullptr)
    for (double& f : by_hand) f *= teleoperation_->force_scale();
  safety_.observe_port(by_hand);
  if (safety_.faulted()) return;
  const simulate::PortMotion from = view_->motion();
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
  const simulate::PortMotion& to = view_->motion();
  const math::Vec3<double> way = to.X_WP.p - from.X_WP.p;
  const double given = work(on_port, from.X_WP.R, to.X_WP.R, way);
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
  if (safety_.memory().stage == Stage::ramping) books_->given(work(carried, from.X_WP.R, to.X_WP.R, way));
}

void HapticLoop::command(const device::Command& command) noexcept {
  commanded_ = command;
  if (!device_.command(command)) safety_.trip(Fault::refused);
}

void HapticLoop::safe_state() noexcept {
  record_.on_handle = record_.on_port = {};
  memory_.engaged = before_ = hand_before_ = false;
  guard_ = {};
  // The last place that was believed, at rest: what an admittance device holds. Where none was, no place is right: it is told nothing, and switched off where it stands.
  commanded_ = {.wrench = {}, .X_WH = safety_.memory().last.X_WH, .V_WH = {}};
  if (!admittance_ || safety_.memory().seen) device_.command(commanded_);
  device_.disable();
}

}  // namespace tactus::display
