// What a loop knows of the mechanism behind its port: the mechanism itself, at the loop's rate, or a local model of it while
// the mechanism moves at a slower one (display/two_rates.h).
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>

#include <tactus/control/four_channel.h>
#include <tactus/control/internal_motion.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::display {

using device::Vector6;

/// The work of a held wrench along the way from one place to another.
double work_along(const Vector6& F, const math::Pose<double>& from, const math::Pose<double>& to) noexcept;

struct SimulationAnswers;  // display/loop.h

class PortView {
 public:
  virtual ~PortView() = default;

  // In a tick, in this order; noexcept, no allocation.
  /// Where the port is as the tick begins.
  virtual const simulate::PortMotion& begin() noexcept = 0;
  /// Its acceleration and mobility under a wrench, and what is resisted there.
  virtual void look(const Vector6& on_port, control::PortState& state,
                    control::Resisted& resisted) noexcept = 0;
  /// What a small wrench at the port does to its acceleration, along the rule's axes.
  virtual void mobility(control::Matrix6& L) noexcept = 0;
  /// A tick on, with the wrench held.
  virtual simulate::Tick step(const Vector6& on_port) noexcept = 0;
  /// What else acts on the mechanism in the next step, and is no part of what the loop feels; a local model knows nothing of it.
  virtual void beside(std::span<const simulate::PortWrench> /*wrenches*/) noexcept {}
  /// After step().
  virtual const simulate::PortMotion& motion() noexcept = 0;
  /// The velocity that impacts and constraints that were switched gave to the port in the last step, beyond `acceleration` times the period. Where contacts go by whole steps their impulses are in
  /// `acceleration`: it becomes that of the last tick without a blow.
  virtual Vector6 jump(Vector6& acceleration) noexcept = 0;
  /// The same of what was learned in begin(): an update of a mechanism that moves elsewhere brings what it
  /// met since the last one.
  virtual Vector6 brought() const noexcept { return {}; }
  /// Compliant contacts that touch, or soon will, and are no part of what is known here.
  virtual int left_out() const noexcept { return 0; }
  /// [ticks] since all this was true: 0 for the mechanism itself.
  virtual std::uint64_t age() const noexcept { return 0; }
  /// Its motion never jumps from tick to tick but by impacts: differences of it are velocities.
  virtual bool continuous() const noexcept { return true; }
  /// Of a simulation in a thread, or one that is told when to answer: what came with begin(). Null: it is
  /// neither.
  virtual const SimulationAnswers* answers() const noexcept { return nullptr; }
  virtual void answer(const SimulationAnswers& /*answers*/) noexcept {}
  /// It is too old.
  virtual bool late() const noexcept { return false; }
  /// [J] that went into the mechanism at the port, so far, by its own motion; NaN: by motion(), which is its own.
  virtual double work() const noexcept { return std::numeric_limits<double>::quiet_NaN(); }
  /// [J] kinetic and potential, of the mechanism itself, as late as everything.
  virtual double energy() noexcept = 0;
  /// After a fault, between two ticks: what is remembered of the one that failed is forgotten. False: not yet.
  virtual bool recover() noexcept { return true; }
  /// A thread that moves the mechanism ends, and the mechanism is the caller's, until wake(). False: after
  /// `patience` [s] it is in a step still, and ends after that.
  virtual bool rest(double /*patience*/) noexcept { return true; }
  /// The mechanism goes on from where it is, whoever moved it. False: it cannot.
  virtual bool wake() noexcept { return true; }
  /// Between two ticks: a step with this wrench, taken back, so that code and numbers of the next one are in the caches. Nothing has changed then.
  virtual void rehearse(const Vector6& /*on_port*/) noexcept {}
};

/// What decides which directions count as resisted, and what is damped unfelt.
struct ResistanceRule {
  bool wanted = false;
  bool turning = false;  // Jd u is wanted
  control::Rank rank = control::Rank::mobility;
  control::Matrix6 M_d{};
  double tolerance = 1e-4;
  bool fade = true;
  std::uint8_t axes = device::kAllAxes;
  double internal_damping =
      0.0;  // [N m s/rad], [N s/m] of what the port does not show (control/internal_motion.h)
};

/// The mechanism itself.
class FullPort final : public PortView {
 public:
  /// [m/s], [rad/s] What meets slower is stopped by a tick's force of 1 N for each kilogram at 1 kHz.
  static constexpr double kSlow = 1e-3;

  /// The mechanism must outlive it.
  FullPort(simulate::Mechanism& mechanism, int port, const ResistanceRule& rule)
      : mechanism_(mechanism), port_(port), rule_(rule), directions_(rule.axes, mechanism.nv()) {
    // Steps of other engines may do what a snapshot does not take back: ask for equations, go over to another engine.
    if (mechanism.kind() == simulate::EngineKind::smooth) unrehearsed_ = mechanism.make_snapshot();
    if (rule.internal_damping > 0.0)
      inside_ = std::make_unique<control::InternalDamper>(mechanism, port, rule.axes, rule.internal_damping);
  }

  const simulate::PortMotion& begin() noexcept override {
    before_ = mechanism_.motion(port_);
    return before_;
  }
  void look(const Vector6& on_port, control::PortState& state, control::Resisted& resisted) noexcept override;
  void mobility(control::Matrix6& L) noexcept override { mechanism_.mobility(port_, L, rule_.axes); }
  simulate::Tick step(const Vector6& on_port) noexcept override;
  const simulate::PortMotion& motion() noexcept override { return mechanism_.motion(port_); }
  /// Of the last tick, where it had no blow.
  bool mean(Vector6& acceleration) const noexcept {
    acceleration = mean_;
    return mean_known_ && !struck_;
  }
  /// Under a wrench, before step(), for jump(); 0 where that needs none.
  Vector6 acceleration(const Vector6& on_port) noexcept;
  Vector6 jump(Vector6& acceleration) noexcept override;
  void beside(std::span<const simulate::PortWrench> wrenches) noexcept override;
  double energy() noexcept override {
    const simulate::Energies of = mechanism_.energies();
    return of.kinetic + of.potential;
  }
  void rehearse(const Vector6& on_port) noexcept override;

 private:
  static constexpr std::size_t kMostBesides = 3;
  simulate::Mechanism& mechanism_;
  int port_;
  std::array<simulate::PortWrench, 1 + kMostBesides> acting_{};  // the loop's own first
  std::size_t acting_count_ = 1;
  ResistanceRule rule_;
  control::ResistedDirections directions_;
  std::unique_ptr<control::InternalDamper> inside_;  // null: what is inside is left alone
  simulate::PortMotion before_;
  Vector6 mean_{};                                   // acceleration of the last tick without a blow
  bool mean_known_ = false;                          // there was one
  bool struck_ = false;                              // the last one had
  bool switched_ = false;                            // constraints were asked for in the last step
  std::unique_ptr<simulate::Snapshot> unrehearsed_;  // null: nothing is rehearsed
};

}  // namespace tactus::display
