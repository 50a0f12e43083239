// tactus haptic and devices, as a user meets them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "fakes/haply_bench.h"
#include "program.h"
#include "support/compare.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using nlohmann::json;

std::string notes_of(const std::string& arguments) {
  const Outcome run = tactus("haptic " + arguments + " --json");
  EXPECT_EQ(run.code, 0) << arguments << run.err;
  return run.code == 0 ? json::parse(run.out).at("notes").dump() : std::string();
}

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
       {"--arm-start 0,0,0,0,0,0", "--arm-start 1,2", "--arm-poles 3,4", "--arm-integral 60000",
        "--arm-integral 1,2", "--arm-gripper nan", "--arm-encoders 1,2", "--arm-noise 1", "--arm-bias 1",
        "--arm-friction -1", "--arm-torque 0", "--arm-torque 2", "--arm-no-load 1,2", "--arm-elasticity -30",
        "--arm-elasticity 500", "--arm-backlash 2", "--arm-encoder-phase 1"})
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

TEST(Haptic, FilesHaveWhatTheHandGot) {
  // A proxy's spring stands on the ground: nothing goes to the port, and the hand feels it all the same.
  const Folder folder;
  const Outcome run = tactus("haptic " + model("chain_in_enclosure_rigid.yaml") +
                             " --controller proxy --duration 3 --size 0.3 --json --plot " +
                             folder.path("p.svg") + " --out " + folder.path("p.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const double largest = json::parse(run.out).at("largest_force_n");
  EXPECT_GT(largest, 1.0);
  const Table table = table_of(content_of(folder.path("p.csv")));
  const std::vector<double>&x = table.at("hand_force_x"), &y = table.at("hand_force_y"),
        &z = table.at("hand_force_z");
  double found = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) found = support::larger(found, std::hypot(x[k], y[k], z[k]));
  EXPECT_NEAR(found, largest, 1e-9);
  EXPECT_EQ(content_of(folder.path("p.svg")).find("zero all the time: x, y, z"), std::string::npos);
}

TEST(Haptic, ASetupFileKeepsAllSettings) {
  const Folder folder;
  const std::string saved = folder.path("setup.yaml");
  const std::string given =
      model("four_bar.yaml") + " --duration 0.3 --hand tap --seed 7 --coupling soft --moving";
  const Outcome first =
      tactus("haptic " + given + " --save-setup " + saved + " --out " + folder.path("a.csv"));
  ASSERT_EQ(first.code, 0) << first.err;
  // What was chosen stands in it beside what was given.
  for (const char* const line : {"\ndevice: simulated:spatial\n", "\nport: middle\n", "\nrate: 1000\n"})
    EXPECT_NE(content_of(saved).find(line), std::string::npos) << content_of(saved);
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
  EXPECT_NE(error("rate: [1000]\n").find("s.yaml:1:1: error: `rate` needs one value, no list"),
            std::string::npos);
  EXPECT_NE(error("model: [1]\n").find("s.yaml:1:1: error: `model` needs one value, no list"),
            std::string::npos);
  EXPECT_NE(error("no-turning: [true]\n").find("one value, no list"), std::string::npos);
  EXPECT_NE(error("rate:\n").find("a value"), std::string::npos);
  EXPECT_NE(error("- 1\n").find("map"), std::string::npos);
  EXPECT_NE(error("rate: {a: 1}\n").find("s.yaml"), std::string::npos);
  EXPECT_NE(error("a: [1\n").find("s.yaml"), std::string::npos);
}

// The handle of a model begins where its state puts it, and a hand's intention with it.
TEST(Haptic, ASetupThatIsNoneIsRefused) {
  const Folder folder;
  for (const std::string& what : {std::string("/dev/zero"), folder.file("key.yaml", "model: a\n? [b]\n: c\n"),
                                  folder.file("none.yaml", "")}) {
    const Outcome run = tactus("haptic --setup " + what);
    EXPECT_EQ(run.code, 2) << what;
    EXPECT_NE(run.err.find(what), std::string::npos) << run.err;
  }
}

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

// A program that is killed writes nothing more: what it left on the disk is read, up to the last whole chunk, and made again to the same bits.
TEST(Haptic, AKilledRunLeavesALogThatCanBeReplayed) {
  const Folder folder;
  const std::string find = "find " + folder.path(".") + " -name \"run.mcap*.part\" -size +64k";
  const std::string command = tactus::support::program() + " haptic " + model("shopping_cart.yaml") +
                              " --realtime --late 1e6 --watchdog 0 --duration 600 --log " +
                              folder.path("run.mcap") +
                              " >/dev/null 2>&1 & p=$!; for i in $(seq 600); do sleep 0.1; [ -n \"$(" + find +
                              ")\" ] && break; done; kill -KILL $p; wait $p 2>/dev/null; true";
  ASSERT_EQ(std::system(("bash -c '" + command + "'").c_str()), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.path("run.mcap")));
  int parts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path("."))) {
    if (entry.path().extension() != ".part") continue;
    ++parts;
    const Outcome replay = tactus("replay " + entry.path().string() + " --json");
    ASSERT_EQ(replay.code, 0) << replay.err << replay.out;
    const json summary = json::parse(replay.out);
    EXPECT_GT(summary.at("ticks").get<long>(), 50) << summary;
    EXPECT_TRUE(summary.at("same").get<bool>()) << summary;
  }
  EXPECT_EQ(parts, 1);
}

// On a terminal one line is written over and over, and gone at the end; elsewhere there is none.
TEST(Haptic, SaysOnATerminalWhatItDoesRightNow) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  ASSERT_EQ(grantpt(master), 0);
  ASSERT_EQ(unlockpt(master), 0);
  const std::string terminal = ptsname(master);
  const int kept = open(terminal.c_str(), O_RDWR | O_NOCTTY);  // what is written stays there until it is read
  ASSERT_GE(kept, 0);
  const std::string run =
      "haptic " + model("shopping_cart.yaml") + " --realtime --late 1e6 --watchdog 0 --duration 0.7";
  EXPECT_EQ(std::system((tactus::support::program() + " " + run + " > /dev/null 2> " + terminal).c_str()), 0);
  fcntl(master, F_SETFL, O_NONBLOCK);
  std::string said(1 << 16, '\0');
  const ssize_t count = read(master, said.data(), said.size());
  said.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  close(kept);
  close(master);
  for (const char* what : {" of 0.7 s", " Hz", " N ", " J into the mechanism", " missed", "\r"})
    EXPECT_NE(said.find(what), std::string::npos) << what << " in " << said;
  EXPECT_EQ(tactus(run).err.find("\r"), std::string::npos);
}

TEST(Haptic, SaysWhichOptionsDoNothing) {
  const std::string cart = "haptic " + model("shopping_cart.yaml") + " --duration 0.1 --json ";
  for (const char* idle : {"--force-scale 2", "--motion-scale 2", "--kept-inertia 1", "--joint-stiffness 10",
                           "--joint-damping 10", "--damping-growth 2", "--prescribe x", "--transport 2",
                           "--late 5", "--watchdog 1", "--cpu 0"}) {
    const Outcome run = tactus(cart + idle);
    ASSERT_EQ(run.code, 0) << idle << run.err;
    EXPECT_NE(json::parse(run.out).at("notes").dump().find("does nothing here"), std::string::npos) << idle;
  }
  const Outcome none = tactus(cart);
  EXPECT_EQ(json::parse(none.out).at("notes").dump().find("does nothing"), std::string::npos) << none.out;
}

// A flag that is down in a file is no option that was given; one that is up is.
TEST(Haptic, ASavedSetUpGivesTheNotesOfItsRun) {
  const Folder folder;
  const std::string saved = folder.path("saved.yaml");
  for (const char* given : {"", " --controller penalties", " --device simulated:admittance",
                            " --hand push --force 1", " --controller prescribed --prescribe x"}) {
    const Outcome first = tactus("haptic " + model("shopping_cart.yaml") + given +
                                 " --duration 0.05 --json --save-setup " + saved);
    ASSERT_EQ(first.code, 0) << given << first.err;
    const Outcome again = tactus("haptic --json --setup " + saved);
    ASSERT_EQ(again.code, 0) << given << again.err;
    EXPECT_EQ(json::parse(first.out).at("notes"), json::parse(again.out).at("notes")) << given;
  }
  const Outcome up =
      tactus("haptic --json --setup " + folder.file("up.yaml", "model: " + model("shopping_cart.yaml") +
                                                                   "\nduration: 0.05\nno-turning: true\n"));
  ASSERT_EQ(up.code, 0) << up.err;
  EXPECT_NE(up.out.find("--no-turning does nothing here"), std::string::npos) << up.out;
}

// Coordinates that meet the constraints by themselves have no way of holding them: the same bits, and a note.
TEST(Haptic, SaysThatParametricCoordinatesNeedNoHolding) {
  const Folder folder;
  const std::string run =
      "haptic " + model("four_bar.yaml") + " --formulation parametric --duration 0.1 --out ";
  const Outcome plain = tactus(run + folder.path("plain.csv")),
                none = tactus(run + folder.path("none.csv") + " --holding none");
  ASSERT_EQ(plain.code, 0) << plain.err;
  ASSERT_EQ(none.code, 0) << none.err;
  EXPECT_EQ(content_of(folder.path("plain.csv")), content_of(folder.path("none.csv")));
  EXPECT_EQ(plain.out.find("does nothing here"), std::string::npos) << plain.out;
  EXPECT_NE(none.out.find("--holding does nothing here"), std::string::npos) << none.out;
  // Rolling is left to be held.
  const Outcome rolls = tactus("haptic " + model("disk_on_ramp.yaml") +
                               " --formulation parametric --duration 0.1 --json --holding none");
  ASSERT_EQ(rolls.code, 0) << rolls.err;
  EXPECT_EQ(rolls.out.find("does nothing here"), std::string::npos) << rolls.out;
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

// Damping of the penalties that grows with the violation: the hand gets less far off; more of it than the rate bears is refused.
TEST(Haptic, PenaltiesDampMoreWhereTheHandIsOffIfTheyAreAskedTo) {
  const std::string run = "haptic " + model("three_link_chain.yaml") +
                          " --port middle --controller penalties --device simulated:planar-force --hand tap "
                          "--duration 2 --json ";
  double lag[2] = {};
  for (const int growth : {1, 5}) {
    const Outcome outcome = tactus(run + "--damping-growth " + std::to_string(growth));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const json summary = json::parse(outcome.out);
    EXPECT_EQ(summary.at("four_channels").at("damping_growth"), growth);
    lag[growth / 5] = summary.at("largest_lag_m").get<double>();
  }
  EXPECT_GT(lag[0], 0.0);
  EXPECT_LT(lag[1], lag[0]);
  const Outcome refused = tactus(run + "--damping-growth 100");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("5000 1/s are unstable"), std::string::npos) << refused.err;
}

// Models as devices, with what is chosen for them: encoder steps that are large at the handle do not shake it until the run ends.
TEST(Haptic, ModelsAsDevicesHoldTheCartAsTheyAre) {
  for (const char* device :
       {"stewart_platform.yaml", "puma560.yaml", "ur5.yaml", "general_6r.yaml", "pantograph.yaml"}) {
    const Outcome run = tactus("haptic " + model("shopping_cart.yaml") +
                               " --json --duration 2 --device model:" + model(device));
    ASSERT_EQ(run.code, 0) << device << run.out << run.err;
    const json summary = json::parse(run.out);
    EXPECT_EQ(summary.at("notes").dump().find("gained"), std::string::npos) << device;
    EXPECT_GT(summary.at("energy_j").at("into_the_mechanism").get<double>(), 0.0) << device;
  }
}

// Limits are lowered by options, and never raised.
TEST(Haptic, LimitsMayBeLoweredAndNotRaised) {
  const std::string cart =
      "haptic " + model("shopping_cart.yaml") + " --json --duration 1 --device simulated:planar ";
  const auto largest = [&](const std::string& limits) {
    const Outcome outcome = tactus(cart + limits);
    EXPECT_EQ(outcome.code, 0) << limits << outcome.err;
    return json::parse(outcome.out).at("largest_force_n").get<double>();
  };
  constexpr double kRounding = 1e-12;
  EXPECT_GT(largest(""), 2.0);
  EXPECT_NEAR(largest("--max-force 1.5"), 1.5, 1.5 * kRounding);
  EXPECT_LT(largest("--ramp 20"), 0.5 * largest(""));  // a twentieth of it is there after a second
  const Outcome fast = tactus(cart + "--max-speed 0.001");
  EXPECT_EQ(fast.code, 1);
  EXPECT_EQ(json::parse(fast.out).at("fault"), "too_fast") << fast.out;
  for (const char* raised : {"--max-force 1e4", "--max-torque 1e4", "--max-speed 1e4"}) {
    const Outcome refused = tactus(cart + raised);
    EXPECT_EQ(refused.code, 2) << raised;
    EXPECT_NE(refused.err.find("the device's own limit is"), std::string::npos) << refused.err;
  }
}

// What is cut of a sensed force makes energy where it yields: 3 N of a gantry's 153 fed a hand 0.5 J.
TEST(Haptic, ForcesOnADeviceThatIsMovedAreNotClamped) {
  for (const char* limit : {"--max-force 10", "--max-torque 0.5"}) {
    const Outcome run =
        tactus("haptic " + model("gantry.yaml") + " --duration 0.1 --device simulated:cobot " + limit);
    EXPECT_EQ(run.code, 2) << limit;
    EXPECT_NE(run.err.find("is moved"), std::string::npos) << run.err;
  }
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

// A wrist has an end: a hand that turns a free body on and on is stopped there, and not where the device has none.
TEST(Haptic, AHandleIsNotTurnedBeyondItsWrist) {
  const Folder folder;
  const std::string hand = folder.file(
      "hand.yaml",
      "turn: [0, 0, 3*(1 - exp(-3*t))]\narm: {rotational_stiffness: 2, rotational_damping: 0.5}\n");
  const auto fault = [&](const std::string& device) {
    const Outcome run =
        tactus("haptic " + model("rigid_body.yaml") +
               " --weightless --json --duration 3 --hand file:" + hand + " --device simulated:" + device);
    return json::parse(run.out).at("fault").get<std::string>();
  };
  EXPECT_EQ(fault("spatial"), "turned_too_far");
  EXPECT_EQ(fault("admittance"), "none");  // [Faulring2006]'s disks turn on and on in it
  EXPECT_EQ(fault("ideal"), "none");
}

// What is printed in [Constantinescu2005] beside what is done here, and what is inside damped.
TEST(Haptic, FourChannelsAreAsPrintedWhereThatIsAskedFor) {
  const std::string run =
      "haptic " + model("three_link_chain.yaml") +
      " --port middle --controller penalties --device simulated:planar-force --duration 0.5 --json ";
  const Folder folder;
  const auto table = [&](const std::string& options) {
    const std::string file = folder.path("run.csv");
    const Outcome outcome = tactus(run + options + " --out " + file);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    EXPECT_EQ(outcome.out.find("does nothing"), std::string::npos) << options << outcome.out;
    return content_of(file);
  };
  const std::string usual = table("");
  EXPECT_TRUE(table("--rank mobility --rank-tolerance 1e-4") == usual);
  for (const char* other :
       {"--no-turning", "--rank jacobian", "--rank-tolerance 0.9", "--internal-damping 0.1"})
    EXPECT_TRUE(table(other) != usual) << other;
  // As printed a penalty does not fade: a direction with s between the tolerance and twice that.
  EXPECT_TRUE(table("--rank-tolerance 0.1 --no-fading") != table("--rank-tolerance 0.1"));
  for (const char* idle : {"--no-turning", "--rank jacobian", "--rank-tolerance 1e-3", "--no-fading"})
    EXPECT_NE(notes_of(model("shopping_cart.yaml") + " --duration 0.02 " + idle).find("does nothing"),
              std::string::npos)
        << idle;
  for (const char* wrong :
       {"--rank rows", "--rank-tolerance 0", "--internal-damping -1", "--internal-damping nan"})
    EXPECT_EQ(tactus(run + wrong).code, 2) << wrong;
  const Outcome refused = tactus("haptic " + model("puma560.yaml") + " --duration 0.02 --internal-damping 1");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("dry friction"), std::string::npos) << refused.err;
}

// In the model's own coordinates: the same motion as by multipliers, to what both integrate; and held by nothing it drifts until the run ends.
TEST(Haptic, ConstraintsMayBeMetInTheModelsOwnCoordinates) {
  const Folder folder;
  const std::string run =
      "haptic " + model("four_bar.yaml") + " --device simulated:admittance --duration 1 --json ";
  const auto port = [&](const std::string& options) {
    const std::string file = folder.path("run.csv");
    const Outcome outcome = tactus(run + options + " --out " + file);
    EXPECT_EQ(outcome.code, 0) << options << outcome.err;
    return table_of(content_of(file)).at("port_x");
  };
  const std::vector<double> usual = port("--formulation multipliers"), own = port("--formulation parametric");
  ASSERT_EQ(usual.size(), 1000u);
  ASSERT_EQ(own.size(), usual.size());
  constexpr double kIntegrated = 1e-6;  // [m] two ways of the same order, in a loop whose sensor rounds
  double apart = 0.0, way = 0.0;
  for (std::size_t k = 0; k < own.size(); ++k) {
    apart = support::larger(apart, std::abs(own[k] - usual[k]));
    way = support::larger(way, std::abs(own[k] - own[0]));
  }
  EXPECT_LT(apart, kIntegrated);
  EXPECT_GT(way, 1e-3);
  const Outcome none =
      tactus("haptic " + model("bricard.yaml") + " --duration 0.02 --formulation parametric");
  EXPECT_EQ(none.code, 2) << none.out;
  EXPECT_NE(
      notes_of(model("planar_3r.yaml") + " --duration 0.02 --holding none").find("--holding does nothing"),
      std::string::npos);
}

// Beyond the sensor hang 0.5 kg: neither their weight, which would push the pantograph, nor their inertia is left in what is felt.
TEST(Haptic, AToolBeyondTheSensorIsTakenOut) {
  const std::string run = "haptic " + model("pantograph.yaml") + " --json --device simulated:";
  const auto mass = [&](const std::string& arguments) {
    const Outcome outcome = tactus(run + "admittance" + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json felt = json::parse(outcome.out).at("felt");
    EXPECT_TRUE(felt.at("known").get<bool>());
    return felt.at("mass").get<double>();
  };
  constexpr double kNoise = 0.02;  // of the sensor, and a period's lag of the commanded acceleration
  EXPECT_NEAR(mass(" --tool 0.5") / mass(""), 1.0, kNoise);
  const Outcome heavy = tactus(run + "admittance --tool 50");
  EXPECT_EQ(heavy.code, 2);
  EXPECT_NE(heavy.err.find("that the sensor reads"), std::string::npos) << heavy.err;
  for (const char* device : {"planar", "cobot"}) {
    const Outcome refused = tactus(run + device + " --tool 0.5");
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("no tool can be hung on"), std::string::npos) << refused.err;
  }
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

/// The notes of a run that is well, in one.
TEST(Haptic, NotesEveryOptionThatDoesNothing) {
  const std::string cart = model("shopping_cart.yaml") + " --duration 0.02 ";
  const std::pair<const char*, const char*> kIdle[] = {
      {"--device simulated:admittance --stiffness 300", "--stiffness does nothing"},
      {"--device simulated:admittance --damping 3", "--damping does nothing"},
      {"--device simulated:admittance --coupling soft", "--coupling does nothing"},
      {"--force 3", "--force does nothing"},
      {"--hand push --size 0.1", "--size does nothing"},
      {"--seed 4", "--seed does nothing"},
      {"--transport 3", "--transport does nothing"},
      {"--late 50", "--late does nothing"},
      {"--hand stroke --size 5", "beyond the device's workspace"},
  };
  for (const auto& [options, note] : kIdle) {
    const std::string notes = notes_of(cart + options);
    EXPECT_NE(notes.find(note), std::string::npos) << options << notes;
  }
  for (const char* used :
       {"--stiffness 300 --damping 1", "--coupling soft", "--hand push --force 1", "--hand tremble --seed 4",
        "--device simulated:admittance --seed 4", "--size 0.05"})
    EXPECT_EQ(notes_of(cart + used).find("does nothing"), std::string::npos) << used;
  // A wheel turns about z, this pendulum about another axis.
  EXPECT_NE(
      notes_of(model("pendulum.yaml") + " --duration 0.02 --device simulated:wheel").find("felt as a wall"),
      std::string::npos);
}

TEST(Haptic, SaysWhatTwoRatesAreInWholeTicks) {
  const std::string cart = model("shopping_cart.yaml") + " --duration 0.1 ";
  for (const char* one :
       {"--simulation-rate 700", "--simulation-rate 5000", "--simulation-rate 1000 --transport 0.4"}) {
    const Outcome run = tactus("haptic " + cart + one + " --json");
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_FALSE(json::parse(run.out).contains("two_rates")) << one;
    EXPECT_NE(run.out.find("one rate, and no local model"), std::string::npos) << one << run.out;
  }
  const Outcome run = tactus("haptic " + cart + "--simulation-rate 300 --transport 1.6 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const json rates = json::parse(run.out).at("two_rates");
  EXPECT_EQ(rates.at("update_every_ticks"), 3);
  EXPECT_NEAR(rates.at("simulation_hz").get<double>(), 1000.0 / 3.0, 1e-9);
  EXPECT_NE(run.out.find("333.3 Hz, 2 ms late"), std::string::npos) << run.out;
  EXPECT_EQ(notes_of(cart + "--simulation-rate 250 --transport 2").find("whole ticks"), std::string::npos);
}

// What turns is in the table, and a recording turns again.
TEST(Haptic, AWheelsRunIsPlayedBackFromItsTable) {
  const Folder folder;
  const std::string wheel = folder.file("wheel.yaml", R"(
name: wheel
bodies: {disk: {mass: 1, inertia: [0.005, 0.005, 0.01]}}
joints: {turn: {type: revolute, parent: world, child: disk, axis: z, damping: 0.05}}
)");
  const std::string table = folder.path("run.csv"), again = folder.path("again.csv");
  ASSERT_EQ(tactus("haptic " + wheel + " --device simulated:wheel --duration 1 --out " + table).code, 0);
  const Outcome run = tactus("haptic " + wheel + " --device file:" + table + " --duration 1 --out " + again);
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("as its motion was recorded"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("a hand that does"), std::string::npos) << run.out;
  /// The last row.
  const auto columns = [](const std::string& path) {
    std::map<std::string, double> row;
    for (const auto& [name, values] : table_of(content_of(path))) row[name] = values.back();
    return row;
  };
  auto one = columns(table), two = columns(again);
  EXPECT_EQ(one.size(), 41u);
  EXPECT_GT(std::abs(one["handle_qz"]), 0.1);  // it was turned
  EXPECT_NEAR(two["handle_qz"], one["handle_qz"], 1e-6);
  EXPECT_GT(std::abs(two["port_qz"]), 0.1);  // and the disk with it, through another coupler
  EXPECT_NEAR(one["handle_qw"] * one["handle_qw"] + one["handle_qz"] * one["handle_qz"], 1.0, 1e-12);
}

// A driver is in real time by itself, and no simulated hand holds it. A busy machine may be too slow for it; that is said then.
TEST(Haptic, HardwareIsInRealTimeWithoutBeingAsked) {
  device::test::HaplyBench bench;
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --rate 200 --duration 0.2 --late 100000 --watchdog 0 --hand tap --json");
  const json summary = json::parse(run.out);
  EXPECT_TRUE(summary.at("realtime").get<bool>());
  EXPECT_EQ(summary.at("hand"), "a person");
  EXPECT_GT(summary.at("measured_rate_hz").get<double>(), 0.0);
  EXPECT_TRUE(summary.contains("wake"));
  const std::string notes = summary.at("notes").dump();
  EXPECT_NE(notes.find("--hand does nothing"), std::string::npos) << notes;
  EXPECT_EQ(notes.find("--late does nothing"), std::string::npos) << notes;
  if (run.code == 0) {
    EXPECT_GE(summary.at("ticks").get<int>() + summary.at("missed").get<int>(), 40);
  } else {
    EXPECT_EQ(summary.at("fault"), "wrong_rate") << run.err;
  }
}

TEST(Haptic, ADeviceThatIsSlowerThanItSaysIsRefusedWithARateThatItCanHave) {
  device::test::HaplyBench bench;
  bench.service().set([](auto& s) { s.pause = 5; });
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --duration 1 --late 100000 --watchdog 0 --json");
  EXPECT_EQ(run.code, 1) << run.out;
  EXPECT_NE(run.err.find("another rate than the loop was made for"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("give --rate "), std::string::npos) << run.err;
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("fault"), "wrong_rate");
  EXPECT_EQ(summary.at("ticks"), 0);
  EXPECT_LE(summary.at("measured_rate_hz").get<double>(), 200.0);
}

TEST(Haptic, SaysWhyADriverLostItsDevice) {
  device::test::HaplyBench bench;
  std::thread spoiler([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    bench.service().set([](auto& s) { s.says = "gibberish"; });
  });
  const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --device " + bench.name() +
                             " --rate 20 --duration 60 --late 100000 --watchdog 0 --json");
  spoiler.join();
  EXPECT_EQ(run.code, run.code == 2 ? 2 : 1) << run.out;  // 2: on a busy machine it was not even opened then
  EXPECT_NE(run.err.find("gibberish"), std::string::npos) << run.err;
}

TEST(Haptic, AnErrorOfMeaningInASetUpHasItsPlace) {
  const Folder folder;
  for (const char* wrong : {"port: nowhere", "device: simulated:nothing", "set: [nothing=3]"}) {
    const std::string setup =
        folder.file("setup.yaml", "model: " + model("shopping_cart.yaml") + "\n" + wrong + "\n");
    const Outcome run = tactus("haptic --setup " + setup);
    EXPECT_EQ(run.code, 2) << wrong;
    EXPECT_NE(run.err.find("setup.yaml:2:1: error:"), std::string::npos) << run.err;
  }
  // Those that name the option, that are about a file which a setting names, and that the library says of a model or a device.
  for (const char* wrong :
       {"device: pointer", "device: model:nope.yaml", "device: arm:nope.yaml", "device: file:nope.csv",
        "device: evdev:nope", "hand: file:nope.yaml", "hand: constant", "max-force: 1e4", "max-torque: 1e4",
        "internal-damping: 1", "arm-friction: 2", "joint-damping: 1e6", "prescribe: [x, y, z]"}) {
    const std::string setup = folder.file(
        "setup.yaml", "model: " + model("box_drop.yaml") + "\n" + wrong + "\ncontroller: " +
                          (std::string(wrong).starts_with("joint") ? "penalties" : "prescribed") + "\n");
    const Outcome run = tactus("haptic --device simulated:spatial --setup " + setup);
    const bool device = std::string(wrong).starts_with("device");  // the command line's counts more
    const Outcome alone = device ? tactus("haptic --setup " + setup) : run;
    EXPECT_EQ(alone.code, 2) << wrong;
    EXPECT_NE(alone.err.find("setup.yaml:2:1: error:"), std::string::npos) << wrong << alone.err;
    if (device) {
      EXPECT_EQ(run.err.find("setup.yaml:2:1"), std::string::npos) << wrong << run.err;
    }
  }
  const Outcome none =
      tactus("haptic --setup " + folder.file("setup.yaml", "rate: 1000\nmodel: nope.yaml\n"));
  EXPECT_NE(none.err.find("setup.yaml:2:1: error:"), std::string::npos) << none.err;
  EXPECT_NE(none.err.find("nope.yaml: there is no such file"), std::string::npos) << none.err;
  // An error inside a file that a setting names keeps its own place.
  folder.file("hand.yaml", "force: [1, 0]\n");
  const Outcome inside =
      tactus("haptic --setup " +
             folder.file("setup.yaml", "model: " + model("box_drop.yaml") + "\nhand: file:hand.yaml\n"));
  EXPECT_EQ(inside.code, 2);
  EXPECT_NE(inside.err.find("hand.yaml:1:"), std::string::npos) << inside.err;
}

// The file of a device is found from the set-up's folder, and a saved set-up works from anywhere.
TEST(Haptic, ASetUpNamesTheFileOfItsDevice) {
  const Folder folder;
  folder.file("five_bar.yaml", content_of(model("pantograph.yaml")));
  const std::string beside = folder.file(
      "setup.yaml", "model: " + model("four_bar.yaml") + "\ndevice: model:five_bar.yaml\nduration: 0.05\n");
  const std::string saved = folder.path("saved.yaml");
  ASSERT_EQ(tactus("haptic --setup " + beside + " --save-setup " + saved).code, 0);
  EXPECT_NE(content_of(saved).find("model:/"), std::string::npos) << content_of(saved);
  EXPECT_EQ(tactus("haptic --setup " + saved).code, 0);
}

}  // namespace
}  // namespace tactus::apps
