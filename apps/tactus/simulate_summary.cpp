#include "simulate_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tactus/base/output_file.h>

namespace tactus::apps {

namespace {

using nlohmann::ordered_json;
using simulate::EngineKind;

bool handed_over(const SimulateSummary& s) { return !s.mechanism.statistics().hand_over_reason.empty(); }

std::string method_of(const SimulateSummary& s) {
  if (handed_over(s)) return s.request.integrator + ", then time-stepping";
  return s.mechanism.kind() == EngineKind::stepping ? "time-stepping" : s.request.integrator;
}

std::size_t constraint_rows(const simulate::Mechanism& mechanism) {
  std::size_t rows = 0;
  for (const simulate::ConstraintOutline& constraint : mechanism.constraints())
    rows += constraint.rows.size();
  return rows;
}

/// The change of energy that the contacts' losses do not explain: the work of outside forces, dampers and compliant
/// contacts, and the integrator's error.
double work_of_others(const SimulateSummary& s) {
  const simulate::Books books = s.mechanism.books();
  return s.result.energy_after() - s.result.energy_before() + books.impact_loss + books.friction_loss -
         books.correction_work - books.scheme_error;
}

/// Changes of a value of size one that are more than rounding of what a user would type; JSON has the others, too.
constexpr double kWorthALine = 1e-9;

ordered_json constraints_as_json(const SimulateSummary& s) {
  const simulate::AssemblyReport& assembly = s.opened.assembly;
  return {{"formulation", s.request.formulation},
          {"handed_over", s.mechanism.statistics().handed_over},
          {"holding", s.request.holding},
          {"rows", constraint_rows(s.mechanism)},
          {"rank", assembly.rank},
          {"freedoms", assembly.freedoms},
          {"redundant_rows", assembly.redundant_rows},
          {"singular_start", assembly.singular},
          {"velocity_lost", assembly.velocity_lost},
          {"initial_changes", changes_as_json(assembly.changes)},
          {"worst_position_error", s.result.worst_position_error},
          {"worst_velocity_error", s.result.worst_velocity_error}};
}

ordered_json contact_as_json(const SimulateSummary& s) {
  const describe::ContactSection& contact = s.mechanism.model().contact;
  const simulate::Books books = s.mechanism.books();
  ordered_json json{{"pairs", contact.pairs.size()},
                    {"stops", contact.stops.size()},
                    {"transitions_declared", contact.transitions.size()},
                    {"rendering", name_of(s.mechanism.kind())}};
  if (handed_over(s)) {
    const simulate::Statistics made = s.mechanism.statistics();
    json["hand_over"] = {{"t", made.hand_over_time}, {"reason", made.hand_over_reason}};
  }
  if (s.mechanism.kind() == EngineKind::events || handed_over(s)) {
    json.update({{"events", s.result.events},
                 {"impacts", books.impacts},
                 {"transitions", s.result.transitions},
                 {"substeps", books.substeps}});
  } else if (!contact.transitions.empty()) {
    json["transitions"] = s.result.transitions;
  }
  json.update({{"impact_loss", books.impact_loss},
               {"friction_loss", books.friction_loss},
               {"correction_work", books.correction_work},
               {"imbalance", books.imbalance},
               {"energy_in_play", books.in_play}});
  if (s.mechanism.kind() == EngineKind::stepping)
    json.update({{"scheme_error", books.scheme_error},
                 {"deepest_overlap", books.deepest},
                 {"most_contacts", books.most_contacts},
                 {"steps_not_converged", books.not_converged}});
  return json;
}

/// Equations made for the sets of constraints and contacts that the run met.
ordered_json rederivation_as_json(const simulate::Statistics& made) {
  ordered_json json{{"sets_made", made.sets_made},
                    {"sets_refused", made.sets_refused},
                    {"derive_worst_s", made.derive_worst},
                    {"compile_worst_s", made.compile_worst},
                    {"made_worst_s", made.made_worst},
                    {"code_bytes", made.code_bytes},
                    {"changes", made.changes},
                    {"changes_with_code_ready", made.changes_ready},
                    {"swaps", made.swaps},
                    {"worst_wait_ticks", made.worst_wait_ticks},
                    {"worst_wait_s", made.worst_wait},
                    {"ticks", made.ticks},
                    {"ticks_on_the_general_path", made.ticks_general},
                    {"fallbacks", made.fallbacks}};
  if (made.sets_before >= 0)
    json["before_the_run"] = {{"sets", made.sets_before}, {"complete", made.complete}};
  return json;
}

ordered_json as_json(const SimulateSummary& s) {
  const simulate::State& state = s.mechanism.state();
  ordered_json summary;
  summary["model"] = s.request.model.path;
  summary["engine"] = name_of(s.mechanism.kind());
  summary["integrator"] = method_of(s);
  summary["step"] = s.schedule.step;
  summary["steps"] = s.result.steps;
  summary["rows"] = s.result.rows;
  summary["ok"] = s.result.trouble.empty();
  if (!s.result.trouble.empty()) summary["trouble"] = s.result.trouble;
  if (!s.opened.notes.empty()) summary["notes"] = s.opened.notes;
  summary["t"] = state.t;
  summary["coordinates"] = s.mechanism.coordinate_names();
  summary["q"] = state.q;
  summary["speeds"] = s.mechanism.speed_names();
  summary["u"] = state.u;
  summary["steps_beyond_tolerance"] = s.result.missed;
  if (const simulate::Statistics made = s.mechanism.statistics(); made.steps_looked_at > 0)
    summary["step_error"] = {{"steps_looked_at", made.steps_looked_at},
                             {"coordinates", made.coordinate_error},
                             {"speeds_relative", made.speed_error},
                             {"too_long", made.advised_step < s.schedule.step},
                             {"advised_step", made.advised_step}};
  if (!s.mechanism.constraints().empty()) summary["constraints"] = constraints_as_json(s);
  const bool contact = s.mechanism.kind() != EngineKind::smooth;
  if (contact) summary["contact"] = contact_as_json(s);
  summary["energy"] = {{"before", s.result.energy_before()}, {"after", s.result.energy_after()}};
  if (contact) summary["energy"]["balance"] = work_of_others(s);
  if (const simulate::Books books = s.mechanism.books(); !contact && books.in_play > 0.0)
    summary["energy"].update({{"drift", books.imbalance}, {"in_play", books.in_play}});
  summary["seconds"] = {{"derive_and_compile", s.opened.derive_seconds}, {"simulate", s.result.seconds}};
  if (const simulate::Statistics made = s.mechanism.statistics(); made.rederives)
    summary["rederivation"] = rederivation_as_json(made);
  return summary;
}

void print_head(const SimulateSummary& s) {
  const double t = s.mechanism.state().t, seconds = s.result.seconds;
  fmt::print("derived and compiled in {:.1f} ms\n", 1e3 * s.opened.derive_seconds);
  for (const std::string& note : s.opened.notes) fmt::print("note: {}\n", note);
  fmt::print("simulated {:g} s in {:.3g} s: {} steps of {:g} s with {} ({:.3g} times real time)\n", t,
             seconds, s.result.steps, s.schedule.step, method_of(s), seconds > 0.0 ? t / seconds : 0.0);
  fmt::print("energy {:.9g} J at the start, {:.9g} J at the end\n", s.result.energy_before(),
             s.result.energy_after());
  const simulate::Statistics made = s.mechanism.statistics();
  if (made.steps_looked_at > 0 && made.advised_step < s.schedule.step)
    fmt::print(
        "warning: the step is too long: the errors of all steps together come to {:.2g} of the speeds, "
        "{:.2g} in the "
        "coordinates; try --step {:g}\n",
        made.speed_error, made.coordinate_error, made.advised_step);
  // Where nothing gives or takes energy.
  constexpr double kDrift = 1e-3;
  if (const simulate::Books books = s.mechanism.books();
      s.mechanism.kind() == EngineKind::smooth && std::abs(books.imbalance) > kDrift * books.in_play)
    fmt::print(
        "warning: the energy drifted by {:.3g} J of {:.3g} J in play, though nothing gives or takes any: "
        "take a smaller step\n",
        books.imbalance, books.in_play);
  if (s.result.missed > 0)
    fmt::print(
        "note: in {} of the steps a force jumped again and again (a `sign` in the script?): the tolerance is "
        "not met\n",
        s.result.missed);
}

/// What assembly did to the initial state.
void print_changes(const std::vector<simulate::InitialChange>& changes) {
  constexpr std::size_t kMostLines = 20;
  std::vector<simulate::InitialChange> shown;
  for (const simulate::InitialChange& change : changes)
    if (!(std::abs(change.to - change.from) <= kWorthALine * std::max(1.0, std::abs(change.to))))
      shown.push_back(change);
  if (shown.empty()) return;
  // The given ones first: those are what a user may not expect.
  std::stable_partition(shown.begin(), shown.end(), [](const auto& change) { return change.was_given; });
  fmt::print("the constraints do not allow the initial state as it is; it was changed:\n");
  for (std::size_t k = 0; k < std::min(shown.size(), kMostLines); ++k)
    fmt::print("  {} `{}` {:.9g} -> {:.9g} (by {:.3g}{})\n", shown[k].is_speed ? "speed" : "coordinate",
               shown[k].name, shown[k].from, shown[k].to, shown[k].to - shown[k].from,
               shown[k].was_given ? "" : "; none was given");
  if (shown.size() > kMostLines) fmt::print("  and {} more (--json lists all)\n", shown.size() - kMostLines);
}

void print_constraints(const SimulateSummary& s) {
  if (s.mechanism.constraints().empty()) return;
  const simulate::AssemblyReport& assembly = s.opened.assembly;
  const std::size_t rows = constraint_rows(s.mechanism);
  fmt::print(
      "{} constraint row{}, rank {} at the start, {} freedom{}; worst errors {:.2g} (position), {:.2g} "
      "(velocity)\n",
      rows, rows == 1 ? "" : "s", assembly.rank, assembly.freedoms, assembly.freedoms == 1 ? "" : "s",
      s.result.worst_position_error, s.result.worst_velocity_error);
  const long handed_over = s.mechanism.statistics().handed_over;
  if (s.mechanism.kind() != EngineKind::stepping)
    fmt::print(
        "formulation {}{}\n", s.request.formulation,
        handed_over == 0
            ? ""
            : fmt::format(": {} accelerations handed over to the rank-revealing multipliers", handed_over));
  if (!assembly.redundant_rows.empty())
    fmt::print("redundant rows: {}\n", fmt::join(assembly.redundant_rows, ", "));
  print_changes(assembly.changes);
  if (assembly.velocity_lost > 0.0)
    fmt::print("singular start: {:.3g} % of the kinetic energy belonged to no motion, and is left out\n",
               100.0 * assembly.velocity_lost);
}

void print_contact(const SimulateSummary& s) {
  const simulate::Books books = s.mechanism.books();
  if (handed_over(s)) {
    const simulate::Statistics made = s.mechanism.statistics();
    fmt::print("events carried it to t = {:g} s, stepping from there on: {}\n", made.hand_over_time,
               made.hand_over_reason);
  }
  if (s.mechanism.kind() == EngineKind::stepping) {
    fmt::print("contacts took {:.9g} J along their normals, {:.9g} J by slip; other forces gave {:.3g} J",
               books.impact_loss, books.friction_loss, work_of_others(s));
    if (books.scheme_error != 0.0) fmt::print(", the steps' own error {:.3g} J", books.scheme_error);
    fmt::print("\n");
    fmt::print(
        "{} contacts near at most, overlapping by {:.2g} m at most; in {} of the steps the impulses were not "
        "solved to "
        "tolerance\n",
        books.most_contacts, books.deepest, books.not_converged);
    if (s.result.transitions > 0)
      fmt::print("{} transitions, each at the end of the step in which its guard became true\n",
                 s.result.transitions);
  }
  if (s.mechanism.kind() != EngineKind::events) return;
  fmt::print("{} impacts and {} transitions took {:.9g} J, slip {:.9g} J; other forces gave {:.3g} J\n",
             books.impacts, s.result.transitions, books.impact_loss, books.friction_loss, work_of_others(s));
  fmt::print("{} events; they cut the steps into {} pieces\n", s.result.events, books.substeps);
  const simulate::Statistics made = s.mechanism.statistics();
  if (made.sets_before >= 0)
    fmt::print("equations of {} sets of contacts made before the run{}\n", made.sets_before,
               made.complete ? "" : "; there would be more");
  if (made.sets_made > 0)
    fmt::print("equations of {} sets of contacts made, each in at most {:.2f} ms; {} of {} ticks without\n",
               made.sets_made, 1e3 * made.made_worst, made.ticks_general, made.ticks);
}

void print_files(const SimulateSummary& s) {
  if (!s.request.out.empty()) fmt::print("{} rows in {}\n", s.result.rows, s.request.out);
  if (!s.request.plot.empty()) fmt::print("plot in {}\n", s.request.plot);
  if (!s.request.events.empty()) fmt::print("{} events in {}\n", s.result.events, s.request.events);
}

}  // namespace

nlohmann::ordered_json changes_as_json(const std::vector<simulate::InitialChange>& changes) {
  ordered_json list = ordered_json::array();
  for (const simulate::InitialChange& change : changes)
    list.push_back({{"name", change.name},
                    {"of", change.is_speed ? "u" : "q"},
                    {"given", change.was_given},
                    {"from", change.from},
                    {"to", change.to},
                    {"change", change.to - change.from}});
  return list;
}

void SimulateSummary::print() const {
  if (request.json) {
    fmt::print("{}\n", as_json(*this).dump(2));
    return;
  }
  for (const std::string& path : {request.out, request.events, request.plot})
    if (is_standard_output(path)) return;
  print_head(*this);
  print_constraints(*this);
  print_contact(*this);
  print_files(*this);
}

}  // namespace tactus::apps
