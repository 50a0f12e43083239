#include "simulate_contact.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <tactus/base/nearest.h>
#include <tactus/simulate/constraints/assembly.h>

#include "contact_setup.h"

namespace tactus::apps {

namespace {

/// More pairs than this are not recorded one by one unless the user names them.
constexpr std::size_t kMostRecordedPairs = 40;

/// Indices of the pairs to record.
std::vector<int> pairs_of(const describe::Model& model, const SimulateRequest& request) {
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

simulate::Script script_of(const SimulateRequest& request, const describe::Model& model) {
  const derive::Equations equations(model);
  return request.script.empty() ? simulate::empty_script(equations)
                                : simulate::load_script(equations, request.script);
}

}  // namespace

ContactSetup::ContactSetup(const SimulateRequest& given, const describe::Model& model)
    : request(given),
      schedule(schedule_of(given, false)),
      script(script_of(given, model)),
      contact_model(model, script.wrenches),
      recorder(contact_model, frames_of(model, given), pairs_of(model, given)) {
  if (script.loads) contact_model.set_loads(*script.loads);
  derive_s_ = seconds_since(start);
}

simulate::State ContactSetup::initial() const {
  const std::vector<describe::Constraint>& constraints = contact_model.model.constraints;
  if (std::none_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.active; }))
    return script.initial;
  return simulate::assemble(contact_model.dynamics, script.initial);
}

std::string ContactSetup::title() const {
  return contact_model.model.name.empty() ? request.model.path : contact_model.model.name;
}

std::size_t ContactSetup::constraint_rows() const {
  return static_cast<std::size_t>(
      std::count(contact_model.stop_of_row.begin(), contact_model.stop_of_row.end(), -1));
}

nlohmann::ordered_json ContactSetup::summary(const MotionRun& run, const simulate::State& state) const {
  nlohmann::ordered_json summary =
      run.summary(state, contact_model.dynamics.coordinate_names, contact_model.dynamics.speed_names);
  if (contact_model.own_constraints > 0)
    summary["constraints"] = {{"rows", constraint_rows()},
                              {"worst_position_error", run.worst_position_error()},
                              {"worst_velocity_error", run.worst_velocity_error()}};
  summary["contact"] = {{"pairs", contact_model.model.contact.pairs.size()},
                        {"stops", contact_model.model.contact.stops.size()},
                        {"transitions_declared", contact_model.model.contact.transitions.size()}};
  run.add_ending(derive_s_, summary);
  return summary;
}

void ContactSetup::print_head(const MotionRun& run, const simulate::State& state) const {
  run.print_head(derive_s_, state);
  if (contact_model.own_constraints > 0)
    fmt::print("{} constraint rows; worst errors {:.2g} (position), {:.2g} (velocity)\n", constraint_rows(),
               run.worst_position_error(), run.worst_velocity_error());
}

bool has_contact(const describe::Model& model) {
  const describe::ContactSection& contact = model.contact;
  return !contact.pairs.empty() || !contact.stops.empty() || !contact.transitions.empty();
}

void simulate_with_contact(const SimulateRequest& request, const describe::Model& model) {
  const SimulateRequest defaults;
  const bool stepping =
      request.contact == "stepping" || (request.contact == "auto" && contact::asks_for_stepping(model));
  ContactSetup setup(request, model);
  if (stepping && (request.formulation != defaults.formulation || request.holding != defaults.holding))
    refuse("--formulation and --holding do not apply to time-stepping", "leave them out");
  if (stepping)
    simulate_stepping(setup);
  else
    simulate_events(setup);
}

}  // namespace tactus::apps
