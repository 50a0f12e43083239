// Robot files with the habits of exporters: each gives the forces and poses that an independent recursion gives.
#include <fstream>

#include <tactus/derive/equations.h>
#include <tactus/derive/recursion/articulated_body.h>
#include <tactus/derive/recursion/composite_body.h>
#include <tactus/describe/read/load.h>
#include <tactus/math/rotation.h>

#include "plain_robot.h"
#include "random_state.h"

namespace tactus::derive {
namespace {

/// Rounding of some hundred operations with numbers of size 10.
constexpr double kSameForces = 1e-12;

std::string robot_file(const std::string& name) {
  return tactus::support::source_dir() + "/tests/describe/robots/" + name;
}

describe::Model as_written(const std::string& name) {
  return describe::load(robot_file(name), {}, {.angles = describe::Reading::Angles::written});
}

/// The state joint by joint, by the lines that the joints stand in.
void put(const describe::Model& model, const State& s, test::PlainRobot& robot) {
  std::size_t q = 0, u = 0;
  for (const describe::Joint& joint : model.joints) {
    const auto nq = static_cast<std::size_t>(describe::coordinate_count(joint.type)), nu = joint.axes.size();
    for (test::PlainRobot::Joint& other : robot.joints) {
      if (other.line != joint.where.line) continue;
      const auto part = [](const std::vector<double>& all, std::size_t from, std::size_t count) {
        return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(from + count));
      };
      other.q = part(s.q, q, nq);
      other.u = part(s.u, u, nu);
      other.udot = part(s.udot, u, nu);
    }
    q += nq;
    u += nu;
  }
}

std::vector<double> forces(const describe::Model& model, const test::PlainRobot& robot) {
  std::vector<double> tau;
  for (const describe::Joint& joint : model.joints)
    for (const test::PlainRobot::Joint& other : robot.joints)
      if (other.line == joint.where.line) tau.insert(tau.end(), other.tau.begin(), other.tau.end());
  return tau;
}

class RobotFiles : public testing::TestWithParam<const char*> {};

TEST_P(RobotFiles, GiveTheForcesOfAnIndependentRecursion) {
  const describe::Model model = as_written(GetParam());
  test::PlainRobot robot(robot_file(GetParam()));
  Options options;
  options.friction = false;
  const Equations equations(model, options);
  for (unsigned seed = 0; seed < 4; ++seed) {
    const State s = random_state(model, seed);
    put(model, s, robot);
    robot.solve(-9.81);
    const std::vector<double> expected = forces(model, robot);
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(model.nv()));
    EXPECT_LT(support::relative_difference(expected, value(equations.inverse_dynamics(), s, "tau")),
              kSameForces);
    // M and h by another road: composite bodies.
    std::vector<double> tau = times(value(equations.mass_matrix(), s, "M"), s.udot);
    const std::vector<double> h = value(equations.bias(), s, "h");
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += h[k];
    EXPECT_LT(support::relative_difference(expected, tau), kSameForces);
  }
}

TEST_P(RobotFiles, PutTheirLinksWhereAnIndependentRecursionPutsThem) {
  const describe::Model model = as_written(GetParam());
  test::PlainRobot robot(robot_file(GetParam()));
  const Equations equations(model);
  const State s = random_state(model, 7);
  put(model, s, robot);
  robot.solve(-9.81);
  generate::Evaluator poses(generate::compile(equations.body_poses(), generate::Backend::interpreter));
  std::copy(s.q.begin(), s.q.end(), poses.input("q").begin());
  poses.run();
  for (const describe::Joint& joint : model.joints) {
    for (const test::PlainRobot::Joint& other : robot.joints) {
      if (other.line != joint.where.line) continue;
      const auto X = poses.output("X_" + model.bodies[static_cast<std::size_t>(joint.child)].name);
      const test::PlainRobot::Place& place = robot.places.at(other.child);
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
          EXPECT_NEAR(X[static_cast<std::size_t>(4 * i + j)], place.R(i, j), kSameForces);
        EXPECT_NEAR(X[static_cast<std::size_t>(4 * i + 3)], place.p(i), kSameForces);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Habits, RobotFiles,
                         testing::Values("fixed_axis_zero.urdf", "names_that_meet.urdf", "no_inertia.urdf",
                                         "odd_shapes.urdf", "odd_inertia.urdf", "odd_joints.urdf",
                                         "odd_mimics.urdf", "nearly_axes.urdf", "angles.urdf", "unnamed.urdf",
                                         "arm.urdf"));

// A rotation whose first element rounds to 1 is no turn about x: M lost what the inverse dynamics kept.
TEST(NearlyParallelAxes, TurnMomentsAsTheMatrixSays) {
  const Mat3<double> R = math::rotation_x(std::cos(1.2), std::sin(1.2)) *
                         math::rotation_y(std::cos(8e-9), std::sin(8e-9)) *
                         math::rotation_z(std::cos(8e-9), std::sin(8e-9));
  ASSERT_EQ(R(0, 0), 1.0);
  const SecondMoments<double> I{1.0, 2.0, 3.0, 0.1, 0.2, -0.3};
  const Mat3<double> expected = R * matrix_of(I) * R.transposed(), moments = matrix_of(rotated(I, R)),
                     matrix = rotated(matrix_of(I), R);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(moments(i, j), expected(i, j), 1e-15);
      EXPECT_NEAR(matrix(i, j), expected(i, j), 1e-15);
    }
  }
}

TEST(NearlyParallelAxes, ForwardDynamicsByBothMethodsUndoesInverseDynamics) {
  const describe::Model model = as_written("nearly_axes.urdf");
  for (const ForwardMethod method : {ForwardMethod::composite_body, ForwardMethod::articulated_body}) {
    Options options;
    options.method = method;
    const Equations equations(model, options);
    for (unsigned seed = 0; seed < 4; ++seed) {
      State s = random_state(model, seed);
      s.tau = value(equations.inverse_dynamics(), s, "tau");
      // The mass matrix of this arm has a condition of some hundred.
      EXPECT_LT(difference(value(equations.forward_dynamics(), s, "udot"), s.udot), 1e-11);
    }
  }
}

// An axis 1e-8 off z is not z: over 1 m the tip is 1e-8 m elsewhere.
TEST(NearlyParallelAxes, AreNotRoundedToTheAxesOfTheFrame) {
  const describe::Model model = as_written("nearly_axes.urdf");
  const Equations equations(model);
  State s = random_state(model, 3);
  const std::vector<double> tau = value(equations.inverse_dynamics(), s, "tau");
  describe::Model rounded = describe::load_text(
      [] {
        std::ifstream file(robot_file("nearly_axes.urdf"));
        std::string text((std::istreambuf_iterator<char>(file)), {});
        for (const char* small : {"-1.3e-08", "-2e-08", "2e-08", "-1e-08", "3e-09", "1e-08"})
          for (std::size_t at; (at = text.find(small)) != std::string::npos;)
            text.replace(at, std::string(small).size(), "0");
        return text;
      }(),
      "rounded.urdf");
  const double change = difference(value(Equations(rounded).inverse_dynamics(), s, "tau"), tau);
  EXPECT_GT(change, 1e-9);
  EXPECT_LT(change, 1e-6);
}

}  // namespace
}  // namespace tactus::derive
