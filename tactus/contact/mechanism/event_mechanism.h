// A mechanism whose contacts go by events: Engine behind the interface, with what makes it quick (code for sets of
// contacts, a look ahead).
#pragma once

#include <memory>
#include <optional>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/mechanism/contact_mechanism.h>
#include <tactus/contact/open.h>
#include <tactus/contact/rederive/enumerate.h>
#include <tactus/contact/rederive/look_ahead.h>
#include <tactus/contact/rederive/rederive.h>

namespace tactus::contact {

class EventMechanism final : public ContactMechanism {
 public:
  EventMechanism(std::shared_ptr<const ContactMade> made, EngineOptions options, Rederivation when,
                 bool look_ahead);

  const Engine& engine() const { return engine_; }
  const std::optional<Rederiver>& rederiver() const { return rederiver_; }
  const std::optional<Enumeration>& enumeration() const { return enumeration_; }
  const std::optional<LookAhead>& look_ahead() const { return ahead_; }

  simulate::EngineKind kind() const noexcept override { return simulate::EngineKind::events; }
  const simulate::State& state() const noexcept override { return engine_.state(); }
  std::span<const simulate::Event> events() const noexcept override { return engine_.events(); }
  simulate::Books books() const noexcept override { return engine_.books(); }
  std::span<const double> efforts() noexcept override { return engine_.rates().tau; }
  std::span<const double> accelerations() noexcept override { return engine_.rates().udot; }
  simulate::ConstraintReport constraint_report(bool multipliers) noexcept override;
  simulate::ContactReport contact_report() noexcept override;
  std::size_t contact_points(std::span<simulate::ContactPoint> points) noexcept override;
  std::size_t near_points(std::span<simulate::NearPoint> points) noexcept override;
  simulate::Statistics statistics() const override;
  std::string explain(simulate::Status status) override { return engine_.explain(status); }

 protected:
  void restart(simulate::State state) override;
  simulate::Status advance(const simulate::TickInput& input) noexcept override;
  bool hold_loads(const simulate::TickInput& input) noexcept override;
  bool switch_constraint(int constraint, bool on) noexcept override;
  bool is_on(int constraint) const noexcept override { return engine_.is_active(constraint); }
  std::unique_ptr<simulate::Snapshot> empty_snapshot() const override;
  bool adjust() noexcept override { return engine_.adjust(); }
  bool store(simulate::Snapshot& snapshot) const noexcept override;
  bool restore(const simulate::Snapshot& snapshot) noexcept override;
  void accelerate_now(double* udot) noexcept override;
  void answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept override;

 private:
  friend class HandOverMechanism;  // which moves it as a part of its own
  Rederivation when_;
  std::optional<Rederiver> rederiver_;  // before the engine, which uses it
  Engine engine_;
  std::optional<Enumeration> enumeration_;
  std::optional<LookAhead> ahead_;
};

}  // namespace tactus::contact
