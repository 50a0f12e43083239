// The constrained models that come with Tactus: they start assembled, and accelerate as the papers' cases
// say.
#include <algorithm>
#include <map>

#include <tactus/describe/read/load.h>

#include "random_state.h"
#include "support/model_graph.h"
#include "support/paths.h"

namespace tactus::derive {
namespace {

/// Initial values are written with sixteen digits, in metres and radians.
constexpr double kAssembled = 1e-12;
/// The golden values have ten digits and more.
constexpr double kGolden = 1e-10;

State initial_state(const describe::Model& model) {
  State s;
  s.q = model.initial_q;
  s.u = model.initial_u;
  s.udot.assign(s.u.size(), 0.0);
  s.tau.assign(s.u.size(), 0.0);
  return s;
}

using ByName = std::map<std::string, double>;

/// The initial state, with these forces at the joints.
State driven(const describe::Model& model, const ByName& forces) {
  State s = initial_state(model);
  std::size_t i = 0;
  for (const describe::Joint& joint : model.joints) {
    for (const describe::JointAxis& axis : joint.axes) {
      if (const auto found = forces.find(axis.name); found != forces.end()) s.tau[i] = found->second;
      ++i;
    }
  }
  return s;
}

void expect_speeds(const describe::Model& model, const std::vector<double>& values, const ByName& expected) {
  const std::vector<std::string> names = model.speed_names();
  for (const auto& [name, number] : expected) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    ASSERT_LT(at, names.size()) << name;
    EXPECT_NEAR(values[at], number, kGolden * (1.0 + std::fabs(number))) << name;
  }
}

void expect_rows(const Equations& equations, const std::vector<double>& lambda, const ByName& expected) {
  for (const auto& [label, number] : expected) {
    bool found = false;
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      if (equations.constraint_rows()[k].label != label) continue;
      found = true;
      EXPECT_NEAR(lambda[k], number, kGolden * (1.0 + std::fabs(number))) << label;
    }
    EXPECT_TRUE(found) << label;
  }
}

std::vector<bool> rows_of_active_constraints(const Equations& equations) {
  std::vector<bool> active;
  for (const ConstraintRow& row : equations.constraint_rows())
    active.push_back(equations.model().constraints[static_cast<std::size_t>(row.constraint)].active);
  return active;
}

struct Expected {
  const char* name;
  int speeds, rows;  // of the active constraints, without those that vanish by structure
};

constexpr Expected kModels[] = {{"slider_crank", 2, 1},
                                {"particle_on_circle", 2, 1},
                                {"rolling_disk", 6, 4},
                                {"disk_on_sphere", 6, 3},
                                {"two_link_on_circle", 2, 1},
                                {"disk_on_ramp", 3, 2},
                                {"shopping_cart", 4, 2},
                                {"point_pendulum", 2, 1},
                                {"four_bar", 3, 2},
                                {"four_bar_ladder", 5, 4},
                                {"andrews", 7, 6},
                                {"peaucellier", 7, 6},
                                {"bricard", 5, 5},
                                {"stewart_platform", 24, 18},
                                {"rolling_sphere", 6, 3},
                                {"single_track", 9, 6},
                                {"sleigh", 3, 1}};

void PrintTo(const Expected& model, std::ostream* out) { *out << model.name; }

class ConstrainedModels : public testing::TestWithParam<Expected> {};

TEST_P(ConstrainedModels, StartAssembledAndMoveAsTheirConstraintsAllow) {
  const describe::Model model = model_named(GetParam().name);
  const Equations equations(model);
  const std::vector<bool> active = rows_of_active_constraints(equations);
  EXPECT_EQ(equations.nv(), GetParam().speeds);
  EXPECT_EQ(std::count(active.begin(), active.end(), true), GetParam().rows);
  const State start = initial_state(model);
  const std::vector<double> Phi = value(equations.constraint_terms(), start, "Phi"),
                            velocity = value(equations.constraint_terms(), start, "velocity");
  for (std::size_t k = 0; k < active.size(); ++k) {
    if (!active[k]) continue;
    EXPECT_NEAR(Phi[k], 0.0, kAssembled) << equations.constraint_rows()[k].label;
    EXPECT_NEAR(velocity[k], 0.0, kAssembled) << equations.constraint_rows()[k].label;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ConstrainedModels, testing::ValuesIn(kModels),
                         [](const auto& info) { return std::string(info.param.name); });

// [Aghili2005, VIII-A], recomputed in closed form at q = (2 pi/3, 2 pi/3), u = (1, -2) and 1 N m at the
// crank. The paper writes the constraint force with the other sign.
TEST(ConstrainedModels, TheSliderCrankAcceleratesAsItsReducedEquationSays) {
  const describe::Model model = model_named("slider_crank");
  const Equations equations(model);
  State s = driven(model, {{"q1", 1.0}});
  s.u = {1.0, -2.0};
  const Function dynamics = equations.constrained_dynamics();
  expect_speeds(model, value(dynamics, s, "udot"), {{"q1", 1.909262701892}, {"q2", -3.818525403784}});
  expect_rows(equations, value(dynamics, s, "lambda"), {{"slider.z", 13.805737298108}});
}

// [Faulring2006, III-A]: rows of (25), closed form of the accelerations, forces (2, -1, 5, 0.05, -0.04,
// 0.02).
TEST(ConstrainedModels, TheRollingDiskOfFaulring) {
  const describe::Model model = model_named("rolling_disk");
  const Equations equations(model);
  const State s =
      driven(model, {{"q1", 2}, {"q2", -1}, {"q3", 5}, {"q4", 0.05}, {"q5", -0.04}, {"q6", 0.02}});
  const Function dynamics = equations.constrained_dynamics();
  expect_speeds(model, value(dynamics, s, "udot"),
                {{"q1", -.6721391316721537},
                 {"q2", -.1702339405519617},
                 {"q3", 0},
                 {"q4", -12},
                 {"q5", 23.08088691827664},
                 {"q6", 0}});
  expect_rows(equations, value(dynamics, s, "lambda"),
              {{"height", -5},
               {"upright", -.023},
               {"rolling.1", -2.125044640907386},
               {"rolling.2", .97073992416177}});
}

TEST(ConstrainedModels, TheRollingDiskMovesTheSameByTheGeometryOfRolling) {
  const describe::Model paper = model_named("rolling_disk");
  describe::Model geometric = paper;
  {
    const algebra::Graph::Scope scope(support::graph_of(geometric));
    describe::Constraint rolling;
    rolling.name = "rolling";
    rolling.type = describe::ConstraintType::rolling;
    rolling.rolling = describe::Rolling::disk_on_plane;
    rolling.radius = Expr(0.03);
    rolling.frame_b = geometric.frame_index("disk");
    geometric.frames.push_back({});
    rolling.frame_a = static_cast<int>(geometric.frames.size()) - 1;
    geometric.constraints = {rolling, geometric.constraints[1]};
  }
  const State s =
      driven(paper, {{"q1", 2}, {"q2", -1}, {"q3", 5}, {"q4", 0.05}, {"q5", -0.04}, {"q6", 0.02}});
  EXPECT_LT(difference(value(Equations(paper).constrained_dynamics(), s, "udot"),
                       value(Equations(geometric).constrained_dynamics(), s, "udot")),
            kRounding);
}

// [Faulring2006, III-B] with R instead of the printed R^T.
TEST(ConstrainedModels, TheDiskOnTheSphereOfFaulringCorrected) {
  const describe::Model model = model_named("disk_on_sphere");
  const Equations equations(model);
  const State s =
      driven(model, {{"q1", 2}, {"q2", -1}, {"q3", 5}, {"q4", 0.05}, {"q5", -0.04}, {"q6", 0.02}});
  const Function dynamics = equations.constrained_dynamics();
  expect_speeds(model, value(dynamics, s, "udot"),
                {{"q1", .76132687699138},
                 {"q2", 2.002036035097691},
                 {"q3", 3.220073377333915},
                 {"q4", 29.110909377130312},
                 {"q5", 16.70810806257324},
                 {"q6", -72.44639692600913}});
  expect_rows(equations, value(dynamics, s, "lambda"),
              {{"tangent.x", -1.771590759748061},
               {"tangent.y", 1.49804369231965},
               {"tangent.z", -4.221717876468364}});
}

// [Faulring2006, III-C] with the force (1, 2) at the end point.
TEST(ConstrainedModels, TheTwoLinkArmOfFaulring) {
  const describe::Model model = model_named("two_link_on_circle");
  const Equations equations(model);
  State s = initial_state(model);
  const std::vector<double> J = value(equations.frame_motion(model.frame_index("end")), s, "J");
  for (std::size_t i = 0; i < 2; ++i) s.tau[i] = J[3 * 2 + i] * 1.0 + J[4 * 2 + i] * 2.0;
  expect_speeds(model, value(equations.constrained_dynamics(), s, "udot"),
                {{"q1", -2.0176622897612604}, {"q2", 2.3958639242784274}});
}

// [Gillespie2003, example 3]: the free cart (63), and the stuck one (67) without the velocity terms it
// prints.
TEST(ConstrainedModels, TheShoppingCartFreeAndStuck) {
  const describe::Model model = model_named("shopping_cart");
  const Equations equations(model);
  // F = 15 N along b1 at P1 and -3 N m on the basket.
  State s = driven(model, {{"q1", 15 * std::cos(0.3)}, {"q2", 15 * std::sin(0.3)}, {"q3", -3}});
  expect_speeds(model, s.u, {{"u3", -.6591840877948437}});
  expect_speeds(
      model, value(equations.constrained_dynamics(rows_of_active_constraints(equations)), s, "udot"),
      {{"u1", .8112104746208149}, {"u2", -1.4144559951954845}, {"u3", .690917879380688}, {"u4", 0}});
  const double k = .6635752607695206;
  s.u = {1.2, k * 1.2, k * 1.2, 0.0};
  expect_speeds(model, value(equations.constrained_dynamics(), s, "udot"),
                {{"u1", .5192555392944916}, {"u2", .3445651298933603}});
}

// Bari test set: accelerations and multipliers at the start; its constraint forces have the other sign.
TEST(ConstrainedModels, TheSqueezingMechanismOfAndrewsStartsAsPublished) {
  const describe::Model model = model_named("andrews");
  const Equations equations(model);
  const State s = driven(model, {{"beta", 0.033}});
  const std::vector<double> udot = value(equations.constrained_dynamics(), s, "udot");
  constexpr double kBalance =
      1e-6;  // [rad/s^2]: the spring's force and its reactions cancel, of some 1e4 each
  const std::vector<std::string> names = model.speed_names();
  const ByName expected = {{"beta", 14222.443919954114}, {"Theta", -10666.832939965585}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = expected.find(names[i]);
    EXPECT_NEAR(udot[i], found == expected.end() ? 0.0 : found->second, kBalance * 1e4) << names[i];
  }
}

// The point C of the inversor is on the line x = (L^2 - s^2)/(2 r) wherever the crank is.
TEST(ConstrainedModels, PeaucellierDrawsAStraightLine) {
  const describe::Model model = model_named("peaucellier");
  const Equations equations(model);
  const State s = initial_state(model);
  const Function motion = equations.frame_motion(model.frame_index("C"));
  EXPECT_NEAR(value(motion, s, "p")[0], (0.6 * 0.6 - 0.25 * 0.25) / 0.4, kAssembled);
  // Whatever the free motion is, C moves along the line and is not accelerated across it.
  State moving = s;
  const Function dynamics = equations.constrained_dynamics();
  moving.udot = value(dynamics, s, "udot");
  EXPECT_GT(std::fabs(value(motion, moving, "A")[5]), 1.0);
  EXPECT_NEAR(value(motion, moving, "A")[3], 0.0, kGolden);
}

TEST(ConstrainedModels, TheLadderIsAsLongAsItsParameterSays) {
  const describe::Model model =
      describe::load(tactus::support::source_dir() + "/models/four_bar_ladder.yaml", {{"N", "12"}});
  EXPECT_EQ(model.nv(), 25);
  const Equations equations(model);
  EXPECT_EQ(equations.constraint_rows().size(), 24u);
  EXPECT_LT(largest(value(equations.constraint_terms(), initial_state(model), "velocity")), kAssembled);
}

// The bicycle upright and straight: it rolls on without acceleration.
TEST(ConstrainedModels, TheBicycleGoesStraightWhenUpright) {
  const describe::Model model = model_named("single_track");
  const Equations equations(model);
  EXPECT_LT(largest(value(equations.constrained_dynamics(), initial_state(model), "udot")), 1e-9);
}

}  // namespace
}  // namespace tactus::derive
