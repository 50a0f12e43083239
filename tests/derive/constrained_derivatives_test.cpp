// Derivatives of constrained motion: by recursion and the motion's own factors, against differences of the constrained dynamics and
// against its expressions differentiated as they stand.
#include <tactus/derive/constraints/constrained_derivatives.h>

#include <algorithm>
#include <string>
#include <string_view>

#include <tactus/algebra/calculus.h>

#include "random_state.h"

namespace tactus::derive {
namespace {

/// Relative to the largest element, for two sums of the same terms in other orders; factors of a mass matrix lie between.
constexpr double kSame = 1e-9;
/// Central differences: step^2 times third derivatives, and rounding over the step, relative to the largest element.
constexpr double kStep = 1e-5, kDifferences = 5e-6;
/// Rows this near to each other make all derivatives large: such states are left out.
constexpr double kRegular = 1e-3;

State regular_state(const describe::Model& model, const Function& motion) {
  for (unsigned seed = 1; seed < 50; ++seed) {
    State s = random_state(model, seed);
    const std::vector<double> pivots = value(motion, s, "pivots");
    if (*std::min_element(pivots.begin(), pivots.end()) > kRegular) return s;
  }
  ADD_FAILURE() << "no regular state of " << model.name;
  return random_state(model, 1);
}

const algebra::Block& block_of(const std::vector<algebra::Block>& blocks, std::string_view name) {
  return *std::find_if(blocks.begin(), blocks.end(), [&](const algebra::Block& b) { return b.name == name; });
}

TEST(ConstrainedDerivatives, AreThoseOfTheExpressionsOfTheMotion) {
  for (const char* name : {"four_bar", "slider_crank", "four_bar_ladder", "two_link_on_circle"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function motion = equations.constrained_dynamics();
    const State s = regular_state(model, motion);
    for (const DerivativeMethod method : {DerivativeMethod::graph, DerivativeMethod::recursion}) {
      const Function d = constrained_derivatives(equations, {}, method);
      for (const char* result : {"udot", "lambda"}) {
        EXPECT_LT(difference(value(d, s, result), value(motion, s, result)), kSame) << name << " " << result;
        for (const char* by : {"q", "u", "tau"}) {
          const algebra::Graph::Scope scope(*motion.graph);
          const algebra::Block& x = block_of(motion.inputs, by);
          const algebra::Block& y = block_of(motion.outputs, result);
          Function direct = motion;
          direct.outputs = {{"direct", "", y.rows, x.rows, algebra::jacobian(y.entries, x.entries)}};
          const std::string part = std::string(result) + "_" + by;
          EXPECT_LT(difference(value(direct, s, "direct"), value(d, s, part)), kSame) << name << " " << part;
        }
      }
    }
  }
}

/// Also where the constraint is on speeds alone, with a quaternion, and with speeds that are no joint rates.
TEST(ConstrainedDerivatives, AreTheDifferencesOfTheMotion) {
  for (const char* name : {"four_bar", "slider_crank", "shopping_cart", "rolling_disk", "single_track"}) {
    const describe::Model model = model_named(name);
    const Equations equations(model);
    const Function motion = equations.constrained_dynamics();
    const State s = regular_state(model, motion);
    const Function d = constrained_derivatives(equations);
    const auto n = static_cast<std::size_t>(model.nv());
    describe::Model plain = model;
    plain.speeds = {};
    const Function rates = Equations(plain).coordinate_rates();
    const auto displaced = [&](std::size_t k, double step) {
      State unit = s, half = s, moved = s;
      std::fill(unit.u.begin(), unit.u.end(), 0.0);
      unit.u[k] = 1.0;
      half.u = unit.u;
      const std::vector<double> first = value(rates, unit, "qdot");
      for (std::size_t i = 0; i < s.q.size(); ++i) half.q[i] += 0.5 * step * first[i];
      const std::vector<double> middle = value(rates, half, "qdot");
      for (std::size_t i = 0; i < s.q.size(); ++i) moved.q[i] += step * middle[i];
      return moved;
    };
    for (const char* result : {"udot", "lambda"}) {
      for (const char* by : {"q", "u", "tau"}) {
        const std::string part = std::string(result) + "_" + by;
        const std::vector<double> matrix = value(d, s, part);
        const double size = support::largest(matrix, 1.0);
        for (std::size_t k = 0; k < n; ++k) {
          State up = s, down = s;
          if (std::string(by) == "q") {
            up = displaced(k, kStep);
            down = displaced(k, -kStep);
          } else {
            (std::string(by) == "u" ? up.u : up.tau)[k] += kStep;
            (std::string(by) == "u" ? down.u : down.tau)[k] -= kStep;
          }
          const std::vector<double> above = value(motion, up, result), below = value(motion, down, result);
          ASSERT_EQ(matrix.size(), above.size() * n);
          for (std::size_t i = 0; i < above.size(); ++i)
            EXPECT_NEAR(matrix[i * n + k], (above[i] - below[i]) / (2 * kStep), kDifferences * size)
                << name << " " << part << " " << i << " " << k;
        }
      }
    }
  }
}

TEST(ConstrainedDerivatives, TakeFewerOperationsThanTheExpressionsOfTheMotionDifferentiated) {
  const Equations equations(model_named("four_bar_ladder"));
  const Function motion = equations.constrained_dynamics();
  const Function d = constrained_derivatives(equations);
  const algebra::Graph::Scope scope(*motion.graph);
  std::vector<algebra::Expr> direct;
  for (const char* result : {"udot", "lambda"}) {
    for (const char* by : {"q", "u", "tau"}) {
      const std::vector<algebra::Expr> part =
          algebra::jacobian(block_of(motion.outputs, result).entries, block_of(motion.inputs, by).entries);
      direct.insert(direct.end(), part.begin(), part.end());
    }
  }
  const algebra::OperationCount ours = algebra::count_operations(d.roots()),
                                theirs = algebra::count_operations(direct);
  EXPECT_LT(ours.mul + ours.add, theirs.mul + theirs.add);
  RecordProperty("ours", ours.mul + ours.add);
  RecordProperty("differentiated", theirs.mul + theirs.add);
}

}  // namespace
}  // namespace tactus::derive
