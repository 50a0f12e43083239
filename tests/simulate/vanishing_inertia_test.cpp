// Links without mass: where a mass matrix nearly loses its rank the message names the joints and the links, and nothing is said elsewhere.
#include <gtest/gtest.h>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/motion/vanishing_inertia.h>

#include "support/paths.h"

namespace tactus::simulate {
namespace {

describe::Model wrist() {
  return describe::load(support::source_dir() + "/models/spherical_wrist_joint_rates.yaml");
}

TEST(VanishingInertia, NamesTheJointsWhoseAxesAreParallelAndTheLinksWithoutMass) {
  // M13^2/(M11 M33) = 1 - 8 sin^2 q2 nearly: at 0.05 rad all but 2 % of the inertia of one against the other is gone.
  for (const double q2 : {0.05, -0.05, 3.1415}) {
    const std::string said = vanishing_inertia(wrist(), 0.0, {0.4, q2, -1.0});
    EXPECT_NE(said.find("'q1' and 'q3' together have hardly any inertia"), std::string::npos) << said;
    EXPECT_NE(said.find("`A`, `B` have no mass"), std::string::npos) << said;
  }
}

TEST(VanishingInertia, SaysNothingElsewhere) {
  EXPECT_EQ(vanishing_inertia(wrist(), 0.0, {0.4, 0.8, -1.0}), "");
  // Long chains have small eigenvalues everywhere; but every link of this one weighs.
  const describe::Model chain = describe::load(support::source_dir() + "/models/chain_30.yaml");
  EXPECT_EQ(vanishing_inertia(chain, 0.0, std::vector<double>(30, 0.0)), "");
}

// A point mass that stands on the axis of the ring that carries it: turning the ring moves nothing that weighs.
TEST(VanishingInertia, NamesAJointThatMovesNothingThatWeighs) {
  const describe::Model model = describe::load_text(R"(
name: ring
bodies: {ring: {mass: 0}, ball: {mass: 1, com: [0, 0, 1]}}
joints:
  spin: {type: revolute, parent: world, child: ring, axis: z}
  tilt: {type: revolute, parent: ring, child: ball, axis: y}
)",
                                                    "ring.yaml");
  EXPECT_EQ(vanishing_inertia(model, 0.0, {0.0, 0.0}).find("'spin' has hardly any inertia"), 0u);
  EXPECT_EQ(vanishing_inertia(model, 0.0, {0.0, 0.5}), "");
}

TEST(VanishingInertia, IsTheReasonThatAMechanismGives) {
  const auto mechanism = contact::open(wrist(), {.step = 1e-3});
  mechanism->set_state({.t = 0.0, .q = {0.4, 0.05, -1.0}, .u = {0.0, 0.0, 0.0}, .momentum = {}});
  EXPECT_NE(mechanism->explain(Status::energy_unexplained).find("hardly any inertia"), std::string::npos);
  mechanism->set_state({.t = 0.0, .q = {0.4, 0.8, -1.0}, .u = {0.0, 0.0, 0.0}, .momentum = {}});
  EXPECT_EQ(mechanism->explain(Status::energy_unexplained).find("hardly any inertia"), std::string::npos);
}

}  // namespace
}  // namespace tactus::simulate
