#include <tactus/contact/rederive/look_ahead.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace tactus::contact {

namespace {

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

}  // namespace

LookAhead::LookAhead(const Engine& engine, Rederiver& rederiver, LookAheadOptions options)
    : options_(options),
      ahead_(engine.contact_model(), engine.options()),
      questions_(std::in_place,
                 [&engine] {
                   const TermsKernel& terms = engine.contact_model().terms;
                   return Question{0, 0, engine.make_snapshot(),
                                   std::vector<double>(static_cast<std::size_t>(terms.nv)),
                                   std::vector<double>(6 * static_cast<std::size_t>(terms.wrenches))};
                 }),
      predictions_(std::in_place,
                   [&engine, &options] {
                     Prediction prediction;
                     prediction.ticks.resize(options.most_ticks);
                     for (Foreseen& tick : prediction.ticks) tick.after = engine.make_snapshot();
                     return prediction;
                   }),
      tau_(static_cast<std::size_t>(engine.contact_model().terms.nv)),
      wrench_(6 * static_cast<std::size_t>(engine.contact_model().terms.wrenches)) {
  ahead_.attach(&rederiver);
  thread_ = std::thread([this] { run(); });
}

LookAhead::~LookAhead() {
  stop_.store(true, std::memory_order_release);
  nap_.end();
  thread_.join();
}

/// Whether it is the input of the last tick; what is not given is zero.
bool LookAhead::is_held(const Input& input) const {
  const auto same = [](std::span<const double> given, const std::vector<double>& held) {
    if (!given.empty()) return same_bits(given, held);
    return std::all_of(held.begin(), held.end(),
                       [](double x) { return std::bit_cast<std::uint64_t>(x) == 0; });
  };
  return same(input.tau, tau_) && same(input.wrench, wrench_);
}

const Foreseen* LookAhead::next(const Engine& engine, const Input& input) noexcept {
  const Prediction& seen = predictions_.front();
  if (seen.known == 0 || seen.generation != engine.generation() || held_generation_ != engine.generation())
    return nullptr;
  // Made for another input: that of the tick before the look, or of one since.
  if (seen.tick <= held_since_ || offered_ != engine.steps() || !is_held(input)) return nullptr;
  for (std::size_t k = 0; k < seen.known; ++k) {
    const Foreseen& tick = seen.ticks[k];
    if (tick.tick != engine.steps()) continue;
    const State &a = tick.from, &b = engine.state();
    if (!same_bits({&a.t, 1}, {&b.t, 1}) || !same_bits(a.q, b.q) || !same_bits(a.u, b.u)) return nullptr;
    ++statistics_.adopted;
    return &tick;
  }
  return nullptr;
}

void LookAhead::offer(const Engine& engine, const Input& input) {
  const bool missed = engine.steps() > offered_ + 1;
  offered_ = engine.steps();
  if (held_generation_ != engine.generation() || missed || !is_held(input)) {
    // The tick that was just made is the first one with it.
    held_since_ = std::max<std::uint64_t>(engine.steps(), 1) - 1;
    held_generation_ = engine.generation();
    std::fill(tau_.begin(), tau_.end(), 0.0);
    std::fill(wrench_.begin(), wrench_.end(), 0.0);
    std::copy(input.tau.begin(), input.tau.end(), tau_.begin());
    std::copy(input.wrench.begin(), input.wrench.end(), wrench_.begin());
  }
  // How the step that was just made had been foreseen, before newer predictions are looked at.
  if (!engine.events().empty()) {
    const Prediction& seen = predictions_.front();
    const double error = std::abs(seen.event.t - engine.events().front().t);
    ++statistics_.ticks;
    if (seen.sees_event && seen.event.kind == engine.events().front().kind &&
        error <= engine.options().step) {
      ++statistics_.foreseen;
      statistics_.worst_error = std::max(statistics_.worst_error, error);
    }
    since_ = options_.every;  // what was predicted is over
  }
  take_prediction(engine.state().t);
  if (++since_ < options_.every) return;
  since_ = 0;
  Question& question = questions_.back();
  question.number = ++asked_;
  question.generation = engine.generation();
  now_ = engine.state().t;
  engine.save(question.snapshot);
  question.tau = tau_;
  question.wrench = wrench_;
  questions_.publish();
}

void LookAhead::take_prediction(double now) {
  if (!predictions_.update()) return;
  ++statistics_.looks;
  statistics_.worst_age = std::max(statistics_.worst_age, now - predictions_.front().from);
}

void LookAhead::finish() {
  nap_.end();
  while (answered_.load(std::memory_order_acquire) != asked_) std::this_thread::yield();
  take_prediction(now_);
}

void LookAhead::run() {
  while (!stop_.load(std::memory_order_acquire)) {
    const bool asked = questions_.update();
    if (asked) {
      look(questions_.front(), predictions_.back());
      predictions_.publish();
      answered_.store(questions_.front().number, std::memory_order_release);
    }
    nap_.take(asked);
  }
}

void LookAhead::look(const Question& question, Prediction& prediction) {
  prediction.from = question.snapshot.state.t;
  prediction.sees_event = false;
  prediction.known = 0;
  prediction.generation = question.generation;
  prediction.tick = question.snapshot.steps;
  ahead_.load(question.snapshot);
  const double end = prediction.from + options_.horizon;
  State before = ahead_.state();
  while (ahead_.state().t < end && !stop_.load(std::memory_order_relaxed)) {
    before = ahead_.state();
    const Status status = ahead_.step({.tau = question.tau, .wrench = question.wrench});
    if (!status.ok()) break;
    if (ahead_.events().empty()) continue;
    if (!prediction.sees_event) prediction.event = ahead_.events().front();
    prediction.sees_event = true;
    if (prediction.known == prediction.ticks.size()) continue;
    Foreseen& tick = prediction.ticks[prediction.known++];
    tick.tick = ahead_.steps() - 1;
    tick.from = before;
    ahead_.save(tick.after);
    tick.events.assign(ahead_.events().begin(), ahead_.events().end());
    tick.status = status;
    tick.work = ahead_.work();
  }
  prediction.until = ahead_.state().t;
}

}  // namespace tactus::contact
