// Velocities, positions and orientations of frames in users' formulas.
#include <tactus/algebra/calculus.h>
#include <tactus/describe/check/frame_kinematics.h>
#include <tactus/describe/model/frame_word.h>

#include "random_state.h"
#include "support/model_graph.h"

namespace tactus::derive {
namespace {

/// Rounding of two ways to compute velocities of some m/s through three joints.
constexpr double kTwoWays = 1e-12;

/// Of two products of one sum either may be fused with it: one rounding of three factors below 1.
constexpr double kOneFusion = 4e-16;

/// The rows of A of two models at random states must have the same bits, each operation rounded by itself; where products are fused with
/// sums, which of two is depends on the order in which a file mentions things.
void expect_same_bits(const describe::Model& a, const describe::Model& b) {
  const Equations first(a), second(b);
  ASSERT_EQ(first.constraint_rows().size(), second.constraint_rows().size());
  for (unsigned seed = 0; seed < 5; ++seed) {
    const State s = random_state(a, 40 + seed);
    for (const char* block : {"A", "gamma", "velocity"}) {
      const auto rounded = [&](const Equations& equations) {
        return value(equations.constraint_terms(), s, block, generate::Rounding::separate);
      };
      const std::vector<double> x = rounded(first), y = rounded(second);
      ASSERT_EQ(x.size(), y.size());
      for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i], y[i]) << block << ' ' << i;
      const std::vector<double> fused = value(first.constraint_terms(), s, block);
      EXPECT_LE(support::difference(fused, value(second.constraint_terms(), s, block)),
                kOneFusion * std::max(1.0, largest(fused)))
          << block;
    }
  }
}

// A'(x) xdot = 0 of the knife edge: the velocity along the blade's y.
TEST(FrameWords, TheKnifeEdgeWrittenWithVelocitiesHasTheBitsOfTheBuiltInRow) {
  const auto sleigh = [](const std::string& constraint) {
    return describe::load_text(
        "name: sleigh\nbodies: {sleigh: {mass: 10, com: [0.2, 0, 0], inertia: [0.5, 0.5, 0.9]}}\n"
        "joints: {s: {type: planar, parent: world, child: sleigh, axis: z}}\n"
        "frames: {A: {body: sleigh, placement: {xyz: [0.1, 0.05, 0], rpy: [0, 0, 0.3]}}}\n"
        "constraints: {blade: " +
            constraint + "}\n",
        "sleigh.yaml");
  };
  const describe::Model built_in = sleigh("{type: rolling, kind: knife_edge, b: A}");
  expect_same_bits(built_in, sleigh("{type: rates, equations: A.body.vy}"));
  // Written out as a product of vectors it is the same formula; which product of a sum is fused with it is left open.
  const describe::Model product = sleigh("{type: rates, equations: A.vx*A.Rxy + A.vy*A.Ryy + A.vz*A.Rzy}");
  const State s = random_state(built_in, 40);
  EXPECT_LT(support::difference(value(Equations(built_in).constraint_terms(), s, "A"),
                                value(Equations(product).constraint_terms(), s, "A")),
            1e-15);
}

// [Faulring2006, (23)-(24)]: the point of the disk that touches does not move. Written with the disk's motion, at any lean.
TEST(FrameWords, TheRollingDiskWrittenWithVelocitiesHasTheBitsOfTheBuiltInRows) {
  const auto disk = [](const std::string& rest) {
    return describe::load_text(
        "name: disk\nparameters: {r: 0.03}\nbodies: {disk: {mass: 0.25, inertia: [0.0025, 0.0025, 0.0025]}}\n"
        "joints: {j: {type: free_euler, order: zxz, parent: world, child: disk}}\n"
        "frames: {disk: {body: disk}}\ninitial: {q: {j.angle2: 90 deg}}\n" +
            rest,
        "disk.yaml");
  };
  const describe::Model built_in = disk(
      "constraints: {roll: {type: rolling, kind: disk_on_plane, b: disk, radius: r, keep_contact: false}}\n");
  // The lowest point: r/depth (n - s e) below the centre, e the disk's axis, s = n . e.
  const describe::Model written = disk(
      "definitions:\n  s: disk.Rzz\n  depth: sqrt(1 - s*s)\n"
      "  rx: r*((-1/depth)*(0 - s*disk.Rxz))\n  ry: r*((-1/depth)*(0 - s*disk.Ryz))\n  rz: r*((-1/depth)*(1 "
      "- s*s))\n"
      "constraints:\n  roll:\n    type: rates\n"
      "    equations: [disk.vx + (disk.wy*rz - disk.wz*ry), disk.vy + (disk.wz*rx - disk.wx*rz)]\n");
  expect_same_bits(built_in, written);
}

constexpr const char* kWords[] = {"px",    "py",      "pz",      "Rxx",     "Rxz",    "Rzy", "roll",
                                  "pitch", "yaw",     "vx",      "vy",      "vz",     "wx",  "wy",
                                  "wz",    "body.vx", "body.vz", "body.wy", "body.wz"};

// Three roads: the equations' definitions, the kinematics that files are checked with, and frame_motion().
TEST(FrameWords, MeanWhatTheFramesDoByThreeRoads) {
  std::string definitions;
  int number = 0;
  for (const char* word : kWords) definitions += "  d" + std::to_string(number++) + ": hand." + word + "\n";
  describe::Model model = describe::load_text(
      "name: words\nparameters: {L: 0.4}\nbodies:\n  box: {mass: 1.5, inertia: [0.5, 0.6, 0.7]}\n"
      "  arm: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.2, 0.25]}\n  nut: {mass: 0.5, inertia: [1, 1, "
      "1]}\n"
      "joints:\n  box: {type: free, parent: world, child: box, placement: {rpy: [0.3, 0.2, 0.1]}}\n"
      "  q: {type: universal, parent: box, child: arm, axes: [x, z], placement: {xyz: [0.1, 0.2, 0.3]}}\n"
      "  h: {type: helical, parent: arm, child: nut, axis: [0.6, 0, 0.8], pitch: 0.1, child_placement: {xyz: "
      "[0, 0.2, "
      "0]}}\n"
      "frames: {hand: {body: nut, placement: {xyz: [L, 0.2, 0.3], rpy: [0.5, -0.4, 0.7]}}}\n"
      "definitions:\n" +
          definitions,
      "words.yaml");
  const Equations equations(model);
  std::vector<Expr> formulas, expanded;
  {
    const algebra::Graph::Scope scope(support::graph_of(model));
    for (const describe::Definition& d : model.definitions) formulas.push_back(d.formula);
    expanded = describe::FrameKinematics(model).expand(formulas);
  }
  const std::vector<std::string> q_names = model.coordinate_names(), u_names = model.speed_names();
  for (unsigned seed = 0; seed < 4; ++seed) {
    const State s = random_state(model, 90 + seed);
    const std::vector<double> by_equations = value(equations.definitions(), s, "definitions");
    const std::vector<double> by_reader = algebra::evaluate(expanded, [&](Expr symbol) {
      const std::string& name = model.graph->symbol_name(symbol);
      for (std::size_t i = 0; i < q_names.size(); ++i)
        if (q_names[i] == name) return s.q[i];
      for (std::size_t i = 0; i < u_names.size(); ++i)
        if (u_names[i] == name || describe::rate_name(u_names[i]) == name) return s.u[i];
      return describe::parameter_value(model, name);
    });
    EXPECT_LT(support::difference(by_equations, by_reader), kTwoWays);
    const Function motion = equations.frame_motion(0);
    const std::vector<double> R = value(motion, s, "R"), p = value(motion, s, "p"), V = value(motion, s, "V");
    const auto own = [&](std::size_t k, std::size_t from) {
      return R[k] * V[from] + R[3 + k] * V[from + 1] + R[6 + k] * V[from + 2];
    };
    const std::vector<double> want = {p[0],
                                      p[1],
                                      p[2],
                                      R[0],
                                      R[2],
                                      R[7],
                                      std::atan2(R[7], R[8]),
                                      std::asin(-R[6]),
                                      std::atan2(R[3], R[0]),
                                      V[3],
                                      V[4],
                                      V[5],
                                      V[0],
                                      V[1],
                                      V[2],
                                      own(0, 3),
                                      own(2, 3),
                                      own(1, 0),
                                      own(2, 0)};
    EXPECT_LT(support::difference(by_equations, want), kTwoWays);
  }
}

TEST(FrameWords, TheJointsOwnSpeedsGoFirst) {
  const describe::Model model = describe::load_text(
      "name: m\nbodies: {b: {mass: 1, inertia: [1, 2, 2.5]}}\njoints: {b: {type: free, parent: world, child: "
      "b}}\n"
      "frames: {b: {body: b, placement: {xyz: [1, 0, 0]}}}\ndefinitions: {joint: b.vx, frame: b.body.vy}\n",
      "m.yaml");
  const State s = random_state(model, 5);
  const std::vector<double> values = value(Equations(model).definitions(), s, "definitions");
  EXPECT_EQ(values[0], s.u[3]);
  EXPECT_NEAR(values[1], s.u[4] + s.u[2], kTwoWays);  // v + w x (1, 0, 0)
}

// Speeds by a frame's angular velocity in its own axes: what a spherical joint has by itself.
TEST(FrameWords, DefineSpeeds) {
  const std::string body =
      "name: m\nbodies: {b: {mass: 1, com: [0.1, 0.2, 0.3], inertia: [0.4, 0.5, 0.6]}}\n";
  const describe::Model angles = describe::load_text(
      body +
          "joints: {b: {type: euler, order: zyx, parent: world, child: b}}\nframes: {f: {body: b}}\n"
          "speeds: {from_rates: {u1: f.body.wx, u2: f.body.wy, u3: f.body.wz}}\n",
      "m.yaml");
  // The same, written so that only algebra sees that a coefficient is 1: elements with and without a denominator in one row.
  const describe::Model written = describe::load_text(
      body +
          "joints: {b: {type: euler, order: zyx, names: [a, b, c], parent: world, child: b}}\n"
          "speeds: {from_rates: {u1: (c_dot - sin(b)*a_dot)*(cos(a)^2 + sin(a)^2), u2: cos(c)*b_dot + "
          "sin(c)*cos(b)*a_dot, "
          "u3: cos(c)*cos(b)*a_dot - sin(c)*b_dot}}\n",
      "m.yaml");
  const describe::Model quaternion =
      describe::load_text(body + "joints: {b: {type: spherical, parent: world, child: b}}\n", "m.yaml");
  State a;
  a.q = {0.3, -0.4, 0.5};
  a.u = {1.0, -0.7, 0.4};
  a.tau = {0.0, 0.0, 0.0};
  State b = a;
  const auto half = [&](std::size_t k) { return std::array{std::cos(a.q[k] / 2), std::sin(a.q[k] / 2)}; };
  const auto [cz, sz] = half(0);
  const auto [cy, sy] = half(1);
  const auto [cx, sx] = half(2);
  b.q = {cz * cy * cx + sz * sy * sx, cz * cy * sx - sz * sy * cx, cz * sy * cx + sz * cy * sx,
         sz * cy * cx - cz * sy * sx};
  const std::vector<double> by_angles = value(Equations(angles).forward_dynamics(), a, "udot"),
                            by_quaternion = value(Equations(quaternion).forward_dynamics(), b, "udot");
  EXPECT_LT(support::difference(by_angles, by_quaternion), kTwoWays);
  EXPECT_LT(support::difference(value(Equations(written).forward_dynamics(), a, "udot"), by_quaternion),
            kTwoWays);
}

}  // namespace
}  // namespace tactus::derive
