// What the bench tells of a motion: times, errors, samples of curves, pictures.
#include <tactus/serve/live/bench.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <tactus/serve/live/leader.h>
#include <tactus/serve/live/rig.h>

namespace tactus::serve {

namespace {

constexpr Nanoseconds kImpactShown = kSecond / 40;  // an impact is in the pictures for so long

/// By the mobility A of a point; along a force F it weighs F.F/(F.A F).
FeltPicture felt_of(const std::array<double, 9>& A, bool own, const Vec3& F) noexcept {
  FeltPicture felt;
  felt.known = true;
  felt.own = own;
  felt.mass = ApparentMass::of(A, std::numeric_limits<double>::infinity());
  double moved = 0.0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) moved += F[i] * A[3 * i + j] * F[j];
  const double square = dot(F, F);
  // What the constraints hold to a millionth of the easiest direction is held (grip.cpp).
  constexpr double kHeld = 1e-6;
  if (square > 0.0)
    felt.along =
        moved > kHeld * square / felt.mass.mass[0] ? square / moved : std::numeric_limits<double>::infinity();
  return felt;
}

}  // namespace

void Bench::book(Work& work) noexcept {
  for (const simulate::Event& event : work.mechanism->events()) {
    Happening happening;
    happening.what = static_cast<std::uint8_t>(event.kind);
    happening.t = event.t;
    happening.pair = event.pair;
    happening.stop = event.stop;
    happening.transition = event.transition;
    happening.value = event.impulse;
    tell(work, happening);
    if (event.kind == simulate::EventKind::impact) {
      hardest_ = std::max(hardest_, event.impulse);
      struck_ = now();
    }
  }
}

/// Of the constraints that are on.
void Bench::look_at_errors(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  position_error_ = velocity_error_ = 0.0;
  const std::vector<simulate::ConstraintOutline>& constraints = mechanism.constraints();
  if (constraints.empty()) return;
  const simulate::ConstraintReport report = mechanism.constraint_report(false);
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!mechanism.is_active(static_cast<int>(i))) continue;
    for (const std::size_t row : constraints[i].position_rows)
      position_error_ = std::max(position_error_, std::abs(report.position_error[row]));
    for (const std::size_t row : constraints[i].rows)
      velocity_error_ = std::max(velocity_error_, std::abs(report.velocity_error[row]));
  }
  worst_position_ = std::max(worst_position_, position_error_);
  worst_velocity_ = std::max(worst_velocity_, velocity_error_);
}

void Bench::sample(Work& work) noexcept {
  std::vector<double>* const slot = work.samples.begin();
  if (slot == nullptr) return;
  simulate::Mechanism& mechanism = *work.mechanism;
  std::vector<double>& row = *slot;
  const simulate::State& state = mechanism.state();
  row[0] = state.t;
  row[1] = seconds(now());
  std::copy(state.q.begin(), state.q.end(), row.begin() + 2);
  std::copy(state.u.begin(), state.u.end(), row.begin() + 2 + static_cast<std::ptrdiff_t>(state.q.size()));
  double* const more = row.data() + work.first_column();
  const simulate::Energies energy = mechanism.energies();
  const Vec3& F = hold_.force;
  more[Work::kKinetic] = energy.kinetic;
  more[Work::kPotential] = energy.potential;
  more[Work::kTotal] = energy.kinetic + energy.potential;
  more[Work::kPosition] = position_error_;
  more[Work::kVelocity] = velocity_error_;
  more[Work::kForceX] = F.x;
  more[Work::kForceY] = F.y;
  more[Work::kForceZ] = F.z;
  more[Work::kForce] = std::sqrt(dot(F, F));
  more[Work::kStretch] = 0.0;
  if (hold_.on) {
    const math::Pose<double>& X =
        mechanism.motion(work.port_of_body[static_cast<std::size_t>(hold_.body)]).X_WP;
    const Vec3 stretch = hold_.target - (X.p + X.R * hold_.point_B);
    more[Work::kStretch] = std::sqrt(dot(stretch, stretch));
  }
  more[Work::kCompute] = seconds(compute_);
  more[Work::kWake] = seconds(wake_);
  more[Work::kContacts] = mechanism.contact_report().contacts;
  if (work.led > 0) {
    double* const control = row.data() + work.control_column();
    const bool on = work.leader != nullptr && work.leader->on();
    for (std::size_t i = 0; i < work.led; ++i) {
      control[i] = on ? work.leader->torque()[i] : 0.0;
      control[work.led + i] = on ? work.leader->error()[i] : 0.0;
    }
  }
  work.samples.commit();
}

void Bench::publish(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  Picture& picture = work.pictures.back();
  shown_ = now();
  picture.t = mechanism.state().t;
  picture.clock = seconds(shown_);
  for (std::size_t b = 0; b < work.port_of_body.size(); ++b) {
    const std::array<float, 7> numbers =
        numbers_of(b == 0 ? math::Pose<double>{} : mechanism.motion(work.port_of_body[b]).X_WP);
    std::copy(numbers.begin(), numbers.end(), picture.poses.begin() + static_cast<std::ptrdiff_t>(7 * b));
  }
  picture.contact_count = std::min(mechanism.contact_points(picture.contacts), picture.contacts.size());
  HandPicture& hand = picture.hand;
  hand = {};
  if (hold_.on) {
    const math::Pose<double>& X =
        mechanism.motion(work.port_of_body[static_cast<std::size_t>(hold_.body)]).X_WP;
    hand.body = hold_.body;
    hand.client = hold_.client;
    hand.sequence = hold_.sequence;
    hand.delay = hold_.delay;
    hand.point = X.p + X.R * hold_.point_B;
    hand.target = hold_.target;
    hand.force = hold_.force;
    hand.torque = hold_.torque;
    hand.turning = hold_.turning;
    hand.clamped = hold_.clamped;
    hand.stiffness = hold_.coupling.stiffness;
    hand.ratio = hold_.coupling.ratio;
    hand.most = hold_.coupling.force;
    hand.limit = passive_limit(hold_.mass, mechanism.step_length());
    hand.mass = hold_.mass.mass[0];
    hand.designed = hold_.designed;
    if (hold_.looked >= 0) hand.felt = felt_of(hold_.mobility, hold_.own, hold_.force);
  }
  look_at_probe(work);
  picture.probe = {};
  if (probe_.body > 0)
    picture.probe = {probe_.body, probe_.point_B, felt_of(probe_.mobility, probe_.own, {})};
  show_control(work, picture.control);
  hand.pushing = push_.until != 0;
  hand.push = push_.force;
  picture.has_handle = work.rig != nullptr && work.rig->has_handle();
  if (picture.has_handle) picture.handle = numbers_of(work.rig->handle());
  picture.paused = paused_;
  picture.faulted = faulted_;
  picture.recording = recording_;
  picture.events = events_;
  if (shown_ - struck_ > kImpactShown) hardest_ = 0.0;
  picture.hardest = hardest_;
  picture.ticks = ticks_;
  picture.missed = missed_;
  picture.late = late_;
  picture.rate = rate_;
  picture.held = held_;
  picture.position_error = position_error_;
  picture.velocity_error = velocity_error_;
  picture.worst_position = worst_position_;
  picture.worst_velocity = worst_velocity_;
  const simulate::Energies energy = mechanism.energies();
  picture.kinetic = energy.kinetic;
  picture.potential = energy.potential;
  for (std::size_t i = 0; i < picture.active.size(); ++i)
    picture.active[i] = mechanism.is_active(static_cast<int>(i));
  for (std::size_t i = 0; i < picture.parameters.size(); ++i)
    picture.parameters[i] = mechanism.parameter_value(static_cast<int>(i));
  work.pictures.publish();
}

void Bench::show_control(Work& work, ControlPicture& control) noexcept {
  control.joints = work.led;
  if (work.led == 0) return;
  const simulate::State& state = work.mechanism->state();
  std::copy_n(state.q.begin(), work.led, control.q.begin());
  control.on = work.leader != nullptr && work.leader->on();
  if (!control.on) return;
  const Leader& leader = *work.leader;
  control.law = static_cast<std::uint8_t>(leader.wish().law);
  control.target = static_cast<std::uint8_t>(leader.wish().target);
  control.re = leader.wish().re;
  control.im = leader.wish().im;
  control.seconds = leader.wish().seconds;
  control.cut = leader.cut();
  std::copy_n(leader.most().begin(), work.led, control.most.begin());
  control.torque = leader.torque();
  control.wanted = leader.wanted();
  control.rate = leader.wanted_rate();
  control.acceleration = leader.wanted_acceleration();
  control.error = leader.error();
  control.largest = leader.largest();
}

}  // namespace tactus::serve
