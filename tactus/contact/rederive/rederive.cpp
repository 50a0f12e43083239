#include <tactus/contact/rederive/rederive.h>

#include <algorithm>
#include <bit>

namespace tactus::contact {

Rederiver::Rederiver(const ContactModel& contact_model, RederiveOptions options)
    : options_(options),
      entries_(std::bit_ceil(2 * std::max<std::size_t>(options.most_sets, 1))),
      formulator_(contact_model.terms, contact_model.terms.function) {
  if (options_.when == RederiveOptions::When::in_background) thread_ = std::thread([this] { run(); });
}

Rederiver::~Rederiver() {
  stop_.store(true, std::memory_order_release);
  nap_.end();
  if (thread_.joinable()) thread_.join();
}

// A place goes empty -> claimed -> asked -> ready or refused, and never back; its key is written while it is
// claimed, its code while it is asked, each before the state that tells of it.
Rederiver::Entry* Rederiver::place(const SetKey& key) {
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t slot = key.hash() & mask;; slot = (slot + 1) & mask) {
    Entry& entry = entries_[slot];
    std::uint8_t state = entry.state.load(std::memory_order_acquire);
    if (state == kEmpty) {
      if (claimed_.fetch_add(1, std::memory_order_relaxed) >= options_.most_sets) {
        claimed_.fetch_sub(1, std::memory_order_relaxed);
        full_.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
      }
      if (entry.state.compare_exchange_strong(state, kClaimed, std::memory_order_acquire)) {
        entry.key = key;
        entry.ticket.store(claims_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
        entry.state.store(kAsked, std::memory_order_release);
        tickets_.fetch_add(1, std::memory_order_release);  // for the thread that makes code
        return &entry;
      }
      claimed_.fetch_sub(1, std::memory_order_relaxed);
    }
    if (state == kClaimed) return nullptr;
    if (entry.key == key) return &entry;
  }
}

const SetCode* Rederiver::find(const SetKey& key) {
  if (options_.when == RederiveOptions::When::at_once) return make(key);
  const Entry* entry = place(key);
  if (entry == nullptr || entry->state.load(std::memory_order_acquire) != kReady) return nullptr;
  return &*entry->code;
}

const SetCode* Rederiver::make(const SetKey& key) {
  Entry* entry = place(key);
  if (entry == nullptr) return nullptr;
  if (entry->state.load(std::memory_order_acquire) == kAsked) fill(*entry);
  return entry->state.load(std::memory_order_acquire) == kReady ? &*entry->code : nullptr;
}

void Rederiver::fill(Entry& entry) {
  const std::lock_guard lock(making_);
  if (entry.state.load(std::memory_order_acquire) != kAsked) return;  // another was faster
  entry.code = formulator_.formulate(entry.key);
  if (!entry.code) {
    ++statistics_.refused;
    entry.state.store(kRefused, std::memory_order_release);
    return;
  }
  const SetCode& code = *entry.code;
  ++statistics_.made;
  statistics_.derive_total += code.derive_seconds;
  statistics_.derive_worst = std::max(statistics_.derive_worst, code.derive_seconds);
  statistics_.compile_total += code.compile_seconds;
  statistics_.compile_worst = std::max(statistics_.compile_worst, code.compile_seconds);
  statistics_.made_worst = std::max(statistics_.made_worst, code.derive_seconds + code.compile_seconds);
  statistics_.bytes += code.bytes;
  entry.state.store(kReady, std::memory_order_release);
}

Rederiver::Entry* Rederiver::oldest_asked() {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    if (entry.state.load(std::memory_order_acquire) != kAsked) continue;
    if (oldest == nullptr ||
        entry.ticket.load(std::memory_order_relaxed) < oldest->ticket.load(std::memory_order_relaxed))
      oldest = &entry;
  }
  return oldest;
}

void Rederiver::run() {
  std::uint32_t seen = 0;
  while (!stop_.load(std::memory_order_acquire)) {
    // Tickets first: what is claimed meanwhile has a later one, and is seen the next time.
    const std::uint32_t tickets = tickets_.load(std::memory_order_acquire);
    bool any = tickets != seen;
    seen = tickets;
    while (any && !stop_.load(std::memory_order_acquire)) {
      Entry* entry = oldest_asked();
      if (entry == nullptr) break;
      fill(*entry);
    }
    nap_.take(any);
  }
}

void Rederiver::finish() const {
  while (statistics().waiting > 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

RederiveStatistics Rederiver::statistics() const {
  RederiveStatistics result;
  {
    const std::lock_guard lock(making_);
    result = statistics_;
  }
  result.no_place = full_.load(std::memory_order_relaxed);
  for (const Entry& entry : entries_) {
    const std::uint8_t state = entry.state.load(std::memory_order_acquire);
    result.waiting += state == kAsked || state == kClaimed;
  }
  return result;
}

}  // namespace tactus::contact
