// tactus simulate MODEL: the motion as a CSV file, a plot, a summary.
#include <memory>
#include <vector>

#include <fmt/format.h>

#include <tactus/base/output_file.h>
#include <tactus/contact/open.h>

#include "input_files.h"
#include "motion_run.h"
#include "options.h"
#include "simulate_request.h"
#include "simulate_summary.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

/// Flags that say something about contact, where there is none.
void require_contact(const SimulateRequest& request) {
  for (const auto& [flag, given] : {std::pair{"--contact", request.contact != "auto"},
                                    {"--events", !request.events.empty()},
                                    {"--pairs", !request.pairs.empty()},
                                    {"--no-hand-over", request.no_hand_over},
                                    {"--rederive", request.rederive != "background"},
                                    {"--sleep", request.sleep != 0.0}})
    if (given)
      refuse(fmt::format("{}: nothing in the model touches", flag),
             "a `contact` section or `transitions` would say what does");
}

void run(SimulateRequest request) {
  request.frames = without_repetition(request.frames);
  request.pairs = without_repetition(request.pairs);
  request.plot_paths = without_repetition(request.plot_paths);
  if (!request.plot_paths.empty() && request.plot.empty())
    refuse("--plot-path: there is no picture to draw the paths in", "add --plot FILE.svg");
  if (request.json && (is_standard_output(request.out) || is_standard_output(request.events) ||
                       is_standard_output(request.plot)))
    refuse("--json and --out, --events or --plot - both write to the standard output",
           "give these file names");
  const describe::Model model = request.model.load();
  std::vector<NamedFile> inputs = request.model.files(model);
  for (NamedFile& file : files_of_script(request.script)) inputs.push_back(std::move(file));
  require_distinct_files(inputs,
                         {{"--out", request.out}, {"--events", request.events}, {"--plot", request.plot}});
  if (!contact::has_contact(model)) require_contact(request);
  const Schedule schedule = schedule_of(request, model);
  contact::OpenReport opened;
  const std::unique_ptr<simulate::Mechanism> mechanism =
      contact::open(model, open_options_of(request, model, schedule), &opened);
  if (mechanism->kind() == simulate::EngineKind::stepping && !request.events.empty() &&
      model.contact.transitions.empty())
    refuse("--events: contact by stepping knows no single events but transitions, and the model has none",
           "take --contact events");
  MotionRun motion(request, schedule, *mechanism);
  const MotionResult& result = motion.go();
  SimulateSummary{request, schedule, *mechanism, opened, result}.print();
  if (!result.trouble.empty())
    throw Failed(
        fmt::format("simulation stopped: {}\n  the {} rows so far are kept", result.trouble, result.rows));
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto request = std::make_shared<SimulateRequest>();
  CLI::App* verb = program.add_subcommand("simulate", "Integrate the motion: CSV, plot, summary");
  request->model.add_to(*verb);
  verb->add_option("--duration", request->duration, "simulated time [s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_option("--step", request->step, "step [s]")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  std::vector<std::string> integrators;
  for (const simulate::IntegratorTraits& traits : simulate::integrators())
    integrators.push_back(fmt::format("{} ({})", traits.name, traits.meaning));
  verb->add_option("--integrator", request->integrator, fmt::format("{}", fmt::join(integrators, ", ")))
      ->capture_default_str();
  verb->add_option("--formulation", request->formulation, "of the constrained motion")
      ->capture_default_str()
      ->check(CLI::IsMember({"automatic", "multipliers", "embedding", "projection", "parametric"}));
  verb->add_option(
          "--holding", request->holding,
          "how constraints are held: projection (position and velocity), or for comparison position_only, "
          "velocity_only, baumgarte, none")
      ->capture_default_str()
      ->check(CLI::IsMember({"projection", "position_only", "velocity_only", "baumgarte", "none"}));
  verb->add_option("--tolerance", request->tolerance, "of adaptive and stiff, absolute and relative")
      ->capture_default_str()
      ->check(numbers(Range::positive()));
  verb->add_option(
          "--contact", request->contact,
          "rigid contact by events (each located in time), by stepping (impulses of whole steps), or "
          "auto: stepping where a pair of the model asks for it, otherwise events")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "events", "stepping"}));
  verb->add_flag("--no-hand-over", request->no_hand_over,
                 "stop where events cannot carry the motion, instead of going on by stepping");
  verb->add_option("--script", request->script, "initial state and forces (YAML)");
  verb->add_option("--out", request->out, "CSV file; - for the standard output");
  verb->add_option("--sample", request->sample, "time between rows [s]; the step unless given")
      ->check(numbers(Range::positive()));
  verb->add_option("--events", request->events,
                   "CSV file of impacts, changes of contact and transitions; - for the standard output");
  verb->add_option("--pairs", request->pairs,
                   "pairs in contact to record; all unless they are too many, `none` for none")
      ->delimiter(',');
  verb->add_option(
          "--rederive", request->rederive,
          "equations for each set of contacts: made in the background while it runs, at_once when it "
          "comes up, before the run as far as foreseen, or never; the motion is the same, bit for bit")
      ->capture_default_str()
      ->check(CLI::IsMember({"background", "at_once", "before", "never"}));
  verb->add_option("--sleep", request->sleep,
                   "contact by stepping: bodies that touch and have all been slower than 1 mm/s for so long "
                   "[s] stay where they are until something comes near or pushes; 0: none ever sleeps")
      ->capture_default_str()
      ->check(numbers(Range::not_negative()));
  verb->add_option("--plot", request->plot, "SVG picture of the motion");
  verb->add_option("--plot-path", request->plot_paths,
                   "frames, or bodies, whose paths are drawn in the picture, too")
      ->delimiter(',');
  verb->add_option("--frames", request->frames,
                   "named frames, or bodies, to record: position, orientation, velocity")
      ->delimiter(',');
  verb->add_option("--columns", request->columns,
                   "what the rows have besides t: all, or some of q, u, tau, energy, definitions, errors, "
                   "lambda, contacts, "
                   "losses")
      ->delimiter(',');
  verb->add_flag("--json", request->json, "summary as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
