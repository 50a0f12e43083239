// What a haptic loop did, on its way to a file: the loop offers an entry per tick, another thread writes them.
//
// The loop's side is wait-free: it copies the entry into a ring, or counts it as lost where there is no room.
// It never locks, allocates or calls the system. The writer's side may wait for the disk as long as it likes.
// It hands what it has to the system a few times per second: a crash of the program loses what came after
// that. A full disk ends the writing of the file that is on it, neither the loop nor the other files;
// finish() says so, and what was written of it stays.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <tactus/display/loop.h>

namespace tactus::display {

/// A tick as it is kept: enough to make it again, and what came of it.
struct LogEntry {
  bool is_tick = true;    // false: a fault between two ticks, and nothing else
  device::Sample sample;  // in
  bool has_dynamics = false;
  device::HandleDynamics dynamics;  // in: where the device has them
  double elapsed = 0.0;             // in: [s] since the tick before
  device::Command command;          // out
  TickRecord record;                // out
  bool has_answers = false;         // in: two rates with a thread
  SimulationAnswers answers{};      // in: of its simulation
  bool has_all = true;              // out: older logs have no orientation of the port, and fewer sums
  control::Found found{};           // out: of a fault, what it is about; not in the messages of /loop/tick
  std::int64_t compute = 0;         // [ns] that it took
};

/// Where entries go. May throw OutputError.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogEntry& entry) = 0;
  /// What was written so far is safe from a crash of the program.
  virtual void flush() = 0;
  /// The file is whole and in its place.
  virtual void finish() = 0;
  /// After an error: what was written so far stays, under this name; "": nothing does.
  virtual std::string keep() noexcept { return {}; }
  /// The file, as it was asked for.
  virtual std::string path() const { return {}; }
};

class TickLog {
 public:
  static constexpr std::size_t kRoom = 1 << 13;  // entries: 0.4 s at 20 kHz

  explicit TickLog(std::vector<std::unique_ptr<LogSink>> sinks, std::size_t room = kRoom);
  /// What was not finished is thrown away.
  ~TickLog();
  TickLog(const TickLog&) = delete;
  TickLog& operator=(const TickLog&) = delete;

  /// In the loop. False: no room; the entry is counted as lost.
  bool offer(const LogEntry& entry) noexcept;
  /// Outside of real time: until there is room.
  void put(const LogEntry& entry) noexcept;

  /// After the loop: all that was offered is written, and every file is whole but those that could not be.
  /// Throws OutputError where there are such, with all that was met and the names under which their
  /// beginnings are.
  void finish();
  long lost() const noexcept { return lost_; }
  /// Some file could not be written: nothing more will be to it.
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  /// After finish(): the paths of those files.
  std::vector<std::string> not_whole() const;

 private:
  struct Sink {
    std::unique_ptr<LogSink> to;
    std::string trouble{};  // "": none yet
  };
  void write();
  bool write_some();
  template <class Act>
  void on_each_sound_sink(const Act& act) noexcept;

  std::vector<Sink> sinks_;
  std::vector<LogEntry> ring_;
  alignas(64) std::atomic<std::uint64_t> written_{0};  // by the loop
  alignas(64) std::atomic<std::uint64_t> taken_{0};    // by the writer
  std::atomic<bool> ending_{false}, failed_{false};
  long lost_ = 0;
  std::thread writer_;
};

}  // namespace tactus::display
