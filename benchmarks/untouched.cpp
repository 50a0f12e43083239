#include "untouched.h"

#include <time.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>

#include "support/untouched.h"

namespace tactus::bench {
namespace {

double processor_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Processor time of a motion [us per step]; negative where it failed.
double time_of(simulate::Mechanism& mechanism, const simulate::State& start, int steps) {
  mechanism.set_state(start);
  const double begin = processor_time();
  for (int k = 0; k < steps; ++k)
    if (!mechanism.step().ok()) return -1.0;
  return 1e6 * (processor_time() - begin) / steps;
}

void measure(const std::string& name, const describe::Model& model, bool quick) {
  const auto alone = contact::open(model), stop = contact::open(test::with_stops_far_away(model, 0)),
             pair = contact::open(test::with_pair_far_away(model, static_cast<int>(model.bodies.size()) - 1));
  const simulate::State start = alone->state();
  std::size_t rows = 0;
  for (const simulate::ConstraintOutline& constraint : alone->constraints()) rows += constraint.rows.size();
  // One after the other, again and again; the smallest time of each: the machine has other work.
  const int steps = quick ? 1000 : 10000;
  double best[3] = {1e9, 1e9, 1e9};
  for (int repetition = 0; repetition < (quick ? 3 : 9); ++repetition) {
    best[0] = std::min(best[0], time_of(*alone, start, steps));
    best[1] = std::min(best[1], time_of(*stop, start, steps));
    best[2] = std::min(best[2], time_of(*pair, start, steps));
  }
  fmt::print("{:<18} {:>7} {:>6} {:>11.3f} {:>11.3f} {:>7.2f} {:>11.3f} {:>7.2f}\n", name, alone->nv(), rows,
             best[0], best[1], best[1] / best[0], best[2], best[2] / best[0]);
}

}  // namespace

void measure_untouched(bool quick) {
  fmt::print(
      "\nContact that never comes: {} s by steps of 1 ms, through singular positions (processor time per "
      "step)\n"
      "{:<18} {:>7} {:>6} {:>11} {:>11} {:>7} {:>11} {:>7}\n",
      quick ? 1 : 10, "mechanism", "speeds", "rows", "alone us", "stop us", "ratio", "pair us", "ratio");
  const auto load = [](const char* name, const describe::Settings& settings = {}) {
    return describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + name + ".yaml", settings);
  };
  measure("slider_crank", load("slider_crank"), quick);
  for (const char* N : {"1", "10", "40"})
    measure(fmt::format("ladder, {} loops", N), load("four_bar_ladder", {{"N", N}}), quick);
  measure("bricard", load("bricard"), quick);
}

}  // namespace tactus::bench
