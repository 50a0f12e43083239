// The models that come with Tactus, and what they must say.
#include <filesystem>

#include <gtest/gtest.h>

#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::describe {
namespace {

std::string model_path(const std::string& name) { return tactus::support::source_dir() + "/models/" + name; }

TEST(Models, AllOfThemLoad) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(model_path(""))) {
    const std::string extension = entry.path().extension();
    if (extension != ".yaml" && extension != ".urdf") continue;
    ++count;
    try {
      const Model model = load(entry.path());
      EXPECT_GT(model.nv(), 0) << entry.path();
      EXPECT_EQ(model.bodies.size(), model.joints.size() + 1) << entry.path();
    } catch (const InputError& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(count, 9);
}

TEST(Models, Puma560HasTheNumbersOfItsSources) {
  const Model puma = load(model_path("puma560.yaml"));
  EXPECT_EQ(puma.nq(), 6);
  EXPECT_EQ(puma.coordinate_names(), (std::vector<std::string>{"q1", "q2", "q3", "q4", "q5", "q6"}));
  const Joint& third = puma.joints[2];
  EXPECT_EQ(third.X_PJ.p.x.value(), 0.4318);
  EXPECT_EQ(third.X_PJ.p.z.value(), -0.0934);
  EXPECT_EQ(third.axes[0].armature.value(), 0.83);
  EXPECT_EQ(third.axes[0].friction.coulomb_negative.value(), 5.57);
  EXPECT_EQ(puma.bodies[3].inertia(2, 2).value(), 0.086);
  EXPECT_EQ(puma.bodies[2].mass.value(), 17.4);
  EXPECT_EQ(puma.frame_index("tool"), 0);
}

TEST(Models, ATwistOfNinetyDegreesHasTrueZeros) {
  const Model puma = load(model_path("puma560.yaml"));
  const Pose& X = puma.joints[1].X_PJ;  // alpha = -90 deg, d = 0.2435
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double value = X.R(i, j).value();
      EXPECT_TRUE(value == 0.0 || value == 1.0 || value == -1.0) << i << j << " " << value;
    }
  }
  EXPECT_EQ(X.p.y.value(), 0.2435);  // RotX(-90 deg) TransZ(d) moves along +y
  EXPECT_EQ(X.p.z.value(), 0.0);
}

TEST(Models, ChainsAreRepeated) {
  const Model chain = load(model_path("chain_100.yaml"));
  EXPECT_EQ(chain.nv(), 100);
  EXPECT_EQ(chain.bodies[100].name, "link_100");
  EXPECT_EQ(chain.joints[99].parent, 99);
  EXPECT_DOUBLE_EQ(value_of(chain, chain.joints[99].X_PJ.p.x), 0.01);
}

TEST(Models, TheWristDefinesItsSpeeds) {
  const Model wrist = load(model_path("spherical_wrist.yaml"));
  EXPECT_EQ(wrist.speeds.definition, Speeds::Definition::from_rates);
  EXPECT_EQ(wrist.speed_names(), (std::vector<std::string>{"u1", "u2", "u3"}));
  EXPECT_EQ(wrist.parameters.size(), 6u);
  EXPECT_EQ(load(model_path("spherical_wrist_rates.yaml")).speeds.definition, Speeds::Definition::to_rates);
}

// A coin with readable angles is one body on one joint, without massless ones in between and their warnings.
TEST(Models, TheCoinIsOneBodyWithoutAWarning) {
  const Model coin = load(model_path("rolling_coin.yaml"));
  EXPECT_EQ(coin.bodies.size(), 2u);  // with the world
  EXPECT_EQ(coin.coordinate_names(), (std::vector<std::string>{"x", "y", "z", "yaw", "lean", "spin"}));
  EXPECT_TRUE(coin.warnings.empty());
}

// Model by model: pairs that may touch, stops, transitions.
TEST(Models, SayWhatTouches) {
  struct Expected {
    const char* name;
    std::size_t pairs, stops, transitions;
    Rendering rendering;
  };
  // chain_in_enclosure: of the 15 pairs of ground, 3 links and 2 boxes, link_1-link_2 and link_2-link_3 are
  // joined, link_1-link_3 is ignored.
  for (const Expected& expected : {Expected{"ramp_drop", 1, 0, 0, Rendering::rigid},
                                   {"cart_caster", 0, 0, 2, Rendering::rigid},
                                   {"box_drop", 1, 0, 0, Rendering::rigid},
                                   {"box_stack", 55, 0, 0, Rendering::stepping},
                                   {"ball_in_bowl", 1, 0, 0, Rendering::rigid},
                                   {"newtons_cradle", 10, 0, 0, Rendering::rigid},
                                   {"latch", 0, 4, 3, Rendering::rigid},
                                   {"escapement", 0, 4, 5, Rendering::rigid},
                                   {"stiff_wall", 1, 0, 0, Rendering::compliant},
                                   {"chain_in_enclosure", 12, 0, 0, Rendering::compliant},
                                   {"chain_in_enclosure_rigid", 12, 0, 0, Rendering::rigid},
                                   {"peg_in_hole", 1, 0, 0, Rendering::rigid},
                                   {"payload", 1, 0, 0, Rendering::rigid},
                                   {"many_bodies", 201 * 200 / 2, 0, 0, Rendering::stepping}}) {
    const Model model = load(model_path(std::string(expected.name) + ".yaml"));
    EXPECT_EQ(model.contact.pairs.size(), expected.pairs) << expected.name;
    EXPECT_EQ(model.contact.stops.size(), expected.stops) << expected.name;
    EXPECT_EQ(model.contact.transitions.size(), expected.transitions) << expected.name;
    for (const ContactPair& pair : model.contact.pairs)
      EXPECT_EQ(pair.law.rendering, expected.rendering) << expected.name << " " << pair.name;
  }
}

// [Clover1996, IV]: k = m w^2 and c = 2 m w of 10 kg at 25 Hz.
TEST(Models, TheStiffWallHasTheNumbersOfItsSource) {
  const Model model = load(model_path("stiff_wall.yaml"));
  const ContactLaw& law = model.contact.pairs.at(0).law;
  EXPECT_NEAR(law.stiffness, 246740.0, 0.5);  // the printed digits
  EXPECT_NEAR(law.damping, 3141.6, 0.05);
}

}  // namespace
}  // namespace tactus::describe
