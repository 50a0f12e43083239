// tactus haptic, as a user meets it: what a hand feels, and what is said of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "program.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

TEST(Haptic, EveryModelThatCanBeHeldDoesSomethingWithNothingButItsName) {
  for (const char* name : {"shopping_cart", "four_bar", "pantograph", "slider_crank", "stewart_platform"}) {
    const Outcome run = tactus("haptic " + model(std::string(name) + ".yaml") + " --duration 0.5 --json");
    ASSERT_EQ(run.code, 0) << name << run.err;
    const json summary = json::parse(run.out);
    EXPECT_TRUE(summary.at("ok").get<bool>()) << name;
    EXPECT_EQ(summary.at("ticks"), 500) << name;
    EXPECT_EQ(summary.at("missed"), 0) << name;
    EXPECT_GT(summary.at("largest_force_n").get<double>(), 0.0) << name;
  }
}

// With nothing but its name: the cart is led to and fro by forces that the device has, and is felt as what it is.
TEST(Haptic, TheCartFollowsTheHand) {
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("device"), "simulated:planar");
  // A stroke of 0.1 m in a second asks 22 kg for 5.8 m/s^2 of it at most, 12.5 N; the arm's lag rounds that off.
  EXPECT_GT(summary.at("largest_force_n").get<double>(), 5.0);
  EXPECT_LT(summary.at("largest_force_n").get<double>(), 15.0);  // half of what the device gives
  // The coupler's 4000 N/m under that force.
  EXPECT_LT(summary.at("largest_lag_m").get<double>(), 15.0 / 4000.0);
  // Along b1 it has 21.641 kg while its caster is as at first; that turns a little.
  EXPECT_TRUE(summary.at("mechanism_at_port").at("known").get<bool>());
  EXPECT_NEAR(summary.at("mechanism_at_port").at("mass").get<double>(), 21.641, 0.05 * 21.641);
  EXPECT_LT(summary.at("mechanism_at_port").at("unexplained").get<double>(), 0.02);
}

// Scales are in what the hand feels; the mechanism is the same behind them.
TEST(Haptic, WhatIsFeltIsWhatTheHandHasInItsHand) {
  const std::string cart =
      "haptic " + model("shopping_cart.yaml") +
      " --duration 6 --controller penalties --device simulated:ideal-force --json --force-scale ";
  for (const auto& [scale, least, most] :
       {std::tuple{0.1, 2.0, 2.4}, {1.0, 20.5, 22.5}, {10.0, 200.0, 235.0}}) {
    const Outcome run = tactus(cart + std::to_string(scale));
    ASSERT_EQ(run.code, 0) << run.err;
    const json summary = json::parse(run.out), felt = summary.at("felt");
    EXPECT_TRUE(felt.at("known").get<bool>()) << scale;
    EXPECT_GT(felt.at("mass").get<double>(), least) << scale;
    EXPECT_LT(felt.at("mass").get<double>(), most) << scale;
    EXPECT_NEAR(summary.at("mechanism_at_port").at("mass").get<double>(), 21.641, 0.05 * 21.641) << scale;
    // Ten times 21.6 kg on a handle of 0.2 kg at 1 kHz: a damper of 400 to 800 N s/m stood in series, before the hand was foretold.
    EXPECT_LT(std::abs(felt.at("damping").get<double>()), 100.0) << scale;
  }
}

// The slider of the crank at 120 degrees: (3 - 2 c2)/(4 sin^2 q1) = 4/3 kg, by the paper's (75). Half a second in which it hardly turns.
// A mass of 10 kg that strikes a wall: neither is numbers. In JSON the keys are the same.
TEST(Haptic, SaysWhereNoMassDamperAndSpringExplainWhatIsFelt) {
  const std::string wall = model("stiff_wall.yaml") + " --duration 2";
  const Outcome text = tactus("haptic " + wall), run = tactus("haptic " + wall + " --json");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("no mass, damper and spring explain it"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("apparent mass at the start 10 kg"), std::string::npos) << text.out;
  const json summary = json::parse(run.out);
  const json free = json::parse(tactus("haptic " + model("sleigh.yaml") + " --duration 2 --json").out);
  for (const char* which : {"felt", "mechanism_at_port"}) {
    const json &felt = summary.at(which), &known = free.at(which);
    EXPECT_FALSE(felt.at("known").get<bool>());
    EXPECT_TRUE(felt.at("told_apart").get<bool>());
    EXPECT_GT(felt.at("unexplained").get<double>(), 0.3);
    EXPECT_TRUE(known.at("known").get<bool>());
    EXPECT_LT(known.at("unexplained").get<double>(), 0.3);
    for (const char* key : {"mass", "damping", "stiffness"}) {
      EXPECT_TRUE(felt.at(key).is_null()) << key;
      EXPECT_TRUE(felt.at("standard_errors").at(key).is_null()) << key;
      EXPECT_TRUE(known.at(key).is_number()) << key;
      EXPECT_GT(known.at("standard_errors").at(key).get<double>(), 0.0) << key;
    }
  }
}

TEST(Haptic, APrescribedSliderIsFeltAsTheMassThatThePaperGives) {
  const Outcome run = tactus("haptic " + model("slider_crank.yaml") +
                             " --port C --controller prescribed --weightless --size 0.005 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("controller"), "prescribed");
  EXPECT_TRUE(summary.at("mechanism_at_port").at("known").get<bool>());
  EXPECT_NEAR(summary.at("mechanism_at_port").at("mass").get<double>(), 4.0 / 3.0, 0.01 * 4.0 / 3.0);
  // In the hand with the handle's own 0.2 kg; the pole of the acceleration, 200 rad/s, takes a little of it.
  EXPECT_TRUE(summary.at("felt").at("known").get<bool>());
  EXPECT_NEAR(summary.at("felt").at("mass").get<double>(), 4.0 / 3.0 + 0.2, 0.03 * (4.0 / 3.0 + 0.2));
  const Outcome refused =
      tactus("haptic " + model("slider_crank.yaml") + " --port C --controller prescribed --prescribe x,z");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("fewer freedoms"), std::string::npos) << refused.err;
}

TEST(Haptic, APassiveMechanismMeetsContactsAndGivesNothing) {
  for (const char* rate : {"1000", "200"}) {
    const Outcome run = tactus("haptic " + model("peg_in_hole.yaml") +
                               " --integrator passive --hand circle --json --rate " + rate);
    ASSERT_EQ(run.code, 0) << run.err;
    const json summary = json::parse(run.out);
    EXPECT_GT(summary.at("largest_force_n").get<double>(), 0.1);
  }
  const Outcome refused = tactus("haptic " + model("chain_in_enclosure.yaml") + " --integrator passive");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("compliant"), std::string::npos) << refused.err;
}

TEST(Haptic, SaysThatTheDeviceCannotHoldTheWeight) {
  const std::string platform =
      "haptic " + model("stewart_platform.yaml") + " --device simulated:spatial --duration 0.5 --json";
  const Outcome falls = tactus(platform), floats = tactus(platform + " --weightless");
  ASSERT_EQ(falls.code, 0) << falls.err;
  ASSERT_EQ(floats.code, 0) << floats.err;
  const json heavy = json::parse(falls.out), light = json::parse(floats.out);
  EXPECT_GT(heavy.at("weight_n").get<double>(), 8.0);  // what the device gives
  EXPECT_NE(heavy.at("notes").dump().find("--weightless"), std::string::npos);
  EXPECT_EQ(light.at("weight_n"), 0.0);
  EXPECT_EQ(light.at("notes").dump().find("--weightless"), std::string::npos);
  EXPECT_LT(light.at("largest_lag_m").get<double>(), 0.1 * heavy.at("largest_lag_m").get<double>());
}

TEST(Haptic, AWeightlessModelWhoseSpringsPushIsHeldAndLogged) {
  const Folder folder;
  const Outcome run =
      tactus("haptic " + model("joint_gallery.yaml") +
             " --controller penalties --weightless --duration 0.05 --log " + folder.path("a.mcap"));
  EXPECT_NE(run.code, 3) << run.err;
  EXPECT_EQ(run.err.find("internal"), std::string::npos) << run.err;
}

// A planar handle cannot go along the arm's easiest way, which leaves its plane: what is felt, and the picture, are along what is left of it.
TEST(Haptic, WhatIsFeltIsAlongAWayThatTheDeviceHas) {
  const Folder folder;
  struct Way {
    double x = 0.0, y = 0.0, z = 0.0;
    std::string title;
  };
  const auto felt = [&](const std::string& device) {
    const std::string plot = folder.path("p.svg");
    const Outcome run =
        tactus("haptic " + model("ur5.yaml") + " --weightless --duration 1 --controller penalties --device " +
               device + " --plot " + plot);
    EXPECT_EQ(run.code, 0) << run.err;
    const std::string text = content_of(plot);
    const std::size_t from = std::min(text.find("way along ("), text.size());
    Way way;
    way.title = text.substr(from, text.find('<', from) - from);
    EXPECT_EQ(std::sscanf(way.title.c_str(), "way along (%lf %lf %lf)", &way.x, &way.y, &way.z), 3)
        << way.title;
    const std::string printed = way.title.substr(0, way.title.find(')'));
    EXPECT_NE(
        run.out.find("felt at the handle along" + printed.substr(std::min<std::size_t>(9, printed.size()))),
        std::string::npos)
        << printed << run.out;
    constexpr double kDigits = 0.01;  // two are printed
    EXPECT_NEAR(way.x * way.x + way.y * way.y + way.z * way.z, 1.0, 3.0 * kDigits) << way.title;
    return way;
  };
  const Way free = felt("simulated:ideal-force"), planar = felt("simulated:planar-force");
  EXPECT_EQ(free.title.find("the device's easiest"), std::string::npos) << free.title;
  EXPECT_GT(std::abs(free.z), 0.5);
  EXPECT_NE(planar.title.find("the device's easiest"), std::string::npos) << planar.title;
  EXPECT_EQ(planar.z, 0.0);
  EXPECT_NEAR(planar.x * free.y, planar.y * free.x, 0.02);  // the same way, seen in the plane
}

// Ports that are lighter than the handle: part of its inertia stays felt, and neither a hand that is observed nor one that is sensed is fed. All of it masked, the egg feeds the hand.
TEST(Haptic, FourChannelsFeedNoHandThroughALightPort) {
  const auto notes = [&](const std::string& arguments) {
    const Outcome outcome =
        tactus("haptic --json --duration 3 --controller penalties --device simulated:" + arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << outcome.err;
    return json::parse(outcome.out).at("notes").dump();
  };
  for (const std::string& run :
       {"planar " + model("egg.yaml"), "spatial " + model("egg.yaml"), "spatial " + model("chain_30.yaml"),
        "ideal-force " + model("chain_30.yaml")}) {
    const std::string said = notes(run);
    EXPECT_NE(said.find("stay felt"), std::string::npos) << run << said;
    EXPECT_EQ(said.find("gained"), std::string::npos) << run << said;
  }
  EXPECT_NE(notes("spatial --kept-inertia 0 " + model("egg.yaml")).find("gained"), std::string::npos);
}

// A hand that pushes through a clamp while forces come on feeds the port what the motors do not give: 76 J in a quarter of a second before it ended.
TEST(Haptic, FourChannelsMakeNoMoreInTheRampThanEver) {
  const Outcome run = tactus(
      "haptic " + model("shopping_cart.yaml") +
      " --json --device simulated:planar-force --controller penalties --hand push --force 20 --max-force 1");
  EXPECT_EQ(run.code, 1);
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "unbalanced") << run.out;
  const json energy = summary.at("energy_j");
  constexpr double kMost = 1.0, kOneTick = 0.5;  // [J] that any loop may make; 300 N on the port at 1.5 m/s
  EXPECT_LT(energy.at("into_the_mechanism").get<double>() - energy.at("given_by_the_hand").get<double>(),
            kMost + kOneTick);
}

// No step of such a mechanism fails, and yet there is a reason.
TEST(Haptic, AMechanismWithoutAnAnswerSaysWhy) {
  const Outcome run = tactus("haptic " + model("rolling_coin.yaml") +
                             " --json --device simulated:planar --controller prescribed");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.out.find("all is well"), std::string::npos) << run.out;
}

// A disk of 0.02 kg m^2 through a wheel: no mass of 1e12 kg, and what is felt is felt about the axis.
TEST(Haptic, AWheelIsFeltAboutItsAxis) {
  const Folder folder;
  const std::string disk =
      folder.file("disk.yaml",
                  "name: disk\ngravity: [0, 0, 0]\nbodies: {disk: {mass: 1, inertia: [0.02, 0.02, 0.02]}}\n"
                  "joints: {q: {type: revolute, parent: world, child: disk, axis: z}}\n");
  const Outcome run = tactus("haptic " + disk + " --device simulated:wheel --json"),
                text = tactus("haptic " + disk + " --device simulated:wheel");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out), port = summary.at("mechanism_at_port");
  EXPECT_TRUE(summary.at("apparent_mass").is_null());
  EXPECT_NEAR(summary.at("apparent_inertia").get<double>(), 0.02, 1e-9);
  EXPECT_TRUE(port.at("turning").get<bool>());
  EXPECT_NEAR(port.at("inertia").get<double>(), 0.02, 1e-6);
  EXPECT_NEAR(summary.at("felt").at("inertia").get<double>(), 0.02 + 0.03,
              0.1 * 0.05);  // with the wheel's own
  EXPECT_NE(text.out.find("felt at the handle about (0.00 0.00 1.00)"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("e+12"), std::string::npos) << text.out;
}

TEST(Haptic, PenaltiesThatSwingUpAreNotedAndTheRemedyIsNamed) {
  const std::string chain = "haptic " + model("three_link_chain.yaml") +
                            " --port middle --controller penalties --device simulated:planar-force "
                            "--duration 3 --joint-stiffness ";
  const Outcome stable = tactus(chain + "50000"), wild = tactus(chain + "99000"),
                tame = tactus(chain + "99000 --passivity --json");
  EXPECT_EQ(stable.code, 0) << stable.err;
  EXPECT_EQ(stable.out.find("swing up"), std::string::npos) << stable.out;
  EXPECT_EQ(wild.code, 1);
  EXPECT_NE(wild.out.find("swing up"), std::string::npos) << wild.out;
  EXPECT_NE(wild.out.find("stable up to --joint-stiffness"), std::string::npos) << wild.out;
  for (const char* remedy : {"--passivity", "--joint-stiffness", "--joint-damping"})
    EXPECT_NE(wild.err.find(remedy), std::string::npos) << wild.err;
  EXPECT_EQ(tame.code, 0) << tame.err;  // for so long
  EXPECT_GT(json::parse(tame.out).at("energy_j").at("taken_by_the_passivity_controller").get<double>(), 0.0);
}

// Handle and port go ways that differ by the scale: that is not apart.
TEST(Haptic, AScaledMotionIsNotApart) {
  const Outcome run = tactus("haptic " + model("three_link_chain.yaml") +
                             " --controller penalties --device simulated:ideal-force --motion-scale 0.1 "
                             "--size 0.02 --duration 2 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_LT(summary.at("largest_lag_m").get<double>(), 0.005);
  EXPECT_EQ(summary.at("notes").dump().find("came apart"), std::string::npos) << summary.at("notes");
}

TEST(Haptic, SaysWhatAProxyHasAndWhereADeviceCannotBeMoved) {
  const Outcome proxy =
      tactus("haptic " + model("peg_in_hole.yaml") + " --controller proxy --stiffness 40000 --duration 0.1");
  EXPECT_EQ(proxy.code, 0) << proxy.err;
  EXPECT_NE(proxy.out.find("a proxy's spring of 4e+04 N/m is not passive"), std::string::npos) << proxy.out;
  EXPECT_EQ(proxy.out.find("a coupler of"), std::string::npos) << proxy.out;
  for (const char* name : {"flexible_3r.yaml", "andrews.yaml"}) {
    const Outcome run = tactus("haptic " + model("planar_2r.yaml") + " --device model:" + model(name));
    EXPECT_EQ(run.code, 2) << name;
    EXPECT_EQ(run.err.find("neither damping nor mass"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("cannot be moved"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("`initial`"), std::string::npos) << run.err;
  }
}

TEST(Haptic, RotationsOfACouplerAndOfAHandHaveGainsOfTheirOwn) {
  const std::string cart =
      "haptic " + model("shopping_cart.yaml") + " --device simulated:spatial --duration 0.2 ";
  const Outcome run = tactus(
      cart + "--rotational-stiffness 2 --rotational-damping 0.001 --hand-rotational-stiffness 3 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("coupler").at("rotational_stiffness"), 2.0);
  EXPECT_EQ(summary.at("coupler").at("rotational_damping"), 0.001);
  EXPECT_EQ(summary.at("notes").dump().find("does nothing"), std::string::npos) << summary.at("notes");
  const Outcome idle = tactus(cart +
                              "--controller penalties --rotational-stiffness 2 --hand none "
                              "--hand-rotational-damping 1");
  EXPECT_NE(idle.out.find("--rotational-stiffness does nothing here"), std::string::npos) << idle.out;
  EXPECT_NE(idle.out.find("--hand-rotational-damping does nothing here"), std::string::npos) << idle.out;
}

}  // namespace
}  // namespace tactus::apps
