#include <tactus/contact/mechanism/hand_over_mechanism.h>

#include <algorithm>
#include <utility>

namespace tactus::contact {

namespace {

using simulate::Status;

/// Of whichever moves it; the other part is not of account.
struct EitherSnapshot final : simulate::Snapshot {
  contact::Snapshot events;
  SteppingSnapshot stepping;
  bool handed_over = false;
  double time = 0.0;
  Status reason;
};

/// What whole steps can carry and events could not: not what is wrong with the input or the model.
bool is_too_much(Status status) {
  constexpr std::uint32_t kTooMuch = Status::chattering | Status::too_many_events |
                                     Status::no_consistent_modes | Status::contacts_overflow |
                                     Status::energy_unexplained | Status::too_much_work |
                                     Status::constraint_lost | Status::not_finite | Status::diverged;
  return (status.bits() & kTooMuch) != 0 && !status.has(Status::bad_input);
}

}  // namespace

HandOverMechanism::HandOverMechanism(std::shared_ptr<const ContactMade> made, const EngineOptions& events,
                                     const SteppingOptions& stepping, Rederivation when)
    : ContactMechanism(made, events.step), events_(made, events, when, false), stepping_(made, stepping) {
  events_.engine_.attach(static_cast<simulate::OutsideLoads*>(&port_loads_));
  stepping_.stepping_.attach(&port_loads_);
  events_.engine_.save(switches_);  // makes room
  Fingerprint print = contact_print();
  print.add(std::string_view("handed over"));
  print.add(static_cast<std::uint64_t>(events.integrator))
      .add(static_cast<std::uint64_t>(events.most_touches));
  print.add(static_cast<std::uint64_t>(stepping.most_contacts));
  print.add(static_cast<std::uint64_t>(events.constraints.formulation));
  print.add(static_cast<std::uint64_t>(events.constraints.holding));
  set_snapshot_kind(print.value());
}

void HandOverMechanism::restart(simulate::State state) {
  events_.restart(std::move(state));
  handed_over_ = false;
}

bool HandOverMechanism::hand_over(Status status) noexcept {
  const Engine& engine = events_.engine_;
  if (!is_too_much(status) || engine.transitions_crowd()) return false;
  engine.save(switches_);
  if (!stepping_.stepping_.take_up(engine.state(), switches_)) return false;
  handed_over_ = true;
  time_ = engine.state().t;
  reason_ = status;
  return true;
}

Status HandOverMechanism::advance(const simulate::TickInput& input) noexcept {
  if (handed_over_) return stepping_.advance(input);
  const Status status = events_.advance(input);
  if (status.ok() || !hand_over(status)) return status;
  const Status stepped = stepping_.advance(input);
  handed_over_ = stepped.ok();  // where neither can, the motion stands where events left it
  return handed_over_ ? stepped : status;
}

simulate::Books HandOverMechanism::books() const noexcept {
  simulate::Books books = events_.books();
  if (!handed_over_) return books;
  const simulate::Books more = stepping_.books();
  books.impact_loss += more.impact_loss;
  books.friction_loss += more.friction_loss;
  books.correction_work += more.correction_work;
  books.work += more.work;
  books.scheme_error += more.scheme_error;
  books.imbalance += more.imbalance;
  books.worst_imbalance = std::max(books.worst_imbalance, more.worst_imbalance);
  books.in_play += more.in_play;
  books.deepest = more.deepest;
  books.not_converged = more.not_converged;
  books.most_contacts = more.most_contacts;
  return books;
}

simulate::Statistics HandOverMechanism::statistics() const {
  simulate::Statistics statistics = events_.statistics();
  if (!handed_over_) return statistics;
  statistics.hand_over_time = time_;
  statistics.hand_over_reason = events_.engine_.explain(reason_, time_);
  return statistics;
}

bool HandOverMechanism::hold_loads(const simulate::TickInput& input) noexcept {
  return handed_over_ ? stepping_.hold_loads(input) : events_.hold_loads(input);
}

bool HandOverMechanism::switch_constraint(int constraint, bool on) noexcept {
  return handed_over_ ? stepping_.switch_constraint(constraint, on)
                      : events_.switch_constraint(constraint, on);
}

bool HandOverMechanism::adjust() noexcept { return handed_over_ ? stepping_.adjust() : events_.adjust(); }

void HandOverMechanism::accelerate_now(double* udot) noexcept {
  handed_over_ ? stepping_.accelerate_now(udot) : events_.accelerate_now(udot);
}

/// By its own ports, which are attached to both.
void HandOverMechanism::answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept {
  if (!handed_over_ && events_.engine_.mobility(jacobian(port), axes, result)) return;
  Mechanism::answer_pushes(port, axes, result);
  if (!handed_over_) events_.engine_.look_anew();  // without the last push
}

std::unique_ptr<simulate::Snapshot> HandOverMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<EitherSnapshot>();
  snapshot->events = events_.engine_.make_snapshot();
  snapshot->stepping = stepping_.stepping_.make_snapshot();
  return snapshot;
}

bool HandOverMechanism::store(simulate::Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<EitherSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  events_.engine_.save(own->events);
  own->handed_over = handed_over_;
  own->time = time_;
  own->reason = reason_;
  if (handed_over_) stepping_.stepping_.save(own->stepping);
  return true;
}

bool HandOverMechanism::restore(const simulate::Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const EitherSnapshot*>(&snapshot);
  if (own == nullptr || own->events.state.q.size() != nq()) return false;
  events_.engine_.load(own->events);
  handed_over_ = own->handed_over;
  time_ = own->time;
  reason_ = own->reason;
  if (handed_over_) stepping_.stepping_.load(own->stepping);
  return true;
}

}  // namespace tactus::contact
