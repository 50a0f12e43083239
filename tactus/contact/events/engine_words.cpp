// What an engine has to say.
#include <cmath>

#include <fmt/format.h>

#include <tactus/contact/events/engine.h>

namespace tactus::contact {

std::string Engine::name_of(const Event& event) const {
  const describe::ContactSection& contact = contact_model_.model.contact;
  if (event.transition >= 0) return contact.transitions[static_cast<std::size_t>(event.transition)].name;
  if (event.stop >= 0) return contact.stops[static_cast<std::size_t>(event.stop)].name;
  if (event.pair >= 0) return contact.pairs[static_cast<std::size_t>(event.pair)].name;
  return "";
}

std::string Engine::explain(Status status) {
  if (status.has(Status::not_finite) || status.has(Status::diverged)) look();  // for the forces
  return explain(status, trouble_.t);
}

std::string Engine::explain(Status status, double t) const {
  if (status.ok()) return "all is well";
  if (status.has(Status::bad_input)) return "the sizes of the input are not those of the mechanism";
  const std::string when = fmt::format("at t = {:.9g} s", t);
  std::string names;
  const auto add = [&](int transition) {
    const std::string& name =
        contact_model_.model.contact.transitions[static_cast<std::size_t>(transition)].name;
    if (names.find('`' + name + '`') == std::string::npos)
      names += (names.empty() ? " (transitions `" : ", `") + name + '`';
  };
  if (status.has(Status::chattering)) {
    for (const int transition : trouble_.crowd) add(transition);
    if (!names.empty()) names += ')';
    return fmt::format(
        "{} more than {} events follow each other without time going by{}: give the guards a distance (a "
        "dead zone), or "
        "the pair a larger `rest_speed`",
        when, kMostInCrowd, names);
  }
  if (status.has(Status::too_many_events)) {
    for (const Event& event : events_)
      if (event.transition >= 0) add(event.transition);
    if (!names.empty()) names += ')';
    return fmt::format(
        "{} one step met more than {} events{}: {}take a smaller step, a larger `rest_speed`, or `render: "
        "stepping`",
        when, options_.most_events_per_step, names,
        names.empty() ? "" : "give the guards a distance (a dead zone), ");
  }
  if (status.has(Status::no_consistent_modes))
    return fmt::format(
        "{} no set of sticking, sliding and open contacts agrees with the laws of friction (Painleve's "
        "paradox, or too "
        "many contacts at once): `render: stepping` has a solution always",
        when);
  if (status.has(Status::too_much_work))
    return fmt::format("{} events take more work than is allowed ({} evaluations in a tick, {} in the mean)",
                       when, options_.most_evaluations, options_.most_mean_evaluations);
  if (status.has(Status::energy_unexplained))
    return fmt::format(
        "{} the books do not balance: {:.3g} J came or went that neither work nor losses explain, of {:.3g} "
        "J in play; "
        "take a smaller step, or `render: stepping`",
        when, energy_.imbalance(), energy_.in_play(books_));
  if (status.has(Status::contacts_overflow))
    return fmt::format("{} more than {} contacts are near: `render: stepping` is made for many", when,
                       options_.most_touches);
  if (status.has(Status::constraint_lost) && misfit_.transition >= 0)
    return fmt::format(
        "{} the transition `{}` switches `{}` on where it is off by {:.3g}: let its guard become true where "
        "the constraint is met, or hold what is there by a constraint of type `rates`",
        when, contact_model_.model.contact.transitions[static_cast<std::size_t>(misfit_.transition)].name,
        contact_model_.terms.rows[misfit_.row].label, misfit_.error);
  if (status.has(Status::constraint_lost)) {
    std::string pairs;
    for (const int pair : trouble_.touching) {
      const std::string name =
          '`' + contact_model_.model.contact.pairs[static_cast<std::size_t>(pair)].name + '`';
      if (pairs.find(name) == std::string::npos) pairs += (pairs.empty() ? "" : ", ") + name;
    }
    return fmt::format(
        "{} the constraints{} can no longer be met: off by {:.3g}{}", when,
        pairs.empty() ? "" : " and contacts (touching: " + pairs + ")", chart_.position_error(),
        pairs.empty() ? ""
                      : "; take a smaller step, and restitution 0 where a light body is struck "
                        "between heavy ones");
  }
  if (status.has(Status::step_too_small))
    return fmt::format(
        "{} the adaptive integrator's step fell below what time can resolve: loosen the "
        "tolerance, or take another integrator",
        when);
  if (status.has(Status::not_converged))
    return fmt::format("{} the implicit integrator's equations were not solved: try a smaller step", when);
  for (std::size_t i = 0; i < state_.u.size(); ++i)
    if (!std::isfinite(chart_.efforts()[i]))
      return fmt::format("{} the force at joint '{}' is not a number: look at its expression in the script",
                         when, contact_model_.dynamics.effort_names[i]);
  return fmt::format("{} the motion is not finite or diverged: try a smaller step", when);
}

}  // namespace tactus::contact
