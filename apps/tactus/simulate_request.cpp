#include "simulate_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <tactus/base/error.h>

#include "options.h"

namespace tactus::apps {

namespace {

/// Every so many steps one is taken again in two halves, to know how far they lead astray: two or three parts in a hundred
/// of the time.
constexpr int kLookEvery = 128;

/// The whole number of times that `part` goes into `whole`; 0 where it does not.
long whole_parts(double whole, double part) {
  constexpr double kRounding = 1e-6;  // 1/3 written with seven digits still counts
  const double ratio = whole / part, rounded = std::round(ratio);
  return rounded >= 1.0 && std::abs(ratio - rounded) <= kRounding * rounded ? static_cast<long>(rounded) : 0;
}

/// A sample is cut into as many parts, so that the duration is a whole number of them.
constexpr long kMostParts = 1000;
long parts_of_sample(double duration, double sample) {
  for (long parts = 1; parts < kMostParts; ++parts)
    if (whole_parts(duration * static_cast<double>(parts), sample) > 0) return parts;
  return kMostParts;
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

}  // namespace

Schedule schedule_of(const SimulateRequest& request, const describe::Model& model) {
  // With contact the step is also the tick in which events are looked for.
  const bool own_steps = !contact::has_contact(model) && simulate::is_adaptive(integrator_of(request));
  constexpr double kMostRows = 1e9;
  const double sample = request.sample == 0.0 ? request.step : request.sample;  // 0: not given
  if (request.duration / sample > kMostRows)
    refuse(fmt::format("{:.3g} rows would be written", request.duration / sample), "give a larger --sample");

  Schedule schedule;
  // An adaptive integrator takes as long a tick as samples and duration allow.
  schedule.steps_per_sample =
      own_steps ? parts_of_sample(request.duration, sample) : whole_parts(sample, request.step);
  if (schedule.steps_per_sample == 0 && !own_steps)
    refuse(fmt::format("samples of {} s are not a whole number of steps of {} s", sample, request.step),
           "make --sample a multiple of --step");
  const long steps =
      own_steps ? whole_parts(request.duration * static_cast<double>(schedule.steps_per_sample), sample)
                : whole_parts(request.duration, request.step);
  if (steps == 0) {
    const double unit = own_steps ? sample / kMostParts : request.step;
    refuse(fmt::format("a duration of {} s is not a whole number of {} of {} s", request.duration,
                       own_steps ? "parts" : "steps", unit),
           fmt::format("take --duration {:.9g}, or another {}",
                       std::max(1.0, std::round(request.duration / unit)) * unit,
                       own_steps ? "--sample" : "--step"));
  }
  schedule.samples = steps / schedule.steps_per_sample;
  schedule.rest_steps = steps % schedule.steps_per_sample;
  schedule.step = request.duration / static_cast<double>(steps);
  return schedule;
}

contact::OpenOptions open_options_of(const SimulateRequest& request, const describe::Model& model,
                                     const Schedule& schedule) {
  contact::OpenOptions options;
  options.step = schedule.step;
  options.look_every = kLookEvery;
  options.integrator = integrator_of(request);
  options.tolerances = {request.tolerance, request.tolerance};
  options.constraints.formulation = simulate::formulation_of(request.formulation).value();
  options.constraints.holding = simulate::holding_of(request.holding).value();
  using Contact = contact::OpenOptions::Contact;
  options.contact = request.contact == "events"     ? Contact::events
                    : request.contact == "stepping" ? Contact::stepping
                                                    : Contact::automatic;
  options.hand_over = !request.no_hand_over;
  options.rederive = contact::rederivation_of(request.rederive).value();
  options.sleep_after = request.sleep;
  options.script = request.script;
  std::vector<std::string> known;
  for (const describe::Frame& frame : model.frames) known.push_back(frame.name);
  for (const describe::Body& body : model.bodies) known.push_back(body.name);
  for (const auto& [flag, names] :
       {std::pair{"--frames", &request.frames}, {"--plot-path", &request.plot_paths}})
    for (const std::string& name : *names) {
      if (model.frame_index(name) < 0 && model.body_index(name) <= 0)
        refuse(fmt::format("{}: the model has no frame named '{}'", flag, name), suggestion(name, known));
      options.ports.push_back(name);
    }
  options.ports = without_repetition(options.ports);
  return options;
}

namespace {

/// Indices of the pairs to record.
std::vector<int> pairs_of(const SimulateRequest& request, const describe::Model& model) {
  constexpr std::size_t kMostRecordedPairs =
      40;  // more are not recorded one by one unless the user names them
  const std::vector<describe::ContactPair>& all = model.contact.pairs;
  std::vector<int> pairs;
  if (request.pairs.empty()) {
    if (all.size() <= kMostRecordedPairs) pairs.resize(all.size());
    std::iota(pairs.begin(), pairs.end(), 0);
    return pairs;
  }
  if (request.pairs.size() == 1 && request.pairs[0] == "none") return pairs;
  std::vector<std::string> known;
  for (const describe::ContactPair& pair : all) known.push_back(pair.name);
  for (const std::string& name : request.pairs) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end())
      refuse(fmt::format("--pairs: the model has no pair named '{}'", name),
             known.empty() ? "the model has none" : suggestion(name, known));
    pairs.push_back(static_cast<int>(found - known.begin()));
  }
  return pairs;
}

}  // namespace

simulate::RecordOptions record_options_of(const SimulateRequest& request,
                                          const simulate::Mechanism& mechanism) {
  simulate::RecordOptions options;
  const std::array<std::pair<std::string_view, bool*>, 9> groups{{{"q", &options.coordinates},
                                                                  {"u", &options.speeds},
                                                                  {"tau", &options.efforts},
                                                                  {"energy", &options.energies},
                                                                  {"definitions", &options.definitions},
                                                                  {"errors", &options.errors},
                                                                  {"lambda", &options.multipliers},
                                                                  {"contacts", &options.contacts},
                                                                  {"losses", &options.losses}}};
  const bool all = request.columns.empty() || request.columns == std::vector<std::string>{"all"};
  for (const auto& [name, wanted] : groups)
    *wanted = all || std::find(request.columns.begin(), request.columns.end(), name) != request.columns.end();
  std::vector<std::string> known{"all"};
  for (const auto& [name, wanted] : groups) known.emplace_back(name);
  for (const std::string& name : request.columns)
    if (std::find(known.begin(), known.end(), name) == known.end())
      refuse(fmt::format("--columns: '{}' is not known", name), suggestion(name, known));
  for (const std::string& name : request.frames) options.ports.push_back(mechanism.port(name));
  if (mechanism.kind() != simulate::EngineKind::smooth) options.pairs = pairs_of(request, mechanism.model());
  return options;
}

}  // namespace tactus::apps
