// The virtual proxy as the loop's controller: a hand that presses and strokes a box of the world.
#include <gtest/gtest.h>

#include <cmath>

#include <tactus/base/error.h>
#include <tactus/contact/open.h>
#include <tactus/describe/read/load.h>
#include <tactus/device/registry.h>
#include <tactus/display/loop.h>
#include <tactus/display/world_faces.h>

#include "display/mass_on_spring.h"
#include "support/allocations.h"
#include "support/compare.h"
#include "support/locks.h"

namespace tactus::display {
namespace {

using Vec3 = math::Vec3<double>;

/// A plate whose top is the plane z = 0 and whose end is at x = 20 mm; a pendulum beside it. `ground` are its shapes.
std::unique_ptr<simulate::Mechanism> beside_a_plate(const std::string& ground) {
  return contact::open(
      describe::load_text("name: plate\nbodies:\n  world:\n    geometry: [" + ground +
                              "]\n"
                              "  bob: {mass: 1, com: [0, 0, -0.5], inertia: [0.01, 0.01, 0.01]}\n"
                              "joints: {q: {type: revolute, parent: world, child: bob, axis: y}}\n"
                              "frames: {pin: {body: bob, grasp: true, placement: {xyz: [0, 0, 0]}}}\n"
                              "initial: {q: {q: 0.3}}\n",
                          "plate.yaml"),
      {.step = 1e-3});
}
constexpr const char* kPlate =
    "{shape: box, size: [0.12, 0.2, 0.002], contact: true, placement: {xyz: [-0.04, 0, -0.021]}}";

/// Presses down and then pushes along x.
class PressAndPush final : public device::Hand {
 public:
  device::Grip grip(double t, const math::Pose<double>&) const noexcept override {
    device::Grip grip{{}, {0.0, 20.0}};
    grip.wrench[5] = -kPress;
    grip.wrench[3] = t > 1.0 ? 0.5 : 0.0;
    return grip;
  }
  static constexpr double kPress = 2.0;  // [N]
};

constexpr double kStiffness = 1000.0;  // [N/m]
constexpr double kTop = -0.020;        // [m] of the plate

// The handle sinks by F/K below the plate's top, slides along it without friction, over its end, and is free there.
TEST(ProxyLoop, PressesByItsSpringAndSlidesOverTheEnd) {
  const auto mechanism = beside_a_plate(kPlate);
  const auto device = device::open("simulated:ideal", std::make_unique<PressAndPush>());
  control::SafetyLimits limits;
  limits.ramp = 0.0;
  HapticLoop loop(*mechanism, *device, mechanism->port("pin"), {}, limits);
  loop.use(control::ProxyGains{.stiffness = kStiffness});
  ASSERT_TRUE(loop.enable());
  constexpr double kSettled = 1e-6;  // [m] after a second, of 2 mm
  bool beyond = false;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_TRUE(device->wait());
    const long before = test::allocation_count_of_this_thread(), locks = test::lock_count_of_this_thread();
    ASSERT_TRUE(loop.tick(1e-3)) << k;
    EXPECT_EQ(test::allocation_count_of_this_thread(), before);
    EXPECT_EQ(test::lock_count_of_this_thread(), locks);
    const TickRecord& record = loop.record();
    EXPECT_EQ(record.on_port, Vector6{});  // the mechanism goes on by itself
    if (k == 990) {
      EXPECT_NEAR(record.p_H.z, kTop - PressAndPush::kPress / kStiffness, kSettled);
      EXPECT_NEAR(record.p_P.z, kTop, 1e-9);
      EXPECT_NEAR(record.on_handle[5], PressAndPush::kPress, kStiffness * kSettled);
    }
    if (record.p_P.x < 0.0199 && k > 900) {
      EXPECT_NEAR(record.p_P.z, kTop, 1e-9) << k;
      EXPECT_NEAR(record.on_handle[3], 0.0, 1e-9) << k;  // no friction
    }
    if (record.p_P.x > 0.0201) beyond = true;
    // Beyond the end nothing holds it up, and it falls.
    if (record.p_P.z < kTop - 0.01) {
      EXPECT_TRUE(beyond);
      return;
    }
  }
  ADD_FAILURE() << "it never left the plate";
}

TEST(ProxyLoop, SaysWhatItCannotDo) {
  const auto refused = [](const std::string& ground, const std::string& device_name, double stiffness) {
    const auto mechanism = beside_a_plate(ground);
    const auto device = device::open(device_name, std::make_unique<PressAndPush>());
    HapticLoop loop(*mechanism, *device, mechanism->port("pin"), {}, {});
    try {
      loop.use(control::ProxyGains{.stiffness = stiffness});
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(refused("", "simulated:ideal", 100.0).find("nothing on the ground"), std::string::npos);
  EXPECT_NE(refused("{shape: sphere, radius: 0.1, contact: true}", "simulated:ideal", 100.0)
                .find("plane faces only"),
            std::string::npos);
  EXPECT_NE(refused(kPlate, "simulated:admittance", 100.0).find("does not push"), std::string::npos);
  EXPECT_NE(refused(kPlate, "simulated:ideal", 0.0).find("positive"), std::string::npos);
  EXPECT_EQ(refused(kPlate, "simulated:ideal", 100.0), "");
  // The pin is at the origin: in a box about it, behind a plane above it; on a face, to the bit, it is free.
  const std::string inside =
      refused("{name: block, shape: box, size: [0.1, 0.1, 0.1], contact: true}", "simulated:ideal", 100.0);
  EXPECT_NE(inside.find("`pin` begins inside `block`"), std::string::npos) << inside;
  EXPECT_NE(inside.find("`initial`"), std::string::npos) << inside;
  EXPECT_NE(refused("{shape: plane, contact: true, placement: {xyz: [0, 0, 0.01]}}", "simulated:ideal", 100.0)
                .find("begins inside shape 1 of the ground, a plane"),
            std::string::npos);
  EXPECT_EQ(refused("{shape: box, size: [0.1, 0.1, 0.1], contact: true, placement: {xyz: [0, 0, -0.05]}}",
                    "simulated:ideal", 100.0),
            "");
}

// A box in any pose, and a plane: every face looks outwards and lies where the shape ends.
TEST(ProxyLoop, FacesOfTheGroundLookOutwards) {
  const describe::Model model = describe::load_text(
      "name: ground\nbodies:\n  world:\n    geometry:\n"
      "      - {shape: box, size: [0.2, 0.4, 0.6], contact: true, placement: {xyz: [1, 2, 3], axis_angle: "
      "{axis: [0.6, 0, 0.8], angle: 40 deg}}}\n"
      "      - {shape: plane, size: [1, 1], contact: true, placement: {xyz: [0, 0, -1]}}\n"
      "      - {shape: sphere, radius: 0.1}\n"
      "  one: {mass: 1, inertia: [1, 1, 1]}\njoints: {q: {type: revolute, parent: world, child: one, axis: "
      "x}}\n",
      "ground.yaml");
  const std::vector<control::ProxyFace> faces = world_faces(model);
  ASSERT_EQ(faces.size(), 7u);
  double sum = 0.0;
  for (std::size_t i = 0; i < 6; ++i) {
    const double out = faces[i].offset - dot(faces[i].normal, Vec3{1, 2, 3});
    EXPECT_GT(out, 0.0);
    sum += out;
  }
  EXPECT_NEAR(sum, 0.2 + 0.4 + 0.6, 1e-12);
  EXPECT_NEAR(faces[6].normal.z, 1.0, 1e-12);
  EXPECT_NEAR(faces[6].offset, -1.0, 1e-12);
}

/// Goes 20 mm along a way while forces come on, stays, and comes back.
device::HandPointer in_and_out(const Vec3& ahead) {
  return device::following(
      [ahead](double t) {
        constexpr double kThere = 0.1, kBack = 0.8, kHome = 1.2, kWay = 0.02;  // [s], [s], [s], [m]
        const double part = t < kThere  ? t / kThere
                            : t < kBack ? 1.0
                                        : std::max(0.0, (kHome - t) / (kHome - kBack));
        return device::Intention{kWay * part * ahead, {}};
      },
      {{2.0, 300.0}, {0.02, 5.0}});
}

/// [J] The most that the motors have given the handle by any time, beyond what it gave them.
double given_by(HapticLoop& loop, device::Device& device) {
  EXPECT_TRUE(loop.enable());
  double most = 0.0, pressed = 0.0;
  for (int k = 0; k < 2500; ++k) {
    EXPECT_TRUE(device.wait() && loop.tick(1e-3)) << name_of(loop.safety().fault) << " at " << k;
    most = support::larger(most, -loop.record().out_of_handle);
    const Vector6& F = loop.record().on_handle;
    pressed = support::larger(pressed, std::hypot(F[3], F[4], F[5]));
  }
  EXPECT_GT(pressed, 2.0);  // [N] it was pressed
  return most;
}

// What is pressed while forces come on gives back no more than it got: 4.6 mm into a spring of 1000 N/m hold 11 mJ. A spring that is held for a period gives K T/2 v^2 besides, which
// the handle's damping burns: 0.1 mJ at 50 mm/s.
constexpr double kSampling = 5e-4;  // [J]

TEST(ProxyLoop, ComesOnWithoutMakingEnergy) {
  const auto mechanism = mass_on_spring(1e-3);
  const auto device = device::open("simulated:ideal", in_and_out({1, 0, 0}));
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {}, {});
  loop.use(control::ProxyGains{.stiffness = 1000.0});
  EXPECT_LT(given_by(loop, *device), kSampling);
}

TEST(PrescribedPort, ComesOnWithoutMakingEnergyAlongWhatConstraintsCarry) {
  const auto mechanism = mass_on_spring(1e-3);
  const auto device = device::open("simulated:ideal", in_and_out({0, 1, 0}));
  HapticLoop loop(*mechanism, *device, mechanism->port("block"), {{0.0, 1000.0}, {0.0, 0.5}}, {});
  loop.use(control::PrescribedGains{
      .axes = 0b011000, .drift_rate = 5.0, .bandwidth = 10.0, .heaviest = 1e3, .every_axis = false});
  EXPECT_LT(given_by(loop, *device), kSampling);
}

}  // namespace
}  // namespace tactus::display
