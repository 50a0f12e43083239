// What can be chosen of a motion, in words.
#include <fmt/format.h>

#include <tactus/device/registry.h>
#include <tactus/serve/live/leader.h>
#include <tactus/serve/page/scene.h>

namespace tactus::serve {

namespace {

Json item(std::string_view name, std::string_view meaning, std::string_view why = "") {
  return {{"name", name}, {"meaning", meaning}, {"allowed", why.empty()}, {"why", why}};
}

/// "" where the passive integrator has a law for what may touch.
std::string_view passive_trouble(const describe::Model& model) {
  if (!model.contact.transitions.empty()) return "not with transitions";
  for (const describe::ContactPair& pair : model.contact.pairs)
    if (pair.law.rendering == describe::Rendering::compliant) return "not with compliant contacts";
  return "";
}

}  // namespace

Json choices_of(const Work& work) {
  const bool contact = contact::has_contact(work.model);
  const bool stepping = work.mechanism->kind() == simulate::EngineKind::stepping &&
                        work.choice.integrator != simulate::Integrator::passive;
  const bool constrained = !work.model.constraints.empty();
  const std::string_view own_way = stepping ? "contact by stepping goes its own way" : "";

  Json formulations = Json::array();
  const auto formulation = [&](std::string_view name, std::string_view meaning, std::string_view why = "") {
    const bool automatic = name == "automatic";
    formulations.push_back(item(name, meaning,
                                automatic      ? ""
                                : stepping     ? own_way
                                : !constrained ? "the model has no constraints"
                                               : why));
  };
  formulation("automatic", "unrolled while the constraints are regular, otherwise by orthogonal factors");
  formulation("multipliers", "Lagrange's, by orthogonal factors [Faulring2006]");
  formulation("embedding", "independent speeds, chosen and chosen again [Gillespie2003]");
  formulation("projection", "constraint inertia matrices [Aghili2005]");
  formulation("parametric", "coordinates that satisfy the constraints [Faulring2006]; no sliders",
              !work.model.parametric ? "the model gives no such coordinates"
              : contact              ? "not where something may touch"
                                     : "");

  Json integrators = Json::array();
  for (const simulate::IntegratorTraits& traits : simulate::integrators()) {
    std::string_view why;
    if (stepping && traits.integrator != simulate::Integrator::rk4) why = own_way;
    if (traits.integrator == simulate::Integrator::passive && contact) why = passive_trouble(work.model);
    integrators.push_back(item(traits.name, traits.meaning, why));
  }

  const std::string_view nothing = contact ? "" : "nothing touches here";
  Json contacts = Json::array({item("automatic", "as the model asks"),
                               item("events", "every change is located in time", nothing),
                               item("stepping", "impulses of whole steps, for many contacts", nothing)});

  const std::string_view no_device = work.choice.device == "mouse" ? "choose a device first" : "";
  Json controllers = Json::array(
      {item("coupler", "a spring and a damper between handle and port [Colgate1995]"),
       item("impedance", "four channels, the joints by acceleration [Constantinescu2005]", no_device),
       item("penalties", "four channels, with penalties where joints resist", no_device)});

  Json devices = Json::array(
      {item("mouse", "the cursor takes any point of any body"),
       item("pointer",
            "the cursor is a device of the haptic loop: a point at the port, by coupler or four channels"),
       item("pointer:turning", "the same with the body's orientation: it turns as the hand turns it")});
  for (const device::Specification& s : device::devices()) devices.push_back(item(s.name, s.description));

  Json hands = Json::array({item("page", "yours")});
  for (const auto& [name, meaning] :
       {std::pair{"hold", "holds the handle where it is"}, std::pair{"stroke", "to and fro"},
        std::pair{"circle", "round and round"}, std::pair{"tap", "taps"},
        std::pair{"none", "nobody holds the handle"}})
    hands.push_back(
        item(name, meaning, is_pointer(work.choice.device) ? "the cursor is the hand" : no_device));

  Json ports = Json::array();
  for (const simulate::Port& port : work.mechanism->ports())
    if (port.body > 0)
      ports.push_back(item(port.frame >= 0 ? port.name : "body:" + port.name,
                           port.frame >= 0 ? "a frame of the model" : "the body's origin", no_device));
  return {{"formulation", formulations},
          {"integrator", integrators},
          {"contact", contacts},
          {"controller", controllers},
          {"device", devices},
          {"hand", hands},
          {"port", ports},
          {"step", {1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 4e-3, 5e-3}}};
}

Json control_of(const Work& work) {
  using control::ArmLaw;
  if (const std::optional<NotLed> not_so = not_led(work))
    return {{"why", not_so->what},
            {"remedy", not_so->remedy},
            {"laws", Json::array()},
            {"joints", Json::array()}};
  Json laws = Json::array();
  for (const auto& [law, meaning] :
       {std::pair{ArmLaw::gravity, "bears the weight; springs at the joints"},
        std::pair{ArmLaw::diagonal, "weight, friction and each joint's own inertia"},
        std::pair{ArmLaw::computed_torque, "forces of the wanted motion, and M times the error"},
        std::pair{ArmLaw::pole_placement, "linear model along the path: the poles are placed"},
        std::pair{ArmLaw::sampled, "the same, of a loop that is sampled"},
        std::pair{ArmLaw::inverse_dynamics, "the whole model where the arm is"}})
    laws.push_back(item(control::name_of(law), meaning));
  Json joints = Json::array();
  for (const describe::Joint& joint : work.model.joints)
    for (const describe::JointAxis& axis : joint.axes)
      joints.push_back(
          {{"name", axis.name},
           {"unit", axis.is_rotation ? "rad" : "m"},
           {"effort", axis.is_rotation ? "N m" : "N"},
           {"most", axis.effort_limit ? Json(value_of(work.model, *axis.effort_limit)) : Json()}});
  return {{"why", ""}, {"remedy", ""}, {"laws", std::move(laws)}, {"joints", std::move(joints)}};
}

}  // namespace tactus::serve
