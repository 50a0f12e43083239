#include "simulate_request.h"

#include <cmath>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/base/nearest.h>

namespace tactus::apps {

namespace {

/// The whole number of times that `part` goes into `whole`; 0 where it does not.
long whole_parts(double whole, double part) {
  constexpr double kRounding = 1e-6;  // 1/3 written with seven digits still counts
  const double ratio = whole / part, rounded = std::round(ratio);
  return rounded >= 1.0 && std::abs(ratio - rounded) <= kRounding * rounded ? static_cast<long>(rounded) : 0;
}

}  // namespace

void refuse(const std::string& wrong, const std::string& remedy) { throw InputError({}, wrong, remedy); }

Schedule schedule_of(const SimulateRequest& request, bool own_steps) {
  constexpr double kMostRows = 1e9;
  for (const auto& [name, value] : {std::pair{"--duration", request.duration}, {"--step", request.step}})
    if (!(value > 0.0) || !std::isfinite(value))
      refuse(fmt::format("{} is {}", name, value), "give a positive time in seconds");
  const double sample = request.sample == 0.0 ? request.step : request.sample;
  if (!(sample > 0.0) || !std::isfinite(sample))
    refuse(fmt::format("--sample is {}", sample), "give a positive time in seconds");
  if (request.duration / sample > kMostRows)
    refuse(fmt::format("{:.3g} rows would be written", request.duration / sample), "give a larger --sample");

  Schedule schedule;
  schedule.samples = whole_parts(request.duration, sample);
  if (schedule.samples == 0)
    refuse(
        fmt::format("a duration of {} s is not a whole number of samples of {} s", request.duration, sample),
        "change --duration, --step or --sample");
  schedule.steps_per_sample = own_steps ? 1 : whole_parts(sample, request.step);
  if (schedule.steps_per_sample == 0)
    refuse(fmt::format("samples of {} s are not a whole number of steps of {} s", sample, request.step),
           "make --sample a multiple of --step");
  schedule.step = request.duration / static_cast<double>(schedule.samples * schedule.steps_per_sample);
  return schedule;
}

simulate::Integrator integrator_of(const SimulateRequest& request) {
  std::vector<std::string> known;
  for (const simulate::IntegratorTraits& traits : simulate::integrators()) known.emplace_back(traits.name);
  const auto integrator = simulate::integrator_of(request.integrator);
  if (!integrator)
    refuse(fmt::format("--integrator: '{}' is not known", request.integrator),
           suggestion(request.integrator, known));
  return *integrator;
}

std::vector<int> frames_of(const describe::Model& model, const SimulateRequest& request) {
  std::vector<std::string> known;
  for (const describe::Frame& frame : model.frames) known.push_back(frame.name);
  std::vector<int> frames;
  for (const std::string& name : request.frames) {
    frames.push_back(model.frame_index(name));
    if (frames.back() < 0)
      refuse(fmt::format("--frames: the model has no frame named '{}'", name),
             known.empty() ? "the model has no frames" : suggestion(name, known));
  }
  return frames;
}

}  // namespace tactus::apps
