#include <tactus/contact/mechanism/event_mechanism.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tactus::contact {

namespace {

struct EventSnapshot final : simulate::Snapshot {
  contact::Snapshot memory;
};

constexpr std::array<std::pair<Rederivation, std::string_view>, 4> kNames{
    {{Rederivation::background, "background"},
     {Rederivation::at_once, "at_once"},
     {Rederivation::before, "before"},
     {Rederivation::never, "never"}}};

}  // namespace

std::string_view name_of(Rederivation when) {
  for (const auto& [value, name] : kNames)
    if (value == when) return name;
  return {};
}

std::optional<Rederivation> rederivation_of(std::string_view name) {
  for (const auto& [value, known] : kNames)
    if (known == name) return value;
  return std::nullopt;
}

EventMechanism::EventMechanism(std::shared_ptr<const ContactMade> made, EngineOptions options,
                               Rederivation when, bool look_ahead)
    : ContactMechanism(std::move(made), options.step), when_(when), engine_(contact_model(), options) {
  engine_.attach(static_cast<simulate::OutsideLoads*>(&port_loads_));
  Fingerprint print = contact_print();
  print.add(static_cast<std::uint64_t>(options.integrator));
  print.add(static_cast<std::uint64_t>(options.most_touches));
  print.add(static_cast<std::uint64_t>(options.constraints.formulation));
  print.add(static_cast<std::uint64_t>(options.constraints.holding));
  set_snapshot_kind(print.value());
  if (when_ == Rederivation::never) return;
  using When = RederiveOptions::When;
  rederiver_.emplace(
      contact_model(),
      RederiveOptions{.when = when == Rederivation::at_once ? When::at_once : When::in_background});
  engine_.attach(&*rederiver_);
  if (look_ahead) ahead_.emplace(engine_, *rederiver_);
}

void EventMechanism::restart(simulate::State state) {
  engine_.set_state(std::move(state));
  if (when_ == Rederivation::before && !enumeration_)
    enumeration_ = formulate_all(contact_model(), engine_.state(), *rederiver_);
}

simulate::Status EventMechanism::advance(const simulate::TickInput& input) noexcept {
  // What is looked ahead knows nothing of ports: a tick in which something pulls there is made here.
  const bool foresees = ahead_ && !port_loads_.acts();
  engine_.follow(foresees ? &*ahead_ : nullptr);
  const simulate::Status status = engine_.step({input.tau, input.wrench});
  if (foresees && status.ok()) ahead_->offer(engine_, {input.tau, input.wrench});
  return status;
}

bool EventMechanism::hold_loads(const simulate::TickInput& input) noexcept {
  return engine_.hold({input.tau, input.wrench});
}

bool EventMechanism::switch_constraint(int constraint, bool on) noexcept {
  return engine_.request_active(constraint, on).ok();
}

void EventMechanism::accelerate_now(double* udot) noexcept {
  const std::span<const double> now = engine_.accelerations();
  std::copy(now.begin(), now.end(), udot);
}

void EventMechanism::answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept {
  if (engine_.mobility(jacobian(port), axes, result)) return;
  Mechanism::answer_pushes(port, axes, result);
  engine_.look_anew();  // without the last push
}

simulate::ConstraintReport EventMechanism::constraint_report(bool multipliers) noexcept {
  engine_.look();
  const Terms& terms = engine_.motion().terms();
  for (std::size_t k = 0; k < lambda_.size(); ++k) {
    position_error_[k] = terms.Phi(k);
    velocity_error_[k] = terms.velocity(k);
    if (multipliers) lambda_[k] = engine_.row_force(k);
  }
  return {position_error_, velocity_error_, lambda_, {}};
}

simulate::ContactReport EventMechanism::contact_report() noexcept {
  clear_report();
  engine_.look();
  for (std::size_t i = 0; i < engine_.touches().size(); ++i) {
    const Touch& touch = engine_.touches()[i];
    const std::array<double, 3>& force = engine_.touch_force(i);
    see(touch.pair, static_cast<double>(touch.mode), touch.motion.gap, force[0],
        std::hypot(force[1], force[2]));
  }
  for (std::size_t i = 0; i < stop_force_.size(); ++i) {
    const int row = contact_model().row_of_stop[i];
    stop_force_[i] = row < 0 ? 0.0 : engine_.row_force(static_cast<std::size_t>(row));
  }
  return report();
}

std::size_t EventMechanism::contact_points(std::span<simulate::ContactPoint> points) noexcept {
  engine_.look();
  std::size_t count = 0;
  for (std::size_t i = 0; i < engine_.touches().size(); ++i) {
    const Touch& touch = engine_.touches()[i];
    if (!touch.touching()) continue;
    if (count < points.size()) {
      const std::array<double, 3>& f = engine_.touch_force(i);
      const auto& d = touch.motion.direction;
      points[count] = {touch.pair, touch.motion.c_b, d[0], f[0] * d[0] + f[1] * d[1] + f[2] * d[2]};
    }
    ++count;
  }
  return count;
}

std::size_t EventMechanism::near_points(std::span<simulate::NearPoint> points) noexcept {
  engine_.look();
  const std::span<const Touch> touches = engine_.touches();
  for (std::size_t i = 0; i < std::min(touches.size(), points.size()); ++i) {
    const Touch& touch = touches[i];
    const bool compliant = !touch.rigid();
    points[i] = {touch.id,
                 touch.body_a,
                 touch.body_b,
                 touch.motion.c_b,
                 touch.motion.direction[0],
                 touch.motion.gap,
                 touch.motion.rate[0],
                 compliant ? touch.law->stiffness : 0.0,
                 compliant ? touch.law->damping : 0.0,
                 touch.touching() ? engine_.touch_force(i)[0] : 0.0};
  }
  return touches.size();
}

simulate::Statistics EventMechanism::statistics() const {
  simulate::Statistics statistics;
  const PathStatistics& paths = engine_.motion().paths();
  statistics.ticks = paths.ticks;
  statistics.ticks_general = paths.ticks_general;
  if (!rederiver_) return statistics;
  const RederiveStatistics made = rederiver_->statistics();
  statistics.rederives = true;
  statistics.sets_made = made.made;
  statistics.sets_refused = made.refused;
  statistics.derive_worst = made.derive_worst;
  statistics.compile_worst = made.compile_worst;
  statistics.made_worst = made.made_worst;
  statistics.code_bytes = made.bytes;
  statistics.changes = paths.changes;
  statistics.changes_ready = paths.hits;
  statistics.swaps = paths.swaps;
  statistics.fallbacks = paths.fallbacks;
  statistics.worst_wait_ticks = paths.worst_wait;
  statistics.worst_wait = paths.worst_latency;
  if (enumeration_) {
    statistics.sets_before = static_cast<long>(enumeration_->sets);
    statistics.complete = enumeration_->complete;
  }
  return statistics;
}

std::unique_ptr<simulate::Snapshot> EventMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<EventSnapshot>();
  snapshot->memory = engine_.make_snapshot();
  return snapshot;
}

bool EventMechanism::store(simulate::Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<EventSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  engine_.save(own->memory);
  return true;
}

bool EventMechanism::restore(const simulate::Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const EventSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  engine_.load(own->memory);
  return true;
}

}  // namespace tactus::contact
