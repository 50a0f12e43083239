// What constraints leave of the freedom: counted, and redundant or singular rows by name.
#include <tactus/derive/constraints/mobility.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

TEST(Mobility, CountsTheFreedomsOfEveryModel) {
  const std::pair<const char*, int> models[] = {
      {"pendulum", 1},        {"slider_crank", 1}, {"four_bar", 1},     {"four_bar_ladder", 1},
      {"andrews", 1},         {"peaucellier", 1},  {"bricard", 1},      {"single_track", 3},
      {"rolling_sphere", 3},  {"sleigh", 2},       {"rolling_disk", 2}, {"shopping_cart", 2},
      {"stewart_platform", 6}};
  for (const auto& [name, freedoms] : models) {
    const Mobility m = mobility(Equations(model_named(name)));
    EXPECT_EQ(m.freedoms(), freedoms) << name << "\n" << mobility_text(m);
    EXPECT_FALSE(m.is_singular()) << name << "\n" << mobility_text(m);
    const bool overconstrained =
        std::string_view(name) == "bricard";  // six axes that would not move if they were any
    EXPECT_EQ(m.redundant.empty(), !overconstrained) << name << "\n" << mobility_text(m);
    EXPECT_TRUE(m.errors.empty() && m.impossible.empty()) << name << "\n" << mobility_text(m);
  }
}

TEST(Mobility, FindsTheSingularPositionsOfTheSliderCrankAndTheLadder) {
  const Mobility crank = mobility(Equations(model_named("slider_crank")), 0.0, {M_PI / 2, M_PI}, {0.0, 0.0});
  EXPECT_EQ(crank.rank, 0);  // A = 0
  EXPECT_EQ(crank.rank_nearby, 1);
  EXPECT_EQ(crank.singular, std::vector<std::string>{"slider.z"});
  // All links on one line: 1 freedom becomes N + 1 = 3.
  const Mobility ladder = mobility(Equations(model_named("four_bar_ladder")), 0.0,
                                   std::vector<double>(5, 0.0), std::vector<double>(5, 0.0));
  EXPECT_TRUE(ladder.errors.empty());
  EXPECT_EQ(ladder.speeds - ladder.rank, 3);
  EXPECT_EQ(ladder.freedoms(), 1);
  EXPECT_TRUE(ladder.is_singular());
}

const std::string kArm = R"(
name: arm
bodies: {a: {mass: 1, com: [1, 0, 0]}, b: {mass: 1, com: [1, 0, 0]}}
joints:
  q1: {type: revolute, parent: world, child: a}
  q2: {type: revolute, parent: a, child: b, placement: {xyz: [1, 0, 0]}}
frames: {tip: {body: b, placement: {xyz: [1, 0, 0]}}}
)";

Mobility of(const std::string& text) { return mobility(Equations(describe::load_text(kArm + text, "arm"))); }

TEST(Mobility, NamesRedundantRows) {
  const Mobility m = of(R"(
initial: {q: {q1: 0.3, q2: -0.5}}
constraints:
  first: {type: equation, equations: [q1 + 2*q2 + 0.7]}
  second: {type: equation, equations: [-3*q1 - 6*q2 - 2.1]}
)");
  EXPECT_EQ(m.redundant, std::vector<std::string>{"second"});
  EXPECT_EQ(m.freedoms(), 1);
  EXPECT_FALSE(m.is_singular());
  EXPECT_NE(mobility_text(m).find("redundant (they follow from rows before them): second"),
            std::string::npos);
}

TEST(Mobility, ARedundantLoopStaysRedundantAlongTheMotion) {
  // Three equal cranks and one coupler bar: the second loop follows from the first only on the way of a
  // parallelogram.
  const Mobility m = mobility(Equations(describe::load_text(R"(
name: parallelogram
bodies:
  c1: {mass: 1, com: [0.5, 0, 0]}
  c2: {mass: 1, com: [0.5, 0, 0]}
  c3: {mass: 1, com: [0.5, 0, 0]}
  bar: {mass: 1, com: [1, 0, 0]}
joints:
  q1: {type: revolute, parent: world, child: c1}
  q2: {type: revolute, parent: world, child: c2, placement: {xyz: [1, 0, 0]}}
  q3: {type: revolute, parent: world, child: c3, placement: {xyz: [2, 0, 0]}}
  q4: {type: revolute, parent: c1, child: bar, placement: {xyz: [1, 0, 0]}}
constraints:
  middle: {type: revolute, a: {body: c2, at: [1, 0, 0]}, b: {body: bar, at: [1, 0, 0]}}
  end: {type: revolute, a: {body: c3, at: [1, 0, 0]}, b: {body: bar, at: [2, 0, 0]}}
initial: {q: {q1: 1.1, q2: 1.1, q3: 1.1, q4: -1.1}}
)",
                                                            "parallelogram")));
  EXPECT_EQ(m.freedoms(), 1);
  EXPECT_EQ(m.rank, 3);
  EXPECT_FALSE(m.is_singular());
  ASSERT_EQ(m.redundant.size(), 1u);
  EXPECT_EQ(m.redundant[0].substr(0, 4), "end.");
}

TEST(Mobility, SaysWhatDoesNotHold) {
  const Mobility m = of("constraints: {rod: {type: distance, a: world, b: tip, length: 1.5}}\n");
  ASSERT_EQ(m.errors.size(), 1u);
  EXPECT_EQ(m.errors[0].row, "rod.length");
  EXPECT_NEAR(m.errors[0].position, (4.0 - 2.25) / 3.0, 1e-12);
  EXPECT_EQ(m.freedoms(), 1);  // of the assembled mechanism: stretched, as it is written, the row vanishes
  EXPECT_FALSE(m.is_singular());
}

TEST(Mobility, SaysWhatCannotBeAssembled) {
  const Mobility far = of("constraints: {rod: {type: distance, a: world, b: tip, length: 5}}\n");
  EXPECT_FALSE(far.assembled);
  EXPECT_TRUE(far.redundant.empty());
  EXPECT_NE(mobility_text(far).find("cannot be met"), std::string::npos);
  EXPECT_FALSE(
      of("constraints: {x: {type: lock, joint: q1, at: 1}, y: {type: lock, joint: q1, at: 2}}\n").assembled);
  EXPECT_FALSE(
      of("constraints: {y: {type: on_surface, a: world, b: tip, equations: [sqrt(x - 3) + y]}}\n").assembled);
}

TEST(Mobility, SaysWhatContradictsAndWhatCannotMove) {
  const Mobility contradiction = of(R"(
constraints:
  still: {type: lock, joint: q1}
  drive: {type: motion, joint: q1, equals: 2*t}
)");
  EXPECT_EQ(contradiction.impossible, (std::vector<std::string>{"still", "drive"}));
  const Mobility locked = of("constraints: {x: {type: lock, joint: q1}, y: {type: lock, joint: q2}}\n");
  EXPECT_EQ(locked.freedoms(), 0);
  EXPECT_NE(mobility_text(locked).find("nothing can move"), std::string::npos);
}

TEST(Mobility, InactiveConstraintsDoNotCount) {
  EXPECT_EQ(of("constraints: {x: {type: lock, joint: q1, active: false}}\n").freedoms(), 2);
}

}  // namespace
}  // namespace tactus::derive
