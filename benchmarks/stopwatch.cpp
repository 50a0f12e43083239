#include "stopwatch.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "support/allocations.h"

namespace tactus::bench {

namespace {

using test::allocation_count;
using Clock = std::chrono::steady_clock;

/// Processor time of this process, all threads: what other processes take meanwhile does not count.
double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_for(const Contender& contender, std::size_t calls) {
  const double start = processor_seconds();
  contender.run(calls);
  return processor_seconds() - start;
}

double wall_seconds_for_one(const Contender& contender) {
  const Clock::time_point start = Clock::now();
  contender.run(1);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// So many calls that they take about the given time.
std::size_t calibrated(const Contender& contender, double seconds) {
  std::size_t calls = 1;
  double taken = seconds_for(contender, calls);
  while (taken < 0.1 * seconds) {
    calls *= 4;
    taken = seconds_for(contender, calls);
  }
  const double wanted = static_cast<double>(calls) * seconds / taken;
  return std::max<std::size_t>(1, static_cast<std::size_t>(wanted));
}

Measurement summary(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))];
  };
  return {at(0.5), at(0.25), at(0.75), 0.0};
}

double allocations_per_call(const Contender& contender) {
  constexpr std::size_t kCalls = 16;
  const long before = allocation_count();
  contender.run(kCalls);
  return static_cast<double>(allocation_count() - before) / static_cast<double>(kCalls);
}

}  // namespace

std::vector<Measurement> measure(const std::vector<Contender>& contenders, const Effort& effort) {
  std::vector<std::size_t> calls;
  for (const Contender& contender : contenders) calls.push_back(calibrated(contender, effort.seconds));
  std::vector<std::vector<double>> samples(contenders.size());
  for (int r = 0; r < effort.repetitions; ++r) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const double states = static_cast<double>(calls[i]) * contenders[i].states_per_call;
      samples[i].push_back(1e9 * seconds_for(contenders[i], calls[i]) / states);
    }
  }
  std::vector<Measurement> results;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    results.push_back(summary(std::move(samples[i])));
    results.back().allocations = allocations_per_call(contenders[i]);
  }
  return results;
}

std::vector<Measurement> measure_cold(const std::vector<Contender>& contenders, int repetitions) {
  constexpr std::size_t kFar = std::size_t{96}
                               << 20;  // bytes: more than the last cache of the machines we know
  constexpr std::size_t kLine = 64;
  std::vector<std::uint8_t> far(kFar, 1);
  std::vector<double> clock;
  for (int r = 0; r < 1000; ++r) {
    const Clock::time_point start = Clock::now();
    clock.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  const double overhead = summary(clock).ns;
  std::vector<std::vector<double>> samples(contenders.size());
  for (int r = 0; r < repetitions; ++r) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      for (std::size_t k = 0; k < kFar; k += kLine) far[k] = static_cast<std::uint8_t>(far[k] + 1);
      samples[i].push_back(1e9 * (wall_seconds_for_one(contenders[i]) - overhead));
    }
  }
  std::vector<Measurement> results;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    results.push_back(summary(std::move(samples[i])));
    results.back().allocations = allocations_per_call(contenders[i]);
  }
  return results;
}

}  // namespace tactus::bench
