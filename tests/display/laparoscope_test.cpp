// A tool through a point of entry, held at its handle: four freedoms of six. Pushed sideways where it cannot go, the tool stays in the entry.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/math/decompositions.h>

#include "support/compare.h"

namespace tactus::display {
namespace {

constexpr double kOut = 0.15;  // [m] from the entry to the handle

/// It pivots about the entry, the world's origin, slides and spins along its shaft; z is up along the shaft.
std::unique_ptr<simulate::Mechanism> tool() {
  return contact::open(describe::load_text(R"(
name: laparoscope
gravity: [0, 0, 0]
bodies:
  ring: {mass: 0.02, inertia: [1e-5, 1e-5, 1e-5]}
  sleeve: {mass: 0.05, inertia: [2e-5, 2e-5, 1e-5]}
  slide: {mass: 0.01, inertia: [1e-6, 1e-6, 1e-6]}
  tool: {mass: 0.3, com: [0, 0, 0.05], inertia: [2e-3, 2e-3, 2e-5]}
joints:
  tilt_x: {type: revolute, parent: world, child: ring, axis: x}
  tilt_y: {type: revolute, parent: ring, child: sleeve, axis: y}
  depth: {type: prismatic, parent: sleeve, child: slide, axis: z, damping: 2}
  spin: {type: revolute, parent: slide, child: tool, axis: z, damping: 0.001}
frames: {handle: {body: tool, placement: {xyz: [0, 0, 0.15]}, grasp: true}}
initial: {q: {tilt_x: 0.2, tilt_y: -0.1}}
)",
                                           "laparoscope.yaml"),
                       {.step = 1e-3});
}

TEST(Laparoscope, HasFourFreedomsAtItsHandle) {
  const auto mechanism = tool();
  std::array<double, 36> L{};
  mechanism->mobility(mechanism->port("handle"), L);
  Eigen::Matrix<double, 6, 6> scaled;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      scaled(i, j) =
          L[static_cast<std::size_t>(6 * i + j)] * (i < 3 ? kOut : 1.0) * (j < 3 ? kOut : 1.0);  // in metres
  Eigen::ColPivHouseholderQR<Eigen::Matrix<double, 6, 6>> factors;
  factors.setThreshold(1e-9);
  factors.compute(scaled);
  EXPECT_EQ(factors.rank(), 4);
}

/// A force across the shaft, and the couple about the handle that together would carry the entry sideways without tilting: 5 N at the entry.
class Sideways final : public device::Hand {
 public:
  /// How the tool stands in the handle: its shaft is tilted where the motion begins, and a couple that is not across it would spin it.
  explicit Sideways(const math::Mat3<double>& R_HT) : R_HT_(R_HT) {}
  device::Grip grip(double t, const math::Pose<double>& X_WH) const noexcept override {
    const double F = 2.5 * (1.0 - std::cos(6.0 * t));
    const math::Vec3<double> across = X_WH.R * R_HT_ * math::Vec3<double>{1, 0, 0},
                             down = X_WH.R * R_HT_ * math::Vec3<double>{0, 0, -kOut};
    const math::Vec3<double> f = F * across, torque = cross(down, f);
    return {{torque.x, torque.y, torque.z, f.x, f.y, f.z}, {}};
  }

 private:
  math::Mat3<double> R_HT_;
};

TEST(Laparoscope, StaysInItsEntryUnderFiveNewtons) {
  for (const char* name : {"simulated:admittance"}) {
    const auto mechanism = tool();
    const int handle = mechanism->port("handle");
    const math::Pose<double> start = mechanism->motion(handle).X_WP;
    const auto device = device::open(name, std::make_unique<Sideways>(start.R));
    // What a hand is protected by, all of it: clamps, ramp, workspace, jumps, energy.
    HapticLoop loop(*mechanism, *device, handle, {}, control::limits_for(device->specification()));
    ASSERT_TRUE(loop.enable());
    double sideways = 0.0, pushed = 0.0;
    for (int k = 0; k < 3000; ++k) {
      ASSERT_TRUE(device->wait() && loop.tick(1e-3))
          << name << ": " << control::said_of(loop.safety()) << " in tick " << k;
      // Where the device holds the tool's shaft: the entry seen along it.
      const math::Mat3<double> R = loop.sample().X_WH.R * start.R;
      const math::Vec3<double> from = math::Vec3<double>{} - (start.p + loop.sample().X_WH.p),
                               axis = R * math::Vec3<double>{0, 0, 1};
      const math::Vec3<double> off = from - dot(from, axis) * axis;
      if (k > 200) sideways = support::larger(sideways, std::sqrt(dot(off, off)));
      const Vector6& F = loop.sample().F_H_W;
      pushed = support::larger(pushed, std::hypot(F[3], F[4], F[5]));
    }
    constexpr double kMost = 1e-4;  // [m]
    EXPECT_LT(sideways, kMost) << name;
    EXPECT_NEAR(pushed, 5.0, 0.2) << name;
  }
}

}  // namespace
}  // namespace tactus::display
