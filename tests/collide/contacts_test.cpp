// Which features are found in situations that are known: faces on faces, edges on edges, rims, planes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <support/allocations.h>

#include <collide/shapes.h>

namespace {

using namespace tactus::collide;
using namespace tactus::collide::test;
using tactus::math::rotation_about;

constexpr double kRounding = 1e-12;

Mat3d turned(const Vec3d& axis, double angle) {
  return rotation_about(direction_of(axis, axis), std::cos(angle), std::sin(angle));
}
constexpr double kQuarter = 1.5707963267948966;

const std::string kBox = "{shape: box, size: [0.4, 0.4, 0.2]}";
const std::string kPlane = "{shape: plane, size: [1, 1]}";

TEST(Boxes, OneAboveAnotherHasFourCorners) {
  TwoShapes boxes(kBox, kBox);
  for (const double gap : {0.009, 0.0, -0.004}) {
    const auto found = boxes.near({}, {turned({0, 0, 1}, 0.3), {0.01, 0.02, 0.2 + gap}}, 0.01);
    ASSERT_EQ(found.size(), 4u) << gap;
    for (const Proximity& p : found) {
      EXPECT_NEAR(p.gap, gap, kRounding);
      EXPECT_NEAR(from_1_to_2(p).z, 1.0, kRounding);
      EXPECT_NEAR(p.point.z, 0.1 + 0.5 * gap, kRounding);
      EXPECT_GT(std::hypot(p.point.x, p.point.y), 0.15);  // spread over the face
    }
  }
}

TEST(Boxes, EqualOnesExactlyOnEachOtherHaveFourContactsNotEight) {
  TwoShapes boxes(kBox, kBox);
  for (const double shift : {0.0, 1e-12, -1e-9}) {
    const auto found = boxes.near({}, {Mat3d::identity(), {shift, -shift, 0.2}}, 0.01);
    ASSERT_EQ(found.size(), 4u);
    for (const Proximity& p : found) {
      EXPECT_EQ(p.kind, FeaturePair::plane_point);
      EXPECT_NEAR(std::abs(p.point.x), 0.2, 1e-6);
      EXPECT_NEAR(std::abs(p.point.y), 0.2, 1e-6);
    }
  }
}

TEST(Boxes, OneThatOverhangsStandsOnTheEdge) {
  // Moved along x, half of it over the edge: two corners on the face, two edges across the edge.
  TwoShapes boxes(kBox, "{shape: box, size: [0.4, 0.2, 0.2]}");
  const auto found = boxes.near({}, {Mat3d::identity(), {0.3, 0.0, 0.2}}, 0.01);
  ASSERT_EQ(found.size(), 4u);
  int corners = 0, crossings = 0;
  for (const Proximity& p : found) {
    corners += p.kind == FeaturePair::plane_point;
    crossings += p.kind == FeaturePair::line_line;
    EXPECT_NEAR(p.gap, 0.0, kRounding);
    EXPECT_NEAR(p.point.x, p.kind == FeaturePair::line_line ? 0.2 : 0.1, kRounding);
    EXPECT_NEAR(from_1_to_2(p).z, 1.0, kRounding);
  }
  EXPECT_EQ(corners, 2);
  EXPECT_EQ(crossings, 2);
}

TEST(Boxes, EdgesThatCrossAreOnePairOfLines) {
  // Both on their edges, the ridges at right angles.
  TwoShapes boxes("{shape: box, size: [0.2, 1, 0.2]}", "{shape: box, size: [1, 0.2, 0.2]}");
  const double ridge = 0.1 * std::sqrt(2.0);
  for (const double gap : {0.005, -0.005}) {
    const auto found =
        boxes.near({turned({0, 1, 0}, 0.5 * kQuarter), {}},
                   {turned({1, 0, 0}, 0.5 * kQuarter), {0.03, -0.04, 2.0 * ridge + gap}}, 0.01);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, FeaturePair::line_line);
    EXPECT_NEAR(found[0].gap, gap, kRounding);
    EXPECT_NEAR(from_1_to_2(found[0]).z, 1.0, kRounding);
    // Where one ridge crosses the other.
    EXPECT_NEAR(found[0].point.x, 0.0, kRounding);
    EXPECT_NEAR(found[0].point.y, -0.04, kRounding);
  }
}

TEST(Boxes, ACornerBesideAFaceIsNoContact) {
  // Just past the edge of the table, its lowest corner below the top: nothing to touch there.
  TwoShapes boxes(kBox, kBox);
  const auto found =
      boxes.near({}, {turned({0, 0, 1}, 0.5 * kQuarter), {0.2 + 0.2 * std::sqrt(2.0) + 0.02, 0, 0.05}}, 0.01);
  EXPECT_TRUE(found.empty());
}

TEST(Boxes, OneDeepInsideAnotherLeavesByTheNearestFace) {
  TwoShapes boxes("{shape: box, size: [2, 2, 2]}", "{shape: box, size: [0.1, 0.1, 0.1]}");
  const auto found = boxes.near({}, {turned({1, 2, 3}, 0.4), {0.3, 0.7, -0.2}}, 0.01);
  ASSERT_FALSE(found.empty());
  EXPECT_NEAR(from_1_to_2(deepest(found)).y, 1.0, kRounding);
  EXPECT_LT(deepest(found).gap, -0.3);
}

TEST(Boxes, IdsStayWhileOneSlidesOverAnother) {
  TwoShapes boxes("{shape: box, size: [2, 2, 0.2]}", kBox);
  std::set<std::uint64_t> ids;
  for (int step = 0; step < 200; ++step) {
    const double s = 0.002 * step;
    for (const Proximity& p :
         boxes.near({}, {turned({0, 0, 1}, 0.3 + s), {s, -s, 0.2 + 1e-4 * std::sin(step)}}, 0.01))
      ids.insert(p.id);
  }
  EXPECT_EQ(ids.size(), 4u);
}

TEST(Boxes, GrazingPassesChangeTheGapContinuously) {
  // A box turns and passes another at a hair's breadth: from one step to the next the gap moves no more than
  // the box does, whichever features are nearest.
  TwoShapes boxes(kBox, kBox);
  double last = 0.0;
  for (int step = 0; step <= 4000; ++step) {
    const double s = step / 4000.0;
    const Posed X{turned({1, 1, 0.3}, 2.0 * s), {0.6 * s - 0.3, 0.33, 0.25}};
    const double gap = deepest(boxes.near({}, X, 1.0)).gap;
    if (step > 0) {
      const double most = (0.6 + 2.0 * 0.35) / 4000.0;  // largest motion of a point of the box
      EXPECT_LE(std::abs(gap - last), most) << step;
    }
    last = gap;
  }
}

TEST(Spheres, ConcentricOnesHaveADefinedNormal) {
  TwoShapes spheres("{shape: sphere, radius: 0.3}", "{shape: sphere, radius: 0.2}");
  const auto found = spheres.near({}, {}, 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0].gap, -0.5, kRounding);
  EXPECT_EQ(norm(found[0].normal), 1.0);
  for (const char* other :
       {"{shape: box, size: [0.4, 0.4, 0.2]}", "{shape: cylinder, radius: 0.1, length: 0.4}",
        "{shape: capsule, radius: 0.1, length: 0.4}"}) {
    TwoShapes pair("{shape: sphere, radius: 0.3}", other);
    for (const Proximity& p : pair.near({}, {}, 0.01)) {
      EXPECT_TRUE(std::isfinite(p.gap)) << other;
      EXPECT_NEAR(norm(p.normal), 1.0, kRounding) << other;
      EXPECT_LT(p.gap, -0.3) << other;
    }
  }
}

TEST(HalfSpace, ABoxHasFourCornersAboveIt) {
  TwoShapes scene(kPlane, kBox);
  const auto found = scene.near({}, {Mat3d::identity(), {7.0, -5.0, 0.103}}, 0.01);
  ASSERT_EQ(found.size(), 4u);
  for (const Proximity& p : found) {
    EXPECT_EQ(p.kind, FeaturePair::plane_point);
    EXPECT_EQ(p.body_a, 1);
    EXPECT_NEAR(p.gap, 0.003, kRounding);
  }
  EXPECT_TRUE(scene.near({}, {Mat3d::identity(), {0, 0, 0.2}}, 0.01).empty());
  // Below it is inside: there is no other side.
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0, 0, -100.0}}, 0.01).size(), 4u);
}

TEST(HalfSpace, ACylinderTouchesWithItsRims) {
  TwoShapes scene(kPlane, "{shape: cylinder, radius: 0.1, length: 0.4}");
  const auto tilted = scene.near({}, {turned({1, 0, 0}, 0.5), {0, 0, 0.25}}, 0.05);
  ASSERT_EQ(tilted.size(), 1u);
  EXPECT_EQ(tilted[0].kind, FeaturePair::plane_circle);
  EXPECT_NEAR(tilted[0].gap, 0.25 - 0.2 * std::cos(0.5) - 0.1 * std::sin(0.5), kRounding);

  const auto lying = scene.near({}, {turned({1, 0, 0}, kQuarter), {0, 0, 0.1}}, 0.01);
  ASSERT_EQ(lying.size(), 2u);
  for (const Proximity& p : lying) {
    EXPECT_EQ(p.kind, FeaturePair::plane_circle);
    EXPECT_NEAR(p.gap, 0.0, kRounding);
    EXPECT_NEAR(std::abs(p.point.y), 0.2, kRounding);
  }

  const auto standing = scene.near({}, {turned({0, 0, 1}, 0.7), {0, 0, 0.2}}, 0.01);
  ASSERT_EQ(standing.size(), 4u);
  for (const Proximity& p : standing) {
    EXPECT_EQ(p.kind, FeaturePair::plane_point);
    EXPECT_NEAR(std::hypot(p.point.x, p.point.y), 0.1, kRounding);
  }
}

TEST(HalfSpace, TwoOfThemAreRefused) { EXPECT_THROW(TwoShapes(kPlane, kPlane), tactus::InputError); }

TEST(Cylinders, OneLyingOnABoxTouchesWithBothRims) {
  TwoShapes scene("{shape: box, size: [1, 1, 0.2]}", "{shape: cylinder, radius: 0.1, length: 0.4}");
  auto found = scene.near({}, {turned({1, 0, 0}, kQuarter), {0, 0, 0.2}}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  for (const Proximity& p : found) {
    EXPECT_EQ(p.kind, FeaturePair::plane_circle);
    EXPECT_NEAR(p.gap, 0.0, kRounding);
  }
  // Half over the edge: a rim and the side against the edge.
  found = scene.near({}, {turned({1, 0, 0}, kQuarter), {0, 0.5, 0.2}}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  std::set<FeaturePair> kinds;
  for (const Proximity& p : found) {
    kinds.insert(p.kind);
    EXPECT_NEAR(p.gap, 0.0, kRounding);
    EXPECT_NEAR(from_1_to_2(p).z, 1.0, kRounding);
  }
  EXPECT_EQ(kinds, (std::set{FeaturePair::plane_circle, FeaturePair::line_line}));
}

TEST(Cylinders, OneStandingOnABoxOrOnAnotherHasFourPoints) {
  for (const char* below : {"{shape: box, size: [1, 1, 0.2]}", "{shape: cylinder, radius: 0.5, length: 0.2}",
                            "{shape: cylinder, radius: 0.1, length: 0.2}"}) {
    TwoShapes scene(below, "{shape: cylinder, radius: 0.1, length: 0.4}");
    const auto found = scene.near({}, {Mat3d::identity(), {0, 0, 0.302}}, 0.01);
    ASSERT_EQ(found.size(), 4u) << below;
    for (const Proximity& p : found) {
      EXPECT_NEAR(p.gap, 0.002, kRounding);
      EXPECT_NEAR(from_1_to_2(p).z, 1.0, kRounding);
      EXPECT_NEAR(std::hypot(p.point.x, p.point.y), 0.1, kRounding);
    }
  }
}

TEST(Cylinders, ParallelOnesTouchAtBothEndsOfTheLengthTheyShare) {
  TwoShapes scene("{shape: cylinder, radius: 0.1, length: 0.4}",
                  "{shape: cylinder, radius: 0.2, length: 0.6}");
  const auto found = scene.near({}, {Mat3d::identity(), {0.301, 0, 0.1}}, 0.01);
  ASSERT_EQ(found.size(), 2u);
  std::set<int> heights;
  for (const Proximity& p : found) {
    EXPECT_NEAR(p.gap, 0.001, kRounding);
    EXPECT_NEAR(from_1_to_2(p).x, 1.0, kRounding);
    heights.insert(static_cast<int>(std::lround(10.0 * p.point.z)));
  }
  EXPECT_EQ(heights, (std::set{-2, 2}));
}

TEST(Capsules, ParallelOnesTouchAtBothEndsOfTheLengthTheyShare) {
  TwoShapes scene("{shape: capsule, radius: 0.1, length: 0.4}", "{shape: capsule, radius: 0.1, length: 0.4}");
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0.2, 0, 0}}, 0.01).size(), 2u);
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0.2, 0, 0.1}}, 0.01).size(), 2u);
  EXPECT_EQ(scene.near({}, {turned({1, 0, 0}, 1.0), {0.2, 0, 0}}, 0.01).size(), 1u);
}

TEST(Hollow, ABallInABowlTouchesTheInside) {
  TwoShapes scene("{shape: sphere, radius: 1}", "{shape: sphere, radius: 0.1}", true);
  const auto found = scene.near({}, {Mat3d::identity(), {0.0, 0.0, -0.895}}, 0.01);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, FeaturePair::point_point);
  EXPECT_LT(found[0].a.radius, 0.0);
  EXPECT_NEAR(found[0].gap, 0.005, kRounding);
  EXPECT_NEAR(found[0].normal.z, 1.0, kRounding);
  EXPECT_NEAR(found[0].point.z, -0.9975, kRounding);
  EXPECT_TRUE(scene.near({}, {}, 0.01).empty());
}

TEST(Hollow, ABoxInABowlTouchesWithItsCorners) {
  TwoShapes scene("{shape: sphere, radius: 1}", kBox, true);
  const double rest = -std::sqrt(1.0 - 0.08) + 0.1;  // four corners on the wall
  const auto found = scene.near({}, {Mat3d::identity(), {0.0, 0.0, rest}}, 0.01);
  ASSERT_EQ(found.size(), 4u);
  for (const Proximity& p : found) EXPECT_NEAR(p.gap, 0.0, kRounding);
}

TEST(Hollow, APegLeansAlikeWhereverItsHoleIs) {
  TwoShapes scene("{shape: cylinder, radius: 0.1, length: 0.2}",
                  "{shape: cylinder, radius: 0.095, length: 0.4}", true);
  const Posed peg{turned({0.6, 0.8, 0}, 0.03), {0.001, -0.002, 0.11}};
  const auto gaps_at = [&](const Vec3d& shift) {
    std::vector<double> gaps;
    for (const Proximity& p : scene.near({Mat3d::identity(), shift}, {peg.R, peg.p + shift}, 0.02))
      gaps.push_back(p.gap);
    return gaps;
  };
  const std::vector<double> here = gaps_at({0, 0, 0}), there = gaps_at({0.7, -1.3, 2.1});
  ASSERT_EQ(here.size(), 2u);
  ASSERT_EQ(there.size(), 2u);
  // A search over a circle finds its best point to the root of the rounding, and the gap there to the rounding.
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(here[k], there[k], 1e-12) << k;
}

TEST(Hollow, ATiltedPegLeansOnTheWallAndOnTheMouthOfItsHole) {
  // A peg of radius 0.095 in a bore of radius 0.1, 0.2 deep, standing out at the top.
  TwoShapes scene("{shape: cylinder, radius: 0.1, length: 0.2}",
                  "{shape: cylinder, radius: 0.095, length: 0.4}", true);
  const double tilt = 0.03;
  const auto found = scene.near({}, {turned({0, 1, 0}, tilt), {0.0, 0.0, 0.11}}, 0.02);
  int below = 0, mouth = 0;
  for (const Proximity& p : found) {
    if (p.body_a == 1) {  // the peg's rim on the wall
      ++below;
      EXPECT_LT(p.point.x, 0.0);
      EXPECT_LT(p.a.radius, 0.0);
    } else {  // the mouth's rim on the peg's side
      ++mouth;
      EXPECT_NEAR(p.point.z, 0.1, 0.01);
    }
  }
  EXPECT_EQ(below, 1);
  EXPECT_EQ(mouth, 1);
  // Every point of the lower rim is at least so far from the wall.
  const Proximity& wall =
      *std::find_if(found.begin(), found.end(), [](const Proximity& p) { return p.body_a == 1; });
  double least = 1.0;
  for (int k = 0; k < 100000; ++k) {
    const double angle = 2e-5 * 3.14159265358979 * k;
    const Vec3d x = transformed({turned({0, 1, 0}, tilt), {0.0, 0.0, 0.11}},
                                {0.095 * std::cos(angle), 0.095 * std::sin(angle), -0.2});
    least = std::min(least, 0.1 - std::hypot(x.x, x.y));
  }
  EXPECT_NEAR(wall.gap, least, 1e-9);  // the samples' distance, squared
}

TEST(Allocation, NoneForPrimitives) {
  const std::vector<std::string> shapes{kBox, "{shape: sphere, radius: 0.2}",
                                        "{shape: capsule, radius: 0.15, length: 0.3}",
                                        "{shape: cylinder, radius: 0.2, length: 0.3}", kPlane};
  tactus::describe::Model model = model_of(shapes);
  for (int i = 1; i <= 5; ++i)
    for (int j = i + 1; j <= 5; ++j) let_touch(model, i, j);
  Scene scene(model);
  std::vector<double> poses(72);
  Random random(11);
  write_pose({}, poses.data());
  std::size_t found = 0;
  for (int trial = 0; trial < 200; ++trial) {
    for (int body = 1; body < 6; ++body)
      write_pose({random.rotation(), random.vector(0.3)}, poses.data() + 12 * body);
    const long before = tactus::test::allocation_count();
    scene.update(poses);
    found += scene.near(0.05).size();
    EXPECT_EQ(tactus::test::allocation_count(), before);
  }
  EXPECT_GT(found, 1000u);
  EXPECT_FALSE(scene.overflowed());
}

TEST(Scene, SaysWhenItHasNoRoom) {
  tactus::describe::Model model = model_of({kPlane, kBox});
  let_touch(model, 1, 2);
  Scene scene(model, 3);
  std::vector<double> poses(36);
  for (int body = 0; body < 3; ++body) write_pose({}, poses.data() + 12 * body);
  scene.update(poses);
  EXPECT_EQ(scene.near(0.1).size(), 3u);
  EXPECT_TRUE(scene.overflowed());
  poses[24 + 11] = 5.0;
  scene.update(poses);
  EXPECT_FALSE(scene.overflowed());
}

TEST(Scene, SurvivesPosesThatAreNotNumbers) {
  TwoShapes scene(kBox, kBox);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Proximity& p : scene.near({}, {Mat3d::identity(), {nan, 0, 0}}, 0.01))
    EXPECT_TRUE(std::isnan(p.gap));
  EXPECT_EQ(scene.near({}, {Mat3d::identity(), {0, 0, 0.2}}, 0.01).size(), 4u);
}

TEST(Scene, ManyShapesGiveTheSameAsEachPairAlone) {
  const std::vector<std::string> kinds{kBox, "{shape: sphere, radius: 0.2}",
                                       "{shape: capsule, radius: 0.15, length: 0.3}",
                                       "{shape: cylinder, radius: 0.2, length: 0.3}"};
  std::vector<std::string> shapes;
  for (int i = 0; i < 24; ++i) shapes.push_back(kinds[static_cast<std::size_t>(i % 4)]);
  tactus::describe::Model all = model_of(shapes);
  for (int i = 1; i <= 24; ++i)
    for (int j = i + 1; j <= 24; ++j) let_touch(all, i, j);
  Scene scene(all);
  Random random(12);
  std::vector<double> poses(12 * 25);
  for (int round = 0; round < 3; ++round) {
    std::vector<Posed> X(25);
    for (std::size_t body = 1; body < 25; ++body) X[body] = {random.rotation(), random.vector(0.5)};
    for (std::size_t body = 0; body < 25; ++body) write_pose(X[body], poses.data() + 12 * body);
    scene.update(poses);
    const auto found = scene.near(0.03);
    std::size_t at = 0;
    for (std::size_t pair = 0; pair < all.contact.pairs.size(); ++pair) {
      const auto a = static_cast<std::size_t>(all.contact.pairs[pair].body_a);
      const auto b = static_cast<std::size_t>(all.contact.pairs[pair].body_b);
      TwoShapes alone(shapes[a - 1], shapes[b - 1]);
      for (const Proximity& p : alone.near(X[a], X[b], 0.03)) {
        ASSERT_LT(at, found.size());
        EXPECT_EQ(found[at].pair, static_cast<int>(pair));
        EXPECT_EQ(found[at].gap, p.gap);
        ++at;
      }
    }
    EXPECT_EQ(at, found.size());
    EXPECT_GT(at, 20u);
  }
}

}  // namespace
