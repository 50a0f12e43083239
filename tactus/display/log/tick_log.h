// What a haptic loop did, on its way to a file: the loop offers an entry per tick, another thread writes them.
//
// The loop's side is wait-free: it copies the entry into a ring, or counts it as lost where there is no room. It never locks,
// allocates or calls the system. The writer's side may wait for the disk as long as it likes. It hands what it has to the system
// a few times per second: a crash of the program loses what came after that. A full disk ends the writing, not the loop; finish()
// says so.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include <tactus/display/loop.h>

namespace tactus::display {

/// A tick as it is kept: enough to make it again, and what came of it.
struct LogEntry {
  device::Sample sample;  // in
  bool has_dynamics = false;
  device::HandleDynamics dynamics;  // in: where the device has them
  double elapsed = 0.0;             // in: [s] since the tick before
  device::Command command;          // out
  TickRecord record;                // out
  bool has_all = true;              // out: older logs have no orientation of the port, and fewer sums
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

  /// After the loop: all that was offered is written, the files are whole. Throws what the writer met.
  void finish();
  long lost() const noexcept { return lost_; }
  /// Something could not be written: nothing more will be.
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }

 private:
  void write();
  bool write_some();

  std::vector<std::unique_ptr<LogSink>> sinks_;
  std::vector<LogEntry> ring_;
  alignas(64) std::atomic<std::uint64_t> written_{0};  // by the loop
  alignas(64) std::atomic<std::uint64_t> taken_{0};    // by the writer
  std::atomic<bool> ending_{false}, failed_{false};
  long lost_ = 0;
  std::exception_ptr trouble_;
  std::thread writer_;
};

}  // namespace tactus::display
