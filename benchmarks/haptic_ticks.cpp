#include "haptic_ticks.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "support/allocations.h"
#include "support/locks.h"

namespace tactus::bench {
namespace {

double now() {
  timespec t{};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

TickCause cause_of(OpenLoop& open, int age_before) {
  const display::TickRecord& record = open.loop().record();
  TickCause cause;
  cause.events = static_cast<std::uint8_t>(std::min(record.events, 255));
  if (record.events > 0)
    for (const simulate::Event& event : open.moved().events())
      cause.kinds = static_cast<std::uint8_t>(cause.kinds | 1u << static_cast<unsigned>(event.kind));
  cause.update = age_before > 0 && record.age <= age_before;
  return cause;
}

}  // namespace

std::string TickCause::words() const {
  std::string text;
  const auto add = [&](std::string_view more) {
    text += text.empty() ? "" : ", ";
    text += more;
  };
  if (update) add("an update");
  if (events > 0) add(fmt::format("{} event{} of contact:", events, events > 1 ? "s" : ""));
  bool named = false;
  for (unsigned kind = 0; kind <= static_cast<unsigned>(simulate::EventKind::transition); ++kind)
    if ((kinds >> kind & 1u) != 0) {
      text += (named ? ", " : " ") + std::string(name_of(static_cast<simulate::EventKind>(kind)));
      named = true;
    }
  return text.empty() ? "no event" : text;
}

double clock_cost() {
  static const double cost = [] {
    double least = 1e9;
    for (int k = 0; k < 100'000; ++k) {
      const double start = now();
      least = std::min(least, now() - start);
    }
    return least;
  }();
  return cost;
}

TickFigures measure_ticks(const MakeLoop& make, double rate, long ticks, int repetitions, int most_runs) {
  constexpr float kShorter = 0.9f;  // of what it was
  TickFigures figures;
  std::vector<float> least(static_cast<std::size_t>(ticks), 1e30f);
  std::vector<TickCause> causes(static_cast<std::size_t>(ticks));  // the same in every run
  float worst = 1e30f;
  for (bool shorter = true; figures.runs < most_runs && (figures.runs < repetitions || shorter);
       ++figures.runs) {
    const std::unique_ptr<OpenLoop> open = make();
    display::HapticLoop& loop = open->loop();
    device::Device& device = open->device();
    if (!loop.enable()) throw std::runtime_error("the device could not be enabled");
    long k = 0;
    int age = 0;
    for (; k < ticks && device.wait(); ++k) {
      const long before = test::allocation_count_of_this_thread(), locked = test::lock_count_of_this_thread();
      const double start = now();
      const bool well = loop.tick(1.0 / rate);
      const double took = std::max(0.0, now() - start - clock_cost());
      figures.allocations += test::allocation_count_of_this_thread() - before;
      figures.locks += test::lock_count_of_this_thread() - locked;
      figures.all.add(static_cast<std::int64_t>(took));
      float& best = least[static_cast<std::size_t>(k)];
      best = std::min(best, static_cast<float>(took));
      causes[static_cast<std::size_t>(k)] = cause_of(*open, age);
      age = loop.record().age;
      if (!well) break;
    }
    figures.done = k;
    const float now_worst = *std::max_element(least.begin(), least.begin() + std::max(k, 1L));
    shorter = now_worst < kShorter * worst;
    worst = now_worst;
    if (loop.safety().fault != control::Fault::none)
      figures.fault = std::string(name_of(loop.safety().fault));
  }
  least.resize(static_cast<std::size_t>(std::max(figures.done, 1L)));
  figures.first = least.front();
  const auto others = least.begin() + (least.size() > 1 ? 1 : 0);
  figures.worst = std::max_element(others, least.end()) - least.begin();
  figures.longest = least[static_cast<std::size_t>(figures.worst)];
  figures.cause = causes[static_cast<std::size_t>(figures.worst)];
  for (std::size_t k = 0; k < least.size(); ++k)
    if (causes[k].events > 0) {
      ++figures.with_events;
      figures.worst_event = std::max(figures.worst_event, least[k]);
    }
  std::sort(least.begin(), least.end());
  figures.least = std::move(least);
  return figures;
}

void print_tick_head() {
  fmt::print("{:<28} {:<22} {:>6} {:>8} {:>9} {:>9} {:>5} {:>9} {:>9} {:>9} {:>12} {:>6}\n", "mechanism", "",
             "Hz", "p50", "p99.9", "worst", "runs", "all p50", "p99.9", "max", "allocations", "locks");
}

Verdict print_ticks(const std::string& model, const std::string& what, double rate, const TickFigures& f,
                    const TickAim& aim) {
  const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
  const auto part = [&](double p) {
    return 1e-3 * static_cast<double>(
                      f.least[static_cast<std::size_t>(p * static_cast<double>(f.least.size() - 1))]);
  };
  const double median = part(0.5), worst = part(1.0);
  fmt::print(
      "{:<28} {:<22} {:>6.0f} {:>8.2f} {:>9.2f} {:>9.1f} {:>5} {:>9.2f} {:>9.2f} {:>9.1f} {:>12} {:>6}{}\n",
      model, what, rate, median, part(0.999), worst, f.runs, us(f.all.percentile(0.5)),
      us(f.all.percentile(0.999)), us(f.all.largest()), f.allocations, f.locks,
      f.fault.empty() ? "" : fmt::format("  stopped at tick {}: {}", f.done, f.fault));
  fmt::print("{:<28} {:<22} {:>6} the first {:.1f}; worst of the others {:.1f}: tick {}, {}", "", "", "",
             1e-3 * static_cast<double>(f.first), 1e-3 * static_cast<double>(f.longest), f.worst,
             f.cause.words());
  if (f.with_events > 0)
    fmt::print("; {} ticks with events, the worst of them {:.1f}", f.with_events,
               us(static_cast<std::int64_t>(f.worst_event)));
  Verdict verdict = f.allocations == 0 && f.locks == 0 && f.fault.empty() ? Verdict::none : Verdict::missed;
  const auto judge = [&](const char* name, double value, double most) {
    if (!(most > 0.0)) return;
    const bool met = value < most;
    fmt::print("; {} below {:g}: {}", name, most, met ? "met" : "MISSED");
    if (verdict != Verdict::missed) verdict = met ? Verdict::met : Verdict::missed;
  };
  judge("median", median, aim.median);
  judge("worst", worst, aim.worst);
  fmt::print("\n");
  std::fflush(stdout);
  return verdict;
}

void Outcome::print() const {
  fmt::print(
      "\nOf {} rows that something is asked of, or that stopped, allocated or locked, {} are as they "
      "should be.\n",
      met + missed, met);
}

}  // namespace tactus::bench
