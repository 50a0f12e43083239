// Closed and rolling mechanisms of the seeds, small enough to be written here.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <tactus/algebra/expr.h>
#include <tactus/describe/read/load.h>
#include <tactus/simulate/constraints/assembly.h>
#include <tactus/simulate/motion/simulation.h>
#include "support/model_graph.h"

namespace tactus::simulate::test {

using describe::ConstraintType;
using describe::Model;
using std::numbers::pi;

inline describe::Constraint& add_constraint(Model& model, const std::string& name, ConstraintType type) {
  model.constraints.push_back({});
  describe::Constraint& c = model.constraints.back();
  c.name = name;
  c.type = type;
  return c;
}

inline void close_revolute(Model& model, const std::string& name, const std::string& a,
                           const std::string& b) {
  describe::Constraint& c = add_constraint(model, name, ConstraintType::closure);
  c.kind = "revolute";
  c.closure = describe::JointType::revolute;
  c.frame_a = model.frame_index(a);
  c.frame_b = model.frame_index(b);
}

/// [Aghili2005, section VIII-A]: two links of length 1 with point masses 1 at their ends; the tip stays on
/// the x axis. The constraint vanishes, with its whole row, at q1 = pi/2, q2 = pi.
inline Model slider_crank(double gravity, int copies = 1) {
  Model model = describe::load_text("name: slider_crank\ngravity: [0, " + std::to_string(-gravity) +
                                        ", 0]\n"
                                        "bodies:\n"
                                        "  crank: {mass: 1, com: [1, 0, 0]}\n"
                                        "  rod: {mass: 1, com: [1, 0, 0]}\n"
                                        "joints:\n"
                                        "  q1: {type: revolute, parent: world, child: crank, axis: z}\n"
                                        "  q2: {type: revolute, parent: crank, child: rod, axis: z,"
                                        " placement: {xyz: [1, 0, 0]}}\n",
                                    "slider_crank.yaml");
  algebra::Graph::Scope scope(support::graph_of(model));
  const algebra::Expr q1 = algebra::symbol("q1"), q2 = algebra::symbol("q2");
  for (int i = 0; i < copies; ++i) {
    describe::Constraint& c =
        add_constraint(model, i == 0 ? "slider" : "copy" + std::to_string(i), ConstraintType::equation);
    // Copies in other units: nothing may depend on how a row is written.
    c.equations = {algebra::Expr(i == 0 ? 1.0 : 1e3 * i) * (sin(q1) + sin(q1 + q2))};
  }
  return model;
}

/// The row of parallelograms of IFToMM's benchmark A02: loops + 1 rods on the ground, couplers between their
/// tips.
inline Model ladder(int loops) {
  const std::string rod = "{mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}";
  std::string bodies = "  rod0: " + rod + "\n", frames,
              joints = "  theta0: {type: revolute, parent: world, child: rod0, axis: z}\n";
  for (int i = 1; i <= loops; ++i) {
    const std::string k = std::to_string(i), before = std::to_string(i - 1);
    bodies += "  coupler" + k + ": " + rod + "\n  rod" + k + ": " + rod + "\n";
    joints += "  phi" + k + ": {type: revolute, parent: rod" + before + ", child: coupler" + k +
              ", axis: z, placement: {xyz: [1, 0, 0]}}\n";
    joints += "  theta" + k + ": {type: revolute, parent: world, child: rod" + k +
              ", axis: z, placement: {xyz: [" + k + ", 0, 0]}}\n";
    frames += "  tip" + k + ": {body: rod" + k + ", placement: {xyz: [1, 0, 0]}}\n";
    frames += "  end" + k + ": {body: coupler" + k + ", placement: {xyz: [1, 0, 0]}}\n";
  }
  Model model = describe::load_text("name: ladder\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" +
                                        joints + "frames:\n" + frames,
                                    "ladder.yaml");
  for (int i = 1; i <= loops; ++i) {
    const std::string k = std::to_string(i);
    close_revolute(model, "loop" + k, "tip" + k, "end" + k);
  }
  return model;
}

/// Its state with all rods at the angle theta, turning at the rate.
inline State ladder_state(int loops, double theta, double rate) {
  State state{0.0, {theta}, {rate}, {}};
  for (int i = 0; i < loops; ++i) {
    for (const double sign : {-1.0, 1.0}) {
      state.q.push_back(sign * theta);
      state.u.push_back(sign * rate);
    }
  }
  return state;
}

/// [Gillespie2003, example 3]: a cart with two wheels at P1 and a caster, `stick` locks the caster's angle.
/// Numbers of its mass and size are chosen.
inline Model shopping_cart() {
  Model model = describe::load_text(
      "name: cart\n"
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  cart: {mass: 20, com: [0.4, 0, 0], inertia: [0, 2.5, 2.5]}\n"
      "  caster: {mass: 2, com: [-0.15, 0, 0]}\n"
      "joints:\n"
      "  cart: {type: planar, parent: world, child: cart}\n"
      "  q4: {type: revolute, parent: cart, child: caster, axis: z, placement: {xyz: [0.8, 0, 0]}}\n"
      "frames:\n"
      "  ground: {body: world}\n"
      "  P1: {body: cart}\n"
      "  P3: {body: caster, placement: {xyz: [-0.15, 0, 0]}}\n",
      "cart.yaml");
  for (const char* frame : {"P1", "P3"}) {
    describe::Constraint& c = add_constraint(model, std::string("wheel_") + frame, ConstraintType::rolling);
    c.rolling = describe::Rolling::knife_edge;
    c.frame_a = model.frame_index("ground");
    c.frame_b = model.frame_index(frame);
  }
  algebra::Graph::Scope scope(support::graph_of(model));
  describe::Constraint& stick = add_constraint(model, "stick", ConstraintType::rates);
  stick.equations = {algebra::symbol("q4_dot")};
  stick.active = false;
  return model;
}

/// [Faulring2006, section IV-C]: two uniform rods of 0.15 m and 2 kg, base at (-0.21, 0); the tip on the
/// circle of radius 0.05 about the origin.
inline Model two_link_on_circle(double damping) {
  const std::string rod = "{mass: 2, com: [0.075, 0, 0], inertia: [0, 2*0.15^2/12, 2*0.15^2/12]}";
  const std::string friction = ", damping: " + std::to_string(damping) + "}\n";
  Model model = describe::load_text(
      "name: two_link_on_circle\ngravity: [0, 0, 0]\nbodies:\n  upper: " + rod + "\n  fore: " + rod +
          "\njoints:\n  q1: {type: revolute, parent: world, child: upper, axis: z, placement: {xyz: [-0.21, "
          "0, 0]}" +
          friction +
          "  q2: {type: revolute, parent: upper, child: fore, axis: z, placement: {xyz: [0.15, 0, 0]}" +
          friction +
          "frames:\n  centre: {body: world}\n  tip: {body: fore, placement: {xyz: [0.15, 0, 0]}}\n",
      "two_link.yaml");
  describe::Constraint& c = add_constraint(model, "circle", ConstraintType::on_circle);
  c.frame_a = model.frame_index("centre");
  c.frame_b = model.frame_index("tip");
  algebra::Graph::Scope scope(support::graph_of(model));
  c.radius = algebra::Expr(0.05);
  return model;
}

/// A chain of six hinges in space whose last body carries a ball joint to the ground, and a free body hanging
/// on it by a universal closure: quaternions, several loops, rows in metres and radians.
inline Model spatial_loops() {
  std::string bodies, joints;
  const char* axes[] = {"z", "y", "y", "x", "y", "z"};
  for (int i = 0; i < 6; ++i) {
    const std::string k = std::to_string(i);
    bodies += "  link" + k + ": {mass: " + std::to_string(1.0 + 0.3 * i) +
              ", com: [0.1, 0.05, 0.02], inertia: [0.02, 0.03, 0.025]}\n";
    joints += "  q" + k +
              ": {type: revolute, parent: " + (i == 0 ? "world" : "link" + std::to_string(i - 1)) +
              ", child: link" + k + ", axis: " + axes[i] + ", placement: {xyz: [0.2, 0.05, 0.1]}}\n";
  }
  Model model =
      describe::load_text("name: loops\nbodies:\n" + bodies +
                              "  drum: {mass: 2, com: [0, 0, 0.1], inertia: [0.1, 0.2, 0.15]}\njoints:\n" +
                              joints + "  drum: {type: free, parent: world, child: drum}\n" +
                              "frames:\n  anchor: {body: world, placement: {xyz: [0.6, 0.2, 0.3]}}\n"
                              "  hook: {body: link5, placement: {xyz: [0.1, 0, 0.05]}}\n"
                              "  shoulder: {body: link2, placement: {xyz: [0, 0.2, 0]}}\n"
                              "  pin: {body: drum, placement: {xyz: [0, 0.3, 0.1]}}\n",
                          "loops.yaml");
  describe::Constraint& ball = add_constraint(model, "ball", ConstraintType::closure);
  ball.kind = "spherical";
  ball.closure = describe::JointType::spherical;
  ball.frame_a = model.frame_index("anchor");
  ball.frame_b = model.frame_index("hook");
  describe::Constraint& cross = add_constraint(model, "cross", ConstraintType::closure);
  cross.kind = "universal";
  cross.closure = describe::JointType::universal;
  cross.frame_a = model.frame_index("shoulder");
  cross.frame_b = model.frame_index("pin");
  return model;
}

/// The mechanism's arguments t q u tau wrench.
inline std::vector<double> arguments_of(const State& state, const std::vector<double>& tau) {
  std::vector<double> result{state.t};
  result.insert(result.end(), state.q.begin(), state.q.end());
  result.insert(result.end(), state.u.begin(), state.u.end());
  result.insert(result.end(), tau.begin(), tau.end());
  return result;
}

}  // namespace tactus::simulate::test
