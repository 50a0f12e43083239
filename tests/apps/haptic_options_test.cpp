// Options of tactus haptic: limits, what is as printed, what does nothing, what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "disk.h"
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

TEST(Haptic, SaysWhichOptionsDoNothing) {
  const std::string cart = "haptic " + model("shopping_cart.yaml") + " --duration 0.1 --json ";
  for (const char* idle :
       {"--force-scale 2", "--motion-scale 2", "--kept-inertia 1", "--joint-stiffness 10",
        "--joint-damping 10", "--damping-growth 2", "--handle-stiffness 100", "--handle-damping 5",
        "--prescribe x", "--transport 2", "--late 5", "--watchdog 1", "--cpu 0"}) {
    const Outcome run = tactus(cart + idle);
    ASSERT_EQ(run.code, 0) << idle << run.err;
    EXPECT_NE(json::parse(run.out).at("notes").dump().find("does nothing here"), std::string::npos) << idle;
  }
  const Outcome none = tactus(cart);
  EXPECT_EQ(json::parse(none.out).at("notes").dump().find("does nothing"), std::string::npos) << none.out;
  // Once, whatever the reasons.
  const Outcome twice = tactus("haptic " + model("three_link_chain.yaml") +
                               " --port middle --controller penalties --device simulated:planar-force "
                               "--duration 0.1 --json --coupling soft --stiffness 5 --damping 1");
  const std::string said = "--coupling does nothing here";
  const std::size_t first = twice.out.find(said);
  ASSERT_NE(first, std::string::npos) << twice.out << twice.err;
  EXPECT_EQ(twice.out.find(said, first + 1), std::string::npos) << twice.out;
}

// A spring and a damper of the handle's own: a push comes to rest on them, port and all. A spring alone,
// which comes half a period late, is noted, and so is damping that is too much for a light port.
TEST(Haptic, AHandleMayHaveASpringAndADamperOfItsOwn) {
  const Folder folder;
  const std::string block = folder.file("block.yaml",
                                        "name: block\ngravity: [0, 0, 0]\nbodies: {b: {mass: 2}}\n"
                                        "joints: {x: {type: prismatic, parent: world, child: b, "
                                        "axis: x}}\n");
  const std::string run = "haptic " + block +
                          " --controller impedance --device simulated:ideal-force --hand constant "
                          "--wrench 3,0,0 --duration 6 --json ";
  const Outcome held =
      tactus(run + "--handle-stiffness 200 --handle-damping 40 --out " + folder.path("a.csv"));
  ASSERT_EQ(held.code, 0) << held.err;
  const json summary = json::parse(held.out);
  EXPECT_EQ(summary.at("four_channels").at("handle_stiffness"), 200.0);
  EXPECT_EQ(summary.at("four_channels").at("handle_damping"), 40.0);
  EXPECT_EQ(summary.at("notes").dump().find("handle's own"), std::string::npos) << summary.at("notes");
  const Table table = table_of(content_of(folder.path("a.csv")));
  // 15 mm beyond where it was when the forces had come on, 0.35 s after the start; and the port with it.
  const std::vector<double>&x = table.at("handle_x"), &port = table.at("port_x");
  ASSERT_EQ(x.size(), 6000u);
  EXPECT_NEAR(x.back() - x[350], 3.0 / 200.0, 0.1 * 3.0 / 200.0);
  EXPECT_NEAR(port.back() - port[350], x.back() - x[350], 5e-4);
  const std::string briefly =
      block + " --controller impedance --device simulated:ideal-force --duration 0.01 ";
  EXPECT_NE(notes_of(briefly + "--handle-stiffness 200").find("--handle-damping"), std::string::npos);
  EXPECT_NE(notes_of(briefly + "--handle-damping 1e4").find("may swing up"), std::string::npos);
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
  EXPECT_NEAR(mass(" --tool 0.5,0.02,0,0.05,1e-4,2e-4,1.5e-4") / mass(""), 1.0, kNoise);
  const Outcome heavy = tactus(run + "admittance --tool 50");
  EXPECT_EQ(heavy.code, 2);
  EXPECT_NE(heavy.err.find("that the sensor reads"), std::string::npos) << heavy.err;
  const Outcome refused = tactus(run + "planar --tool 0.5");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("no tool can be hung on"), std::string::npos) << refused.err;
  const std::pair<const char*, const char*> kWrong[] = {
      {"1,2", "2 numbers"},
      {"1,0,0,0,1e-3", "5 numbers"},
      {"-1", "not negative"},
      {"nan", "is no number"},
      {"1,0,0,0,1,2,4", "more than the other two"},
      {"1,0,0,0,-1,2,2", "none is negative"},
      {"10,0,0,0.3", "weight turns with"},
  };
  for (const auto& [text, said] : kWrong)
    for (const char* option : {" --tool ", " --device arm:PUMA --arm-gripper "}) {
      std::string arguments = run + "admittance" + option + text;
      if (const std::size_t at = arguments.find("simulated:admittance --device arm:PUMA");
          at != std::string::npos) {
        if (std::string(said) == "weight turns with") continue;
        arguments.replace(at, std::string("simulated:admittance --device arm:PUMA").size(),
                          "arm:" + model("puma560.yaml"));
      }
      const Outcome wrong = tactus(arguments);
      EXPECT_EQ(wrong.code, 2) << arguments;
      EXPECT_NE(wrong.err.find(said), std::string::npos) << arguments << wrong.err;
    }
}

// What is taken out was commanded, and what is read is what truly happens, later: where the port is light
// beside the tool, inertia is bolted to it, and where that cannot be, the tool is refused.
TEST(Haptic, ATooHeavyToolForALightPortIsBorneOrRefused) {
  const std::string run = "haptic " + model("pantograph.yaml") + " --json --duration 1 --device simulated:";
  for (const char* heavy :
       {"cobot --tool 1", "cobot --tool 3,0,0,0.05,1e-3,1e-3,1e-3", "admittance --tool 5"}) {
    const Outcome outcome = tactus(run + heavy);
    EXPECT_EQ(outcome.code, 0) << heavy << outcome.err;
    EXPECT_NE(json::parse(outcome.out).at("notes").dump().find("bears with this tool"), std::string::npos)
        << heavy;
    // Without, it swings up, and the run ends.
    EXPECT_EQ(tactus(run + heavy + " --kept-inertia 0").code, 1) << heavy;
  }
  const Outcome two = tactus(run + "cobot --tool 1 --simulation-rate 200");
  EXPECT_EQ(two.code, 2) << two.out;
  EXPECT_NE(two.err.find("with two rates the port must have 2 kg"), std::string::npos) << two.err;
}

// The model's gravity is the tool's: where there is none it weighs nothing, and otherwise the wheels creep
// under it by w = tau m g/m_l, until the servo, with poles at 30 rad/s, has steered against it: w/(30 e), and
// what the passivity controller yields meanwhile.
TEST(Haptic, AToolHangsOnACobotToo) {
  const Folder folder;
  const std::string text = R"(
name: mass
gravity: [0, 0, GRAVITY]
bodies: {a: {mass: 0}, b: {mass: 0}, block: {mass: 4}}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x}
  y: {type: prismatic, parent: a, child: b, axis: y}
  z: {type: prismatic, parent: b, child: block, axis: z}
)";
  const auto with = [&](const char* gravity) {
    std::string own = text;
    own.replace(own.find("GRAVITY"), 7, gravity);
    return folder.file(std::string("mass") + gravity + ".yaml", own);
  };
  const auto run = [&](const std::string& of) {
    const std::string out = folder.path("run.csv");
    const Outcome outcome =
        tactus("haptic " + of +
               " --device simulated:cobot --hand none --weightless --duration 1 --tool 1.5 --out " + out);
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
    return table_of(content_of(out)).at("handle_z");
  };
  const std::vector<double> hanging = run(with("-9.81")), floating = run(with("0"));
  ASSERT_EQ(hanging.size(), floating.size());
  ASSERT_EQ(hanging.size(), 1000u);
  double lowest = 0.0;
  for (std::size_t k = 0; k < hanging.size(); ++k) lowest = std::min(lowest, hanging[k] - floating[k]);
  const double creep = 5e-3 * 1.5 * 9.81 / 11.0, most = creep / (30.0 * std::numbers::e);
  constexpr double kSteps = 2e-5;  // [m] of its encoders, in the difference of two
  EXPECT_LT(lowest, kSteps - most);
  EXPECT_GT(lowest, -1e-3);
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

TEST(Haptic, ALoweredSpeedLimitSaysThatTheHandleIsTooFast) {
  const Outcome run =
      tactus("haptic " + model("four_bar.yaml") + " --max-speed 0.05 --hand push --force 20 --json");
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(json::parse(run.out).at("fault"), "too_fast") << run.err;
  EXPECT_NE(run.err.find("0.05 m/s"), std::string::npos) << run.err;
}

// What LimitsMayBeLoweredAndNotRaised has not.
TEST(Haptic, RatesPowerAndWorkspaceMayBeLoweredToo) {
  const std::string cart = "haptic " + model("shopping_cart.yaml") + " --duration 1 --json ";
  const Outcome plain = tactus(cart);
  ASSERT_EQ(plain.code, 0) << plain.err;
  const double most = json::parse(plain.out).at("largest_force_n");
  // [N] The force of a coupler whose rate is a newton per second, after a second.
  const Outcome slow = tactus(cart + "--max-force-rate 1");
  ASSERT_EQ(slow.code, 0) << slow.err;
  ASSERT_GT(most, 1.5);
  EXPECT_LT(json::parse(slow.out).at("largest_force_n").get<double>(), 1.0 + 1e-9);
  const Outcome small = tactus(cart + "--workspace 0.01");
  EXPECT_EQ(small.code, 1);
  EXPECT_EQ(json::parse(small.out).at("fault"), "out_of_workspace");
  EXPECT_EQ(tactus(cart + "--workspace 0.2,0.2,0.01").code, 0);
  // What the coupler gives back to the hand is all but gone: the hand has given more.
  const auto given = [](const Outcome& run) {
    return json::parse(run.out).at("energy_j").at("given_by_the_hand").get<double>();
  };
  const Outcome weak = tactus(cart + "--max-power 1e-4");
  ASSERT_EQ(weak.code, 0) << weak.err;
  EXPECT_GT(given(weak), given(plain));
  // [W/s] A power that hardly grows is hardly given.
  const Outcome slower = tactus(cart + "--max-power-rate 1e-4");
  ASSERT_EQ(slower.code, 0) << slower.err;
  EXPECT_GT(given(slower), given(plain));
  for (const char* more :
       {"--max-power-rate 1e9", "--max-turn-speed 61", "--device simulated:spatial --workspace-angle 3",
        "--device simulated:admittance --max-power-rate 1", "--max-force-rate 1e9", "--max-torque-rate 1e9",
        "--max-power 1e9", "--workspace 100", "--workspace 1,2",
        "--device simulated:admittance --max-power 1", "--device simulated:admittance --max-force-rate 1"})
    EXPECT_EQ(tactus(cart + more).code, 2) << more;
  EXPECT_NE(
      tactus(cart + "--device simulated:wheel --max-force-rate 1").out.find("--max-force-rate does nothing"),
      std::string::npos);
}

// What turns has limits of its own; a handle that does not turn has none.
TEST(Haptic, TurningIsLimitedByOptions) {
  const Folder folder;
  const std::string wheel = "haptic " + disk_in(folder) + " --device simulated:wheel --duration 2 --json ";
  const auto fault = [&](const std::string& limit) {
    return json::parse(tactus(wheel + limit).out).at("fault").get<std::string>();
  };
  EXPECT_EQ(fault(""), "none");
  EXPECT_EQ(fault("--max-turn-speed 50 --workspace-angle 2"), "none");
  EXPECT_EQ(fault("--max-turn-speed 0.05"), "too_fast");
  EXPECT_EQ(fault("--workspace-angle 0.05"), "turned_too_far");
  for (const char* none : {"0", "-1", "4", "nan"})
    EXPECT_EQ(tactus(wheel + "--workspace-angle " + none).code, 2) << none;
  // An admittance device is not sent there.
  const Outcome moved = tactus("haptic " + model("rigid_body.yaml") +
                               " --weightless --device simulated:admittance --hand constant --wrench "
                               "0,0,0,0,0,0.5 --max-turn-speed 0.2 --duration 2 --json");
  EXPECT_EQ(moved.code, 1) << moved.err;
  EXPECT_EQ(json::parse(moved.out).at("fault"), "too_fast") << moved.err;
  EXPECT_NE(moved.err.find("0.2 rad/s is the limit"), std::string::npos) << moved.err;
  // The set-up keeps them, and a replay has them.
  const Outcome saved =
      tactus(wheel + "--max-turn-speed 0.05 --max-power-rate 3 --workspace-angle 1.5 --log " +
             folder.path("l.mcap") + " --save-setup " + folder.path("s.yaml"));
  EXPECT_EQ(saved.code, 1);
  EXPECT_NE(content_of(folder.path("s.yaml")).find("max-turn-speed: 0.05\n"), std::string::npos);
  EXPECT_EQ(json::parse(tactus("haptic --json --setup " + folder.path("s.yaml")).out).at("fault"),
            "too_fast");
  EXPECT_EQ(tactus("replay " + folder.path("l.mcap")).code, 0);
  // A handle that does not turn has no such limits.
  const std::string straight = folder.file("xy.yaml", "based_on: simulated:planar\naxes: [x, y]\n");
  const std::string notes = notes_of(model("shopping_cart.yaml") + " --duration 0.1 --device " + straight +
                                     " --max-turn-speed 3 --workspace-angle 1");
  for (const char* option : {"--max-turn-speed", "--workspace-angle"})
    EXPECT_NE(notes.find(std::string(option) + " does nothing here"), std::string::npos) << notes;
}

// Simulated time is late by roundings alone, which are no reason to switch a device off.
TEST(Haptic, HowLateATickMayBeIsAskedInRealTimeAlone) {
  EXPECT_NE(notes_of(model("shopping_cart.yaml") + " --duration 0.1 --late 1e-300")
                .find("--late does nothing here"),
            std::string::npos);
}

// No hand feels or moves a million times as much; beyond it numbers lose what they mean.
TEST(Haptic, ScalesHaveBounds) {
  for (const char* scale : {"--force-scale", "--motion-scale"})
    for (const char* value : {"1e300", "1e-300", "1e7", "0"}) {
      const Outcome run = tactus("haptic " + model("shopping_cart.yaml") + " --controller impedance " +
                                 std::string(scale) + " " + value);
      EXPECT_EQ(run.code, 2) << scale << value;
      EXPECT_NE(run.err.find("is not a number from 1e-06 to 1e+06"), std::string::npos) << run.err;
    }
}

// By the clock, the simulation in a thread of its own, its updates on their way as long as is asked for.
TEST(Haptic, TwoRatesRunByTheClock) {
  const Outcome run = tactus("haptic " + model("three_link_chain.yaml") +
                             " --port middle --realtime --late 1e6 --watchdog 0 --simulation-rate 100 "
                             "--transport 20 --duration 0.5 --json");
  const json summary = json::parse(run.out);
  EXPECT_EQ(summary.at("notes").dump().find("--transport"), std::string::npos) << summary.at("notes");
  ASSERT_TRUE(summary.contains("two_rates"));
  EXPECT_TRUE(summary.contains("wake"));
  EXPECT_TRUE(summary.contains("woken_late"));
  if (summary.at("fault") == "simulation_late") GTEST_SKIP() << "the machine was late: " << run.err;
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(summary.at("fault"), "none");
  EXPECT_GE(summary.at("two_rates").at("oldest_update_ticks").get<int>(),
            20 + 9);  // on its way, and between two
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

// A block on twelve compliant feet: a local model has room for eight contacts, and a note says how many it
// left out.
TEST(Haptic, SaysWhatALocalModelHasNoRoomFor) {
  const Folder folder;
  const auto on_feet = [&](int feet) {
    std::string text =
        "name: feet\nbodies:\n  world: {geometry: [{shape: plane, size: [2, 2], contact: true}]}\n"
        "  block:\n    mass: 0.5\n    geometry:\n";
    for (int i = 0; i < feet; ++i)
      text += "      - {shape: sphere, radius: 10 mm, contact: true, placement: {xyz: [" +
              std::to_string(0.05 * i) + ", 0, 0]}}\n";
    text +=
        "joints: {z: {type: prismatic, parent: world, child: block, axis: z}}\n"
        "contact: {defaults: {render: compliant, stiffness: 2000 N/m, damping: 10 N s/m, friction: 0}}\n"
        "initial: {q: {z: 9.9 mm}}\n";
    const Outcome run = tactus("haptic " + folder.file("feet.yaml", text) +
                               " --simulation-rate 100 --hand none --duration 0.1 --json");
    EXPECT_EQ(run.code, 0) << run.err;
    return json::parse(run.out);
  };
  const json many = on_feet(12), few = on_feet(6);
  EXPECT_EQ(many.at("two_rates").at("contacts_left_out"), 4);
  EXPECT_NE(many.at("notes").dump().find("room for the 8 nearest contacts, and up to 4 more"),
            std::string::npos)
      << many.at("notes");
  EXPECT_EQ(few.at("two_rates").at("contacts_left_out"), 0);
  EXPECT_EQ(few.at("notes").dump().find("nearest contacts"), std::string::npos) << few.at("notes");
}

}  // namespace
}  // namespace tactus::apps
