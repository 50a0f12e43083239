// Looking ahead [Gillespie2003, section 4]: a second engine starts from where the motion is, with the input
// of this moment held, and runs ahead of it over a short horizon, faster than time goes by. It finds the
// events that are coming and asks for the equations of the sets that follow them; when an event comes, its
// code is in the cache already.
//
// Where the input is still the same when a tick with events comes, that tick has been made already: from the
// same state, with the same input, by the same code. The engine then takes over what came out (impulses,
// modes, the state at the end) instead of making it again. That the state is the same is checked bit by bit;
// what has another state, or another input anywhere since the look began, is discarded. The bits of the motion
// are so the same with and without.
//
//   Rederiver rederiver(contact_model);
//   LookAhead ahead(engine, rederiver);
//   engine.attach(&rederiver);
//   engine.follow(&ahead);
//   for (;;) {
//     engine.step(input);
//     ahead.offer(engine, input);
//   }
#pragma once

#include <atomic>
#include <thread>
#include <vector>

#include <tactus/base/latest.h>
#include <tactus/contact/events/engine.h>
#include <tactus/contact/rederive/nap.h>
#include <tactus/contact/rederive/rederive.h>

namespace tactus::contact {

struct LookAheadOptions {
  double horizon = 0.05;        // [s]
  int every = 4;                // ticks between two looks
  std::size_t most_ticks = 16;  // with events that one look keeps
};

/// What a look ahead saw.
struct Prediction {
  double from = 0.0;   // time of the state it started from [s]
  double until = 0.0;  // how far it looked
  bool sees_event = false;
  Event event;  // the first one

  // What ticks with events came to, the first `known` of them.
  std::vector<Foreseen> ticks;
  std::size_t known = 0;
  std::uint64_t generation = 0, tick = 0;  // of the engine where the look began
};

/// Kept by the thread that offers.
struct LookAheadStatistics {
  long looks = 0;            // predictions that came back
  long ticks = 0;            // with events in them
  long foreseen = 0;         // ticks whose events the last prediction had, to within a step
  long adopted = 0;          // ticks that were taken over
  double worst_error = 0.0;  // [s] of the foreseen
  double worst_age =
      0.0;  // [s] of simulated time, between the state a prediction started from and its coming
};

class LookAhead final : public Foresight {
 public:
  /// The engine's contact model and the rederiver must outlive it.
  LookAhead(const Engine& engine, Rederiver& rederiver, LookAheadOptions options = {});
  ~LookAhead() override;
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  /// For the engine that it was made with, and that follows it.
  const Foreseen* next(const Engine& engine, const Input& input) noexcept override;
  /// After every tick, with its input, by the thread that makes them: takes no memory, no system call and does
  /// not wait.
  void offer(const Engine& engine, const Input& input = {});
  /// Waits until the last offer was looked at: for studies that are not in a hurry.
  void finish();
  /// The newest one that offer() or finish() has seen.
  const Prediction& prediction() const { return predictions_.front(); }
  const LookAheadStatistics& statistics() const { return statistics_; }

 private:
  struct Question {
    long number = 0;
    std::uint64_t generation = 0;
    Snapshot snapshot;
    std::vector<double> tau, wrench;
  };

  void take_prediction(double now);
  bool is_held(const Input& input) const;
  void run();
  void look(const Question& question, Prediction& prediction);

  LookAheadOptions options_;
  Engine ahead_;
  Latest<Question> questions_;
  Latest<Prediction> predictions_;
  // The input of the last ticks, and since which tick of which generation it has been the same.
  std::vector<double> tau_, wrench_;
  std::uint64_t held_since_ = 0, held_generation_ = 0;
  std::uint64_t offered_ = 0;  // steps at the last offer
  LookAheadStatistics statistics_;
  int since_ = 0;
  long asked_ = 0;
  double now_ = 0.0;  // of the last question
  std::atomic<long> answered_{0};
  std::atomic<bool> stop_{false};
  Nap nap_;
  std::thread thread_;
};

}  // namespace tactus::contact
