#include "thresholds.h"

#include <cstdio>

#include <fmt/format.h>

#include <tactus/generate/kernel.h>

#include "tactus_contenders.h"

namespace tactus::bench {

namespace {

using derive::ForwardMethod;

/// Deeper trees are not derived by composite bodies: that graph grows with the square of the depth.
constexpr int kDeepestComposite = 32;

constexpr int kColdRepetitions = 15;

void measure_tree(const Mechanism& mechanism, int depth, const Effort& effort) {
  const auto n = static_cast<std::size_t>(mechanism.nv);
  std::vector<Contender> contenders;
  std::vector<std::size_t> code_size;
  const auto add = [&](ForwardMethod method) {
    const algebra::Function function = function_of(mechanism, Quantity::forward_dynamics, method);
    const generate::Kernel kernel = generate::compile(function);
    contenders.push_back(kernel_contender({}, kernel, inputs_of(function, mechanism), n));
    code_size.push_back(kernel.code_size());
  };
  const bool with_composite = depth <= kDeepestComposite;
  if (with_composite) add(ForwardMethod::composite_body);
  add(ForwardMethod::articulated_body);
  contenders.push_back(recursion_contender(mechanism, Quantity::forward_dynamics));
  const std::vector<Measurement> hot = measure(contenders, effort);
  const std::vector<Measurement> cold = measure_cold(contenders, kColdRepetitions);
  std::string line = fmt::format("{:<23} {:>5}", mechanism.name, depth);
  if (!with_composite) line += fmt::format(" {:>8} {:>8} {:>8}", "-", "-", "-");
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    line += fmt::format(" {:>8.0f} {:>8.0f}", hot[i].ns, cold[i].ns);
    if (i < code_size.size()) line += fmt::format(" {:>8}", code_size[i]);
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

void measure_thresholds(const Effort& effort) {
  fmt::print("Forward dynamics: ns per call with hot and with cold caches, and bytes of code.\n");
  fmt::print("{:<29} {:^26} {:^26} {:^17}\n", "", "composite body", "articulated body", "looped");
  fmt::print("{:<23} {:>5} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "tree", "depth", "hot", "cold",
             "bytes", "hot", "cold", "bytes", "hot", "cold");
  for (const bool spatial : {false, true}) {
    for (const int links : {2, 3, 4, 6, 8, 10, 11, 12, 13, 14, 16, 20, 24, 32, 64, 100, 200, 500, 1000}) {
      measure_tree(chain(links, spatial), links, effort);
    }
  }
  for (const int count : {2, 4, 8}) {
    for (const int joints : {2, 3, 7, 9, 10, 11, 12, 13, 15})
      measure_tree(legs(count, joints), joints + 1, effort);
  }
}

}  // namespace tactus::bench
