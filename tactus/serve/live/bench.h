// The live loop: a thread in real time that moves the mechanism on the bench, under the hand of the page.
//
// A tick, in order: what the network asked for (a ring of commands), the hand's spring (grip.h), the mechanism's step, the books
// (times, errors, happenings), and every few milliseconds a picture and a sample. The loop never waits for anybody: rings and
// triple buffers lead in and out. Slow motion makes the ticks rarer, never shorter.
//
// Whoever has to do with the mechanism itself (a swap, a state taken over, a recording's start) borrows it: the loop goes on
// waking, and leaves it alone until it is given back. Simulated time stands still meanwhile.
#pragma once

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

#include <tactus/serve/live/work.h>

namespace tactus::serve {

struct BenchOptions {
  int priority = 20;   // of SCHED_FIFO; 0: none is asked for
  bool thread = true;  // in real time; otherwise the caller makes the ticks
};

class Bench {
 public:
  explicit Bench(const BenchOptions& options = {});
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// From one thread, the network's. False: no room.
  bool send(const Command& command) noexcept { return commands_.put(command); }

  /// Without a thread: so many ticks, as fast as they go, with what was sent before. Stops at a fault.
  void advance(long ticks) noexcept;

  using Place = std::shared_ptr<Work>;
  /// From any thread but the loop's: does something with what lies on the bench, or lays something else there.
  void borrow(const std::function<void(Place&)>& use);
  /// What lies there.
  Place work() const;
  bool has_priority() const noexcept { return priority_.load(std::memory_order_relaxed); }

 private:
  struct Hold {  // of the page's hand
    bool on = false, turning = false, designed = true;
    bool by_device = false;  // it has the handle of the rig's pointer, and pulls by that
    int body = -1;
    std::uint32_t client = 0, sequence = 0;
    Nanoseconds arrived = 0;
    bool fresh = false;  // the newest message has not acted yet
    float delay = 0.0F;
    Vec3 point_B{}, p_at_grab{}, target{}, filtered{}, turn{};
    Mat3 R_at_grab = Mat3::identity();
    ApparentMass mass{}, inertia{};
    std::array<double, 9> mobility{};  // of the point
    bool own = false;                  // of the body alone
    long looked = -1,
         look_every = 1;  // [ticks] the last look at the apparent mass, and how often it is worth it
    double dearness = std::numeric_limits<double>::infinity();  // [s] what a look takes
    Coupling coupling{};
    Vec3 force{}, torque{};
    bool clamped = false;
  };
  struct Probe {
    int body = -1;
    Vec3 point_B{};
    Nanoseconds due = 0;
    double dearness = std::numeric_limits<double>::infinity();  // [s] what a look takes
    std::array<double, 9> mobility{};
    bool own = false;
  };
  struct Push {
    int body = -1;
    Vec3 force{}, point_B{};
    Nanoseconds until = 0;
  };

  void run() noexcept;
  void obey(Work& work) noexcept;
  void obey(Work& work, const Command& command) noexcept;
  void grab(Work& work, const Command& command) noexcept;
  void let_go() noexcept { hold_ = {}; }
  void release(Work& work, bool gone) noexcept;
  void weigh(Work& work) noexcept;
  void look_at_probe(Work& work) noexcept;
  std::span<const double> lead(Work& work) noexcept;
  void law_off(Work& work, simulate::Status status) noexcept;
  void tick(Work& work) noexcept;
  std::size_t wrenches(Work& work) noexcept;
  void pull(Work& work) noexcept;
  void fault(Work& work, simulate::Status status) noexcept;
  bool go_back(Work& work, simulate::Status status) noexcept;
  void remember(Work& work) noexcept;
  void book(Work& work) noexcept;
  void look_at_errors(Work& work) noexcept;
  void publish(Work& work) noexcept;
  void show_control(Work& work, ControlPicture& control) noexcept;
  void sample(Work& work) noexcept;
  void tell(Work& work, const Happening& happening) noexcept;
  void refuse(Work& work, const Command& command) noexcept;
  void begin(Work& work) noexcept;

  Ring<Command> commands_;
  mutable std::mutex borrowing_;
  Place place_;           // of borrowers
  Work* work_ = nullptr;  // of the loop, while it is not lent
  bool changed_ = false;  // another one than before
  // Who wants it counts up `asked_`, and has it when the loop has said the same number; it is the loop's again when the number came back.
  std::atomic<std::uint64_t> asked_{0}, granted_{0}, returned_{0};
  std::atomic<bool> ending_{false}, priority_{false};

  // The loop's own.
  bool paused_ = false, faulted_ = false, recording_ = false;
  int steps_left_ = 0;
  double rate_ = 1.0;
  long ticks_ = 0, missed_ = 0, late_ = 0, recorded_ = 0;
  std::uint32_t events_ = 0;
  double held_ = 0.0, hardest_ = 0.0;
  double position_error_ = 0.0, velocity_error_ = 0.0, worst_position_ = 0.0, worst_velocity_ = 0.0;
  std::int64_t wake_ = 0, compute_ = 0;  // [ns] of the last tick
  Nanoseconds shown_ = 0, struck_ = 0;   // when the last picture was made, and the last impact was
  Hold hold_;
  Push push_;
  Probe probe_;
  Coupling wished_{};  // 0: as designed
  // Ways back: where the motion was a while ago, for the case that it cannot go on.
  std::size_t back_at_ = 0, back_count_ = 0, back_used_ = 0;
  simulate::EngineKind engine_ = simulate::EngineKind::smooth;
  double back_due_ = 0.0, failed_at_ = -1.0;  // [s] of simulated time
  std::array<simulate::PortWrench, TickInputs::kMost> acting_{};
  std::size_t acting_count_ = 0;
  std::thread thread_;
};

}  // namespace tactus::serve
