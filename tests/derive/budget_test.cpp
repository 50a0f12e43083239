#include <tactus/derive/readable/budget.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include <tactus/describe/read/load.h>
#include "support/paths.h"

namespace tactus::derive {
namespace {

class Budget : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    puma_ = new describe::Model(describe::load(tactus::support::source_dir() + "/models/puma560.yaml"));
    full_ = new CanonicalModel(canonical_form(*puma_));
  }
  static void TearDownTestSuite() {
    delete full_;
    delete puma_;
  }
  static std::string message_for(const std::string& text) {
    try {
      read_budget(text, "budget.yaml", *puma_);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  static describe::Model* puma_;
  static CanonicalModel* full_;
};

describe::Model* Budget::puma_ = nullptr;
CanonicalModel* Budget::full_ = nullptr;

TEST_F(Budget, KeepsItsPromise) {
  const TorqueBudget budget =
      read_budget("speeds: 2\naccelerations: 10\ntorque: [2, 2, 1, 0.2, 0.2, 0.05]\n", "budget.yaml", *puma_);
  const BudgetedModel result = abbreviate_to_budget(*full_, budget, 2000);
  EXPECT_LT(result.kept_coefficients, result.full_coefficients / 10);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LE(result.proven[i], budget.torque[i]) << i;
    EXPECT_LE(result.sampled[i], result.proven[i]) << i;
  }
}

TEST_F(Budget, BeatsTheThresholdAtTheSameBound) {
  // Allowed what the threshold of 0.01 is proven to do, the budget needs no more operations.
  const MotionBounds bounds{{}, std::vector(6, 10.0), std::vector(6, 100.0)};
  const CanonicalModel by_threshold = abbreviated(*full_, {.threshold = 0.01});
  const TorqueBudget budget{bounds, torque_error_bounds(*full_, by_threshold, bounds)};
  const BudgetedModel result = abbreviate_to_budget(*full_, budget, 100);
  const auto of_threshold = algebra::count_operations(inverse_dynamics(by_threshold, false).roots());
  EXPECT_LE(result.operations.mul + result.operations.add, of_threshold.mul + of_threshold.add);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_LE(result.proven[i], budget.torque[i] * (1.0 + 1e-12));
}

TEST_F(Budget, MoreAllowanceNeverNeedsMoreOperations) {
  std::size_t previous = std::numeric_limits<std::size_t>::max();
  for (const double allowed : {0.0, 3.0, 30.0, 3000.0}) {
    const TorqueBudget budget{{{}, std::vector(6, 3.0), std::vector(6, 20.0)}, std::vector(6, allowed)};
    const BudgetedModel result = abbreviate_to_budget(*full_, budget, 1);
    const auto operations = static_cast<std::size_t>(result.operations.mul + result.operations.add);
    EXPECT_LE(operations, previous) << allowed << ": " << result.order;
    EXPECT_LE(result.kept_coefficients, full_->coefficient_count());
    previous = operations;
    if (allowed == 0.0) {
      EXPECT_EQ(result.kept_coefficients, full_->coefficient_count());
    }
    // Constants next to a rotor are never dropped: that would save nothing.
    if (allowed == 3000.0) {
      EXPECT_EQ(result.kept_coefficients, 6u);
    }
  }
}

TEST_F(Budget, ReadsBoundsByListNameAndDefault) {
  const TorqueBudget budget =
      read_budget("speeds: 90 deg/s\naccelerations: [1, 2, 3, 4, 5, 6]\ntorque: {default: 0.5, q2: 3 N m}\n",
                  "b.yaml", *puma_);
  EXPECT_NEAR(budget.bounds.u[3], std::acos(-1.0) / 2, 1e-15);
  EXPECT_EQ(budget.bounds.udot[4], 5.0);
  EXPECT_EQ(budget.torque[0], 0.5);
  EXPECT_EQ(budget.torque[1], 3.0);
}

TEST_F(Budget, AJointReachesAsFarAsItsFartherLimit) {
  const describe::Model slider = describe::load_text(R"(
name: slider
bodies: {block: {mass: 1, inertia: [1, 1, 1]}}
joints: {x: {type: prismatic, parent: world, child: block, axis: x, limits: [-0.2, 1.5]}}
)",
                                                     "slider.yaml");
  const TorqueBudget budget = read_budget("speeds: 1\naccelerations: 1\ntorque: 1\n", "b.yaml", slider);
  EXPECT_EQ(budget.bounds.q[0], 1.5);
}

TEST_F(Budget, SaysWhereAFileIsWrong) {
  EXPECT_NE(message_for("speeds: 1\naccelerations: 1\ntorqe: 1\n").find("budget.yaml:3:1"),
            std::string::npos);
  EXPECT_NE(message_for("speeds: 1\naccelerations: 1\n").find("torque"), std::string::npos);
  EXPECT_NE(message_for("speeds: [1, 2]\naccelerations: 1\ntorque: 1\n").find("budget.yaml:1:9"),
            std::string::npos);
  EXPECT_NE(message_for("speeds: -1\naccelerations: 1\ntorque: 1\n").find("budget.yaml:1:9"),
            std::string::npos);
  EXPECT_NE(message_for("speeds: 1 kg\naccelerations: 1\ntorque: 1\n").find("budget.yaml:1:9"),
            std::string::npos);
  EXPECT_NE(message_for("speeds: 1\naccelerations: 1\ntorque: {q7: 1, default: 1}\n").find("no joint 'q7'"),
            std::string::npos);
  EXPECT_NE(message_for("speeds: 1\naccelerations: 1\ntorque: {q1: 1}\n").find("nothing about joint 'q2'"),
            std::string::npos);
  EXPECT_NE(message_for("").find("budget.yaml"), std::string::npos);
}

}  // namespace
}  // namespace tactus::derive
