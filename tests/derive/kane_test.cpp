// Kane's method against the recursions, and the wrist of [Gillespie2003, Example 2].
#include <tactus/derive/readable/kane.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

TEST(Kane, AgreesWithTheRecursionsForJointRates) {
  for (const char* name : {"puma560", "scara", "joint_gallery", "rigid_body", "double_pendulum"}) {
    describe::Model model = model_named(name);
    model.point_springs.clear();
    model.frame_springs.clear();
    for (describe::Joint& joint : model.joints)
      for (describe::JointAxis& axis : joint.axes) axis.stiffness = Expr();
    Options options;
    options.friction = false;
    const Equations equations(model, options);
    auto graph = std::make_shared<algebra::Graph>();
    const algebra::Graph::Scope scope(*graph);
    const Symbols symbols(model, options);
    const Tree<Expr> tree = build_tree(model, Numbers(model));
    Motion<Expr> motion(tree);
    position(tree, symbols.q.data(), motion);
    const SpeedMap speeds = speed_map(model, symbols, Numbers(model));
    const std::vector<Expr> none(symbols.u.size());
    const KaneEquations kane_equations = kane(tree, motion, model, symbols, speeds, {}, none);
    const int nv = model.nv();
    const Function by_kane{"kane",
                           "",
                           graph,
                           symbols.inputs(true, {}, false),
                           {{"M", "", nv, nv, kane_equations.M}, {"h", "", nv, 1, kane_equations.h}}};
    const State s = random_state(model, 50);
    EXPECT_LT(difference(value(by_kane, s, "M"), value(equations.mass_matrix(), s, "M")), kRounding) << name;
    EXPECT_LT(difference(value(by_kane, s, "h"), value(equations.bias(), s, "h")), kRounding) << name;
  }
}

/// The state of the golden values, computed independently for both sets of speeds.
struct Wrist : testing::Test {
  State state(const std::vector<double>& u) const {
    State s;
    s.q = {0.3, 0.8, -0.4};
    s.u = u;
    s.udot = s.tau = {0.0, 0.0, 0.0};
    s.wrench = {0.1, -0.2, 0.05, 1.0, 2.0, -1.0};  // T and F in C's axes at C_o
    return s;
  }
  static Equations equations(const char* name) {
    Options options;
    const describe::Model model = model_named(name);
    options.wrenches = {{model.frame_index("C_o"), false}};
    return Equations(model, options);
  }
  const std::vector<double> rates{0.7, -0.3, 0.5};
  const std::vector<double> u{-0.3456845972039617, -0.4718644320350396, 0.9876946965430158};
  const std::vector<double> udot{-4.694274793322486, -23.544273064045182, 4.836883733877091};
  const std::vector<double> qdd{18.80320495609367, -20.108749474902716, -8.414080095352142};
  static constexpr double kPrinted = 1e-13;  // the golden values have 16 digits
};

TEST_F(Wrist, ReproducesTheGoldenStateWithSpeedsDefinedFromTheRates) {
  const Equations wrist = equations("spherical_wrist");
  EXPECT_LT(difference(value(wrist.speeds_from_rates(), state(rates), "u"), u), kPrinted);
  EXPECT_LT(difference(value(wrist.forward_dynamics(), state(u), "udot"), udot), kPrinted);
  EXPECT_LT(difference(value(wrist.forward_dynamics(), state(u), "qdot"), rates), kPrinted);
}

TEST_F(Wrist, ReproducesTheGoldenStateWithTheRatesDefinedFromTheSpeeds) {
  const Equations wrist = equations("spherical_wrist_rates");
  EXPECT_LT(difference(value(wrist.speeds_from_rates(), state(rates), "u"), u), kPrinted);
  EXPECT_LT(difference(value(wrist.forward_dynamics(), state(u), "udot"), udot), kPrinted);
}

TEST_F(Wrist, ReproducesTheGoldenStateWithJointRates) {
  EXPECT_LT(
      difference(value(equations("spherical_wrist_joint_rates").forward_dynamics(), state(rates), "udot"),
                 qdd),
      kPrinted);
}

TEST_F(Wrist, WellChosenSpeedsMakeTheMassMatrixConstant) {
  const Function M = equations("spherical_wrist").mass_matrix();
  for (const Expr element : M.outputs[0].entries) EXPECT_TRUE(element.is_constant());
}

TEST_F(Wrist, MassMatrixOfDefinedSpeedsIsTheJointRatesOneTransformed) {
  // M_u = W^T M_q W
  const Equations defined = equations("spherical_wrist"), plain = equations("spherical_wrist_joint_rates");
  const State s = state(u);
  const std::vector<double> M_q = value(plain.mass_matrix(), s, "M"),
                            M_u = value(defined.mass_matrix(), s, "M");
  std::vector<double> W(9);
  for (std::size_t r = 0; r < 3; ++r) {
    State unit = state({0.0, 0.0, 0.0});
    unit.u[r] = 1.0;
    const std::vector<double> column = value(defined.coordinate_rates(), unit, "qd");
    for (std::size_t j = 0; j < 3; ++j) W[j * 3 + r] = column[j];
  }
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t s2 = 0; s2 < 3; ++s2) {
      double sum = 0.0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) sum += W[i * 3 + r] * M_q[i * 3 + j] * W[j * 3 + s2];
      EXPECT_NEAR(sum, M_u[r * 3 + s2], kRounding);
    }
}

TEST(Speeds, FractionsAreReducedByTheirCommonFactors) {
  algebra::Graph graph;
  const algebra::Graph::Scope scope(graph);
  const Expr a = algebra::symbol("a"), b = algebra::symbol("b");
  EXPECT_EQ(reduced(sin(a) * cos(a) / (sin(a) * sin(b))), cos(a) / sin(b));
  EXPECT_EQ(reduced((Expr(1.0) - cos(a) * cos(a)) / sin(a)), sin(a));
}

TEST(Speeds, SingularDefinitionsAreRefused) {
  const std::string text =
      "name: m\nbodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n  q1: {type: prismatic, parent: world, child: a}\n  q2: {type: prismatic, parent: a, child: "
      "b, axis: x}\n"
      "speeds:\n  from_rates:\n    u1: q1_dot + q2_dot\n    u2: 2*q1_dot + 2*q2_dot\n";
  EXPECT_THROW(Equations(describe::load_text(text, "m.yaml")), InputError);
}

TEST(Speeds, TimeDependentDefinitionsKeepTheMotion) {
  // u = (1 + t^2) q_dot + sin(t): the pendulum's acceleration must not depend on how its speed is measured.
  const std::string head =
      "name: m\nbodies: {a: {mass: 2, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {q: {type: revolute, parent: world, child: a, axis: y}}\n";
  const describe::Model plain = describe::load_text(head, "m.yaml");
  const describe::Model timed =
      describe::load_text(head + "speeds: {from_rates: {w: (1 + t^2)*q_dot + sin(t)}}\n", "m.yaml");
  const double t = 0.7, q = 0.4, qd = 1.3, tau = 0.9;
  State s{t, {q}, {qd}, {0.0}, {tau}, {}};
  const double qdd = value(Equations(plain).forward_dynamics(), s, "udot")[0];
  s.u = {(1 + t * t) * qd + std::sin(t)};
  const double wd = value(Equations(timed).forward_dynamics(), s, "udot")[0];
  EXPECT_NEAR(wd, (1 + t * t) * qdd + 2 * t * qd + std::cos(t), kRounding);
  EXPECT_NEAR(value(Equations(timed).forward_dynamics(), s, "qdot")[0], qd, kRounding);
}

}  // namespace
}  // namespace tactus::derive
