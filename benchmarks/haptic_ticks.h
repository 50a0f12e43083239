// Times of the ticks of a haptic loop, whatever it is made of.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <tactus/display/histogram.h>
#include <tactus/display/loop.h>
#include <tactus/simulate/motion/mechanism.h>

namespace tactus::bench {

/// A loop that is ready to be enabled, with all that it stands on.
struct OpenLoop {
  virtual ~OpenLoop() = default;
  virtual display::HapticLoop& loop() = 0;
  virtual device::Device& device() = 0;
  virtual const simulate::Mechanism& moved() const = 0;
};
using MakeLoop = std::function<std::unique_ptr<OpenLoop>()>;

/// What a tick had to do besides going on.
struct TickCause {
  std::uint8_t events = 0;  // of contact
  std::uint8_t kinds = 0;   // of them: a bit for each simulate::EventKind
  bool update =
      false;  // a local model got an update: in simulated time its simulation's steps are this tick's
  std::string words() const;
};

struct TickFigures {
  display::Histogram all;    // every tick of every run
  std::vector<float> least;  // [ns] of each tick in all runs, sorted
  float first = 0.0f;        // [ns] of the first tick: all is cold
  long worst = 0;            // which of the others took longest
  float longest = 0.0f;      // [ns] it
  TickCause cause;
  long with_events = 0;      // ticks
  float worst_event = 0.0f;  // [ns] the longest of them
  long allocations = 0, locks = 0, done = 0;
  int runs = 0;
  std::string fault;
};

/// The same run several times over: it has the same bits each time, so that the least time of a tick is what it takes, and the
/// rest is the machine's. Among millions of ticks some are late in two runs by chance: they are made again for as long as the worst of them becomes shorter, `most_runs` times at most.
TickFigures measure_ticks(const MakeLoop& make, double rate, long ticks, int repetitions, int most_runs);

/// [ns] What reading the clock twice takes of a tick's time, at least: it is taken off.
double clock_cost();

/// [us] What a tick may take, the first, cold one included; 0: nothing is asked of it.
struct TickAim {
  double median = 0.0, worst = 0.0;
};
enum class Verdict { none, met, missed };

/// What came out of a table.
struct Outcome {
  bool found = false;  // there was a row to measure
  int met = 0, missed = 0;

  void add(Verdict verdict) {
    met += verdict == Verdict::met;
    missed += verdict == Verdict::missed;
  }
  void print() const;
};

void print_tick_head();
/// A row of the table, at once: a run takes minutes. Missed also where a tick allocated or locked, or the run
/// stopped.
Verdict print_ticks(const std::string& model, const std::string& what, double rate,
                    const TickFigures& figures, const TickAim& aim = {});

}  // namespace tactus::bench
