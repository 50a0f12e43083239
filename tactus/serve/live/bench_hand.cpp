// The page's hand on the bench: what it holds, how heavy that is, and how it pulls.
#include <tactus/serve/live/bench.h>

#include <algorithm>
#include <cmath>

#include <tactus/math/rotation_vector.h>
#include <tactus/serve/live/rig.h>

namespace tactus::serve {

namespace {

constexpr double kFilter = 3e-3;   // [s] of the cursor, which comes in steps
constexpr double kLooking = 0.25;  // of a period may go into looking at the apparent mass
constexpr double kSpeed = 12.0;    // [1/s] times the mechanism's size: the hand drives nothing faster

constexpr Nanoseconds kProbeEvery = kSecond / 25;

Mat3 in_world(const Mat3& R, const Mat3& I) { return R * I * R.transposed(); }

}  // namespace

void Bench::grab(Work& work, const Command& command) noexcept {
  const int port = work.port_of_body[static_cast<std::size_t>(command.index)];
  if (port < 0) return refuse(work, command);
  release(work, false);
  hold_.on = true;
  hold_.body = command.index;
  hold_.client = command.client;
  hold_.sequence = command.sequence;
  hold_.arrived = command.arrived;
  hold_.fresh = true;
  hold_.point_B = command.a;
  hold_.target = command.b;
  const math::Pose<double>& X = work.mechanism->motion(port).X_WP;
  hold_.filtered = hold_.p_at_grab = X.p + X.R * hold_.point_B;  // it begins without force
  hold_.R_at_grab = X.R;
  if (work.rig == nullptr || !work.rig->is_held_at(hold_.body)) return;
  hold_.by_device = work.rig->take();
  if (hold_.by_device) return;
  hold_ = {};
  refuse(work, command);
}

/// The page opens its hand, or is gone.
void Bench::release(Work& work, bool gone) noexcept {
  if (hold_.by_device) gone ? work.rig->lose() : work.rig->let_go();
  let_go();
}

/// How heavy the point is now, and what spring suits it. What moves by whole steps is asked for by its own mass alone: its answer
/// to a push is a step.
void Bench::weigh(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  const auto body = static_cast<std::size_t>(hold_.body);
  const int port = work.port_of_body[body];
  const math::Pose<double> X = mechanism.motion(port).X_WP;
  const BodyMass& own = work.masses[body];
  const double heavy_turning = work.heavy * work.radius * work.radius;
  if (mechanism.kind() == simulate::EngineKind::stepping && own.mass > 0.0) {
    const Mat3 I = in_world(X.R, own.inertia);
    hold_.mobility = mobility_of_free_body(own.mass, I, X.R * (hold_.point_B - own.com));
    hold_.own = true;
    hold_.inertia = ApparentMass::of(mobility_of_free_body(own.mass, I, {}), work.heavy);
    for (std::size_t k = 0; k < 3;
         ++k) {  // of a sphere of the same mass, where it has no inertia to speak of
      const double least = 0.01 * own.mass * work.radius * work.radius;
      const double along = dot(hold_.inertia.direction[k], I * hold_.inertia.direction[k]);
      hold_.inertia.mass[k] = along > 0.0 ? along : least;
    }
  } else {
    std::array<double, 36> L{};
    mechanism.mobility(port, L);
    hold_.mobility = mobility_of_point(L, X.R * hold_.point_B);
    hold_.own = false;
    hold_.inertia = ApparentMass::of(mobility_of_turning(L), heavy_turning);
  }
  hold_.mass = ApparentMass::of(hold_.mobility, work.heavy);
  const double T = mechanism.step_length();
  const Coupling designed = design_coupling(hold_.mass, work.heavy, work.radius, work.gravity, T);
  hold_.designed = !(wished_.stiffness > 0.0);
  // A spring that was designed stays what it was at the grab: what is felt shall not change by itself.
  if (!hold_.designed)
    hold_.coupling.stiffness = wished_.stiffness;
  else if (!(hold_.coupling.stiffness > 0.0))
    hold_.coupling = designed;
  hold_.coupling.ratio = wished_.ratio > 0.0 ? wished_.ratio : 1.0;
  if (wished_.force > 0.0)
    hold_.coupling.force = wished_.force;
  else if (!(hold_.coupling.force > 0.0) || !hold_.designed)
    hold_.coupling.force = std::max(designed.force, 0.5 * work.radius * hold_.coupling.stiffness);
  hold_.looked = ticks_;
}

/// The same at a point that nobody holds: some times per second, and with no more than a quarter of the loop's time.
void Bench::look_at_probe(Work& work) noexcept {
  const Nanoseconds begun = now();
  if (probe_.body <= 0 || begun < probe_.due) return;
  simulate::Mechanism& mechanism = *work.mechanism;
  const auto body = static_cast<std::size_t>(probe_.body);
  const math::Pose<double> X = mechanism.motion(work.port_of_body[body]).X_WP;
  const BodyMass& own = work.masses[body];
  probe_.own = mechanism.kind() == simulate::EngineKind::stepping && own.mass > 0.0;
  if (probe_.own) {
    probe_.mobility =
        mobility_of_free_body(own.mass, in_world(X.R, own.inertia), X.R * (probe_.point_B - own.com));
  } else {
    std::array<double, 36> L{};
    mechanism.mobility(work.port_of_body[body], L);
    probe_.mobility = mobility_of_point(L, X.R * probe_.point_B);
  }
  probe_.dearness = std::min(probe_.dearness, seconds(now() - begun));
  probe_.due = begun + std::max(kProbeEvery, static_cast<Nanoseconds>(1e9 * probe_.dearness / kLooking));
}

void Bench::pull(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  const double T = mechanism.step_length();
  const int port = work.port_of_body[static_cast<std::size_t>(hold_.body)];
  // The directions turn with the body: they are looked at in every tick, unless that is too dear.
  if (hold_.looked < 0 || ticks_ - hold_.looked >= hold_.look_every) {
    const Nanoseconds begun = now();
    weigh(work);
    // The least of all looks is what it takes; the rest is what else the machine had to do.
    hold_.dearness = std::min(hold_.dearness, seconds(now() - begun));
    hold_.look_every = 1 + static_cast<long>(hold_.dearness / (kLooking * T));
  }
  if (hold_.fresh) {
    hold_.delay = static_cast<float>(seconds(now() - hold_.arrived));
    hold_.fresh = false;
    if (hold_.by_device) work.rig->point(hold_.target - hold_.p_at_grab, hold_.turn);
  }
  if (hold_.by_device) {
    hold_.coupling.stiffness = work.rig->stiffness();
    return;
  }
  const simulate::PortMotion& motion = mechanism.motion(port);
  const Vec3 r = motion.X_WP.R * hold_.point_B, p = motion.X_WP.p + r;
  const Vec3 w{motion.V_WP[0], motion.V_WP[1], motion.V_WP[2]};
  const Vec3 v = Vec3{motion.V_WP[3], motion.V_WP[4], motion.V_WP[5]} + cross(w, r);
  hold_.filtered = hold_.filtered + (-std::expm1(-T / kFilter)) * (hold_.target - hold_.filtered);
  Vec3 F = spring_force(hold_.coupling, hold_.mass, hold_.filtered - p, v, T, &hold_.clamped);
  // No faster than the hand's limit, along the way that it goes.
  // Nor may all of it together gain more energy than a fall and a swing of that speed have.
  const double speed = std::sqrt(dot(v, v)), most = kSpeed * work.radius;
  if (const double power = dot(F, v); power > 0.0) {
    constexpr double kFalls = 4.0;
    const double energy = mechanism.energies().kinetic,
                 enough = work.heavy * (0.5 * most * most + kFalls * work.gravity * work.radius);
    const double over = std::max(speed / most, std::sqrt(energy / enough)) - 1.0;
    if (over > 0.0) F = F - (std::min(1.0, over) * power / (speed * speed)) * v;
  }
  hold_.force = F;
  hold_.torque = {};
  if (hold_.turning) {
    // The same spring for turning: as fast as that for moving.
    Coupling turning = hold_.coupling;
    const double mean = hold_.mass.mean(work.heavy);
    const double heavy_turning = work.heavy * work.radius * work.radius;
    turning.stiffness = hold_.coupling.stiffness / mean * hold_.inertia.mean(heavy_turning);
    turning.force = 2.0 * turning.stiffness;
    const Mat3 R_wanted = math::rotation_of(math::exponential(hold_.turn)) * hold_.R_at_grab;
    const Vec3 stretch = math::rotation_vector(R_wanted * motion.X_WP.R.transposed());
    hold_.torque = spring_force(turning, hold_.inertia, stretch, w, T, nullptr);
  }
  const Vec3 torque = cross(r, F) + hold_.torque;
  acting_[acting_count_++] = {port, {torque.x, torque.y, torque.z, F.x, F.y, F.z}};
}

std::size_t Bench::wrenches(Work& work) noexcept {
  acting_count_ = 0;
  if (hold_.on) pull(work);
  if (push_.until != 0 && now() > push_.until) push_ = {};
  if (push_.until != 0) {
    const int port = work.port_of_body[static_cast<std::size_t>(push_.body)];
    const Vec3 r = work.mechanism->motion(port).X_WP.R * push_.point_B, F = push_.force, torque = cross(r, F);
    acting_[acting_count_++] = {port, {torque.x, torque.y, torque.z, F.x, F.y, F.z}};
  }
  return acting_count_;
}

}  // namespace tactus::serve
