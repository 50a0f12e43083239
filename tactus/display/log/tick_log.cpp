#include <tactus/display/log/tick_log.h>

#include <bit>
#include <chrono>

namespace tactus::display {

namespace {

constexpr auto kNap = std::chrono::milliseconds(2);           // of the writer, when there is nothing to do
constexpr auto kFlushEvery = std::chrono::milliseconds(250);  // what a crash may cost

}  // namespace

TickLog::TickLog(std::vector<std::unique_ptr<LogSink>> sinks, std::size_t room)
    : sinks_(std::move(sinks)), ring_(std::bit_ceil(room)), writer_([this] { write(); }) {}

TickLog::~TickLog() {
  ending_.store(true, std::memory_order_release);
  if (writer_.joinable()) writer_.join();
}

bool TickLog::offer(const LogEntry& entry) noexcept {
  const std::uint64_t at = written_.load(std::memory_order_relaxed);
  if (at - taken_.load(std::memory_order_acquire) == ring_.size()) {
    ++lost_;
    return false;
  }
  ring_[at & (ring_.size() - 1)] = entry;
  written_.store(at + 1, std::memory_order_release);
  return true;
}

void TickLog::put(const LogEntry& entry) noexcept {
  while (written_.load(std::memory_order_relaxed) - taken_.load(std::memory_order_acquire) == ring_.size())
    std::this_thread::sleep_for(kNap);
  offer(entry);
}

bool TickLog::write_some() {
  const std::uint64_t from = taken_.load(std::memory_order_relaxed),
                      to = written_.load(std::memory_order_acquire);
  for (std::uint64_t at = from; at != to; ++at) {
    if (!failed_.load(std::memory_order_relaxed)) {
      try {
        for (const auto& sink : sinks_) sink->write(ring_[at & (ring_.size() - 1)]);
      } catch (...) {
        trouble_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
      }
    }
    taken_.store(at + 1, std::memory_order_release);
  }
  return from != to;
}

void TickLog::write() {
  auto flushed = std::chrono::steady_clock::now();
  for (;;) {
    const bool ending = ending_.load(std::memory_order_acquire);  // before the last look
    const bool some = write_some();
    if (ending && !some) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - flushed >= kFlushEvery && !failed_.load(std::memory_order_relaxed)) {
      flushed = now;
      try {
        for (const auto& sink : sinks_) sink->flush();
      } catch (...) {
        trouble_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
      }
    }
    if (!some) std::this_thread::sleep_for(kNap);
  }
}

void TickLog::finish() {
  ending_.store(true, std::memory_order_release);
  if (writer_.joinable()) writer_.join();
  if (trouble_) std::rethrow_exception(trouble_);
  for (const auto& sink : sinks_) sink->finish();
}

}  // namespace tactus::display
