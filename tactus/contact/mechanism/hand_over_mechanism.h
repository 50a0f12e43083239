// A mechanism whose contacts go by events as long as these can carry them, and by whole steps from there on.
//
// A pile that is dropped, or contacts that jam, can ask for events without end. The tick in which that happens did not
// take place (Engine::step): the state, the constraints that are on and the transitions that wait are those before it, and
// time-stepping goes on from them. It stays with that. Statistics say when and why.
//
// Both engines are made before the loop: the tick in which a motion is handed over takes no memory either. With a budget it
// costs the budget and a step.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tactus/contact/mechanism/event_mechanism.h>
#include <tactus/contact/mechanism/stepping_mechanism.h>

namespace tactus::contact {

class HandOverMechanism final : public ContactMechanism {
 public:
  HandOverMechanism(std::shared_ptr<const ContactMade> made, const EngineOptions& events,
                    const SteppingOptions& stepping, Rederivation when);

  /// The part that goes by events, at work or not.
  const EventMechanism& by_events() const { return events_; }

  simulate::EngineKind kind() const noexcept override { return now().kind(); }
  const simulate::State& state() const noexcept override { return now().state(); }
  std::span<const simulate::Event> events() const noexcept override { return now().events(); }
  double met() const noexcept override { return now().met(); }
  simulate::Books books() const noexcept override;
  std::span<const double> efforts() noexcept override { return now().efforts(); }
  std::span<const double> accelerations() noexcept override { return now().accelerations(); }
  simulate::ConstraintReport constraint_report(bool multipliers) noexcept override {
    return now().constraint_report(multipliers);
  }
  simulate::ContactReport contact_report() noexcept override { return now().contact_report(); }
  std::size_t contact_points(std::span<simulate::ContactPoint> points) noexcept override {
    return now().contact_points(points);
  }
  std::size_t near_points(std::span<simulate::NearPoint> points) noexcept override {
    return now().near_points(points);
  }
  simulate::Statistics statistics() const override;
  std::string explain(simulate::Status status) override { return now().explain(status); }

 protected:
  void restart(simulate::State state) override;
  simulate::Status advance(const simulate::TickInput& input) noexcept override;
  bool hold_loads(const simulate::TickInput& input) noexcept override;
  bool switch_constraint(int constraint, bool on) noexcept override;
  bool is_on(int constraint) const noexcept override {
    return handed_over_ ? stepping_.is_on(constraint) : events_.is_on(constraint);
  }
  std::unique_ptr<simulate::Snapshot> empty_snapshot() const override;
  bool adjust() noexcept override;
  bool store(simulate::Snapshot& snapshot) const noexcept override;
  bool restore(const simulate::Snapshot& snapshot) noexcept override;
  void accelerate_now(double* udot) noexcept override;
  void answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept override;

 private:
  ContactMechanism& now() noexcept {
    return handed_over_ ? static_cast<ContactMechanism&>(stepping_) : events_;
  }
  const ContactMechanism& now() const noexcept {
    return handed_over_ ? static_cast<const ContactMechanism&>(stepping_) : events_;
  }
  bool hand_over(simulate::Status status) noexcept;

  EventMechanism events_;
  SteppingMechanism stepping_;
  bool handed_over_ = false;
  double time_ = 0.0;        // [s] of it
  simulate::Status reason_;  // for it
  Switches switches_;
};

}  // namespace tactus::contact
