// tactus simulate with contact, as a user runs it.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include <nlohmann/json.hpp>

#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;

constexpr double kGravity = 9.81;
// Free fall is a polynomial of second degree: the integrator is exact, events are located to the resolution
// of time, and what is left is rounding.
constexpr double kRounding = 1e-11;

/// A ball that falls half a metre, and bounces with e = 1/2.
const std::string kBall = R"(
name: ball
bodies:
  world: {geometry: [{shape: plane, size: [1, 1], name: floor, contact: true}]}
  ball: {mass: 1 kg, inertia: [0.004, 0.004, 0.004], geometry: [{shape: sphere, radius: 0.1, contact: true}]}
joints:
  z: {type: prismatic, parent: world, child: ball, axis: z}
frames:
  top: {body: ball, placement: {xyz: [0, 0, 0.1]}}
contact:
  pairs: {floor: {between: [world, ball], restitution: 0.5, rest_speed: 1e-4}}
initial: {q: {z: 0.6}}
)";

TEST(SimulateContact, WritesModesGapsAndForcesOfEveryPair) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("ball.yaml", kBall) + " --duration 2 --frames top " +
                             "--out " + folder.path("run.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(folder.path("run.csv")));
  ASSERT_EQ(table.at("t").size(), 2001u);
  EXPECT_EQ(table.at("floor.mode").front(), 0.0);
  EXPECT_TRUE(std::isnan(table.at("floor.gap").front()));  // half a metre away is not near
  EXPECT_EQ(table.at("floor.mode").back(), 1.0);           // touching, without friction
  EXPECT_NEAR(table.at("floor.gap").back(), 0.0, kRounding);
  EXPECT_NEAR(table.at("floor.normal").back(), kGravity, kRounding);
  EXPECT_EQ(table.at("floor.friction").back(), 0.0);
  EXPECT_EQ(table.at("contacts").back(), 1.0);
  EXPECT_NEAR(table.at("top.pz").back(), 0.2, kRounding);
  // What is gone from the energy was taken by the impacts.
  for (std::size_t i = 0; i < table.at("t").size(); ++i)
    EXPECT_NEAR(table.at("energy")[i] + table.at("impact_loss")[i], table.at("energy")[0], kRounding);
  EXPECT_NEAR(table.at("impact_loss").back(), 0.5 * kGravity, kRounding);
}

TEST(SimulateContact, WritesEveryEvent) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("ball.yaml", kBall) + " --duration 1.5 --events - ");
  ASSERT_EQ(run.code, 0) << run.err;
  const EventTable events = events_of(run.out);
  double t = std::sqrt(2.0 * 0.5 / kGravity), w = kGravity * t;
  const double end = 3.0 * t;  // t (1 + e)/(1 - e)
  ASSERT_GT(events.size(), 10u);
  for (std::size_t k = 0; k + 2 < events.size(); ++k) {
    EXPECT_EQ(events[k].kind, "impact");
    EXPECT_EQ(events[k].name, "floor");
    EXPECT_NEAR(events[k].number.at("t"), t, kRounding);
    EXPECT_NEAR(events[k].number.at("approach"), -w, kRounding);
    EXPECT_NEAR(events[k].number.at("departure"), 0.5 * w, kRounding);
    EXPECT_NEAR(events[k].number.at("impulse"), 1.5 * w, kRounding);
    EXPECT_NEAR(events[k].number.at("loss"), 0.5 * 0.75 * w * w, kRounding);
    w *= 0.5;
    t += 2.0 * w / kGravity;
  }
  EXPECT_EQ(events.back().kind, "rests");
  EXPECT_NEAR(events.back().number.at("bounce_end"), end, kRounding);
}

TEST(SimulateContact, SaysInJsonWhatBecameOfTheEnergy) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("ball.yaml", kBall) + " --duration 2 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_TRUE(summary["ok"].get<bool>());
  EXPECT_EQ(summary["contact"]["rendering"], "events");
  EXPECT_EQ(summary["contact"]["pairs"], 1);
  EXPECT_GT(summary["contact"]["impacts"].get<int>(), 10);
  EXPECT_GT(summary["contact"]["events"].get<int>(), summary["contact"]["impacts"].get<int>());
  EXPECT_NEAR(summary["contact"]["impact_loss"].get<double>(), 0.5 * kGravity, kRounding);
  EXPECT_NEAR(summary["energy"]["balance"].get<double>(), 0.0, kRounding);
}

TEST(SimulateContact, MarksEventsInThePlot) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("ball.yaml", kBall) + " --duration 1.5 --plot " +
                             folder.path("run.svg"));
  ASSERT_EQ(run.code, 0) << run.err;
  const std::string svg = content_of(folder.path("run.svg"));
  EXPECT_NE(svg.find("class=\"mark "), std::string::npos);
  for (const char* text : {">impact (", ">rests (", "floor.gap", "floor.normal", "impact_loss"})
    EXPECT_NE(svg.find(text), std::string::npos) << text;
}

TEST(SimulateContact, GivesTheSameBytesEveryTime) {
  const std::string arguments = "simulate " + model("ramp_drop.yaml") + " --duration 1 --out -";
  const Outcome first = tactus(arguments), second = tactus(arguments);
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.out, second.out);
  EXPECT_GT(first.out.size(), 10'000u);
}

TEST(SimulateContact, EquationsMadeWhileItRunsChangeNoBit) {
  const std::string arguments = "simulate " + model("ramp_drop.yaml") + " --duration 1 --step 1e-2 ";
  const Outcome never = tactus(arguments + "--out - --rederive never");
  ASSERT_EQ(never.code, 0) << never.err;
  for (const std::string when : {"background", "at_once", "before"})
    EXPECT_EQ(tactus(arguments + "--out - --rederive " + when).out, never.out) << when;
  const Outcome run = tactus(arguments + "--json --rederive at_once");
  const auto made = nlohmann::json::parse(run.out)["rederivation"];
  EXPECT_GT(made["sets_made"].get<int>(), 1);
  EXPECT_EQ(made["ticks"], 100);
  EXPECT_EQ(made["changes"], made["changes_with_code_ready"]);
}

TEST(SimulateContact, SetsMadeBeforeTheRunAreThereWhenTheyAreMet) {
  const Outcome run =
      tactus("simulate " + model("ramp_drop.yaml") + " --duration 1.5 --json --rederive before");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto made = nlohmann::json::parse(run.out)["rederivation"];
  EXPECT_GT(made["before_the_run"]["sets"].get<int>(), 2);
  EXPECT_TRUE(made["before_the_run"]["complete"].get<bool>());
  EXPECT_EQ(made["changes"], made["changes_with_code_ready"]);
  EXPECT_LE(made["ticks_on_the_general_path"].get<int>(), 1);  // the first one, before any set was looked up
}

TEST(SimulateContact, TheDiskOnTheRampBouncesSlidesAndRolls) {
  const Folder folder;
  const Outcome run = tactus("simulate " + model("ramp_drop.yaml") + " --duration 1.5 --events " +
                             folder.path("events.csv") + " --out " + folder.path("run.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const EventTable events = events_of(content_of(folder.path("events.csv")));
  const auto first = [&](const std::string& kind) {
    for (const EventLine& event : events)
      if (event.kind == kind) return event.number.at("t");
    return std::numeric_limits<double>::quiet_NaN();
  };
  const double phi = 20.0 * std::numbers::pi / 180.0;
  const double across = kGravity * std::cos(phi), along = kGravity * std::sin(phi);
  EXPECT_NEAR(first("impact"), std::sqrt(2.0 * 0.05 / across), kRounding);
  EXPECT_NEAR(first("sticks"), 2.0 / (3.0 * 0.2 * across - along), kRounding);
  const Table table = table_of(content_of(folder.path("run.csv")));
  EXPECT_EQ(table.at("ramp_disk.mode").back(), 2.0);
  EXPECT_NEAR(table.at("ramp_disk.normal").back(), across, kRounding);
  EXPECT_NEAR(table.at("ramp_disk.friction").back(), along / 3.0, kRounding);
}

TEST(SimulateContact, AScriptPullsTheDiskOff) {
  // A pull P = F t along the normal while the disk rolls: it slips when the friction that rolling needs,
  // m g sin(phi)/3, passes mu (m g cos(phi) - P), and leaves when P = m g cos(phi).
  const Folder folder;
  const double phi = 20.0 * std::numbers::pi / 180.0, rate = 4.0;
  const std::string script =
      folder.file("pull.yaml",
                  "parameters: {F: 4, a: 20 deg}\n"
                  "initial: {q: {p.y: 0.1}, qd: {p.x: 0.5, p.angle: -5}}\n"
                  "wrenches: [{frame: centre, axes: world, force: [-F*t*sin(a), 0, F*t*cos(a)]}]\n");
  const Outcome run =
      tactus("simulate " + model("ramp_drop.yaml") + " --script " + script + " --duration 3 --events -");
  ASSERT_EQ(run.code, 0) << run.err;
  double slips = 0.0, leaves = 0.0;
  for (const EventLine& event : events_of(run.out)) {
    if (event.kind == "slides") slips = event.number.at("t");
    if (event.kind == "leaves") leaves = event.number.at("t");
  }
  const double normal = kGravity * std::cos(phi), needed = kGravity * std::sin(phi) / 3.0;
  EXPECT_NEAR(slips, (normal - needed / 0.2) / rate, kRounding);
  EXPECT_NEAR(leaves, normal / rate, kRounding);
}

/// A rod that falls on the stop of its hinge at -0.5 rad, with a constraint on its rate that starts switched
/// off.
const std::string kSwing = R"(
name: swing
bodies:
  rod: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}
joints:
  a: {type: revolute, parent: world, child: rod, axis: -y, limits: [-0.5, 1]}
constraints:
  catch: {type: rates, equations: [a_dot], active: false}
contact: {stops: {restitution: 0.25}}
)";

TEST(SimulateContact, RecordsTheForceOfAStop) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("swing.yaml", kSwing) + " --duration 3 --out " +
                             folder.path("run.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(folder.path("run.csv")));
  EXPECT_NEAR(table.at("a").back(), -0.5, kRounding);
  EXPECT_NEAR(table.at("a.lower.force").back(), 0.5 * kGravity * std::cos(0.5), kRounding);
  EXPECT_EQ(table.at("a.upper.force").back(), 0.0);
  EXPECT_EQ(table.at("catch.active").back(), 0.0);
}

TEST(SimulateContact, TransitionsSwitchConstraintsOnAndOff) {
  const Folder folder;
  const std::string file = folder.file("swing.yaml", kSwing + R"(
transitions:
  catches: {when: a < -0.2, if_inactive: catch, activate: catch, once: true}
  drops: {when: t > 0.5, if_active: catch, release: catch}
)");
  const Outcome run = tactus("simulate " + file + " --duration 1 --out " + folder.path("run.csv") +
                             " --events " + folder.path("events.csv"));
  ASSERT_EQ(run.code, 0) << run.err;
  const EventTable events = events_of(content_of(folder.path("events.csv")));
  ASSERT_GE(events.size(), 2u);
  EXPECT_EQ(events[0].kind, "transition");
  EXPECT_EQ(events[0].name, "catches");
  EXPECT_EQ(events[1].name, "drops");
  EXPECT_NEAR(events[1].number.at("t"), 0.5, kRounding);
  const Table table = table_of(content_of(folder.path("run.csv")));
  EXPECT_EQ(table.at("catch.active")[400], 1.0);
  EXPECT_NEAR(table.at("lambda.catch")[400], 0.5 * kGravity * std::cos(0.2), kRounding);
  EXPECT_EQ(table.at("catch.active").back(), 0.0);
  EXPECT_GT(table.at("impact_loss").back(), 0.0);
}

TEST(SimulateContact, AssemblesLoopsFirst) {
  const Folder folder;
  std::string text = content_of(model("four_bar.yaml"));
  text += "\ncontact: {stops: {joints: [q1]}}\n";
  const std::size_t joint = text.find("q1: {type: revolute");
  ASSERT_NE(joint, std::string::npos);
  text.insert(joint + 5, "limits: [-200 deg, 200 deg], ");
  const std::string script = folder.file("turn.yaml", "tau: {q1: 0.1}\n");
  const Outcome run =
      tactus("simulate " + folder.file("bars.yaml", text) + " --script " + script + " --duration 0.2 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_LT(summary["constraints"]["worst_position_error"].get<double>(), 1e-12);
  const Outcome plain =
      tactus("simulate " + model("four_bar.yaml") + " --script " + script + " --duration 0.2 --json");
  const auto without = nlohmann::json::parse(plain.out);
  for (std::size_t i = 0; i < without["q"].size(); ++i)
    EXPECT_NEAR(summary["q"][i].get<double>(), without["q"][i].get<double>(), 1e-9);
}

TEST(SimulateContact, SteppingComesToTheSameRest) {
  const Folder folder;
  const Outcome run = tactus("simulate " + folder.file("ball.yaml", kBall) +
                             " --contact stepping --duration 2 --step 1e-3 --frames top --out " +
                             folder.path("run.csv") + " --plot " + folder.path("run.svg"));
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.out.find("time-stepping"), std::string::npos) << run.out;
  const Table table = table_of(content_of(folder.path("run.csv")));
  ASSERT_EQ(table.at("t").size(), 2001u);
  EXPECT_NEAR(table.at("z").back(), 0.1, 1e-4);  // overlaps are let be below a micrometre; first order
  EXPECT_GT(table.at("floor.mode").back(), 0.0);
  EXPECT_NEAR(table.at("floor.normal").back(), kGravity, 1e-6);
  EXPECT_EQ(table.at("contacts").back(), 1.0);
  // The normal impulses took what is gone, less what an overlap of a step's length may hide.
  EXPECT_NEAR(table.at("energy").back() + table.at("impact_loss").back(), table.at("energy")[0], 0.02);
}

TEST(SimulateContact, AModelThatAsksForSteppingGetsIt) {
  const Outcome run = tactus("simulate " + model("box_stack.yaml") + " --duration 0.05 --json");
  ASSERT_EQ(run.code, 0) << run.err;
  const auto summary = nlohmann::json::parse(run.out);
  EXPECT_EQ(summary["contact"]["rendering"], "stepping");
  EXPECT_GT(summary["contact"]["most_contacts"].get<int>(), 9);
  EXPECT_LT(summary["contact"]["deepest_overlap"].get<double>(), 1e-3);
}

TEST(SimulateContact, ChatterEndsTheRunAndKeepsWhatWasWritten) {
  const Folder folder;
  // Either of two locks gives way to the other as soon as it holds.
  const std::string file = folder.file("brake.yaml", R"(
name: swing
bodies:
  rod: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0.1, 0.1]}
joints:
  a: {type: revolute, parent: world, child: rod, axis: -y}
constraints:
  left: {type: rates, equations: [a_dot], active: false}
  right: {type: rates, equations: [a_dot], active: false}
transitions:
  grips: {when: a < -0.2, activate: left, once: true}
  rightwards: {when: abs(force.left) > 0.1, if_active: left, release: left, activate: right}
  leftwards: {when: abs(force.right) > 0.1, if_active: right, release: right, activate: left}
)");
  const Outcome run = tactus("simulate " + file + " --duration 1 --out " + folder.path("run.csv") +
                             " --events " + folder.path("events.csv") + " --plot " + folder.path("run.svg"));
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("`rightwards`"), std::string::npos) << run.err;
  EXPECT_GT(table_of(content_of(folder.path("run.csv"))).at("t").size(), 100u);
  // The tick in which they crowd did not happen, nor did its events: losses and rows belong together.
  EXPECT_EQ(events_of(content_of(folder.path("events.csv"))).size(), 0u);
  EXPECT_NE(run.err.find("`leftwards`"), std::string::npos) << run.err;
}

TEST(SimulateContact, RefusesWhatCannotBeMeant) {
  const Folder folder;
  const std::string ball = "simulate " + folder.file("ball.yaml", kBall);
  for (const std::string options :
       {" --formulation parametric", " --contact stepping --formulation projection",
        " --contact stepping --holding none", " --pairs flor", " --events /no/such/folder/events.csv",
        " --out - --events -", " --json --events -", " --integrator rk5", " --contact sometimes",
        " --contact stepping --events e.csv", " --contact stepping --integrator euler", " --step 0.3",
        " --frames nothing", " --sleep -1"}) {
    const Outcome run = tactus(ball + options);
    EXPECT_EQ(run.code, 2) << options << run.err;
    EXPECT_NE(run.err.find("error: "), std::string::npos) << options;
  }
  for (const std::string options :
       {" --contact events", " --events e.csv", " --pairs none", " --rederive never", " --sleep 0.5"}) {
    const Outcome run = tactus("simulate " + model("pendulum.yaml") + options);
    EXPECT_EQ(run.code, 2) << options;
    EXPECT_NE(run.err.find("nothing in the model touches"), std::string::npos) << run.err;
  }
  const std::string inside =
      folder.file("inside.yaml", kBall.substr(0, kBall.find("initial")) + "initial: {q: {z: 0.05}}\n");
  const Outcome run = tactus("simulate " + inside);
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("overlap"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace tactus::apps
