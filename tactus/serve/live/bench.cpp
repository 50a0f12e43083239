#include <tactus/serve/live/bench.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <tactus/math/rotation_vector.h>
#include <tactus/serve/live/rig.h>

namespace tactus::serve {

namespace {

constexpr Nanoseconds kIdle = kSecond / 1000;     // between two looks while nothing moves
constexpr Nanoseconds kPictures = kSecond / 250;  // between two pictures
constexpr Nanoseconds kPushLasts =
    kSecond / 2;  // after the last message: a page that went away pushes no more
constexpr Nanoseconds kImpactShown = kSecond / 40;  // an impact is in the pictures for so long
constexpr double kFilter = 3e-3;                    // [s] of the cursor, which comes in steps
constexpr double kLooking = 0.25;                   // of a period may go into looking at the apparent mass
constexpr double kSpeed = 12.0;         // [1/s] times the mechanism's size: the hand drives nothing faster
constexpr double kWayBackEvery = 0.25;  // [s] of simulated time between two ways back
constexpr double kGoodAgain = 1.0;      // [s] after which a failure is forgotten
constexpr int kCommandsPerTick = 64;

double seconds(Nanoseconds ns) { return 1e-9 * static_cast<double>(ns); }

void ask_for_priority(int priority, std::atomic<bool>& granted) {
  if (priority <= 0) return;
  sched_param wanted{};
  wanted.sched_priority = priority;
  granted.store(pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0, std::memory_order_relaxed);
}

Mat3 in_world(const Mat3& R, const Mat3& I) { return R * I * R.transposed(); }

}  // namespace

Bench::Bench(const BenchOptions& options) : commands_(1024) {
  if (!options.thread) return;
  thread_ = std::thread([this, priority = options.priority] {
    pthread_setname_np(pthread_self(), "tactus-loop");
    ask_for_priority(priority, priority_);
    run();
  });
}

Bench::~Bench() {
  ending_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

void Bench::borrow(const std::function<void(Place&)>& use) {
  const std::lock_guard lock(borrowing_);
  const std::uint64_t number = asked_.load(std::memory_order_relaxed) + 1;
  asked_.store(number, std::memory_order_release);
  while (thread_.joinable() && granted_.load(std::memory_order_acquire) != number)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  Place before = place_;
  const auto give_back = [&] {
    work_ = place_.get();
    changed_ |= place_ != before;
    returned_.store(number, std::memory_order_release);
  };
  try {
    use(place_);
  } catch (...) {
    give_back();
    throw;
  }
  give_back();
  // What was there ends here, not in the loop.
}

void Bench::advance(long ticks) noexcept {
  if (work_ == nullptr) return;
  Work& work = *work_;
  if (std::exchange(changed_, false)) begin(work);
  if (std::exchange(work.record_from_here, false)) {
    recording_ = true;
    recorded_ = 0;
  }
  for (long i = 0; i < ticks; ++i) {
    obey(work);
    if (faulted_) break;
    tick(work);
    look_at_errors(work);
  }
  sample(work);
  publish(work);
}

Bench::Place Bench::work() const {
  const std::lock_guard lock(borrowing_);
  return place_;
}

void Bench::run() noexcept {
  Nanoseconds deadline = now(), lent_at = 0;
  bool lent = false;
  while (!ending_.load(std::memory_order_acquire)) {
    sleep_until(deadline);
    const Nanoseconds woke = now();
    if (const std::uint64_t asked = asked_.load(std::memory_order_acquire);
        asked != returned_.load(std::memory_order_acquire)) {
      if (!lent) lent_at = woke;
      lent = true;
      granted_.store(asked, std::memory_order_release);
      deadline = woke + kIdle / 4;
      continue;
    }
    if (lent) {
      lent = false;
      held_ += seconds(woke - lent_at);
      if (changed_ && work_ != nullptr) begin(*work_);
      changed_ = false;
      if (work_ != nullptr && std::exchange(work_->record_from_here, false)) {
        recording_ = true;
        recorded_ = 0;
      }
      deadline = woke;
    }
    if (work_ == nullptr) {
      deadline = woke + kIdle;
      continue;
    }
    Work& work = *work_;
    obey(work);
    const bool moves = !faulted_ && (!paused_ || steps_left_ > 0);
    if (!moves) {
      if (woke - shown_ >= 4 * kPictures) publish(work);
      deadline = woke + kIdle;
      continue;
    }
    if (steps_left_ > 0) --steps_left_;
    wake_ = woke - deadline;
    tick(work);
    const Nanoseconds done = now();
    compute_ = done - woke;
    work.times.put({wake_, compute_});
    if (done - shown_ >= kPictures - kIdle / 4 || faulted_) {
      look_at_errors(work);
      sample(work);
      publish(work);
    }
    const auto period = static_cast<Nanoseconds>(1e9 * work.mechanism->step_length() / rate_);
    late_ += compute_ > period;
    deadline += period;
    if (const Nanoseconds behind = now() - deadline; behind > 0) {
      const Nanoseconds missed = behind / period;
      missed_ += missed;
      deadline += missed * period;
      // A mechanism that is too dear for its step leaves the processor to others from time to time.
      deadline = std::max(deadline, now() + compute_ / 8);
    }
  }
}

void Bench::begin(Work& work) noexcept {
  hold_ = {};
  push_ = {};
  wished_ = {};
  faulted_ = recording_ = false;
  steps_left_ = 0;
  ticks_ = missed_ = late_ = recorded_ = 0;
  events_ = 0;
  held_ = hardest_ = 0.0;
  back_at_ = back_count_ = back_used_ = 0;
  back_due_ = work.mechanism->state().t;
  failed_at_ = -1.0;
  engine_ = work.mechanism->kind();
  worst_position_ = worst_velocity_ = 0.0;
  look_at_errors(work);
  publish(work);
}

void Bench::tell(Work& work, const Happening& happening) noexcept {
  ++events_;
  work.happenings.put(happening);
}

void Bench::refuse(Work& work, const Command& command) noexcept {
  Happening happening;
  happening.kind = Happening::Kind::refused;
  happening.what = static_cast<std::uint8_t>(command.kind);
  happening.index = command.index;
  happening.value = command.value;
  happening.client = command.client;
  happening.request = command.request;
  happening.t = work.mechanism->state().t;
  work.happenings.put(happening);
}

void Bench::obey(Work& work) noexcept {
  for (int i = 0; i < kCommandsPerTick; ++i) {
    const Command* command = commands_.front();
    if (command == nullptr) return;
    if (command->scene == work.scene) obey(work, *command);
    commands_.pop();
  }
}

void Bench::obey(Work& work, const Command& command) noexcept {
  using Kind = Command::Kind;
  simulate::Mechanism& mechanism = *work.mechanism;
  Happening done;
  done.t = mechanism.state().t;
  done.index = command.index;
  done.value = command.value;
  done.client = command.client;
  done.request = command.request;
  done.more = static_cast<double>(recorded_);
  switch (command.kind) {
    case Kind::grab:
      return grab(work, command);
    case Kind::move:
      if (!hold_.on) return;
      hold_.target = command.a;
      hold_.turn = command.b;
      hold_.turning = hold_.turning || dot(command.b, command.b) > 0.0;
      hold_.sequence = command.sequence;
      hold_.arrived = command.arrived;
      hold_.fresh = true;
      return;
    case Kind::release:
      return let_go();
    case Kind::push:
      push_.body = command.index;
      push_.force = command.a;
      push_.point_B = command.b;
      push_.until = dot(command.a, command.a) > 0.0 ? command.arrived + kPushLasts : 0;
      return;
    case Kind::coupling:
      wished_ = {command.a.x, command.a.y, command.a.z};
      hold_.looked = -1;
      return;
    case Kind::parameter:
      if (!mechanism.set_parameter(command.index, command.value)) return refuse(work, command);
      done.kind = Happening::Kind::parameter;
      hold_.looked = -1;
      return tell(work, done);
    case Kind::parameters_reset:
      // All at once may be possible where one after the other is not: twice, in either order.
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t i = 0; i < work.initial_parameters.size(); ++i)
          mechanism.set_parameter(static_cast<int>(i), work.initial_parameters[i]);
      done.kind = Happening::Kind::parameter;
      done.index = -1;
      return tell(work, done);
    case Kind::constraint:
      if (!mechanism.set_active(command.index, command.value != 0.0)) return refuse(work, command);
      done.kind = Happening::Kind::constraint;
      return tell(work, done);
    case Kind::pause:
      paused_ = true;
      return;
    case Kind::run:
      paused_ = false;
      steps_left_ = 0;
      return;
    case Kind::step:
      paused_ = true;
      steps_left_ = command.index;
      return;
    case Kind::rate:
      rate_ = command.value;
      return;
    case Kind::reset:
    case Kind::load:
      if (!mechanism.load(*work.snapshots[static_cast<std::size_t>(command.index)]))
        return refuse(work, command);
      let_go();
      faulted_ = recording_ = false;
      worst_position_ = worst_velocity_ = 0.0;
      back_count_ = back_used_ = 0;
      back_due_ = mechanism.state().t;
      failed_at_ = -1.0;
      if (work.rig != nullptr) work.rig->restart();
      done.kind = command.kind == Kind::reset ? Happening::Kind::reset : Happening::Kind::loaded;
      look_at_errors(work);
      publish(work);
      return tell(work, done);
    case Kind::save:
      if (!mechanism.save(*work.snapshots[static_cast<std::size_t>(command.index)]))
        return refuse(work, command);
      done.kind = Happening::Kind::saved;
      work.happenings.put(done);
      return;
    case Kind::clear_fault:
      let_go();
      push_ = {};
      faulted_ = false;
      back_used_ = 0;
      if (work.rig != nullptr) work.rig->restart();
      return;
    case Kind::record_end:
      recording_ = false;
      return;
  }
}

void Bench::grab(Work& work, const Command& command) noexcept {
  const int port = work.port_of_body[static_cast<std::size_t>(command.index)];
  if (port < 0) return refuse(work, command);
  hold_ = {};
  hold_.on = true;
  hold_.body = command.index;
  hold_.client = command.client;
  hold_.sequence = command.sequence;
  hold_.arrived = command.arrived;
  hold_.fresh = true;
  hold_.point_B = command.a;
  hold_.target = command.b;
  const math::Pose<double>& X = work.mechanism->motion(port).X_WP;
  hold_.filtered = X.p + X.R * hold_.point_B;  // it begins without force
  hold_.R_at_grab = X.R;
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
    hold_.mass =
        ApparentMass::of(mobility_of_free_body(own.mass, I, X.R * (hold_.point_B - own.com)), work.heavy);
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
    hold_.mass = ApparentMass::of(mobility_of_point(L, X.R * hold_.point_B), work.heavy);
    hold_.inertia = ApparentMass::of(mobility_of_turning(L), heavy_turning);
  }
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

void Bench::pull(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  const double T = mechanism.step_length();
  const int port = work.port_of_body[static_cast<std::size_t>(hold_.body)];
  // The directions turn with the body: they are looked at in every tick, unless that is too dear.
  if (hold_.looked < 0 || ticks_ - hold_.looked >= hold_.look_every) {
    const Nanoseconds begun = now();
    weigh(work);
    hold_.look_every = 1 + static_cast<long>(seconds(now() - begun) / (kLooking * T));
  }
  if (hold_.fresh) {
    hold_.delay = static_cast<float>(seconds(now() - hold_.arrived));
    hold_.fresh = false;
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

void Bench::tick(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  wrenches(work);
  simulate::Tick made;
  if (work.rig != nullptr) {
    made = work.rig->tick({acting_.data(), acting_count_});
    if (work.rig->applied(acting_[acting_count_])) ++acting_count_;
  } else {
    made = mechanism.step({.tau = {}, .ports = {acting_.data(), acting_count_}, .wrench = {}});
  }
  if (!made.ok() && acting_count_ > 0 && work.rig == nullptr) {
    // The mechanism could not follow the hand: it stands where it stood, and goes on without.
    Happening happening;
    happening.kind = Happening::Kind::let_go;
    happening.t = mechanism.state().t;
    happening.bits = made.status.bits();
    let_go();
    push_ = {};
    acting_count_ = 0;
    made = mechanism.step({});
    if (made.ok()) tell(work, happening);
  }
  if (!made.ok()) {
    if (work.rig != nullptr || !go_back(work, made.status)) fault(work, made.status);
    return;
  }
  if (recording_) {
    work.inputs.put({recorded_, acting_count_, acting_});
    ++recorded_;
  }
  ++ticks_;
  book(work);
  if (mechanism.state().t >= back_due_) remember(work);
  if (const simulate::EngineKind kind = mechanism.kind(); kind != engine_) {
    engine_ = kind;
    Happening happening;
    happening.kind = Happening::Kind::engine;
    happening.what = static_cast<std::uint8_t>(kind);
    happening.t = mechanism.state().t;
    tell(work, happening);
  }
}

void Bench::remember(Work& work) noexcept {
  back_due_ = work.mechanism->state().t + kWayBackEvery;
  if (failed_at_ >= 0.0 && work.mechanism->state().t < failed_at_ + kGoodAgain) return;
  failed_at_ = -1.0;
  back_used_ = 0;
  if (!work.mechanism->save(*work.ways_back[back_at_])) return;
  back_at_ = (back_at_ + 1) % Work::kWaysBack;
  back_count_ = std::min(back_count_ + 1, Work::kWaysBack);
}

/// The motion cannot go on by itself: it goes back to where it was a while ago, further where that did not help, and to the start
/// in the end. False: that does not help either.
bool Bench::go_back(Work& work, simulate::Status status) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  const double t = mechanism.state().t;
  const std::size_t steps = back_used_++;
  if (steps > back_count_) return false;
  const simulate::Snapshot& to =
      steps < back_count_ ? *work.ways_back[(back_at_ + 2 * Work::kWaysBack - 1 - steps) % Work::kWaysBack]
                          : *work.snapshots[0];
  if (!mechanism.load(to)) return false;
  let_go();
  push_ = {};
  recording_ = false;
  failed_at_ = std::max(failed_at_, t);
  back_due_ = mechanism.state().t + kWayBackEvery;
  Happening happening;
  happening.kind = Happening::Kind::went_back;
  happening.t = t;
  happening.value = t - mechanism.state().t;
  happening.bits = status.bits();
  tell(work, happening);
  return true;
}

void Bench::fault(Work& work, simulate::Status status) noexcept {
  faulted_ = true;
  let_go();
  push_ = {};
  recording_ = false;
  Happening happening;
  happening.kind = Happening::Kind::fault;
  happening.t = work.mechanism->state().t;
  happening.bits = status.bits();
  // Nothing moves from here on: words may take their time.
  Fault& words = work.faults.back();
  words.t = happening.t;
  try {
    words.what = work.rig != nullptr && work.rig->faulted() ? work.rig->words() : "the motion cannot go on";
    words.why = status.ok() ? std::string() : work.mechanism->explain(status);
  } catch (...) {
    words.why.clear();
  }
  work.faults.publish();
  tell(work, happening);
}

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
  work.samples.commit();
}

void Bench::publish(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  Picture& picture = work.pictures.back();
  shown_ = now();
  picture.t = mechanism.state().t;
  picture.clock = seconds(shown_);
  const auto put = [](float* to, const math::Pose<double>& X) {
    const math::Quaternion<double> q = math::quaternion_of(X.R);
    const std::array<double, 7> numbers{X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z};
    for (std::size_t i = 0; i < 7; ++i) to[i] = static_cast<float>(numbers[i]);
  };
  put(picture.poses.data(), {});
  for (std::size_t b = 1; b < work.port_of_body.size(); ++b)
    put(picture.poses.data() + 7 * b, mechanism.motion(work.port_of_body[b]).X_WP);
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
  }
  hand.pushing = push_.until != 0;
  hand.push = push_.force;
  picture.has_handle = work.rig != nullptr;
  if (work.rig != nullptr) put(picture.handle.data(), work.rig->handle());
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

}  // namespace tactus::serve
