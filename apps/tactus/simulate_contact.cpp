#include "simulate_contact.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <tactus/base/nearest.h>
#include <tactus/contact/engine.h>
#include <tactus/contact/recording.h>
#include <tactus/contact/rederive.h>
#include <tactus/simulate/assembly.h>
#include <tactus/simulate/script.h>

#include "motion_run.h"
#include "progress.h"

namespace tactus::apps {

namespace {

using contact::Engine;
using contact::Hybrid;

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

/// The initial state, put together where loops and other constraints are on at the start.
simulate::State assembled(const Hybrid& hybrid, simulate::State guess) {
  const std::vector<describe::Constraint>& constraints = hybrid.model.constraints;
  if (std::none_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.active; }))
    return guess;
  simulate::Dynamics dynamics = hybrid.dynamics;
  dynamics.constraints =
      simulate::compile_constraints(hybrid.equations, dynamics, generate::Backend::automatic);
  return simulate::assemble(dynamics, std::move(guess));
}

/// The events of a run: counted, written and marked as they come.
class EventLog {
 public:
  EventLog(const SimulateRequest& request, const describe::Model& model, MotionRun& run)
      : contact_(model.contact),
        run_(run),
        file_(request.events, contact::event_header()),
        path_(request.events),
        marked_(!request.plot.empty()) {}

  void add(std::span<const contact::Event> events) {
    for (const contact::Event& event : events) {
      ++count_;
      transitions_ += event.kind == contact::EventKind::transition;
      if (marked_) run_.plot().mark(event.t, contact::name_of(event.kind));
      if (!file_.wanted()) continue;
      contact::append_event(event, contact::name_of(contact_, event), file_.text());
      file_.row_done();
    }
  }
  void print() {
    file_.flush();
    if (file_.wanted() && path_ != "-") fmt::print("{} events in {}\n", count_, path_);
  }
  long count() const { return count_; }
  long transitions() const { return transitions_; }

 private:
  const describe::ContactSection& contact_;
  MotionRun& run_;
  CsvFile file_;
  std::string path_;
  bool marked_;
  long count_ = 0, transitions_ = 0;
};

/// Equations made for the sets of constraints and contacts that the run met.
nlohmann::ordered_json as_json(const contact::RederiveStatistics& made,
                               const contact::PathStatistics& paths) {
  return {{"sets_made", made.made},
          {"sets_refused", made.refused},
          {"derive_worst_s", made.derive_worst},
          {"compile_worst_s", made.compile_worst},
          {"made_worst_s", made.made_worst},
          {"code_bytes", made.bytes},
          {"changes", paths.changes},
          {"changes_with_code_ready", paths.hits},
          {"swaps", paths.swaps},
          {"worst_wait_ticks", paths.worst_wait},
          {"worst_wait_s", paths.worst_latency},
          {"ticks", paths.ticks},
          {"ticks_on_the_general_path", paths.ticks_general},
          {"fallbacks", paths.fallbacks}};
}

void print_summary(const SimulateRequest& request, double derive_s, const MotionRun& run,
                   const Engine& engine, const contact::Rederiver* rederiver, EventLog& log) {
  const Hybrid& hybrid = engine.hybrid();
  const simulate::State& state = engine.state();
  const contact::Books& books = engine.books();
  const contact::PathStatistics& paths = engine.motion().paths();
  const contact::RederiveStatistics made =
      rederiver != nullptr ? rederiver->statistics() : contact::RederiveStatistics{};
  // What neither impacts nor slip took: the work of outside forces, dampers and compliant contacts, and the
  // integrator's error.
  const double rest = run.energy_after() - run.energy_before() + books.impact_loss + books.friction_loss;
  if (request.json) {
    nlohmann::ordered_json summary =
        run.summary(state, hybrid.dynamics.coordinate_names, hybrid.dynamics.speed_names);
    if (hybrid.own_constraints > 0)
      summary["constraints"] = {{"rows", hybrid.terms.rows.size() - hybrid.model.contact.stops.size()},
                                {"worst_position_error", run.worst_position_error()},
                                {"worst_velocity_error", run.worst_velocity_error()}};
    summary["contact"] = {{"rendering", "events"},
                          {"pairs", hybrid.model.contact.pairs.size()},
                          {"stops", hybrid.model.contact.stops.size()},
                          {"transitions", hybrid.model.contact.transitions.size()},
                          {"events", log.count()},
                          {"impacts", books.impacts},
                          {"substeps", books.substeps},
                          {"impact_loss", books.impact_loss},
                          {"friction_loss", books.friction_loss}};
    if (rederiver != nullptr) summary["rederivation"] = as_json(made, paths);
    run.add_ending(derive_s, summary);
    summary["energy"]["balance"] = rest;
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  if (request.out == "-" || request.events == "-") return;
  run.print_head(derive_s, state);
  fmt::print("{} impacts and {} transitions took {:.9g} J, slip {:.9g} J; other forces gave {:.3g} J\n",
             books.impacts, log.transitions(), books.impact_loss, books.friction_loss, rest);
  fmt::print("{} events; they cut the steps into {} pieces\n", log.count(), books.substeps);
  if (hybrid.own_constraints > 0)
    fmt::print("{} constraint rows; worst errors {:.2g} (position), {:.2g} (velocity)\n",
               hybrid.terms.rows.size() - hybrid.model.contact.stops.size(), run.worst_position_error(),
               run.worst_velocity_error());
  if (made.made > 0)
    fmt::print(
        "equations of {} sets of contacts derived and compiled meanwhile, each in at most {:.2f} ms; {} of "
        "{} "
        "ticks went by without them\n",
        made.made, 1e3 * made.made_worst, paths.ticks_general, paths.ticks);
  run.print_files();
  log.print();
}

}  // namespace

bool has_contact(const describe::Model& model) {
  const describe::ContactSection& contact = model.contact;
  return !contact.pairs.empty() || !contact.stops.empty() || !contact.transitions.empty();
}

void simulate_with_contact(const SimulateRequest& request, const describe::Model& model) {
  const SimulateRequest defaults;
  if (request.formulation != defaults.formulation || request.holding != defaults.holding)
    refuse("--formulation and --holding do not apply where constraints come and go with contact",
           "leave them out");
  const simulate::Integrator integrator = integrator_of(request);
  const Schedule schedule = schedule_of(request, false);
  const std::vector<int> frames = frames_of(model, request), pairs = pairs_of(model, request);

  const auto derive_start = Clock::now();
  simulate::Script script;
  {
    const derive::Equations equations(model);
    script = request.script.empty() ? simulate::empty_script(equations)
                                    : simulate::load_script(equations, request.script);
  }
  Hybrid hybrid(model, script.wrenches);
  if (script.loads) hybrid.set_loads(*script.loads);
  contact::ContactRecorder recorder(hybrid, frames, pairs);
  const double derive_s = seconds_since(derive_start);

  std::optional<contact::Rederiver> rederiver;
  using When = contact::RederiveOptions::When;
  if (request.rederive != "never")
    rederiver.emplace(hybrid,
                      contact::RederiveOptions{.when = request.rederive == "at_once" ? When::at_once
                                                                                     : When::in_background});
  Engine engine(hybrid, {.step = schedule.step,
                         .integrator = integrator,
                         .tolerances = {request.tolerance, request.tolerance}});
  if (rederiver) engine.attach(&*rederiver);
  engine.set_state(assembled(hybrid, script.initial));
  MotionRun run(request, schedule, recorder.columns());
  EventLog log(request, hybrid.model, run);
  log.add(engine.events());
  run.go({.step = [&]() -> std::string {
            const simulate::Status status = engine.step();
            log.add(engine.events());
            return status.ok() ? "" : engine.explain(status);
          },
          .record = [&](std::vector<double>& row) { recorder.record(engine, row); },
          .time = [&] { return engine.state().t; }},
         model.name.empty() ? request.model.path : model.name);
  print_summary(request, derive_s, run, engine, rederiver ? &*rederiver : nullptr, log);
  run.require_success();
}

}  // namespace tactus::apps
