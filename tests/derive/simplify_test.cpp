// Model-level simplification on random trees: whatever it does, the joint forces and the mass matrix stay.
#include <tactus/derive/tree/simplify.h>

#include <random>

#include <tactus/algebra/calculus.h>
#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/derive/recursion/newton_euler.h>
#include <tactus/derive/tree/build_tree.h>
#include <tactus/derive/tree/mass.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// A tree of 2 to 7 links with random joints, twists (often quarter turns, often parallel) and offsets.
class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : generator_(seed) {}

  Tree<Expr> make() {
    Tree<Expr> tree;
    const int size = 2 + pick(6);
    for (int i = 0; i < size; ++i) {
      Link<Expr> link;
      link.parent = i == 0 ? -1 : (pick(4) == 0 ? pick(i + 1) - 1 : i - 1);
      const LinkKind kinds[] = {LinkKind::revolute,  LinkKind::revolute, LinkKind::revolute,
                                LinkKind::prismatic, LinkKind::helical,  LinkKind::spherical};
      link.kind = kinds[pick(6)];
      link.q = tree.nq;
      link.v = tree.nv;
      tree.nq += link.kind == LinkKind::spherical ? 4 : 1;
      tree.nv += speed_count(link.kind);
      link.pitch = Expr(uniform());
      link.R_PJ = rotation();
      for (std::size_t k = 0; k < 3; ++k) link.p_PJ[k] = pick(2) ? Expr(uniform()) : Expr(0.0);
      MassMoments<Expr> mass;
      mass.m = Expr(1.0 + uniform());
      const bool round = pick(4) == 0;  // symmetric about its axis
      const double a = 1.2 + 0.2 * uniform();
      mass.sigma = {Expr(a), Expr(round ? a : 1.0), Expr(0.8), Expr(round ? 0.0 : 0.1), Expr(0.0), Expr(0.0)};
      Vec3<Expr> com = Vec3<Expr>::zero();
      com.z = Expr(uniform());
      if (!round) com.x = Expr(uniform());
      add_mass(link, seen_from(Pose<Expr>{Mat3<Expr>::identity(), com}, mass));
      for (Expr& x : link.armature) x = Expr(0.1 * (1.0 + uniform()));
      tree.links.push_back(link);
    }
    tree.gravity = {Expr(uniform()), Expr(uniform()), Expr(-9.81)};
    return tree;
  }

 private:
  int pick(int n) { return static_cast<int>(generator_() % static_cast<unsigned>(n)); }
  double uniform() { return std::uniform_real_distribution<double>(-0.9, 0.9)(generator_); }
  Mat3<Expr> rotation() {
    const double quarter = std::numbers::pi / 2;
    const auto turn = [&](double angle) {
      return std::pair{algebra::cos(Expr(angle)), algebra::sin(Expr(angle))};
    };
    switch (pick(4)) {
      case 0:
        return Mat3<Expr>::identity();
      case 1: {
        const auto [c, s] = turn(quarter * (pick(4)));
        return math::rotation_x(c, s);
      }
      case 2: {
        const auto [c, s] = turn(quarter * 2);  // against the parent's axis
        return math::rotation_y(c, s);
      }
      default: {
        const auto [ca, sa] = turn(uniform());
        const auto [cb, sb] = turn(uniform());
        const auto [cc, sc] = turn(uniform());
        return math::rotation_z(ca, sa) * math::rotation_x(cb, sb) * math::rotation_z(cc, sc);
      }
    }
  }
  std::mt19937 generator_;
};

struct Dynamics {
  std::vector<double> tau, M, udot;
};

Dynamics at(const Tree<Expr>& symbolic, unsigned seed) {
  const Tree<double> tree = numeric(symbolic);
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  std::vector<double> q, u, ud, torque;
  for (const Link<double>& link : tree.links) {
    if (link.kind == LinkKind::spherical) {
      q.insert(q.end(), {0.5, 0.5, -0.5, 0.5});
    } else {
      q.push_back(uniform(generator));
    }
  }
  for (int k = 0; k < tree.nv; ++k) {
    u.push_back(uniform(generator));
    ud.push_back(uniform(generator));
    torque.push_back(uniform(generator));
  }
  const auto n = static_cast<std::size_t>(tree.nv);
  Dynamics result{std::vector<double>(n), std::vector<double>(n * n), std::vector<double>(n)};
  Motion<double> motion(tree);
  std::vector<CompositeBody<double>> composite;
  ArticulatedMotion<double> work(tree);
  position(tree, q.data(), motion);
  newton_euler(tree, u.data(), ud.data(), {}, Policy{}, motion, result.tau.data());
  composite_body(tree, Policy{}, motion, composite, result.M.data());
  articulated_body(tree, u.data(), torque.data(), {}, Policy{}, motion, work, result.udot.data());
  return result;
}

TEST(Simplify, KeepsTheDynamicsOfRandomTrees) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    algebra::Graph graph;
    const algebra::Graph::Scope scope(graph);
    const Tree<Expr> described = RandomTree(seed).make();
    Tree<Expr> tree = described;
    turn_frames(tree);
    for (int i = 0; i < tree.size(); ++i) {
      for (const SlideAim& aim : slide_aims(tree, i)) {
        const std::optional<Expr> s = slide_for(tree, aim);
        if (!s || seed % 3 == static_cast<unsigned>(aim.what) % 3) continue;
        slide_frame(tree, i, *s);
        break;
      }
    }
    regroup_inertia(tree, std::vector<bool>(tree.links.size(), false));
    const Dynamics before = at(described, seed), after = at(tree, seed);
    EXPECT_LT(difference(before.tau, after.tau), kRounding) << "tree " << seed;
    EXPECT_LT(difference(before.M, after.M), kRounding) << "tree " << seed;
    // The condition of a light last link enters the accelerations.
    EXPECT_LT(difference(before.udot, after.udot), 1e-8) << "tree " << seed;
  }
}

TEST(Simplify, LeavesBaseParametersOnly) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const describe::Model model = model_named("general_6r");
  Tree<Expr> tree = build_tree(model, Numbers(model));
  turn_frames(tree);
  regroup_inertia(tree, std::vector<bool>(tree.links.size(), false));
  for (const Link<Expr>& link : tree.links) {
    EXPECT_TRUE(algebra::is_zero(link.m));
    EXPECT_TRUE(algebra::is_zero(link.h.z));
    EXPECT_TRUE(algebra::is_zero(link.sigma.zz));
  }
}

TEST(Simplify, SeesParallelAxesThroughAnyPlacement) {
  // Three parallel joints whose frames were drawn with odd turns about their axis, one of them upside down.
  const describe::Model model = describe::load_text(
      "name: m\nbodies:\n  a: {mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  c: {mass: 1, com: [0.1, 0.05, 0], inertia: [0.1, 0.1, 0.1]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: z, placement: {rpy: [90 deg, 0, 0]}}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0.1], rpy: [0, 0, 33 "
      "deg]}}\n"
      "  q3: {type: revolute, parent: b, child: c, axis: z, placement: {xyz: [0.3, 0.1, 0], rpy: [180 deg, "
      "0, 12 deg]}}\n",
      "m.yaml");
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  Tree<Expr> tree = build_tree(model, Numbers(model));
  turn_frames(tree);
  EXPECT_TRUE(is_identity(tree.links[1].R_PJ));
  EXPECT_TRUE(is_identity(tree.links[2].R_PJ));
  EXPECT_EQ(tree.links[2].sign, -1.0);
}

TEST(Simplify, LeavesOnlyATwistAboutXBetweenTwoTurningLinks) {
  // R_PJ = Rz(gamma) Rx(alpha) Rz(beta): the parent's frame takes gamma, the joint's zero beta.
  const describe::Model model = describe::load_text(
      "name: m\nbodies:\n  a: {mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
      "  b: {mass: 1, com: [0.1, 0.2, 0], inertia: [0.1, 0.2, 0.25]}\njoints:\n"
      "  q1: {type: revolute, parent: world, child: a, axis: z}\n"
      "  q2: {type: revolute, parent: a, child: b, axis: z, placement: {xyz: [0.4, 0, 0.1], rpy: [20 deg, 35 "
      "deg, 50 deg]}}\n",
      "m.yaml");
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  Tree<Expr> tree = build_tree(model, Numbers(model));
  const double twist = tree.links[1].R_PJ(2, 2).value();
  turn_frames(tree);
  const Mat3<Expr>& R = tree.links[1].R_PJ;
  EXPECT_TRUE(R(0, 0).is_constant(1.0));
  for (std::size_t k = 1; k < 3; ++k) {
    EXPECT_TRUE(algebra::is_zero(R(0, k)));
    EXPECT_TRUE(algebra::is_zero(R(k, 0)));
  }
  EXPECT_NEAR(R(2, 2).value(), twist, 1e-15);
}

}  // namespace
}  // namespace tactus::derive
