// Where a motion begins: what assembly changes is said, what is fixed stays, what does not fit is noticed.
#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "program.h"
#include "table.h"

namespace tactus::apps {
namespace {

using namespace test;
using Json = nlohmann::json;

/// A coin that rolls: x and spin given as if it rolled the other way.
const std::string kCoin = R"(name: coin
parameters: {m: 8 g, R: 13 mm}
bodies:
  a: {mass: 0}
  b: {mass: 0}
  c: {mass: 0}
  d: {mass: 0}
  e: {mass: 0}
  coin: {mass: m, inertia: [m*R^2/4, m*R^2/4, m*R^2/2]}
joints:
  x: {type: prismatic, parent: world, child: a, axis: x}
  y: {type: prismatic, parent: a, child: b, axis: y}
  z: {type: prismatic, parent: b, child: c, axis: z}
  yaw: {type: revolute, parent: c, child: d, axis: z}
  lean: {type: revolute, parent: d, child: e, axis: x, placement: {rpy: [90 deg, 0, 0]}}
  spin: {type: revolute, parent: e, child: coin, axis: z}
constraints:
  roll: {type: rolling, kind: disk_on_plane, b: coin, radius: R}
)";
const std::string kWrongWay =
    "initial:\n  q: {z: R*cos(5 deg), lean: 5 deg}\n  u: {spin: 60, x: 60*R, yaw: 0}\n";
constexpr double kRadius = 0.013, kLean = 5.0 * M_PI / 180.0;
/// Projections of speeds of 60 rad/s leave rounding.
constexpr double kRounding = 1e-12;

Json change_of(const Json& summary, const std::string& name, const std::string& of) {
  for (const Json& change : summary["constraints"]["initial_changes"])
    if (change["name"] == name && change["of"] == of) return change;
  return {};
}

TEST(Initial, EveryChangeOfAssemblyIsSaidWithItsSize) {
  const Folder folder;
  const std::string coin = folder.file("coin.yaml", kCoin + kWrongWay);
  const Outcome words = tactus("simulate " + coin + " --duration 0.01");
  EXPECT_EQ(words.code, 0) << words.err;
  EXPECT_NE(words.out.find("speed `spin` 60 -> -20 (by -80)"), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("speed `x` 0.78 -> 0.26 (by -0.52)"), std::string::npos) << words.out;
  const Outcome run = tactus("simulate " + coin + " --duration 0.01 --json");
  const Json summary = Json::parse(run.out);
  const Json spin = change_of(summary, "spin", "u");
  ASSERT_TRUE(spin.is_object()) << run.out;
  EXPECT_EQ(spin["from"], 60.0);
  EXPECT_NEAR(spin["to"].get<double>(), -20.0, 1e-9);  // least in the metric of M: I spin + m R^2 spin
  EXPECT_TRUE(spin["given"].get<bool>());
}

TEST(Initial, NothingIsSaidWhereNothingChanges) {
  const Outcome run = tactus("simulate " + model("pendulum.yaml") + " --duration 0.01");
  EXPECT_EQ(run.out.find("was changed"), std::string::npos) << run.out;
  const Folder folder;
  const std::string right = folder.file(
      "coin.yaml", kCoin + "initial:\n  q: {z: R*cos(5 deg), lean: 5 deg}\n  u: {spin: 60, x: -60*R}\n");
  const Outcome rolling = tactus("simulate " + right + " --duration 0.01");
  EXPECT_EQ(rolling.code, 0) << rolling.err;
  EXPECT_EQ(rolling.out.find("was changed"), std::string::npos) << rolling.out;
}

TEST(Initial, FixedValuesStayAndTheOthersAreCompleted) {
  const Folder folder;
  const std::string coin =
      folder.file("coin.yaml", kCoin +
                                   "initial:\n  q: {lean: 5 deg}\n  u: {spin: 60, yaw: 0}\n"
                                   "  fixed: {q: [lean], u: [spin, yaw]}\n");
  const std::string out = folder.path("run.csv");
  const Outcome run = tactus("simulate " + coin + " --duration 0.001 --json --out " + out);
  ASSERT_EQ(run.code, 0) << run.err;
  const Table table = table_of(content_of(out));
  EXPECT_EQ(table.at("spin_dot")[0], 60.0);
  EXPECT_EQ(table.at("lean")[0], kLean);
  EXPECT_NEAR(table.at("x_dot")[0], -60.0 * kRadius, kRounding);
  EXPECT_NEAR(table.at("z")[0], kRadius * std::cos(kLean), kRounding);
  // The same by the script, with all that it gives.
  const std::string plain = folder.file("plain.yaml", kCoin);
  const std::string script =
      folder.file("script.yaml", "initial: {q: {lean: 5 deg}, u: {spin: 60, yaw: 0}, fixed: given}\n");
  const Outcome scripted =
      tactus("simulate " + plain + " --duration 0.001 --script " + script + " --out " + out + ".2");
  ASSERT_EQ(scripted.code, 0) << scripted.err;
  EXPECT_EQ(content_of(out), content_of(out + ".2"));
}

TEST(Initial, SpeedsThatAModelDefinesAreFixedByTheirNamesOrGivenByTheRatesOfItsJoints) {
  const Folder folder;
  const std::string cart = model("shopping_cart.yaml");
  const std::string by_speeds = folder.file(
      "u.yaml", "q: {q3: 0, q4: 0}\nu: {u1: 0.5, u2: 0.2, u3: 0.2, u4: 0}\nfixed: {u: [u1, u2]}\n");
  const std::string by_rates =
      folder.file("qd.yaml", "q: {q3: 0, q4: 0}\nqd: {q1: 0.5, q2: 0, q3: 0.2, q4: 0}\n");
  const std::string both =
      folder.file("both.yaml", "q: {q3: 0, q4: 0}\nqd: {q1: 0.5, q2: 0, q3: 0.2, q4: 0}\nfixed: {u: [u1]}\n");
  const Outcome fixed = tactus("eval " + cart + " --json --assemble --at " + by_speeds);
  const Outcome rates = tactus("eval " + cart + " --json --assemble --at " + by_rates);
  ASSERT_EQ(fixed.code, 0) << fixed.err;
  ASSERT_EQ(rates.code, 0) << rates.err;
  const Json a = Json::parse(fixed.out), b = Json::parse(rates.out);
  ASSERT_EQ(a.at("u").size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(a["u"][i], b["u"][i], kRounding) << i;
  EXPECT_EQ(a["u"][0], 0.5);
  EXPECT_EQ(a["u"][1], 0.2);
  const Outcome refused = tactus("eval " + cart + " --assemble --at " + both);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("give `u` instead of `qd`"), std::string::npos) << refused.err;
}

TEST(Initial, FixedValuesThatContradictTheConstraintsAreAnError) {
  const Folder folder;
  const std::string coin = folder.file("coin.yaml", kCoin + kWrongWay + "  fixed: given\n");
  for (const char* verb : {"simulate ", "check "}) {
    const Outcome run = tactus(verb + coin);
    EXPECT_EQ(run.code, 2) << verb;
    EXPECT_NE(run.err.find("`roll`"), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("to be kept"), std::string::npos) << run.err;
  }
}

TEST(Initial, MistakesInFixedAreExplained) {
  const Folder folder;
  for (const auto& [fixed, words] : {std::pair{"all", "fixed: given"},
                                     {"{q: [leen]}", "lean"},
                                     {"{q: [yaw]}", "no value is given"},
                                     {"{q: lean}", "a list of names"},
                                     {"{v: [lean]}", "`v`"}}) {
    const std::string coin = folder.file("coin.yaml", kCoin + kWrongWay + "  fixed: " + fixed + "\n");
    const Outcome run = tactus("check " + coin);
    EXPECT_EQ(run.code, 2) << fixed;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("coin.yaml:2"), std::string::npos) << run.err;  // lines 20 to 29
  }
}

TEST(Initial, EvalSaysThatAStateViolatesTheConstraintsOrAssemblesIt) {
  const Folder folder;
  const std::string coin = folder.file("coin.yaml", kCoin);
  const std::string state = folder.file("state.yaml", "{q: {z: 0.1, lean: 5 deg}, u: {spin: 60}}\n");
  const Outcome off = tactus("eval " + coin + " --at " + state);
  EXPECT_EQ(off.code, 1);
  EXPECT_NE(off.err.find("`roll."), std::string::npos) << off.err;
  EXPECT_NE(off.err.find("--assemble"), std::string::npos) << off.err;
  EXPECT_FALSE(Json::parse(off.out)["fits_constraints"].get<bool>());

  const Outcome on = tactus("eval " + coin + " --assemble --at " + state);
  EXPECT_EQ(on.code, 0) << on.err;
  const Json result = Json::parse(on.out);
  EXPECT_TRUE(result["fits_constraints"].get<bool>());
  EXPECT_FALSE(result["assembly_changes"].empty());
  for (const Json& error : result["reactions"]["roll"]["position_error"])
    EXPECT_LE(std::abs(error.get<double>()), kRounding);
  // What eval found fits when it is given back.
  const std::string found = folder.file("found.yaml", Json{{"q", result["q"]}, {"u", result["u"]}}.dump());
  EXPECT_EQ(tactus("eval " + coin + " --at " + found).code, 0);
}

TEST(Initial, AFreeJointKeepsItsPlaceOrItsOrientationAsAWhole) {
  const Folder folder;
  const std::string body = folder.file("body.yaml", R"(name: body
bodies: {b: {mass: 1, inertia: [1, 2, 2.5]}}
joints: {j: {type: free, parent: world, child: b}}
frames: {tip: {body: b, placement: {xyz: [1, 0, 0]}}}
constraints: {rod: {type: distance, a: world, b: tip, length: 3}}
)");
  // Out of reach with the place kept: 1.8 m and 1 m make no 3 m.
  const std::string far = folder.file("far.yaml", "{q: {j.x: 1.5, j.y: 1}, fixed: given}\n");
  const Outcome refused = tactus("eval " + body + " --assemble --at " + far);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("`rod`"), std::string::npos) << refused.err;
  for (const auto& [fixed, kept, moved] : {std::tuple{"j.x", 0, 3}, std::tuple{"j.qw", 3, 0}}) {
    const std::string state = folder.file(
        "state.yaml", "q: {j.x: 1.5, j.y: 1, j.z: 1, j.qw: 1, j.qx: 0, j.qy: 0, j.qz: 0}\nfixed: {q: [" +
                          std::string(fixed) + "]}\n");
    const Outcome run = tactus("eval " + body + " --assemble --at " + state);
    ASSERT_EQ(run.code, 0) << run.err;
    const std::vector<double> q = Json::parse(run.out)["q"], given{1.5, 1, 1, 1, 0, 0, 0};
    const auto same = [&](std::size_t first, std::size_t count) {
      return std::equal(q.begin() + static_cast<std::ptrdiff_t>(first),
                        q.begin() + static_cast<std::ptrdiff_t>(first + count),
                        given.begin() + static_cast<std::ptrdiff_t>(first));
    };
    EXPECT_TRUE(same(kept, kept == 0 ? 3 : 4)) << run.out;
    EXPECT_FALSE(same(moved, moved == 0 ? 3 : 4)) << run.out;
  }
}

}  // namespace
}  // namespace tactus::apps
