// The `transitions` section: guards, and what they switch on and off.
#include <algorithm>

#include <fmt/format.h>

#include <tactus/base/error.h>
#include <tactus/describe/check/guard.h>
#include <tactus/describe/read/keys.h>
#include <tactus/describe/read/sections.h>

namespace tactus::describe {

namespace {

int find_constraint(const Reader& reader, const Value& value) {
  const std::string& name = reader.word(value, "the name of a constraint");
  const std::vector<Constraint>& constraints = reader.model.constraints;
  const auto found = std::find_if(constraints.begin(), constraints.end(),
                                  [&](const Constraint& constraint) { return constraint.name == name; });
  if (found != constraints.end()) return static_cast<int>(found - constraints.begin());
  std::vector<std::string> all;
  for (const Constraint& constraint : constraints) all.push_back(constraint.name);
  reader.fail(value, fmt::format("there is no constraint named `{}`", name),
              all.empty() ? std::string("the model has no constraints: add it under `constraints`")
                          : suggestion(name, std::span<const std::string>(all)));
}

bool contains(const std::vector<int>& list, int constraint) {
  return std::find(list.begin(), list.end(), constraint) != list.end();
}

/// One name, or a list of different ones; none where the key is not given.
std::vector<int> read_list(const Reader& reader, const Fields& fields, std::string_view key) {
  const Value* given = fields[key];
  if (given == nullptr) return {};
  if (given->is_scalar()) return {find_constraint(reader, *given)};
  if (!given->is_sequence() || given->items.empty()) {
    reader.fail(*given,
                fmt::format("`{}` must name constraints, not be {}", key,
                            given->is_sequence() ? "an empty list" : name_of(given->kind)),
                fmt::format("write {}: [lock], or leave it out", key));
  }
  std::vector<int> list;
  for (const Value& item : given->items) {
    const int constraint = find_constraint(reader, item);
    if (contains(list, constraint))
      reader.fail(item, fmt::format("`{}` is named twice", item.text), "name it once");
    list.push_back(constraint);
  }
  return list;
}

/// Refuses a constraint that stands under both keys.
void require_apart(const Reader& reader, const Fields& fields, std::string_view first,
                   const std::vector<int>& in_first, std::string_view second,
                   const std::vector<int>& in_second, std::string_view why) {
  for (const int constraint : in_second) {
    if (!contains(in_first, constraint)) continue;
    reader.fail(
        *fields[second],
        fmt::format("`{}` stands under both `{}` and `{}`: {}",
                    reader.model.constraints[static_cast<std::size_t>(constraint)].name, first, second, why),
        "keep it under one of them");
  }
}

/// The force of a constraint that is off is zero.
void require_forces_that_act(const Reader& reader, const Value& when, const Transition& transition) {
  for (const std::string& row : force_rows(reader.model, transition.guard)) {
    const int constraint = constraint_of_row(reader.model, row);
    if (!contains(transition.if_inactive, constraint)) continue;
    reader.fail(when,
                fmt::format("the guard uses {}{}, which is zero while `{}` is off", kForcePrefix, row,
                            reader.model.constraints[static_cast<std::size_t>(constraint)].name),
                "take it out of `if_inactive`, or write the guard with coordinates and rates");
  }
}

Transition read_transition(Reader& reader, const GuardReader& guards, const Value::Entry& entry) {
  Transition transition;
  transition.name = reader.identifier(entry.key, "a transition");
  transition.where = reader.place(entry.key);
  const Fields fields(reader, entry.value, fmt::format("the transition `{}`", transition.name),
                      keys::kTransition);
  transition.if_active = read_list(reader, fields, "if_active");
  transition.if_inactive = read_list(reader, fields, "if_inactive");
  transition.activate = read_list(reader, fields, "activate");
  transition.release = read_list(reader, fields, "release");
  if (transition.activate.empty() && transition.release.empty()) {
    reader.fail(entry.value, fmt::format("the transition `{}` changes nothing", transition.name),
                "say which constraints to `activate` or to `release`");
  }
  const auto apart = [&](std::string_view first, const std::vector<int>& a, std::string_view second,
                         const std::vector<int>& b,
                         std::string_view why) { require_apart(reader, fields, first, a, second, b, why); };
  apart("activate", transition.activate, "release", transition.release, "it cannot be switched both ways");
  apart("if_active", transition.if_active, "if_inactive", transition.if_inactive, "it is never both");
  apart("if_active", transition.if_active, "activate", transition.activate, "it is on already");
  apart("if_inactive", transition.if_inactive, "release", transition.release, "it is off already");
  const Value& when = fields.require("when", "write when: abs(q1_dot) < 0.01");
  transition.guard = guards.read(when, transition.true_at_zero);
  transition.guard_text = when.text;
  require_forces_that_act(reader, when, transition);
  if (const Value* once = fields["once"]) transition.once = reader.flag(*once, "`once`");
  if (const Value* text = fields["description"]) transition.description = reader.word(*text, "a description");
  return transition;
}

/// A switch that nothing ever moves back to where it could act again is probably a slip.
void warn_of_idle(Reader& reader, const Value& section) {
  const std::vector<Constraint>& constraints = reader.model.constraints;
  const std::vector<Transition>& transitions = reader.model.contact.transitions;
  std::vector<bool> activated(constraints.size(), false), released(constraints.size(), false);
  for (const Transition& transition : transitions) {
    for (const int c : transition.activate) activated[static_cast<std::size_t>(c)] = true;
    for (const int c : transition.release) released[static_cast<std::size_t>(c)] = true;
  }
  const auto warn = [&](std::size_t transition, std::string_view action, int c, bool idle) {
    const Constraint& constraint = constraints[static_cast<std::size_t>(c)];
    if (!idle) return;
    reader.warn(
        section.entries[transition].key,
        fmt::format("`{}` {} `{}`, which is {} from the start and never switched before",
                    transitions[transition].name, action, constraint.name, constraint.active ? "on" : "off"));
  };
  for (std::size_t k = 0; k < transitions.size(); ++k) {
    for (const int c : transitions[k].activate)
      warn(k, "activates", c,
           constraints[static_cast<std::size_t>(c)].active && !released[static_cast<std::size_t>(c)]);
    for (const int c : transitions[k].release)
      warn(k, "releases", c,
           !constraints[static_cast<std::size_t>(c)].active && !activated[static_cast<std::size_t>(c)]);
  }
}

}  // namespace

void read_transitions(Reader& reader, const Value& section) {
  reader.require_map(section, "`transitions`");
  for (const Joint& joint : reader.model.joints) {
    if (joint.name + "." != kForcePrefix || joint.axes.size() < 2) continue;
    throw InputError(joint.where,
                     "the coordinates of the joint `force` look like forces of constraints in guards",
                     "rename the joint");
  }
  const GuardReader guards(reader);
  for (const Value::Entry& entry : section.entries)
    reader.model.contact.transitions.push_back(read_transition(reader, guards, entry));
  warn_of_idle(reader, section);
}

}  // namespace tactus::describe
