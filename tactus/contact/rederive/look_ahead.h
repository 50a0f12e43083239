// Looking ahead [Gillespie2003, section 4]: a second engine starts from where the motion is, with the input
// of this moment held, and runs ahead of it over a short horizon, faster than time goes by. It finds the
// events that are coming and asks for the equations of the sets that follow them; when an event comes, its
// code is in the cache already. The motion itself is not touched: it meets the event where it is, with the
// same bits.
//
//   Rederiver rederiver(contact_model);
//   LookAhead ahead(engine, rederiver);
//   engine.attach(&rederiver);
//   for (;;) {
//     engine.step(input);
//     ahead.offer(engine, input);
//   }
#pragma once

#include <atomic>
#include <semaphore>
#include <thread>
#include <vector>

#include <tactus/base/latest.h>
#include <tactus/contact/events/engine.h>
#include <tactus/contact/rederive/rederive.h>

namespace tactus::contact {

struct LookAheadOptions {
  double horizon = 0.05;  // [s]
  int every = 4;          // ticks between two looks
};

/// What a look ahead saw.
struct Prediction {
  double from = 0.0;   // time of the state it started from [s]
  double until = 0.0;  // how far it looked
  bool sees_event = false;
  Event event;  // the first one
};

/// Kept by the thread that offers.
struct LookAheadStatistics {
  long looks = 0;            // predictions that came back
  long ticks = 0;            // with events in them
  long foreseen = 0;         // ticks whose events the last prediction had, to within a step
  double worst_error = 0.0;  // [s] of the foreseen
  double worst_age =
      0.0;  // [s] of simulated time, between the state a prediction started from and its coming
};

class LookAhead {
 public:
  /// The engine's contact model and the rederiver must outlive it.
  LookAhead(const Engine& engine, Rederiver& rederiver, LookAheadOptions options = {});
  ~LookAhead();
  LookAhead(const LookAhead&) = delete;
  LookAhead& operator=(const LookAhead&) = delete;

  /// Between two ticks, by the thread that makes them: takes no memory and does not wait.
  void offer(const Engine& engine, const Input& input = {});
  /// Waits until the last offer was looked at: for studies that are not in a hurry.
  void finish();
  /// The newest one that offer() or finish() has seen.
  const Prediction& prediction() const { return predictions_.front(); }
  const LookAheadStatistics& statistics() const { return statistics_; }

 private:
  struct Question {
    long number = 0;
    Snapshot snapshot;
    std::vector<double> tau, wrench;
  };

  void take_prediction(double now);
  void run();
  Prediction look(const Question& question);

  LookAheadOptions options_;
  Engine ahead_;
  Latest<Question> questions_;
  Latest<Prediction> predictions_;
  LookAheadStatistics statistics_;
  int since_ = 0;
  long asked_ = 0;
  double now_ = 0.0;  // of the last question
  std::atomic<long> answered_{0};
  std::atomic<bool> stop_{false};
  std::counting_semaphore<> wake_{0};
  std::thread thread_;
};

}  // namespace tactus::contact
