// The terms of a step with contact, by blocks, against the same quantities derived as wholes.
#include <chrono>

#include <fmt/format.h>

#include <tactus/algebra/expr.h>

#include "random_state.h"
#include "support/model_graph.h"

namespace tactus::derive {
namespace {

constexpr const char* kTwoTrees = R"(
name: two_trees
bodies:
  box: {mass: 1.5, com: [0.1, 0, 0.05], inertia: [0.5, 0.6, 0.7]}
  upper: {mass: 1, com: [0.2, 0, 0.1], inertia: [0.1, 0.2, 0.25]}
  fore: {mass: 0.8, com: [0.1, 0.1, 0], inertia: [0.1, 0.15, 0.2]}
  ball: {mass: 0.4, inertia: [0.01, 0.01, 0.01]}
  slider: {mass: 0.5, com: [0, 0.1, 0], inertia: [0.05, 0.06, 0.07]}
  post: {mass: 1, inertia: [0.1, 0.1, 0.1]}
joints:
  box: {type: free, parent: world, child: box}
  q1: {type: revolute, parent: world, child: upper, axis: z, placement: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, 0.2, 0.1]}}
  q2: {type: revolute, parent: upper, child: fore, axis: [0.6, 0, 0.8], placement: {xyz: [0.5, 0, 0]}}
  ball: {type: spherical, parent: world, child: ball, placement: {xyz: [1, 0, 0]}}
  q3: {type: prismatic, parent: world, child: slider, axis: x}
  post: {type: weld, parent: world, child: post, placement: {xyz: [0, 0, 1], rpy: [0.1, 0, 0]}}
frames:
  hand: {body: fore, placement: {xyz: [0.1, 0.2, 0.3]}}
constraints:
  hold: {type: spherical, a: box, b: hand}
  lock: {type: lock, joint: q3, at: 0.1}
)";

/// With a frame at the origin of every body, named after it.
describe::Model with_body_frames(describe::Model model) {
  const algebra::Graph::Scope scope(support::graph_of(model));
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    describe::Frame frame;
    frame.name = "origin of " + model.bodies[b].name;
    frame.body = static_cast<int>(b);
    model.frames.push_back(frame);
  }
  return model;
}

/// The block's part of a full matrix with nv columns; everything outside of it, in the given rows, is zero.
std::vector<double> part_of(const std::vector<double>& matrix, std::size_t nv, const std::vector<int>& rows,
                            const std::vector<int>& columns) {
  std::vector<double> part;
  std::vector<bool> inside(nv, false);
  for (const int c : columns) inside[static_cast<std::size_t>(c)] = true;
  for (const int row : rows) {
    const double* x = matrix.data() + static_cast<std::size_t>(row) * nv;
    for (const int c : columns) part.push_back(x[c]);
    for (std::size_t c = 0; c < nv; ++c) {
      if (!inside[c]) {
        EXPECT_EQ(x[c], 0.0) << "row " << row << " reaches speed " << c << " of another block";
      }
    }
  }
  return part;
}

void expect_the_same_as_wholes(const describe::Model& plain) {
  const describe::Model model = with_body_frames(plain);
  const Equations equations(model);
  const auto nv = static_cast<std::size_t>(equations.nv());
  std::vector<int> bodies;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) bodies.push_back(static_cast<int>(b));
  const Function terms = equations.contact_terms(bodies);
  const Function M = equations.mass_matrix(), whole = equations.constrained_terms(),
                 poses = equations.body_poses();
  std::vector<Function> motions;
  for (std::size_t f = plain.frames.size(); f < model.frames.size(); ++f) {
    motions.push_back(equations.frame_motion(static_cast<int>(f)));
  }
  for (unsigned seed = 0; seed < 2; ++seed) {
    const State s = random_state(model, seed + 3);
    EXPECT_LT(difference(value(terms, s, "Q"), value(whole, s, "Q")), kRounding);
    EXPECT_LT(difference(value(terms, s, "qdot"), value(whole, s, "qdot")), kRounding);
    const std::vector<double> full = value(M, s, "M");
    std::vector<double> A;
    if (!equations.constraint_rows().empty()) {
      A = value(whole, s, "A");
      for (const char* name : {"Phi", "velocity", "gamma"}) {
        EXPECT_LT(difference(value(terms, s, name), value(whole, s, name)), kRounding) << name;
      }
    }
    std::size_t speeds = 0, rows = 0;
    for (std::size_t k = 0; k < equations.blocks().size(); ++k) {
      const SpeedBlock& block = equations.blocks()[k];
      speeds += block.speeds.size();
      rows += block.rows.size();
      EXPECT_LT(
          difference(value(terms, s, fmt::format("M_{}", k)), part_of(full, nv, block.speeds, block.speeds)),
          kRounding);
      if (block.rows.empty()) continue;
      EXPECT_LT(difference(value(terms, s, fmt::format("A_{}", k)), part_of(A, nv, block.rows, block.speeds)),
                kRounding);
    }
    EXPECT_EQ(speeds, nv);
    EXPECT_EQ(rows, equations.constraint_rows().size());
    for (std::size_t b = 1; b < model.bodies.size(); ++b) {
      SCOPED_TRACE(model.bodies[b].name);
      const Function& motion = motions[b - 1];
      EXPECT_LT(
          difference(value(terms, s, fmt::format("X_{}", b)), value(poses, s, "X_" + model.bodies[b].name)),
          kRounding);
      EXPECT_LT(difference(value(terms, s, fmt::format("V_{}", b)), value(motion, s, "V")), kRounding);
      EXPECT_LT(difference(value(terms, s, fmt::format("a_{}", b)), value(motion, s, "Jdot_u")), kRounding);
      const int k = equations.block_of_body(static_cast<int>(b));
      if (k < 0) continue;
      EXPECT_LT(difference(value(terms, s, fmt::format("J_{}", b)),
                           part_of(value(motion, s, "J"), nv, {0, 1, 2, 3, 4, 5},
                                   equations.blocks()[static_cast<std::size_t>(k)].speeds)),
                kRounding);
    }
  }
}

class ContactTermsOf : public testing::TestWithParam<const char*> {};

TEST_P(ContactTermsOf, AreThePartsOfTheWholes) { expect_the_same_as_wholes(model_named(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Models, ContactTermsOf,
                         testing::Values("rigid_body", "planar_3r", "joint_gallery", "four_bar",
                                         "four_bar_ladder", "slider_crank", "shopping_cart", "disk_on_ramp",
                                         "rolling_disk", "spherical_wrist_rates", "stewart_platform",
                                         "bricard"),
                         [](const auto& info) { return std::string(info.param); });

TEST(ContactTerms, AreThePartsOfTheWholesWithSeveralTrees) {
  expect_the_same_as_wholes(describe::load_text(kTwoTrees, "two_trees"));
}

TEST(ContactTerms, BlocksAreTreesJoinedByConstraints) {
  const Equations equations(describe::load_text(kTwoTrees, "two_trees"));
  const std::vector<SpeedBlock>& blocks = equations.blocks();
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].speeds, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));  // box, q1, q2: held together
  EXPECT_EQ(blocks[0].rows, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(blocks[1].speeds, (std::vector<int>{8, 9, 10}));
  EXPECT_TRUE(blocks[1].rows.empty());
  EXPECT_EQ(blocks[2].speeds, std::vector<int>{11});
  EXPECT_EQ(blocks[2].rows, std::vector<int>{3});
  EXPECT_EQ(equations.block_of_body(0), -1);
  EXPECT_EQ(equations.block_of_body(1), 0);
  EXPECT_EQ(equations.block_of_body(3), 0);
  EXPECT_EQ(equations.block_of_body(5), 2);
  EXPECT_EQ(equations.block_of_body(6), -1) << "welded to the ground";
}

/// `count` free bodies of their own inertia each.
describe::Model free_bodies(int count) {
  std::string text = "name: heap\nbodies:\n";
  for (int b = 0; b < count; ++b) {
    text += fmt::format("  b{}: {{mass: {}, com: [0.01, 0.02, 0.03], inertia: [0.5, 0.6, 0.7]}}\n", b,
                        1.0 + 0.01 * b);
  }
  text += "joints:\n";
  for (int b = 0; b < count; ++b)
    text += fmt::format("  j{}: {{type: free, parent: world, child: b{}}}\n", b, b);
  return describe::load_text(text, "heap");
}

TEST(ContactTerms, GrowInProportionToTheNumberOfBodies) {
  const auto size_of = [](int count) {
    const Equations equations(free_bodies(count));
    std::vector<int> bodies;
    for (int b = 1; b <= count; ++b) bodies.push_back(b);
    const Function terms = equations.contact_terms(bodies);
    return std::pair(terms.output_size(), terms.graph->size());
  };
  const auto few = size_of(20), many = size_of(200);
  EXPECT_EQ(many.first, 10 * few.first);
  EXPECT_LT(many.second, 11 * few.second);
}

TEST(ContactTerms, OfTwoHundredFreeBodiesAreDerivedWellUnderASecond) {
  const describe::Model model = free_bodies(200);
  std::vector<int> bodies;
  for (int b = 1; b <= 200; ++b) bodies.push_back(b);
  const auto start = std::chrono::steady_clock::now();
  const Function terms = Equations(model).contact_terms(bodies);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("milliseconds", std::to_string(1e3 * seconds));
  EXPECT_GT(terms.output_size(), 200U * 6U);
  // About 20 ms alone on a core; room for a loaded machine and for sanitizers.
  constexpr double kWellUnderASecond = 0.5;
  EXPECT_LT(seconds, kWellUnderASecond);
}

}  // namespace
}  // namespace tactus::derive
