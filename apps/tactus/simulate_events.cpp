// tactus simulate by events: contact::Engine, with the file of events.
#include <optional>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/rederive/enumerate.h>
#include <tactus/contact/rederive/rederive.h>

#include "contact_setup.h"

namespace tactus::apps {

namespace {

using contact::Engine;

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

/// What makes the engine quick.
struct Equipment {
  std::optional<contact::Rederiver> rederiver;
  std::optional<contact::Enumeration> enumeration;
};

void print_summary(const ContactSetup& setup, const MotionRun& run, const Engine& engine,
                   const Equipment& equipment, EventLog& log) {
  const SimulateRequest& request = setup.request;
  const contact::Books& books = engine.books();
  const contact::PathStatistics& paths = engine.motion().paths();
  contact::RederiveStatistics made;
  if (equipment.rederiver) made = equipment.rederiver->statistics();
  const double others = setup.work_of_others(run, books.impact_loss + books.friction_loss);
  if (request.json) {
    nlohmann::ordered_json summary = setup.summary(run, engine.state());
    summary["contact"].update({{"rendering", "events"},
                               {"events", log.count()},
                               {"impacts", books.impacts},
                               {"transitions", log.transitions()},
                               {"substeps", books.substeps},
                               {"impact_loss", books.impact_loss},
                               {"friction_loss", books.friction_loss}});
    if (equipment.rederiver) summary["rederivation"] = as_json(made, paths);
    if (equipment.enumeration)
      summary["rederivation"]["before_the_run"] = {{"sets", equipment.enumeration->sets},
                                                   {"complete", equipment.enumeration->complete}};
    summary["energy"]["balance"] = others;
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  if (request.out == "-" || request.events == "-") return;
  setup.print_head(run, engine.state());
  fmt::print("{} impacts and {} transitions took {:.9g} J, slip {:.9g} J; other forces gave {:.3g} J\n",
             books.impacts, log.transitions(), books.impact_loss, books.friction_loss, others);
  fmt::print("{} events; they cut the steps into {} pieces\n", log.count(), books.substeps);
  if (equipment.enumeration)
    fmt::print("equations of {} sets of contacts made before the run{}\n", equipment.enumeration->sets,
               equipment.enumeration->complete ? "" : "; there would be more");
  if (made.made > 0)
    fmt::print("equations of {} sets of contacts made, each in at most {:.2f} ms; {} of {} ticks without\n",
               made.made, 1e3 * made.made_worst, paths.ticks_general, paths.ticks);
  run.print_files();
  log.print();
}

}  // namespace

void simulate_events(ContactSetup& setup) {
  const SimulateRequest& request = setup.request;
  const contact::ContactModel& contact_model = setup.contact_model;
  const simulate::State initial = setup.initial();
  Equipment equipment;
  if (request.rederive != "never") {
    using When = contact::RederiveOptions::When;
    equipment.rederiver.emplace(
        contact_model, contact::RederiveOptions{.when = request.rederive == "at_once" ? When::at_once
                                                                                      : When::in_background});
    if (request.rederive == "before")
      equipment.enumeration = contact::formulate_all(contact_model, initial, *equipment.rederiver);
  }
  simulate::ConstraintOptions constraints;
  constraints.formulation = simulate::formulation_of(request.formulation).value();
  constraints.holding = simulate::holding_of(request.holding).value();
  Engine engine(contact_model, {.step = setup.schedule.step,
                                .integrator = integrator_of(request),
                                .tolerances = {request.tolerance, request.tolerance},
                                .constraints = constraints});
  if (equipment.rederiver) engine.attach(&*equipment.rederiver);
  engine.set_state(initial);
  MotionRun run(request, setup.schedule, setup.recorder.columns());
  EventLog log(request, contact_model.model, run);
  log.add(engine.events());
  run.go({.step = [&]() -> std::string {
            const simulate::Status status = engine.step();
            log.add(engine.events());
            return status.ok() ? "" : engine.explain(status);
          },
          .record = [&](std::vector<double>& row) { setup.recorder.record(engine, row); },
          .time = [&] { return engine.state().t; }},
         setup.title());
  print_summary(setup, run, engine, equipment, log);
  run.require_success();
}

}  // namespace tactus::apps
