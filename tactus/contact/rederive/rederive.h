// Equations made while the motion runs (just-in-time, one code per active set): a set of constraints and
// contacts that has no code yet is asked for in the tick, derived and compiled in a background thread, and
// found ready some ticks later. Until then the general path carries on with the same bits.
//
//   Rederiver rederiver(contact_model);
//   engine.attach(&rederiver);
//
// The cache is a table of fixed size that keeps what was made. find() takes no locks, no memory and no system
// call, from any number of threads: a new key is claimed by one exchange of its place's state, and that is all.
// The thread that makes code looks for it by itself, some thousand times a second while sets come up and fewer
// times when none do (nap.h): to wake it would be a system call in the tick.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include <tactus/contact/events/contact_model.h>
#include <tactus/contact/rederive/nap.h>
#include <tactus/contact/rederive/set_code.h>
#include <tactus/contact/rederive/set_key.h>

namespace tactus::contact {

struct RederiveOptions {
  enum class When : std::uint8_t {
    in_background,
    at_once,  // by whoever asks first: for studies without haste, and to fill the cache before a run
  };
  When when = When::in_background;
  std::size_t most_sets = 512;  // that the cache holds; further ones are left to the general path
};

/// What was made so far. Times in seconds.
struct RederiveStatistics {
  long made = 0, refused = 0;  // sets; refused: too large
  long no_place = 0;           // times that a set was asked for and the cache was full
  long waiting = 0;            // asked for, not made yet
  double derive_total = 0.0, derive_worst = 0.0;
  double compile_total = 0.0, compile_worst = 0.0;
  double made_worst = 0.0;  // derived and compiled
  std::size_t bytes = 0;    // of machine code
};

class Rederiver {
 public:
  using Clock = std::chrono::steady_clock;

  /// The contact model must outlive it.
  explicit Rederiver(const ContactModel& contact_model, RederiveOptions options = {});
  /// Waits for the set that is being made, and drops those that wait.
  ~Rederiver();
  Rederiver(const Rederiver&) = delete;
  Rederiver& operator=(const Rederiver&) = delete;

  /// The code of a set; where there is none it is asked for, once, and nullptr returned.
  const SetCode* find(const SetKey& key);
  /// Makes the code now, in the calling thread: before a run.
  const SetCode* make(const SetKey& key);
  /// Waits until everything that was asked for is made.
  void finish() const;

  RederiveStatistics statistics() const;

 private:
  enum State : std::uint8_t { kEmpty, kClaimed, kAsked, kReady, kRefused };
  struct Entry {
    std::atomic<std::uint8_t> state{kEmpty};
    std::atomic<std::uint32_t> ticket{0};  // in which order they were asked for
    SetKey key;
    std::optional<SetCode> code;
  };

  /// The key's place, asked for where it is new; nullptr where the table is full or the place is being
  /// written just now.
  Entry* place(const SetKey& key);
  void fill(Entry& entry);
  Entry* oldest_asked();
  void run();

  const RederiveOptions options_;
  std::vector<Entry> entries_;  // a power of two, at most half full
  std::atomic<std::uint32_t> claimed_{0}, claims_{0}, tickets_{0};
  std::atomic<long> full_{0};
  mutable std::mutex making_;  // one set at a time: the formulator and the statistics
  Formulator formulator_;
  RederiveStatistics statistics_;
  std::atomic<bool> stop_{false};
  Nap nap_;
  std::thread thread_;
};

}  // namespace tactus::contact
