#include <tactus/display/log/tick_log.h>

#include <bit>
#include <chrono>
#include <exception>

#include <tactus/base/output_file.h>

namespace tactus::display {

namespace {

constexpr auto kNap = std::chrono::milliseconds(2);           // of the writer, when there is nothing to do
constexpr auto kFlushEvery = std::chrono::milliseconds(250);  // what a crash may cost

}  // namespace

TickLog::TickLog(std::vector<std::unique_ptr<LogSink>> sinks, std::size_t room) : ring_(std::bit_ceil(room)) {
  for (std::unique_ptr<LogSink>& sink : sinks) sinks_.push_back({std::move(sink)});
  writer_ = std::thread([this] { write(); });
}

/// Each by itself: what one of them meets is no matter of the others.
template <class Act>
void TickLog::on_each_sound_sink(const Act& act) noexcept {
  for (Sink& sink : sinks_) {
    if (!sink.trouble.empty()) continue;
    try {
      act(*sink.to);
      continue;
    } catch (const std::exception& error) {
      sink.trouble = error.what();
    } catch (...) {
    }
    if (sink.trouble.empty()) sink.trouble = "error: a log could not be written";
    if (const std::string kept = sink.to->keep(); !kept.empty())
      sink.trouble += "\n  help: what was written before that is in " + kept;
    failed_.store(true, std::memory_order_release);
  }
}

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
    on_each_sound_sink([&](LogSink& sink) { sink.write(ring_[at & (ring_.size() - 1)]); });
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
    if (now - flushed >= kFlushEvery) {
      flushed = now;
      on_each_sound_sink([](LogSink& sink) { sink.flush(); });
    }
    if (!some) std::this_thread::sleep_for(kNap);
  }
}

void TickLog::finish() {
  ending_.store(true, std::memory_order_release);
  if (writer_.joinable()) writer_.join();
  on_each_sound_sink([](LogSink& sink) { sink.finish(); });
  std::string all;
  for (const Sink& sink : sinks_)
    if (!sink.trouble.empty()) all += (all.empty() ? "" : "\n") + sink.trouble;
  if (!all.empty()) throw OutputError(all);
}

std::vector<std::string> TickLog::not_whole() const {
  std::vector<std::string> paths;
  for (const Sink& sink : sinks_)
    if (!sink.trouble.empty()) paths.push_back(sink.to->path());
  return paths;
}

}  // namespace tactus::display
