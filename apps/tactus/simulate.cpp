// tactus simulate MODEL: the motion as a CSV file, a plot, a summary.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/derive/constraints/mobility.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/files/recording.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/motion/simulation.h>

#include "motion_run.h"
#include "progress.h"
#include "simulate_contact.h"
#include "verbs.h"

namespace tactus::apps {

namespace {

struct Outcome {
  double derive_s = 0.0;
  long missed = 0;  // steps beyond the tolerance
  simulate::AssemblyReport assembly;
};

void print_summary(const SimulateRequest& request, const MotionRun& run,
                   const simulate::Simulation& simulation, const Outcome& outcome) {
  const simulate::State& state = simulation.state();
  const simulate::Dynamics& dynamics = simulation.dynamics();
  if (request.json) {
    nlohmann::ordered_json summary = run.summary(state, dynamics.coordinate_names, dynamics.speed_names);
    summary["steps_beyond_tolerance"] = outcome.missed;
    if (dynamics.constraints) {
      summary["constraints"] = {{"formulation", request.formulation},
                                {"handed_over", simulation.handed_over()},
                                {"holding", request.holding},
                                {"rows", dynamics.constraints->size()},
                                {"rank", outcome.assembly.rank},
                                {"freedoms", outcome.assembly.freedoms},
                                {"redundant_rows", outcome.assembly.redundant_rows},
                                {"singular_start", outcome.assembly.singular},
                                {"velocity_lost", outcome.assembly.velocity_lost},
                                {"worst_position_error", run.worst_position_error()},
                                {"worst_velocity_error", run.worst_velocity_error()}};
    }
    run.add_ending(outcome.derive_s, summary);
    fmt::print("{}\n", summary.dump(2));
    return;
  }
  if (request.out == "-") return;
  run.print_head(outcome.derive_s, state);
  if (outcome.missed > 0)
    fmt::print(
        "note: in {} of the steps a force jumped again and again (dry friction at rest?): the tolerance is "
        "not met\n",
        outcome.missed);
  if (dynamics.constraints) {
    fmt::print(
        "{} constraint row{}, rank {} at the start, {} freedom{}; worst errors {:.2g} (position), {:.2g} "
        "(velocity)\n",
        dynamics.constraints->size(), dynamics.constraints->size() == 1 ? "" : "s", outcome.assembly.rank,
        outcome.assembly.freedoms, outcome.assembly.freedoms == 1 ? "" : "s", run.worst_position_error(),
        run.worst_velocity_error());
    fmt::print("formulation {}{}\n", request.formulation,
               simulation.handed_over() == 0
                   ? ""
                   : fmt::format(": {} accelerations handed over to the rank-revealing multipliers",
                                 simulation.handed_over()));
    if (!outcome.assembly.redundant_rows.empty())
      fmt::print("redundant rows: {}\n", fmt::join(outcome.assembly.redundant_rows, ", "));
    if (outcome.assembly.velocity_lost > 0.0)
      fmt::print("singular start: {:.3g} % of the kinetic energy belonged to no motion, and is left out\n",
                 100.0 * outcome.assembly.velocity_lost);
  }
  run.print_files();
}

void simulate_without_contact(const SimulateRequest& request, const describe::Model& model) {
  const simulate::Integrator integrator = integrator_of(request);
  const Schedule schedule = schedule_of(request, simulate::is_adaptive(integrator));
  const std::vector<int> frames = frames_of(model, request);

  Outcome outcome;
  const auto derive_start = Clock::now();
  derive::Equations equations(model);
  const simulate::Script script = request.script.empty() ? simulate::empty_script(equations)
                                                         : simulate::load_script(equations, request.script);
  if (!script.wrenches.empty()) {
    derive::Options options;
    options.wrenches = script.wrenches;
    equations = derive::Equations(model, options);
  }
  const simulate::Dynamics dynamics = simulate::compile(equations, script.loads);
  simulate::Recorder recorder(equations, frames);
  outcome.derive_s = seconds_since(derive_start);

  simulate::Options options{
      .step = schedule.step, .integrator = integrator, .tolerances = {request.tolerance, request.tolerance}};
  options.constraints.formulation = simulate::formulation_of(request.formulation).value();
  options.constraints.holding = simulate::holding_of(request.holding).value();
  const simulate::State initial = simulate::assemble(dynamics, script.initial, {}, &outcome.assembly);
  if (!model.constraints.empty() && outcome.assembly.freedoms == 0 && !derive::is_driven(equations))
    refuse("the constraints leave the mechanism no freedom: it cannot move",
           fmt::format("{} rows hold {} speeds; leave out or deactivate a constraint", outcome.assembly.rank,
                       dynamics.nv()));
  simulate::Simulation simulation(dynamics, options);
  simulation.set_state(initial);

  MotionRun run(request, schedule, recorder.columns());
  run.go({.step = [&]() -> std::string {
            const simulate::Status status = simulation.step();
            outcome.missed += status.has(simulate::Status::tolerance_missed);
            return status.ok() ? "" : simulation.explain(status);
          },
          .record = [&](std::vector<double>& row) { recorder.record(simulation, row); },
          .time = [&] { return simulation.state().t; }},
         model.name.empty() ? request.model.path : model.name);
  print_summary(request, run, simulation, outcome);
  run.require_success();
}

void run(const SimulateRequest& request) {
  if (request.json && (request.out == "-" || request.events == "-"))
    refuse("--json and --out or --events - both write to the standard output",
           "give --out and --events file names");
  if (request.out == "-" && request.events == "-")
    refuse("--out - and --events - both write to the standard output", "give one of them a file name");
  const describe::Model model = request.model.load();
  if (has_contact(model)) return simulate_with_contact(request, model);
  for (const auto& [flag, given] : {std::pair{"--contact", request.contact != "auto"},
                                    {"--events", !request.events.empty()},
                                    {"--pairs", !request.pairs.empty()},
                                    {"--rederive", request.rederive != "background"}})
    if (given)
      refuse(fmt::format("{}: nothing in the model touches", flag),
             "a `contact` section or `transitions` would say what does");
  simulate_without_contact(request, model);
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto request = std::make_shared<SimulateRequest>();
  CLI::App* verb = program.add_subcommand("simulate", "Integrate the motion: CSV, plot, summary");
  request->model.add_to(*verb);
  verb->add_option("--duration", request->duration, "simulated time [s]")->capture_default_str();
  verb->add_option("--step", request->step, "step [s]")->capture_default_str();
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
      ->check(CLI::PositiveNumber);
  verb->add_option(
          "--contact", request->contact,
          "rigid contact by events (each located in time), by stepping (impulses of whole steps), or "
          "auto: stepping where a pair of the model asks for it, otherwise events")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "events", "stepping"}));
  verb->add_option("--script", request->script, "initial state and forces (YAML)");
  verb->add_option("--out", request->out, "CSV file; - for the standard output");
  verb->add_option("--sample", request->sample, "time between rows [s]; the step unless given");
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
  verb->add_option("--plot", request->plot, "SVG picture of the motion");
  verb->add_option("--frames", request->frames, "named frames to record: position, orientation, velocity")
      ->delimiter(',');
  verb->add_flag("--json", request->json, "summary as JSON");
  verb->callback([request] { run(*request); });
}

}  // namespace tactus::apps
