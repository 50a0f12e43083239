// tactus haptic, replay and devices, as a user meets them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

TEST(Devices, AreListedWithWhatTheyCan) {
  const Outcome text = tactus("devices");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("simulated:planar"), std::string::npos);
  const Outcome as_json = tactus("devices --json");
  ASSERT_EQ(as_json.code, 0) << as_json.err;
  const json list = json::parse(as_json.out);
  ASSERT_GE(list.size(), 4u);
  bool impedance = false, admittance = false;
  for (const json& device : list) {
    impedance |= device.at("kind") == "impedance";
    admittance |= device.at("kind") == "admittance";
    EXPECT_GT(device.at("rate_hz").get<double>(), 0.0);
  }
  EXPECT_TRUE(impedance && admittance);
}

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
  EXPECT_TRUE(summary.at("felt").at("known").get<bool>());
  EXPECT_NEAR(summary.at("felt").at("mass").get<double>(), 21.641, 0.05 * 21.641);
  EXPECT_LT(summary.at("felt").at("unexplained").get<double>(), 0.02);
}

// The slider of the crank at 120 degrees: (3 - 2 c2)/(4 sin^2 q1) = 4/3 kg, by the paper's (75). Half a second in which it hardly turns.
TEST(Haptic, APrescribedSliderIsFeltAsTheMassThatThePaperGives) {
  const Outcome run = tactus("haptic " + model("slider_crank.yaml") +
                             " --port C --controller prescribed --weightless --size 0.005 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("controller"), "prescribed");
  EXPECT_TRUE(summary.at("felt").at("known").get<bool>());
  EXPECT_NEAR(summary.at("felt").at("mass").get<double>(), 4.0 / 3.0, 0.01 * 4.0 / 3.0);
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

TEST(Haptic, AWheelTurnsTheCartWithoutFurtherOptions) {
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device simulated:wheel --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("largest_force_n"), 0.0);  // it only turns
  EXPECT_GT(summary.at("largest_torque_nm").get<double>(), 0.1);
  EXPECT_LT(summary.at("largest_torque_nm").get<double>(), 1.0);  // what it gives for ever
  const json gains = summary.at("coupler");
  EXPECT_EQ(gains.at("stiffness"), 0.0);
  EXPECT_GT(gains.at("rotational_stiffness").get<double>(), 0.0);
  // And by hand.
  const Outcome given = tactus("haptic " + model("shopping_cart.yaml") +
                               " --device simulated:wheel --stiffness 20 --duration 0.5 --json");
  ASSERT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(json::parse(given.out).at("coupler").at("rotational_stiffness"), 20.0);
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

TEST(Haptic, WritesATableAndAPictureOfTheSameRunEveryTime) {
  const Folder folder;
  const std::string arguments = "haptic " + model("shopping_cart.yaml") + " --duration 0.4 --seed 3 --out ";
  ASSERT_EQ(tactus(arguments + folder.path("a.csv") + " --plot " + folder.path("a.svg")).code, 0);
  ASSERT_EQ(tactus(arguments + folder.path("b.csv")).code, 0);
  const std::string text = content_of(folder.path("a.csv"));
  EXPECT_EQ(text, content_of(folder.path("b.csv")));
  EXPECT_EQ(text.substr(0, 10), "t,handle_x");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 401);
  EXPECT_EQ(content_of(folder.path("a.svg")).substr(0, 4), "<svg");
  const Outcome piped = tactus(arguments + "-");
  EXPECT_EQ(piped.out, text);
}

TEST(Haptic, SaysWhatIsWrongWithTheRequest) {
  const std::string cart = "haptic " + model("shopping_cart.yaml");
  for (const char* bad :
       {" --device nothing", " --port nowhere", " --controller x", " --rate 1", " --duration 0",
        " --duration nan", " --hand x", " --json --out -", " --set x=1", " --setup none.yaml"}) {
    const Outcome run = tactus(cart + bad);
    EXPECT_EQ(run.code, 2) << bad << run.out;
    EXPECT_FALSE(run.err.empty()) << bad;
  }
  EXPECT_EQ(tactus("haptic").code, 2);
  EXPECT_EQ(tactus("haptic missing.yaml").code, 2);
}

TEST(Haptic, ARobotArmIsADeviceFromTheCommandLine) {
  const Folder folder;
  const std::string cube = "haptic " + model("virtual_cube.yaml"),
                    arm = " --device arm:" + model("puma560.yaml");
  EXPECT_NE(tactus("devices").out.find("arm:FILE"), std::string::npos);
  const std::string log = folder.path("run.mcap"), setup = folder.path("setup.yaml");
  const Outcome run =
      tactus(cube + arm +
             " --duration 0.6 --size 0.05 --arm-noise 0.1,0.01 --arm-gripper 0.4,0,0,0.05 --arm-torque 0.8 "
             "--arm-no-load 4 "
             "--arm-elasticity 40,40,40,0,0,0 --arm-backlash 0.5 --arm-encoder-phase 0.3 --arm-law "
             "computed-torque --json --log " +
             log + " --save-setup " + setup);
  ASSERT_EQ(run.code, 0) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("rate_hz"), 500.0);
  EXPECT_EQ(summary.at("ticks"), 300);
  EXPECT_EQ(summary.at("why"), "");
  EXPECT_LT(summary.at("largest_lag_m").get<double>(), 5e-3);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  EXPECT_EQ(tactus("haptic --setup " + setup + " --duration 0.1").code, 0);

  // It stops by itself and says why; what cannot be is refused before.
  const Outcome pushed = tactus("haptic " + model("rigid_body.yaml") + arm + " --hand push --force 20");
  EXPECT_EQ(pushed.code, 1);
  EXPECT_NE(pushed.err.find("the device refused the command: "), std::string::npos) << pushed.err;
  for (const char* wrong :
       {"--arm-start 0,0,0,0,0,0", "--arm-start 1,2", "--arm-poles 3,4", "--arm-gripper nan",
        "--arm-encoders 1,2", "--arm-noise 1", "--arm-bias 1", "--arm-friction -1", "--arm-torque 0",
        "--arm-torque 2", "--arm-no-load 1,2", "--arm-elasticity -30", "--arm-elasticity 500",
        "--arm-backlash 2", "--arm-encoder-phase 1"})
    EXPECT_EQ(tactus(cube + arm + " " + wrong).code, 2) << wrong;
  EXPECT_EQ(tactus(cube + " --arm-friction 2").code, 2);
  EXPECT_EQ(tactus(cube + " --device arm:" + model("scara.yaml")).code, 2);
  EXPECT_EQ(tactus(cube + arm + ":nose").code, 2);
}

TEST(Haptic, NeverWritesOverItsModel) {
  const Folder folder;
  const std::string copy = folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  for (const char* option : {"--out ", "--plot ", "--log "}) {
    const Outcome run = tactus("haptic " + copy + " --duration 0.1 " + option + copy);
    EXPECT_EQ(run.code, 2) << option;
    EXPECT_EQ(content_of(copy), content_of(model("shopping_cart.yaml"))) << option;
  }
}

TEST(Haptic, StopsWithAReasonAndReplayMeetsTheSameFault) {
  const Folder folder;
  // A tick may be a microsecond late: the first seconds of no machine are as good as that.
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") +
             " --realtime --late 0.001 --watchdog 0 --duration 5 --json --log " + folder.path("run.mcap"));
  EXPECT_EQ(run.code, 1) << run.err;
  EXPECT_NE(run.err.find("forces off"), std::string::npos) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_FALSE(summary.at("ok").get<bool>());
  EXPECT_EQ(summary.at("fault"), "late");
  EXPECT_LT(summary.at("ticks").get<int>(), 5000);
  const Outcome again = tactus("replay --json " + folder.path("run.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out).at("ticks"), summary.at("ticks"));
}

TEST(Haptic, ASetupFileKeepsAllSettings) {
  const Folder folder;
  const std::string saved = folder.path("setup.yaml");
  const std::string given =
      model("four_bar.yaml") + " --duration 0.3 --hand tap --seed 7 --coupling soft --moving";
  const Outcome first =
      tactus("haptic " + given + " --save-setup " + saved + " --out " + folder.path("a.csv"));
  ASSERT_EQ(first.code, 0) << first.err;
  const Outcome again = tactus("haptic --setup " + saved + " --out " + folder.path("b.csv"));
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(content_of(folder.path("a.csv")), content_of(folder.path("b.csv")));
  // The command line counts more.
  const Outcome longer = tactus("haptic --setup " + saved + " --duration 0.4 --json");
  ASSERT_EQ(longer.code, 0) << longer.err;
  EXPECT_EQ(json::parse(longer.out).at("ticks"), 400);
  // A model beside the file.
  folder.file("m.yaml", content_of(model("four_bar.yaml")));
  const Outcome beside =
      tactus("haptic --json --setup " + folder.file("beside.yaml", "model: m.yaml\nduration: 0.1\n"));
  ASSERT_EQ(beside.code, 0) << beside.err;
  EXPECT_EQ(json::parse(beside.out).at("ticks"), 100);
}

TEST(Haptic, SaysWhereASetupFileIsWrong) {
  const Folder folder;
  const auto error = [&](const std::string& text) {
    const Outcome run =
        tactus("haptic " + model("four_bar.yaml") + " --setup " + folder.file("s.yaml", text));
    EXPECT_EQ(run.code, 2) << text;
    return run.err;
  };
  EXPECT_NE(error("duration: 0.1\nraet: 5\n").find("s.yaml:2:1"), std::string::npos);
  EXPECT_NE(error("raet: 5\n").find("rate"), std::string::npos);
  EXPECT_NE(error("rate: fast\n").find("s.yaml:1:1"), std::string::npos);
  EXPECT_NE(error("rate: 1000\nduration: 1\nrate: 2000\n").find("s.yaml:3:1"), std::string::npos);
  EXPECT_NE(error("rate: [1000, 2000]\n").find("one value"), std::string::npos);
  EXPECT_NE(error("rate:\n").find("a value"), std::string::npos);
  EXPECT_NE(error("- 1\n").find("map"), std::string::npos);
  EXPECT_NE(error("rate: {a: 1}\n").find("s.yaml"), std::string::npos);
  EXPECT_NE(error("a: [1\n").find("s.yaml"), std::string::npos);
}

// The handle of a model begins where its state puts it, and a hand's intention with it.
TEST(Haptic, AModelAsADeviceStaysWhereAHandHoldsIt) {
  for (const char* name : {"pantograph", "planar_3r", "stewart_platform", "peaucellier", "bricard"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                               " --device model:" + model(std::string(name) + ".yaml") +
                               " --stiffness 10 --hand hold --duration 0.5 --json");
    ASSERT_EQ(run.code, 0) << name << run.err;
    const json summary = json::parse(run.out);
    EXPECT_LT(summary.at("largest_lag_m").get<double>(), 1e-3) << name;
    EXPECT_NEAR(summary.at("energy_j").at("given_by_the_hand").get<double>(), 0.0, 1e-4) << name;
    EXPECT_NE(summary.at("notes").dump().find("not passive"), std::string::npos) << name;
  }
  // Without damping no stiffness is passive: one that is stable is chosen, and that is said.
  const Outcome chosen = tactus("haptic " + model("shopping_cart.yaml") +
                                " --device model:" + model("pantograph.yaml") + " --duration 2 --json");
  ASSERT_EQ(chosen.code, 0) << chosen.err;
  const json summary = json::parse(chosen.out);
  EXPECT_GT(summary.at("coupler").at("stiffness").get<double>(), 0.0);
  EXPECT_NE(summary.at("notes").dump().find("stable by its mass"), std::string::npos) << summary.at("notes");
  EXPECT_EQ(summary.at("notes").dump().find("gained"), std::string::npos) << summary.at("notes");
}

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
                               " --simulation-rate 30 --stiffness 4000 --duration 8 --json");
  EXPECT_EQ(stiff.code, 1);
  EXPECT_EQ(json::parse(stiff.out).at("fault"), "unbalanced") << stiff.out;
}

// A port that grows far lighter on its way than it was: the coupler feeds it, and the run ends before that is much.
TEST(Haptic, AMechanismThatIsFedStopsTheRun) {
  const Outcome run = tactus("haptic " + model("andrews.yaml") + " --duration 10 --json");
  EXPECT_EQ(run.code, 1);
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "unbalanced");
  EXPECT_LT(summary.at("energy_j").at("into_the_mechanism").get<double>(), 0.5);
  EXPECT_NE(run.err.find("more energy came out"), std::string::npos) << run.err;
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

// As a shell's Ctrl-C, a system that shuts down, a terminal that closes.
TEST(Haptic, AnInterruptedRunLeavesWholeFilesAndASummary) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Folder folder;
    const std::string csv = folder.path("run.csv"), log = folder.path("run.mcap"), out = folder.path("out"),
                      err = folder.path("err");
    // Interrupted once something of the table is on the disk.
    const std::string command =
        tactus::support::program() + " haptic " + model("shopping_cart.yaml") +
        " --realtime --late 1e6 --watchdog 0 --duration 600 --json --out " + csv + " --log " + log + " > " +
        out + " 2> " + err + " & p=$!; for i in $(seq 600); do sleep 0.1; [ -n \"$(find " + folder.path(".") +
        " -name \"run.csv*\" -size +0)\" ] && break; done; kill -" + signal + " $p; wait $p";
    const int status = std::system(("bash -c '" + command + "'").c_str());
    EXPECT_EQ(WEXITSTATUS(status), 1) << signal << content_of(err);
    EXPECT_NE(content_of(err).find("interrupted after"), std::string::npos) << content_of(err);
    const json summary = json::parse(content_of(out));
    EXPECT_TRUE(summary.at("interrupted").get<bool>());
    EXPECT_EQ(summary.at("fault"), "none");
    EXPECT_TRUE(std::filesystem::exists(csv));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path(".")))
      EXPECT_NE(entry.path().extension(), ".part") << entry.path();
    EXPECT_EQ(tactus("replay " + log).code, 0) << signal;
  }
}

TEST(Haptic, SaysWhichOptionsDoNothing) {
  const std::string cart = "haptic " + model("shopping_cart.yaml") + " --duration 0.1 --json ";
  for (const char* idle :
       {"--force-scale 2", "--motion-scale 2", "--joint-stiffness 10", "--joint-damping 10", "--prescribe x",
        "--transport 2", "--late 5", "--watchdog 1", "--cpu 0"}) {
    const Outcome run = tactus(cart + idle);
    ASSERT_EQ(run.code, 0) << idle << run.err;
    EXPECT_NE(json::parse(run.out).at("notes").dump().find("does nothing here"), std::string::npos) << idle;
  }
  const Outcome none = tactus(cart);
  EXPECT_EQ(json::parse(none.out).at("notes").dump().find("does nothing"), std::string::npos) << none.out;
}

TEST(Haptic, NeverPrintsWhatIsNoNumber) {
  const Folder folder;
  const std::string csv = folder.path("run.csv");
  ASSERT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.3 --out " + csv).code, 0);
  const Outcome played =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.2 --device file:" + csv);
  EXPECT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(played.out.find("nan"), std::string::npos) << played.out;
  EXPECT_NE(played.out.find("not known"), std::string::npos) << played.out;
  EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --force 1e300 --hand tremble").code, 2);
  EXPECT_EQ(tactus("haptic " + model("shopping_cart.yaml") + " --device haply:99999").code, 2);
  const Outcome slow = tactus("haptic " + model("shopping_cart.yaml") + " --simulation-rate 1");
  EXPECT_EQ(slow.code, 2);
  EXPECT_NE(slow.err.find("at least 2 Hz"), std::string::npos) << slow.err;
}

TEST(Haptic, DrawsTheTimesOfTheLoop) {
  const Folder folder;
  const std::string picture = folder.path("times.svg");
  const Outcome run =
      tactus("haptic " + model("shopping_cart.yaml") + " --duration 0.3 --histogram " + picture);
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string svg = content_of(picture);
  EXPECT_NE(svg.find("<svg"), std::string::npos);
  EXPECT_NE(svg.find("ticks that took so long"), std::string::npos);
  EXPECT_NE(svg.find("300 ticks"), std::string::npos);
}

class Replayed : public ::testing::TestWithParam<std::string> {};

TEST_P(Replayed, EveryRunHasTheSameBits) {
  const Folder folder;
  const std::string log = folder.path("run.mcap");
  const Outcome run =
      tactus("haptic " + tactus::support::source_dir() + "/models/" + GetParam() + " --log " + log);
  ASSERT_EQ(run.code, 0) << run.err;
  const Outcome again = tactus("replay " + log + " --json");
  ASSERT_EQ(again.code, 0) << again.err << again.out;
  const json result = json::parse(again.out);
  EXPECT_TRUE(result.at("same").get<bool>());
  EXPECT_TRUE(result.at("whole").get<bool>());
  EXPECT_EQ(result.at("different"), 0);
  // In real time a busy machine leaves periods out.
  EXPECT_GE(result.at("ticks").get<int>(), GetParam().find("--realtime") == std::string::npos ? 300 : 1);
}
INSTANTIATE_TEST_SUITE_P(
    Haptic, Replayed,
    testing::Values("shopping_cart.yaml --duration 0.3",
                    "four_bar.yaml --duration 0.3 --device simulated:admittance",
                    "planar_3r.yaml --duration 0.3 --controller penalties",
                    "stewart_platform.yaml --duration 0.3 --hand tremble",
                    "chain_in_enclosure.yaml --duration 0.5 --moving",
                    "shopping_cart.yaml --duration 0.3 --set m_B=20 --passivity",
                    "shopping_cart.yaml --duration 0.3 --simulation-rate 100 --transport 5",
                    "shopping_cart.yaml --duration 0.3 --realtime --late 100000 --watchdog 0"),
    [](const auto& test) { return std::to_string(test.index); });

TEST(Replay, RefusesWhatIsNoFile) {
  const Folder folder;
  const std::string fifo = folder.path("fifo");
  ASSERT_EQ(std::system(("mkfifo '" + fifo + "'").c_str()), 0);
  for (const std::string& path : {folder.path("."), std::string("/dev/zero"), fifo}) {
    const Outcome run = tactus("replay " + path);
    EXPECT_EQ(run.code, 2) << path;
    EXPECT_NE(run.err.find("is no file"), std::string::npos) << run.err;
  }
}

// The log names the model by the way that was given, here from within its folder.
TEST(Replay, UsesTheLogsOwnModelWhereverItWasMade) {
  const Folder folder;
  folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  const std::string inside = "cd '" + folder.path(".") + "' && ";
  ASSERT_EQ(std::system((inside + tactus::support::program() +
                         " haptic cart.yaml --duration 0.2 --log run.mcap > out 2> err")
                            .c_str()),
            0);
  std::filesystem::remove(folder.path("cart.yaml"));
  const Outcome again = tactus("replay " + folder.path("run.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("log's own copy"), std::string::npos) << again.out;
}

TEST(Replay, FindsTheFirstBitThatDiffers) {
  const Folder folder;
  const std::string copy = folder.file("cart.yaml", content_of(model("shopping_cart.yaml")));
  const std::string log = folder.path("run.mcap");
  ASSERT_EQ(tactus("haptic " + copy + " --duration 0.2 --log " + log).code, 0);
  // The model changes after the run: the log has its own copy.
  std::string text = content_of(copy);
  folder.file("cart.yaml", text + "\n# changed\n");
  Outcome again = tactus("replay " + log);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("log's own copy"), std::string::npos) << again.out;
  std::filesystem::remove(copy);
  EXPECT_EQ(tactus("replay " + log).code, 0);
  // A log that was cut off.
  const std::string bytes = content_of(log);
  folder.file("cut.mcap", bytes.substr(0, bytes.size() - 40));
  again = tactus("replay " + folder.path("cut.mcap"));
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("cut off"), std::string::npos) << again.out;
  // One that was changed.
  std::string changed = bytes;
  changed[changed.find("port_F") + 1] ^= 1;
  folder.file("changed.mcap", changed);
  EXPECT_EQ(tactus("replay " + folder.path("changed.mcap")).code, 2);
  EXPECT_EQ(tactus("replay " + model("four_bar.yaml")).code, 2);
  EXPECT_EQ(tactus("replay").code, 2);
}

}  // namespace
}  // namespace tactus::apps
