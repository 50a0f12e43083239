// Orientation by three angles in one joint, in all twelve orders.
#include <tactus/describe/check/euler.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

constexpr double kRounded = 1e-12;

std::vector<std::string> all_orders() {
  std::vector<std::string> orders;
  for (const char a : {'x', 'y', 'z'})
    for (const char b : {'x', 'y', 'z'})
      for (const char c : {'x', 'y', 'z'})
        if (a != b && b != c) orders.push_back({a, b, c});
  return orders;
}

// The same as six joints with massless bodies between them.
TEST(EulerJoint, OfEveryOrderIsAChainOfItsTurns) {
  ASSERT_EQ(all_orders().size(), 12u);
  const std::string body = "{mass: 1.5, com: [0.1, 0, 0.05], inertia: [0.5, 0.6, 0.7, 0.01, 0.02, 0.03]}";
  for (const std::string& order : all_orders()) {
    SCOPED_TRACE(order);
    const describe::Model one = describe::load_text(
        "name: one\nbodies: {b: " + body + "}\njoints:\n  j: {type: free_euler, order: " + order +
            ", names: [x, y, z, a1, a2, a3], parent: world, child: b, placement: {rpy: [0.1, 0.2, 0.3]}, "
            "child_placement: {xyz: [0.1, 0, 0], rpy: [0.3, 0, 0]}}\nframes: {f: {body: b}}\n",
        "one.yaml");
    std::string bodies, joints, parent = "world";
    const std::string names[] = {"x", "y", "z", "a1", "a2", "a3"};
    for (int k = 0; k < 6; ++k) {
      const std::string child = k == 5 ? "b" : "m" + std::to_string(k);
      bodies += "  " + child + ": " + (k == 5 ? body : "{mass: 0}") + "\n";
      joints += "  " + names[k] + ": {type: " + (k < 3 ? "prismatic" : "revolute") + ", parent: " + parent +
                ", child: " + child +
                ", axis: " + (k < 3 ? names[k] : std::string(1, order[static_cast<std::size_t>(k - 3)])) +
                (k == 0 ? ", placement: {rpy: [0.1, 0.2, 0.3]}" : "") +
                (k == 5 ? ", child_placement: {xyz: [0.1, 0, 0], rpy: [0.3, 0, 0]}" : "") + "}\n";
      parent = child;
    }
    const describe::Model chain = describe::load_text(
        "name: chain\nbodies:\n" + bodies + "joints:\n" + joints + "frames: {f: {body: b}}\n", "chain.yaml");
    EXPECT_TRUE(one.warnings.empty() == (order[0] != order[2]))
        << "Euler's angles start in a singular position";
    EXPECT_EQ(one.coordinate_names(), chain.coordinate_names());
    const State s = random_state(one, 3);
    const Equations x(one), y(chain);
    EXPECT_LT(support::relative_difference(value(x.inverse_dynamics(), s, "tau"),
                                           value(y.inverse_dynamics(), s, "tau")),
              kRounded);
    EXPECT_LT(support::difference(value(x.frame_motion(0), s, "p"), value(y.frame_motion(0), s, "p")),
              kRounded);
    EXPECT_LT(support::difference(value(x.frame_motion(0), s, "R"), value(y.frame_motion(0), s, "R")),
              kRounded);
    EXPECT_LT(support::difference(value(x.frame_motion(0), s, "V"), value(y.frame_motion(0), s, "V")),
              kRounded);
  }
}

TEST(EulerJoint, YawPitchRollAreThoseOfTheFrame) {
  const describe::Model model = describe::load_text(
      "name: m\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: euler, order: zyx, parent: "
      "world, child: b}}\n"
      "frames: {f: {body: b}}\ndefinitions: {yaw: f.yaw, pitch: f.pitch, roll: f.roll}\n",
      "m.yaml");
  State s;
  s.q = {0.7, -0.5, 1.1};
  s.u = {0.0, 0.0, 0.0};
  EXPECT_LT(support::difference(value(Equations(model).definitions(), s, "definitions"), s.q), kRounded);
}

TEST(EulerJoint, SaysItsSingularPositions) {
  for (const std::string& order : all_orders()) {
    SCOPED_TRACE(order);
    const describe::Model model = describe::load_text(
        "name: m\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: euler, order: " + order +
            ", parent: world, child: b}}\n",
        "m.yaml");
    const bool proper = order[0] == order[2];
    const auto says = [&](double second) {
      return describe::singular_orientation(model, std::vector<double>{0.3, second, 0.4}, 1e-3);
    };
    EXPECT_EQ(says(0.0).empty(), !proper);
    EXPECT_EQ(says(-M_PI).empty(), !proper);
    EXPECT_EQ(says(M_PI / 2).empty(), proper);
    EXPECT_EQ(says(-M_PI / 2).empty(), proper);
    EXPECT_TRUE(says(0.7).empty());
    // M is singular there, and only there.
    State s;
    s.q = {0.3, proper ? 0.0 : M_PI / 2, 0.4};
    const std::vector<double> M = value(Equations(model).mass_matrix(), s, "M");
    const double det = M[0] * (M[4] * M[8] - M[5] * M[7]) - M[1] * (M[3] * M[8] - M[5] * M[6]) +
                       M[2] * (M[3] * M[7] - M[4] * M[6]);
    EXPECT_NEAR(det, 0.0, 1e-14);
  }
}

}  // namespace
}  // namespace tactus::derive
