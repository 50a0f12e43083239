// More contacts than an engine has room for are said, not lost.
#include <gtest/gtest.h>

#include <string>

#include <tactus/contact/events/engine.h>
#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::contact {
namespace {

TEST(Room, AStackThatDoesNotFitIsRefusedAtTheStart) {
  const ContactModel contact_model(
      describe::load(tactus::support::source_dir() + "/models/box_stack.yaml"));  // 40 contacts
  const State start{
      .t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}};
  Engine small(contact_model, {.most_touches = 39});
  EXPECT_THROW(small.set_state(start), InputError);
  Engine large(contact_model, {.most_touches = 40});
  EXPECT_NO_THROW(large.set_state(start));
}

TEST(Room, ABoxThatDoesNotFitStopsTheRunBeforeItFallsThrough) {
  const ContactModel contact_model(describe::load_text(R"(
name: box
bodies:
  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}
  box: {mass: 1, inertia: [0.01, 0.01, 0.01], geometry: [{shape: box, size: [0.2, 0.2, 0.2], contact: true}]}
joints:
  box: {type: free, parent: world, child: box}
contact: {}
initial:
  q: {box.z: 0.15}
)",
                                                       "box"));
  Engine engine(contact_model, {.most_touches = 3});  // of its four corners
  engine.set_state(
      {.t = 0.0, .q = contact_model.model.initial_q, .u = contact_model.model.initial_u, .momentum = {}});
  Status status;
  while (status.ok() && engine.state().t < 0.2) status = engine.step();
  EXPECT_TRUE(status.has(Status::contacts_overflow)) << engine.explain(status);
  EXPECT_GT(engine.state().q[2], 0.1);
}

}  // namespace
}  // namespace tactus::contact
