// The virtual proxy: a spring on a plane, a thin plate, an edge, a corner.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include <tactus/control/proxy.h>
#include <tactus/device/random.h>

#include "support/compare.h"

namespace tactus::control {
namespace {

using Vec3 = math::Vec3<double>;

/// The outside of a box about the origin, with these half sides.
std::vector<ProxyFace> box(const Vec3& half) {
  std::vector<ProxyFace> faces;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      std::vector<Vec3> corners;
      for (const auto& [a, b] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        Vec3 c{};
        c[axis] = side * half[axis];
        c[u] = (side > 0.0 ? a : b) * half[u];
        c[v] = (side > 0.0 ? b : a) * half[v];
        corners.push_back(c);
      }
      faces.push_back(proxy_face(corners));
    }
  return faces;
}

/// [m] How far outside of the box along the axis that is most so; below 0: inside by so much. NaN where p is no place.
double outside(const Vec3& p, const Vec3& half) {
  return support::larger(support::larger(std::abs(p.x) - half.x, std::abs(p.y) - half.y),
                         std::abs(p.z) - half.z);
}

constexpr double kSide = 1e-8;  // [m] the proxy's own room for rounding is a tenth of it

TEST(Proxy, OnAPlaneItIsTheSpring) {
  const std::vector<ProxyFace> faces = box({1.0, 1.0, 0.1});
  const Proxy proxy{800.0, faces};
  ProxyMemory memory{{0.0, 0.0, 0.2}, 0};
  constexpr double kRounding = 1e-12;  // [N] of up to 40 N
  for (int k = 0; k <= 1000; ++k) {
    const Vec3 handle{0.3 * std::sin(0.01 * k), 0.2 * std::cos(0.013 * k), 0.1 + 0.05 * std::cos(0.05 * k)};
    proxy.follow(memory, handle);
    const Vec3 F = proxy.force(memory, handle);
    EXPECT_NEAR(F.x, 0.0, kRounding);
    EXPECT_NEAR(F.y, 0.0, kRounding);
    EXPECT_NEAR(F.z, handle.z < 0.1 ? 800.0 * (0.1 - handle.z) : 0.0, kRounding);
  }
}

// A plate of a millimetre, the handle 20 mm behind its upper face: out of the other one. The proxy stays above.
TEST(Proxy, DoesNotPopThroughAThinPlate) {
  const Vec3 half{0.1, 0.1, 0.0005};
  const std::vector<ProxyFace> faces = box(half);
  const Proxy proxy{1000.0, faces};
  ProxyMemory memory{{0.0, 0.0, 0.01}, 0};
  for (int k = 0; k <= 3000; ++k) {
    // Down through the plate, then to and fro on it.
    const double depth = std::min(0.03, 1e-4 * k);
    const Vec3 handle{0.05 * std::sin(0.004 * k), 0.03 * std::sin(0.007 * k), 0.01 - depth};
    proxy.follow(memory, handle);
    EXPECT_GE(memory.p.z, half.z - 1e-9) << k;
  }
  EXPECT_NEAR(memory.p.z, half.z, 1e-9);
  EXPECT_NEAR(proxy.force(memory, {memory.p.x, memory.p.y, -0.02}).z, 1000.0 * 0.0205, 1e-6);
}

// Pressed onto the plate and led over its end: it slides to the edge, over it, and is free there.
TEST(Proxy, SlidesOverAnEdge) {
  const Vec3 half{0.1, 0.1, 0.0005};
  const std::vector<ProxyFace> faces = box(half);
  const Proxy proxy{1000.0, faces};
  ProxyMemory memory{{0.0, 0.0, 0.01}, 0};
  double before = 0.0;
  for (int k = 0; k <= 1500; ++k) {
    const Vec3 handle{1e-4 * k, 0.0, k < 100 ? 0.01 - 1e-4 * k : -0.005};
    proxy.follow(memory, handle);
    ASSERT_GE(outside(memory.p, half), -1e-9) << k;
    EXPECT_GE(memory.p.x, before - 1e-12);  // it never goes back
    EXPECT_NEAR(memory.p.x, handle.x, 1e-9);
    before = memory.p.x;
  }
  const Vec3 F = proxy.force(memory, {0.15, 0.0, -0.005});
  EXPECT_NEAR(std::sqrt(dot(F, F)), 0.0, 1e-6);
}

double distance(const Vec3& a, const Vec3& b) { return std::sqrt(dot(a - b, a - b)); }

/// [m] By how much p is not the nearest place to h before the box, as far as a proxy can see that: along each axis it either is where the handle is, or lies on a face that the handle is behind.
double from_nearest(const Vec3& p, const Vec3& h, const Vec3& half) {
  if (outside(p, half) > kSide) return distance(p, h);  // nothing holds it
  double worst = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double side = p[i] < 0.0 ? -1.0 : 1.0, deep = side * (p[i] - h[i]);
    const bool on_face = std::abs(std::abs(p[i]) - half[i]) < kSide && deep > 0.0;
    worst = support::larger(worst, on_face ? 0.0 : std::abs(deep));
  }
  return worst;
}

// Whatever the way of the handle, the proxy is never in the box, comes to the nearest place that it sees from where it is (where nothing is between them that is where the handle is), and its spring grows by no more than the handle
// goes: over an edge the proxy itself goes as far as the handle was deep, but nearer to it.
TEST(Proxy, IsNeverInsideAndItsForceDoesNotJumpUp) {
  const Vec3 half{0.05, 0.03, 0.02};
  const std::vector<ProxyFace> faces = box(half);
  const Proxy proxy{1000.0, faces};
  device::Random random(5);
  long free = 0, held = 0;
  for (int run = 0; run < 50; ++run) {
    ProxyMemory memory{{0.1, 0.1, 0.1}, 0};
    Vec3 handle = memory.p, aim = handle;
    for (int k = 0; k < 2000; ++k) {
      if (k % 100 == 0)
        aim = {0.16 * (random.uniform() - 0.5), 0.12 * (random.uniform() - 0.5),
               0.1 * (random.uniform() - 0.5)};
      const double drawn = distance(memory.p, handle);
      const Vec3 to = handle + 0.03 * (aim - handle);
      const double way = distance(handle, to);
      handle = to;
      proxy.follow(memory, handle);
      ASSERT_GE(outside(memory.p, half), -kSide) << run << " " << k;
      ASSERT_LE(distance(memory.p, handle), drawn + way + kSide) << run << " " << k;
      // A face that it slid off holds it until the next tick.
      ProxyMemory rest = memory;
      for (int again = 0; again < 3; ++again) proxy.follow(rest, handle);
      ASSERT_LT(from_nearest(rest.p, handle, half), kSide) << run << " " << k;
      (distance(rest.p, handle) < kSide ? free : held) += 1;
    }
  }
  EXPECT_GT(free, 10000);
  EXPECT_GT(held, 10000);
}

}  // namespace
}  // namespace tactus::control
