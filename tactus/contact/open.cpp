#include <tactus/contact/open.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <tactus/algebra/cells.h>
#include <tactus/base/error.h>
#include <tactus/contact/mechanism/event_mechanism.h>
#include <tactus/contact/mechanism/hand_over_mechanism.h>
#include <tactus/contact/mechanism/stepping_mechanism.h>
#include <tactus/derive/constraints/mobility.h>
#include <tactus/describe/check/adjustable.h>
#include <tactus/describe/check/placed.h>
#include <tactus/describe/read/file_text.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/files/script.h>
#include <tactus/simulate/motion/dry_friction.h>
#include <tactus/simulate/motion/smooth_mechanism.h>

namespace tactus::contact {

namespace {

using simulate::Mechanism;

/// Evaluations of the motion that events may take in a tick, and in the mean, before whole steps take over: a step of
/// theirs is worth some ten, and impacts come in bursts.
constexpr long kMostEvaluations = 4000, kMostMeanEvaluations = 100;

/// The script's text, read before the equations are derived: they need to know its wrenches.
struct ScriptText {
  ScriptText(const describe::Model& model, const OpenOptions& options)
      : file(options.script.empty() ? "script" : options.script),
        text(options.script.empty() ? options.script_text : describe::read_source(options.script)),
        given(!options.script.empty() || !text.empty()) {
    if (given) wrenches = simulate::script_wrenches(model, text, file);
  }
  simulate::Script read(const derive::Equations& equations) const {
    return given ? simulate::read_script(equations, text, file) : simulate::empty_script(equations);
  }
  std::string file, text;
  bool given;
  std::vector<derive::WrenchInput> wrenches;
};

std::vector<int> frames_named(const describe::Model& model, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const describe::Frame& frame : model.frames) known.push_back(frame.name);
  std::vector<int> frames;
  for (const std::string& name : names) {
    frames.push_back(model.frame_index(name));
    if (frames.back() >= 0) continue;
    if (model.body_index(name) > 0) {  // every body's origin is a port anyway
      frames.pop_back();
      continue;
    }
    throw InputError({model.file, 0, 0}, fmt::format("the model has no frame named '{}'", name),
                     known.empty() ? "the model has no frames" : suggestion(name, known));
  }
  return frames;
}

/// Room for the values of the parameters that may be adjusted; null where there are none.
std::shared_ptr<algebra::Cells> cells_of(const describe::Model& model, const OpenOptions& options) {
  std::vector<std::string> known, names;
  for (const describe::Parameter& parameter : model.parameters) known.push_back(parameter.name);
  for (const std::string& name : options.adjustable) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw InputError({model.file, 0, 0}, fmt::format("the model has no parameter named '{}'", name),
                       known.empty() ? "the model has no parameters" : suggestion(name, known));
    if (const std::string reader = describe::read_once_by(model, name); !reader.empty())
      throw InputError({model.file, 0, 0},
                       fmt::format("the parameter '{}' cannot be adjusted: {} reads it once", name, reader),
                       "open the model anew with another value");
  }
  for (const std::string& name :
       options.adjust_all ? describe::adjustable_parameters(model) : options.adjustable)
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  if (names.empty()) return nullptr;
  if (options.constraints.formulation == simulate::Formulation::parametric)
    throw InputError({}, "parametric coordinates are found for parameters that stay",
                     "choose another formulation, or leave out the adjustable parameters");
  std::vector<double> values;
  for (const std::string& name : names) values.push_back(describe::parameter_value(model, name));
  return std::make_shared<algebra::Cells>(std::move(names), std::move(values));
}

simulate::State first_state(const derive::Equations& equations, const simulate::Dynamics& dynamics,
                            const simulate::Script& script, const OpenOptions& options, OpenReport& report) {
  const describe::Model& model = equations.model();
  const bool constrained = std::any_of(model.constraints.begin(), model.constraints.end(),
                                       [](const describe::Constraint& c) { return c.active; });
  if (!constrained || !options.assemble) return script.initial;
  simulate::State state = simulate::assemble_keeping(
      dynamics, script.initial, simulate::kept_speeds(model, script.marks), &report.assembly);
  report.assembly.changes = simulate::changes_between(model, script.marks, script.initial, state);
  if (report.assembly.freedoms == 0 && !derive::is_driven(equations))
    throw InputError({model.file, 0, 0}, "the constraints leave the mechanism no freedom: it cannot move",
                     fmt::format("{} rows hold {} speeds; leave out or deactivate a constraint",
                                 report.assembly.rank, dynamics.nv()));
  return state;
}

/// What no engine can do with.
void check(const OpenOptions& options) {
  // [s] Time is resolved to some 1e-13 s (events) and counted in steps from the start.
  constexpr double kShortestStep = 1e-9;
  const auto refuse = [](std::string_view what, double value, std::string remedy) {
    throw InputError({}, fmt::format("{} is {}", what, value), std::move(remedy));
  };
  const auto positive = [&](std::string_view what, double value, std::string_view example) {
    if (!(value > 0.0) || !std::isfinite(value))
      refuse(what, value, fmt::format("give a positive number, such as {}", example));
  };
  if (!(options.step >= kShortestStep) || !std::isfinite(options.step))
    refuse("the step in seconds", options.step,
           fmt::format("give a time, such as 1e-3, and no shorter than {:g}", kShortestStep));
  positive("the limit of constraint errors", options.constraint_limit, "1e-8");
  positive("the rank tolerance of constraints", options.constraints.rank_tolerance, "1e-8");
  positive("the rate of Baumgarte's stabilisation", options.constraints.baumgarte_rate, "50");
  positive("the absolute tolerance", options.tolerances.absolute, "1e-10");
  if (!(options.tolerances.relative >= 0.0) || !(options.tolerances.relative < 1.0))
    refuse("the relative tolerance", options.tolerances.relative, "give a number below one, such as 1e-10");
  if (!(options.sleep_after >= 0.0) || !std::isfinite(options.sleep_after))
    refuse("the time until bodies sleep", options.sleep_after,
           "give seconds, such as 0.5; 0: none ever sleeps");
  positive("the speed of bodies that may sleep", options.sleep_speed, "1e-3");
  for (const auto& [what, value] :
       {std::pair{"events", options.budget.most_events}, std::pair{"trials", options.budget.most_trials},
        std::pair{"rounds", options.budget.most_rounds}})
    if (value < 0)
      refuse(fmt::format("the budget of {} in a tick", what), value, "give zero or more, or leave it out");
  if (options.look_every < 0)
    refuse("the number of steps between looks at the error", options.look_every, "give zero or more");
}

/// Numbers near a late time lie apart: where that is no small part of a step, time stands still or stumbles.
void require_time_to_advance(double t, double step, const std::string& file) {
  constexpr double kSmallPart = 1e-2;
  const double apart = std::nextafter(std::abs(t), std::numeric_limits<double>::infinity()) - std::abs(t);
  if (std::isfinite(t) && apart <= kSmallPart * step) return;
  throw InputError(
      {file},
      fmt::format("the motion begins at t = {:g} s, where the next number is {:.2g} s later: steps "
                  "of {:g} s are lost in rounding",
                  t, apart, step),
      "begin near t = 0, and add the rest where `t` is used");
}

/// Options that ask for something that this mechanism has no use for.
void note_what_is_idle(const OpenOptions& options, bool contact, bool stepping, OpenReport& report) {
  const bool by_events = contact && !stepping;
  if (options.look_ahead && (!by_events || options.rederive == Rederivation::never))
    report.notes.emplace_back(by_events
                                  ? "looking ahead does nothing where no code is made for sets of contacts"
                                  : "looking ahead does nothing here: it is for contact by events");
  if (options.sleep_after > 0.0 && !stepping)
    report.notes.emplace_back("no body sleeps: sleep is for contact by stepping");
}

/// Room for contacts beyond which an engine's memory is no longer that of a computer: matrices of all of them by events,
/// some kilobytes each by stepping.
constexpr std::size_t kMostByEvents = 1000, kMostByStepping = 100000;

std::unique_ptr<Mechanism> open_smooth(const describe::Model& model, const OpenOptions& options,
                                       const ScriptText& text, const std::vector<int>& frames,
                                       std::shared_ptr<algebra::Cells> cells, OpenReport& report) {
  note_what_is_idle(options, false, false, report);
  derive::Options derivation;
  derivation.wrenches = text.wrenches;
  auto made = std::make_shared<simulate::SmoothModel>(model, std::move(derivation), frames, std::move(cells));
  const simulate::Script script = text.read(made->equations);
  const bool passive = options.integrator == simulate::Integrator::passive;
  made->compile_with(script.loads, {.momentum = !passive, .passive = passive});
  if (passive && options.constraints.formulation == simulate::Formulation::parametric)
    throw InputError({}, "the passive integrator works in the joints' coordinates, not in parametric ones",
                     "choose another formulation");
  simulate::State first = first_state(made->equations, made->dynamics, script, options, report);
  auto mechanism = std::make_unique<simulate::SmoothMechanism>(
      made, simulate::Options{.step = options.step,
                              .integrator = options.integrator,
                              .tolerances = options.tolerances,
                              .constraints = options.constraints,
                              .constraint_limit = options.constraint_limit,
                              .look_every = options.look_every});
  mechanism->set_state(std::move(first));
  return mechanism;
}

/// What the passive integrator's contacts cannot be.
void check_passive_contact(const describe::Model& model, const OpenOptions& options) {
  if (options.contact == OpenOptions::Contact::events)
    throw InputError({}, "the passive integrator meets contacts by impulses of whole steps, not by events",
                     "leave `events` out, or choose another integrator");
  for (const describe::ContactPair& pair : model.contact.pairs)
    if (pair.law.rendering == describe::Rendering::compliant)
      throw InputError(
          pair.where,
          fmt::format("the passive integrator has no compliant contacts, and \"{}\" is one", pair.name),
          "make it rigid, or choose another integrator");
  if (!model.contact.transitions.empty())
    throw InputError(model.contact.transitions.front().where,
                     "the passive integrator has no transitions: they give energy and take it",
                     "choose another integrator, or leave them out");
}

/// The same without contacts, stops and dry friction at joints: what the passive integrator moves in between.
describe::Model without_contact(const describe::Model& model) {
  describe::Model smooth = simulate::without_dry_friction(model);
  smooth.contact = {};
  return smooth;
}

std::unique_ptr<Mechanism> open_with_contact(const describe::Model& model, const OpenOptions& options,
                                             const ScriptText& text, const std::vector<int>& frames,
                                             std::shared_ptr<algebra::Cells> cells, OpenReport& report) {
  using Contact = OpenOptions::Contact;
  const bool passive = options.integrator == simulate::Integrator::passive;
  const bool stepping = options.contact == Contact::stepping ||
                        (options.contact == Contact::automatic && (passive || asks_for_stepping(model)));
  if (stepping && !passive && options.integrator != simulate::Integrator::rk4)
    throw InputError({}, "contact by stepping has an integrator of its own, of first order",
                     "leave the integrator out, take `passive`, or take contact by events");
  if (passive) check_passive_contact(model, options);
  if (const std::size_t most = stepping ? kMostByStepping : kMostByEvents; options.most_contacts > most)
    throw InputError({}, fmt::format("room for {} contacts is asked for", options.most_contacts),
                     fmt::format("{} have up to {}", stepping ? "steps" : "events", most));
  const simulate::ConstraintOptions defaults;
  if (stepping && (options.constraints.formulation != defaults.formulation ||
                   options.constraints.holding != defaults.holding))
    throw InputError({}, "contact by stepping solves and holds constraints in its own way",
                     "leave formulation and holding out, or take contact by events");
  if (options.look_ahead && cells != nullptr)
    throw InputError({}, "what is looked ahead would not see parameters change",
                     "leave out the look ahead, or the adjustable parameters");
  note_what_is_idle(options, true, stepping, report);
  const std::shared_ptr<algebra::Cells> smooth_cells =
      cells;  // the same numbers, where parameters can be adjusted
  auto made = std::make_shared<ContactMade>(model, text.wrenches, frames, std::move(cells));
  const simulate::Script script = text.read(made->contact_model.equations);
  if (script.loads) made->contact_model.set_loads(*script.loads);
  simulate::State first =
      first_state(made->contact_model.equations, made->contact_model.dynamics, script, options, report);
  if (options.hand_over && options.look_ahead)
    throw InputError({}, "what is looked ahead cannot be handed over to whole steps",
                     "leave out the look ahead, or the hand over");
  std::unique_ptr<Mechanism> mechanism;
  SteppingOptions by_steps{.step = options.step,
                           .all_pairs = true,
                           .sleep_after = options.sleep_after,
                           .sleep_speed = options.sleep_speed};
  if (options.most_contacts > 0) by_steps.most_contacts = options.most_contacts;
  if (stepping) {
    const SteppingOptions& own = by_steps;
    if (std::string note = stepping_note(model); !note.empty()) report.notes.push_back(std::move(note));
    if (passive) {
      derive::Options derivation;
      derivation.wrenches = text.wrenches;
      auto smooth = std::make_shared<simulate::SmoothModel>(without_contact(model), std::move(derivation),
                                                            frames, smooth_cells);
      smooth->compile_with(text.read(smooth->equations).loads, {.momentum = false, .passive = true});
      mechanism = std::make_unique<SteppingMechanism>(
          made, own, std::move(smooth),
          simulate::Options{.step = options.step,
                            .integrator = options.integrator,
                            .tolerances = options.tolerances,
                            .constraints = options.constraints,
                            .constraint_limit = options.constraint_limit});
      report.notes.emplace_back(
          "passive: contacts and dry friction by impulses at the ends of steps, and along steps where they "
          "press or hold");
    } else {
      mechanism = std::make_unique<SteppingMechanism>(made, own);
    }
  } else {
    EngineOptions own{
        .step = options.step, .integrator = options.integrator, .tolerances = options.tolerances};
    own.constraints = options.constraints;
    own.constraint_limit = options.constraint_limit;
    own.budget = options.budget;
    if (options.most_contacts > 0) own.most_touches = options.most_contacts;
    if (options.hand_over) {
      if (!options.budget.is_bounded()) {  // else events are never too dear
        own.most_evaluations = kMostEvaluations;
        own.most_mean_evaluations = kMostMeanEvaluations;
      }
      mechanism = std::make_unique<HandOverMechanism>(made, own, by_steps, options.rederive);
    } else {
      mechanism = std::make_unique<EventMechanism>(made, own, options.rederive, options.look_ahead);
    }
  }
  mechanism->set_state(std::move(first));
  return mechanism;
}

}  // namespace

bool has_contact(const describe::Model& model) {
  const describe::ContactSection& contact = model.contact;
  return !contact.pairs.empty() || !contact.stops.empty() || !contact.transitions.empty();
}

std::unique_ptr<Mechanism> open(const describe::Model& model, const OpenOptions& options,
                                OpenReport* report) {
  using Clock = std::chrono::steady_clock;
  OpenReport own;
  OpenReport& out = report != nullptr ? *report : own;
  const auto start = Clock::now();
  check(options);
  describe::require_inertia(model, "a motion");
  const ScriptText text(model, options);
  const std::vector<int> frames = frames_named(model, options.ports);
  const std::shared_ptr<algebra::Cells> cells = cells_of(model, options);
  describe::Model own_model = model;
  if (cells != nullptr) own_model.parametric.reset();  // psi is searched for numbers that stay
  // The passive integrator has dry friction at joints as it has contacts.
  const bool by_impulses = has_contact(model) || (options.integrator == simulate::Integrator::passive &&
                                                  simulate::has_dry_friction(model));
  std::unique_ptr<Mechanism> mechanism;
  try {
    mechanism = by_impulses ? open_with_contact(own_model, options, text, frames, cells, out)
                            : open_smooth(own_model, options, text, frames, cells, out);
  } catch (const InputError& error) {
    throw describe::placed(error, model);
  }
  require_time_to_advance(mechanism->state().t, options.step, text.file);
  out.derive_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return mechanism;
}

}  // namespace tactus::contact
