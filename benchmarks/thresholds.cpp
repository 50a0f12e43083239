#include "thresholds.h"

#include <cstdio>

#include <fmt/format.h>

#include <tactus/generate/kernel.h>

#include "tactus_contenders.h"

namespace tactus::bench {

namespace {

using derive::ForwardMethod;

/// Beyond these lengths the composite-body graph, which grows with the square of the length, is not derived.
constexpr int kLongestPlanarComposite = 64;
constexpr int kLongestSpatialComposite = 32;

constexpr int kColdRepetitions = 15;

void measure_chain(int links, bool spatial, const Effort& effort) {
  const Mechanism mechanism = chain(links, spatial);
  const auto n = static_cast<std::size_t>(links);
  std::vector<Contender> contenders;
  std::vector<std::size_t> code_size;
  const auto add = [&](ForwardMethod method, const char* name) {
    const algebra::Function function = function_of(mechanism, Quantity::forward_dynamics, method);
    const generate::Kernel kernel = generate::compile(function);
    contenders.push_back(kernel_contender(name, kernel, inputs_of(function, mechanism), n));
    code_size.push_back(kernel.code_size());
  };
  const bool with_composite = links <= (spatial ? kLongestSpatialComposite : kLongestPlanarComposite);
  if (with_composite) add(ForwardMethod::composite_body, "composite");
  add(ForwardMethod::articulated_body, "articulated");
  contenders.push_back(recursion_contender(mechanism, Quantity::forward_dynamics));
  const std::vector<Measurement> hot = measure(contenders, effort);
  const std::vector<Measurement> cold = measure_cold(contenders, kColdRepetitions);
  std::string line = fmt::format("{:<8} {:>5}", spatial ? "spatial" : "planar", links);
  if (!with_composite) line += fmt::format(" {:>9} {:>9} {:>9}", "-", "-", "-");
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    line += fmt::format(" {:>9.0f} {:>9.0f}", hot[i].ns, cold[i].ns);
    if (i < code_size.size()) line += fmt::format(" {:>9}", code_size[i]);
  }
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

}  // namespace

void measure_thresholds(const Effort& effort) {
  fmt::print("Forward dynamics of chains: ns per call with hot and with cold caches, and bytes of code.\n");
  fmt::print("{:<14} {:>29} {:>29} {:>19}\n", "", "composite body", "articulated body", "looped");
  fmt::print("{:<8} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "chain", "links", "hot", "cold",
             "bytes", "hot", "cold", "bytes", "hot", "cold");
  for (const int links : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150, 200, 300})
    measure_chain(links, false, effort);
  for (const int links : {2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 100, 150, 200})
    measure_chain(links, true, effort);
}

}  // namespace tactus::bench
