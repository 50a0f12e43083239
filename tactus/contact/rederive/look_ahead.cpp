#include <tactus/contact/rederive/look_ahead.h>

#include <algorithm>
#include <cmath>

namespace tactus::contact {

LookAhead::LookAhead(const Engine& engine, Rederiver& rederiver, LookAheadOptions options)
    : options_(options),
      ahead_(engine.contact_model(), engine.options()),
      questions_(std::in_place, [&engine] {
        const TermsKernel& terms = engine.contact_model().terms;
        return Question{0, engine.make_snapshot(), std::vector<double>(static_cast<std::size_t>(terms.nv)),
                        std::vector<double>(6 * static_cast<std::size_t>(terms.wrenches))};
      }) {
  ahead_.attach(&rederiver);
  thread_ = std::thread([this] { run(); });
}

LookAhead::~LookAhead() {
  stop_.store(true, std::memory_order_release);
  wake_.release();
  thread_.join();
}

void LookAhead::offer(const Engine& engine, const Input& input) {
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
  now_ = engine.state().t;
  engine.save(question.snapshot);
  std::fill(question.tau.begin(), question.tau.end(), 0.0);
  std::fill(question.wrench.begin(), question.wrench.end(), 0.0);
  std::copy(input.tau.begin(), input.tau.end(), question.tau.begin());
  std::copy(input.wrench.begin(), input.wrench.end(), question.wrench.begin());
  questions_.publish();
  wake_.release();
}

void LookAhead::take_prediction(double now) {
  if (!predictions_.update()) return;
  ++statistics_.looks;
  statistics_.worst_age = std::max(statistics_.worst_age, now - predictions_.front().from);
}

void LookAhead::finish() {
  while (answered_.load(std::memory_order_acquire) != asked_) std::this_thread::yield();
  take_prediction(now_);
}

void LookAhead::run() {
  for (;;) {
    wake_.acquire();
    while (wake_.try_acquire()) {
    }
    if (stop_.load(std::memory_order_acquire)) return;
    if (!questions_.update()) continue;
    predictions_.back() = look(questions_.front());
    predictions_.publish();
    answered_.store(questions_.front().number, std::memory_order_release);
  }
}

Prediction LookAhead::look(const Question& question) {
  Prediction prediction;
  prediction.from = question.snapshot.state.t;
  ahead_.load(question.snapshot);
  const double end = prediction.from + options_.horizon;
  while (ahead_.state().t < end && !stop_.load(std::memory_order_relaxed)) {
    if (!ahead_.step({.tau = question.tau, .wrench = question.wrench}).ok()) break;
    if (prediction.sees_event || ahead_.events().empty()) continue;
    prediction.sees_event = true;
    prediction.event = ahead_.events().front();
  }
  prediction.until = ahead_.state().t;
  return prediction;
}

}  // namespace tactus::contact
