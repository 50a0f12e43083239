// Every pair of primitive shapes, against fcl and against the definition of separation, at random placements.
#include <algorithm>

#include <gtest/gtest.h>

#include <fcl/narrowphase/distance.h>

#include <collide/shapes.h>

namespace {

using namespace tactus::collide;
using namespace tactus::collide::test;
using tactus::math::transpose_times;

/// fcl iterates; asked for 1e-10, it ends a little earlier: the largest difference seen is 1.2e-7.
constexpr double kFclTolerance = 1e-6;
/// Ours is closed form, or a search that ends at rounding.
constexpr double kRounding = 1e-10;
/// A direction searched for on a grid: how much deeper the best one may look than it is.
constexpr double kDepthTolerance = 1e-7;

struct Case {
  std::string text;
  std::shared_ptr<fcl::CollisionGeometryd> geometry;
  Vec3d (*support)(const Vec3d&);  // the point furthest along a direction, in the shape's axes
};

Vec3d sphere_support(const Vec3d& n) { return 0.3 * n; }
Vec3d box_support(const Vec3d& n) {
  return {std::copysign(0.2, n.x), std::copysign(0.3, n.y), std::copysign(0.4, n.z)};
}
Vec3d capsule_support(const Vec3d& n) { return 0.15 * n + Vec3d{0.0, 0.0, std::copysign(0.35, n.z)}; }
Vec3d cylinder_support(const Vec3d& n) {
  return 0.25 * direction_of(Vec3d{n.x, n.y, 0.0}, Vec3d::zero()) + Vec3d{0.0, 0.0, std::copysign(0.3, n.z)};
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"{shape: sphere, radius: 0.3}", std::make_shared<fcl::Sphered>(0.3), sphere_support},
      {"{shape: box, size: [0.4, 0.6, 0.8]}", std::make_shared<fcl::Boxd>(0.4, 0.6, 0.8), box_support},
      {"{shape: capsule, radius: 0.15, length: 0.7}", std::make_shared<fcl::Capsuled>(0.15, 0.7),
       capsule_support},
      {"{shape: cylinder, radius: 0.25, length: 0.6}", std::make_shared<fcl::Cylinderd>(0.25, 0.6),
       cylinder_support},
  };
  return all;
}

fcl::Transform3d transform_of(const Posed& X) {
  fcl::Transform3d T = fcl::Transform3d::Identity();
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) T.linear()(static_cast<int>(i), static_cast<int>(j)) = X.R(i, j);
    T.translation()(static_cast<int>(i)) = X.p[i];
  }
  return T;
}

/// Distance by fcl; negative or zero where they touch.
double fcl_distance(const Case& a, const Posed& X_a, const Case& b, const Posed& X_b) {
  const fcl::CollisionObjectd object_a(a.geometry, transform_of(X_a)),
      object_b(b.geometry, transform_of(X_b));
  fcl::DistanceRequestd request;
  request.distance_tolerance = 1e-10;
  fcl::DistanceResultd result;
  return fcl::distance(&object_a, &object_b, request, result);
}

/// How far b is from a along n: the largest such number over all n is the distance, or minus the depth.
double separation_along(const Vec3d& n, const Case& a, const Posed& X_a, const Case& b, const Posed& X_b) {
  const Vec3d of_a = transformed(X_a, a.support(transpose_times(X_a.R, n)));
  const Vec3d of_b = transformed(X_b, b.support(transpose_times(X_b.R, -n)));
  return dot(n, of_b - of_a);
}

class Primitives : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  const Case& a() const { return cases()[static_cast<std::size_t>(GetParam().first)]; }
  const Case& b() const { return cases()[static_cast<std::size_t>(GetParam().second)]; }
  TwoShapes scene() const { return {a().text, b().text}; }
  /// Anything from far apart to deep in each other.
  static std::pair<Posed, Posed> placement(Random& random) {
    return {{random.rotation(), random.vector(0.5)}, {random.rotation(), random.vector(0.5)}};
  }
};

TEST_P(Primitives, GapsOfSeparatedShapesAreTheDistancesOfFcl) {
  TwoShapes scene = this->scene();
  Random random(1);
  int compared = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const auto [X_a, X_b] = placement(random);
    const double reference = fcl_distance(a(), X_a, b(), X_b);
    if (reference <= 1e-3) continue;
    const auto found = scene.near(X_a, X_b, 10.0);
    ASSERT_FALSE(found.empty());
    ASSERT_NEAR(deepest(found).gap, reference, kFclTolerance) << "trial " << trial;
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST_P(Primitives, TheGapIsTheLargestSeparationOverAllDirections) {
  TwoShapes scene = this->scene();
  Random random(2);
  int overlapping = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const auto [X_a, X_b] = placement(random);
    const auto found = scene.near(X_a, X_b, 10.0);
    ASSERT_FALSE(found.empty());
    const Proximity& p = deepest(found);
    overlapping += p.gap < 0.0;
    // Along its own normal they are so far apart, or so deep in each other ...
    EXPECT_NEAR(separation_along(from_1_to_2(p), a(), X_a, b(), X_b), p.gap, 2e-7) << "trial " << trial;
    // ... and along no other direction further apart.
    for (int sample = 0; sample < 60; ++sample) {
      Vec3d n = random.direction();
      double along = separation_along(n, a(), X_a, b(), X_b);
      for (double step = 0.3; step > 1e-3; step *= 0.8) {
        const Vec3d other = direction_of(n + step * random.direction(), n);
        const double there = separation_along(other, a(), X_a, b(), X_b);
        if (there > along) {
          along = there;
          n = other;
        }
      }
      ASSERT_LE(along, p.gap + kDepthTolerance) << "trial " << trial;
    }
  }
  EXPECT_GT(overlapping, 20);
}

TEST_P(Primitives, MovingAlongTheNormalOpensTheGapByAsMuch) {
  TwoShapes scene = this->scene();
  Random random(3);
  for (int trial = 0; trial < 500; ++trial) {
    auto [X_a, X_b] = placement(random);
    const Proximity before = deepest(scene.near(X_a, X_b, 10.0));
    const double d = 1e-3;
    X_b.p = X_b.p + d * from_1_to_2(before);
    const Measure after = measure(before.kind, placed(before.body_a == 1 ? X_a : X_b, before.a),
                                  placed(before.body_b == 1 ? X_a : X_b, before.b));
    EXPECT_NEAR(after.gap, before.gap + d, kRounding);
  }
}

TEST_P(Primitives, ExchangingTheShapesExchangesNothingElse) {
  TwoShapes forth = this->scene();
  TwoShapes back(b().text, a().text);
  Random random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const auto [X_a, X_b] = placement(random);
    const Proximity p = deepest(forth.near(X_a, X_b, 10.0));
    const Proximity q = deepest(back.near(X_b, X_a, 10.0));
    EXPECT_NEAR(p.gap, q.gap, 2e-7);
    // Where two directions are as good as each other, either may be taken.
    const double opposite = dot(from_1_to_2(p), from_1_to_2(q));
    if (p.gap > 1e-3) {
      EXPECT_LT(opposite, -1.0 + 1e-6);
    }
  }
}

TEST_P(Primitives, SmallMotionsKeepTheIdsAndTheFeatures) {
  TwoShapes scene = this->scene();
  Random random(5);
  int changed = 0, seen = 0;
  for (int trial = 0; trial < 300; ++trial) {
    auto [X_a, X_b] = placement(random);
    const std::vector<Proximity> before = [&] {
      const auto found = scene.near(X_a, X_b, 0.2);
      return std::vector<Proximity>(found.begin(), found.end());
    }();
    X_b.p = X_b.p + random.vector(1e-9);
    for (const Proximity& q : scene.near(X_a, X_b, 0.2)) {
      ++seen;
      const auto same =
          std::find_if(before.begin(), before.end(), [&](const Proximity& p) { return p.id == q.id; });
      if (same == before.end()) {
        ++changed;
        continue;
      }
      EXPECT_EQ(same->kind, q.kind);
      EXPECT_NEAR(same->gap, q.gap, 1e-8);
      EXPECT_LT(norm(same->a.p - q.a.p) + norm(same->b.p - q.b.p), 1e-4);
    }
  }
  EXPECT_GT(seen, 50);
  EXPECT_LE(changed, 2) << "of " << seen;
}

TEST_P(Primitives, EveryGapIsThatOfItsFeatures) {
  TwoShapes scene = this->scene();
  Random random(6);
  for (int trial = 0; trial < 500; ++trial) {
    const auto [X_a, X_b] = placement(random);
    std::uint64_t last = 0;
    for (const Proximity& p : scene.near(X_a, X_b, 0.3)) {
      const Measure m =
          measure(p.kind, placed(p.body_a == 1 ? X_a : X_b, p.a), placed(p.body_b == 1 ? X_a : X_b, p.b));
      EXPECT_EQ(m.gap, p.gap);
      EXPECT_LT(p.gap, 0.3);
      EXPECT_NEAR(norm(p.normal), 1.0, 1e-12);
      EXPECT_GT(p.id + 1, last);  // in order
      last = p.id + 1;
    }
  }
}

std::vector<std::pair<int, int>> all_pairs() {
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) pairs.emplace_back(i, j);
  return pairs;
}
std::string name_of(const testing::TestParamInfo<std::pair<int, int>>& info) {
  static const std::array<const char*, 4> kNames{"sphere", "box", "capsule", "cylinder"};
  return fmt::format("{}_{}", kNames[static_cast<std::size_t>(info.param.first)],
                     kNames[static_cast<std::size_t>(info.param.second)]);
}
INSTANTIATE_TEST_SUITE_P(All, Primitives, testing::ValuesIn(all_pairs()), name_of);

}  // namespace
