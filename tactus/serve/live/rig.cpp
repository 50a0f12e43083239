#include <tactus/serve/live/rig.h>

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>

#include <tactus/base/error.h>
#include <tactus/control/coupler_design.h>
#include <tactus/device/drivers/pointer.h>
#include <tactus/device/registry.h>
#include <tactus/serve/live/work.h>

namespace tactus::serve {

namespace {

/// How the port moves: its inertia {kg m^2, kg} and its way in the easiest direction.
struct Grasp {
  std::array<double, 2> inertia{};
  Vec3 ahead{}, aside{};
};

Grasp grasp_of(simulate::Mechanism& mechanism, int port) {
  std::array<double, 36> L{};
  mechanism.mobility(port, L);
  if (!std::all_of(L.begin(), L.end(), [](double x) { return std::isfinite(x); }))
    throw InputError({}, "the equations are singular here: nothing can be felt",
                     "let the mechanism move on, and choose the device again");
  constexpr double kWall = 1e12;  // what cannot move at all
  const ApparentMass turning = ApparentMass::of(mobility_of_turning(L), kWall),
                     moving = ApparentMass::of(mobility_of_point(L, {}), kWall);
  return {{turning.mass[0], moving.mass[0]}, moving.direction[0], moving.direction[1]};
}

int port_of(const Work& work) {
  if (!work.choice.port.empty()) return work.mechanism->port(work.choice.port);
  if (work.mechanism->ports().front().frame >= 0) return 0;
  return static_cast<int>(work.mechanism->ports().size()) - 1;
}

/// As stiff and as damped as suits what it moves, and as the device bears.
device::HandPointer hand_of(const Work& work, const Grasp& grasp, const device::Device& held) {
  const device::Specification& s = held.specification();
  constexpr double kPart = 0.2, kFree = 0.05,
                   kPeriod = 2.0;  // of the workspace; [m] where nothing bounds it; [s]
  const double size = s.workspace.x > 0.0 ? kPart * s.workspace.x : kFree;
  const Vec3 way = size * grasp.ahead, aside = size * grasp.aside;
  constexpr double kWall = 1e3;  // [kg], [kg m^2] no load that an arm would move
  std::array<double, 2> load = s.inertia;
  for (std::size_t k = 0; k < 2; ++k)
    if (grasp.inertia[k] < kWall) load[k] += grasp.inertia[k];
  const device::Arm arm = device::within(held.hand_limits(), device::arm_for(load));
  const std::string& name = work.choice.hand;
  if (name == "stroke") return device::following(device::strokes(way, kPeriod), arm);
  if (name == "circle") return device::following(device::circles(way, aside, kPeriod), arm);
  if (name == "tap") return device::following(device::taps(way, 0.5 * kPeriod), arm);
  if (name == "none") return device::none();
  return device::hold(arm);
}

/// What a pointer moves {kg m^2, kg}, in the easiest direction: no more than all of it.
std::array<double, 2> load_of(const Work& work, const Grasp& grasp) {
  return {std::min(grasp.inertia[0], work.heavy * work.radius * work.radius),
          std::min(grasp.inertia[1], work.heavy)};
}

/// As strong as what it moves is heavy.
device::PointerOptions pointer_of(const Work& work, const Grasp& grasp) {
  constexpr std::array<double, 2> kTableTop{0.02, 2.0};  // [kg m^2], [kg] that such a device is for
  const std::array<double, 2> load = load_of(work, grasp);
  return {.rate = 1.0 / work.choice.step,
          .owns_clock = false,
          .turning = work.choice.device == "pointer:turning",
          .strength = {std::max(1.0, load[0] / kTableTop[0]), std::max(1.0, work.heavy / kTableTop[1])}};
}

/// No force moves a cursor, and no device burns what the coupler makes: the port alone hangs on it, as on the page's own hand (grip.h),
/// critically damped at w, which is below the passive limit there (kShare/T) by a margin for places where the port is lighter.
control::CouplerGains pointer_gains(const Work& work, const Grasp& grasp) {
  constexpr double kFrequency = 40.0;  // [rad/s] of what hangs on it: 6 mm under its own weight
  constexpr double kMargin = 0.3;      // a port that is ten times as light is stable, too
  const double w = std::min(kFrequency, kMargin * kShare / work.choice.step);
  const std::array<double, 2> load = load_of(work, grasp);
  control::CouplerGains gains;
  for (std::size_t k = 0; k < 2; ++k) {
    gains.stiffness[k] = load[k] * w * w;
    gains.damping[k] = 2.0 * load[k] * w;
  }
  return gains;
}

}  // namespace

Rig::Rig(Work& work)
    : mechanism_(*work.mechanism),
      port_(port_of(work)),
      body_(mechanism_.ports()[static_cast<std::size_t>(port_)].body) {
  const Grasp grasp = grasp_of(mechanism_, port_);
  if (is_pointer(work.choice.device)) {
    auto pointer = std::make_unique<device::Pointer>(pointer_of(work, grasp));
    pointer_ = pointer.get();
    device_ = std::move(pointer);
  } else {
    const device::DeviceOptions options{.rate = 1.0 / work.choice.step};
    // The hand is chosen by what the device bears: a twin tells it.
    const auto twin = device::open(work.choice.device, device::none(), options);
    device_ = device::open(work.choice.device, hand_of(work, grasp, *twin), options);
  }
  const device::Specification& s = device_->specification();
  if (s.owns_clock)
    throw InputError({}, "device `" + s.name + "` has a clock of its own, and the page has one, too",
                     "take `tactus haptic` for it");
  control::CouplerGains gains;
  if (pointer_ != nullptr)
    gains = pointer_gains(work, grasp);
  else if (s.kind == device::Kind::impedance)
    gains = control::design(s, grasp.inertia, 0.5);
  limits_ = control::limits_for(s);
  loop_ = std::make_unique<display::HapticLoop>(*work.mechanism, *device_, port_, gains, limits_);
  loop_->share_mechanism();  // with the page
  if (work.choice.controller != "coupler") {
    control::FourChannelGains four;
    constexpr double kFrequency = 10.0;  // [rad/s] of the weak spring that keeps both in one place
    for (std::size_t k = 0; k < 2; ++k) {
      four.coordination.stiffness[k] = grasp.inertia[k] * kFrequency * kFrequency;
      four.coordination.damping[k] = 2.0 * grasp.inertia[k] * kFrequency;
    }
    four.penalties = work.choice.controller == "penalties";
    four.joint_stiffness = 200.0;  // [1/s^2]
    four.joint_damping = 50.0;     // [1/s]
    loop_->use(four);
  }
  if (pointer_ == nullptr && !loop_->enable())
    throw InputError({}, "device `" + s.name + "` could not be switched on",
                     "look at it, and choose it again");
}

simulate::Tick Rig::tick(std::span<const simulate::PortWrench> besides) noexcept {
  loop_->beside(besides);
  if (!device_->wait())
    loop_->lost();
  else
    loop_->tick(loop_->period());
  simulate::Tick made{loop_->record().status, loop_->record().events};
  if (faulted() && made.ok()) made.status |= simulate::Status::bad_input;
  return made;
}

bool Rig::applied(simulate::PortWrench& wrench) const noexcept {
  wrench = {port_, loop_->record().on_port};
  return std::any_of(wrench.wrench.begin(), wrench.wrench.end(), [](double x) { return x != 0.0; });
}

void Rig::restart() noexcept {
  loop_->disable();
  loop_->clear();
  if (pointer_ == nullptr)
    loop_->enable();
  else
    pointer_->plug_in(mechanism_.motion(port_).X_WP.p);
}

// The handle is put where the port is: what was seen of it before does not count.
bool Rig::take() noexcept {
  p_taken_ = mechanism_.motion(port_).X_WP.p;
  loop_->disable();
  loop_->clear();
  pointer_->plug_in(p_taken_);
  return loop_->enable();
}

void Rig::point(const math::Vec3<double>& way, const math::Vec3<double>& turn) noexcept {
  pointer_->point({p_taken_ + way, turn});
}

void Rig::let_go() noexcept { loop_->disable(); }

void Rig::lose() noexcept { pointer_->close(); }

bool Rig::has_handle() const noexcept {
  return pointer_ == nullptr || loop_->safety().stage == control::Stage::ramping ||
         loop_->safety().stage == control::Stage::on;
}

bool Rig::faulted() const noexcept { return loop_->safety().stage == control::Stage::faulted; }

std::string Rig::words() const { return control::said_of(loop_->safety()); }

std::string Rig::why() const {
  if (pointer_ != nullptr)
    if (std::string trouble = pointer_->trouble(); !trouble.empty()) return trouble;
  const simulate::Status status = loop_->record().status;
  return status.ok() ? std::string() : mechanism_.explain(status);
}

}  // namespace tactus::serve
