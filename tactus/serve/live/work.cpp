#include <tactus/serve/live/work.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <tactus/base/error.h>
#include <tactus/contact/mechanism/hand_over_mechanism.h>
#include <tactus/contact/stepping/stepping.h>
#include <tactus/serve/live/leader.h>
#include <tactus/serve/live/rig.h>

namespace tactus::serve {

namespace {

constexpr const char* kGravity = "gravity";

/// Gravity is a parameter, so that it can be changed while it moves: its size along the direction that the model gives. Models whose
/// gravity is a formula of their own have one already. Weightless: it begins with none.
describe::Model with_gravity(describe::Model model, const Choice& choice) {
  const bool plain =
      model.gravity.x.is_constant() && model.gravity.y.is_constant() && model.gravity.z.is_constant();
  const bool taken = model.graph->find_symbol(kGravity).has_value() ||
                     std::any_of(model.derived_parameters.begin(), model.derived_parameters.end(),
                                 [](const describe::DerivedParameter& p) { return p.name == kGravity; });
  if (!plain || taken) {
    if (choice.weightless) model.gravity = {0.0, 0.0, 0.0};
    return model;
  }
  Vec3 g{model.gravity.x.value(), model.gravity.y.value(), model.gravity.z.value()};
  const double size = std::sqrt(dot(g, g));
  if (!(size > 0.0)) g = {0.0, 0.0, -1.0};
  // The expressions of a model share one graph, and this is a model of our own, read for this work: nobody else looks at it.
  auto& graph = const_cast<algebra::Graph&>(*model.graph);
  const algebra::Graph::Scope scope(graph);
  const algebra::Expr symbol = graph.symbol(kGravity);
  for (std::size_t i = 0; i < 3; ++i) model.gravity[i] = (size > 0.0 ? g[i] / size : g[i]) * symbol;
  model.parameters.push_back(
      {kGravity, choice.weightless ? 0.0 : size, "m/s^2", "acceleration of free fall"});
  return model;
}

std::unique_ptr<simulate::Mechanism> open(const describe::Model& model, const Choice& choice,
                                          contact::OpenReport& report) {
  contact::OpenOptions options;
  options.step = choice.step;
  options.integrator = choice.integrator;
  options.constraints.formulation = choice.formulation;
  options.contact = choice.contact;
  options.budget = simulate::Budget::haptic();
  options.adjust_all = choice.formulation != simulate::Formulation::parametric;
  options.script_text = choice.script;
  using Contact = contact::OpenOptions::Contact;
  const bool stepping = choice.contact == Contact::stepping ||
                        (choice.contact == Contact::automatic && contact::asks_for_stepping(model));
  constexpr double kSleep = 0.5;  // [s] a heap that lies still costs nothing
  if (stepping && contact::has_contact(model)) options.sleep_after = kSleep;
  options.hand_over = choice.contact == Contact::automatic && !stepping;
  return contact::open(model, options, &report);
}

std::vector<BodyMass> masses_of(const describe::Model& model) {
  std::vector<BodyMass> masses;
  for (const describe::Body& body : model.bodies) {
    BodyMass& mass = masses.emplace_back();
    mass.mass = value_of(model, body.mass);
    for (std::size_t i = 0; i < 3; ++i) {
      mass.com[i] = value_of(model, body.com[i]);
      for (std::size_t j = 0; j < 3; ++j) mass.inertia(i, j) = value_of(model, body.inertia(i, j));
    }
  }
  return masses;
}

std::vector<Channel> channels_of(const simulate::Mechanism& mechanism) {
  std::vector<Channel> channels;
  std::size_t column = 2;
  for (const describe::Meaning& m : coordinate_meanings(mechanism.model()))
    channels.push_back({m.name, "coordinates", m.unit, m.meaning, column++});
  for (const describe::Meaning& m : speed_meanings(mechanism.model()))
    channels.push_back({"u." + m.name, "speeds", m.unit, m.meaning, column++});
  const auto add = [&](Work::Column at, const char* name, const char* group, const char* unit,
                       const char* label) {
    channels.push_back({name, group, unit, label, column + at});
  };
  add(Work::kKinetic, "energy.kinetic", "energy", "J", "kinetic energy");
  add(Work::kPotential, "energy.potential", "energy", "J", "potential energy");
  add(Work::kTotal, "energy.total", "energy", "J", "energy");
  add(Work::kPosition, "error.position", "constraints", "m", "largest error of the constraints' positions");
  add(Work::kVelocity, "error.velocity", "constraints", "m/s",
      "largest error of the constraints' velocities");
  add(Work::kForceX, "hand.force.x", "hand", "N", "force of the hand along x");
  add(Work::kForceY, "hand.force.y", "hand", "N", "force of the hand along y");
  add(Work::kForceZ, "hand.force.z", "hand", "N", "force of the hand along z");
  add(Work::kForce, "hand.force", "hand", "N", "felt force");
  add(Work::kStretch, "hand.stretch", "hand", "m", "stretch of the hand's spring");
  add(Work::kCompute, "loop.compute", "loop", "s", "time that a tick took");
  add(Work::kWake, "loop.wake", "loop", "s", "how late the loop woke up");
  add(Work::kContacts, "contacts", "contact", "", "contacts that touch");
  return channels;
}

/// Of a law, where one could lead it.
void add_control_channels(Work& work) {
  std::size_t column = work.control_column();
  for (const bool error : {false, true})
    for (const describe::Joint& joint : work.model.joints)
      for (const describe::JointAxis& axis : joint.axes) {
        const char* const unit = error ? (axis.is_rotation ? "rad" : "m") : (axis.is_rotation ? "N m" : "N");
        work.channels.push_back({(error ? "control.error." : "control.torque.") + axis.name, "control", unit,
                                 (error ? "tracking error of " : "force of the law at ") + axis.name,
                                 column++});
      }
}

/// The ball about the ground's origin and all bodies' origins, mass centres and frames, by half its width.
double radius_of(const describe::Model& model, simulate::Mechanism& mechanism,
                 const std::vector<int>& port_of_body, const std::vector<BodyMass>& masses) {
  Vec3 low{1e9, 1e9, 1e9}, high{-1e9, -1e9, -1e9};
  const auto take = [&](const Vec3& p) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (!std::isfinite(p[i])) continue;
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  };
  const auto value = [&](const describe::Vec3& v) {
    return Vec3{value_of(model, v.x), value_of(model, v.y), value_of(model, v.z)};
  };
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    math::Pose<double> X;
    if (port_of_body[b] >= 0) X = mechanism.motion(port_of_body[b]).X_WP;
    if (b > 0) {
      take(X.p);
      take(X.p + X.R * masses[b].com);
    }
    for (const describe::Geometry& g : model.bodies[b].geometry) {
      if (g.shape == describe::Geometry::Shape::plane || g.shape == describe::Geometry::Shape::mesh) continue;
      const Vec3 size = value(g.size), at = X.p + X.R * value(g.X_BG.p);
      const double reach = g.shape == describe::Geometry::Shape::box
                               ? 0.5 * std::sqrt(dot(size, size))
                               : size.x + (g.shape == describe::Geometry::Shape::sphere ? 0.0 : 0.5 * size.y);
      take(at + Vec3{reach, reach, reach});
      take(at - Vec3{reach, reach, reach});
    }
  }
  for (const describe::Frame& frame : model.frames)
    if (frame.body > 0) {
      const math::Pose<double> X = mechanism.motion(port_of_body[static_cast<std::size_t>(frame.body)]).X_WP;
      take(X.p + X.R * value(frame.X_BF.p));
    }
  const Vec3 width = high - low;
  constexpr double kLeast = 1e-3;  // [m]
  return std::max(0.5 * std::sqrt(dot(width, width)), kLeast);
}

Picture empty_picture(const Work& work) {
  Picture picture;
  picture.poses.assign(7 * work.model.bodies.size(), 0.0F);
  picture.contacts.resize(Work::kMostContacts);
  picture.active.assign(work.mechanism->constraints().size(), 0);
  picture.parameters.assign(work.mechanism->adjustable().size(), 0.0);
  return picture;
}

constexpr std::size_t kSamples = 1024;  // 4 s at 250 Hz: a network thread that stalls
constexpr std::size_t kHappenings = 1024, kTimes = 8192, kInputs = 8192;

}  // namespace

Work::Work(const describe::Model& given, Choice chosen)
    : model(with_gravity(given, chosen)),
      choice(std::move(chosen)),
      mechanism(open(model, choice, report)),
      masses(masses_of(model)),
      channels(channels_of(*mechanism)),
      pictures(std::in_place, [this] { return empty_picture(*this); }),
      samples(kSamples, std::vector<double>(2 + mechanism->nq() + mechanism->nv() + kColumns +
                                            2 * std::min(mechanism->nv(), Leader::kMost))),
      happenings(kHappenings),
      times(kTimes),
      inputs(kInputs) {
  port_of_body.assign(model.bodies.size(), -1);
  const std::span<const simulate::Port> ports = mechanism->ports();
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (ports[i].frame < 0 && ports[i].body > 0)
      port_of_body[static_cast<std::size_t>(ports[i].body)] = static_cast<int>(i);
  double total = 0.0;
  for (std::size_t b = 1; b < masses.size(); ++b) total += masses[b].mass;
  constexpr double kLightest = 1e-6;  // [kg]
  heavy = std::max(total, kLightest);
  const Vec3 g{value_of(model, model.gravity.x), value_of(model, model.gravity.y),
               value_of(model, model.gravity.z)};
  gravity = std::sqrt(dot(g, g));
  radius = radius_of(model, *mechanism, port_of_body, masses);
  for (std::size_t i = 0; i < mechanism->adjustable().size(); ++i)
    initial_parameters.push_back(mechanism->parameter_value(static_cast<int>(i)));
  if (const auto* events = dynamic_cast<const contact::EventMechanism*>(mechanism.get()))
    by_events = events;
  else if (const auto* either = dynamic_cast<const contact::HandOverMechanism*>(mechanism.get()))
    by_events = &either->by_events();
  for (std::size_t i = 0; i < kSnapshots; ++i) snapshots.push_back(mechanism->make_snapshot());
  for (std::size_t i = 0; i < kWaysBack; ++i) ways_back.push_back(mechanism->make_snapshot());
  if (choice.device != "mouse") rig = std::make_unique<Rig>(*this);
  if (!not_led(*this)) {
    led = mechanism->nv();
    add_control_channels(*this);
  }
}

Work::~Work() = default;

}  // namespace tactus::serve
