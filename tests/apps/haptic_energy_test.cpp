// tactus haptic: what feeds a hand or a mechanism, what is said of it, and what ends a run.
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

TEST(Haptic, SaysThatACouplerIsNotPassiveAndThatTheHandGained) {
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") + " --stiffness 1e12 --duration 1 --json");
  ASSERT_EQ(run.code, 1) << run.err;
  EXPECT_EQ(json::parse(run.out).at("fault"), "unbalanced");
  const std::string notes = json::parse(run.out).at("notes").dump();
  EXPECT_NE(notes.find("is not passive with this device"), std::string::npos) << notes;
  EXPECT_NE(notes.find("the hand gained"), std::string::npos) << notes;
  const Outcome usual = tactus("haptic " + model("shopping_cart.yaml") + " --duration 1 --json");
  EXPECT_EQ(json::parse(usual.out).at("notes").dump().find("passive"), std::string::npos) << usual.out;
}

// Dry friction is masked once, and what motors do is not taken for the hand's.
TEST(Haptic, FourChannelsWithoutAForceSensorDoNotFeedTheHand) {
  for (const char* run : {"shopping_cart.yaml --controller impedance --device simulated:spatial",
                          "four_bar.yaml --controller penalties --device simulated:planar",
                          "latch.yaml --controller impedance --device simulated:planar"}) {
    const Outcome made =
        tactus("haptic " + tactus::support::source_dir() + "/models/" + run + " --duration 4 --json");
    ASSERT_EQ(made.code, 0) << run << made.err;
    EXPECT_EQ(json::parse(made.out).at("notes").dump().find("gained"), std::string::npos) << run << made.out;
  }
}

// A quill that dry friction stops within a tick is no energy from nowhere, whatever the hand pushes with.
TEST(Haptic, DryFrictionInAnArmIsNoFaultOfItsMechanism) {
  for (const char* run :
       {"penalties --force 5", "impedance --force 5", "penalties --force 2 --coupling stiff",
        "penalties --force 5 --integrator implicit", "penalties --force 7", "coupler --force 5"}) {
    const Outcome made =
        tactus("haptic " + model("scara.yaml") + " --hand push --duration 1 --json --controller " + run);
    EXPECT_EQ(made.code, 0) << run << made.out << made.err;
  }
}

// An arm of six joints has nothing inside: no damping of it is felt.
TEST(Haptic, NoInternalDampingIsTooMuch) {
  const auto force = [](const char* name, const std::string& damping) {
    const Outcome made = tactus("haptic " + model(name) + " --weightless --duration 1 --json" + damping);
    EXPECT_EQ(made.code, 0) << name << damping << made.err;
    return made.code == 0 ? json::parse(made.out).at("largest_force_n").get<double>() : std::nan("");
  };
  // Of the force: planar_3r begins stretched, where its port hides one motion.
  constexpr double kSame = 0.01;
  for (const char* name : {"ur5.yaml", "planar_3r.yaml"}) {
    const double without = force(name, "");
    ASSERT_GT(without, 0.1) << name;
    for (const char* damping : {" --internal-damping 1e10", " --internal-damping 1e12"})
      EXPECT_NEAR(force(name, damping), without, kSame * without) << name << damping;
  }
}

double hand_work(const Outcome& run) {
  return json::parse(run.out).at("energy_j").at("given_by_the_hand").get<double>();
}

// The program's own hands, from a light slider to a platform: with the guard none of them gains more than without it.
TEST(Haptic, TheGuardFeedsNoHandOnAnAdmittanceDevice) {
  for (const char* name : {"slider_crank", "bricard", "peaucellier", "latch", "stewart_platform", "puma560"})
    for (const char* device : {"simulated:admittance", "simulated:cobot"}) {
      const std::string command =
          "haptic " + model(std::string(name) + ".yaml") + " --duration 3 --json --device " + device;
      const Outcome without = tactus(command), with = tactus(command + " --passivity");
      ASSERT_EQ(without.code, 0) << name << device << without.err;
      ASSERT_EQ(with.code, 0) << name << device << with.err;
      const double free = hand_work(without);
      EXPECT_GT(hand_work(with), free - 0.02 * std::abs(free)) << name << device;
    }
}

// Ports that are lighter than the loop bears have inertia bolted to them, and what falls is carried. With none of it rolling coins and chains are too fast within milliseconds.
TEST(Haptic, AdmittanceDevicesBearLightAndFallingMechanisms) {
  for (const char* name : {"rolling_coin", "egg", "chain_30", "general_6r", "single_track", "muscle_arm"}) {
    const Outcome run = tactus("haptic " + model(std::string(name) + ".yaml") +
                               " --duration 3 --json --device simulated:cobot");
    ASSERT_EQ(run.code, 0) << name << run.err;
    EXPECT_EQ(json::parse(run.out).at("notes").dump().find("neither the hand"), std::string::npos)
        << name << run.out;
  }
  const Outcome bare = tactus("haptic " + model("rolling_coin.yaml") +
                              " --duration 3 --json --device simulated:cobot --kept-inertia 0");
  EXPECT_EQ(bare.code, 1);
}

// Without a force sensor a stiff coordination has the hand's wrench: a heavy port is felt as its mass with that spring in series, 21.6 kg as some tenths more, and not as a damper of 20 N s/m.
TEST(Haptic, FourChannelsWithoutAForceSensorShowAHeavyMass) {
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                             " --duration 2 --json --controller penalties --device simulated:spatial");
  ASSERT_EQ(run.code, 0) << run.err;
  const json felt = json::parse(run.out).at("felt");
  EXPECT_NEAR(felt.at("mass").get<double>(), 21.6, 0.2 * 21.6) << felt;
  EXPECT_LT(std::abs(felt.at("damping").get<double>()), 5.0) << felt;
  for (const char* name : {"latch", "single_track", "bricard"})
    EXPECT_EQ(tactus("haptic " + model(std::string(name) + ".yaml") +
                     " --duration 2 --json --controller penalties --device simulated:spatial")
                  .code,
              0)
        << name;
}

// A device that is too weak for the mechanism is not what it is given by itself.
TEST(Haptic, WhatIsHeavyIsHeldWithNothingButItsName) {
  for (const char* name : {"stewart_platform", "gantry"}) {
    const Outcome run = tactus("haptic " + model(std::string(name) + ".yaml") + " --duration 4 --json");
    ASSERT_EQ(run.code, 0) << name << run.err;
    EXPECT_EQ(json::parse(run.out).at("device"), "simulated:admittance") << name;
    EXPECT_LT(json::parse(run.out).at("largest_lag_m").get<double>(), 0.02) << name;
    const Outcome floats = tactus("haptic " + model(std::string(name) + ".yaml") +
                                  " --duration 1 --json --controller penalties");
    ASSERT_EQ(floats.code, 0) << name << floats.err;
    EXPECT_NE(json::parse(floats.out).at("notes").dump().find("no weight"), std::string::npos) << name;
  }
}

// The coupler is as soft as what the local model does not know asks for; what is made nevertheless ends the run.
TEST(Haptic, TwoRatesFeedNoHand) {
  for (const char* run : {"pantograph.yaml --simulation-rate 30", "rolling_sphere.yaml --simulation-rate 30",
                          "egg.yaml --simulation-rate 30", "peg_in_hole.yaml --simulation-rate 30",
                          "pantograph.yaml --simulation-rate 500 --transport 4"}) {
    const Outcome made =
        tactus("haptic " + tactus::support::source_dir() + "/models/" + run + " --duration 6 --json");
    ASSERT_EQ(made.code, 0) << run << made.err;
    EXPECT_GT(hand_work(made), 0.0) << run;
    EXPECT_EQ(json::parse(made.out).at("notes").dump().find("gained"), std::string::npos) << run << made.out;
  }
  const Outcome stiff = tactus("haptic " + model("pantograph.yaml") +
                               " --simulation-rate 30 --stiffness 20000 --damping 0 --duration 8 --json");
  EXPECT_EQ(stiff.code, 1);
  EXPECT_EQ(json::parse(stiff.out).at("fault"), "unbalanced") << stiff.out;
  // Thirty times a second is too seldom for a crank of 7 mm that spins: the loop makes energy, and ends in its first fifth of a second. What the soft coupler holds does not hide it: the
  // hand gained 4 J in 1.5 s.
  const Outcome crank =
      tactus("haptic " + model("andrews.yaml") + " --simulation-rate 30 --duration 1.5 --json");
  EXPECT_EQ(crank.code, 1);
  EXPECT_EQ(json::parse(crank.out).at("fault"), "unbalanced") << crank.out;
  EXPECT_GT(hand_work(crank), -2.0) << crank.out;  // [J] of which its own spring gave half
}

// What the local model knows answers at once: what is held through a device without a force sensor is softer at two rates, and not by as much as if all of it were late (60 mm apart, then); a note says so. A sensed hand
// needs no spring, and a device that is moved has none. A crank that spins gets the softest.
TEST(Haptic, TwoRatesSoftenASpringByWhatIsLate) {
  struct Row {
    const char* run;
    double apart;  // [m] at most
    bool softened;
  };
  const std::string chain = "chain_in_enclosure.yaml --port distal --simulation-rate 30 --duration 5";
  for (const auto& [run, apart, softened] :
       {Row{" --controller penalties", 0.03, true}, Row{" --controller coupler", 0.03, true},
        Row{" --controller penalties --device simulated:spatial", 0.03, true},
        Row{" --controller penalties --device simulated:planar-force", 0.03, false},
        Row{" --device simulated:admittance", 0.03, false}}) {
    const Outcome made = tactus("haptic " + model(chain) + run + " --json");
    ASSERT_EQ(made.code, 0) << run << made.err;
    const json summary = json::parse(made.out);
    const std::string notes = summary.at("notes").dump();
    EXPECT_EQ(notes.find("was softened from") != std::string::npos, softened) << run << notes;
    EXPECT_EQ(notes.find("gained"), std::string::npos) << run << notes;
    EXPECT_LT(summary.at("largest_lag_m").get<double>(), apart) << run;
  }
  const auto stiffness = [](const std::string& run) {
    return json::parse(tactus("haptic " + model(run) + " --duration 0.05 --json").out)
        .at("coupler")
        .at("stiffness")
        .get<double>();
  };
  EXPECT_LT(stiffness("andrews.yaml --simulation-rate 60"),
            0.5 * stiffness("three_link_chain.yaml --simulation-rate 60"));
}

// While forces come on, what carries the weight gives to the mechanism; its energy is of an update ago, and so must that be in the books.
TEST(Haptic, AWeightThatComesOnIsNoEnergyFromNowhereAtTwoRates) {
  for (const char* rate : {"20", "30", "50"}) {
    const Outcome run =
        tactus("haptic " + model("planar_2r.yaml") + " --duration 2 --json --simulation-rate " + rate);
    EXPECT_EQ(run.code, 0) << rate << run.err;
  }
}

// A crank of 7 mm that spins turns the coupler's force faster than the clamp on its changes follows: what the clamp withholds is taken from the
// spring, so that nothing is made.
TEST(Haptic, ACrankThatOutrunsTheClampIsHeldForTheWholeRun) {
  const Outcome run = tactus("haptic " + model("andrews.yaml") + " --duration 10 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "none");
  EXPECT_EQ(summary.at("ticks"), 10000);
  EXPECT_EQ(summary.at("notes").dump().find("put in"), std::string::npos) << summary.at("notes");
}

// Through a device that shows any force no clamp keeps such a crank: at 1 kHz it turns by a radian in a tick, and the run ended within a tenth of a second. The loop takes a rate at which it turns little.
TEST(Haptic, AMechanismThatMovesFarInATickHasAFasterLoop) {
  const Outcome run =
      tactus("haptic " + model("andrews.yaml") + " --device simulated:ideal --duration 2 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("ticks"), 32000);
  EXPECT_NE(summary.at("notes").dump().find("--rate"), std::string::npos) << summary.at("notes");
  EXPECT_EQ(summary.at("notes").dump().find("put in"), std::string::npos) << summary.at("notes");
  // A clamp that holds nothing back does not slow it down: the run ended within a tenth of a second.
  for (const char* clamp : {" --max-force 60", " --max-force 3", " --max-torque 0.1"}) {
    const Outcome clamped =
        tactus("haptic " + model("andrews.yaml") + " --device simulated:ideal --duration 0.5 --json" + clamp);
    ASSERT_EQ(clamped.code, 0) << clamp << clamped.err;
    EXPECT_EQ(json::parse(clamped.out).at("ticks"), 8000) << clamp;
    EXPECT_EQ(json::parse(clamped.out).at("notes").dump().find("put in"), std::string::npos) << clamped.out;
  }
  const Outcome given =
      tactus("haptic " + model("andrews.yaml") + " --device simulated:ideal --rate 1000 --duration 1 --json");
  EXPECT_EQ(json::parse(given.out).at("fault"), "unbalanced") << given.out;
  const Outcome calm =
      tactus("haptic " + model("pendulum.yaml") + " --device simulated:ideal --duration 0.1 --json");
  ASSERT_EQ(calm.code, 0) << calm.err;
  EXPECT_EQ(json::parse(calm.out).at("ticks"), 100);
}

// What springs throw about faster than hands are has as much inertia bolted to it on an admittance device as keeps it slower: the run ended after 0.04 s, too fast.
TEST(Haptic, WhatSpringsThrowAboutIsTamedOnAnAdmittanceDevice) {
  const std::string command =
      "haptic " + model("andrews.yaml") + " --device simulated:admittance --duration 2 --json";
  const Outcome run = tactus(command);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("by itself the port goes faster than hands do"), std::string::npos) << run.out;
  EXPECT_LT(
      std::abs(hand_work(run) - json::parse(run.out).at("energy_j").at("into_the_mechanism").get<double>()),
      0.02);  // [J] of 0.9 J
  EXPECT_EQ(tactus(command + " --kept-inertia 0").code, 1);
}

// Behind a force sensor the hand's wrench is foretold, and the port is braked by what it was fed: before, 23 of these runs fed hand or mechanism, up to 9 J.
TEST(Haptic, FourChannelsThatSenseTheHandFeedNothing) {
  constexpr double kLeast = 1e-3;  // [J]
  for (const char* controller : {"impedance", "penalties"})
    for (const char* name :
         {"general_6r", "planar_2r", "joint_gallery", "latch", "puma560", "peg_in_hole", "rolling_coin",
          "egg", "bricard", "box_drop", "four_bar", "scara", "escapement", "disk_on_sphere"}) {
      const Outcome run =
          tactus("haptic " + model(std::string(name) + ".yaml") +
                 " --device simulated:ideal-force --duration 2 --json --controller " + controller);
      ASSERT_EQ(run.code, 0) << name << " " << controller << run.err;
      const json energy = json::parse(run.out).at("energy_j");
      const double hand = energy.at("given_by_the_hand").get<double>(),
                   port = energy.at("into_the_mechanism").get<double>();
      const double put_in = std::max(0.0, hand) + std::max(0.0, -port);
      constexpr double kSlight = 0.01;  // of what both put in: as the program's own note
      EXPECT_LT(port - hand, kLeast + kSlight * put_in) << name << " " << controller;
    }
}

// A coupler far beyond what the device bears, on one whose forces nothing limits: the run ends before much is made.
TEST(Haptic, AnUnstableCouplerStopsTheRun) {
  const Outcome run =
      tactus("haptic " + model("pendulum.yaml") +
             " --device simulated:ideal --weightless --stiffness 2e5 --damping 0 --duration 2 --json");
  EXPECT_EQ(run.code, 1);
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "unbalanced");
  EXPECT_GT(hand_work(run), -0.5);
  EXPECT_LT(summary.at("energy_j").at("into_the_mechanism").get<double>(), 0.5);
  // With the numbers, in words and for programs.
  EXPECT_NE(run.err.find("more energy came out"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find(" J is the limit)"), std::string::npos) << run.err;
  EXPECT_NE(summary.at("why").get<std::string>().find(" J is the limit)"), std::string::npos);
}

// The notes speak of what was asked for.
TEST(Haptic, NotesAdviseWhatIsNotDoneAlready) {
  const auto notes = [](const std::string& what) {
    const Outcome run = tactus("haptic " + tactus::support::source_dir() + "/models/" + what + " --json");
    return json::parse(run.out).at("notes").dump();
  };
  const std::string springs =
      notes("joint_gallery.yaml --device simulated:delayed --weightless --duration 1");
  EXPECT_NE(springs.find("springs or other forces"), std::string::npos) << springs;
  EXPECT_EQ(springs.find("--weightless"), std::string::npos) << springs;
  const std::string falls = notes("planar_2r.yaml --duration 3");
  EXPECT_NE(falls.find("came apart"), std::string::npos) << falls;
}

TEST(Haptic, ADeviceWithoutItsFileIsRefused) {
  for (const char* device : {"model:", "arm:", "file:"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + device);
    EXPECT_EQ(run.code, 2) << device;
    EXPECT_NE(run.err.find("names no file"), std::string::npos) << run.err;
  }
}

// A direction that cannot move at all has no inertia of which a spring could be made.
TEST(Haptic, FourChannelsHoldAPortThatCannotTurnOrMove) {
  for (const char* run : {"four_bar_ladder.yaml", "newtons_cradle.yaml", "escapement.yaml"}) {
    const Outcome made =
        tactus("haptic " + tactus::support::source_dir() + "/models/" + run +
               " --controller penalties --device simulated:ideal-force --weightless --duration 2 --json");
    EXPECT_EQ(made.code, 0) << run << made.err;
  }
}

// A mechanism that would be pushed by 4e12 N stops the loop instead.
TEST(Haptic, AnUnstableLoopIsStoppedWithItsReason) {
  const Outcome run = tactus("haptic " + model("escapement.yaml") +
                             " --controller impedance --device simulated:spatial --weightless --json");
  const json summary = json::parse(run.out);
  EXPECT_LE(summary.at("largest_force_n").get<double>(), 200.0);  // ten times what the device gives at most
  if (run.code != 0) {
    EXPECT_EQ(run.code, 1);
    EXPECT_NE(run.err.find("forces off"), std::string::npos) << run.err;
  }
}

// The pole follows from the masses; what no pole is slow enough for is refused with the reason, before the loop.
TEST(Haptic, APrescribedPortHasAPoleThatItsMassBears) {
  for (const char* name : {"shopping_cart", "three_link_chain"})
    for (const char* device : {"simulated:planar", "simulated:ideal"}) {
      const Outcome run =
          tactus("haptic " + model(std::string(name) + ".yaml") +
                 " --controller prescribed --weightless --duration 2 --json --device " + device);
      if (run.code == 2) {
        EXPECT_NE(run.err.find("times as heavy"), std::string::npos) << run.err;
        continue;
      }
      ASSERT_EQ(run.code, 0) << name << " " << device << run.err;
      const json summary = json::parse(run.out);
      EXPECT_NE(summary.at("notes").dump().find("times as heavy"), std::string::npos) << summary.at("notes");
      EXPECT_LT(summary.at("largest_lag_m").get<double>(), 0.02) << name << device;
    }
}

// What cannot move at all along the device's axes is no heavy port, but none: a wheel about z, a linkage that turns about y.
TEST(Haptic, APortThatCannotMoveIsNotPrescribed) {
  const Outcome run =
      tactus("haptic " + model("four_bar.yaml") + " --controller prescribed --device simulated:wheel");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("cannot move along or about"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("inf"), std::string::npos) << run.err;
}

// The four-bar's path turns away from every axis, and the pantograph comes to the end of its reach: what cannot be led there is held, and nothing is fed.
TEST(Haptic, APrescribedPortIsLedAlongWhatItsConstraintsAllow) {
  for (const char* how :
       {"four_bar.yaml --device simulated:planar", "four_bar.yaml --device simulated:spatial",
        "four_bar.yaml --device simulated:ideal", "pantograph.yaml --device simulated:planar",
        "pantograph.yaml --device simulated:planar --passivity",
        "pantograph.yaml --device simulated:ideal"}) {
    const Outcome run = tactus("haptic " + model(how) + " --controller prescribed --json");
    ASSERT_EQ(run.code, 0) << how << run.err;
    const json summary = json::parse(run.out);
    EXPECT_EQ(summary.at("notes").dump().find("put in"), std::string::npos) << how << summary.at("notes");
    const json& energy = summary.at("energy_j");
    EXPECT_GE(energy.at("given_by_the_hand").get<double>() - energy.at("into_the_mechanism").get<double>(),
              -1e-4)
        << how;
    // Of the four-bar's z the planar device knows nothing.
    EXPECT_LT(summary.at("largest_lag_m").get<double>(),
              std::string(how).find("four_bar.yaml --device simulated:planar") == 0 ? 0.1 : 0.02)
        << how;
  }
}

// Arms that fall out of a hand, swing under the clamps for seconds, and turn their force round again and again: it shrinks at once.
TEST(Haptic, APrescribedPortThatFallsMakesNoEnergy) {
  for (const char* how :
       {"planar_2r.yaml --duration 3", "planar_2r.yaml --duration 5", "chain_30.yaml --duration 1"}) {
    const Outcome run = tactus("haptic " + model(how) + " --controller prescribed --json");
    ASSERT_EQ(run.code, 0) << how << run.err;
    const json energy = json::parse(run.out).at("energy_j");
    EXPECT_GE(energy.at("given_by_the_hand").get<double>() - energy.at("into_the_mechanism").get<double>(),
              0.0)
        << how;
  }
}

// A loop that makes energy says so, also where the mechanism has it and not the hand, and however much the mechanism has.
TEST(Haptic, WhatTheLoopMakesIsSaidWhereverItGoes) {
  const Outcome run =
      tactus("haptic " + model("pendulum.yaml") +
             " --device simulated:ideal --weightless --stiffness 2e5 --damping 0 --duration 2 --json");
  const json summary = json::parse(run.out);
  EXPECT_NE(summary.at("notes").dump().find("nor the mechanism put in"), std::string::npos)
      << summary.at("notes");
}

// The boxes carry each other: nothing is to be held up, and quotients of roundings are no weight.
TEST(Haptic, WhatContactsCarryTheHandNeedNotHold) {
  const Outcome run = tactus("haptic " + model("box_stack.yaml") + " --duration 0.1 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("weight_n"), 0.0);
  EXPECT_EQ(summary.at("notes").dump().find("hold the mechanism up"), std::string::npos)
      << summary.at("notes");
}

std::string notes_of(const std::string& arguments) {
  const Outcome run = tactus("haptic " + tactus::support::source_dir() + "/models/" + arguments + " --json");
  return json::parse(run.out).at("notes").dump();
}

// What falls along an axis that the device does not have is no matter of stiffness.
TEST(Haptic, SaysThatNothingHoldsThePortAlongAxesThatTheDeviceDoesNotHave) {
  for (const char* run : {"latch.yaml --device simulated:wheel --duration 3",
                          "stewart_platform.yaml --device simulated:planar --duration 3"}) {
    const std::string notes = notes_of(run);
    EXPECT_NE(notes.find("N along axes that the device does not have to hold"), std::string::npos) << notes;
    EXPECT_NE(notes.find("m: along axes that the device does not have"), std::string::npos) << notes;
    EXPECT_EQ(notes.find("--coupling stiff"), std::string::npos) << notes;
  }
  const std::string fine = notes_of("shopping_cart.yaml --duration 1");
  EXPECT_EQ(fine.find("does not have"), std::string::npos) << fine;
}

// A sensor that is off by 0.1 N, or at its end, is not the loop's fault.
TEST(Haptic, TellsWhatAForceSensorMisreadsFromWhatTheLoopMakes) {
  const Folder folder;
  const std::string off =
      folder.file("off.yaml", "based_on: simulated:admittance\nforce_bias: [0.1, 0, 0]\n");
  const std::string biased = notes_of("shopping_cart.yaml --duration 3 --device " + off);
  EXPECT_NE(biased.find("by a force sensor that reads other than it is pushed"), std::string::npos) << biased;
  EXPECT_EQ(biased.find("not passive"), std::string::npos) << biased;
  const std::string end =
      notes_of("four_bar.yaml --device simulated:admittance --hand-stiffness 1e5 --duration 1");
  EXPECT_NE(end.find("the force sensor was at its end (300 N, 30 N m)"), std::string::npos) << end;
  const std::string usual = notes_of("shopping_cart.yaml --duration 3 --device simulated:admittance");
  EXPECT_EQ(usual.find("force sensor"), std::string::npos) << usual;
}

}  // namespace
}  // namespace tactus::apps
