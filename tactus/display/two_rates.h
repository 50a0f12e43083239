// Two rates [Constantinescu2005, Figure 8]: a simulation that takes its time, and a haptic loop that has none.
//
//   simulation, every n ticks:   mechanism steps over the n ticks, directions resisted, contacts near  --LocalModelUpdate-->
//   loop, every tick:            local model (control/local_model.h), controller, device            <--WrenchSent--
//
// The loop sends the sum of all that it applied at the port, never a single wrench: whatever message is missed, the mechanism gets
// every newton second. The simulation catches up to the tick of the message, with the mean wrench of the time between, and sends
// the mechanism there, as the update of that tick; the loop, some ticks further on, keeps what its local model moved since.
//
// In simulated time the simulation runs within the tick at which it is due: the same bits every time. In real
// time it has a thread of its
// own. Either way an update arrives `delay` ticks after it was made, and the loop neither locks nor waits:
// values go through
// base/latest.h. Which messages a thread took, and when the loop got its answers, is all that is left to
// chance: told the same, the simulation gives the same bits (TwoRateOptions::told). A simulation that is
// three updates and a tenth of a second behind is late, and a fault: it hangs, or is too slow.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include <tactus/base/latest.h>
#include <tactus/control/local_model.h>
#include <tactus/display/loop.h>
#include <tactus/display/port_view.h>

namespace tactus::display {

/// All that was applied at the port before the tick.
struct WrenchSent {
  std::uint64_t tick = 0;
  std::uint64_t run = 0;  // counts up where the loop begins anew after a fault
  Vector6 sum{};          // [N m s; N s]
};

/// [ticks] How old an update may be before the simulation counts as late; no more than the loop remembers.
std::uint64_t patience_of(const TwoRateOptions& options, double period);

/// The slow side: it alone touches the mechanism.
class SlowSimulation {
 public:
  SlowSimulation(simulate::Mechanism& mechanism, int port, const ResistanceRule& rule);

  /// Up to the tick of the message, then what the hand will meet there. Allocates nothing, throws nothing.
  void catch_up(const WrenchSent& message, control::LocalModelUpdate& update) noexcept;
  /// Where it stands.
  void describe(control::LocalModelUpdate& update) noexcept;

 private:
  struct Probe {
    Vector6 port{};
    std::array<double, control::kMostLocalContacts> gap{};
  };
  void probe(std::span<const simulate::PortWrench> wrenches, Probe& answer) noexcept;
  int port_of_body(int body) const noexcept;

  simulate::Mechanism& mechanism_;
  int port_;
  ResistanceRule rule_;
  FullPort full_;
  std::uint64_t tick_ = 0;
  Vector6 done_{};
  double work_ = 0.0;
  simulate::Status status_;  // of this run: a failure stays until the next
  std::uint64_t run_ = 0;
  std::vector<int> ports_;  // of the bodies; -1: fixed
  std::array<simulate::NearPoint, 32> near_{};
  std::array<std::size_t, control::kMostLocalContacts> chosen_{};
  std::size_t contacts_ = 0;
};

/// The loop's side, and the messages between both.
class LocalPort final : public PortView {
 public:
  /// The mechanism must outlive it, and is its own: with a thread, nobody else's either. Throws InputError where the options
  /// do not fit.
  LocalPort(simulate::Mechanism& mechanism, int port, const ResistanceRule& rule,
            const TwoRateOptions& options);
  ~LocalPort() override;
  LocalPort(const LocalPort&) = delete;
  LocalPort& operator=(const LocalPort&) = delete;

  const simulate::PortMotion& begin() noexcept override;
  void look(const Vector6& on_port, control::PortState& state, control::Resisted& resisted) noexcept override;
  void mobility(control::Matrix6& L) noexcept override { L = local_.update().L; }
  simulate::Tick step(const Vector6& on_port) noexcept override;
  const simulate::PortMotion& motion() noexcept override { return local_.state().motion; }
  Vector6 jump(Vector6&) noexcept override { return {}; }
  bool continuous() const noexcept override { return false; }
  bool late() const noexcept override { return late_; }
  /// The simulation catches up, and the local model is what it then is. With a thread: asks for that, and is false until the answer is
  /// there.
  bool recover() noexcept override;
  void rest() noexcept override;
  bool wake() noexcept override;
  double energy() noexcept override { return local_.update().energy; }
  double work() const noexcept override { return local_.update().work; }

  const SimulationAnswers* answers() const noexcept override {
    return threaded_ || told_ ? &answers_ : nullptr;
  }
  void answer(const SimulationAnswers& answers) noexcept override { shall_come_ = answers; }

  std::uint64_t age() const noexcept override { return tick_ - local_.update().tick; }
  const control::LocalModel& local() const noexcept { return local_; }

  static constexpr std::size_t kRemembered = 1024;  // [ticks] of the local model's own past

 private:
  void receive(const control::LocalModelUpdate& update) noexcept;
  void simulate_beside() noexcept;  // the thread
  void simulate_as_told() noexcept;

  SlowSimulation slow_;
  std::uint64_t every_, delay_, patience_;
  bool threaded_, told_;
  double period_;
  control::LocalModel local_;
  std::uint64_t tick_ = 0;
  WrenchSent sent_{};
  bool late_ = false, asked_ = false;
  simulate::Status status_;                // of what the simulation sent; an update that failed is not taken
  std::vector<control::LocalState> past_;  // [kRemembered], by tick
  // On their way: a ring of as many as are made within a delay.
  struct OnItsWay {
    std::uint64_t due = 0;  // the tick in which it arrives
    control::LocalModelUpdate update;
  };
  OnItsWay& next_on_its_way() noexcept;
  std::vector<OnItsWay> coming_;
  std::size_t first_ = 0, waiting_ = 0;
  // With a thread.
  struct Answer {
    control::LocalModelUpdate update;
    std::array<std::uint64_t, SimulationAnswers::kMost> to{};  // the last messages that were taken
  };
  Latest<WrenchSent> to_simulation_;
  Latest<Answer> to_loop_;
  std::array<std::uint64_t, SimulationAnswers::kMost> taken_{};  // the thread's
  SimulationAnswers answers_{};
  std::uint64_t answered_ = 0;  // the newest message of which an answer came
  // Told.
  SimulationAnswers shall_come_{};
  std::vector<WrenchSent> messages_;  // the last ones, by number
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tactus::display
