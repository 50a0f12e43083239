// tactus simulate by impulses of whole steps: contact::TimeStepping.
#include <fmt/format.h>

#include <tactus/contact/stepping/stepping.h>

#include "contact_setup.h"

namespace tactus::apps {

namespace {

using contact::TimeStepping;

void print_summary(const ContactSetup& setup, const MotionRun& run, const TimeStepping& stepping) {
  const SimulateRequest& request = setup.request;
  const contact::StepBooks& books = stepping.books();
  const double others =
      setup.work_of_others(run, -books.normal_work - books.friction_work - books.correction_work);
  if (request.json) {
    nlohmann::ordered_json summary = setup.summary(run, stepping.state());
    summary["contact"].update({{"rendering", "stepping"},
                               {"impact_loss", -books.normal_work},
                               {"friction_loss", -books.friction_work},
                               {"correction_work", books.correction_work},
                               {"deepest_overlap", books.deepest},
                               {"most_contacts", books.most_contacts},
                               {"steps_not_converged", books.not_converged}});
    summary["energy"]["balance"] = others;
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  if (request.out == "-") return;
  setup.print_head(run, stepping.state());
  fmt::print("contacts took {:.9g} J along their normals, {:.9g} J by slip; other forces gave {:.3g} J\n",
             -books.normal_work, -books.friction_work, others);
  fmt::print(
      "{} contacts near at most, overlapping by {:.2g} m at most; in {} of the steps the impulses were "
      "not solved to tolerance\n",
      books.most_contacts, books.deepest, books.not_converged);
  if (const std::string note = contact::stepping_note(setup.contact_model.model); !note.empty())
    fmt::print("{}\n", note);
  run.print_files();
}

}  // namespace

void simulate_stepping(ContactSetup& setup) {
  const SimulateRequest& request = setup.request;
  const SimulateRequest defaults;
  if (request.integrator != defaults.integrator)
    refuse("--integrator: contact by stepping has its own, of first order",
           "leave it out, or take --contact events");
  if (!request.events.empty())
    refuse("--events: contact by stepping knows no single events", "take --contact events");
  TimeStepping stepping(setup.contact_model, {.step = setup.schedule.step, .all_pairs = true});
  stepping.set_state(setup.initial());
  MotionRun run(request, setup.schedule, setup.recorder.columns());
  run.set_method("time-stepping");
  run.go({.step = [&]() -> std::string {
            const simulate::Status status = stepping.step();
            return status.ok() ? "" : stepping.explain(status);
          },
          .record = [&](std::vector<double>& row) { setup.recorder.record(stepping, row); },
          .time = [&] { return stepping.state().t; }},
         setup.title());
  print_summary(setup, run, stepping);
  run.require_success();
}

}  // namespace tactus::apps
