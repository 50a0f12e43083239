#include <tactus/display/two_rates.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include <tactus/base/clock.h>
#include <tactus/base/error.h>

namespace tactus::display {

static_assert(TwoRateOptions::kRoom == control::kMostLocalContacts);

SlowSimulation::SlowSimulation(simulate::Mechanism& mechanism, int port, const ResistanceRule& rule,
                               double horizon)
    : mechanism_(mechanism), port_(port), rule_(rule), horizon_(horizon), full_(mechanism, port, rule) {
  ports_.assign(mechanism.model().bodies.size(), -1);
  for (std::size_t i = 0; i < mechanism.ports().size(); ++i)
    if (mechanism.ports()[i].frame < 0)
      ports_[static_cast<std::size_t>(mechanism.ports()[i].body)] = static_cast<int>(i);
  if (mechanism.kind() != simulate::EngineKind::smooth) undisturbed_ = mechanism.make_snapshot();
}

int SlowSimulation::port_of_body(int body) const noexcept { return ports_[static_cast<std::size_t>(body)]; }

void SlowSimulation::catch_up(const WrenchSent& message, control::LocalModelUpdate& update) noexcept {
  if (message.run != run_) {
    run_ = message.run;
    status_ = {};
  }
  if (message.tick > tick_ && status_.ok()) {
    const double length = static_cast<double>(message.tick - tick_) * mechanism_.step_length();
    Vector6 mean{};
    for (std::size_t i = 0; i < 6; ++i) mean[i] = (message.sum[i] - done_[i]) / length;
    for (; tick_ < message.tick && status_.ok(); ++tick_) {
      const math::Pose<double> from = full_.begin().X_WP;
      Vector6 acceleration = full_.acceleration(mean);
      status_ |= full_.step(mean).status;
      const Vector6 jump = full_.jump(acceleration);
      const double work = work_along(mean, from, full_.motion().X_WP);
      if (!std::isfinite(work) || !device::finite(jump)) status_ |= simulate::Status::not_finite;
      if (!status_.ok()) continue;  // which ends: a step that failed has not happened
      work_ += work;
      for (std::size_t i = 0; i < 6; ++i) jumps_[i] += jump[i];
    }
    tick_ = message.tick;
    done_ = message.sum;
    last_ = mean;
  }
  describe(update);
}

void SlowSimulation::begin_at(const WrenchSent& message) noexcept {
  run_ = message.run;
  tick_ = message.tick;
  done_ = message.sum;
  last_ = {};
  status_ = {};
}

// By whole steps the impulse of a contact that will be met in the next step is part of the acceleration: a
// local model would go on with it until the next update. A step that is taken back says so.
bool SlowSimulation::about_to_strike() noexcept {
  if (mechanism_.kind() != simulate::EngineKind::stepping || undisturbed_ == nullptr ||
      !mechanism_.waiting_requests().empty() || !mechanism_.save(*undisturbed_))
    return false;
  const simulate::PortWrench at{port_, last_};
  const bool well = mechanism_.step({.tau = {}, .ports = {&at, 1}, .wrench = {}}).ok();
  const bool blow = well && mechanism_.met() > FullPort::kSlow;
  return mechanism_.load(*undisturbed_) && blow;
}

// Accelerations of the port and of the gaps. A gap's is that of its two points along the normal; the normal stands still.
void SlowSimulation::probe(std::span<const simulate::PortWrench> wrenches, Probe& answer) noexcept {
  mechanism_.hold({.tau = {}, .ports = wrenches, .wrench = {}});
  answer.port = mechanism_.acceleration(port_);
  for (std::size_t c = 0; c < contacts_; ++c) {
    const simulate::NearPoint& at = near_[chosen_[c]];
    answer.gap[c] = 0.0;
    for (const auto& [body, sign] : {std::pair{at.body_b, 1.0}, {at.body_a, -1.0}}) {
      const int port = port_of_body(body);
      if (port < 0) continue;
      const simulate::PortMotion& motion = mechanism_.motion(port);
      const math::Vec3<double> r = at.point - motion.X_WP.p,
                               w{motion.V_WP[0], motion.V_WP[1], motion.V_WP[2]};
      const Vector6 A = mechanism_.acceleration(port);
      const math::Vec3<double> a = math::Vec3<double>{A[3], A[4], A[5]} +
                                   cross(math::Vec3<double>{A[0], A[1], A[2]}, r) + cross(w, cross(w, r));
      answer.gap[c] += sign * dot(a, at.normal);
    }
  }
}

void SlowSimulation::describe(control::LocalModelUpdate& update) noexcept {
  update.tick = tick_;
  update.run = run_;
  update.status = status_;
  update.energy = full_.energy();
  update.work = work_;
  update.jumps = jumps_;
  control::PortState state;
  contacts_ = 0;
  full_.look(last_, state, update.resisted);
  update.motion = state.motion;
  update.L = state.L;
  update.turning = state.turning;

  // The nearest compliant ones, as many as there is room for.
  const std::size_t watched = mechanism_.near_points(near_), known = std::min(watched, near_.size());
  std::array<std::size_t, 32> order{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < known; ++i) {
    if (!(near_[i].stiffness > 0.0)) continue;
    std::size_t k = count++;
    for (; k > 0 && near_[order[k - 1]].gap > near_[i].gap; --k) order[k] = order[k - 1];
    order[k] = i;
  }
  contacts_ = std::min(count, control::kMostLocalContacts);
  // More are watched than are met: those that are left out count where they touch, or will by the next
  // update.
  update.left_out = static_cast<int>(watched - known);
  for (std::size_t k = contacts_; k < count; ++k) {
    const simulate::NearPoint& at = near_[order[k]];
    update.left_out += at.gap + std::min(0.0, at.rate) * horizon_ <= 0.0;
  }
  for (std::size_t c = 0; c < contacts_; ++c) chosen_[c] = order[c];
  update.contacts = static_cast<int>(contacts_);

  std::array<simulate::PortWrench, 3> acting{simulate::PortWrench{port_, last_}};
  Probe rest;
  probe({acting.data(), 1}, rest);
  update.A = rest.port;
  if (Vector6 mean; about_to_strike() && full_.mean(mean)) update.A = mean;
  for (std::size_t c = 0; c < contacts_; ++c) {
    const simulate::NearPoint& at = near_[chosen_[c]];
    control::LocalModelUpdate::Contact& contact = update.contact[c];
    contact = {};
    contact.id = at.id;
    contact.gap = at.gap;
    contact.rate = at.rate;
    contact.acceleration = rest.gap[c];
    contact.stiffness = at.stiffness;
    contact.damping = at.damping;
  }
  for (std::size_t c = 0; c < contacts_; ++c) {
    const simulate::NearPoint& at = near_[chosen_[c]];
    std::size_t bodies = 1;
    for (const auto& [body, sign] : {std::pair{at.body_b, 1.0}, {at.body_a, -1.0}}) {
      const int port = port_of_body(body);
      if (port < 0) continue;
      const math::Vec3<double> F = sign * at.normal, M = cross(at.point - mechanism_.motion(port).X_WP.p, F);
      acting[bodies++] = {port, {M.x, M.y, M.z, F.x, F.y, F.z}};
    }
    Probe pushed;
    probe({acting.data(), bodies}, pushed);
    control::LocalModelUpdate::Contact& contact = update.contact[c];
    for (std::size_t i = 0; i < 6; ++i) contact.r[i] = pushed.port[i] - rest.port[i];
    for (std::size_t d = 0; d < contacts_; ++d) update.contact[d].w[c] = pushed.gap[d] - rest.gap[d];
  }
  // What the wrench and the contacts give now is in `rest`: the local model gives it itself.
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) update.A[i] -= update.L[6 * i + j] * last_[j];
  for (std::size_t c = 0; c < contacts_; ++c)
    for (std::size_t i = 0; i < 6; ++i) update.contact[c].acceleration -= update.contact[c].r[i] * last_[i];
  for (std::size_t c = 0; c < contacts_; ++c) {
    const double force = near_[chosen_[c]].force;
    for (std::size_t i = 0; i < 6; ++i) update.A[i] -= force * update.contact[c].r[i];
    for (std::size_t d = 0; d < contacts_; ++d)
      update.contact[d].acceleration -= force * update.contact[d].w[c];
  }
  mechanism_.hold({});
}

namespace {

const TwoRateOptions& checked(const TwoRateOptions& options) {
  if (options.every < 1 || options.delay < 0 || options.every + options.delay > TwoRateOptions::kMostTicks)
    throw InputError(
        {}, fmt::format("an update every {} ticks, {} late", options.every, options.delay),
        fmt::format("at least every tick, and both together at most {} ticks", TwoRateOptions::kMostTicks));
  return options;
}

}  // namespace

std::uint64_t patience_of(const TwoRateOptions& options, double period) {
  constexpr double kUpdates = 3.0;  // one is being made, one may have been missed
  constexpr double kStall =
      0.1;  // [s] that a busy system keeps a thread from running, as the watchdog of the loop has it
  const double ticks = kUpdates * options.every + options.delay + kStall / period;
  return ticks < static_cast<double>(LocalPort::kRemembered) ? static_cast<std::uint64_t>(std::ceil(ticks))
                                                             : LocalPort::kRemembered;
}

LocalPort::LocalPort(simulate::Mechanism& mechanism, int port, const ResistanceRule& rule,
                     const TwoRateOptions& options)
    : slow_(mechanism, port, rule, (checked(options).every + options.delay) * mechanism.step_length()),
      every_(static_cast<std::uint64_t>(options.every)),
      delay_(static_cast<std::uint64_t>(options.delay)),
      patience_(patience_of(options, mechanism.step_length())),
      threaded_(options.thread && !options.told),
      told_(options.told),
      period_(mechanism.step_length()),
      past_(kRemembered),
      // One per message, and a message every n ticks: those of a delay, one that a thread took longer for,
      // and the one that arrives.
      coming_(static_cast<std::size_t>(delay_ / every_ + 3)),
      messages_(told_ ? kRemembered / every_ + 2 : 0) {
  control::LocalModelUpdate first;
  slow_.describe(first);
  local_.take(first);
  if (threaded_) thread_ = std::thread([this] { simulate_beside(); });
}

LocalPort::~LocalPort() {
  stop_.store(true, std::memory_order_relaxed);
  if (thread_.joinable()) thread_.join();
}

bool LocalPort::rest(double patience) noexcept {
  resting_ = true;
  if (!thread_.joinable()) return true;
  stop_.store(true, std::memory_order_relaxed);
  const Nanoseconds end = now() + std::llround(1e9 * patience);
  while (!ended_.load(std::memory_order_acquire)) {
    if (now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  thread_.join();
  return true;
}

// Whose the mechanism was meanwhile may have moved it: what the loop knew of it, and what was on its way, is of
// another place.
bool LocalPort::wake() noexcept {
  if (!resting_) return true;
  if (!rest(0.0)) return false;
  while (to_simulation_.update() || to_loop_.update()) {
  }
  first_ = waiting_ = 0;
  asked_ = late_ = false;
  ++sent_.run;
  slow_.begin_at(sent_);
  control::LocalModelUpdate fresh;
  slow_.describe(fresh);
  if (!control::finite(fresh)) return false;
  local_.take(fresh);
  jumps_taken_ = fresh.jumps;
  status_ = {};
  resting_ = false;
  if (!threaded_) return true;
  stop_.store(false, std::memory_order_relaxed);
  ended_.store(false, std::memory_order_relaxed);
  try {
    thread_ = std::thread([this] { simulate_beside(); });
  } catch (const std::system_error&) {
    resting_ = true;
    return false;
  }
  return true;
}

void LocalPort::simulate_beside() noexcept {
  constexpr std::chrono::microseconds kNap{50};  // far below a period: what it adds to an update's age
  while (!stop_.load(std::memory_order_relaxed)) {
    if (!to_simulation_.update()) {
      std::this_thread::sleep_for(kNap);
      continue;
    }
    const WrenchSent& message = to_simulation_.front();
    std::rotate(taken_.begin(), taken_.begin() + 1, taken_.end());
    taken_.back() = message.tick;
    Answer& answer = to_loop_.back();
    slow_.catch_up(message, answer.update);
    answer.to = taken_;
    to_loop_.publish();
  }
  ended_.store(true, std::memory_order_release);
}

/// What a thread did then: it took these messages, and the loop got the answer of the last one. What was
/// never sent is passed over: the motion is another one then.
void LocalPort::simulate_as_told() noexcept {
  const WrenchSent* last = nullptr;
  control::LocalModelUpdate unseen;
  answers_ = shall_come_;
  shall_come_.count = 0;
  for (std::size_t i = 0; i < answers_.count; ++i) {
    const WrenchSent& message = messages_[answers_.to[i] / every_ % messages_.size()];
    if (message.tick != answers_.to[i]) continue;
    if (last != nullptr) slow_.catch_up(*last, unseen);
    last = &message;
  }
  if (last != nullptr) slow_.catch_up(*last, next_on_its_way().update);
}

// What is not sound is not taken: the local model stays a model, and the next step says why it ends.
void LocalPort::receive(const control::LocalModelUpdate& update) noexcept {
  if (update.run != sent_.run) return;  // of before the fault
  status_ |= update.status;
  if (!control::finite(update)) status_ |= simulate::Status::not_finite;
  if (!status_.ok()) return;
  const std::uint64_t age = tick_ - update.tick;
  late_ |= age >= patience_;
  if (late_) return;
  local_.take(update, age == 0 ? nullptr : &past_[update.tick % kRemembered],
              static_cast<double>(age) * period_);
  for (std::size_t i = 0; i < 6; ++i) brought_[i] += update.jumps[i] - jumps_taken_[i];
  jumps_taken_ = update.jumps;
}

bool LocalPort::recover() noexcept {
  control::LocalModelUpdate fresh;
  if (threaded_) {
    const bool answered = asked_ && to_loop_.update() && to_loop_.front().update.run == sent_.run;
    if (!answered) {
      if (!asked_) {
        ++sent_.run;
        to_simulation_.back() = sent_;
        to_simulation_.publish();
      }
      asked_ = true;
      return false;
    }
    asked_ = false;
    fresh = to_loop_.front().update;
    first_ = waiting_ = 0;
  } else {
    ++sent_.run;
    first_ = waiting_ = 0;
    slow_.catch_up(sent_, fresh);
  }
  if (!fresh.status.ok() || !control::finite(fresh)) return false;
  local_.take(fresh);
  jumps_taken_ = fresh.jumps;
  status_ = {};
  late_ = false;
  return true;
}

/// The place of an update that is made in this tick. Where there is none, which the room for them excludes,
/// the newest makes room: it is replaced by one that knows more.
LocalPort::OnItsWay& LocalPort::next_on_its_way() noexcept {
  if (waiting_ < coming_.size()) ++waiting_;
  OnItsWay& last = coming_[(first_ + waiting_ - 1) % coming_.size()];
  last.due = tick_ + delay_;
  return last;
}

const simulate::PortMotion& LocalPort::begin() noexcept {
  brought_ = {};
  const bool due = tick_ > 0 && tick_ % every_ == 0;
  answers_.count = 0;
  if (told_) {
    if (due) messages_[tick_ / every_ % messages_.size()] = sent_;
    simulate_as_told();
  } else if (!threaded_) {
    if (due) slow_.catch_up(sent_, next_on_its_way().update);
  } else {
    if (due) {
      to_simulation_.back() = sent_;
      to_simulation_.publish();
    }
    if (to_loop_.update()) {
      next_on_its_way().update = to_loop_.front().update;
      for (const std::uint64_t message : to_loop_.front().to)
        if (message > answered_) answers_.to[answers_.count++] = answered_ = message;
    }
  }
  while (waiting_ > 0 && coming_[first_].due <= tick_) {
    receive(coming_[first_].update);
    first_ = (first_ + 1) % coming_.size();
    --waiting_;
  }
  late_ |= age() >= patience_;
  past_[tick_ % kRemembered] = local_.state();
  return local_.state().motion;
}

void LocalPort::look(const Vector6& on_port, control::PortState& state,
                     control::Resisted& resisted) noexcept {
  state.motion = local_.state().motion;
  state.acceleration = local_.acceleration(on_port, period_);
  state.turning = local_.update().turning;
  state.L = local_.update().L;
  resisted = local_.update().resisted;
}

simulate::Tick LocalPort::step(const Vector6& on_port) noexcept {
  simulate::Tick tick;
  for (std::size_t i = 0; i < 6; ++i) sent_.sum[i] += period_ * on_port[i];
  sent_.tick = ++tick_;
  local_.acceleration(on_port, period_);
  local_.step(period_);
  tick.status = status_;
  return tick;
}

}  // namespace tactus::display
