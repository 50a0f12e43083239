#include <tactus/serve/live/bench.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <tactus/math/rotation_vector.h>
#include <tactus/serve/live/leader.h>
#include <tactus/serve/live/rig.h>

namespace tactus::serve {

namespace {

constexpr Nanoseconds kIdle = kSecond / 1000;     // between two looks while nothing moves
constexpr Nanoseconds kPictures = kSecond / 250;  // between two pictures
constexpr Nanoseconds kPushLasts =
    kSecond / 2;                        // after the last message: a page that went away pushes no more
constexpr double kWayBackEvery = 0.25;  // [s] of simulated time between two ways back
constexpr double kGoodAgain = 1.0;      // [s] after which a failure is forgotten
constexpr int kCommandsPerTick = 64;

void ask_for_priority(int priority, std::atomic<bool>& granted) {
  if (priority <= 0) return;
  sched_param wanted{};
  wanted.sched_priority = priority;
  granted.store(pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0, std::memory_order_relaxed);
}

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
  probe_ = {};
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
      return release(work, command.value != 0.0);
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
      if (work.leader != nullptr) work.leader->begin(mechanism.state());
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
    case Kind::probe:
      probe_ = {};
      probe_.body = command.index;
      probe_.point_B = command.a;
      return;
    case Kind::aim:
      if (work.leader != nullptr)
        work.leader->aim(static_cast<Target>(command.index), command.value, mechanism.state());
      return;
    case Kind::lead_off:
      if (work.leader != nullptr) work.leader->off();
      return;
  }
}

void Bench::tick(Work& work) noexcept {
  simulate::Mechanism& mechanism = *work.mechanism;
  wrenches(work);
  std::span<const double> tau = lead(work);
  simulate::Tick made;
  if (work.rig != nullptr) {
    made = work.rig->tick({acting_.data(), acting_count_});
    if (hold_.by_device) {
      const device::Vector6& F = work.rig->record().on_port;
      hold_.torque = {F[0], F[1], F[2]};
      hold_.force = {F[3], F[4], F[5]};
    }
    if (work.rig->applied(acting_[acting_count_])) ++acting_count_;
  } else {
    made = mechanism.step({.tau = tau, .ports = {acting_.data(), acting_count_}, .wrench = {}});
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
    made = mechanism.step({.tau = tau, .ports = {}, .wrench = {}});
    if (made.ok()) tell(work, happening);
  }
  if (!made.ok() && !tau.empty()) {
    // Nor could it follow the law.
    law_off(work, made.status);
    tau = {};
    made = mechanism.step({});
  }
  if (!made.ok()) {
    if (work.rig != nullptr || !go_back(work, made.status)) fault(work, made.status);
    return;
  }
  if (recording_) {
    TickInputs inputs{.tick = recorded_, .count = acting_count_, .wrenches = acting_, .joints = tau.size()};
    std::copy(tau.begin(), tau.end(), inputs.tau.begin());
    work.inputs.put(inputs);
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

/// Forces of the law at the joints; none where there is no law, or where it has switched itself off.
std::span<const double> Bench::lead(Work& work) noexcept {
  if (work.leader == nullptr || !work.leader->on() || work.rig != nullptr) return {};
  const std::span<const double> tau = work.leader->forces(work.mechanism->state(), hold_.on);
  if (tau.empty()) law_off(work, {});
  return tau;
}

void Bench::law_off(Work& work, simulate::Status status) noexcept {
  work.leader->off();
  Happening happening;
  happening.kind = Happening::Kind::law_off;
  happening.t = work.mechanism->state().t;
  happening.bits = status.bits();
  tell(work, happening);
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
  if (work.leader != nullptr) work.leader->begin(mechanism.state());
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
    if (work.rig != nullptr && work.rig->faulted())
      words.why = work.rig->why();
    else
      words.why = status.ok() ? std::string() : work.mechanism->explain(status);
  } catch (...) {
    words.why.clear();
  }
  work.faults.publish();
  tell(work, happening);
}

}  // namespace tactus::serve
