// The scene of section VIII: the three-link chain in an enclosure with two boxes, pushed by the hand. Here is what
// the mechanism does; what the hand feels of it through the controllers is in felt.cpp.
//
// The hand pushes the distal link with F along x. The chain unfolds, meets the east wall, and comes to rest
// against it. At rest every joint's torque vanishes: the first two links lie along x, because they carry
// only a force along x; the last one, pushed at its middle by F and at its end by the wall's N (frictionless,
// along x), leans by the angle that the wall's place leaves, and
//
//   F l3/2 = N l3    N = F/2
#include <cmath>

#include <studies/compare.h>
#include <studies/models.h>
#include <studies/record.h>
#include <tactus/contact/open.h>
#include "cases.h"

namespace tactus::studies::constantinescu {

namespace {

using simulate::Event;
using simulate::EventKind;
using study::Context;
using study::Result;

constexpr double kPush = 0.4;  // [N] the paper's
constexpr double kL1 = 0.042, kL2 = 0.042, kL3 = 0.03, kThick = 0.004, kWall = 0.095, kStiffness = 15000.0;

/// The chain, and the hand's pull at its distal link.
struct Scene {
  Scene(const Context& context, const std::string& name, double step)
      : chain(contact::open(load(context, name), {.step = step})),
        pull{chain->port("distal"), {0.0, 0.0, 0.0, kPush, 0.0, 0.0}} {}

  void advance() {
    if (const simulate::Tick tick = chain->step({.ports = {&pull, 1}}); !tick.ok())
      throw InputError({}, chain->explain(tick.status));
  }
  const simulate::State& state() const { return chain->state(); }
  /// Normal force between the ground and the last link.
  double wall_force() const {
    const std::vector<describe::ContactPair>& pairs = chain->model().contact.pairs;
    const int last = chain->model().body_index("link_3");
    const simulate::ContactReport report = chain->contact_report();
    double sum = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (pairs[i].body_a + pairs[i].body_b == last) sum += report.pairs[i].normal;  // the ground is 0
    return sum;
  }

  std::unique_ptr<simulate::Mechanism> chain;
  simulate::PortWrench pull;
};

Result rest(const Context& context) {
  constexpr double kDuration = 120.0, kStep = 2e-3;
  Deviation d;
  std::string here;
  Record record({"t", "q1", "q2", "q3", "wall compliant", "wall rigid"});
  Scene soft(context, "chain_in_enclosure", kStep), hard(context, "chain_in_enclosure_rigid", kStep);
  for (long k = 0; k * kStep < kDuration - 0.5 * kStep; ++k) {
    soft.advance();
    hard.advance();
    const simulate::State& s = soft.state();
    if (k % 100 == 0) record.add({s.t, s.q[0], s.q[1], s.q[2], soft.wall_force(), hard.wall_force()});
  }
  for (const auto& [scene, give] : {std::pair{&soft, 0.5 * kPush / kStiffness}, {&hard, 0.0}}) {
    const double lean = std::acos((kWall - kThick + give - kL1 - kL2) / kL3);
    const simulate::State& s = scene->state();
    d.add(scene->wall_force(), 0.5 * kPush, 1e-6);
    d.add(s.q[0], 0.0, 1e-5);
    d.add(s.q[1], 0.0, 1e-5);
    d.add(std::abs(s.q[2]), lean, 1e-5);
    here += fmt::format("{}{} N = {:.9f} N", here.empty() ? "" : ", ", scene == &soft ? "compliant" : "rigid",
                        scene->wall_force());
  }
  record.write_csv(context, "constantinescu2005-rest.csv");
  record.write_svg(context, "constantinescu2005-rest.svg",
                   "The chain, pushed against the wall, comes to rest",
                   {{"angles [rad]", {"q1", "q2", "q3"}}, {"wall [N]", {"wall compliant", "wall rigid"}}});
  return {"section VIII: the chain in contact, k = 15000 N/m, b = 300 N s/m",
          here + "; " + d.to_string(),
          closed_form(all_within(d), "N = F/2 and the lean that the wall's place leaves"),
          "the paper gives no geometry of the enclosure: chosen; at rest N = F/2, from the balance of the "
          "last link",
          {"constantinescu2005-rest.csv", "constantinescu2005-rest.svg"}};
}

/// The first collision with the wall.
struct Collision {
  double t = 0.0, peak = 0.0, impulse = 0.0;
};

Collision compliant_collision(const Context& context, double step) {
  Scene scene(context, "chain_in_enclosure", step);
  Collision result;
  for (long k = 0; k * step < 10.0; ++k) {
    scene.advance();
    const double force = scene.wall_force();
    if (force > 0.0 && result.t == 0.0) result.t = scene.state().t;
    result.peak = larger(result.peak, force);
    if (result.t > 0.0 && scene.state().t > result.t + 0.1) break;
  }
  return result;
}

Collision rigid_collision(const Context& context, double step) {
  Scene scene(context, "chain_in_enclosure_rigid", step);
  for (long k = 0; k * step < 10.0; ++k) {
    scene.advance();
    for (const Event& event : scene.chain->events())
      if (event.kind == EventKind::impact) return {event.t, 0.0, event.impulse};
  }
  return {};
}

Result collision(const Context& context) {
  const Collision coarse = compliant_collision(context, 1.0 / 512.0),
                  medium = compliant_collision(context, 1e-3), fine = compliant_collision(context, 1e-4);
  const Collision at_512 = rigid_collision(context, 1.0 / 512.0), at_1k = rigid_collision(context, 1e-3),
                  at_10k = rigid_collision(context, 1e-4);
  // Rigid: the instant and the impulse do not depend on the step beyond the integrator's error; both scenes
  // move alike until then.
  Deviation d;
  d.add(at_1k.impulse, at_10k.impulse, 1e-9 * at_10k.impulse);
  d.add(at_1k.t, at_10k.t, 1e-9);
  d.add(fine.t, at_10k.t, 1e-4);
  d.add(medium.peak, fine.peak, 0.05 * fine.peak);
  return {
      "section VIII: collisions of the chain; as an impulse within one step, or by penalty",
      fmt::format(
          "wall met at {:.6f} s; penalty peaks {:.3f}, {:.3f}, {:.3f} N at 512 Hz, 1 kHz, 10 kHz; impulse "
          "{:.6f} N s, as one step's force {:.1f} N at 512 Hz, {:.1f} N at 1 kHz; {}",
          at_10k.t, coarse.peak, medium.peak, fine.peak, at_10k.impulse, at_512.impulse * 512.0,
          at_1k.impulse * 1e3, d.to_string()),
      not_reproducible(all_within(d) && at_10k.impulse > 0.0,
                       "instant, impulse and peak, one step with another"),
      "the paper plots what the hand feels, through its controllers (figure-13); here the "
      "mechanism's own contact: an impulse shown within one step is a force in proportion to the rate, a "
      "penalty's is not",
      {}};
}

}  // namespace

std::vector<study::Case> contact_cases() {
  return {{"contact-rest", "pushed against the wall", rest},
          {"contact-collision", "meeting the wall", collision}};
}

}  // namespace tactus::studies::constantinescu
