// Options of tactus haptic: limits, what is as printed, what does nothing, what is refused.
#include <gtest/gtest.h>

#include <cmath>
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
  const Outcome heavy = tactus(run + "admittance --tool 50");
  EXPECT_EQ(heavy.code, 2);
  EXPECT_NE(heavy.err.find("that the sensor reads"), std::string::npos) << heavy.err;
  for (const char* device : {"planar", "cobot"}) {
    const Outcome refused = tactus(run + device + " --tool 0.5");
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("no tool can be hung on"), std::string::npos) << refused.err;
  }
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

// Limits of the safety are options, and only ever lowered.
TEST(Haptic, LimitsAreLoweredByOptions) {
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

}  // namespace
}  // namespace tactus::apps
