// A mechanism whose contacts go by whole steps: TimeStepping behind the interface. With a smooth part, which must be of the passive integrator, that makes the
// motion between contacts, and time-stepping gives impulses alone (stepping_meet.cpp): passive, contacts and dry friction included. Contacts that are pressed act along that motion, too
// (pressed_contacts.h).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <tactus/contact/mechanism/contact_mechanism.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/simulate/motion/smooth_mechanism.h>

namespace tactus::contact {

class SteppingMechanism final : public ContactMechanism {
 public:
  /// `smooth`: the same mechanism without contacts and dry friction at joints; null: none.
  SteppingMechanism(std::shared_ptr<const ContactMade> made, SteppingOptions options,
                    std::shared_ptr<const simulate::SmoothModel> smooth = nullptr,
                    const simulate::Options& smooth_options = {});

  ~SteppingMechanism() override;

  const TimeStepping& stepping() const { return stepping_; }

  simulate::EngineKind kind() const noexcept override { return simulate::EngineKind::stepping; }
  const simulate::State& state() const noexcept override { return stepping_.state(); }
  std::span<const double> efforts() noexcept override;
  std::span<const double> accelerations() noexcept override;
  std::span<const simulate::Event> events() const noexcept override { return stepping_.events(); }
  double met() const noexcept override { return met_; }
  simulate::Books books() const noexcept override;
  simulate::ConstraintReport constraint_report(bool multipliers) noexcept override;
  simulate::ContactReport contact_report() noexcept override;
  std::size_t contact_points(std::span<simulate::ContactPoint> points) noexcept override;
  std::string explain(simulate::Status status) override;

 protected:
  void restart(simulate::State state) override;
  simulate::Status advance(const simulate::TickInput& input) noexcept override;
  bool hold_loads(const simulate::TickInput& input) noexcept override;
  bool switch_constraint(int constraint, bool on) noexcept override;
  bool is_on(int constraint) const noexcept override { return stepping_.is_active(constraint); }
  std::unique_ptr<simulate::Snapshot> empty_snapshot() const override;
  bool adjust() noexcept override;
  bool store(simulate::Snapshot& snapshot) const noexcept override;
  bool restore(const simulate::Snapshot& snapshot) noexcept override;
  void accelerate_now(double* udot) noexcept override;
  void meet() noexcept;
  void answer_pushes(int port, unsigned axes, std::array<double, 36>& result) noexcept override;

 private:
  simulate::Status advance_in_parts(int parts) noexcept;
  simulate::Status advance_part() noexcept;
  /// The smooth part's step with these forces, then its contacts.
  simulate::Status advance_smoothly(std::span<const double> tau, std::span<const double> carried) noexcept;
  simulate::Status advance_with_held_joints() noexcept;
  bool find_pressed() noexcept;
  bool press(const simulate::Input& along) noexcept;
  bool press_until_fit(const simulate::Input& along) noexcept;

  friend class HandOverMechanism;  // which moves it as a part of its own
  TimeStepping stepping_;
  struct Smooth;
  std::unique_ptr<Smooth> smooth_;           // null: steps of their own
  std::vector<double> tau_, wrench_, udot_;  // held; at the state
  double met_ = 0.0;
};

}  // namespace tactus::contact
