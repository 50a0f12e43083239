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

}  // namespace

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
  float worst = 1e30f;
  for (bool shorter = true; figures.runs < most_runs && (figures.runs < repetitions || shorter);
       ++figures.runs) {
    const std::unique_ptr<OpenLoop> open = make();
    display::HapticLoop& loop = open->loop();
    device::Device& device = open->device();
    if (!loop.enable()) throw std::runtime_error("the device could not be enabled");
    long k = 0;
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
  std::sort(least.begin(), least.end());
  figures.least = std::move(least);
  return figures;
}

void print_tick_head() {
  fmt::print("{:<28} {:<22} {:>6} {:>8} {:>9} {:>9} {:>5} {:>9} {:>9} {:>9} {:>12} {:>6}\n", "mechanism", "",
             "Hz", "p50", "p99.9", "worst", "runs", "all p50", "p99.9", "max", "allocations", "locks");
}

void print_ticks(const std::string& model, const std::string& what, double rate, const TickFigures& f) {
  const auto us = [](std::int64_t ns) { return 1e-3 * static_cast<double>(ns); };
  const auto part = [&](double p) {
    return 1e-3 * static_cast<double>(
                      f.least[static_cast<std::size_t>(p * static_cast<double>(f.least.size() - 1))]);
  };
  fmt::print(
      "{:<28} {:<22} {:>6.0f} {:>8.2f} {:>9.2f} {:>9.1f} {:>5} {:>9.2f} {:>9.2f} {:>9.1f} {:>12} {:>6}{}\n",
      model, what, rate, part(0.5), part(0.999), part(1.0), f.runs, us(f.all.percentile(0.5)),
      us(f.all.percentile(0.999)), us(f.all.largest()), f.allocations, f.locks,
      f.fault.empty() ? "" : fmt::format("  stopped at tick {}: {}", f.done, f.fault));
  std::fflush(stdout);
}

}  // namespace tactus::bench
