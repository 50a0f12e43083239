#include <tactus/contact/mechanism/hand_over_mechanism.h>

#include <algorithm>
#include <exception>
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
    : ContactMechanism(made, events.step),
      made_(made),
      options_(stepping),
      events_(made, events, when, false) {
  events_.engine_.attach(static_cast<simulate::OutsideLoads*>(&port_loads_));
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
  stepping_.reset();
  reason_.clear();
  events_.restart(std::move(state));
}

void HandOverMechanism::make_stepping() {
  stepping_ = std::make_unique<SteppingMechanism>(made_, options_);
  stepping_->stepping_.attach(&port_loads_);
}

bool HandOverMechanism::hand_over(Status status) noexcept {
  const Engine& engine = events_.engine_;
  if (!is_too_much(status) || engine.transitions_crowd()) return false;
  try {
    std::string reason = events_.explain(status);
    const simulate::State& state = engine.state();
    make_stepping();
    stepping_->stepping_.take_up({.t = state.t, .q = state.q, .u = state.u, .momentum = {}},
                                 engine.switches());
    time_ = state.t;
    reason_ = std::move(reason);
    return true;
  } catch (const std::exception&) {  // it overlaps by too much even for steps
    stepping_.reset();
    return false;
  }
}

Status HandOverMechanism::advance(const simulate::TickInput& input) noexcept {
  if (stepping_) return stepping_->advance(input);
  const Status status = events_.advance(input);
  if (status.ok() || !hand_over(status)) return status;
  return stepping_->advance(input);
}

simulate::Books HandOverMechanism::books() const noexcept {
  simulate::Books books = events_.books();
  if (!stepping_) return books;
  const simulate::Books more = stepping_->books();
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
  if (!stepping_) return statistics;
  statistics.hand_over_time = time_;
  statistics.hand_over_reason = reason_;
  return statistics;
}

bool HandOverMechanism::hold_loads(const simulate::TickInput& input) noexcept {
  return stepping_ ? stepping_->hold_loads(input) : events_.hold_loads(input);
}

bool HandOverMechanism::switch_constraint(int constraint, bool on) noexcept {
  return stepping_ ? stepping_->switch_constraint(constraint, on) : events_.switch_constraint(constraint, on);
}

bool HandOverMechanism::adjust() noexcept { return stepping_ ? stepping_->adjust() : events_.adjust(); }

void HandOverMechanism::accelerate_now(double* udot) noexcept {
  stepping_ ? stepping_->accelerate_now(udot) : events_.accelerate_now(udot);
}

/// By its own ports, which are attached to both.
void HandOverMechanism::answer_pushes(int port, std::array<double, 36>& result) noexcept {
  Mechanism::answer_pushes(port, result);
  if (!stepping_) events_.engine_.look_anew();  // without the last push
}

std::unique_ptr<simulate::Snapshot> HandOverMechanism::empty_snapshot() const {
  auto snapshot = std::make_unique<EitherSnapshot>();
  snapshot->events = events_.engine_.make_snapshot();
  if (stepping_) snapshot->stepping = stepping_->stepping_.make_snapshot();
  return snapshot;
}

/// A snapshot made before the motion was handed over gets room for it here.
bool HandOverMechanism::store(simulate::Snapshot& snapshot) const noexcept {
  auto* own = dynamic_cast<EitherSnapshot*>(&snapshot);
  if (own == nullptr) return false;
  events_.engine_.save(own->events);
  own->handed_over = stepping_ != nullptr;
  own->time = time_;
  if (stepping_) stepping_->stepping_.save(own->stepping);
  return true;
}

bool HandOverMechanism::restore(const simulate::Snapshot& snapshot) noexcept {
  const auto* own = dynamic_cast<const EitherSnapshot*>(&snapshot);
  if (own == nullptr || own->events.state.q.size() != nq()) return false;
  try {
    if (own->handed_over && !stepping_) make_stepping();
  } catch (const std::exception&) {
    return false;
  }
  if (!own->handed_over) stepping_.reset();
  events_.engine_.load(own->events);
  time_ = own->time;
  if (stepping_) stepping_->stepping_.load(own->stepping);
  return true;
}

}  // namespace tactus::contact
