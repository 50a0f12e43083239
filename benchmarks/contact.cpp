#include "contact.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>
#include <tactus/contact/mechanism/event_mechanism.h>
#include <tactus/contact/open.h>
#include <tactus/contact/rederive/look_ahead.h>
#include <tactus/contact/rederive/rederive.h>
#include <tactus/describe/read/load.h>

#include "untouched.h"

namespace tactus::bench {
namespace {

using namespace contact;

describe::Model model_named(const std::string& name) {
  return describe::load(std::string(TACTUS_SOURCE_DIR) + "/models/" + name + ".yaml");
}

/// Time of this thread on a processor [s].
double processor_time() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> x) {
  std::nth_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2), x.end());
  return x[x.size() / 2];
}

/// A set of a mechanism, to be formulated and run.
struct Setting {
  std::string name;
  std::shared_ptr<ContactModel> contact_model;
  std::vector<Touch> touches;  // of the set, with their modes
  std::vector<char> row_on;
};

const describe::ContactLaw& rough() {
  static const describe::ContactLaw law = [] {
    describe::ContactLaw l;
    l.friction = l.static_friction = 0.3;
    return l;
  }();
  return law;
}

/// The model's constraints as they start, and a point of its last body on the ground, sticking or sliding.
Setting on_the_ground(const std::string& name, Mode mode, std::size_t tangents) {
  describe::Model model = model_named(name);
  model.contact = {};
  describe::ContactPair pair;
  pair.body_b = static_cast<int>(model.bodies.size()) - 1;
  model.contact.pairs.push_back(pair);
  Setting setting{
      fmt::format("{}, a point {}", name, name_of(mode)), std::make_shared<ContactModel>(model), {}, {}};
  for (const TermsKernel::Row& row : setting.contact_model->terms.rows)
    setting.row_on.push_back(model.constraints[static_cast<std::size_t>(row.constraint)].active ? 1 : 0);
  Touch touch;
  touch.body_b = pair.body_b;
  touch.a = {{0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, 0.0};
  touch.b = {{0.1, 0.02, 0.03}, {0.0, 0.0, 1.0}, 0.01};
  touch.tangent = {1.0, 0.0, 0.0};
  touch.tangents = tangents;
  touch.slip = {1.0, 0.0};
  touch.law = &rough();
  touch.mode = mode;
  setting.touches.push_back(touch);
  return setting;
}

/// What the motion itself comes to after a while, under a force of that size.
Setting after(const std::string& name, double duration, double drive) {
  Setting setting{name, std::make_shared<ContactModel>(model_named(name)), {}, {}};
  Engine engine(*setting.contact_model);
  State state;
  state.q = setting.contact_model->model.initial_q;
  state.u = setting.contact_model->model.initial_u;
  engine.set_state(state);
  std::size_t most = 0;
  std::vector<double> tau(static_cast<std::size_t>(setting.contact_model->terms.nv));
  for (int tick = 0; tick < static_cast<int>(duration / engine.options().step); ++tick) {
    for (std::size_t i = 0; i < tau.size(); ++i)
      tau[i] = drive * std::sin(9.0 * engine.state().t + static_cast<double>(i));
    if (!engine.step({.tau = tau, .wrench = {}}).ok()) break;
    std::vector<Touch> part;
    for (const Touch& touch : engine.touches())
      if (touch.touching()) part.push_back(touch);
    if (part.size() < most) continue;
    most = part.size();
    setting.touches = std::move(part);
    setting.row_on = engine.motion().row_on;
  }
  setting.name += fmt::format(", {} touching", most);
  return setting;
}

std::vector<Setting> settings() {
  std::vector<Setting> all;
  all.push_back(after("ramp_drop", 2.0, 0.0));
  all.push_back(after("cart_caster", 2.0, 0.0));
  all.push_back(after("chain_in_enclosure", 1.0, 1.0));
  all.push_back(after("chain_in_enclosure_rigid", 1.0, 1.0));
  all.push_back(after("stiff_wall", 1.0, 30.0));
  all.push_back(on_the_ground("slider_crank", Mode::sliding, 1));
  all.push_back(on_the_ground("four_bar", Mode::sliding, 1));
  all.push_back(on_the_ground("spherical_wrist", Mode::sticking, 2));
  all.push_back(on_the_ground("rolling_disk", Mode::sliding, 1));
  all.push_back(on_the_ground("puma560", Mode::sliding, 2));
  all.push_back(on_the_ground("puma560", Mode::sticking, 2));
  return all;
}

/// Nanoseconds of processor time per call.
double time_of(const std::function<void()>& call, bool quick) {
  std::vector<double> times;
  for (int repetition = 0; repetition < (quick ? 7 : 31); ++repetition) {
    constexpr int kCalls = 400;
    const double start = processor_time();
    for (int k = 0; k < kCalls; ++k) call();
    times.push_back(1e9 * (processor_time() - start) / kCalls);
  }
  return median(times);
}

void measure_formulation(bool quick) {
  fmt::print(
      "\nRe-derivation to machine code, and accelerations by both paths (processor time, medians)\n"
      "{:<42} {:>6} {:>5} {:>6} {:>10} {:>10} {:>9} {:>11} {:>12} {:>6}\n",
      "set", "speeds", "rows", "ops", "derive us", "compile us", "total us", "general ns", "generated ns",
      "ratio");
  for (const Setting& setting : settings()) {
    const ContactModel& contact_model = *setting.contact_model;
    ContactMotion motion(contact_model, 32);
    motion.touches = setting.touches;
    motion.row_on = setting.row_on;
    motion.update();
    SetKey key;
    if (!motion.name_set(key)) continue;
    Formulator formulator(contact_model.terms, contact_model.terms.function);
    std::vector<double> derive, compile, total;
    std::optional<SetCode> code;
    for (int repetition = 0; repetition < (quick ? 9 : 41); ++repetition) {
      const double start = processor_time();
      code = formulator.formulate(key);
      total.push_back(1e6 * (processor_time() - start));
      derive.push_back(1e6 * code->derive_seconds);
      compile.push_back(1e6 * code->compile_seconds);
    }
    std::vector<double> arguments(contact_model.terms.kernel.input_size(), 0.1);
    std::copy(contact_model.model.initial_q.begin(), contact_model.model.initial_q.end(),
              arguments.begin() + 1);
    std::vector<double> udot(static_cast<std::size_t>(contact_model.terms.nv)),
        qdot(static_cast<std::size_t>(contact_model.terms.nq));
    const auto accelerate = [&] { motion.accelerate(arguments.data(), udot.data(), qdot.data()); };
    const double general = time_of(accelerate, quick);
    const bool regular = !motion.redundant();
    motion.drop_dependent();  // as the engine does where a piece begins
    Rederiver rederiver(contact_model, {.when = RederiveOptions::When::at_once});
    motion.attach(&rederiver);
    double generated = 0.0;
    {
      const ContactMotion::Stretch stretch(motion);
      generated = time_of(accelerate, quick);
    }
    fmt::print("{:<42} {:>6} {:>5} {:>6} {:>10.0f} {:>10.0f} {:>9.0f} {:>11.0f} {:>12.0f} {:>6.1f}{}\n",
               setting.name, contact_model.terms.nv, code->rows, code->operations, median(derive),
               median(compile), median(total), general, generated, general / generated,
               regular ? "" : "  (dependent rows left out)");
  }
}

/// The forces of a hand at time t, and of nothing else.
using Hand = void (*)(double t, std::vector<double>& tau);

void swing(double t, std::vector<double>& tau) {
  for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = std::sin(9.0 * t + static_cast<double>(i));
}

enum class Variant { general, rederived, ahead, enumerated };

struct Ticks {
  double median = 0.0, p999 = 0.0, worst = 0.0;  // [us] of processor time
  simulate::Statistics counted;
  RederiveStatistics made;
  LookAheadStatistics ahead;
};

/// What an engine of events counts, of a mechanism that was opened.
const EventMechanism& by_events(const simulate::Mechanism& mechanism) {
  return dynamic_cast<const EventMechanism&>(mechanism);
}

OpenOptions options_of(Variant variant, double rate) {
  OpenOptions options{.step = 1.0 / rate, .contact = OpenOptions::Contact::events};
  options.rederive = variant == Variant::general      ? Rederivation::never
                     : variant == Variant::enumerated ? Rederivation::before
                                                      : Rederivation::background;
  options.look_ahead = variant == Variant::ahead;
  return options;
}

/// Ticks in real time: each begins when its time has come.
Ticks run_ticks(const describe::Model& model, double rate, double duration, Variant variant) {
  const std::unique_ptr<simulate::Mechanism> mechanism = open(model, options_of(variant, rate));
  const EventMechanism& inside = by_events(*mechanism);
  const auto ticks = static_cast<std::size_t>(duration * rate);
  std::vector<double> times, tau(mechanism->nv());
  times.reserve(ticks);
  Ticks result;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (std::size_t k = 0; k < ticks; ++k) {
    const auto due = begin + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(static_cast<double>(k) / rate));
    std::this_thread::sleep_until(due);
    swing(mechanism->state().t, tau);
    const double start = processor_time();
    const bool ok = mechanism->step({.tau = tau}).ok();
    const double time = 1e6 * (processor_time() - start);
    if (!ok) break;
    times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  result.median = times[times.size() / 2];
  result.p999 = times[static_cast<std::size_t>(0.999 * static_cast<double>(times.size() - 1))];
  result.worst = times.back();
  result.counted = mechanism->statistics();
  result.made = inside.rederiver() ? inside.rederiver()->statistics() : RederiveStatistics{};
  if (inside.look_ahead()) result.ahead = inside.look_ahead()->statistics();
  return result;
}

void measure_ticks(bool quick) {
  const double duration = quick ? 0.3 : 3.0;
  fmt::print(
      "\nTicks in real time, {} s each, with a force of 1 N m at every joint that swings at 9 rad/s: "
      "processor "
      "time of the tick's thread\n"
      "{:<26} {:>6} {:<14} {:>9} {:>9} {:>9} {:>8} {:>6} {:>9} {:>10} {:>11} {:>10}\n",
      duration, "scene", "Hz", "equations", "median us", "99.9 % us", "worst us", "changes", "hits",
      "general", "sets made", "made in us", "foreseen");
  for (const char* name : {"chain_in_enclosure", "chain_in_enclosure_rigid"}) {
    const describe::Model model = model_named(name);
    for (const double rate : {1e3, 4e3, 1e4}) {
      for (const auto& [variant, label] : {std::pair{Variant::general, "general"},
                                           {Variant::rederived, "re-derived"},
                                           {Variant::ahead, "looking ahead"},
                                           {Variant::enumerated, "enumerated"}}) {
        const Ticks t = run_ticks(model, rate, duration, variant);
        fmt::print(
            "{:<26} {:>6.0f} {:<14} {:>9.1f} {:>9.1f} {:>9.1f} {:>8} {:>6} {:>8.1f}% {:>10} {:>11.0f} "
            "{:>10}\n",
            name, rate, label, t.median, t.p999, t.worst, t.counted.changes, t.counted.changes_ready,
            100.0 * static_cast<double>(t.counted.ticks_general) / static_cast<double>(t.counted.ticks),
            t.made.made,
            t.made.made == 0
                ? 0.0
                : 1e6 * (t.made.derive_total + t.made.compile_total) / static_cast<double>(t.made.made),
            variant == Variant::ahead ? fmt::format("{}/{}", t.ahead.foreseen, t.ahead.ticks) : "");
      }
    }
  }
}

/// Pushes the peg down by 3 N and to and fro by 2 N, at its top.
void push_peg(double t, std::vector<double>& tau) {
  constexpr double kTop = 0.04;  // [m] above the centre
  const double sideways = 2.0 * std::sin(9.0 * t);
  tau[0] = sideways;
  tau[1] = -3.0;
  tau[2] = kTop * sideways;
}

struct Scene {
  const char* name;
  Hand hand;
  double duration;  // [s]
};
constexpr Scene kScenes[] = {{"chain_in_enclosure", swing, 3.0},
                             {"chain_in_enclosure_rigid", swing, 3.0},
                             {"peg_in_hole", push_peg, 1.0}};

/// The budget of a haptic loop.
constexpr Budget kHaptic = Budget::haptic();

struct WorstTicks {
  double median = 0.0, p999 = 0.0, worst = 0.0;  // [us] of processor time
  long events = 0, trials = 0, most_integrations = 0, late = 0;
  std::vector<double> ticks;     // [us] one by one
  std::vector<char> is_adopted;  // each of them, from looking ahead
};

/// The least time of each tick, sorted into the figures of the table.
void summarise(std::vector<double> least, WorstTicks& result) {
  result.ticks = least;
  std::sort(least.begin(), least.end());
  result.median = least[least.size() / 2];
  result.p999 = least[static_cast<std::size_t>(0.999 * static_cast<double>(least.size() - 1))];
  result.worst = least.back();
}

/// The same run several times over: it has the same bits each time, so that the least time of a tick is what it
/// takes, and the rest is the machine's. `hold`: the hand's forces change every so many ticks.
WorstTicks run_worst(const describe::Model& model, const Scene& scene, double rate, const Budget& budget,
                     bool with_code, std::size_t hold, int repetitions) {
  const std::unique_ptr<simulate::Mechanism> mechanism =
      open(model, {.step = 1.0 / rate,
                   .contact = OpenOptions::Contact::events,
                   .rederive = with_code ? Rederivation::at_once : Rederivation::never,
                   .budget = budget});
  const EventMechanism& inside = by_events(*mechanism);
  const State from = mechanism->state();
  const auto ticks = static_cast<std::size_t>(scene.duration * rate);
  std::vector<double> least(ticks, 1e9), tau(mechanism->nv());
  WorstTicks result;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    mechanism->set_state(from);
    result = {};
    for (std::size_t k = 0; k < ticks; ++k) {
      if (k % hold == 0) scene.hand(mechanism->state().t, tau);
      const double start = processor_time();
      const Status status = mechanism->step({.tau = tau}).status;
      const double time = 1e6 * (processor_time() - start);
      if (!status.ok()) throw std::runtime_error(std::string(scene.name) + ": " + mechanism->explain(status));
      if (repetition > 0) least[k] = std::min(least[k], time);  // the first run makes the code of all sets
      const Work& work = inside.engine().work();
      result.events += work.events;
      result.trials += work.trials;
      result.most_integrations = std::max(result.most_integrations, work.integrations);
      result.late += status.has(Status::located_late);
    }
  }
  summarise(std::move(least), result);
  return result;
}

/// The same with a look ahead that is given the time to finish after each tick, which the door does not offer: a
/// loop never waits.
WorstTicks run_ahead(const ContactModel& contact_model, const Scene& scene, double rate, std::size_t hold,
                     int repetitions) {
  Rederiver rederiver(contact_model, {.when = RederiveOptions::When::at_once});
  const auto ticks = static_cast<std::size_t>(scene.duration * rate);
  WorstTicks result;
  result.is_adopted.assign(ticks, 1);
  std::vector<double> least(ticks, 1e9), tau(static_cast<std::size_t>(contact_model.terms.nv));
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    Engine engine(contact_model, {.step = 1.0 / rate});
    State state;
    state.q = contact_model.model.initial_q;
    state.u = contact_model.model.initial_u;
    engine.set_state(state);
    engine.attach(&rederiver);
    LookAhead ahead(engine, rederiver, LookAheadOptions{.horizon = 20.0 / rate, .every = 1});
    engine.follow(&ahead);
    for (std::size_t k = 0; k < ticks; ++k) {
      if (k % hold == 0) scene.hand(engine.state().t, tau);
      const Input input{.tau = tau, .wrench = {}};
      const long adopted = ahead.statistics().adopted;
      const double start = processor_time();
      const Status status = engine.step(input);
      ahead.offer(engine, input);
      const double time = 1e6 * (processor_time() - start);
      if (!status.ok()) throw std::runtime_error(std::string(scene.name) + ": " + engine.explain(status));
      if (repetition > 0) least[k] = std::min(least[k], time);
      ahead.finish();
      result.is_adopted[k] = result.is_adopted[k] != 0 && ahead.statistics().adopted > adopted;
    }
  }
  summarise(std::move(least), result);
  return result;
}

void measure_worst(bool quick) {
  const int repetitions = quick ? 2 : 8;
  fmt::print(
      "\nWorst ticks: processor time of the tick's thread, of each tick the least of {} runs with the same "
      "bits\n"
      "budget: {} events, {} trials, {} rounds of the search for modes per tick; the code of all sets is "
      "there "
      "unless it says general\n"
      "{:<26} {:>6} {:<16} {:>9} {:>9} {:>9} {:>7} {:>13} {:>18} {:>5}\n",
      repetitions, kHaptic.most_events, kHaptic.most_trials, kHaptic.most_rounds, "scene", "Hz", "",
      "median us", "99.9 % us", "worst us", "events", "trials/event", "worst integrations", "late");
  for (const Scene& scene : kScenes) {
    const describe::Model model = model_named(scene.name);
    for (const double rate : {1e3, 4e3, 1e4}) {
      for (const auto& [label, budget, with_code] : {std::tuple{"general", Budget{}, false},
                                                     {"no budget", Budget{}, true},
                                                     {"budget", kHaptic, true}}) {
        const WorstTicks t = run_worst(model, scene, rate, budget, with_code, 1, repetitions);
        fmt::print("{:<26} {:>6.0f} {:<16} {:>9.1f} {:>9.1f} {:>9.1f} {:>7} {:>13.2f} {:>18} {:>5}\n",
                   scene.name, rate, label, t.median, t.p999, t.worst, t.events,
                   t.events == 0 ? 0.0 : static_cast<double>(t.trials) / static_cast<double>(t.events),
                   t.most_integrations, t.late);
      }
    }
  }
}

void measure_adopted(bool quick) {
  constexpr double kHold = 0.1;  // [s]
  const int repetitions = quick ? 2 : 5;
  fmt::print(
      "\nTicks taken over from looking ahead, which is given the time to finish; the hand's forces are held "
      "for {} s "
      "at a time\n"
      "{:<26} {:>6} {:>8} {:>22} {:>22} {:>22}\n",
      kHold, "scene", "Hz", "adopted", "worst of them alone us", "worst of them us",
      "worst of the others us");
  for (const Scene& scene : kScenes) {
    const ContactModel contact_model(model_named(scene.name));
    for (const double rate : {1e3, 1e4}) {
      Scene held = scene;
      if (rate > 1e3) held.duration *= 0.5;
      const auto hold = static_cast<std::size_t>(kHold * rate);
      const WorstTicks alone = run_worst(contact_model.model, held, rate, {}, true, hold, repetitions);
      const WorstTicks ahead = run_ahead(contact_model, held, rate, hold, repetitions);
      long adopted = 0;
      double before = 0.0, after = 0.0, others = 0.0;
      for (std::size_t k = 0; k < ahead.ticks.size(); ++k) {
        if (ahead.is_adopted[k] == 0) {
          others = std::max(others, ahead.ticks[k]);
          continue;
        }
        ++adopted;
        before = std::max(before, alone.ticks[k]);
        after = std::max(after, ahead.ticks[k]);
      }
      fmt::print("{:<26} {:>6.0f} {:>8} {:>22.1f} {:>22.1f} {:>22.1f}\n", scene.name, rate, adopted, before,
                 after, others);
    }
  }
}

}  // namespace

void measure_contact(bool quick) {
  measure_untouched(quick);
  measure_formulation(quick);
  measure_worst(quick);
  measure_adopted(quick);
  measure_ticks(quick);
}

}  // namespace tactus::bench
